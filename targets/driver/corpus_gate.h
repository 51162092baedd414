/*
 * corpus_gate.h: what a corpus must be beside passing: entries that print to what they were read
 * from and mostly do something, and together reach all that their target can do wrong. Each
 * function prints why not, ready for a person, and returns true when all is right.
 */
#ifndef DRIVER_CORPUS_GATE_H
#define DRIVER_CORPUS_GATE_H

#include "targets/driver/replay.h"

/* What the files of a target came to together. */
struct corpus_sum {
    struct replay_verdict runs; /* counts alone */
    uint16_t swarm;             /* classes that some entry switches off */
};

/*
 * The inputs of the file as text, and that text as bytes: the same, but for zeros that fill up the
 * last record; and that printed again is the same text.
 */
bool corpus_gate_prints(const struct corpus_file *file, FILE *out);
/* Fewer than half of the ops that ran found nothing to do. */
bool corpus_gate_is_lively(uint64_t live, uint64_t dead);
bool corpus_gate_lives(const struct corpus_file *file, const struct replay_verdict *runs,
                       FILE *out);
/* Adds the file's runs and headers. */
void corpus_gate_add(struct corpus_sum *sum, const struct corpus_file *file,
                     const struct replay_verdict *runs);
/* `where` names the corpus in what is printed. Each mark was reached; */
bool corpus_gate_marks(const struct fuzz_target *target, const struct corpus_sum *sum,
                       const char *where, FILE *out);
/* each op did something; */
bool corpus_gate_ops(const struct fuzz_target *target, const struct corpus_sum *sum,
                     const char *where, FILE *out);
/* each name that an op's argument may have was said by an op that did something: every way to be
 * wrong, every reason, every path (of lists that name kinds; positions are too many); */
bool corpus_gate_choices(const struct fuzz_target *target, const struct corpus_sum *sum,
                         const char *where, FILE *out);
/* each class of ops is switched off somewhere; */
bool corpus_gate_swarm(const struct fuzz_target *target, const struct corpus_sum *sum,
                       const char *where, FILE *out);
/* and where an op has memory refused, some is, in a run of its own. */
bool corpus_gate_refused(const struct fuzz_target *target, const struct corpus_sum *sum,
                         const char *where, FILE *out);

#endif
