#include "targets/live/patient.h"

#include "targets/live/socket.h"

#include <poll.h>

static const char *missing(void)
{
    return NULL;
}

static enum wb_err attach(struct live_conn *c, const struct live_address *at)
{
    (void)at;
    return live_socket_unblock(c->fd) ? WB_OK : WB_E_RESET;
}

static void detach(struct live_conn *c)
{
    (void)c;
}

/* What was ready stays so; the pause is no part of the wait's limit, which was not reached. */
static unsigned wait_and_pause(struct live_conn *c, unsigned mask, uint64_t until_ns)
{
    const struct timespec pause = {.tv_nsec = LIVE_PAUSE_NS};
    unsigned ready = live_socket_wait(c, mask, until_ns);
    if (c->request_size >= LIVE_PAUSE_REQUEST && ready == WB_REPLY_READABLE) {
        live_count(c, LIVE_POLL);
        (void)ppoll(NULL, 0, &pause, NULL); /* it may be cut short */
    }
    return ready;
}

const struct live_driver live_patient_driver = {
    .name = "patient",
    .poll_is_wait = true,
    .missing = missing,
    .attach = attach,
    .detach = detach,
    .write = live_socket_write,
    .read = live_socket_read,
    .wait = wait_and_pause,
    .poll = live_socket_poll,
    .probe = live_socket_probe,
};
