/*
 * quiet.h: what the other files of a side share: checks that are not counted, and failures that
 * are noted and passed over.
 */
#ifndef VET_QUIET_H
#define VET_QUIET_H

#include <stdbool.h>

/* While > 0 nothing is counted. */
extern unsigned vet_quiet;
/* Checks do nothing: what is timed is not theirs. */
extern bool vet_unchecked;

/* Stands in for wb_x_check, which the targets call after every step: its walks are no cost of the
 * core's. The build makes a list of them. */
#define VET_QUIET(check)                                                                           \
    void __real_##check(const void *object);                                                       \
    void __wrap_##check(const void *object);                                                       \
    void __wrap_##check(const void *object)                                                        \
    {                                                                                              \
        vet_quiet++;                                                                               \
        if (!vet_unchecked)                                                                        \
            __real_##check(object);                                                                \
        vet_quiet--;                                                                               \
    }

/* Notes a failed invariant of the current run. */
void vet_failed(const char *id, const char *sentence, const char *file, int line,
                const char *condition);

#endif
