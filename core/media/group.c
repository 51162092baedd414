/*
 * group.c: the writer's side of a group: the log, what it bills, and its ends.
 */
#include "core/media/group.h"

#include "core/media/group_own.h"

#define LOG_FIRST 4u /* places when the group's own is full */

const struct wb_group_limits wb_group_limits_default = {
    .bytes = WB_GROUP_BYTES,
    .frames = WB_GROUP_FRAMES,
    .frame = {.upfront = (size_t)64 << 10, .first = (size_t)4 << 10, .chain = (size_t)1 << 20},
};

/* ---- references ------------------------------------------------------------------------------ */

enum wb_err wb_group_new(struct wb_mem *mem, const struct wb_group_limits *limits,
                         struct wb_pool *pool, uint64_t sequence, struct wb_group **out)
{
    struct wb_group *g = wb_mem_take(mem, sizeof(*g));

    if (g == NULL)
        return WB_E_NOMEM;
    *g =
        (struct wb_group){.mem = mem, .limits = limits, .references = 1, .slot.sequence = sequence};
    wb_pool_entry_init(&g->entry, pool, WB_GROUP_OVERHEAD);
    g->told = g->entry.billed;
    *out = g;
    return WB_OK;
}

struct wb_group *wb_group_share(struct wb_group *g)
{
    WB_ASSERT(g->references > 0);
    g->references++;
    return g;
}

static bool is_in_parts(const struct wb_group_record *r)
{
    return r->owner == NULL && r->size > 0;
}

static void release(struct wb_group_record *r)
{
    struct wb_slice payload = {.owner = r->owner};

    if (is_in_parts(r)) {
        wb_frame_drop(r->in.frame);
        return;
    }
    payload.view = wb_view_of(r->in.data, (size_t)r->size);
    wb_slice_drop(&payload);
}

static size_t log_size(const struct wb_group *g)
{
    return g->mask == 0 ? 0 : ((size_t)g->mask + 1) * sizeof(*g->at.log);
}

/* All frames and the log, without a word to the pool. */
static void release_all(struct wb_group *g, enum wb_err reason)
{
    for (uint64_t i = g->offset; i < g->committed; i++)
        release(wb_group_record(g, i));
    if (g->has_open) {
        struct wb_frame *open = wb_group_record(g, g->committed)->in.frame;

        wb_frame_abort(open, reason);
        wb_frame_drop(open);
    }
    wb_mem_give(g->mem, g->mask == 0 ? NULL : g->at.log, log_size(g));
    g->mask = 0;
    g->bytes = 0;
}

void wb_group_drop(struct wb_group *g)
{
    WB_ASSERT(g->references > 0);
    if (--g->references > 0)
        return;
    WB_ASSERT(g->slot.home == NULL);
    if (g->reason == WB_OK)
        release_all(g, WB_E_DROPPED);
    wb_pool_clear(&g->entry);
    wb_mem_give(g->mem, g, sizeof(*g));
}

/* ---- the writer ------------------------------------------------------------------------------ */

static uint64_t bill(const struct wb_group *g, uint64_t size)
{
    return wb_frame_bill(&g->limits->frame, size);
}

/* The end that refuses every call of the writer. */
static enum wb_err ended(const struct wb_group *g)
{
    if (g->reason != WB_OK)
        return (enum wb_err)g->reason;
    return g->is_finished ? WB_E_FINISHED : WB_OK;
}

enum wb_err wb_group_start_at(struct wb_group *g, uint64_t first)
{
    WB_CHECKED(wb_group_check_numbers(g));
    WB_TRY(ended(g));
    if (g->has_stamp)
        return WB_E_FINISHED;
    if (first == UINT64_MAX)
        return WB_E_BOUNDS;
    g->offset = first;
    g->committed = first;
    return WB_OK;
}

static enum wb_err admit(const struct wb_group *g, uint64_t size)
{
    WB_TRY(ended(g));
    if (g->has_open)
        return WB_E_BUSY;
    if (size > WB_MOQ_FRAME_MAX)
        return WB_E_FRAME_TOO_LARGE;
    return g->committed == UINT64_MAX ? WB_E_BOUNDS : WB_OK;
}

