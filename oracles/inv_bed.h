/*
 * inv_bed.h: what must hold of every run of every target; checked by the driver.
 */
#ifndef ORACLES_INV_BED_H
#define ORACLES_INV_BED_H

#define INV_BED_LIST(X)                                                                            \
    X(BED, 001, "a run gives back every block it took")                                            \
    X(BED, 002, "a run holds at most its allocation cap at any time")                              \
    X(BED, 003, "the same input gives the same trace hash, run after run")                         \
    X(BED, 004, "a run ends within its step cap")                                                  \
    X(BED, 005, "when faults have healed the world becomes quiet, and nobody waits")               \
    X(BED, 006, "the canary target fails, so that failing is known to work")

#endif
