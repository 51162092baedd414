/*
 * side.c: the shared object's end of side.h. The linker hands it what the core asks for by name
 * (--wrap), the compiler what the core does block by block (trace-pc), so that neither core nor
 * targets know of it, in whatever revision.
 */
#include "targets/vet/side.h"

#include "sim/mutate.h"
#include "targets/fuzz.h"
#include "targets/subject.h"
#include "targets/vet/joint.h"
#include "targets/vet/quiet.h"
#include "targets/vet/written.h"

#include <string.h>

#if defined(__has_include)
#if __has_include("core/base/cost.h")
#include "core/base/cost.h"
#define SIDE_HAS_COST 1
#endif
#endif

_Static_assert(VET_MARK_WORDS * 64 == SIM_MARKS_MAX, "a bit for each mark");

/* Where counts go between runs, to nobody. */
static struct vet_told side_nobody;
static struct vet_told *side_now = &side_nobody;
static uint8_t *side_map;
static FILE *side_steps; /* NULL while nobody wants lines */
unsigned vet_quiet;      /* > 0: what happens now is a check's own work */
bool vet_unchecked;

static void side_count(enum vet_cost cost, uint64_t n)
{
    if (vet_quiet == 0)
        side_now->cost[cost] += n;
}

/* ---- what the compiler and the linker hand over ---- */

extern const char __ehdr_start[]; /* the linker's: where this object lies */
void __sanitizer_cov_trace_pc(void);
void *vet_copy(void *to, const void *from, size_t len);
void *vet_move(void *to, const void *from, size_t len);
int vet_compare(const void *a, const void *b, size_t len);
void *__real_wb_mem_take(struct wb_mem *mem, size_t size);
void *__wrap_wb_mem_take(struct wb_mem *mem, size_t size);
void __real_sim_trace_mix(struct sim_trace *t, uint64_t value);
void __wrap_sim_trace_mix(struct sim_trace *t, uint64_t value);
void __real_sim_trace_mix_bytes(struct sim_trace *t, struct wb_view bytes);
void __wrap_sim_trace_mix_bytes(struct sim_trace *t, struct wb_view bytes);

/* One block of the core was entered. */
void __sanitizer_cov_trace_pc(void)
{
    size_t at = (size_t)((const char *)__builtin_return_address(0) - __ehdr_start);

    if (side_map != NULL && at / 8 < VET_COVER_BYTES)
        side_map[at / 8] |= (uint8_t)(1u << at % 8);
    side_count(VET_STEPS, 1);
}

void *vet_copy(void *to, const void *from, size_t len)
{
    side_count(VET_COPIED, len);
    return memcpy(to, from, len);
}

void *vet_move(void *to, const void *from, size_t len)
{
    side_count(VET_COPIED, len);
    return memmove(to, from, len);
}

int vet_compare(const void *a, const void *b, size_t len)
{
    side_count(VET_COMPARED, 1);
    return memcmp(a, b, len);
}

void *__wrap_wb_mem_take(struct wb_mem *mem, size_t size)
{
    void *block = __real_wb_mem_take(mem, size);
    if (block != NULL) {
        side_count(VET_ALLOCATIONS, 1);
        side_count(VET_ALLOCATED, size);
    }
    return block;
}

void __wrap_sim_trace_mix(struct sim_trace *t, uint64_t value)
{
    if (side_steps != NULL)
        fprintf(side_steps, "note %llu\n", (unsigned long long)value);
    __real_sim_trace_mix(t, value);
}

/* Bytes are told by their number, a hash, and how they begin. */
void __wrap_sim_trace_mix_bytes(struct sim_trace *t, struct wb_view bytes)
{
    if (side_steps != NULL) {
        fprintf(side_steps, "bytes %zu:", bytes.len);
        for (size_t i = 0; i < bytes.len && i < 24; i++)
            fprintf(side_steps, " %02x", bytes.data[i]);
        if (bytes.len > 24)
            fprintf(side_steps, " ..., hash %016llx", (unsigned long long)sim_hash(bytes, 0));
        fputc('\n', side_steps);
    }
    __real_sim_trace_mix_bytes(t, bytes);
}

void vet_frames(uint64_t copied, uint64_t shared, uint64_t assembled)
{
    side_count(VET_FRAMES_COPIED, copied);
    side_count(VET_FRAMES_SHARED, shared);
    side_count(VET_FRAMES_ASSEMBLED, assembled);
}

/* ---- failures ---- */

