/*
 * unions_wire.c: ranges and windows to the wire and back.
 */
#include "oracles/ref_varint.h"
#include "oracles/ref_window_wire.h"
#include "targets/window/places.h"
#include "targets/window/unions.h"

#include <string.h>

enum wb_moq_version unions_version(const struct sim_op *op)
{
    return (enum wb_moq_version)(op->flags % WB_MOQ_VERSIONS);
}

static bool is_same(struct wb_bound a, struct wb_bound b)
{
    return a.present == b.present && (!a.present || ref_position_order(a.at, b.at) == 0);
}

/* The bytes are the model's fields, each in its shortest form. */
static void check_fields(const struct unions *w, int version, const struct ref_range_put *want)
{
    uint8_t bytes[REF_VARINT_SIZE_MAX];
    size_t at = 0;

    for (size_t i = 0; i < want->count; i++) {
        size_t n = ref_varint_write(version >= 7 ? REF_VARINT_ONES : REF_VARINT_QUIC,
                                    want->fields[i], bytes);

        FUZZ_CHECK(WIN_018, w->buf.len - at >= n && memcmp(w->buf.data + at, bytes, n) == 0);
        at += n;
    }
    FUZZ_CHECK(WIN_018, at == w->buf.len);
}

/* What was written reads back as the model reads it; what comes back holds all that was asked. */
static void check_back(struct unions *w, enum wb_moq_version v, struct wb_bound start,
                       struct wb_bound end)
{
    struct wb_view in = wb_buf_view(&w->buf);
    struct ref_range_get want = ref_range_get((int)v + 4, in);
    struct wb_bound got_start = {0}, got_end = {0};

    FUZZ_CHECK(WIN_021, want.status == WB_OK); /* neither empty nor inverted */
    FUZZ_CHECK(WIN_021, !want.end.present || ref_position_order(want.start.at, want.end.at) < 0);
    FUZZ_CHECK(WIN_019, wb_range_get(v, &in, &got_start, &got_end) == WB_OK && in.len == 0);
    FUZZ_CHECK(WIN_019, is_same(got_start, want.start) && is_same(got_end, want.end));
    FUZZ_CHECK(WIN_020, start.present == got_start.present);
    FUZZ_CHECK(WIN_020, ref_position_order(got_start.at, start.at) <= 0);
    FUZZ_CHECK(WIN_020,
               !got_end.present || (end.present && ref_position_order(end.at, got_end.at) <= 0));
    if (!is_same(start, got_start) || !is_same(end, got_end))
        sim_mark(w->run, UNIONS_MARK_WIDER);
}

static void put(struct unions *w, enum wb_moq_version v, struct wb_bound start, struct wb_bound end)
{
    struct ref_range_put want = ref_range_put((int)v + 4, start, end);
    uint64_t refused = w->run->alloc.refused;
    enum wb_err err;

    wb_buf_truncate(&w->buf, 0);
    err = wb_range_put(v, &w->buf, start, end);
    unions_ended(w, err);
    if (err != WB_OK)
        FUZZ_CHECK(WIN_024, w->buf.len == 0);
    if (unions_was_refused(w, err, refused))
        return;
    if (err == WB_OK)
        check_back(w, v, start, end);
    FUZZ_CHECK(WIN_018, err == want.status);
    if (err == WB_E_RANGE)
        sim_mark(w->run, UNIONS_MARK_UNSENT);
    if (err == WB_OK)
        check_fields(w, (int)v + 4, &want);
}

void unions_wire(struct unions *w, const struct sim_op *op)
{
    const struct wb_window *core = &w->windows[op->slot % UNIONS_SLOTS];
    struct wb_bound start = places_bound(op->arg), end = places_bound(op->ext);

    if (op->opcode ==
        UNIONS_SEND) { /* several runs widen to their hull; an empty one is not sent */
        struct wb_run hull;

        if (wb_window_is_empty(core)) {
            sim_mark(w->run, UNIONS_MARK_UNSENT);
            return;
        }
        hull = wb_window_hull(core);
        start = (struct wb_bound){true, hull.first};
        end.present = ref_position_next(hull.last, &end.at);
    }
    put(w, unions_version(op), start, end);
}