static WB_NOINLINE enum wb_err grow(struct wb_group *g)
{
    uint64_t places = g->mask == 0 ? LOG_FIRST : 2 * ((uint64_t)g->mask + 1);
    uint32_t mask = (uint32_t)(places - 1);
    struct wb_group_record *log;

    if (places - 1 > UINT32_MAX || places > SIZE_MAX / sizeof(*log))
        return WB_E_NOMEM;
    log = wb_mem_take(g->mem, (size_t)places * sizeof(*log));
    if (log == NULL)
        return WB_E_NOMEM;
    for (uint64_t i = g->offset; i < g->committed; i++)
        log[i & mask] = *wb_group_record(g, i);
    wb_pool_charge(&g->entry, places * WB_GROUP_RECORD);
    if (g->mask != 0) {
        wb_pool_refund(&g->entry, ((uint64_t)g->mask + 1) * WB_GROUP_RECORD);
        wb_mem_give(g->mem, g->at.log, log_size(g));
    }
    g->at.log = log;
    g->mask = mask;
    return WB_OK;
}

/* A place for one frame more; only memory can refuse it. */
static enum wb_err reserve(struct wb_group *g)
{
    return g->committed - g->offset > g->mask ? grow(g) : WB_OK;
}

/* Frame `committed` is in the log now: bills it, and drops from the front what is too much. */
static void appended(struct wb_group *g, const struct wb_group_record *r, uint64_t more)
{
    const struct wb_group_limits *most = g->limits;

    if (!g->has_stamp) {
        g->has_stamp = true;
        g->first_timestamp = r->timestamp;
    }
    g->bytes += r->size;
    wb_pool_charge(&g->entry, bill(g, r->size) + more);
    while ((g->bytes > most->bytes || g->committed - g->offset >= most->frames) &&
           g->offset < g->committed) {
        struct wb_group_record *front = wb_group_record(g, g->offset);

        g->bytes -= front->size;
        wb_pool_refund(&g->entry, bill(g, front->size));
        release(front);
        g->offset++;
    }
}

enum wb_err wb_group_add(struct wb_group *g, uint64_t timestamp, struct wb_slice *payload)
{
    struct wb_group_record *r;
    struct wb_slice whole;

    WB_CHECKED(wb_group_check_numbers(g));
    WB_TRY(admit(g, payload->view.len));
    WB_TRY(reserve(g));
    whole = wb_slice_move(payload);
    r = wb_group_record(g, g->committed);
    *r = (struct wb_group_record){.timestamp = timestamp,
                                  .size = whole.view.len,
                                  .owner = whole.owner,
                                  .in.data = whole.view.data};
    appended(g, r, 0);
    g->committed++;
    WB_CHECKED(wb_group_check_numbers(g));
    return WB_OK;
}

enum wb_err wb_group_open(struct wb_group *g, uint64_t timestamp, uint64_t size,
                          struct wb_frame **out)
{
    struct wb_group_record *r;
    struct wb_frame *frame;
    enum wb_err err;

    WB_CHECKED(wb_group_check_numbers(g));
    WB_TRY(admit(g, size));
    WB_TRY(wb_frame_new(g->mem, &g->limits->frame, size, &frame));
    err = reserve(g);
    if (err != WB_OK) {
        wb_frame_drop(frame);
        return err;
    }
    r = wb_group_record(g, g->committed);
    *r = (struct wb_group_record){.timestamp = timestamp, .size = size, .in.frame = frame};
    appended(g, r, WB_GROUP_OPEN);
    g->has_open = true;
    *out = frame;
    WB_CHECKED(wb_group_check_numbers(g));
    return WB_OK;
}

enum wb_err wb_group_close(struct wb_group *g)
{
    struct wb_group_record *r = wb_group_record(g, g->committed);
    struct wb_slice payload;

    WB_CHECKED(wb_group_check_numbers(g));
    WB_TRY(ended(g));
    if (!g->has_open)
        return WB_E_FINISHED;
    WB_TRY(wb_frame_finish(r->in.frame));
    if (wb_frame_payload(r->in.frame, &payload)) {
        WB_ASSERT(payload.view.len == r->size);
        wb_frame_drop(r->in.frame);
        r->owner = payload.owner;
        r->in.data = payload.view.data;
    }
    wb_pool_refund(&g->entry, WB_GROUP_OPEN);
    g->has_open = false;
    g->committed++;
    WB_CHECKED(wb_group_check_numbers(g));
    return WB_OK;
}

enum wb_err wb_group_finish(struct wb_group *g)
{
    WB_CHECKED(wb_group_check_numbers(g));
    WB_TRY(ended(g));
    if (g->has_open)
        return WB_E_BUSY;
    g->is_finished = true;
    return WB_OK;
}

