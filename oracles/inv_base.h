/*
 * inv_base.h: invariants of core/base: varints (VAR), decimals (DEC), bytes (BYT).
 */
#ifndef ORACLES_INV_BASE_H
#define ORACLES_INV_BASE_H

#define INV_BASE_LIST(X)                                                                           \
    X(VAR, 001, "a varint that the model calls cut short is WB_MORE, and the reverse")

#endif
