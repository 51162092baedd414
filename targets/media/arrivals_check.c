#include "targets/media/arrivals.h"

static void check_frame(const struct arrivals *w, const struct arrivals_frame *f)
{
    static const uint8_t kinds[] = {[REF_FRAME_EMPTY] = WB_FRAME_EMPTY,
                                    [REF_FRAME_SHARED] = WB_FRAME_SHARED,
                                    [REF_FRAME_FIXED] = WB_FRAME_FIXED,
                                    [REF_FRAME_GROWING] = WB_FRAME_GROWING,
                                    [REF_FRAME_CHAIN] = WB_FRAME_CHAIN};
    const struct ref_frame *m = &f->model;
    uint64_t bill = ref_frame_bill(&w->limits, m->size, w->header);

    wb_frame_check(f->frame);
    FUZZ_CHECK(FRM_003, wb_frame_written(f->frame) == m->written);
    FUZZ_CHECK(FRM_003, wb_frame_size(f->frame) == m->size);
    FUZZ_CHECK(FRM_010, wb_frame_kind(f->frame) == kinds[m->kind]);
    FUZZ_CHECK(FRM_015, wb_frame_superseded(f->frame) == 0);
    FUZZ_CHECK(FRM_018, wb_frame_footprint(f->frame) == arrivals_footprint(w, f));
    FUZZ_CHECK(FRM_018, wb_frame_bill(&w->core_limits, m->size) == bill);
    if (m->end == REF_FRAME_FINISHED && m->kind != REF_FRAME_SHARED)
        FUZZ_CHECK(FRM_018, wb_frame_footprint(f->frame) == bill);
#ifdef WB_COUNTED
    FUZZ_CHECK(FRM_014, f->cost.filled == 0);
    FUZZ_CHECK(FRM_013, f->cost.grown <= 2 * m->written);
    FUZZ_CHECK(FRM_012, f->cost.copied == f->want.copied);
    FUZZ_CHECK(FRM_012, f->cost.grown == f->want.grown);
    FUZZ_CHECK(FRM_015, f->cost.freed == f->want.freed);
    FUZZ_CHECK(FRM_008, f->cost.segments == f->want.segments);
#endif
}

void arrivals_check(struct arrivals *w)
{
    if (w->touched != ARRIVALS_NONE && w->frame[w->touched].references > 0)
        check_frame(w, &w->frame[w->touched]);
    for (size_t i = 0; i < w->live_count; i++) {
        const struct arrivals_segment *s = &w->segment[w->live[i]];
        if (s->kept != ARRIVALS_NONE)
            FUZZ_CHECK(FRM_007, wb_slice_holders(&w->kept[s->kept].slice) == s->holders);
    }
    FUZZ_CHECK(FRM_008, w->run->alloc.live_bytes == w->heap);
}
