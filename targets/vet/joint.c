/*
 * joint.c: announce subscribers of either core under this side's targets.
 */
#include "targets/vet/joint.h"

#if !defined(VET_APART) && __has_include("core/route/announce_sub.h")
#include "core/base/err.h"
#include "core/route/announce_sub.h"
#include "sim/trace.h"
#include "targets/vet/quiet.h"
#include "targets/vet/side.h"

#include <stddef.h>
#include <string.h>

enum wb_err __real_wb_announce_sub_new(struct wb_mem *mem,
                                       const struct wb_announce_sub_config *config,
                                       struct wb_announce_sub **out);
void __real_wb_announce_sub_free(struct wb_announce_sub *s);
enum wb_err __real_wb_announce_sub_next(struct wb_announce_sub *s, struct wb_view *in,
                                        struct wb_announce_event *out);
enum wb_err __real_wb_announce_sub_end(struct wb_announce_sub *s, bool clean);
uint64_t __real_wb_announce_sub_claims(const struct wb_announce_sub *s);
uint64_t __real_wb_announce_sub_routes(const struct wb_announce_sub *s);
bool __real_wb_announce_sub_floor(const struct wb_announce_sub *s, uint64_t route, uint64_t *out);
bool __real_wb_announce_sub_claim_at(const struct wb_announce_sub *s, uint64_t i,
                                     struct wb_announce_event *out);
void __real_wb_announce_sub_check(const struct wb_announce_sub *s);

struct vet_ends {
    enum wb_err (*open)(struct wb_mem *mem, const struct wb_announce_sub_config *config,
                        struct wb_announce_sub **out);
    void (*free)(struct wb_announce_sub *s);
    enum wb_err (*next)(struct wb_announce_sub *s, struct wb_view *in,
                        struct wb_announce_event *out);
    enum wb_err (*end)(struct wb_announce_sub *s, bool clean);
    uint64_t (*claims)(const struct wb_announce_sub *s);
    uint64_t (*routes)(const struct wb_announce_sub *s);
    bool (*floor)(const struct wb_announce_sub *s, uint64_t route, uint64_t *out);
    bool (*claim_at)(const struct wb_announce_sub *s, uint64_t i, struct wb_announce_event *out);
    void (*check)(const struct wb_announce_sub *s);
};

static const struct vet_ends joint_own = {.open = __real_wb_announce_sub_new,
                                          .free = __real_wb_announce_sub_free,
                                          .next = __real_wb_announce_sub_next,
                                          .end = __real_wb_announce_sub_end,
                                          .claims = __real_wb_announce_sub_claims,
                                          .routes = __real_wb_announce_sub_routes,
                                          .floor = __real_wb_announce_sub_floor,
                                          .claim_at = __real_wb_announce_sub_claim_at,
                                          .check = __real_wb_announce_sub_check};
static const struct vet_ends *joint_now = &joint_own;

const struct vet_ends *vet_ends(void)
{
    return &joint_own;
}

void vet_join(const void *ends)
{
    joint_now = ends != NULL ? ends : &joint_own;
}

uint64_t vet_layout(void)
{
#define PLACE(type, field) sizeof(((type *)0)->field) << 16 | offsetof(type, field)
    const uint64_t places[] = {
        sizeof(struct wb_mem),
        sizeof(struct wb_view),
        PLACE(struct wb_mem, take),
        PLACE(struct wb_mem, give),
        sizeof(struct wb_announce_sub_config),
        PLACE(struct wb_announce_sub_config, version),
        PLACE(struct wb_announce_sub_config, prefix),
        PLACE(struct wb_announce_sub_config, max_routes),
        sizeof(struct wb_announce_event),
        PLACE(struct wb_announce_event, id),
        PLACE(struct wb_announce_event, route),
        PLACE(struct wb_announce_event, node),
        PLACE(struct wb_announce_event, seqno),
        PLACE(struct wb_announce_event, warm),
        PLACE(struct wb_announce_event, revision),
        PLACE(struct wb_announce_event, count),
        PLACE(struct wb_announce_event, path),
        PLACE(struct wb_announce_event, epoch),
        PLACE(struct wb_announce_event, hops),
        sizeof(struct wb_hops),
        sizeof(struct wb_epoch),
        WB_ANNOUNCE_START,
        WB_ANNOUNCE_ROUTE_START,
        WB_ANNOUNCE_FLOOR,
        WB_ANNOUNCE_CLOSED,
    };
#undef PLACE
    uint64_t hash = sim_hash(wb_view_of(places, sizeof(places)), VET_INTERFACE);
#define STATUS(name, text) hash = sim_hash(wb_view_text(#name), hash + name);
    WB_ERR_LIST(STATUS)
#undef STATUS
    return hash;
}

/* ---- what the linker hands over ---- */

enum wb_err __wrap_wb_announce_sub_new(struct wb_mem *mem,
                                       const struct wb_announce_sub_config *config,
                                       struct wb_announce_sub **out);
void __wrap_wb_announce_sub_free(struct wb_announce_sub *s);
enum wb_err __wrap_wb_announce_sub_next(struct wb_announce_sub *s, struct wb_view *in,
                                        struct wb_announce_event *out);
enum wb_err __wrap_wb_announce_sub_end(struct wb_announce_sub *s, bool clean);
uint64_t __wrap_wb_announce_sub_claims(const struct wb_announce_sub *s);
uint64_t __wrap_wb_announce_sub_routes(const struct wb_announce_sub *s);
bool __wrap_wb_announce_sub_floor(const struct wb_announce_sub *s, uint64_t route, uint64_t *out);
bool __wrap_wb_announce_sub_claim_at(const struct wb_announce_sub *s, uint64_t i,
                                     struct wb_announce_event *out);
void __wrap_wb_announce_sub_check(const struct wb_announce_sub *s);

enum wb_err __wrap_wb_announce_sub_new(struct wb_mem *mem,
                                       const struct wb_announce_sub_config *config,
                                       struct wb_announce_sub **out)
{
    return joint_now->open(mem, config, out);
}

void __wrap_wb_announce_sub_free(struct wb_announce_sub *s)
{
    joint_now->free(s);
}

enum wb_err __wrap_wb_announce_sub_next(struct wb_announce_sub *s, struct wb_view *in,
                                        struct wb_announce_event *out)
{
    return joint_now->next(s, in, out);
}

enum wb_err __wrap_wb_announce_sub_end(struct wb_announce_sub *s, bool clean)
{
    return joint_now->end(s, clean);
}

uint64_t __wrap_wb_announce_sub_claims(const struct wb_announce_sub *s)
{
    return joint_now->claims(s);
}

uint64_t __wrap_wb_announce_sub_routes(const struct wb_announce_sub *s)
{
    return joint_now->routes(s);
}

bool __wrap_wb_announce_sub_floor(const struct wb_announce_sub *s, uint64_t route, uint64_t *out)
{
    return joint_now->floor(s, route, out);
}

bool __wrap_wb_announce_sub_claim_at(const struct wb_announce_sub *s, uint64_t i,
                                     struct wb_announce_event *out)
{
    return joint_now->claim_at(s, i, out);
}

/* A check's walks are no cost: see quiet.h. */
void __wrap_wb_announce_sub_check(const struct wb_announce_sub *s)
{
    vet_quiet++;
    if (!vet_unchecked)
        joint_now->check(s);
    vet_quiet--;
}

#else

const struct vet_ends *vet_ends(void)
{
    return NULL;
}

void vet_join(const void *ends)
{
    (void)ends;
}

uint64_t vet_layout(void)
{
    return 0; /* like no other side's but one that has none either */
}

#endif
