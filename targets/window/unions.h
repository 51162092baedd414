/*
 * unions.h: windows in eight slots beside their models (WIN-*).
 */
#ifndef TARGETS_WINDOW_UNIONS_H
#define TARGETS_WINDOW_UNIONS_H

#include "core/window/window.h"
#include "oracles/ref_window.h"
#include "targets/fuzz.h"

#define UNIONS_SLOTS 8u
#define UNIONS_RAW   256 /* bytes of a LIT that are kept */
#define UNIONS_RUN   32u /* bytes a run */

enum unions_op {
    UNIONS_ADD = SIM_OP_FIRST,
    UNIONS_REMOVE,
    UNIONS_COMB,
    UNIONS_UNION,
    UNIONS_INTERSECT,
    UNIONS_SUBTRACT,
    UNIONS_COPY,
    UNIONS_CLEAR,
    UNIONS_WIDEN,
    UNIONS_TRIM,
    UNIONS_LOOK,
    UNIONS_EQUAL,
    UNIONS_LAWS,
    UNIONS_BOUNDS,
    UNIONS_SEND,
    UNIONS_PUT,
    UNIONS_GET,
    UNIONS_SAY_SUBSCRIBE, /* in the order of enum ref_message */
    UNIONS_SAY_UPDATE,
    UNIONS_SAY_START,
    UNIONS_SAY_END,
    UNIONS_SAY_DROP,
    UNIONS_SAY_FETCH,
    UNIONS_FAIL,
    UNIONS_NAMES
};

#define UNIONS_MARK_LIST(X)                                                                        \
    X(MERGED, "merged")             /* an added range became one with others */                    \
    X(SPLIT, "split")               /* a removed one left a run on both sides */                   \
    X(SPILLED, "spilled")           /* a list moved out of the window */                           \
    X(MERGED_AT_END, "last-merged") /* runs met at the very last group */                          \
    X(INLINE_AGAIN, "inline-again") /* several runs became one at most */                          \
    X(INVERTED, "inverted")         /* a range that ends before it begins */                       \
    X(EMPTY, "empty")               /* an empty one */                                             \
    X(REFUSED, "refused")           /* the allocator said no */                                    \
    X(WIDENED, "widened")           /* frames of a group became the whole of it */                 \
    X(WIDER, "wider-on-the-wire")   /* what came back is more than what was sent */                \
    X(UNSENT, "unsent")             /* an empty range is not written */                            \
    X(BAD_MESSAGE, "bad-message")   /* a body that is refused */                                   \
    X(LARGE, "large")               /* a window of 64 runs or more */                              \
    X(EQUAL, "equal")               /* two windows of several runs are the same */                 \
    X(BAD_NAME, "bad-name")         /* a message that is not written for its names */

enum unions_mark {
#define UNIONS_MARK_ENUM(name, text) UNIONS_MARK_##name,
    UNIONS_MARK_LIST(UNIONS_MARK_ENUM)
#undef UNIONS_MARK_ENUM
};

struct unions {
    struct sim_run *run;
    struct wb_window windows[UNIONS_SLOTS];
    struct ref_window *models[UNIONS_SLOTS], *spare;
    enum wb_err last; /* of the last op that did not end WB_OK */
    uint32_t turn;
    size_t raw_len;
    uint8_t raw[UNIONS_RAW];
    size_t broadcast_len, names_len; /* the track stands behind the broadcast; none: as usual */
    uint8_t names[UNIONS_RAW];
    struct wb_buf buf;
};

/* What an op makes of its slot's window, in the model. */
enum unions_effect {
    UNIONS_NONE,   /* the op changes no window, or the model is full: it is left out */
    UNIONS_REFUSE, /* WB_E_RANGE */
    UNIONS_CHANGE  /* w->spare holds the result */
};
enum unions_effect unions_want(struct unions *w, const struct sim_op *op, size_t step);
/* A comb is several ranges, one after the other; all else is one step. */
size_t unions_steps(const struct sim_op *op);
struct wb_range unions_range(const struct sim_op *op, size_t step);
/* The spare becomes the slot's. */
void unions_settle(struct unions *w, size_t slot);
/* All slots empty; gives the models their storage. */
void unions_init(struct unions *w, struct sim_run *run);

extern const struct sim_ops unions_ops;
extern const char *const unions_marks[];

/* unions.c */
void unions_run(struct sim_run *run, struct wb_view input);
/* Keeps the status for the end of the run. */
void unions_ended(struct unions *w, enum wb_err err);
/* WIN-009: says whether the allocator refused since `refused`. */
bool unions_was_refused(struct unions *w, enum wb_err err, uint64_t refused);

/* unions_check.c */
void unions_check_slot(struct unions *w, size_t slot);
void unions_look(const struct unions *w, size_t slot, struct wb_position at);
void unions_check_memory(const struct unions *w);
/* Run lists alone, whatever the two are. */
bool unions_is_same(const struct wb_window *a, const struct ref_window *model);

/* unions_laws.c, unions_wire.c, unions_say.c */
void unions_laws(struct unions *w, const struct sim_op *op);
void unions_bounds(const struct unions *w, const struct sim_op *op);
void unions_wire(struct unions *w, const struct sim_op *op);
void unions_say(struct unions *w, const struct sim_op *op);
void unions_hear(struct unions *w, const struct sim_op *op);
enum wb_moq_version unions_version(const struct sim_op *op);

/* draw.c: a place for people, such as 3, 2^62.1: a group alone where it begins; returns its length.
 */
#define UNIONS_NAME 48
int unions_name(struct wb_position p, char out[UNIONS_NAME]);
/* The runs as "[0 2) [3.1 .." into the story. */
void unions_tell(struct sim_run *run, const struct ref_window *model);
/* Models on a number line, as comment lines; empty ones are left out. */
void unions_draw_lines(const struct ref_window *const *models, const char *const *names, size_t n,
                       struct wb_buf *out);
/* The windows after the ops of a scenario, by the model alone. */
void unions_draw(struct wb_view input, struct wb_buf *out);

#endif