void vet_failed(const char *id, const char *sentence, const char *file, int line,
                const char *condition)
{
    if (side_now->failures++ == 0)
        snprintf(side_now->failed, sizeof(side_now->failed), "%s", id);
    if (side_steps != NULL)
        fprintf(side_steps, "FAILED %s %s\n  where: %s:%d %s\n", id, sentence, file, line,
                condition);
    /* Whoever goes on and fails for ever would never end. */
    if (side_now->failures == 1000)
        __builtin_trap();
}

/* ---- the interface ---- */

static const char *side_name(size_t i)
{
    return fuzz_target_at(i)->name;
}

static uint32_t side_kind(size_t i)
{
    return fuzz_target_at(i)->kind;
}

static const char *side_op(size_t i, uint8_t opcode)
{
    const struct fuzz_target *target = fuzz_target_at(i);
    const struct sim_op_desc *op = target->ops != NULL ? sim_ops_find(target->ops, opcode) : NULL;
    return op != NULL ? op->name : NULL;
}

static const char *side_sentence(const char *id)
{
    const struct inv_desc *inv = inv_find(id);
    return inv != NULL ? inv->text : NULL;
}

static size_t side_mutate(size_t i, uint8_t *bytes, size_t len, size_t max, uint32_t seed)
{
    const struct fuzz_target *target = fuzz_target_at(i);

    if (target->kind == FUZZ_WIRE)
        return 0;
    return sim_mutate(target->ops, bytes, len, max, seed);
}

static void side_cover(uint8_t map[VET_COVER_BYTES])
{
    side_map = map;
}

/* What the core counts by itself since the last call. A target may have set it back meanwhile. */
static uint64_t side_compared(void)
{
#ifdef SIDE_HAS_COST
    uint64_t count = wb_cost.paths_compared + wb_cost.positions_compared;
    wb_cost = (struct wb_cost){0};
    return count;
#else
    return 0;
#endif
}

/* What a run told, as corpus files state it: without blanks around. */
static struct wb_view story_of(const struct sim_run *run)
{
    size_t begin = 0, end = run->story_len;

    while (begin < end && strchr(" \t\n", run->story[begin]) != NULL)
        begin++;
    while (end > begin && strchr(" \t\n", run->story[end - 1]) != NULL)
        end--;
    return wb_view_of(run->story + begin, end - begin);
}

static void side_run(size_t target, const uint8_t *bytes, size_t len, FILE *steps,
                     struct vet_told *out)
{
    struct sim_run *run = fuzz_run_state();

    (void)side_compared();
    memset(run->marks, 0, sizeof(run->marks));
    run->story_on = true;
    run->trace.live = steps;
    side_steps = steps;
    vet_quiet = 0;
    vet_written_reset();
    side_now = out;
    out->state = VET_RUNS;
    run = fuzz_run(fuzz_target_at(target), wb_view_of(bytes, len));
    side_now = &side_nobody;
    side_steps = NULL;
    run->trace.live = NULL;
    out->hash = run->trace.hash;
    out->lines = run->trace.count;
    out->story_hash = sim_hash(story_of(run), 1);
    out->ops_live = run->ops_live;
    out->ops_dead = run->ops_dead;
    out->cost[VET_PEAK] = run->alloc.peak_bytes;
    out->cost[VET_COMPARED] += side_compared();
    snprintf(out->outcome, sizeof(out->outcome), "%s", wb_err_name((int)run->outcome));
    for (unsigned i = 0; i < SIM_MARKS_MAX; i++)
        out->marks[i / 64] |= (uint64_t)(run->marks[i] > 0) << i % 64;
    vet_written_pack(out);
    if (steps != NULL) {
        fprintf(steps, "story %.*s\n", (int)run->story_len, run->story);
        fprintf(steps, "outcome %s\n", out->outcome);
    }
    out->state = VET_DONE;
}

static void side_hurry(void)
{
    vet_unchecked = true;
}

static const void *side_ends(void)
{
    return vet_ends();
}

__attribute__((visibility("default"))) const struct vet_side *vet_side(void)
{
    static struct vet_side side = {.interface = VET_INTERFACE,
                                   .told_size = sizeof(struct vet_told),
                                   .version = SIM_VERSION,
                                   .header = SIM_HEADER,
                                   .record = SIM_RECORD,
                                   .count = fuzz_target_count,
                                   .name = side_name,
                                   .kind = side_kind,
                                   .op = side_op,
                                   .sentence = side_sentence,
                                   .cover = side_cover,
                                   .mutate = side_mutate,
                                   .run = side_run,
                                   .hurry = side_hurry,
                                   .ends = side_ends,
                                   .layout = vet_layout,
                                   .join = vet_join,
                                   .relay = vet_relay,
                                   .reader_open = vet_reader_open,
                                   .reader_push = vet_reader_push,
                                   .reader_end = vet_reader_end};
    side.subject = subject_reply()->name;
    return &side;
}
