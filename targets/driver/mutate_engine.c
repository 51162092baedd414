/*
 * mutate_engine.c: the mutator as engines want it. libFuzzer and Centipede find LLVMFuzzerCustom*
 * in the fuzzer itself; AFL++ loads afl_custom_* from a shared object of the same sources, built
 * with -DSIM_MUTATE_AFL, -fPIC and -shared. Wire targets have no ops: they keep the engine's own
 * mutations.
 */
#include "sim/mutate.h"
#include "targets/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* The engine's own; absent from AFL++ and from engines that bring none. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len,
                                 uint8_t *out, size_t max, unsigned seed);

/* A fuzzer has one target. */
static const struct fuzz_target *mutate_target(void)
{
    return fuzz_target_at(0);
}

static bool mutate_is_wire(void)
{
    return mutate_target()->kind == FUZZ_WIRE;
}

/* For wire targets of an engine that brings no mutator: flips bytes, and sometimes grows or
 * shrinks. */
static size_t mutate_bytes(uint8_t *data, size_t len, size_t max, uint32_t seed)
{
    if (len < max && (len == 0 || seed % 8 == 0)) {
        size_t at = seed / 8 % (len + 1);
        memmove(data + at + 1, data + at, len - at);
        data[at] = (uint8_t)(seed >> 24);
        return len + 1;
    }
    if (len > 1 && seed % 8 == 1) {
        size_t at = seed / 8 % len;
        memmove(data + at, data + at + 1, len - at - 1);
        return len - 1;
    }
    if (len > 0)
        data[seed / 8 % len] ^= (uint8_t)((seed >> 24) | 1);
    return len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max, unsigned seed)
{
    if (!mutate_is_wire())
        return sim_mutate_using(mutate_target()->ops, LLVMFuzzerMutate, data, len, max, seed);
    if (LLVMFuzzerMutate != NULL)
        return LLVMFuzzerMutate(data, len, max);
    return mutate_bytes(data, len, max, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len,
                                 uint8_t *out, size_t max, unsigned seed)
{
    if (!mutate_is_wire())
        return sim_cross(wb_view_of(a, a_len), wb_view_of(b, b_len), out, max, seed);
    /* A head of one and a tail of the other; the configuration byte stays in front. */
    size_t head = a_len > 0 ? 1 + seed % a_len : 0;
    size_t from = b_len > 0 ? seed / 7 % b_len : 0;
    head = head < max ? head : max;
    size_t tail = b_len - from < max - head ? b_len - from : max - head;
    if (head > 0)
        memcpy(out, a, head);
    if (tail > 0)
        memcpy(out + head, b + from, tail);
    return head + tail;
}

#ifdef SIM_MUTATE_AFL

struct mutate_afl {
    uint32_t seed;
    uint8_t *out; /* what AFL++ was handed last */
    size_t capacity;
    uint8_t *trim; /* the scenario as trimmed so far */
    size_t trim_len, trim_at, trim_steps;
    size_t trial_len; /* of the shorter one in `out` */
};

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t len, uint8_t **out_buf, uint8_t *add,
                       size_t add_len, size_t max);
int32_t afl_custom_init_trim(void *data, uint8_t *buf, size_t len);
size_t afl_custom_trim(void *data, uint8_t **out_buf);
int32_t afl_custom_post_trim(void *data, uint8_t success);
void afl_custom_deinit(void *data);

void *afl_custom_init(void *afl, unsigned seed)
{
    (void)afl;
    struct mutate_afl *m = calloc(1, sizeof(*m));
    if (m != NULL)
        m->seed = seed;
    return m;
}

/* Room for `len` bytes in m->out. */
static bool mutate_reserve(struct mutate_afl *m, size_t len)
{
    if (len <= m->capacity)
        return true;
    uint8_t *out = realloc(m->out, len);
    if (out == NULL)
        return false;
    m->out = out;
    m->capacity = len;
    return true;
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t len, uint8_t **out_buf, uint8_t *add,
                       size_t add_len, size_t max)
{
    struct mutate_afl *m = data;
    uint32_t seed = m->seed = m->seed * 1664525u + 1013904223u;
    size_t out_len = len < max ? len : max;
    if (!mutate_reserve(m, max)) {
        *out_buf = buf;
        return out_len;
    }
    *out_buf = m->out;
    if (add != NULL && add_len > 0 && seed >> 28 < 2)
        return LLVMFuzzerCustomCrossOver(buf, len, add, add_len, m->out, max, seed);
    memcpy(m->out, buf, out_len);
    return LLVMFuzzerCustomMutator(m->out, out_len, max, seed ^ seed >> 16);
}

int32_t afl_custom_init_trim(void *data, uint8_t *buf, size_t len)
{
    struct mutate_afl *m = data;
    m->trim_at = 0;
    if (mutate_is_wire())
        return 0;
    uint8_t *trim = realloc(m->trim, len > 0 ? len : 1);
    if (trim == NULL)
        return 0;
    m->trim = trim;
    if (!mutate_reserve(m, len))
        return 0;
    memcpy(trim, buf, len);
    m->trim_len = len;
    m->trim_steps = sim_trim_count(wb_view_of(trim, len));
    return (int32_t)m->trim_steps;
}

size_t afl_custom_trim(void *data, uint8_t **out_buf)
{
    struct mutate_afl *m = data;
    m->trial_len = sim_trim(wb_view_of(m->trim, m->trim_len), m->trim_at, m->out);
    *out_buf = m->out;
    return m->trial_len;
}

int32_t afl_custom_post_trim(void *data, uint8_t success)
{
    struct mutate_afl *m = data;
    if (success) {
        memcpy(m->trim, m->out, m->trial_len);
        m->trim_len = m->trial_len;
        m->trim_steps--;
    } else {
        m->trim_at++;
    }
    /* AFL++ stops at what init_trim said, which counted what is gone by now too. */
    return m->trim_at < m->trim_steps ? (int32_t)m->trim_at : INT32_MAX;
}

void afl_custom_deinit(void *data)
{
    struct mutate_afl *m = data;
    free(m->out);
    free(m->trim);
    free(m);
}

#endif
