/*
 * describe.h: what a target is, for people and for machines, from its own tables.
 */
#ifndef BED_DESCRIBE_H
#define BED_DESCRIBE_H

#include "targets/fuzz.h"

/* One line of the overview. */
void bed_describe_line(const struct fuzz_target *target);
/* A page: property, configurations, profile, knobs, ops by class with their arguments, marks. */
void bed_describe(const struct fuzz_target *target);
/* A JSON object, with the page's tables when `whole`. */
void bed_describe_json(const struct fuzz_target *target, bool whole);
/* A JSON string on stdout. */
void bed_json_text(const char *text);

#endif
