/*
 * range_wire.c: one range as SUBSCRIBE and SUBSCRIBE_UPDATE carry it. moq-lite, messages.
 */
#include "core/window/window.h"

/* An optional number of the wire: 0 is absent. */
struct optional {
    bool present;
    uint64_t value;
};

/* Does value + 1 have a form in this version? */
static bool fits(enum wb_moq_version version, uint64_t value)
{
    return value < UINT64_MAX && wb_moq_size(version, value + 1) > 0;
}

static enum wb_err put_optional(enum wb_moq_version version, struct wb_buf *out, struct optional o)
{
    if (!o.present)
        return wb_moq_put(version, out, 0);
    if (!fits(version, o.value))
        return WB_E_BOUNDS;
    return wb_moq_put(version, out, o.value + 1);
}

static enum wb_err get_optional(enum wb_moq_version version, struct wb_view *in,
                                struct optional *out)
{
    uint64_t raw;

    WB_TRY(wb_moq_get(version, in, &raw));
    *out = (struct optional){.present = raw > 0, .value = raw > 0 ? raw - 1 : 0};
    return WB_OK;
}

static bool is_empty(struct wb_bound start, struct wb_bound end)
{
    return end.present && !wb_position_less(start.present ? start.at : WB_POSITION_FIRST, end.at);
}

enum wb_err wb_range_put(enum wb_moq_version version, struct wb_buf *out, struct wb_bound start,
                         struct wb_bound end)
{
    bool frames = wb_moq_has_frame_bounds(version);
    struct optional first = {start.present, start.at.group};
    struct optional last = {end.present, end.at.group}, last_frame = {0};
    uint64_t first_frame = start.present && frames ? start.at.frame : 0;
    size_t before = out->len;
    enum wb_err e;

    if (is_empty(start, end))
        return WB_E_RANGE;
    if (end.present && end.at.frame == 0)
        last.value--; /* not empty, so there is a group before it */
    else if (end.present && frames)
        last_frame = (struct optional){fits(version, end.at.frame - 1), end.at.frame - 1};
    if (last.present && !fits(version, last.value))
        last = last_frame = (struct optional){0};

    e = put_optional(version, out, first);
    if (e == WB_OK)
        e = put_optional(version, out, last);
    if (e == WB_OK && frames)
        e = wb_moq_put(version, out, first_frame);
    if (e == WB_OK && frames)
        e = put_optional(version, out, last_frame);
    if (e != WB_OK)
        wb_buf_truncate(out, before);
    return e;
}

enum wb_err wb_range_get(enum wb_moq_version version, struct wb_view *in,
                         struct wb_bound *out_start, struct wb_bound *out_end)
{
    struct wb_view left = *in;
    struct optional first, last, last_frame = {0};
    struct wb_bound start = {0}, end = {0};
    uint64_t first_frame = 0;

    WB_TRY(get_optional(version, &left, &first));
    WB_TRY(get_optional(version, &left, &last));
    if (wb_moq_has_frame_bounds(version)) {
        WB_TRY(wb_moq_get(version, &left, &first_frame));
        WB_TRY(get_optional(version, &left, &last_frame));
    }
    if ((first_frame > 0 && !first.present) || (last_frame.present && !last.present))
        return WB_E_VALUE;
    if (first.present)
        start = wb_bound_at((struct wb_position){first.value, first_frame});
    if (last_frame.present)
        end = wb_bound_after((struct wb_position){last.value, last_frame.value});
    else if (last.present)
        end = wb_bound_after_group(last.value);
    if (is_empty(start, end))
        return WB_E_RANGE;
    *in = left;
    *out_start = start;
    *out_end = end;
    return WB_OK;
}
