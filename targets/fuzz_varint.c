/*
 * Numbers back to back: each is read, cut short and refused as the model says, and its value is
 * written by every writer as the model writes it.
 */
#include "core/base/varint.h"
#include "targets/base/numbers.h"

#include <inttypes.h>

static const char *const configs[] = {
    "0 quic form",
    "1 leading-ones form, 7 bytes allowed",
    "2 leading-ones form, 7 bytes refused",
    "3 quic form in 32-bit fields",
    "4 optional numbers",
    "5 signed numbers, zigzag in quic form",
    "6 leading-ones form, written again as quic",
    "7 leading-ones form, written again as optional",
    NULL,
};

static const struct shape {
    enum numbers_kind kind;
    bool is_signed, is_rewritten, is_optional;
} shapes[] = {
    {.kind = NUMBERS_QUIC},
    {.kind = NUMBERS_ONES_SEVEN},
    {.kind = NUMBERS_ONES},
    {.kind = NUMBERS_U32},
    {.kind = NUMBERS_OPTIONAL},
    {.kind = NUMBERS_QUIC, .is_signed = true},
    {.kind = NUMBERS_ONES_SEVEN, .is_rewritten = true},
    {.kind = NUMBERS_ONES_SEVEN, .is_rewritten = true, .is_optional = true},
};

static void tell(struct sim_run *run, const struct shape *shape, const struct numbers_read *got)
{
    sim_run_note(run, got->is_present ? got->value : UINT64_MAX);
    if (!got->is_present)
        sim_run_story(run, "absent ");
    else if (shape->is_signed)
        sim_run_story(run, "%" PRId64 " ", wb_unzigzag(got->value));
    else
        sim_run_story(run, "%" PRIu64 " ", got->value);
}

static void one(struct wb_view input, struct sim_run *run)
{
    size_t config = input.len > 0 ? input.data[0] : 0;
    const struct shape *shape = &shapes[config < sizeof(shapes) / sizeof(shapes[0]) ? config : 0];
    struct wb_view rest = wb_view_sub(input, input.len > 0 ? 1 : 0, input.len);
    enum wb_err err = WB_OK;

    (void)numbers_check_read(shape->kind, wb_view_of(NULL, 0));
    while (rest.len > 0 && err == WB_OK) {
        struct numbers_read got = numbers_check_read(shape->kind, rest);

        err = got.status;
        if (err != WB_OK)
            break;
        tell(run, shape, &got);
        numbers_check_written(sim_run_mem(run), got.value);
        if (shape->is_rewritten)
            err = numbers_check_quic(sim_run_mem(run), got.value, shape->is_optional);
        rest = wb_view_sub(rest, got.size, rest.len);
    }
    sim_run_story(run, "%s", wb_err_name((int)err));
    sim_run_outcome(run, err);
}

FUZZ_TARGET(.kind = FUZZ_WIRE,
            .property = "numbers are read, refused and written as the model does", .one = one,
            .configs = configs);
