/*
 * replay.h: running inputs so that a trap is one failed input and not the end of the run. The
 * work happens in a child process; its verdict comes back as values.
 */
#ifndef DRIVER_REPLAY_H
#define DRIVER_REPLAY_H

#include "targets/driver/corpus.h"

enum replay_how {
    REPLAY_ONCE, /* one run: what the minimiser uses */
    REPLAY_FULL  /* twice with equal hashes (BED-003), then with single allocations refused: each of
                    the first 128, 64 more by hash */
};

struct replay_verdict {
    bool failed;
    /* when failed: "RPL-021", "WB_ASSERT core/x.c:12", "asan heap-use-after-free", "ubsan …",
     * "signal 11", "timeout" */
    char id[64];
    char *report; /* when failed: all that the child said, malloc'd; else NULL */
    uint64_t hash;
    enum wb_err outcome;
    uint64_t ops_live, ops_dead, steps_hint;
    uint64_t requests, refused; /* of memory, and how many an op had refused */
    char *story;                /* malloc'd; NULL unless asked for */
    uint64_t marks[SIM_MARKS_MAX];
    uint64_t op_counts[SIM_OPCODES];
    uint32_t choice_counts[SIM_OPCODES][SIM_CHOICES];
};

/*
 * Runs `input` in a child. False when no child could be had (errno tells); true with *out set
 * otherwise.
 */
bool replay_run(const struct fuzz_target *target, struct wb_view input, enum replay_how how,
                bool want_story, struct replay_verdict *out);
void replay_verdict_free(struct replay_verdict *v);
/*
 * Replays every input of a file and holds it against what the file states (expect, story, marks).
 * Returns true when all is as it should be; else prints why, ready for a person, on `out`. Marks
 * and op counts are added to *sum when not NULL.
 */
bool replay_file(const struct corpus_file *file, FILE *out, struct replay_verdict *sum);
/* The same with each input run in that way only. */
bool replay_file_as(const struct corpus_file *file, enum replay_how how, FILE *out,
                    struct replay_verdict *sum);
/* Adds the counts of *v to those of *sum. */
void replay_add(struct replay_verdict *sum, const struct replay_verdict *v);

#endif
