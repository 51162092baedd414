/*
 * One complete message body: each field is read or refused as the model says, what does not fit is
 * WB_E_SHORT and never a wait, and the first error stays.
 */
#include "targets/base/fields.h"

/* The fields of the body in order, as fields_check names them. */
static const char *const configs[] = {
    "S a string",      "B a bool", "V a varint",  "N a varint of 32 bits",
    "K a block",       "8 a byte", "6 two bytes", "86BVNKS one of each kind",
    "SSSS four texts", NULL,
};

static void one(struct wb_view input, struct sim_run *run)
{
    size_t config = input.len > 0 ? input.data[0] : 0, offset = 0;
    const char *letter = configs[config + 1 < sizeof(configs) / sizeof(configs[0]) ? config : 0];
    struct wb_view body = wb_view_sub(input, input.len > 0 ? 1 : 0, input.len);
    struct wb_wire w = wb_wire_of(body);
    enum wb_err done;

    if (input.len == 0)
        return;
    for (; *letter != ' '; letter++)
        fields_check(run, &w, *letter, body, &offset);
    done = wb_wire_done(&w);
    if (w.err != WB_OK)
        FUZZ_CHECK(WIR_003, done == w.err);
    else
        FUZZ_CHECK(WIR_004, done == (offset < body.len ? WB_E_LONG : WB_OK));
    sim_run_story(run, "%s", wb_err_name((int)done));
    sim_run_outcome(run, done);
}

FUZZ_TARGET(.kind = FUZZ_WIRE, .property = "a body's fields are read and refused as the model does",
            .one = one, .configs = configs);
