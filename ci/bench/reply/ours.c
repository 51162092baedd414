#include "ci/bench/reply/bench.h"

#define PATIENT_NS UINT64_C(20000000000)

void ours_open(struct ours *o, const struct live_driver *driver, const struct live_address *at,
               enum wb_reply_values values, struct wb_mem *mem)
{
    ours_open_reads(o, driver, at, values, WB_REPLY_LARGE, mem);
}

void ours_open_reads(struct ours *o, const struct live_driver *driver,
                     const struct live_address *at, enum wb_reply_values values, size_t large,
                     struct wb_mem *mem)
{
    struct wb_reply_profile profile = wb_reply_profile_default();
    *o = (struct ours){.conn.fd = -1};
    profile.values = values;
    profile.large = large;
    profile.wait_timeout_ns = PATIENT_NS;
    figure_must(live_open_by(driver, &o->conn, at, profile, mem, NULL) == WB_OK,
                "a connection could not be opened");
}

void ours_close(struct ours *o)
{
    live_close(&o->conn);
}

uint64_t ours_calls(const struct ours *o)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < LIVE_CALL_COUNT; i++)
        sum += o->conn.calls[i];
    return sum;
}

void ours_check(struct ours *o, const struct bench_work *w)
{
    struct wb_reply_event event;
    uint32_t seen = 0;
    figure_must(live_start(&o->conn, &w->live) == WB_OK, "a request was refused");
    for (;;) {
        figure_must(live_next(&o->conn, &event) == WB_OK, "no event came");
        if (event.kind == WB_REPLY_EVENT_END)
            break;
        if (!event.has_value)
            continue; /* MN or END */
        figure_must(seen < w->count &&
                        live_is(event.value, w->sizes[seen], LIVE_BYTES, w->keys[seen]),
                    "a value is not that of its key");
        seen++;
    }
    figure_must(event.status == WB_OK && seen == w->count, "a reply did not end well");
}

static void one(struct ours *o, const struct bench_work *w)
{
    struct wb_reply_event event;
    enum wb_err e = live_start(&o->conn, &w->live);
    while (e == WB_OK) {
        e = live_next(&o->conn, &event);
        if (e != WB_OK || event.kind == WB_REPLY_EVENT_END)
            break;
        o->units++;
        o->bytes += event.value.len;
    }
    if (e != WB_OK || event.status != WB_OK)
        figure_must(false, "an operation failed");
}

__attribute__((noinline)) void ours_run(struct ours *o, const struct bench_work *w, unsigned ops)
{
    for (unsigned i = 0; i < ops; i++)
        one(o, w);
}
