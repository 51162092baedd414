#include "sim/race_fiber.h"

#include <setjmp.h>
#include <ucontext.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#elif __has_feature(memory_sanitizer)
#define FIBER_MSAN 1
#elif __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#endif

#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_MSAN
#include <sanitizer/msan_interface.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
/* What switches is on both stacks: TSan's own record of calls must not have it on either. */
#define FIBER_BETWEEN __attribute__((disable_sanitizer_instrumentation))
#else
#define FIBER_BETWEEN
#endif

/* A failed check prints its report on the stack that it failed on. */
#define FIBER_STACK ((size_t)256 << 10)

struct fiber {
    sigjmp_buf jump;
    ucontext_t start;
    bool is_running; /* it has a frame to jump to */
    sim_race_fiber_fn fn;
    void *arg;
    /* for the sanitizers */
    const void *bottom;
    size_t size;
    void *kept;
};

static struct fiber fibers[SIM_RACE_FIBERS];
static _Alignas(64) uint8_t fiber_stacks[SIM_RACE_FIBERS][FIBER_STACK];
static unsigned fiber_now, fiber_before;

/* Told before a switch away from `from` ... */
static FIBER_BETWEEN void leave(struct fiber *from, struct fiber *to)
{
#if defined(FIBER_ASAN)
    __sanitizer_start_switch_fiber(&from->kept, to->bottom, to->size);
#elif defined(FIBER_MSAN)
    (void)from;
    __msan_start_switch_fiber(to->bottom, to->size);
#elif defined(FIBER_TSAN)
    if (from->kept == NULL)
        from->kept = __tsan_get_current_fiber();
    if (to->kept == NULL)
        to->kept = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(to->kept, 0);
#else
    (void)from, (void)to;
#endif
}

/* ... and after it, in the one that goes on; where the stack of number 0 lies is learnt so. */
static FIBER_BETWEEN void arrive(struct fiber *self, bool is_first)
{
    struct fiber *before = &fibers[fiber_before];
#if defined(FIBER_ASAN)
    __sanitizer_finish_switch_fiber(is_first ? NULL : self->kept, &before->bottom, &before->size);
#elif defined(FIBER_MSAN)
    (void)self, (void)is_first;
    __msan_finish_switch_fiber(&before->bottom, &before->size);
#else
    (void)self, (void)is_first, (void)before;
#endif
}

static void fiber_main(void)
{
    struct fiber *self = &fibers[fiber_now];

    arrive(self, true);
    for (;;)
        sim_race_fiber_switch(self->fn(self->arg));
}

void sim_race_fiber_start(unsigned fiber, sim_race_fiber_fn fn, void *arg)
{
    struct fiber *f = &fibers[fiber];

    WB_ASSERT(fiber > 0);
    WB_ASSERT(fiber < SIM_RACE_FIBERS);
    f->fn = fn;
    f->arg = arg;
    f->bottom = fiber_stacks[fiber];
    f->size = FIBER_STACK;
}

/* makecontext and setcontext make system calls: once for each fiber, not for each switch. */
static FIBER_BETWEEN void enter(struct fiber *to, unsigned fiber)
{
    int err = getcontext(&to->start);

    WB_ASSERT(err == 0);
    to->start.uc_stack.ss_sp = fiber_stacks[fiber];
    to->start.uc_stack.ss_size = FIBER_STACK;
    to->start.uc_link = NULL;
    makecontext(&to->start, fiber_main, 0);
    to->is_running = true;
    setcontext(&to->start);
    WB_UNREACHABLE();
}

FIBER_BETWEEN void sim_race_fiber_switch(unsigned fiber)
{
    struct fiber *from = &fibers[fiber_now], *to = &fibers[fiber];

    WB_ASSERT(fiber < SIM_RACE_FIBERS);
    WB_ASSERT(fiber != fiber_now);
    fiber_before = fiber_now;
    fiber_now = fiber;
    from->is_running = true;
    if (sigsetjmp(from->jump, 0) == 0) {
        leave(from, to);
        if (!to->is_running)
            enter(to, fiber);
        siglongjmp(to->jump, 1);
    }
    arrive(&fibers[fiber_now], false);
}

unsigned sim_race_fiber_now(void)
{
    return fiber_now;
}

void sim_race_fiber_forget(unsigned fiber)
{
    WB_ASSERT(fiber != fiber_now);
    fibers[fiber].is_running = false;
}
