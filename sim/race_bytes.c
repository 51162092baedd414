/*
 * race_bytes.c: the memory of a race run: whose byte is whose, and who may touch it when.
 */
#include "core/base/race.h"
#include "sim/race_state.h"

#include <string.h>

/* ---- blocks ---------------------------------------------------------------------------------- */

struct sim_race_block *sim_race_block_of(struct sim_race *r, const void *at)
{
    uintptr_t address = (uintptr_t)at;

    for (size_t i = r->block_count; i-- > 0;) {
        struct sim_race_block *b = &r->blocks[i];

        if (address >= b->begin && address - b->begin < b->size)
            return b;
    }
    return NULL;
}

unsigned sim_race_block_number(const struct sim_race *r, const struct sim_race_block *b)
{
    return b == NULL ? 0 : (unsigned)(b - r->blocks) + 1;
}

struct sim_race_block *sim_race_block_add(struct sim_race *r, const void *data, size_t size)
{
    struct sim_race_block *b;

    if (r->block_count == SIM_RACE_BLOCKS || size > SIM_RACE_BYTES - r->byte_count) {
        sim_race_say(r, SIM_RACE_FULL);
        return NULL;
    }
    b = &r->blocks[r->block_count++];
    b->begin = (uintptr_t)data;
    b->size = size;
    b->first_byte = (uint32_t)r->byte_count;
    b->is_given = false;
    b->name = 0;
    b->atomic_count = 0;
    memset(b->used, 0, sizeof b->used);
    memset(&r->bytes[r->byte_count], 0, size * sizeof r->bytes[0]);
    r->byte_count += size;
    return b;
}

void sim_race_block_use(struct sim_race *r, struct sim_race_block *b)
{
    if (b->is_given)
        sim_race_say(r, SIM_RACE_USE_LATE);
    b->used[r->current] = sim_race_self(r)->clock.at[r->current];
}

void sim_race_watch(struct sim_race *r, const void *data, size_t size)
{
    (void)sim_race_block_add(r, data, size);
}

/* ---- the allocator --------------------------------------------------------------------------- */

static void *mem_take(struct wb_mem *mem, size_t size)
{
    struct sim_race *r = (struct sim_race *)mem;
    void *data = wb_mem_take(r->inner, size);
    struct sim_race_block *b;

    if (data == NULL) {
        sim_race_note(r, "refused t%u %u bytes", size, 0, 0);
        return NULL;
    }
    b = sim_race_block_add(r, data, size);
    if (b != NULL)
        sim_race_note(r, "takes   t%u block %u: %u bytes", sim_race_block_number(r, b), size, 0);
    return data;
}

static void judge_give(struct sim_race *r, struct sim_race_block *b)
{
    for (unsigned t = 0; t < r->thread_count; t++) {
        if (t != r->current && r->threads[t].found == b)
            sim_race_say(r, SIM_RACE_GIVE_FOUND);
        if (b->used[t] > sim_race_self(r)->clock.at[t])
            sim_race_say(r, SIM_RACE_GIVE_EARLY);
    }
    if (b->is_given)
        sim_race_say(r, SIM_RACE_USE_LATE);
}

static void mem_give(struct wb_mem *mem, void *data, size_t size)
{
    struct sim_race *r = (struct sim_race *)mem;
    struct sim_race_block *b;

    sim_race_settle(r);
    b = sim_race_block_of(r, data);
    if (b != NULL) {
        sim_race_note(r, "gives   t%u %n %u", b->name, sim_race_block_number(r, b), 0);
        judge_give(r, b);
        b->is_given = true;
    }
    wb_mem_give(r->inner, data, size);
}

void sim_race_mem_init(struct sim_race *r)
{
    r->mem = (struct wb_mem){.take = mem_take, .give = mem_give};
}

/* ---- bytes and names ------------------------------------------------------------------------- */

/* The part of a range that lies in its block; false when the block is not known. */
static bool bytes_of(struct sim_race *r, const void *data, size_t len, struct sim_race_block **out,
                     struct sim_race_byte **out_bytes)
{
    struct sim_race_block *b = len == 0 ? NULL : sim_race_block_of(r, data);
    size_t offset;

    if (b == NULL)
        return false;
    offset = (size_t)((uintptr_t)data - b->begin);
    WB_ASSERT(len <= b->size - offset);
    *out = b;
    *out_bytes = &r->bytes[b->first_byte + offset];
    return true;
}

static struct sim_race_epoch epoch_now(const struct sim_race *r)
{
    return (struct sim_race_epoch){.thread = (uint8_t)r->current,
                                   .at = r->threads[r->current].clock.at[r->current]};
}

void wb_race_wrote(const void *data, size_t len)
{
    struct sim_race *r = &sim_race_the;
    struct sim_race_epoch now = epoch_now(r);
    struct sim_race_block *b;
    struct sim_race_byte *bytes;

    if (!bytes_of(r, data, len, &b, &bytes))
        return;
    sim_race_note(r, "wrote   t%u block %u: %u from %u", sim_race_block_number(r, b), len,
                  (uint64_t)((uintptr_t)data - b->begin));
    sim_race_block_use(r, b);
    for (size_t i = 0; i < len; i++) {
        if (!sim_race_is_before(r, bytes[i].wrote) || !sim_race_is_before(r, bytes[i].read)) {
            sim_race_say(r, SIM_RACE_WRITE_EARLY);
            break;
        }
    }
    for (size_t i = 0; i < len; i++)
        bytes[i].wrote = now;
}

void wb_race_read(const void *data, size_t len)
{
    struct sim_race *r = &sim_race_the;
    struct sim_race_epoch now = epoch_now(r);
    struct sim_race_block *b;
    struct sim_race_byte *bytes;

    if (!bytes_of(r, data, len, &b, &bytes))
        return;
    sim_race_note(r, "reads   t%u block %u: %u from %u", sim_race_block_number(r, b), len,
                  (uint64_t)((uintptr_t)data - b->begin));
    sim_race_block_use(r, b);
    for (size_t i = 0; i < len; i++) {
        if (bytes[i].wrote.at == 0 || !sim_race_is_before(r, bytes[i].wrote)) {
            sim_race_say(r, bytes[i].wrote.at == 0 ? SIM_RACE_READ_NOTHING : SIM_RACE_READ_EARLY);
            break;
        }
    }
    for (size_t i = 0; i < len; i++)
        bytes[i].read = now;
}

static uint8_t name_of(struct sim_race *r, const char *name)
{
    size_t i = 0;

    while (i < r->name_count && strcmp(r->names[i], name) != 0)
        i++;
    if (i == SIM_RACE_NAMES)
        return 0;
    if (i == r->name_count)
        r->names[r->name_count++] = name;
    return (uint8_t)i;
}

void wb_race_name(const void *object, const char *name)
{
    struct sim_race *r = &sim_race_the;
    struct sim_race_block *b = sim_race_block_of(r, object);
    struct sim_race_atomic *a;

    if (b == NULL)
        return;
    if ((uintptr_t)object == b->begin && b->atomic_count == 0 && b->name == 0) {
        b->name = name_of(r, name);
        sim_race_note(r, "is      t%u block %u: %n", sim_race_block_number(r, b), b->name, 0);
        return;
    }
    a = sim_race_atomic_of(r, b, object);
    if (a != NULL)
        a->name = name_of(r, name);
}
