/*
 * words.h: what a dictionary for engines takes from tables of the sources.
 *
 *   reply_wire, reply_classic, reply_limits   the codes of core/reply/reply.h; keys and opaques of
 *                                             the requests of targets/reply/shapes.c
 *   announce_wire                             the message types of core/route/announce.h
 *
 * Nothing else that a wire target reads is a table: flags, numbers at their limits and fields of
 * messages are in corpus/NAME.dict alone, and so is all of ingest, whose messages have no types.
 */
#ifndef WORDS_H
#define WORDS_H

#include "core/base/buf.h"

/* The longest word that is written; AFL++ takes no longer one. */
#define WORDS_MAX 128u

/* Appends a line of a dictionary: NAME="BYTES". Errors as wb_buf_add, and half a line may stay. */
WB_MUST_USE enum wb_err words_put(struct wb_buf *out, const char *name, struct wb_view bytes);
/* The same, but nothing where a line before has these bytes. */
WB_MUST_USE enum wb_err words_add(struct wb_buf *out, const char *name, struct wb_view bytes);
/* Appends the words of the target, none twice; of one without a table none. Errors as above. */
WB_MUST_USE enum wb_err words_of(const char *target, struct wb_buf *out);

/* The shortest body of `size` equal bytes that is whole for that type of an announce stream, to a
   draft 6 or 7; false when none up to WORDS_MAX is. */
bool words_body(unsigned draft, uint8_t type, uint8_t byte, size_t *out_size);

/* Tables by target, for words_of; `family` is SHAPES_META or another of targets/reply/shapes.h. */
WB_MUST_USE enum wb_err words_reply(unsigned family, struct wb_buf *out);
WB_MUST_USE enum wb_err words_announce(struct wb_buf *out);

#endif
