/*
 * shrink.c: trying candidates against one failure, and the moves that every kind of input shares.
 */
#include "targets/bed/shrink.h"

#include "sim/trace.h"
#include "targets/bed/bed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS_MAX       16
#define PIECES_MAX       65536
#define TIMEOUT_ATTEMPTS 40 /* each costs a whole timeout */

/* A child that cannot be had for a moment must not change the result. */
static bool run_child(const struct bed_shrink *s, struct wb_view input, enum replay_how how,
                      struct replay_verdict *out)
{
    for (int i = 0; i < 8; i++) {
        if (replay_run(s->target, input, how, false, out))
            return true;
        usleep(20000);
    }
    bed_cannot("no child process: %s", strerror(errno));
    return false;
}

static struct bed_shrink *shrink_of(const struct fuzz_target *target, struct wb_view input,
                                    uint64_t attempts_max, bool live)
{
    struct bed_shrink *s = bed_take(sizeof(*s));

    memset(s, 0, sizeof(*s));
    s->target = target;
    s->attempts_max = attempts_max;
    s->live = live;
    s->len = input.len;
    s->capacity = input.len + SIM_HEADER + SIM_RECORD;
    s->best = bed_take(s->capacity);
    s->candidate = bed_take(s->capacity);
    if (input.len > 0)
        memcpy(s->best, input.data, input.len);
    return s;
}

enum bed_shrink_start bed_shrink_first(const struct corpus_file *file, uint64_t attempts_max,
                                       struct bed_shrink **out)
{
    enum bed_shrink_start start = BED_SHRINK_PASSES;

    *out = NULL;
    for (size_t i = 0; start == BED_SHRINK_PASSES && i < corpus_input_count(file); i++) {
        size_t len;
        uint8_t *bytes = corpus_input(file, i, &len);
        bed_shrink_free(*out);
        start = bed_shrink_new(file->target, wb_view_of(bytes, len), attempts_max,
                               isatty(STDERR_FILENO), out);
        free(bytes);
    }
    return start;
}

struct bed_shrink *bed_shrink_judged(const struct fuzz_target *target, struct wb_view input,
                                     uint64_t attempts_max, bool live, const char *label,
                                     bed_shrink_same_fn same, void *context)
{
    struct bed_shrink *s = shrink_of(target, input, attempts_max, live);

    snprintf(s->id, sizeof(s->id), "%s", label);
    s->same = same;
    s->context = context;
    return s;
}

enum bed_shrink_start bed_shrink_new(const struct fuzz_target *target, struct wb_view input,
                                     uint64_t attempts_max, bool live, struct bed_shrink **out)
{
    static const enum replay_how hows[] = {REPLAY_ONCE, REPLAY_FULL};
    struct bed_shrink *s = *out = shrink_of(target, input, attempts_max, live);

    for (size_t i = 0; i < 2; i++) {
        struct replay_verdict verdict;
        if (!run_child(s, input, hows[i], &verdict))
            return BED_SHRINK_CANNOT;
        bool failed = verdict.failed;
        snprintf(s->id, sizeof(s->id), "%s", verdict.id);
        replay_verdict_free(&verdict);
        s->how = hows[i];
        if (!failed)
            continue;
        if (strncmp(s->id, "timeout", strlen("timeout")) == 0 && s->attempts_max > TIMEOUT_ATTEMPTS)
            s->attempts_max = TIMEOUT_ATTEMPTS;
        return BED_SHRINK_FAILS;
    }
    return BED_SHRINK_PASSES;
}

void bed_shrink_free(struct bed_shrink *s)
{
    if (s == NULL)
        return;
    free(s->best);
    free(s->candidate);
    free(s);
}

bool bed_shrink_verdict(const struct bed_shrink *s, struct replay_verdict *out)
{
    return run_child(s, wb_view_of(s->best, s->len), s->how, out);
}

/* True when these bytes are new; a full table only costs attempts. */
static bool note_seen(struct bed_shrink *s, struct wb_view input)
{
    uint64_t hash = sim_hash(input, 1) | 1;
    size_t at = (size_t)(hash >> 32) % BED_SHRINK_SEEN;

    while (s->seen[at] != 0) {
        if (s->seen[at] == hash)
            return false;
        at = (at + 1) % BED_SHRINK_SEEN;
    }
    if (s->seen_count < BED_SHRINK_SEEN / 4 * 3) {
        s->seen[at] = hash;
        s->seen_count++;
    }
    return true;
}

static void show_progress(const struct bed_shrink *s)
{
    if (s->live && s->attempts % 16 == 0)
        fprintf(stderr, "\r\033[Kminimising %s: %zu bytes, attempt %llu of at most %llu\r", s->id,
                s->len, (unsigned long long)s->attempts, (unsigned long long)s->attempts_max);
}

