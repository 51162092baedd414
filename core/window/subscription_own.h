/*
 * subscription_own.h: what subscription.c, resolve.c and deliver.c share. Private to core/window.
 */
#ifndef WB_SUBSCRIPTION_OWN_H
#define WB_SUBSCRIPTION_OWN_H

#include "core/window/subscription.h"

/* A group past the limit; aborted ones hang in the list `gone`, the others in the tree. */
struct wb_parked {
    RB_ENTRY(wb_parked) by_sequence;
    struct wb_group_watch watch;
    struct wb_group *group; /* one reference */
    bool is_gone;           /* out of the tree */
};

struct wb_request *wb_requests_list(struct wb_requests *asked);
/* Checks and copies. Errors as wb_subscription_init. */
WB_MUST_USE enum wb_err wb_requests_take(struct wb_requests *out, struct wb_mem *mem,
                                         const struct wb_subscription_config *config);
void wb_requests_fini(struct wb_requests *asked, struct wb_mem *mem);
/* The window and the wish that the requests are as of now; *out is empty before. */
WB_MUST_USE enum wb_err wb_requests_resolve(struct wb_requests *asked, struct wb_bound live,
                                            struct wb_mem *mem, struct wb_window *out,
                                            struct wb_wish *out_wish);
/* Arrivals from *learned on, up to one that may yet get its first frame, teach times; true when
   they say something new. */
bool wb_requests_learn(struct wb_requests *asked, const struct wb_track *track, uint64_t *learned);
/* The first arrival since is the live edge; false when there is none. */
bool wb_subscription_find_live(struct wb_subscription *s);
/* Finds the live edge, learns times; the demand follows. WB_E_NOMEM: later. */
WB_MUST_USE enum wb_err wb_subscription_resolve(struct wb_subscription *s);

/* Most runs of `done`. */
static inline uint32_t wb_subscription_done_max(const struct wb_subscription *s)
{
    return s->done_max > 0 ? s->done_max : WB_SUBSCRIPTION_DONE;
}

enum wb_place { WB_PLACE_WANTED, WB_PLACE_PARKED, WB_PLACE_OUTSIDE };
enum wb_place wb_subscription_place(const struct wb_subscription *s, uint64_t sequence);

struct wb_parked *wb_parked_of(struct wb_group_watch *watch);
struct wb_parked *wb_parked_lowest(struct wb_subscription *s);
struct wb_parked *wb_parked_after(struct wb_parked *p);
bool wb_parked_has(struct wb_subscription *s, uint64_t sequence);
WB_MUST_USE enum wb_err wb_parked_add(struct wb_subscription *s, struct wb_group *g);
void wb_parked_remove(struct wb_subscription *s, struct wb_parked *p);
/* Those that were told of an abort leave the tree. */
void wb_parked_sort(struct wb_subscription *s);
/* After the window or the cap changed: what is outside now is forgotten. */
void wb_parked_review(struct wb_subscription *s);

#endif
