/*
 * numbers.c: one core call and the model's answer, side by side.
 */
#include "targets/base/numbers.h"

#include "core/base/varint.h"
#include "oracles/ref_varint.h"

#define UNTOUCHED UINT64_C(0xa5a5a5a5a5a5a5a5)

static enum wb_err core_read(enum numbers_kind kind, struct wb_view *in, uint64_t *out,
                             bool *out_present)
{
    uint32_t narrow = (uint32_t)UNTOUCHED;
    enum wb_err err = WB_OK;

    switch (kind) {
    case NUMBERS_QUIC:
        return wb_varint_get(in, out);
    case NUMBERS_ONES_SEVEN:
        return wb_varint_ones_get(in, true, out);
    case NUMBERS_ONES:
        return wb_varint_ones_get(in, false, out);
    case NUMBERS_U32:
        err = wb_varint_get_u32(in, &narrow);
        FUZZ_CHECK(VAR_004, err == WB_OK || narrow == (uint32_t)UNTOUCHED);
        if (err == WB_OK)
            *out = narrow;
        return err;
    case NUMBERS_OPTIONAL:
        return wb_varint_get_optional(in, out_present, out);
    }
    WB_UNREACHABLE();
}

/* moq-lite 1.1: u32 fields and optional integers are quic varints with a rule on top. */
static struct numbers_read model_read(enum numbers_kind kind, struct wb_view in)
{
    enum ref_varint_form form = REF_VARINT_QUIC;
    struct ref_varint ref;
    struct numbers_read want = {.is_present = true};

    if (kind == NUMBERS_ONES)
        form = REF_VARINT_ONES;
    if (kind == NUMBERS_ONES_SEVEN)
        form = REF_VARINT_ONES_SEVEN;
    ref = ref_varint_read(form, in);
    want.status = ref.status;
    want.size = ref.size;
    want.value = ref.value;
    if (kind == NUMBERS_U32 && ref.status == WB_OK && ref.value >= UINT64_C(4294967296))
        return (struct numbers_read){.status = WB_E_BOUNDS, .is_present = true};
    if (kind == NUMBERS_OPTIONAL && ref.status == WB_OK) {
        want.is_present = ref.value != 0;
        want.value = ref.value == 0 ? 0 : ref.value - 1;
    }
    return want;
}

static struct numbers_read read_one(enum numbers_kind kind, struct wb_view in)
{
    struct wb_view rest = in;
    struct numbers_read want = model_read(kind, in);
    struct numbers_read got = {.value = UNTOUCHED, .is_present = true};

    got.status = core_read(kind, &rest, &got.value, &got.is_present);
    FUZZ_CHECK(VAR_001, got.status == want.status);
    got.size = in.len - rest.len;
    if (got.status != WB_OK) {
        FUZZ_CHECK(VAR_004, rest.data == in.data);
        FUZZ_CHECK(VAR_004, got.size == 0);
        FUZZ_CHECK(VAR_004, got.value == UNTOUCHED);
        FUZZ_CHECK(VAR_004, got.is_present);
        return got;
    }
    FUZZ_CHECK(VAR_002, got.value == want.value);
    FUZZ_CHECK(VAR_002, got.is_present == want.is_present);
    FUZZ_CHECK(VAR_003, got.size == want.size);
    FUZZ_CHECK(VAR_003, rest.data == in.data + want.size);
    return got;
}

struct numbers_read numbers_check_read(enum numbers_kind kind, struct wb_view in)
{
    struct numbers_read got = read_one(kind, in);

    for (size_t cut = 0; cut < got.size; cut++) {
        struct wb_view part = wb_view_of(in.data, cut);
        uint64_t value = UNTOUCHED;
        bool is_present = true;

        FUZZ_CHECK(VAR_005, core_read(kind, &part, &value, &is_present) == WB_MORE);
        FUZZ_CHECK(VAR_004, part.len == cut && value == UNTOUCHED && is_present);
    }
    return got;
}

static enum wb_err check_put(enum wb_err err, struct wb_buf *buf, struct wb_view want)
{
    if (want.len == 0)
        FUZZ_CHECK(VAR_008, err == WB_E_BOUNDS);
    if (want.len == 0 || err == WB_E_NOMEM)
        FUZZ_CHECK(VAR_008, buf->len == 0);
    else
        FUZZ_CHECK(VAR_007, err == WB_OK && wb_view_equal(wb_buf_view(buf), want));
    wb_buf_fini(buf);
    return err;
}

enum wb_err numbers_check_quic(struct wb_mem *mem, uint64_t value, bool is_optional)
{
    uint8_t want[REF_VARINT_SIZE_MAX] = {0};
    size_t size = 0;
    struct wb_buf buf;

    wb_buf_init(&buf, mem, REF_VARINT_SIZE_MAX);
    if (is_optional) {
        if (value < UINT64_MAX)
            size = ref_varint_write(REF_VARINT_QUIC, value + 1, want);
        return check_put(wb_varint_put_optional(&buf, &value), &buf, wb_view_of(want, size));
    }
    size = ref_varint_write(REF_VARINT_QUIC, value, want);
    FUZZ_CHECK(VAR_006, wb_varint_size(value) == size);
    return check_put(wb_varint_put(&buf, value), &buf, wb_view_of(want, size));
}

static void check_zigzag(uint64_t value)
{
    struct ref_varint_signed want = ref_varint_unzigzag(value);
    int64_t got = wb_unzigzag(value);

    FUZZ_CHECK(VAR_009, (got < 0) == want.is_negative);
    FUZZ_CHECK(VAR_009, (got < 0 ? 0 - (uint64_t)got : (uint64_t)got) == want.magnitude);
    FUZZ_CHECK(VAR_009, wb_zigzag(got) == value);
}

void numbers_check_written(struct wb_mem *mem, uint64_t value)
{
    uint8_t want[REF_VARINT_SIZE_MAX] = {0};
    size_t size = ref_varint_write(REF_VARINT_ONES, value, want);
    struct wb_buf buf;

    FUZZ_CHECK(VAR_006, wb_varint_ones_size(value) == size);
    wb_buf_init(&buf, mem, REF_VARINT_SIZE_MAX);
    (void)check_put(wb_varint_ones_put(&buf, value), &buf, wb_view_of(want, size));
    (void)numbers_check_quic(mem, value, false);
    (void)numbers_check_quic(mem, value, true);
    wb_buf_init(&buf, mem, REF_VARINT_SIZE_MAX);
    (void)check_put(wb_varint_put_optional(&buf, NULL), &buf, wb_view_of("\0", 1));
    check_zigzag(value);
}
