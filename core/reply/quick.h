/*
 * quick.h: the unit that nearly every call meets, taken at once.
 */
#ifndef WB_REPLY_QUICK_H
#define WB_REPLY_QUICK_H

#include "core/reply/conn.h"

/*
 * True with the next unit in *out, taken: a value wholly in the buffer, to be handed out in place,
 * under a plain line for the next key. Else nothing has changed, and intake.c is to judge.
 */
bool wb_reply_quick_pull(struct wb_reply *r, struct wb_reply_event *out);

#endif
