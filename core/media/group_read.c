/*
 * group_read.c: places in a group. A reader holds a reference and a number, and takes nothing away.
 */
#include "core/media/group.h"

#include "core/media/group_own.h"

void wb_group_reader_init(struct wb_group_reader *r, struct wb_group *g)
{
    *r = (struct wb_group_reader){.group = wb_group_share(g)};
}

void wb_group_reader_clone(struct wb_group_reader *out, const struct wb_group_reader *r)
{
    *out = *r;
    wb_group_share(out->group);
}

void wb_group_reader_fini(struct wb_group_reader *r)
{
    if (r->group != NULL)
        wb_group_drop(r->group);
    *r = (struct wb_group_reader){0};
}

void wb_group_reader_start_at(struct wb_group_reader *r, uint64_t index)
{
    r->index = index < r->group->offset ? r->group->offset : index;
}

void wb_group_reader_end_at(struct wb_group_reader *r, uint64_t last)
{
    r->capped = true;
    r->end = last;
}

void wb_group_reader_lift(struct wb_group_reader *r)
{
    r->capped = false;
}

/* Why there is no frame for the reader where it is. */
static WB_NOINLINE enum wb_err nothing(const struct wb_group *g, uint64_t index)
{
    if (index < g->offset)
        return WB_E_LAGGED;
    if (g->is_finished && (index >= g->committed || g->reason == WB_OK))
        return WB_END;
    return g->reason != WB_OK ? (enum wb_err)g->reason : WB_MORE;
}

enum wb_err wb_group_next(struct wb_group_reader *r, struct wb_group_frame *out)
{
    const struct wb_group *g = r->group;
    const struct wb_group_record *record;
    uint64_t index = r->index;

    WB_CHECKED(wb_group_check_numbers(g));
    if (r->capped && index > r->end)
        return WB_END;
    if (index < g->offset || index >= wb_group_next_number(g) || g->reason != WB_OK)
        return nothing(g, index);
    record = wb_group_record(g, index);
    out->index = index;
    out->timestamp = record->timestamp;
    out->size = record->size;
    if (record->owner == NULL && (index == g->committed || record->size > 0)) {
        wb_frame_reader_init(&out->reader, record->in.frame);
    } else {
        const struct wb_slice kept = {record->owner, {record->in.data, (size_t)record->size}};

        out->reader = (struct wb_frame_reader){.payload = wb_slice_share(&kept)};
    }
    r->index = index + 1;
    return WB_OK;
}
