/*
 * side.h: one revision of the core with its targets, as a shared object that `bed vet` loads next
 * to another one. Everything but vet_side() is hidden, so that the two share no name.
 *
 * Plain values cross this line: a side may be built from an older tree, whose structs differ.
 */
#ifndef VET_SIDE_H
#define VET_SIDE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Of this header: both ends must agree on it. */
#define VET_INTERFACE   UINT32_C(0x76657405)
#define VET_WORD_MAX    64
#define VET_COVER_BYTES ((size_t)1 << 19)
#define VET_WRITTEN_MAX 4096
#define VET_MARK_WORDS  8 /* a bit for each of SIM_MARKS_MAX marks */

/* What a run cost, and the word that reports use for it. Counted in the core only, without its
 * x_check functions. */
#define VET_COST_LIST(X)                                                                           \
    X(ALLOCATIONS, "allocations")                                                                  \
    X(ALLOCATED, "bytes-allocated")                                                                \
    X(PEAK, "peak-bytes")                                                                          \
    X(COPIED, "bytes-copied")                                                                      \
    X(COMPARED, "comparisons")                                                                     \
    X(STEPS, "steps")                                                                              \
    X(FRAMES_COPIED, "frames-copied")                                                              \
    X(FRAMES_SHARED, "frames-shared")                                                              \
    X(FRAMES_ASSEMBLED, "frames-assembled")

enum vet_cost {
#define VET_COST_NAME(name, word) VET_##name,
    VET_COST_LIST(VET_COST_NAME)
#undef VET_COST_NAME
        VET_COSTS
};

/* Who reads what a run wrote, and its name as a target. */
#define VET_READER_LIST(X)                                                                         \
    X(ANNOUNCES, "announce_wire")                                                                  \
    X(INGEST, "ingest")

enum vet_reader {
#define VET_READER_NAME(name, target) VET_READS_##name,
    VET_READER_LIST(VET_READER_NAME)
#undef VET_READER_NAME
        VET_READERS
};

enum vet_state { VET_WAITS, VET_RUNS, VET_DONE };

/* What one run did. In shared memory, written as it goes: what a run reached before it died
 * counts. */
struct vet_told {
    uint32_t state;    /* enum vet_state */
    uint32_t failures; /* of invariants; the run goes on after one */
    uint64_t hash, story_hash, lines, ops_live, ops_dead;
    uint64_t cost[VET_COSTS];
    uint64_t marks[VET_MARK_WORDS];
    char outcome[VET_WORD_MAX]; /* name of the status */
    /* Streams that the core wrote: reader, configuration, length in two bytes, low one first, and
     * so many bytes; again and again. */
    uint32_t written_len;
    uint8_t written[VET_WRITTEN_MAX];
    char failed[VET_WORD_MAX]; /* id of the first failure, "" when there is none */
};

struct vet_side {
    uint32_t interface, told_size;    /* VET_INTERFACE, sizeof(struct vet_told) */
    uint32_t version, header, record; /* of the corpus: SIM_VERSION, bytes of a header and record */
    const char *subject;
    size_t (*count)(void);
    /* The i-th target; what its bytes mean: its kind, and the name of an opcode or NULL. */
    const char *(*name)(size_t i);
    uint32_t (*kind)(size_t i);
    const char *(*op)(size_t i, uint8_t opcode);
    /* The text of an invariant, NULL when there is none of that id. */
    const char *(*sentence)(const char *id);
    /* Where a bit is set for each block of the core that is entered, by its address in the file. */
    void (*cover)(uint8_t map[VET_COVER_BYTES]);
    /* Another input of a scenario target in place, its length; 0 for wire targets. */
    size_t (*mutate)(size_t i, uint8_t *bytes, size_t len, size_t max, uint32_t seed);
    /*
     * Runs one input. With `steps` every line of the trace goes there, and between them every
     * number and run of bytes that enters the hash alone; then story and outcome. Returns, unless
     * the core asserts or worse.
     */
    void (*run)(size_t target, const uint8_t *bytes, size_t len, FILE *steps, struct vet_told *out);
    /* Leaves out the core's own checks, which a target calls after every step: for timing. */
    void (*hurry)(void);
    /* The ends of a connection: targets/vet/joint.h. */
    const void *(*ends)(void);
    uint64_t (*layout)(void);
    void (*join)(const void *ends);
    size_t (*relay)(const uint8_t *bytes, size_t len, uint8_t *out, size_t max);
    void (*reader_open)(uint8_t config, FILE *lines);
    void (*reader_push)(const uint8_t *bytes, size_t len);
    void (*reader_end)(void);
};

/* The one symbol that a side exports. */
const struct vet_side *vet_side(void);

#endif
