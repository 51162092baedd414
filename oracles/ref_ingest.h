/*
 * ref_ingest.h: a whole stream at once, as what it says: a GROUP header and frames, frames alone,
 * or messages. The second opinion on core/media/ingest.h, core/media/wire.h and
 * core/base/message.h; calls nothing of the core.
 */
#ifndef REF_INGEST_H
#define REF_INGEST_H

#include "core/base/bytes.h"
#include "core/base/err.h"

#define REF_INGEST_TIME_MAX   ((UINT64_C(1) << 62) - 1)
#define REF_INGEST_FRAME_MAX  ((uint64_t)32 << 20)
#define REF_INGEST_HEADER_MAX 27 /* bytes that the fields of GROUP can fill */

enum ref_ingest_mode { REF_INGEST_GROUP, REF_INGEST_FRAMES, REF_INGEST_MESSAGES, REF_INGEST_TYPED };

struct ref_ingest_rules {
    enum ref_ingest_mode mode;
    unsigned draft;       /* 4 to 7: lite-04 to lite-07 */
    uint64_t message_max; /* of a message's body */
};

/* A frame or a message, by its offsets in the stream. */
struct ref_ingest_unit {
    uint64_t number; /* of a frame, or a message's type */
    uint64_t timestamp;
    uint64_t size;
    size_t begin, body, end; /* header [begin, body), what there is of the payload [body, end) */
};

struct ref_ingest {
    /* WB_OK: the stream's end is an end. WB_E_TRUNCATED: it is none. Else the rule that is broken.
     */
    enum wb_err status;
    bool has_header; /* of the group */
    uint64_t subscribe, sequence, first;
    size_t header_end;
    size_t count;  /* whole units, stored as far as there is room */
    bool has_open; /* units[count] begins a payload that the stream's end cuts */
    /* Where a rule is broken: the unit and the field in it begin here, and the byte before `judged`
     * shows it. Of a stream that ends well all are its length. */
    size_t unit, field, judged;
};

/* Stores at most units_max units, the open one included; the rest is not looked at. */
struct ref_ingest ref_ingest_read(const struct ref_ingest_rules *rules, struct wb_view stream,
                                  struct ref_ingest_unit *units, size_t units_max);
/* The group message or frame header as a writer has to put it; returns its size, 0 when it cannot
 * be said. `out` has room for 40 bytes. */
size_t ref_ingest_put_header(unsigned draft, const struct ref_ingest *header, uint8_t *out);
size_t ref_ingest_put_frame(unsigned draft, uint64_t before, const struct ref_ingest_unit *frame,
                            uint8_t *out);
/* What a reset with this code means. */
enum wb_err ref_ingest_reset(uint64_t code);

#endif
