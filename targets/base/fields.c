/*
 * fields.c: one read of the core and the model's answer, side by side.
 */
#include "targets/base/fields.h"

#include "oracles/ref_wire.h"

#include <inttypes.h>
#include <string.h>

/* What a read gave: a number, or bytes and their count. */
struct got {
    uint64_t value;
    struct wb_view bytes;
};

static const char letters[] = "86BVNKS"; /* in the order of enum ref_wire_kind */

static struct got read_field(struct wb_wire *w, enum ref_wire_kind kind)
{
    struct wb_view bytes;

    switch (kind) {
    case REF_WIRE_U8:
        return (struct got){.value = wb_wire_u8(w)};
    case REF_WIRE_U16:
        return (struct got){.value = wb_wire_u16(w)};
    case REF_WIRE_BOOL:
        return (struct got){.value = wb_wire_bool(w)};
    case REF_WIRE_VARINT:
        return (struct got){.value = wb_wire_varint(w)};
    case REF_WIRE_U32:
        return (struct got){.value = wb_wire_varint_u32(w)};
    case REF_WIRE_BLOCK:
    case REF_WIRE_STRING:
        bytes = kind == REF_WIRE_BLOCK ? wb_wire_block(w) : wb_wire_string(w);
        return (struct got){.value = bytes.len, .bytes = bytes};
    }
    WB_UNREACHABLE();
}

static void tell(struct sim_run *run, enum ref_wire_kind kind, const struct got *got)
{
    sim_run_note(run, got->value);
    if (kind == REF_WIRE_STRING)
        sim_run_story(run, "<%.*s> ", (int)got->bytes.len, (const char *)got->bytes.data);
    else if (kind == REF_WIRE_BLOCK)
        sim_run_story(run, "<%" PRIu64 "> ", got->value);
    else
        sim_run_story(run, "%" PRIu64 " ", got->value);
}

void fields_check(struct sim_run *run, struct wb_wire *w, char letter, struct wb_view body,
                  size_t *offset)
{
    enum ref_wire_kind kind = (enum ref_wire_kind)(strchr(letters, letter) - letters);
    enum wb_err before = w->err;
    struct ref_wire_field want = {.status = before};
    struct got got = read_field(w, kind);

    if (before == WB_OK) {
        want = ref_wire_read(kind, body, *offset);
        FUZZ_CHECK(WIR_001, w->err == want.status);
    }
    FUZZ_CHECK(WIR_003, w->err == want.status);
    if (want.status != WB_OK) {
        FUZZ_CHECK(WIR_003, got.value == 0 && got.bytes.len == 0 && w->left.len == 0);
        return;
    }
    FUZZ_CHECK(WIR_002, got.value == want.value);
    FUZZ_CHECK(WIR_002, got.bytes.len == 0 || got.bytes.data == body.data + want.begin);
    FUZZ_CHECK(WIR_002, w->left.len == body.len - want.end);
    tell(run, kind, &got);
    *offset = want.end;
}
