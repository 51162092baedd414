/*
 * ledger.h: sixteen entries in four accounts of one pool, beside the model of it (POL-*). The
 * fourth account has no pool.
 */
#ifndef CACHE_LEDGER_H
#define CACHE_LEDGER_H

#include "core/media/pool.h"
#include "oracles/ref_pool.h"
#include "targets/fuzz.h"

#define LEDGER_ACCOUNTS REF_POOL_ACCOUNTS
#define LEDGER_POOLLESS 3 /* the account without a pool */

enum ledger_op {
    LEDGER_NEW = SIM_OP_FIRST,
    LEDGER_ENTER,
    LEDGER_CHARGE,
    LEDGER_REFUND,
    LEDGER_STAMP,
    LEDGER_DEMOTE,
    LEDGER_PROMOTE,
    LEDGER_CLEAR,
    LEDGER_REMOVE,
    LEDGER_WROTE = SIM_OP_FIRST + 16,
    LEDGER_SETTLE,
    LEDGER_ACCRUE,
    LEDGER_RESIZE
};

#define LEDGER_MARK_LIST(X)                                                                        \
    X(VICTIM, "victim")            /* one was evicted */                                           \
    X(SEVERAL, "several-victims")  /* by one settle */                                             \
    X(OVERSHOT, "overshot")        /* the last one cost more than was left to pay */               \
    X(WAITS, "victim-waits")       /* the front is billed more than the debt */                    \
    X(ROTATED, "rotated")          /* a protected one went to the back */                          \
    X(ALL_LOOKED, "looks-used-up") /* four looks, and none of them a victim */                     \
    X(FORGIVEN, "debt-forgotten")  /* there is room again */                                       \
    X(CUT, "debt-cut-to-used")     /* a debt larger than all */                                    \
    X(DOUBLED, "doubled")          /* the first one is old */                                      \
    X(SINGLE, "not-doubled")       /* the first one is not */                                      \
    X(SATURATED, "saturated")      /* more is owed than a number holds */                          \
    X(WIDE, "wide-product")        /* written * used takes more than 64 bits */                    \
    X(DUE, "due")                  /* 256 KiB were written */                                      \
    X(TWICE, "cleared-twice")      /* harmless */                                                  \
    X(BACK, "stamp-back")          /* an older tick */                                             \
    X(POOLLESS, "without-a-pool")  /* charged, and nothing billed */                               \
    X(TICK_MAX, "last-tick")       /* a tick past the last one */

enum ledger_mark {
#define LEDGER_MARK_MEMBER(name, text) LEDGER_MARK_##name,
    LEDGER_MARK_LIST(LEDGER_MARK_MEMBER)
#undef LEDGER_MARK_MEMBER
        LEDGER_MARKS
};

struct ledger_slot {
    bool on;
    bool cleared;
    bool has_pool;
    int model; /* its place in the model while it has a pool and is not cleared */
    int account;
    struct wb_pool_entry entry;
};

struct ledger {
    struct sim_run *run;
    struct wb_pool pool;
    struct wb_pool_account accounts[LEDGER_ACCOUNTS];
    struct ledger_slot slots[SIM_SLOTS];
    struct ref_pool model;
};

extern const struct sim_ops ledger_ops;
extern const char *const ledger_marks[];

/* ledger.c */
void ledger_run(struct sim_run *run, struct wb_view input);
/* ledger_settle.c: one settle of an account, victim by victim; at most `most` of them. */
void ledger_settle(struct ledger *l, int account, unsigned most);
/* ledger_check.c */
void ledger_check(const struct ledger *l);
/* The entry is cleared, on both sides; `is_paid` when the model did it as a victim. */
void ledger_clear(struct ledger *l, struct ledger_slot *s, bool is_victim);

#endif
