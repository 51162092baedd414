/*
 * usual.h: units of the usual form, which are to be taken without a search for their line's end
 * (RPL-050): "VA size [kKEY]" and "VALUE KEY number size" under the key that is next, "MN", "END",
 * with the whole line there at the first look.
 */
#ifndef REPLY_USUAL_H
#define REPLY_USUAL_H

#include "oracles/ref_reply.h"

/* Of the reply being read. */
struct usual {
    size_t next;      /* the key that is next */
    bool is_lost;     /* a key was passed over: which one is next is not followed */
    bool is_tried;    /* a part of the unit that is next was there at an earlier look */
    bool is_due;      /* this look must search nothing */
    size_t pending;   /* bytes there at this look */
    uint64_t scanned; /* bytes searched before it */
};

/* A unit by the model, the bytes of its line, and how its reply is read. */
struct usual_unit {
    const struct ref_reply_unit *unit;
    struct wb_view line;
    const struct wb_reply_shape *shape;
    enum wb_reply_values values;
};

void usual_start(struct usual *u);
/* Before an event is asked for at `s`; `next` is the unit that begins there, or NULL. */
void usual_look(struct usual *u, const struct usual_unit *next, const struct wb_reply_stats *s);
/* After it, when no unit came or one did: false when bytes were searched that need not be. */
bool usual_looked(struct usual *u, const struct wb_reply_stats *s, bool has_unit);
/* This unit was delivered. */
void usual_took(struct usual *u, const struct usual_unit *unit);

#endif
