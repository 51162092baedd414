/*
 * Lines of text: each is a number, too large or refused as the model says, and a number is written
 * with the model's digits.
 */
#include "core/base/decimal.h"
#include "oracles/ref_decimal.h"
#include "targets/fuzz.h"

#include <inttypes.h>
#include <string.h>

#define UNTOUCHED UINT64_C(0xa5a5a5a5a5a5a5a5)

static const char *const configs[] = {
    "0 at most 2^64-1", "1 at most 2^32-1", "2 at most 2^30", "3 at most 9",
    "4 at most 10",     "5 at most 0",      "6 at most 2^63", NULL,
};

static const uint64_t limits[] = {
    UINT64_MAX, UINT32_MAX, UINT64_C(1) << 30, 9, 10, 0, UINT64_C(1) << 63,
};

static void check_written(uint64_t value)
{
    char want[REF_DECIMAL_TEXT];
    uint8_t got[WB_DECIMAL_DIGITS_MAX];
    size_t count = ref_decimal_write(value, want);

    FUZZ_CHECK(DEC_004, wb_decimal_put(got, value) == count);
    FUZZ_CHECK(DEC_004, memcmp(got, want, count) == 0);
}

static enum wb_err check_line(struct sim_run *run, struct wb_view line, uint64_t max)
{
    struct ref_decimal want = ref_decimal_read(line, max);
    uint64_t value = UNTOUCHED;
    enum wb_err err = wb_decimal_get(line, max, &value);

    FUZZ_CHECK(DEC_001, err == want.status);
    if (err != WB_OK) {
        FUZZ_CHECK(DEC_003, value == UNTOUCHED);
        sim_run_story(run, "%s ", wb_err_name((int)err));
        return err;
    }
    FUZZ_CHECK(DEC_002, value == want.value);
    check_written(value);
    sim_run_note(run, value);
    sim_run_story(run, "%" PRIu64 " ", value);
    return WB_OK;
}

static void one(struct wb_view input, struct sim_run *run)
{
    size_t config = input.len > 0 ? input.data[0] : 0;
    uint64_t max = limits[config < sizeof(limits) / sizeof(limits[0]) ? config : 0];
    enum wb_err first = WB_OK;

    check_written(max);
    for (size_t begin = 1, end; begin < input.len; begin = end + 1) {
        enum wb_err err;

        for (end = begin; end < input.len && input.data[end] != '\n';)
            end++;
        err = check_line(run, wb_view_sub(input, begin, end), max);
        if (first == WB_OK)
            first = err;
    }
    sim_run_story(run, "end");
    sim_run_outcome(run, first);
}

FUZZ_TARGET(.kind = FUZZ_WIRE, .property = "a decimal is read and written as the model does",
            .one = one, .configs = configs);
