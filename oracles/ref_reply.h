/*
 * ref_reply.h: memcached meta replies, parsed whole and at once from the grammar. The second
 * opinion on core/reply: slow, obvious, and calls nothing of the core.
 */
#ifndef REF_REPLY_H
#define REF_REPLY_H

#include "core/reply/reply.h"

/* One unit by its offsets in the stream. */
struct ref_reply_unit {
    enum wb_reply_code code;
    size_t begin, line_end; /* the line without CR LF */
    /* up to line_end; what stands after the code or length, without the spaces before it */
    size_t flags_begin;
    bool has_value;
    size_t value_begin, value_len;
    size_t end; /* just after the unit's last CR LF */
};

struct ref_reply_result {
    /*
     * WB_OK: complete, `end` is the boundary. WB_MORE: cut short after `units` whole units.
     * WB_E_ERROR and WB_E_CLIENT_ERROR: the last unit is that error line; over. Else: the rule
     * that the unit after the last one breaks.
     */
    enum wb_err status;
    /* whole units before the end or the breach, all counted though at most units_max are stored */
    size_t units;
    size_t end; /* offset just after the last whole unit */
};

/*
 * Parses the reply of one request from the start of `stream`. A line is judged once its LF is
 * there, or at its 2048th byte without one; the two bytes after a block are judged one by one.
 */
struct ref_reply_result ref_reply_parse(struct wb_view stream, const struct wb_reply_shape *shape,
                                        uint64_t value_max, struct ref_reply_unit *units,
                                        size_t units_max);

#endif
