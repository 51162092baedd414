/*
 * diagram.h: a sequence diagram as SVG inside a page, and beside it the same story as sentences.
 *
 * Time runs downwards, a row a step. A row is opened with its sentence, then what belongs to it is
 * drawn: arrows, notes, the states that begin with it. On wide windows each sentence stands beside
 * its row, on narrow ones the list follows the drawing, which then scrolls inside its own box.
 */
#ifndef BED_DIAGRAM_H
#define BED_DIAGRAM_H

#include "core/base/buf.h"

#define DIAGRAM_LANES 12
#define DIAGRAM_LABEL 64

/* What a thing means; each has a colour and a way of being stroked. */
enum diagram_tone { DIAGRAM_PLAIN, DIAGRAM_INFO, DIAGRAM_GOOD, DIAGRAM_WARN, DIAGRAM_BAD };

enum diagram_kind {
    DIAGRAM_ACTOR,  /* a line */
    DIAGRAM_STATES, /* room for a band that shows its state */
    DIAGRAM_STREAM  /* a line that labels may cross; thick while something lies in it */
};

/* Who takes part. */
struct diagram_lane {
    enum diagram_kind kind;
    const char *name;                /* after a \n, a second line in a weaker voice */
    int x, width;                    /* of its middle; 0 but for states */
    int side;                        /* 1 or -1: notes beside it go to the right or to the left */
    bool is_band, is_bar, is_filled; /* now, since … */
    int band_y, bar_y, fill_y;       /* … there */
    enum diagram_tone tone;
    char label[DIAGRAM_LABEL];
};

struct diagram {
    struct wb_buf back, front, words;
    struct diagram_lane lanes[DIAGRAM_LANES];
    size_t lane_count;
    const char *id; /* of the drawing in its page */
    int width;
    int y, height;  /* of the row that is open */
    int head_y;     /* of the names written last */
    unsigned steps; /* rows that have a number */
};

/*
 * `id` is a word of its own in the page, `width` that of the drawing in pixels; lanes are added
 * before the first row.
 */
void diagram_init(struct diagram *d, const char *id, int width);
void diagram_fini(struct diagram *d);
size_t diagram_lane(struct diagram *d, struct diagram_lane lane);

/*
 * Opens the next row. `time` stands in the margin, NULL = as before; `words` is markup. What has no
 * number (a break, a banner) is no step of its own.
 */
void diagram_row(struct diagram *d, const char *time, struct wb_view words, bool has_number);
/* The row is a band over all lanes, with text from the left margin on. */
void diagram_banner(struct diagram *d, enum diagram_tone tone, const char *text);
/* Time passes in this row: a tear through all lanes. */
void diagram_break(struct diagram *d, const char *text);
/* From lane to lane, a label above it. `lost` ends in a cross: it achieved nothing. */
void diagram_arrow(struct diagram *d, size_t from, size_t to, enum diagram_tone tone,
                   const char *label, bool lost);
/* The lane's state from this row on; NULL: none. */
void diagram_band(struct diagram *d, size_t lane, enum diagram_tone tone, const char *label);
/* The lane waits from this row on, or no longer. */
void diagram_bar(struct diagram *d, size_t lane, bool on);
/* Something lies in the lane from this row on, or no longer. */
void diagram_fill(struct diagram *d, size_t lane, bool on);
/* Words inside the lane, and beside it. */
void diagram_inside(struct diagram *d, size_t lane, const char *text);
void diagram_beside(struct diagram *d, size_t lane, enum diagram_tone tone, const char *text);

/* Appends drawing and sentences; without lanes the sentences alone. `title` and `text` tell those
 * who cannot see it what it is. */
void diagram_write(struct diagram *d, const char *title, const char *text, struct wb_buf *out);
/* Appends the CSS that the page needs, once, for a drawing of that width. */
void diagram_style(int width, struct wb_buf *out);
/* The two parts of it, for pages of several drawings: once, and once for each width. */
void diagram_base_style(struct wb_buf *out);
void diagram_width_style(int width, struct wb_buf *out);
/* Appends a state as a small box with its name; for legends. */
void diagram_swatch(enum diagram_tone tone, const char *label, struct wb_buf *out);

#endif
