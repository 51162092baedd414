/*
 * inv.h: invariants. Each has an id for ever, one sentence, and one reporter function of its
 * name, so that engines key findings by invariant. A failed one prints `ASSERTION FAILED: RPL-021
 * sentence`, where, and the last steps, then traps.
 */
#ifndef ORACLES_INV_H
#define ORACLES_INV_H

#include "core/base/base.h"
#include "oracles/inv_list.h"

struct inv_desc {
    const char *id;   /* "RPL-021" */
    const char *text; /* the sentence */
};

/* Every invariant there is, in list order. */
size_t inv_count(void);
const struct inv_desc *inv_at(size_t i);
const struct inv_desc *inv_find(const char *id);

/*
 * What a reporter does besides: the driver sets it to print the trace. Called once, before the
 * trap.
 */
typedef void (*inv_last_words_fn)(void);
void inv_on_failure(inv_last_words_fn last_words);

/* One reporter per invariant: inv_RPL_021(file, line, condition). */
#define INV_DECLARE(area, number, text)                                                            \
    _Noreturn WB_NOINLINE void inv_##area##_##number(const char *file, int line,                   \
                                                     const char *condition);
INV_LIST(INV_DECLARE)
#undef INV_DECLARE

/* FUZZ_CHECK(RPL_021, moved <= 2047). Always on. */
#define FUZZ_CHECK(id, condition) ((condition) ? (void)0 : inv_##id(__FILE__, __LINE__, #condition))

#endif
