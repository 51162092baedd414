#include "ci/bench/reply/bench.h"

#include <string.h>
#include <valgrind/callgrind.h>

#define OPS          20
#define PAGES        20 /* of WB_REPLY_LARGE bytes, in the replies whose reads end at odd places */
#define KEPT_REPLIES 16
#define KEPT_VALUES  400 /* in each; every 16th ends where a read ends */
#define KEPT_EACH    4096

/* Cases as published, and replies made so that reads end where it hurts. */
enum { ENDS_AT_VALUE = BENCH_CASES, ENDS_AT_BLOCK, SPLITS_A_LINE, SHAPES };

static void prepare(struct bench_work *w, int shape, enum bench_kind kind)
{
    if (shape == ENDS_AT_VALUE)
        cases_prepare_pages(w, "reads-end-at-values", PAGES, WB_REPLY_LARGE, 2);
    else if (shape == ENDS_AT_BLOCK)
        cases_prepare_pages(w, "reads-end-at-blocks", PAGES, WB_REPLY_LARGE, 0);
    else if (shape == SPLITS_A_LINE)
        cases_prepare_pages(w, "reads-split-lines", PAGES, WB_REPLY_LARGE, -5);
    else
        cases_prepare(w, &cases_all[shape], kind);
    peer_script(wb_buf_view(&w->reply), PEER_WRITE);
}

static size_t parts(size_t len, size_t each)
{
    return (len + each - 1) / each;
}

static size_t writes_of(const struct bench_work *w)
{
    return parts(w->reply.len, PEER_WRITE);
}

/* 2 + ceil(L / 65536) + 2 * (writes that arrive apart - 1). */
static size_t formula(const struct bench_work *w)
{
    return 2 + parts(w->reply.len, WB_REPLY_LARGE) + 2 * (writes_of(w) - 1);
}

struct counter_calls scripted_calls(struct ours *o, const struct bench_work *w, unsigned ops)
{
    uint64_t before = ours_calls(o);
    counter_start();
    ours_run(o, w, ops);
    struct counter_calls calls = counter_stop();
    if (!counter_is_open())
        calls.of[COUNTER_ALL] = ours_calls(o) - before;
    return calls;
}

static void count_calls(const struct live_driver *driver, enum wb_reply_values values,
                        enum bench_kind kind, int shapes)
{
    struct live_address at;
    const struct live_driver *scripted = peer_listen(driver, &at);
    uint64_t taken = 0;
    for (int i = 0; i < shapes; i++) {
        struct bench_work w;
        struct ours o;
        char bar[32];
        prepare(&w, i, i < BENCH_CASES ? kind : BENCH_META);
        ours_open(&o, scripted, &at, values, counter_mem());
        ours_check(&o, &w);
        ours_check(&o, &w); /* the first two: reads grow */
        uint64_t takes = counter_takes();
        double calls = (double)scripted_calls(&o, &w, OPS).of[COUNTER_ALL] / OPS;
        taken += counter_takes() - takes;
        size_t want = formula(&w);
        snprintf(bar, sizeof bar, values == WB_REPLY_DIRECT ? "<=%zu" : "=%zu",
                 driver == &live_uring_driver ? 1 : want);
        figure("syscalls", calls, "calls/op", bar, "%s/%s/%s/%s/scripted", w.name,
               cases_kind_name(w.kind), cases_values_name(values), driver->name);
        ours_close(&o);
        cases_done(&w);
    }
    figure("allocations", (double)taken, "blocks", "=0", "all/%s/%s/%s/scripted",
           cases_kind_name(kind), cases_values_name(values), driver->name);
    peer_stop();
}

/* ---- values that the caller keeps, each in a block of its size ---- */

struct kept {
    uint8_t *block;
    size_t size;
};

static void keep_all(struct ours *o, const struct bench_work *w, struct kept *kept)
{
    struct wb_reply_event event = {0};
    uint32_t seen = 0;
    figure_must(live_start(&o->conn, &w->live) == WB_OK, "a request was refused");
    do {
        struct wb_reply_want want = wb_reply_want(o->conn.reply, live_now_ns());
        if (want.kind == WB_REPLY_WANT_SPACE) {
            size_t size = (size_t)want.size;
            kept[seen] = (struct kept){wb_mem_take(counter_mem(), size), size};
            o->conn.space = kept[seen].block;
            o->conn.space_size = size;
            seen++;
        }
        enum wb_err e = live_step(&o->conn, &event);
        figure_must(e == WB_OK || e == WB_MORE, "a reply with values to keep broke");
    } while (event.kind != WB_REPLY_EVENT_END);
    figure_must(event.status == WB_OK && seen == w->count, "not every value came");
}

