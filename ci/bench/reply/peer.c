#include "ci/bench/reply/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* One at a time. */
static struct {
    const struct live_driver *inner;
    struct live_driver driver;
    int listener, fd;
    char folder[32], path[LIVE_PATH_SIZE];
    struct wb_view reply;
    size_t write_size, sent;
} peer = {.listener = -1, .fd = -1};

__attribute__((noinline)) void peer_feed(void)
{
    uint8_t request[16384];
    size_t left = peer.reply.len - peer.sent;
    size_t n = left < peer.write_size ? left : peer.write_size;
    counter_pause();
    while (recv(peer.fd, request, sizeof request, MSG_DONTWAIT) > 0)
        continue;
    if (n > 0) {
        ssize_t sent = send(peer.fd, peer.reply.data + peer.sent, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        figure_must(sent == (ssize_t)n, "the scripted peer could not write at once");
        peer.sent += n;
    }
    counter_resume();
}

static enum wb_err attach(struct live_conn *c, const struct live_address *at)
{
    peer.fd = accept(peer.listener, NULL, NULL);
    return peer.fd < 0 ? WB_E_RESET : peer.inner->attach(c, at);
}

static void detach(struct live_conn *c)
{
    peer.inner->detach(c);
    close(peer.fd);
    peer.fd = -1;
}

/* Requests here are short enough to go out in one write. io_uring receives in its write. */
static struct live_io write_first(struct live_conn *c, struct wb_view bytes)
{
    peer.sent = 0;
    if (peer.inner == &live_uring_driver)
        peer_feed();
    return peer.inner->write(c, bytes);
}

static unsigned wait_fed(struct live_conn *c, unsigned mask, uint64_t until_ns)
{
    if (peer.inner != &live_uring_driver || peer.sent > 0)
        peer_feed();
    return peer.inner->wait(c, mask, until_ns);
}

const struct live_driver *peer_listen(const struct live_driver *inner, struct live_address *at)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(peer.folder, "/tmp/wirebed-XXXXXX", sizeof "/tmp/wirebed-XXXXXX");
    figure_must(mkdtemp(peer.folder) != NULL, "no folder for the scripted peer");
    snprintf(peer.path, sizeof peer.path, "%s/socket", peer.folder);
    memcpy(name.sun_path, peer.path, strlen(peer.path));
    peer.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    figure_must(peer.listener >= 0 &&
                    bind(peer.listener, (const struct sockaddr *)&name, sizeof name) == 0 &&
                    listen(peer.listener, 4) == 0,
                "the scripted peer cannot listen");
    peer.inner = inner;
    peer.driver = *inner;
    peer.driver.attach = attach;
    peer.driver.detach = detach;
    peer.driver.write = write_first;
    peer.driver.wait = wait_fed;
    *at = (struct live_address){.path = peer.path};
    return &peer.driver;
}

void peer_script(struct wb_view reply, size_t write_size)
{
    peer.reply = reply;
    peer.write_size = write_size;
    peer.sent = 0;
}

void peer_stop(void)
{
    close(peer.listener);
    unlink(peer.path);
    rmdir(peer.folder);
}
