/*
 * shrink.h: the minimiser. It keeps what fails with the very same invariant, so that it cannot slip
 * to another bug, and tries the same candidates in the same order each time: the result is a
 * function of input and bound.
 */
#ifndef BED_SHRINK_H
#define BED_SHRINK_H

#include "targets/driver/replay.h"

#define BED_SHRINK_ATTEMPTS 4000
#define BED_SHRINK_SEEN     16384

/* Another question than how it fails: true when these bytes still show what is looked for. */
typedef bool (*bed_shrink_same_fn)(void *context, struct wb_view input);

struct bed_shrink {
    const struct fuzz_target *target;
    bed_shrink_same_fn same; /* NULL: the failure `id` is looked for */
    void *context;
    enum replay_how how; /* ONCE where one run shows the failure, else FULL */
    char id[64];         /* of the failure, from the first run */
    uint8_t *best;       /* the smallest input so far that fails so */
    size_t len, capacity;
    uint8_t *candidate; /* room for one more input */
    uint64_t attempts, attempts_max;
    bool live; /* progress on stderr */
    size_t seen_count;
    uint64_t seen[BED_SHRINK_SEEN]; /* hashes of what was tried */
};

enum bed_shrink_start {
    BED_SHRINK_FAILS, /* *out is ready */
    BED_SHRINK_PASSES,
    BED_SHRINK_CANNOT /* no child could be had, after a message */
};

/* Runs the input and notes how it fails. Whatever it returns, bed_shrink_free takes *out back. */
enum bed_shrink_start bed_shrink_new(const struct fuzz_target *target, struct wb_view input,
                                     uint64_t attempts_max, bool live, struct bed_shrink **out);
/* The same for the first input of the file that fails; PASSES when none does. */
enum bed_shrink_start bed_shrink_first(const struct corpus_file *file, uint64_t attempts_max,
                                       struct bed_shrink **out);
/* The same for what `same` says of the input and of smaller ones; `label` stands in for the id. */
struct bed_shrink *bed_shrink_judged(const struct fuzz_target *target, struct wb_view input,
                                     uint64_t attempts_max, bool live, const char *label,
                                     bed_shrink_same_fn same, void *context);
void bed_shrink_free(struct bed_shrink *s);
/* Makes the input smaller until nothing helps or the attempts are used up. */
void bed_shrink_run(struct bed_shrink *s);
/* The best input and how it fails, for messages; the caller gives the verdict back. False after a
 * message. */
bool bed_shrink_verdict(const struct bed_shrink *s, struct replay_verdict *out);

/* ---- for the files that know a kind of input ---- */

/* True when the first `len` bytes of s->candidate fail the same way: then they are the best. */
bool bed_shrink_try(struct bed_shrink *s, size_t len);
/* Copies the best input to the candidate, for changing bytes in place. */
void bed_shrink_copy(struct bed_shrink *s);
/*
 * Cuts the input from `begin` on into pieces: ends[i] is the offset just after piece i. Returns how
 * many, at most max.
 */
typedef size_t (*bed_shrink_cut_fn)(struct wb_view input, size_t *ends, size_t max);
/* Removes runs of pieces, long runs first, later ones first. True when something went. */
bool bed_shrink_pieces(struct bed_shrink *s, size_t begin, bed_shrink_cut_fn cut);
/* Lowers the little-endian number of `size` bytes (1 to 3) at `offset`, `shift` bits into it and
 * `mask` wide. */
bool bed_shrink_number(struct bed_shrink *s, size_t offset, size_t size, unsigned shift,
                       uint32_t mask);
/* Turns the bytes of [begin, end) into plain ones, '0' or a blank. */
bool bed_shrink_plain(struct bed_shrink *s, size_t begin, size_t end);
/* One round over a scenario or wire input. True when something changed. */
bool bed_shrink_scenario(struct bed_shrink *s);
bool bed_shrink_wire(struct bed_shrink *s);

#endif
