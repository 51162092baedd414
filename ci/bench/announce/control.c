/*
 * control.c: what a change costs without the core: the allocations it makes, in their sizes and
 * order, and the bytes it sends, copied in packets. Written down in one round, played in another.
 */
#include "ci/bench/announce/bench.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX  65536u
#define BLOCKS_MAX 16384u

struct step {
    enum { TAKE, GIVE, SEND } what;
    size_t size, slot; /* slot: of the block */
};

static struct step steps[STEPS_MAX];
static size_t step_count;
static struct {
    const void *block; /* while it is written down; NULL: given back */
    size_t size;
    bool before; /* taken before the first step */
    void *played;
} slots[BLOCKS_MAX];
static size_t slot_count;
bool control_is_writing;
static struct wb_mem counted; /* counter_mem as it is while nothing is written down */

static void write_step(struct step step)
{
    figure_must(step_count < STEPS_MAX, "too many steps for the control");
    steps[step_count++] = step;
}

static size_t slot_new(const void *block, size_t size, bool before)
{
    figure_must(slot_count < BLOCKS_MAX, "too many blocks for the control");
    slots[slot_count].block = block;
    slots[slot_count].size = size;
    slots[slot_count].before = before;
    return slot_count++;
}

static void took(void *block, size_t size)
{
    write_step((struct step){TAKE, size, slot_new(block, size, false)});
}

static void gave(void *block, size_t size)
{
    size_t slot = slot_count;

    while (slot > 0 && slots[slot - 1].block != block)
        slot--;
    slot = slot > 0 ? slot - 1 : slot_new(block, size, true);
    slots[slot].block = NULL;
    write_step((struct step){GIVE, size, slot});
}

static void *take(struct wb_mem *mem, size_t size)
{
    void *block = counted.take(mem, size);

    took(block, size);
    return block;
}

static void give(struct wb_mem *mem, void *block, size_t size)
{
    gave(block, size);
    counted.give(mem, block, size);
}

void control_write(bool on)
{
    struct wb_mem *mem = counter_mem();

    if (on && !control_is_writing) {
        counted = *mem;
        *mem = (struct wb_mem){.take = take, .give = give};
    } else if (!on && control_is_writing) {
        *mem = counted;
    }
    control_is_writing = on;
    if (on)
        step_count = slot_count = 0;
}

void control_sent(size_t size)
{
    write_step((struct step){SEND, size, 0});
}

static __attribute__((noinline)) void send_bytes(size_t size)
{
    static uint8_t out[LINK_PACKET];
    uint8_t packet[LINK_PACKET];

    for (size_t left = size; left > 0; left -= left < LINK_PACKET ? left : LINK_PACKET) {
        memcpy(packet, out, left < LINK_PACKET ? left : LINK_PACKET);
        __asm__ volatile("" : : "r"(packet) : "memory"); /* somebody reads it */
    }
}

void control_play(void)
{
    struct wb_mem *mem = counter_mem();

    for (size_t i = 0; i < slot_count; i++)
        if (slots[i].before)
            slots[i].played = wb_mem_take(mem, slots[i].size);
    bench_begin();
    for (const struct step *s = steps; s < steps + step_count; s++) {
        if (s->what == TAKE)
            slots[s->slot].played = wb_mem_take(mem, s->size);
        else if (s->what == SEND)
            send_bytes(s->size);
        else {
            wb_mem_give(mem, slots[s->slot].played, s->size);
            slots[s->slot].played = NULL;
        }
    }
    bench_stop();
    for (size_t i = 0; i < slot_count; i++) {
        wb_mem_give(mem, slots[i].played, slots[i].size);
        slots[i].played = NULL;
    }
}
