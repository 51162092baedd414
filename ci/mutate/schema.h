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

#define MUTATE_REACHED 1
#define MUTATE_DIFFERS 2

#ifdef MUTATE_FIXED /* one mutant and no other, for the compiler to see */
#define mutate_lives MUTATE_FIXED
#define mutate_map   ((unsigned char *)0)
#else
extern unsigned mutate_lives;
extern unsigned char *mutate_map; /* by mutant; NULL when nothing is noted */
#endif

#define MUTATE_SITE static inline __attribute__((always_inline, unused))

/* Which of the `count` mutants from `base` on lives here: 0, 1, ...; more when none does. */
MUTATE_SITE unsigned mutate_which(unsigned base)
{
    return mutate_lives - base;
}

MUTATE_SITE void mutate_note(unsigned id, bool differs)
{
    if (__builtin_expect(mutate_map != 0, 0))
        mutate_map[id] |= differs ? MUTATE_REACHED | MUTATE_DIFFERS : MUTATE_REACHED;
}

MUTATE_SITE bool mutate_at(unsigned id)
{
    mutate_note(id, true);
    return __builtin_expect(mutate_which(id) == 0, 0);
}

MUTATE_SITE bool mutate_not(unsigned id, bool value)
{
    return mutate_at(id) ? !value : value;
}

MUTATE_SITE bool mutate_two(unsigned base, bool value, bool first, bool second)
{
    unsigned which = mutate_which(base);

    mutate_note(base, first != value);
    mutate_note(base + 1, second != value);
    return __builtin_expect(which > 1, 1) ? value : which == 0 ? first : second;
}

/* What is added to a constant. */
MUTATE_SITE int mutate_up(unsigned base)
{
    return mutate_at(base) ? 1 : 0;
}

MUTATE_SITE int mutate_up_down(unsigned base)
{
    return mutate_at(base) ? 1 : mutate_at(base + 1) ? -1 : 0;
}

MUTATE_SITE uint64_t mutate_number(unsigned base, uint64_t value)
{
    mutate_note(base, value != 0);
    mutate_note(base + 1, true);
    return mutate_which(base) == 0 ? 0 : mutate_which(base + 1) == 0 ? value + 1 : value;
}

MUTATE_SITE int mutate_enum(unsigned base, int value, int first, int second)
{
    mutate_note(base, value != first);
    mutate_note(base + 1, value != second);
    return mutate_which(base) == 0 ? first : mutate_which(base + 1) == 0 ? second : value;
}

MUTATE_SITE int mutate_enum1(unsigned base, int value, int first)
{
    mutate_note(base, value != first);
    return mutate_which(base) == 0 ? first : value;
}

MUTATE_SITE bool mutate_null(unsigned id, bool is_set)
{
    mutate_note(id, is_set);
    return mutate_which(id) == 0;
}

#define MUTATE_LT(base, a, b) mutate_two(base, (a) < (b), (a) >= (b), (a) <= (b))
#define MUTATE_LE(base, a, b) mutate_two(base, (a) <= (b), (a) > (b), (a) < (b))
#define MUTATE_GT(base, a, b) mutate_two(base, (a) > (b), (a) <= (b), (a) >= (b))
#define MUTATE_GE(base, a, b) mutate_two(base, (a) >= (b), (a) < (b), (a) > (b))

#endif
