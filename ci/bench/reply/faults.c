#include "ci/bench/reply/bench.h"

#include <malloc.h>
#include <stdlib.h>

#define OPS     200
#define FIRST   (128 * 1024)       /* where both limits of glibc stand at first */
#define RAISED  (64 * 1024 * 1024) /* where they stand once a large block was freed, or more */
#define MEASURE 3

/* Where the values of one reply go. */
struct blocks {
    bool own; /* each into a block of its size, freed when the reply is over; else one for all */
    void *taken[BENCH_KEYS_MAX];
    uint32_t count;
};

static void give_space(struct ours *o, struct blocks *b, const struct bench_work *w, size_t size)
{
    o->conn.space = w->live.space;
    o->conn.space_size = w->live.space_size;
    if (!b->own)
        return;
    o->conn.space = b->taken[b->count++] = malloc(size);
    o->conn.space_size = size;
    figure_must(o->conn.space != NULL, "no memory for a value");
}

static void run_one(struct ours *o, const struct bench_work *w, struct blocks *b)
{
    struct wb_reply_event event = {0};
    figure_must(live_start(&o->conn, &w->live) == WB_OK, "a request was refused");
    do {
        struct wb_reply_want want = wb_reply_want(o->conn.reply, live_now_ns());
        if (want.kind == WB_REPLY_WANT_SPACE)
            give_space(o, b, w, (size_t)want.size);
        enum wb_err e = live_step(&o->conn, &event);
        figure_must(e == WB_OK || e == WB_MORE, "a reply into blocks broke");
    } while (event.kind != WB_REPLY_EVENT_END);
    figure_must(event.status == WB_OK, "a reply into blocks did not end well");
    while (b->count > 0)
        free(b->taken[--b->count]);
}

/* Nothing but the values moves the heap: works were prepared before. */
static void count(const struct live_address *at, const struct bench_work *w, bool own, int limit,
                  const char *name, const char *bar)
{
    static struct blocks b;
    struct ours o;
    b.own = own;
    figure_must(mallopt(M_MMAP_THRESHOLD, limit < RAISED ? limit : limit / 2) == 1 &&
                    mallopt(M_TRIM_THRESHOLD, limit) == 1,
                "glibc's limits cannot be set");
    ours_open(&o, &live_poll_driver, at, WB_REPLY_COPY, counter_mem());
    run_one(&o, w, &b);
    run_one(&o, w, &b);
    uint64_t before = counter_faults();
    for (unsigned i = 0; i < OPS; i++)
        run_one(&o, w, &b);
    figure("page-faults", (double)(counter_faults() - before) / OPS, "faults/op", bar,
           "%s/meta/copy/poll/unix/%s", w->name, name);
    ours_close(&o);
}

void faults_counts(void)
{
    static const size_t measured[MEASURE] = {6, 7, 1}; /* of cases_all */
    static const struct live_server_options options = {.megabytes = "256"};
    static struct bench_work works[MEASURE];
    struct live_server server = {0};
    figure_must(mallopt(M_MMAP_THRESHOLD, FIRST) == 1, "glibc's limits cannot be set");
    figure_must(live_server_start(&server, &options), "no server to measure against");
    for (size_t i = 0; i < MEASURE; i++) {
        cases_store(&server.address, &cases_all[measured[i]]);
        cases_prepare(&works[i], &cases_all[measured[i]], BENCH_META);
    }
    for (size_t i = 0; i < MEASURE; i++) {
        count(&server.address, &works[i], false, FIRST, "one-space", "<=9");
        count(&server.address, &works[i], true, FIRST, "blocks-trimmed", "-");
        count(&server.address, &works[i], true, RAISED, "blocks-kept", "-");
    }
    for (size_t i = 0; i < MEASURE; i++)
        cases_done(&works[i]);
    live_server_stop(&server);
}
