#include "sim/sched.h"

#include <string.h>

static void sched_remove(struct sim_sched *s, size_t i)
{
    s->count--;
    memmove(&s->events[i], &s->events[i + 1], (s->count - i) * sizeof(s->events[0]));
}

void sim_sched_init(struct sim_sched *s)
{
    s->now_ns = 0;
    s->next_sequence = 0;
    s->steps = 0;
    s->skip = 0;
    s->count = 0;
}

bool sim_sched_at(struct sim_sched *s, uint64_t delay_ns, uint32_t kind, uint32_t who, uint64_t arg)
{
    if (s->count == SIM_SCHED_MAX)
        return false;
    uint64_t time_ns = delay_ns > UINT64_MAX - s->now_ns ? UINT64_MAX : s->now_ns + delay_ns;
    /* A new event is the last of its instant: its sequence is the highest. */
    size_t i = s->count;
    while (i > 0 && s->events[i - 1].time_ns > time_ns)
        i--;
    memmove(&s->events[i + 1], &s->events[i], (s->count - i) * sizeof(s->events[0]));
    s->events[i] = (struct sim_event){
        .time_ns = time_ns, .sequence = s->next_sequence++, .kind = kind, .who = who, .arg = arg};
    s->count++;
    return true;
}

void sim_sched_cancel(struct sim_sched *s, uint32_t kind, uint32_t who)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->events[i].kind != kind || s->events[i].who != who)
            s->events[kept++] = s->events[i];
    }
    s->count = kept;
}

void sim_sched_override(struct sim_sched *s, uint32_t k)
{
    s->skip = k;
}

bool sim_sched_take(struct sim_sched *s, uint64_t until_ns, struct sim_event *out)
{
    if (s->count == 0 || s->events[0].time_ns > until_ns)
        return false;
    uint64_t time_ns = s->events[0].time_ns;
    size_t i = 0;
    while (i < s->skip && i + 1 < s->count && s->events[i + 1].time_ns == time_ns)
        i++;
    WB_ASSERT(time_ns >= s->now_ns);
    s->skip = 0;
    s->now_ns = time_ns;
    s->steps++;
    *out = s->events[i];
    sched_remove(s, i);
    return true;
}

void sim_sched_advance(struct sim_sched *s, uint64_t to_ns)
{
    WB_ASSERT(to_ns >= s->now_ns);
    bool passes_none = s->count == 0 || s->events[0].time_ns >= to_ns;
    WB_ASSERT(passes_none);
    s->now_ns = to_ns;
}
