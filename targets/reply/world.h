/*
 * world.h: a client with two connections and a simulated memcached, on virtual time.
 *
 *   world.c    ops, events, the two phases
 *   request.c  the requests a client sends, as bytes and shapes
 *   server.c   what the server answers, and how it goes wrong
 *   classic.c  the lines that answer classic commands
 *   client.c   the subject on its streams: every want is carried out, with the faults asked for
 *   judge.c    the model and the invariants
 *   world_show.c  what a person who reads a trace sees besides
 *
 * The server's stream is what counts: the judge parses it with oracles/ref_reply and holds every
 * unit, end and state against it.
 */
#ifndef REPLY_WORLD_H
#define REPLY_WORLD_H

#include "oracles/inv.h"
#include "targets/reply/world_state.h"

enum world_event {
    WORLD_EVENT_CLIENT,
    WORLD_EVENT_SERVER,
    WORLD_EVENT_DEADLINE,
    WORLD_EVENT_RELEASE
};

struct world_pen;

extern const struct sim_ops world_ops;
extern const char *const world_marks[], *const world_profiles[], *const world_knob_texts[];

/* world.c: runs a whole scenario, both phases and the end checks. */
void world_run(struct sim_run *run, struct wb_view input);
/* Schedules the client or the server of a connection when its stream has, or will have, news. */
void world_poke_client(struct world *w, struct world_conn *c);
/* Only what is still to arrive: nothing is ready now. */
void world_await_client(struct world *w, struct world_conn *c);
void world_poke_server(struct world *w, struct world_conn *c);
/* Virtual time passes, and with it all that is due by then. */
void world_pass(struct world *w, uint64_t until_ns);
/* One more step of work; more than the ops so far may cost are BED-004. */
void world_step(struct world *w);

/* world_apply.c: carries one op out; false when it does nothing here. */
bool world_apply(struct world *w, const struct sim_op *op);

/* request.c: builds the request that an op asks for; views point into the connection's own area. */
void world_request_build(struct world *w, struct world_conn *c, const struct sim_op *op,
                         enum world_kind kind, struct world_request *out);
/* Made of several commands or keys, or answered by several lines: its op has a count and a size. */
bool world_request_is_many(enum world_kind kind);

/* server.c */
void world_server_run(struct world *w, struct world_conn *c);
void world_server_release(struct world *w, struct world_conn *c);
/* Writes what window and holding allow. */
void world_server_flush(struct world *w, struct world_conn *c);
/* Raw bytes, past everything that is held. */
void world_server_raw(struct world *w, struct world_conn *c, struct wb_view bytes);
/* What is said of a value's size. */
uint64_t world_server_stated(uint64_t size, enum world_wrong wrong);
/* The first n bytes of the value of `size` bytes that command `index` of request `serial` has; n is
 * the size, or whole words of it. */
void world_value(uint32_t serial, uint32_t index, size_t size, uint8_t *out, size_t n);

/* classic.c */
bool world_classic_is(enum world_kind kind);
/* get or gets: a value a hit, and nothing a miss. */
bool world_classic_is_get(enum world_kind kind);
/* The line, without its end, that answers command, key or number `index` of a classic request. */
void world_classic_line(struct world_pen *pen, const struct world_request *job, uint32_t index,
                        enum world_wrong wrong);

/* client.c */
bool world_client_open(struct world *w, struct world_conn *c);
void world_client_close(struct world *w, struct world_conn *c);
/* Carries out wants until the client parks, or has nothing to do. */
void world_client_run(struct world *w, struct world_conn *c);
bool world_client_request(struct world *w, struct world_conn *c, const struct sim_op *op,
                          enum world_kind kind);
bool world_client_abandon(struct world *w, struct world_conn *c);
/* A slow consumer takes one event, or lets the transport go on to the next. */
void world_client_pull(struct world *w, struct world_conn *c);
/* Wakes a parked client: `mask` is what its scheduler says, `ready` what the socket does. */
void world_client_wake(struct world *w, struct world_conn *c, unsigned mask, unsigned ready);
/* What a zero-timeout poll of the socket says now. */
unsigned world_client_ready(const struct world *w, const struct world_conn *c);

/* judge.c: before and after each call of the subject, and at each event. */
/* Of the default profile. */
void world_judge_profile(const struct wb_reply_profile *p);
void world_judge_open(struct world *w, struct world_conn *c);
void world_judge_before(struct world *w, struct world_conn *c);
void world_judge_after(struct world *w, struct world_conn *c);
void world_judge_request(struct world *w, struct world_conn *c, enum wb_err err, bool busy,
                         bool expect);
void world_judge_want(struct world *w, struct world_conn *c, const struct wb_reply_want *want);
void world_judge_told(struct world *w, struct world_conn *c, const struct subject_told *told);
/* Around a call that asks for an event; `has_unit`: one came. */
void world_judge_look(struct world *w, struct world_conn *c);
void world_judge_looked(struct world *w, struct world_conn *c, bool has_unit);
void world_judge_unit(struct world *w, struct world_conn *c, const struct wb_reply_event *event);
void world_judge_end(struct world *w, struct world_conn *c, const struct wb_reply_event *event);
void world_judge_abandoned(struct world *w, struct world_conn *c, enum wb_reply_state state);
/* The state changed since the call before. */
void world_judge_state(struct world *w, struct world_conn *c, enum wb_reply_state before);
/* Parses the reply in progress in the stream up to `len`; false when there is none. */
bool world_judge_parse(struct world *w, struct world_conn *c, size_t len);
/* All units of the reply in progress were delivered. */
bool world_judge_is_over(struct world *w, struct world_conn *c);
/* When nothing is scheduled any more. */
void world_judge_quiet(struct world *w, struct world_conn *c);

/* world_show.c: more lines for people while a trace is read live; a run is the same without. */
static inline bool world_is_shown(const struct world *w)
{
    return w->run->trace.live != NULL;
}
void world_show(const struct world *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The first bytes of what the line before told of. */
void world_show_bytes(const struct world *w, const struct world_conn *c, struct wb_view bytes);
/* What a call threw away, and what lies in the buffer after it when that is another count. */
void world_show_counts(const struct world *w, const struct world_conn *c, uint64_t dropped,
                       size_t pending_before);

/* areas.c: the static world's byte areas, per connection. */
uint8_t *world_area_up(uint32_t id);
uint8_t *world_area_down(uint32_t id);
uint8_t *world_area_out(uint32_t id);
uint8_t *world_area_space(uint32_t id);
uint8_t *world_area_request(uint32_t id);
uint8_t *world_area_key(uint32_t id, uint32_t i);
struct wb_view *world_area_keys(uint32_t id);

/* request.c: small writers of text, for requests and answers. */
struct world_pen {
    uint8_t *at; /* the caller has made room */
};
void world_pen_text(struct world_pen *p, const char *text);
void world_pen_bytes(struct world_pen *p, const uint8_t *bytes, size_t n);
void world_pen_number(struct world_pen *p, uint64_t value);
/* The last `digits` digits, zeros in front. */
void world_pen_fixed(struct world_pen *p, uint32_t value, int digits);
/* "oo0012": the serial behind as many bytes as make it `len`. */
void world_pen_opaque(struct world_pen *p, uint32_t serial, size_t len);
/* "k0012-003": serial and index in fixed width, so that all commands of a request are equally long.
 */
void world_pen_key(struct world_pen *p, uint32_t serial, uint32_t index);

#endif
