/*
 * ops.c: the ops of a race, and a scenario as programs of threads. Slot 0 is the writer, 1 to 4 are
 * the readers.
 */
#include "targets/race/world.h"

static const char *const classes[] = {"writer", "reader", "steer", "fault", NULL};
static const char *const knobs[4] = {"upfront", "first", "chain"};

const char *const race_marks[] = {"preempted", "held",    "grew",     "pinned", "chained", "shared",
                                  "waited",    "crossed", "outlived", "cut",    "refused", NULL};

enum { WRITER, READER, STEER, FAULT };

#define ARG(kind_, name_)   .arg = kind_, .arg_name = name_
#define FLAGS(kind_, name_) .flags = kind_, .flags_name = name_

static const struct sim_op_desc descs[] = {
    {RACE_OPEN, WRITER, 2, "open", ARG(SIM_ARG_SIZE, "size"),
     .text = "the frame's declared size; the first one counts"},
    {RACE_WRITE, WRITER, 6, "write", ARG(SIM_ARG_SIZE, "size"), FLAGS(SIM_ARG_COUNT, "back"),
     .text = "the next bytes of the payload, and the `back` before them once more"},
    {RACE_GIVE, WRITER, 1, "give", ARG(SIM_ARG_SIZE, "size"),
     .text = "the next bytes as a slice that the frame may keep"},
    {RACE_FINISH, WRITER, 2, "finish", .text = "the writer finishes the frame"},
    {RACE_ABORT, WRITER, 1, "abort", .text = "the writer aborts the frame as WB_E_REMOTE"},
    {RACE_READ, READER, 6, "read", .uses_slot = true, ARG(SIM_ARG_COUNT, "times"),
     FLAGS(SIM_ARG_COUNT, "keep"),
     .text = "reads so often, 0 = to the end, waiting where nothing is new; keep=1 keeps slices"},
    {RACE_POLL, READER, 2, "poll", .uses_slot = true, ARG(SIM_ARG_COUNT, "times"),
     FLAGS(SIM_ARG_COUNT, "keep"), .text = "reads so often without waiting"},
    {RACE_DROP, READER, 2, "drop", .uses_slot = true, ARG(SIM_ARG_COUNT, "slices"),
     .text = "gives the oldest kept slices back, 0 = all"},
    {RACE_PAYLOAD, READER, 1, "payload", .uses_slot = true,
     .text = "asks for the whole payload, and keeps it"},
    {RACE_ASK, READER, 1, "ask", .uses_slot = true,
     .text = "asks how much is there, and how it is stored"},
    {RACE_LEAVE, READER, 1, "leave", .uses_slot = true,
     .text = "gives up its place and its reference to the frame, but not its slices"},
    {RACE_PREEMPT, STEER, 6, "preempt", .uses_slot = true, ARG(SIM_ARG_COUNT, "at"),
     .text = "at the n-th point after the last preemption the slot's thread goes on; 0 = when the "
             "running one waits or ends"},
    {RACE_HOLD, STEER, 2, "hold", ARG(SIM_ARG_COUNT, "at"),
     .text = "the n-th store after the last one held is held back, where C11 allows it"},
    {RACE_FAIL, FAULT, 1, "fail", ARG(SIM_ARG_COUNT, "nth"),
     .text = "the nth allocation is refused"},
};

static const char *const macros[] = {
    "write size=4\nwrite size=4\nwrite size=16\nfinish\n",
    "read s1 times=1 keep=1\nread s1 times=0\n",
    "preempt s1 at=4\npreempt s0 at=3\n",
    NULL,
};

const struct sim_ops race_ops = {.classes = classes,
                                 .knobs = knobs,
                                 .ops = descs,
                                 .count = sizeof(descs) / sizeof(descs[0]),
                                 .macros = macros};

static bool add_step(struct race_program *p, const struct sim_op *op)
{
    p->is_there = true;
    if (p->count == RACE_STEPS)
        return false;
    p->steps[p->count++] =
        (struct race_step){.op = (enum race_op)op->opcode, .arg = op->arg, .flags = op->flags};
    return true;
}

static bool add_steer(struct race_steer *s, const struct sim_op *op)
{
    if (s->count == RACE_STEERS)
        return false;
    s->at[s->count] = op->arg;
    s->thread[s->count++] = (uint8_t)(op->slot + 1);
    return true;
}

static bool load_op(struct race_world *w, const struct sim_op *op)
{
    switch ((enum race_op)op->opcode) {
    case RACE_OPEN:
        if (w->is_opened)
            return false;
        w->is_opened = true;
        w->size = op->arg < RACE_SIZE_MAX ? op->arg : RACE_SIZE_MAX;
        return true;
    case RACE_WRITE:
    case RACE_GIVE:
    case RACE_FINISH:
    case RACE_ABORT:
        return add_step(&w->writer, op);
    case RACE_READ:
    case RACE_POLL:
    case RACE_DROP:
    case RACE_PAYLOAD:
    case RACE_ASK:
    case RACE_LEAVE:
        return op->slot >= 1 && op->slot <= RACE_READERS &&
               add_step(&w->readers[op->slot - 1].program, op);
    case RACE_PREEMPT:
        return op->slot <= RACE_READERS && add_steer(&w->preempts, op);
    case RACE_HOLD:
        return add_steer(&w->holds, op);
    case RACE_FAIL:
        w->fail_at = op->arg;
        return true;
    }
    WB_UNREACHABLE();
}

static void add_defaults(struct race_world *w)
{
    static const struct sim_op write = {.opcode = RACE_WRITE, .arg = 8};
    static const struct sim_op finish = {.opcode = RACE_FINISH};
    static const struct sim_op read = {.opcode = RACE_READ};
    bool has_reader = false;

    if (!w->writer.is_there) {
        for (uint64_t at = 0; at < w->size; at += write.arg)
            (void)add_step(&w->writer, &write);
        (void)add_step(&w->writer, &finish);
    }
    for (size_t i = 0; i < RACE_READERS; i++)
        has_reader = has_reader || w->readers[i].program.is_there;
    for (size_t i = 0; i < 2 && !has_reader; i++)
        (void)add_step(&w->readers[i].program, &read);
}

void race_load(struct race_world *w, struct sim_run *run, struct wb_view input)
{
    struct sim_scenario scenario = sim_scenario_of(input);
    const uint8_t *knob = scenario.header.knob;
    struct sim_op op;

    *w = (struct race_world){.run = run, .size = 24};
    w->limits = (struct wb_frame_limits){.upfront = knob[0] == 0 ? 4 : knob[0],
                                         .first = knob[1] == 0 ? 4 : knob[1],
                                         .chain = knob[2] == 0               ? 64
                                                  : knob[2] < RACE_CHAIN_MIN ? RACE_CHAIN_MIN
                                                                             : knob[2]};
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&race_ops, run, &scenario.header, &op) != NULL && !load_op(w, &op))
            sim_ops_dead(run);
    }
    add_defaults(w);
}