static void count_kept(void)
{
    static struct kept kept[KEPT_REPLIES * KEPT_VALUES];
    struct live_address at;
    struct bench_work w;
    struct ours o;
    size_t sum = 0;
    const struct live_driver *scripted = peer_listen(&live_poll_driver, &at);
    cases_prepare_pages(&w, "kept", KEPT_VALUES, KEPT_EACH, 2);
    peer_script(wb_buf_view(&w.reply), PEER_WRITE);
    ours_open(&o, scripted, &at, WB_REPLY_COPY, counter_mem());
    uint64_t before = counter_held();
    for (size_t i = 0; i < KEPT_REPLIES; i++)
        keep_all(&o, &w, kept + i * KEPT_VALUES);
    uint64_t after = counter_held();
    for (size_t i = 0; i < KEPT_REPLIES * KEPT_VALUES; i++) {
        const char *key = w.keys[i % KEPT_VALUES];
        figure_must(live_is(wb_view_of(kept[i].block, kept[i].size), w.sizes[i % KEPT_VALUES],
                            LIVE_BYTES, key),
                    "a kept value is not that of its key");
        sum += kept[i].size;
        wb_mem_give(counter_mem(), kept[i].block, kept[i].size);
    }
    char bar[32];
    snprintf(bar, sizeof bar, "<=%d", WB_REPLY_LARGE + WB_REPLY_LINE_MAX);
    figure("retained", (double)(after - before) - (double)sum, "bytes", bar,
           "6400-kept-values/meta/copy/poll/scripted");
    ours_close(&o);
    cases_done(&w);
    peer_stop();
}

void scripted_counts(void)
{
    for (int values = WB_REPLY_VIEW; values <= WB_REPLY_DIRECT; values++)
        count_calls(&live_poll_driver, (enum wb_reply_values)values, BENCH_META, SHAPES);
    count_calls(&live_poll_driver, WB_REPLY_VIEW, BENCH_CLASSIC, BENCH_CASES);
    count_calls(&live_poll_driver, WB_REPLY_COPY, BENCH_CLASSIC, BENCH_CASES);
    count_calls(&live_loop_driver, WB_REPLY_VIEW, BENCH_META, BENCH_CASES);
    if (!live_uring_driver.missing())
        count_calls(&live_uring_driver, WB_REPLY_VIEW, BENCH_META, 1);
    count_kept();
}

/* ---- instructions ---- */

static void count_instructions(enum wb_reply_values values, enum bench_kind kind, int shapes)
{
    struct live_address at;
    const struct live_driver *scripted = peer_listen(&live_poll_driver, &at);
    for (int i = 0; i < shapes; i++) {
        struct bench_work w;
        struct ours o;
        char name[120];
        prepare(&w, i, i < BENCH_CASES ? kind : BENCH_META);
        ours_open(&o, scripted, &at, values, wb_mem_libc());
        ours_check(&o, &w);
        ours_run(&o, &w, 1);
        CALLGRIND_ZERO_STATS;
        ours_run(&o, &w, 10);
        snprintf(name, sizeof name, "%s/%s/%s/poll/scripted", w.name, cases_kind_name(w.kind),
                 cases_values_name(values));
        CALLGRIND_DUMP_STATS_AT(name);
        ours_close(&o);
        cases_done(&w);
    }
    peer_stop();
}

static void count_bare(void)
{
    struct live_address at;
    const struct live_driver *scripted = peer_listen(&live_poll_driver, &at);
    struct bench_work w;
    struct ours o;
    prepare(&w, 0, BENCH_META);
    ours_open(&o, scripted, &at, WB_REPLY_VIEW, wb_mem_libc());
    ours_check(&o, &w);
    bare_run(o.conn.fd, &w, 1);
    CALLGRIND_ZERO_STATS;
    uint64_t sum = bare_run(o.conn.fd, &w, 10);
    CALLGRIND_DUMP_STATS_AT("get-1KB/meta/view/bare/scripted");
    figure_must(sum == 10 * w.sizes[0], "the bare loop read something else");
    ours_close(&o);
    cases_done(&w);
    peer_stop();
}

void scripted_few_instructions(void)
{
    count_instructions(WB_REPLY_VIEW, BENCH_META, BENCH_CASES);
}

void scripted_instructions(void)
{
    count_bare();
    for (int values = WB_REPLY_VIEW; values <= WB_REPLY_DIRECT; values++)
        count_instructions((enum wb_reply_values)values, BENCH_META, SHAPES);
    for (int values = WB_REPLY_VIEW; values <= WB_REPLY_COPY; values++)
        count_instructions((enum wb_reply_values)values, BENCH_CLASSIC, BENCH_CASES);
}
