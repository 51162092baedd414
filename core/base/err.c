/*
 * err.c: the status by name and in words.
 */
#include "core/base/err.h"

#include <string.h>

static const struct {
    const char *name;
    const char *text;
} rules[] = {
#define WB_ERR_RULE(member, sentence) [member] = {#member, sentence},
    WB_ERR_LIST(WB_ERR_RULE)
#undef WB_ERR_RULE
};

_Static_assert(sizeof(rules) / sizeof(rules[0]) == WB_ERR_COUNT, "each status has its rule");

const char *wb_err_name(int err)
{
    if (err < 0 || err >= WB_ERR_COUNT)
        return "WB_E_?";
    return rules[err].name;
}

const char *wb_err_text(int err)
{
    if (err < 0 || err >= WB_ERR_COUNT)
        return "an unknown status";
    return rules[err].text;
}

int wb_err_find(const char *name)
{
    for (int i = 0; i < WB_ERR_COUNT; i++)
        if (strcmp(rules[i].name, name) == 0)
            return i;
    return -1;
}
