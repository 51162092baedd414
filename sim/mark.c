#include "sim/run.h"

/*
 * One case per mark. The text of each asm differs, so no compiler folds two blocks into one or the
 * switch into a table, and each block is an edge of its own for coverage.
 */
#define MARK(n)                                                                                    \
    case n:                                                                                        \
        __asm__ volatile("# mark " #n);                                                            \
        break;
/* Octal digits: 8 * 8 * 8 marks. */
#define MARK_8(p)                                                                                  \
    MARK(p##0) MARK(p##1) MARK(p##2) MARK(p##3) MARK(p##4) MARK(p##5) MARK(p##6) MARK(p##7)
#define MARK_64(p)                                                                                 \
    MARK_8(p##0)                                                                                   \
    MARK_8(p##1) MARK_8(p##2) MARK_8(p##3) MARK_8(p##4) MARK_8(p##5) MARK_8(p##6) MARK_8(p##7)

_Static_assert(SIM_MARKS_MAX == 512, "as many cases as marks");

void sim_mark_run(void)
{
    __asm__ volatile("# a run");
}

void sim_mark(struct sim_run *run, unsigned mark)
{
    WB_ASSERT(mark < SIM_MARKS_MAX);
    run->marks[mark]++;
    switch (mark) {
        MARK_64(00)
        MARK_64(01)
        MARK_64(02)
        MARK_64(03)
        MARK_64(04)
        MARK_64(05)
        MARK_64(06)
        MARK_64(07)
    default:
        WB_UNREACHABLE();
    }
}
