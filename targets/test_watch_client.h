/*
 * test_watch_client.h: programs that are watched: the driver of replies against a peer that cuts
 * a header in two, and a publisher of announces. Linked with the core as it is they are silent;
 * linked with a planted bug they are not.
 */
#ifndef TEST_WATCH_CLIENT_H
#define TEST_WATCH_CLIENT_H

#include "core/route/announce_pub.h"
#include "targets/live/poll.h"
#include "targets/live/talk.h"
#include "targets/test_watch_call.h"

#include <sys/socket.h>
#include <sys/un.h>

#define WATCH_REQUESTS 12
#define WATCH_SPLIT    7 /* the request whose answer comes in two pieces, within its first line */

static inline bool send_text(int fd, const char *text)
{
    return send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

/* Answers each request, until the client is gone. */
static inline _Noreturn void serve(int listener)
{
    char bytes[256];
    int fd = accept(listener, NULL, NULL);

    for (unsigned i = 1; recv(fd, bytes, sizeof bytes, 0) > 0; i++) {
        bool ok = send_text(fd, i == WATCH_SPLIT ? "VA" : "VA 5\r\nhello\r\n");
        if (i == WATCH_SPLIT) {
            usleep(50000);
            ok = ok && send_text(fd, " 5\r\nhello\r\n");
        }
        if (!ok)
            break;
    }
    _exit(0);
}

static inline int listen_at(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(at.sun_path, path, strlen(path) + 1);
    unlink(path);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 1) != 0)
        return -1;
    return fd;
}

static inline bool ask_once(struct live_conn *conn, uint8_t *space, size_t size)
{
    struct wb_reply_event event = {.kind = WB_REPLY_EVENT_UNIT};
    struct live_request request = {.bytes = wb_view_text("mg k v\r\n"),
                                   .shape = live_one(WB_REPLY_CODES_MG),
                                   .space = space,
                                   .space_size = size};

    if (live_start(conn, &request) != WB_OK)
        return false;
    while (event.kind == WB_REPLY_EVENT_UNIT)
        if (live_next(conn, &event) != WB_OK)
            return false;
    return event.status == WB_OK;
}

/* Requests one after the other; 0 when all were answered. */
static inline int watched_client(void)
{
    char path[64];
    uint8_t space[64];
    struct live_conn conn = {.fd = -1};
    struct wb_reply_profile profile = wb_reply_profile_default();
    bool ok = true;

    snprintf(path, sizeof path, "/tmp/watch-peer-%d", getpid());
    int listener = listen_at(path);
    pid_t peer = fork();
    if (peer == 0)
        serve(listener);
    profile.wait_timeout_ns = UINT64_C(20000000000);
    ok = live_open_by(&live_poll_driver, &conn, &(struct live_address){.path = path}, profile,
                      wb_mem_libc(), NULL) == WB_OK;
    for (unsigned i = 0; i < WATCH_REQUESTS && ok; i++)
        ok = ask_once(&conn, space, sizeof space);
    live_close(&conn);
    unlink(path);
    return waitpid(peer, NULL, 0) != peer || !ok;
}

static inline bool claim(struct wb_announce_pub *pub, const char *text, bool is_there)
{
    struct wb_claim_state state = {.warm = 1};
    struct wb_slice path;

    if (wb_slice_copy(wb_mem_libc(), wb_view_text(text), &path) != WB_OK)
        return false;
    enum wb_err e = wb_announce_pub_claim(pub, 5, &path, is_there ? &state : NULL);
    wb_slice_drop(&path);
    return e == WB_OK;
}

#define WATCH_WITHDRAWN 4 /* the change that takes a withheld claim away */

/* Three claims of the peer's own node, which are withheld; one goes, and comes again. */
static inline int watched_publisher(void)
{
    struct wb_announce_pub_config config = {
        .version = WB_LITE_07, .self = 1, .peer = 5, .link = WB_LINK_PEER};
    struct wb_route_state route = {.node = 5};
    struct wb_announce_pub *pub;

    if (wb_announce_pub_new(wb_mem_libc(), &config, &pub) != WB_OK ||
        wb_announce_pub_route(pub, 5, &route) != WB_OK)
        return 1;
    bool ok = claim(pub, "a", true) && claim(pub, "b", true) && claim(pub, "c", true) &&
              claim(pub, "b", false) && claim(pub, "b", true) && claim(pub, "d", true);
    wb_announce_pub_free(pub);
    return !ok;
}

/* A slice that nobody gives back. */
static inline int watched_leak(void)
{
    struct wb_slice slice;
    uint8_t *bytes;

    return wb_slice_new(wb_mem_libc(), 10, &slice, &bytes) != WB_OK;
}

static inline int watched(const char *what)
{
    if (strcmp(what, "--replies") == 0)
        return watched_client();
    if (strcmp(what, "--announces") == 0)
        return watched_publisher();
    if (strcmp(what, "--leak") == 0)
        return watched_leak();
    return 0;
}

#endif
