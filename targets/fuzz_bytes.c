/*
 * Slices in sixteen slots and a buffer: after every step references equal holders, bytes are the
 * model's, and live memory is exactly what is held, whatever the allocator refuses.
 */
#include "targets/base/holders.h"

static const char *const classes[] = {"slice", "buffer", "fault", NULL};
static const char *const knobs[4] = {"max"};
static const char *const marks[] = {"shared", "outlived", "refused", "moved", "full", NULL};

enum { SLICE, BUFFER, FAULT };

/* An op that takes slot `from` and puts its result into its own slot. */
#define FROM              .uses_slot = true, .flags = SIM_ARG_COUNT, .flags_name = "from"
#define ARG(kind_, name_) .arg = kind_, .arg_name = name_

static const struct sim_op_desc descs[] = {
    {HOLDERS_NEW, SLICE, 4, "new", .uses_slot = true, ARG(SIM_ARG_SIZE, "size"),
     .text = "fresh bytes"},
    {HOLDERS_COPY, SLICE, 2, "copy", FROM, .text = "the same bytes in a segment of their own"},
    {HOLDERS_SHARE, SLICE, 4, "share", FROM, .text = "one more holder"},
    {HOLDERS_SUB, SLICE, 4, "sub", FROM, ARG(SIM_ARG_SIZE, "begin"), .ext = SIM_ARG_SIZE,
     .ext_name = "cut", .text = "one more holder of a part: from begin, without the last `cut`"},
    {HOLDERS_MOVE, SLICE, 2, "move", FROM, .text = "the reference changes its slot"},
    {HOLDERS_DROP, SLICE, 4, "drop", .uses_slot = true, .text = "the reference is given back"},
    {HOLDERS_EQUAL, SLICE, 1, "equal", FROM, .text = "two slots are compared"},
    {HOLDERS_ADD, BUFFER, 3, "add", .uses_slot = true, .text = "the slot's bytes are appended"},
    {HOLDERS_BYTE, BUFFER, 1, "byte", ARG(SIM_ARG_COUNT, "value"), .text = "one byte is appended"},
    {HOLDERS_RESERVE, BUFFER, 2, "reserve", ARG(SIM_ARG_SIZE, "size"), .text = "room is made"},
    {HOLDERS_TRUNCATE, BUFFER, 2, "truncate", ARG(SIM_ARG_SIZE, "size"),
     .text = "the tail is dropped"},
    {HOLDERS_CLEAR, BUFFER, 1, "clear", .text = "the storage is given back"},
    {HOLDERS_FAIL, FAULT, 1, "fail", ARG(SIM_ARG_COUNT, "nth"),
     .text = "the nth allocation from here is refused"},
};

static const char *const macros[] = {
    "new s0 size=32\nshare s1 from=0\ndrop s0\n",
    "fail nth=1\nadd s0\nadd s0\n",
    NULL,
};

static const struct sim_ops ops = {.classes = classes,
                                   .knobs = knobs,
                                   .ops = descs,
                                   .count = sizeof(descs) / sizeof(descs[0]),
                                   .macros = macros};

static void one(struct wb_view input, struct sim_run *run)
{
    struct sim_scenario scenario = sim_scenario_of(input);
    struct holders world;
    struct sim_op op;

    holders_init(&world, run, (size_t)scenario.header.knob[0] * 16);
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&ops, run, &scenario.header, &op) == NULL)
            continue;
        holders_do(&world, &op);
        holders_check(&world);
    }
    holders_fini(&world);
}

static const char *const profiles[] = {FUZZ_UNUSED, NULL};
static const char *const knob_texts[] = {"max: of the buffer, in 16 bytes; 0 = 4096 bytes", NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "references equal holders, live memory is what is held", .one = one,
            .ops = &ops, .marks = marks, .profiles = profiles, .knobs = knob_texts);
