/*
 * ledger_ops.c: the op table of scenarios of the pool alone.
 */
#include "targets/cache/ledger.h"

static const char *const classes[] = {"entry", "account", NULL};
enum { ENTRY, ACCOUNT };

static const char *const knobs[4] = {"capacity"};

#define AMOUNT                                                                                     \
    .arg = SIM_ARG_SIZE, .arg_name = "n", .flags = SIM_ARG_COUNT, .flags_name = "wide",            \
    .ext = SIM_ARG_COUNT, .ext_name = "more"
#define SLOT .uses_slot = true
#define TEXT " n and more * 65536, times 8 for each of wide"

static const struct sim_op_desc ops[] = {
    {LEDGER_NEW, ENTRY, 10, "new", SLOT, .arg = SIM_ARG_SIZE, .arg_name = "overhead",
     .flags = SIM_ARG_MASK, .flags_name = "how", .text = "an entry. how: 8 without a pool"},
    {LEDGER_ENTER, ENTRY, 12, "enter", SLOT, .flags = SIM_ARG_COUNT, .flags_name = "account",
     .text = "at the back of an account's order, as its latest"},
    {LEDGER_CHARGE, ENTRY, 8, "charge", SLOT, AMOUNT, .text = "the entry is billed" TEXT},
    {LEDGER_REFUND, ENTRY, 4, "refund", SLOT, AMOUNT, .text = "less, at most all" TEXT},
    {LEDGER_STAMP, ENTRY, 8, "stamp", SLOT, AMOUNT, .text = "an access at a tick" TEXT},
    {LEDGER_DEMOTE, ENTRY, 4, "demote", SLOT, .text = "the entry is superseded"},
    {LEDGER_PROMOTE, ENTRY, 2, "promote", SLOT, .text = "the entry is the latest again"},
    {LEDGER_CLEAR, ENTRY, 3, "clear", SLOT, .text = "all is given back"},
    {LEDGER_REMOVE, ENTRY, 2, "remove", SLOT, .text = "out of the order, still billed"},

    {LEDGER_WROTE, ACCOUNT, 10, "wrote", SLOT, AMOUNT, .text = "the account wrote" TEXT},
    {LEDGER_SETTLE, ACCOUNT, 12, "settle", SLOT, .arg = SIM_ARG_COUNT, .arg_name = "most",
     .text = "the account settles, and stops after so many victims; 0: never"},
    {LEDGER_ACCRUE, ACCOUNT, 4, "accrue", AMOUNT, .text = "what so much written would owe" TEXT},
    {LEDGER_RESIZE, ACCOUNT, 4, "resize", AMOUNT, .text = "the pool's capacity" TEXT},
};

static const char *const macros[] = {
    "new s0 overhead=256; enter s0; new s1 overhead=256; enter s1; new s2 overhead=256; enter s2",
    "resize n=100; wrote s0 n=1000; settle s0",
    "stamp s0 n=10; stamp s1 n=20; demote s0; demote s1", NULL};

const struct sim_ops ledger_ops = {.classes = classes,
                                   .knobs = knobs,
                                   .ops = ops,
                                   .count = sizeof ops / sizeof *ops,
                                   .macros = macros};

#define MARK_NAME(name, text) text,
const char *const ledger_marks[] = {LEDGER_MARK_LIST(MARK_NAME) NULL};
#undef MARK_NAME
