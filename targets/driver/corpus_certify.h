/*
 * corpus_certify.h: what the runs of a corpus file came to, as text that is the same whatever built
 * the program and wherever its memory lies. Two builds whose texts differ depend on more than the
 * input.
 */
#ifndef DRIVER_CORPUS_CERTIFY_H
#define DRIVER_CORPUS_CERTIFY_H

#include "targets/driver/corpus.h"

/*
 * Runs each input of the file in this process, and appends a line for each: trace hash, outcome,
 * ops that did something and that did not, path, and the configuration or -. A failed check ends
 * the program, as in a fuzzer. False when memory for the text ran out.
 */
bool corpus_certify(const struct corpus_file *file, struct wb_buf *out);
/*
 * Lines that stand in one text and not in the other, in order; both are in the order of paths.
 * Prints the first few on `out` with the names, and returns how many there are in all; *out_same is
 * how many stand in both.
 */
size_t corpus_certify_differ(struct wb_view a, const char *a_name, struct wb_view b,
                             const char *b_name, FILE *out, size_t *out_same);

#endif
