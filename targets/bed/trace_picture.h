/*
 * trace_picture.h: a run, and how it is drawn. `bed trace --html` puts one on a page, `bed report`
 * all regressions.
 */
#ifndef BED_TRACE_PICTURE_H
#define BED_TRACE_PICTURE_H

#include "targets/bed/diagram.h"
#include "targets/bed/trace_steps.h"
#include "targets/driver/replay.h"

struct trace_run {
    const struct fuzz_target *target;
    struct wb_view input;
    const char *id; /* a word of its own in the page, for what the drawing names */
    struct replay_verdict verdict;
    struct wb_buf text;       /* the plain trace */
    struct trace_step *steps; /* of the text */
    size_t count;
};

/* A way of drawing; each is right for runs of one kind. */
struct trace_look {
    bool (*is)(const struct trace_run *run);
    /* Initialises and fills `d`, the caller's to give back; NULL: the picture says all. */
    void (*draw)(const struct trace_run *run, struct diagram *d);
    /* Appends what stands before the steps; may be NULL. */
    void (*picture)(const struct trace_run *run, struct wb_buf *out);
    void (*legend)(struct wb_buf *out); /* how to read it, as markup; may be NULL */
    const char *story;                  /* the heading of what was delivered; NULL: it is drawn */
    const char *text;                   /* what the drawing is, for those who cannot see it */
};

/*
 * Runs the input in a child, whichever way it ends; `input` and `id` must outlive `out`. False
 * after a message.
 */
bool trace_run_make(const struct fuzz_target *target, struct wb_view input, const char *id,
                    struct trace_run *out);
void trace_run_free(struct trace_run *run);
/* Never NULL. */
const struct trace_look *trace_look_of(const struct trace_run *run);
/* Appends the picture and the steps under `title`; returns the drawing's width, 0 when there is
 * none, for diagram_style. */
int trace_run_put(const struct trace_run *run, const char *title, struct wb_buf *out);
/* Appends what was delivered, as a list; nothing when the run told nothing. */
void trace_story_put(const struct replay_verdict *verdict, struct wb_buf *out);
/* Appends the CSS of all looks, but for diagram_style. */
void trace_style(struct wb_buf *out);

#endif
