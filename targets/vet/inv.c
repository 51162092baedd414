/*
 * inv.c: the reporters of a side. A failed invariant is noted and the run goes on, so that one that
 * speaks of a cost does not hide what comes after it; the first is the verdict. Takes the place of
 * oracles/inv.c in the link.
 */
#include "oracles/inv.h"
#include "targets/vet/quiet.h"

#include <string.h>

static const struct inv_desc inv_table[] = {
#define INV_ROW(area, number, text) {#area "-" #number, text},
    INV_LIST(INV_ROW)
#undef INV_ROW
};

size_t inv_count(void)
{
    return sizeof(inv_table) / sizeof(inv_table[0]);
}

const struct inv_desc *inv_at(size_t i)
{
    WB_ASSERT(i < inv_count());
    return &inv_table[i];
}

const struct inv_desc *inv_find(const char *id)
{
    for (size_t i = 0; i < inv_count(); i++)
        if (strcmp(inv_table[i].id, id) == 0)
            return &inv_table[i];
    return NULL;
}

void inv_on_failure(inv_last_words_fn last_words)
{
    (void)last_words; /* every line is told as it comes */
}

#define INV_REPORTER(area, number, text)                                                           \
    void inv_##area##_##number(const char *file, int line, const char *condition)                  \
    {                                                                                              \
        vet_failed(#area "-" #number, text, file, line, condition);                                \
    }
INV_LIST(INV_REPORTER)
#undef INV_REPORTER
