/*
 * subscribe_wire.h: the messages that carry ranges: SUBSCRIBE, its update and its answers, FETCH.
 * Get takes the body of a complete message, which it must fill exactly; put writes size and body.
 *
 * Errors of get: WB_E_SHORT, WB_E_LONG, WB_E_VALUE for an integer form and for a frame
 * without its group (see wb_range_get), WB_E_RANGE for an end before its start, WB_E_STRING
 * and WB_E_BOUNDS for a path. Errors of put: WB_E_VERSION for what the version cannot say,
 * WB_E_RANGE for an empty or inverted range, WB_E_STRING for a path or a track that is not UTF-8,
 * WB_E_BOUNDS for a path of over 32 parts and for a number that does not fit its form, WB_E_NOMEM.
 * Both leave their output as it was.
 *
 * Source: moq-lite, messages field by field.
 */
#ifndef WB_SUBSCRIBE_WIRE_H
#define WB_SUBSCRIBE_WIRE_H

#include "core/window/window.h"

/* The wire's part of a wish: ages in milliseconds, the range as window.h has it. */
struct wb_wire_wish {
    uint8_t priority;
    bool ordered; /* any byte but 0 */
    uint64_t max_age_ms;
    struct wb_bound start, end;
};

/* The path is as it came, one that wb_path_measure accepts; both are borrowed. */
struct wb_subscribe {
    uint64_t id;
    struct wb_view broadcast, track;
    struct wb_wire_wish wish;
};

WB_MUST_USE enum wb_err wb_subscribe_get(enum wb_moq_version version, struct wb_view body,
                                         struct wb_subscribe *out);
WB_MUST_USE enum wb_err wb_subscribe_put(enum wb_moq_version version, struct wb_buf *out,
                                         const struct wb_subscribe *message);
WB_MUST_USE enum wb_err wb_subscribe_update_get(enum wb_moq_version version, struct wb_view body,
                                                struct wb_wire_wish *out);
WB_MUST_USE enum wb_err wb_subscribe_update_put(enum wb_moq_version version, struct wb_buf *out,
                                                const struct wb_wire_wish *wish);

/*
 * Answers are typed. START and END from lite-05 on (before them the type 0 is OK, which is not
 * here: WB_E_VERSION), DROP is type 1 before and 2 after. A type that is none of these is
 * WB_E_UNEXPECTED. lite-06 has the short START, the group alone, as lite-05: the draft's later
 * editions put the largest position behind it, and take the byte `ordered` out of SUBSCRIBE;
 * neither is here, and such a START is WB_E_LONG. lite-07 has no DROP, and its START and END carry
 * more, which is not here: WB_E_VERSION both ways.
 */
enum wb_answer_type { WB_ANSWER_START, WB_ANSWER_END, WB_ANSWER_DROP };

struct wb_answer {
    enum wb_answer_type type;
    uint64_t group;       /* START: the first one; END: the boundary, 0 = there never was one */
    uint64_t first, last; /* DROP: groups, both inside */
    uint64_t code;        /* DROP */
};

WB_MUST_USE enum wb_err wb_answer_get(enum wb_moq_version version, uint64_t type,
                                      struct wb_view body, struct wb_answer *out);
/* Type, size and body. WB_E_RANGE for a DROP whose last is before its first, both ways. */
WB_MUST_USE enum wb_err wb_answer_put(enum wb_moq_version version, struct wb_buf *out,
                                      const struct wb_answer *answer);

/* One group, from lite-06 on a part of it. From lite-05 on: WB_E_VERSION before. */
struct wb_fetch {
    struct wb_view broadcast, track;
    uint8_t priority;
    uint64_t group;
    uint64_t first_frame;
    bool has_last; /* false: to the last one there is */
    uint64_t last_frame;
};

WB_MUST_USE enum wb_err wb_fetch_get(enum wb_moq_version version, struct wb_view body,
                                     struct wb_fetch *out);
/* WB_E_VERSION for a part before lite-06; a last frame before the first is WB_E_RANGE, both ways.
 */
WB_MUST_USE enum wb_err wb_fetch_put(enum wb_moq_version version, struct wb_buf *out,
                                     const struct wb_fetch *message);

#endif
