/*
 * schema.h: what a planted site of the core does. Included before everything in the build of all
 * mutants. A mutant is a number; a site asks whether it is the one that lives now. 0: none does.
 *
 * While a map is set, sites note in it what a mutant could have changed: reached, and reached with
 * another value than the true one. What was never reached with another value cannot be seen.
 */
#ifndef MUTATE_SCHEMA_H
#define MUTATE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#define WBM_REACHED 1
#define WBM_DIFFERS 2

#ifdef WBM_FIXED /* one mutant and no other, for the compiler to see */
#define wbm_lives WBM_FIXED
#define wbm_map   ((unsigned char *)0)
#else
extern unsigned wbm_lives;
extern unsigned char *wbm_map; /* by mutant; NULL when nothing is noted */
#endif

#define WBM_SITE static inline __attribute__((always_inline, unused))

/* Which of the `count` mutants from `base` on lives here: 0, 1, ...; more when none does. */
WBM_SITE unsigned wbm_which(unsigned base)
{
    return wbm_lives - base;
}

WBM_SITE void wbm_note(unsigned id, bool differs)
{
    if (__builtin_expect(wbm_map != 0, 0))
        wbm_map[id] |= differs ? WBM_REACHED | WBM_DIFFERS : WBM_REACHED;
}

WBM_SITE bool wbm_at(unsigned id)
{
    wbm_note(id, true);
    return __builtin_expect(wbm_which(id) == 0, 0);
}

WBM_SITE bool wbm_not(unsigned id, bool value)
{
    return wbm_at(id) ? !value : value;
}

WBM_SITE bool wbm_two(unsigned base, bool value, bool first, bool second)
{
    unsigned which = wbm_which(base);

    wbm_note(base, first != value);
    wbm_note(base + 1, second != value);
    return __builtin_expect(which > 1, 1) ? value : which == 0 ? first : second;
}

/* What is added to a constant. */
WBM_SITE int wbm_up(unsigned base)
{
    return wbm_at(base) ? 1 : 0;
}

WBM_SITE int wbm_up_down(unsigned base)
{
    return wbm_at(base) ? 1 : wbm_at(base + 1) ? -1 : 0;
}

WBM_SITE uint64_t wbm_number(unsigned base, uint64_t value)
{
    wbm_note(base, value != 0);
    wbm_note(base + 1, true);
    return wbm_which(base) == 0 ? 0 : wbm_which(base + 1) == 0 ? value + 1 : value;
}

WBM_SITE int wbm_enum(unsigned base, int value, int first, int second)
{
    wbm_note(base, value != first);
    wbm_note(base + 1, value != second);
    return wbm_which(base) == 0 ? first : wbm_which(base + 1) == 0 ? second : value;
}

WBM_SITE int wbm_enum1(unsigned base, int value, int first)
{
    wbm_note(base, value != first);
    return wbm_which(base) == 0 ? first : value;
}

WBM_SITE bool wbm_null(unsigned id, bool is_set)
{
    wbm_note(id, is_set);
    return wbm_which(id) == 0;
}

#define WBM_LT(base, a, b) wbm_two(base, (a) < (b), (a) >= (b), (a) <= (b))
#define WBM_LE(base, a, b) wbm_two(base, (a) <= (b), (a) > (b), (a) < (b))
#define WBM_GT(base, a, b) wbm_two(base, (a) > (b), (a) <= (b), (a) >= (b))
#define WBM_GE(base, a, b) wbm_two(base, (a) >= (b), (a) < (b), (a) > (b))

#endif
