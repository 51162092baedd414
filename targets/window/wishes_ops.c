/*
 * wishes_ops.c: the op table of scenarios of a track's demand.
 */
#include "targets/window/places.h"
#include "targets/window/wishes.h"

static const char *const classes[] = {"say", "join", "leave", "look", "owner", "fault", NULL};
enum { SAY, JOIN, LEAVE, LOOK, OWNER, FAULT };

#define SLOT .uses_slot = true

static const struct sim_op_desc ops[] = {
    {WISHES_SPAN, SAY, 6, "span", SLOT, PLACES_RANGE, .text = "a range more to ask for"},
    {WISHES_ONLY, SAY, 12, "only", SLOT, PLACES_RANGE, .text = "one range to ask for"},
    {WISHES_HOLE, SAY, 3, "hole", SLOT, PLACES_RANGE, .text = "a range not to ask for"},
    {WISHES_SAME, SAY, 4, "same", SLOT, .flags = SIM_ARG_COUNT, .flags_name = "as",
     .text = "what another slot would ask for"},
    {WISHES_WISH, SAY, 6, "wish", SLOT, .arg = SIM_ARG_COUNT, .arg_name = "priority",
     .flags = SIM_ARG_MASK, .flags_name = "how", .ext = SIM_ARG_TIME, .ext_name = "age",
     .text = "how: 1 ordered, 2 from the live edge; age in ms, 16777215: any"},
    {WISHES_JOIN, JOIN, 14, "join", SLOT, .text = "joins with what it said"},
    {WISHES_OWN, OWNER, 6, "own", SLOT, .text = "joins as a subscription that asks for the ranges"},
    {WISHES_UPDATE, JOIN, 8, "update", SLOT, .text = "asks for what it said since"},
    {WISHES_LEAVE, LEAVE, 10, "leave", SLOT,
     .text = "leaves; a subscription just goes, and its memory with it"},
    {WISHES_AGAIN, LEAVE, 3, "again", SLOT, .text = "leaves and joins as it was, twice"},
    {WISHES_VISIT, LEAVE, 2, "visit", SLOT, .text = "the same, seen in between"},
    {WISHES_OBSERVE, LOOK, 10, "observe", .text = "has it changed?"},
    {WISHES_LOOK, LOOK, 3, "look", PLACES_AT, .text = "what is asked for at a place and after"},
    {WISHES_AGE, LOOK, 1, "age", .ext = SIM_ARG_TIME, .ext_name = "ms",
     .text = "the age to ask of a publisher that keeps so much"},
    {WISHES_FAIL, FAULT, 1, "fail", .arg = SIM_ARG_COUNT, .arg_name = "nth",
     .text = "the nth allocation from here is refused"},
};

static const char *const macros[] = {
    "only s0 from=1.0 to=2.0; join s0; observe; leave s0; observe",
    "only s0 to=2.0; own s0; same s1 as=0; join s1; leave s0; observe",
    "span s0 from=1.0 to=2.0; span s0 from=3.0; update s0; observe", NULL};

const struct sim_ops wishes_ops = {.classes = classes,
                                   .knobs = NULL,
                                   .ops = ops,
                                   .count = sizeof ops / sizeof *ops,
                                   .macros = macros};

#define MARK_NAME(name, text) text,
const char *const wishes_marks[] = {WISHES_MARK_LIST(MARK_NAME) NULL};
#undef MARK_NAME
