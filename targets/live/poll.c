#include "targets/live/poll.h"

#include "targets/live/socket.h"

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

const struct live_driver live_poll_driver = {
    .name = "poll",
    .poll_is_wait = true,
    .missing = missing,
    .attach = attach,
    .detach = detach,
    .write = live_socket_write,
    .read = live_socket_read,
    .wait = live_socket_wait,
    .poll = live_socket_poll,
    .probe = live_socket_probe,
};

enum wb_err live_open(struct live_conn *c, const struct live_address *at,
                      struct wb_reply_profile profile, struct wb_mem *mem, FILE *capture)
{
    return live_open_by(&live_poll_driver, c, at, profile, mem, capture);
}
