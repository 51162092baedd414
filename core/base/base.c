/*
 * base.c: the end of a run that has shown a bug of ours.
 */
#include "core/base/base.h"

#include <stdio.h>
#include <stdlib.h>

void wb_panic(const char *file, int line, const char *condition)
{
    fprintf(stderr, "ASSERTION FAILED: WB_ASSERT %s:%d %s\n", file, line, condition);
    abort();
}
