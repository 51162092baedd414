/*
 * ref_window_wire.h: ranges on the wire and the messages that carry them, field by field from
 * moq-lite 1.5 and windows 2: SUBSCRIBE, its update and answers, FETCH.
 *
 * Versions are numbers, 4 to 7. Integers are QUIC's up to 6 and leading ones from 7.
 */
#ifndef REF_WINDOW_WIRE_H
#define REF_WINDOW_WIRE_H

#include "oracles/ref_window.h"

#define REF_RANGE_FIELDS 4

/* What a put of a range writes. */
struct ref_range_put {
    enum wb_err status; /* WB_OK, WB_E_RANGE, WB_E_BOUNDS */
    size_t count;
    uint64_t fields[REF_RANGE_FIELDS];
};
struct ref_range_put ref_range_put(int version, struct wb_bound start, struct wb_bound end);

bool ref_number_fits(int version, uint64_t value);

/* What a get reads. */
struct ref_range_get {
    enum wb_err status; /* WB_OK, WB_MORE, WB_E_RANGE, WB_E_VALUE */
    size_t size;
    struct wb_bound start, end;
};
struct ref_range_get ref_range_get(int version, struct wb_view in);

/* A body as its fields, all of them of one kind of message. */
enum ref_message { REF_SUBSCRIBE, REF_UPDATE, REF_START, REF_END, REF_DROP, REF_FETCH };

/* Which answer a type number is: WB_E_UNEXPECTED for none, WB_E_VERSION from 7 on. */
enum wb_err ref_answer_kind(int version, uint64_t type, enum ref_message *out);

struct ref_message_get {
    enum wb_err status;
    uint64_t id;
    size_t broadcast, broadcast_len, track, track_len; /* offsets into the body */
    uint8_t priority;
    bool ordered;
    uint64_t max_age_ms;
    struct wb_bound start, end;
    uint64_t group, first, last, code; /* answers; FETCH: group and its frames */
    bool has_last;
};
/* May a message name these? WB_E_STRING, or WB_E_BOUNDS for too many parts; the broadcast first. */
enum wb_err ref_names_status(struct wb_view broadcast, struct wb_view track);
struct ref_message_get ref_message_get(enum ref_message kind, int version, struct wb_view body);

#endif
