/*
 * test_live_trickle.c: an answer whose bytes come all the time, though few at a time: a wait ends
 * when some have come, be they a part of a TLS record, and no timeout strikes.
 */
#include "targets/live/socket.h"
#include "targets/test_live.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECE  600u
#define NAP_NS (LIVE_SHORT_NS / 5)
#define SIZE   15000u /* of a value: one record, and far more pieces than a wait has naps */

static pid_t relay;

static bool send_all(int fd, const uint8_t *bytes, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* What the client sends goes on at once, what the server sends piece by piece. */
static void run_relay(int client, int up)
{
    static uint8_t bytes[16384];
    const struct timespec nap = {.tv_nsec = (long)NAP_NS};
    for (;;) {
        struct pollfd ends[] = {{.fd = client, .events = POLLIN}, {.fd = up, .events = POLLIN}};
        if (poll(ends, 2, -1) < 0)
            return;
        if (ends[0].revents) {
            ssize_t n = recv(client, bytes, sizeof bytes, 0);
            if (n <= 0 || !send_all(up, bytes, (size_t)n))
                return;
        }
        if (ends[1].revents) {
            ssize_t n = recv(up, bytes, PIECE, 0);
            if (n <= 0 || !send_all(client, bytes, (size_t)n))
                return;
            nanosleep(&nap, NULL);
        }
    }
}

/* A process that takes one connection and relays it; the port on which it listens. */
static uint16_t start_relay(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
    relay = fork();
    assert_true(relay >= 0);
    if (relay == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int client = accept(listener, NULL, NULL), up = live_socket_connect(&server.address);
        if (client >= 0 && up >= 0 &&
            setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0)
            run_relay(client, up);
        _exit(0);
    }
    close(listener);
    return ntohs(at.sin_port);
}

static int stop_relay(void **state)
{
    live_close(&conn);
    if (relay > 0) {
        kill(relay, SIGKILL);
        waitpid(relay, NULL, 0);
    }
    relay = 0;
    return tear_down_server(state);
}

/* The whole takes several times as long as one wait may. */
static void bytes_come_all_the_time(void **state)
{
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    use_driver(state);
    start_server((struct live_server_options){.tcp = true});
    connect_with(profile);
    store("slow", SIZE, LIVE_LINES);
    profile.wait_timeout_ns = LIVE_SHORT_NS;
    server.address.port = start_relay();
    server.address.path = NULL;
    connect_with(profile);
    uint64_t begin = live_now_ns();
    fetch("slow", SIZE, LIVE_LINES);
    assert_true(live_now_ns() - begin > 2 * LIVE_SHORT_NS);
    assert_true(stats().cost->waits > 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        LIVE_OF(bytes_come_all_the_time, NULL, stop_relay, poll),
        LIVE_OF(bytes_come_all_the_time, NULL, stop_relay, loop),
        LIVE_OF(bytes_come_all_the_time, NULL, stop_relay, tls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
