#include "sim/run.h"

#include <stdarg.h>
#include <stdio.h>

struct wb_mem *sim_run_mem(struct sim_run *run)
{
    return &run->alloc.mem;
}

void sim_run_reset(struct sim_run *run)
{
    sim_alloc_reset(&run->alloc);
    sim_trace_reset(&run->trace);
    run->outcome = WB_OK;
    run->ops_live = 0;
    run->ops_dead = 0;
    run->story_len = 0;
    run->story[0] = '\0';
}

void sim_run_outcome(struct sim_run *run, enum wb_err outcome)
{
    run->outcome = outcome;
    sim_trace_mix(&run->trace, (uint64_t)outcome);
}

void sim_run_note(struct sim_run *run, uint64_t value)
{
    sim_trace_mix(&run->trace, value);
}

void sim_run_story(struct sim_run *run, const char *format, ...)
{
    if (!run->story_on)
        return;
    size_t room = SIM_STORY_MAX - run->story_len;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(run->story + run->story_len, room, format, args);
    va_end(args);
    WB_ASSERT(n >= 0);
    run->story_len += (size_t)n < room ? (size_t)n : room - 1;
}
