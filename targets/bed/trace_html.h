/*
 * trace_html.h: a run as a page. trace_html.c makes the page, trace_draw.c the drawing,
 * trace_words.c the sentences.
 */
#ifndef BED_TRACE_HTML_H
#define BED_TRACE_HTML_H

#include "targets/bed/trace_picture.h"

#define TRACE_CONNS 2

/*
 * Runs one input of the file in a child and writes the page to `out_path`, NULL = stdout. Returns
 * what the tool exits with: a run that fails still gives a page.
 */
int trace_html(const struct corpus_file *file, const char *path, struct wb_view input,
               const char *out_path);

/* A run that has connections is drawn with lanes, any other is a list of its steps. */
bool trace_has_lanes(const struct trace_run *run);
/* Initialises and fills `d`, the caller's to give back. */
void trace_draw(const struct trace_run *run, struct diagram *d);
/* How to read lanes of connections, as markup. */
void trace_legend(struct wb_buf *out);

/* Appends the sentence for a step, as markup; for ops their text and what they mean come first. */
void trace_words(const struct trace_step *step, struct wb_buf *out);
void trace_words_op(const struct sim_ops *ops, const struct sim_op *op, struct wb_buf *out);
/* Appends the sentence for a status that is given by name, "no answer in time". */
void trace_words_status(struct wb_view name, struct wb_buf *out);
/* The name of a request's kind, of a state, of what a wait is for. */
const char *trace_request_name(unsigned long long kind);
const char *trace_ready_name(unsigned long long mask);
const char *trace_io_name(unsigned long long io);

#endif