void wb_group_abort(struct wb_group *g, enum wb_err reason)
{
    WB_CHECKED(wb_group_check_numbers(g));
    WB_ASSERT(reason != WB_OK);
    if (g->reason != WB_OK)
        return;
    g->reason = (uint16_t)reason;
    release_all(g, reason);
    wb_pool_clear(&g->entry);
    if (g->watches != NULL)
        wb_group_tell(g);
    if (g->slot.home == NULL)
        return;
    wb_slots_remove(&g->slot);
    wb_group_drop(g); /* the track's */
}

void wb_group_leave(struct wb_group *g)
{
    if (!g->is_finished)
        wb_group_abort(g, WB_E_DROPPED);
    wb_group_drop(g);
}

/* ---- what there is --------------------------------------------------------------------------- */

uint64_t wb_group_sequence(const struct wb_group *g)
{
    return g->slot.sequence;
}

uint64_t wb_group_offset(const struct wb_group *g)
{
    return g->offset;
}

uint64_t wb_group_next_index(const struct wb_group *g)
{
    return wb_group_next_number(g);
}

uint64_t wb_group_committed(const struct wb_group *g)
{
    return g->committed;
}

bool wb_group_finished(const struct wb_group *g, uint64_t *out_total)
{
    if (g->is_finished)
        *out_total = g->committed;
    return g->is_finished;
}

enum wb_err wb_group_aborted(const struct wb_group *g)
{
    return (enum wb_err)g->reason;
}

uint64_t wb_group_bytes(const struct wb_group *g)
{
    return g->bytes;
}

uint64_t wb_group_billed(const struct wb_group *g)
{
    return g->entry.billed;
}

bool wb_group_first_timestamp(const struct wb_group *g, uint64_t *out)
{
    if (g->has_stamp)
        *out = g->first_timestamp;
    return g->has_stamp;
}

struct wb_pool_entry *wb_group_entry(struct wb_group *g)
{
    return &g->entry;
}

struct wb_group *wb_group_of_entry(struct wb_pool_entry *entry)
{
    return (struct wb_group *)(void *)((char *)entry - offsetof(struct wb_group, entry));
}

struct wb_group *wb_group_of_slot(struct wb_slot *slot)
{
    return (struct wb_group *)(void *)((char *)slot - offsetof(struct wb_group, slot));
}

void wb_group_check_numbers(const struct wb_group *g)
{
    WB_ASSERT(g->references > 0);
    WB_ASSERT(g->offset <= g->committed);
    WB_ASSERT(g->has_stamp || g->offset == g->committed);
    WB_ASSERT(!g->has_open || g->committed < UINT64_MAX);
    WB_ASSERT(!g->has_open || !g->is_finished);
    WB_ASSERT((g->mask & (g->mask + 1u)) == 0);
    if (g->reason != WB_OK) {
        WB_ASSERT(g->mask == 0);
        WB_ASSERT(g->bytes == 0);
        WB_ASSERT(g->entry.billed == 0);
        WB_ASSERT(g->entry.link.next == NULL);
        WB_ASSERT(g->slot.home == NULL);
        return;
    }
    WB_ASSERT(wb_group_next_number(g) - g->offset <= (uint64_t)g->mask + 1);
}

void wb_group_check(const struct wb_group *g)
{
    uint64_t bytes = 0, billed = WB_GROUP_OVERHEAD, kept = wb_group_next_number(g) - g->offset;

    wb_group_check_numbers(g);
    if (g->reason != WB_OK)
        return;
    for (uint64_t i = g->offset; i < wb_group_next_number(g); i++) {
        const struct wb_group_record *r = wb_group_record(g, i);

        bytes += r->size;
        billed += bill(g, r->size);
        if (i == g->committed || is_in_parts(r))
            wb_frame_check(r->in.frame);
    }
    WB_ASSERT(bytes == g->bytes);
    WB_ASSERT(kept <= 1 || (bytes <= g->limits->bytes && kept <= g->limits->frames));
    if (g->mask != 0)
        billed += ((uint64_t)g->mask + 1) * WB_GROUP_RECORD;
    if (g->has_open)
        billed += WB_GROUP_OPEN;
    WB_ASSERT(g->entry.billed == (g->entry.pool == NULL ? 0 : billed));
}
