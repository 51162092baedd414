/*
 * inv.c: the table of invariants and their reporters, both from INV_LIST.
 */
#include "oracles/inv.h"

#include <stdio.h>
#include <string.h>

static const struct inv_desc inv_table[] = {
#define INV_ROW(area, number, text) {#area "-" #number, text},
    INV_LIST(INV_ROW)
#undef INV_ROW
};

/* Set by the driver, the same in every run. */
static inv_last_words_fn inv_last_words;

size_t inv_count(void)
{
    return sizeof inv_table / sizeof inv_table[0];
}

const struct inv_desc *inv_at(size_t i)
{
    WB_ASSERT(i < inv_count());
    return &inv_table[i];
}

const struct inv_desc *inv_find(const char *id)
{
    for (size_t i = 0; i < inv_count(); i++) {
        if (strcmp(inv_table[i].id, id) == 0)
            return &inv_table[i];
    }
    return NULL;
}

void inv_on_failure(inv_last_words_fn last_words)
{
    inv_last_words = last_words;
}

static WB_NOINLINE void inv_report(const char *id_and_text, const char *file, int line,
                                   const char *condition)
{
    inv_last_words_fn last_words = inv_last_words;

    fflush(stdout);
    fprintf(stderr, "ASSERTION FAILED: %s\n  where: %s:%d %s\n", id_and_text, file, line,
            condition);
    inv_last_words = NULL; /* if printing them fails too, the report above must stand */
    if (last_words != NULL)
        last_words();
    fflush(stderr);
}

/* The trap stands in the reporter itself: it is then the top frame, and no jump can take its place.
 */
#define INV_REPORTER(area, number, text)                                                           \
    void inv_##area##_##number(const char *file, int line, const char *condition)                  \
    {                                                                                              \
        inv_report(#area "-" #number " " text, file, line, condition);                             \
        __builtin_trap();                                                                          \
    }
INV_LIST(INV_REPORTER)
#undef INV_REPORTER
