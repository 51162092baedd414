/*
 * quick.h: the events that nearly every call meets, by a short way.
 */
#ifndef WB_REPLY_QUICK_H
#define WB_REPLY_QUICK_H

#include "core/reply/conn.h"

/*
 * wb_reply_next inside a reply. Taken here: under a plain line for the next key a value that is
 * wholly there; such a line alone, when its value is to be copied; the caller's bytes filled with a
 * value that is wholly there; the end of a batch. All else is left to wb_reply_long_next.
 */
enum wb_err wb_reply_quick_next(struct wb_reply *r, uint64_t now_ns, struct wb_reply_event *out);

#endif
