#include "targets/window/places.h"

#define MAX UINT64_MAX
/* clang-format off */
#define ROW(g) #g ".0", #g ".1", #g ".2", #g ".p", #g ".q", #g ".y", #g ".z"
const char *const places_names[] = {
    "none", ROW(0), ROW(1), ROW(2), ROW(3), "4.0", ROW(p), ROW(q), "r.0", ROW(y), ROW(z), NULL};
/* clang-format on */
_Static_assert(sizeof places_names / sizeof *places_names == REF_WINDOW_CELLS + 2, "one a cell");

#define PLACES_ANYWHERE 64u

struct wb_position places_position(uint32_t code)
{
    uint64_t group = code >> 4 & 0x7ff, frame = code & 15;

    if (code == 0)
        return (struct wb_position){0, 0};
    if (code <= REF_WINDOW_CELLS)
        return ref_cell_first(code - 1);
    if (frame >= 8)
        frame = MAX - (15 - frame);
    if (code & 0x8000)
        group = MAX - (0x7ff - group);
    else if (code >= PLACES_ANYWHERE)
        group -= PLACES_ANYWHERE >> 4;
    return (struct wb_position){group, frame};
}

struct wb_bound places_bound(uint32_t code)
{
    return (struct wb_bound){.present = code != 0, .at = places_position(code)};
}

struct wb_range places_range(const struct sim_op *op)
{
    return (struct wb_range){places_position(op->arg), places_bound(op->ext)};
}
