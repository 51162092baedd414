/*
 * shrink_wire.c: a wire input gets smaller by lines, by bytes, and by bytes that say nothing.
 */
#include "targets/bed/shrink.h"

#define CONFIG 1 /* bytes before the protocol's */

static size_t cut_lines(struct wb_view input, size_t *ends, size_t max)
{
    size_t count = 0;
    for (size_t i = CONFIG; i < input.len && count < max; i++)
        if (input.data[i] == '\n' || i + 1 == input.len)
            ends[count++] = i + 1;
    return count;
}

static size_t cut_bytes(struct wb_view input, size_t *ends, size_t max)
{
    size_t count = 0;
    for (size_t i = CONFIG; i < input.len && count < max; i++)
        ends[count++] = i + 1;
    return count;
}

bool bed_shrink_wire(struct bed_shrink *s)
{
    bool changed = bed_shrink_pieces(s, CONFIG, cut_lines);
    changed = bed_shrink_pieces(s, CONFIG, cut_bytes) || changed;
    changed = bed_shrink_number(s, 0, CONFIG, 0, 0xff) || changed;
    return bed_shrink_plain(s, CONFIG, s->len) || changed;
}