static bool is_best(const struct bed_shrink *s, size_t len)
{
    return len == s->len && (len == 0 || memcmp(s->candidate, s->best, len) == 0);
}

/* One attempt. A child that cannot be had ends them all. */
static bool is_same(struct bed_shrink *s, struct wb_view input)
{
    struct replay_verdict verdict;

    if (s->same != NULL)
        return s->same(s->context, input);
    if (!run_child(s, input, s->how, &verdict)) {
        s->attempts = s->attempts_max;
        return false;
    }
    bool same = verdict.failed && strcmp(verdict.id, s->id) == 0;
    replay_verdict_free(&verdict);
    return same;
}

bool bed_shrink_try(struct bed_shrink *s, size_t len)
{
    struct wb_view input = wb_view_of(s->candidate, len);

    if (s->attempts >= s->attempts_max || is_best(s, len) || !note_seen(s, input))
        return false;
    s->attempts++;
    show_progress(s);
    if (!is_same(s, input))
        return false;
    uint8_t *spare = s->best;
    s->best = s->candidate;
    s->candidate = spare;
    s->len = len;
    return true;
}

void bed_shrink_copy(struct bed_shrink *s)
{
    if (s->len > 0)
        memcpy(s->candidate, s->best, s->len);
}

static bool try_without(struct bed_shrink *s, size_t begin, size_t end)
{
    if (begin >= end)
        return false;
    memcpy(s->candidate, s->best, begin);
    memcpy(s->candidate + begin, s->best + end, s->len - end);
    return bed_shrink_try(s, s->len - (end - begin));
}

bool bed_shrink_pieces(struct bed_shrink *s, size_t begin, bed_shrink_cut_fn cut)
{
    if (s->len <= begin)
        return false;
    size_t *ends = bed_take(PIECES_MAX * sizeof(*ends));
    size_t count = cut(wb_view_of(s->best, s->len), ends, PIECES_MAX);
    bool changed = false;

    for (size_t run = count; run > 0; run /= 2) {
        for (size_t end = count; end > 0;) {
            size_t first = end > run ? end - run : 0;
            size_t from = first > 0 ? ends[first - 1] : begin;
            if (try_without(s, from, ends[end - 1])) {
                changed = true;
                count = cut(wb_view_of(s->best, s->len), ends, PIECES_MAX);
            }
            end = first < count ? first : count;
        }
    }
    free(ends);
    return changed;
}

/* ---- numbers and plain bytes in place ---- */

struct field {
    size_t offset, size;
    unsigned shift;
    uint32_t mask;
};

static uint32_t field_word(const struct field *f, const uint8_t *bytes)
{
    uint32_t word = 0;
    for (size_t i = 0; i < f->size; i++)
        word |= (uint32_t)bytes[f->offset + i] << (8 * i);
    return word;
}

static bool try_field(struct bed_shrink *s, const struct field *f, uint32_t value)
{
    bed_shrink_copy(s);
    uint32_t word = field_word(f, s->candidate);
    word = (word & ~(f->mask << f->shift)) | value << f->shift;
    for (size_t i = 0; i < f->size; i++)
        s->candidate[f->offset + i] = (uint8_t)(word >> (8 * i));
    return bed_shrink_try(s, s->len);
}

bool bed_shrink_number(struct bed_shrink *s, size_t offset, size_t size, unsigned shift,
                       uint32_t mask)
{
    struct field f = {offset, size, shift, mask};
    if (offset + size > s->len)
        return false;
    uint32_t value = field_word(&f, s->best) >> shift & mask, before = value;

    if (value == 0)
        return false;
    if (try_field(s, &f, 0))
        return true;
    if (value > 1 && try_field(s, &f, 1))
        return true;
    for (uint32_t step = value / 2; step > 0; step /= 2)
        while (value > step && try_field(s, &f, value - step))
            value -= step;
    return value != before;
}

bool bed_shrink_plain(struct bed_shrink *s, size_t begin, size_t end)
{
    static const uint8_t plain[] = {'0', ' '};
    bool changed = false;

    for (size_t i = begin; i < end && i < s->len; i++) {
        uint8_t now = s->best[i];
        if (now == '0' || now == ' ')
            continue;
        bool done = false;
        for (size_t k = 0; !done && k < sizeof(plain); k++) {
            bed_shrink_copy(s);
            s->candidate[i] = plain[k];
            done = bed_shrink_try(s, s->len);
        }
        changed = changed || done;
    }
    return changed;
}

void bed_shrink_run(struct bed_shrink *s)
{
    bool changed = true;

    for (int round = 0; changed && round < ROUNDS_MAX && s->attempts < s->attempts_max; round++)
        changed = s->target->kind == FUZZ_SCENARIO ? bed_shrink_scenario(s) : bed_shrink_wire(s);
    if (s->live)
        fputs("\033[K", stderr);
}
