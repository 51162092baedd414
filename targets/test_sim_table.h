/*
 * test_sim_table.h: a small op table that has every kind of field, for tests of text and mutation.
 */
#ifndef TEST_SIM_TABLE_H
#define TEST_SIM_TABLE_H

#include "sim/ops.h"

static const char *const table_classes[] = {"net", "mem", "time", NULL};
static const char *const table_knobs[4] = {"geometry", NULL, "pace", NULL};
static const char *const table_sides[] = {"server", "client", "both", NULL};
static const char *const table_macros[] = {"get s0 size=512;hold s0;time ms=150",
                                           "lit s1 \"VA 3\\r\\n\";hold s1 side=both jump=70000",
                                           NULL};
static const struct sim_op_desc table_ops[] = {
    {SIM_OP_LIT, 0, 2, "lit", true, SIM_ARG_NONE, NULL, SIM_ARG_COUNT, "lane", SIM_ARG_COUNT,
     "after", NULL, "raw bytes"},
    {0x10, 0, 6, "get", true, SIM_ARG_SIZE, "size", SIM_ARG_COUNT, "expect", SIM_ARG_NONE, NULL,
     NULL, "asks"},
    {0x11, 0, 4, "hold", true, SIM_ARG_CHOICE, "side", SIM_ARG_NONE, NULL, SIM_ARG_SIZE, "jump",
     table_sides, "holds"},
    {0x20, 1, 2, "no-mem", false, SIM_ARG_COUNT, "n", SIM_ARG_NONE, NULL, SIM_ARG_NONE, NULL, NULL,
     "refuses"},
    {0x30, 2, 4, "time", false, SIM_ARG_TIME, "ms", SIM_ARG_NONE, NULL, SIM_ARG_NONE, NULL, NULL,
     "passes"},
    {0x31, 2, 1, "mask", false, SIM_ARG_MASK, "bits", SIM_ARG_CHOICE, "side", SIM_ARG_MASK, "high",
     table_sides, "flips"}};
static const struct sim_ops table = {.classes = table_classes,
                                     .knobs = table_knobs,
                                     .ops = table_ops,
                                     .count = sizeof(table_ops) / sizeof(table_ops[0]),
                                     .macros = table_macros};

#endif
