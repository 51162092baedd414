#include "ci/bench/reply/bench.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define PATIENT_MS 20000

/* "VA " size CR LF value CR LF, all of it: where the value begins, or NULL. */
static const uint8_t *value_of(const uint8_t *begin, size_t len, size_t *out_size)
{
    const uint8_t *at = begin + 3, *end = begin + len;
    size_t size = 0;
    if (len < 9 || memcmp(begin, "VA ", 3) != 0)
        return NULL;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        size = size * 10 + (size_t)(*at - '0');
    if (end - at < 4 || size != (size_t)(end - at) - 4 || memcmp(at, "\r\n", 2) != 0 ||
        memcmp(end - 2, "\r\n", 2) != 0)
        return NULL;
    *out_size = size;
    return at + 2;
}

__attribute__((noinline)) uint64_t bare_run(int fd, const struct bench_work *w, unsigned ops)
{
    static uint8_t buffer[WB_REPLY_LARGE];
    uint64_t sum = 0;
    for (unsigned i = 0; i < ops; i++) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        size_t size = 0;
        peer_script(wb_buf_view(&w->reply), PEER_WRITE);
        ssize_t sent = send(fd, w->live.bytes.data, w->live.bytes.len, MSG_NOSIGNAL);
        peer_feed();
        int ready = poll(&p, 1, PATIENT_MS);
        ssize_t n = recv(fd, buffer, sizeof buffer, 0);
        if (sent != (ssize_t)w->live.bytes.len || ready != 1 || n <= 0 ||
            !value_of(buffer, (size_t)n, &size))
            figure_must(false, "the bare loop met what it does not handle");
        sum += size;
    }
    return sum;
}
