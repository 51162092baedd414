/*
 * scenario.h: the bytes of a scenario as ops. Every byte string is a scenario; the empty one is the
 * happy path.
 *
 *   offset 0  format version: 0 or unknown = current
 *   offset 1  profile
 *   offset 2  swarm mask, 16 bits little endian: a set bit switches its class of ops off
 *   offset 4  four knobs
 *   offset 8  records of 4 bytes: opcode, slot, two argument bytes (lo, hi)
 *
 * Version 1 is frozen, records of 4 bytes included (ci/bench/README.md, Mutator): its bytes keep
 * their meaning, and another layout is another version.
 *
 * A short header or record is filled up with zeros. EXT lends its three bytes to the next op. LIT
 * is an op whose argument n says that the next n bytes, filled up to whole records, are raw and its
 * own; an input that ends early gives fewer.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "core/base/bytes.h"

#define SIM_HEADER      8
#define SIM_FIELDS      4 /* bytes of a record that mean something */
#define SIM_SLOTS       16
#define SIM_VERSION     1
#define SIM_RECORDS_MAX 4096 /* what comes after is not run */

/* Only ci/bench/mutator.sh builds with larger records: what lies behind the fields is ignored, and
 * zero where a record is made. */
#ifndef SIM_RECORD
#define SIM_RECORD SIM_FIELDS
#endif

/* The opcodes that all targets share. 0 does nothing, on purpose: zeros are the simplest scenario.
 */
enum { SIM_OP_NOP = 0x00, SIM_OP_EXT = 0x01, SIM_OP_LIT = 0x02, SIM_OP_FIRST = 0x08 };

struct sim_header {
    uint8_t version; /* as stored; SIM_VERSION when 0 or unknown */
    uint8_t profile;
    uint16_t swarm;
    uint8_t knob[4];
};

struct sim_op {
    uint8_t opcode;
    uint8_t slot;       /* 0 to 15: the low half of the byte. Stable, never "modulo live" */
    uint8_t flags;      /* the high half of the slot byte, 0 to 15 */
    uint16_t arg;       /* lo | hi << 8 */
    uint32_t ext;       /* 24 bits from an EXT record right before, else 0 */
    struct wb_view lit; /* raw bytes of LIT, else empty */
    size_t record; /* index of the op's first record (its EXT if there is one), for messages and
                      tools */
};

struct sim_scenario {
    struct sim_header header;
    struct wb_view rest; /* records not yet decoded */
    size_t record;
};

/* Reads the header. Never fails. */
struct sim_scenario sim_scenario_of(struct wb_view bytes);
/*
 * The next op; false at the end. Of several EXT in a row the last one counts, one with no op after
 * it is nothing. Ops whose class is switched off are the caller's to skip (sim_ops_enter).
 */
bool sim_scenario_next(struct sim_scenario *s, struct sim_op *out);
/* As much of `bytes` as the ops that are run consist of. */
struct wb_view sim_scenario_run(struct wb_view bytes);

#endif
