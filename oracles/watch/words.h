/*
 * words.h: records and system calls in words.
 */
#ifndef WATCH_WORDS_H
#define WATCH_WORDS_H

#include "oracles/watch/event.h"

#include <stddef.h>

/* The name of a system call of this machine; NULL when it has none. */
const char *words_call(uint64_t number);
/* The same, or "call 999", valid until the next such call. */
const char *words_call_any(uint64_t number);
/* Writes one record without its process, cut off where it does not fit. */
void words_event(const struct watch_event *e, char *out, size_t size);

#endif
