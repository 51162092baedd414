/*
 * fields.h: one field of a body read by the core and by the model (WIR-*).
 */
#ifndef BASE_FIELDS_H
#define BASE_FIELDS_H

#include "core/base/wire.h"
#include "targets/fuzz.h"

/*
 * Reads the field of that letter (u8, two bytes, Bool, Varint, 32-bit Number, blocK, String: 8 6 B
 * V N K S), checks it against the model at *offset of `body`, and moves *offset past it when it was
 * read. Told in the story.
 */
void fields_check(struct sim_run *run, struct wb_wire *w, char letter, struct wb_view body,
                  size_t *offset);

#endif
