/*
 * run_stage.c: the ways to kill, from the cheapest to the dearest. Each runs once with no mutant
 * alive and notes which of its runs a mutant can change at all; a mutant meets these alone.
 */
#include "ci/mutate/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static bool bit(const uint8_t *bits, size_t i)
{
    return (bits[i / 8] >> i % 8 & 1) != 0;
}

/* ---- the corpus ---- */

struct turn {
    uint32_t input, kills;
    uint64_t ns;
};

static int by_promise(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->kills != y->kills)
        return x->kills > y->kills ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static void live_corpus(struct mutate *m, struct mutant *x, struct mutate_told *told, void *arg)
{
    struct turn *turns = mutate_take(m->input_count, sizeof(*turns));
    size_t count = 0;

    (void)arg;
    for (size_t i = 0; i < m->input_count; i++) {
        if (bit(x->inputs, i))
            turns[count++] = (struct turn){(uint32_t)i, m->kills[x->family * m->input_count + i],
                                           m->inputs[i].ns};
    }
    qsort(turns, count, sizeof(*turns), by_promise);
    for (size_t i = 0; i < count; i++) {
        told->at = turns[i].input;
        mutate_limit(turns[i].ns);
        told->has_effect |= mutate_try(&m->inputs[turns[i].input], 0);
    }
}

static void where_corpus(struct mutate *m, struct mutant *x, uint32_t at, void *arg)
{
    (void)arg;
    m->kills[x->family * m->input_count + at]++;
    snprintf(x->where, sizeof(x->where), "%s", m->inputs[at].file->path);
}

static bool wants_corpus(struct mutate *m, const struct mutant *x, void *arg)
{
    (void)m, (void)arg;
    return x->is_reached;
}

void mutate_corpus(struct mutate *m)
{
    const struct mutate_stage stage = {"corpus", MUTATE_STEP_CORPUS, live_corpus, where_corpus,
                                       NULL};

    mutate_stage_run(m, &stage, wants_corpus);
    mutate_pass(m, stage.step);
}

/* ---- single allocations refused, and each run a second time ---- */

struct combination {
    uint32_t input, n; /* n = 0: twice */
};

struct combinations {
    struct mutate *m;
    struct combination *at;
    size_t count, row; /* bytes of bits for one mutant */
    uint8_t *bits;     /* by mutant; shared */
};

#define SWEEP_FIRST  128 /* as a replay does */
#define SWEEP_SPREAD 64

static void combine(struct combinations *c, size_t input)
{
    const struct mutate_input *in = &c->m->inputs[input];
    uint64_t later = in->requests > SWEEP_FIRST ? in->requests - SWEEP_FIRST : 0;

    for (uint32_t n = 0; n <= in->requests - later; n++)
        c->at[c->count++] = (struct combination){(uint32_t)input, n};
    for (uint64_t i = 0; i < later && i < SWEEP_SPREAD; i++) {
        uint64_t at = i;
        if (later > SWEEP_SPREAD)
            at = sim_hash(wb_view_of(&i, sizeof(i)), in->hash) % later;
        c->at[c->count++] = (struct combination){(uint32_t)input, (uint32_t)(SWEEP_FIRST + 1 + at)};
    }
}

/* The request that is refused now. What a mutant changes before that, it changes in the plain run
 * as well: only what it changes from then on is noted. */
static uint64_t refused_now;

void *__real_wb_mem_take(struct wb_mem *mem, size_t size);
void *__wrap_wb_mem_take(struct wb_mem *mem, size_t size);

void *__wrap_wb_mem_take(struct wb_mem *mem, size_t size)
{
    void *block = __real_wb_mem_take(mem, size);

    if (block == NULL && refused_now > 0 && fuzz_run_state()->alloc.requests == refused_now) {
        memset(mutate_notes, 0, sizeof(mutate_notes));
        refused_now = 0;
    }
    return block;
}

static void sweep_part(size_t part, size_t of, void *arg)
{
    struct combinations *c = arg;

    for (size_t i = part; i < c->count; i += of) {
        const struct mutate_input *in = &c->m->inputs[c->at[i].input];

        mutate_now("a refused allocation", in->file->path);
        memset(mutate_notes, 0, sizeof(mutate_notes));
        mutate_map = mutate_notes;
        refused_now = c->at[i].n;
        mutate_try(in, c->at[i].n);
        refused_now = 0;
        mutate_map = NULL;
        for (size_t k = 0; k < c->m->mutant_count; k++) {
            const struct mutant *x = &c->m->mutants[k];
            if (mutate_is_open(x, MUTATE_STEP_SWEEP) && (mutate_notes[x->id] & MUTATE_DIFFERS) != 0)
                __atomic_fetch_or(&c->bits[k * c->row + i / 8], (uint8_t)(1u << i % 8),
                                  __ATOMIC_RELAXED);
        }
    }
}

/* A run that a mutant changes in its plain form, too, mostly tells nothing new: of these so many,
 * evenly spread. */
#define SWEEP_AGAIN 200

static void live_sweep(struct mutate *m, struct mutant *x, struct mutate_told *told, void *arg)
{
    const struct combinations *c = arg;
    const uint8_t *bits = c->bits + (size_t)(x - m->mutants) * c->row;
    size_t again = 0, seen = 0;

    for (size_t i = 0; i < c->count; i++)
        again += bit(bits, i) && c->at[i].n > 0 && bit(x->inputs, c->at[i].input);
    for (size_t i = 0; i < c->count; i++) {
        const struct mutate_input *in = &m->inputs[c->at[i].input];

        /* What changes no trace is not run twice. */
        if (!bit(bits, i) || (c->at[i].n == 0 && !x->has_effect))
            continue;
        if (c->at[i].n > 0 && bit(x->inputs, c->at[i].input) &&
            seen++ % (again / SWEEP_AGAIN + 1) != 0)
            continue;
        told->at = (uint32_t)i;
        mutate_limit(in->ns);
        bool differs = mutate_try(in, c->at[i].n);
        uint64_t hash = fuzz_run_state()->trace.hash;
        if (c->at[i].n == 0)
            mutate_try(in, 0);
        FUZZ_CHECK(BED_003, c->at[i].n > 0 || fuzz_run_state()->trace.hash == hash);
        told->has_effect |= differs;
    }
}

static void where_sweep(struct mutate *m, struct mutant *x, uint32_t at, void *arg)
{
    const struct combinations *c = arg;

    snprintf(x->where, sizeof(x->where), "%s, allocation %u refused",
             m->inputs[c->at[at].input].file->path, c->at[at].n);
}

static bool wants_bits(struct mutate *m, const struct mutant *x, void *arg)
{
    const struct combinations *c = arg;
    const uint8_t *bits = c->bits + (size_t)(x - m->mutants) * c->row;

    for (size_t i = 0; i < c->row; i++) {
        if (bits[i] != 0)
            return true;
    }
    return false;
}

void mutate_sweep(struct mutate *m)
{
    struct combinations c = {.m = m};
    const struct mutate_stage stage = {"sweep", MUTATE_STEP_SWEEP, live_sweep, where_sweep, &c};

    c.at = mutate_take(m->input_count * (SWEEP_FIRST + SWEEP_SPREAD + 1), sizeof(*c.at));
    for (size_t i = 0; i < m->input_count; i++)
        combine(&c, i);
    c.row = c.count / 8 + 1;
    c.bits = mutate_shared(m->mutant_count * c.row);
    if (!mutate_halves(m->workers, sweep_part, &c))
        exit(2);
    for (size_t k = 0; k < m->mutant_count; k++)
        m->mutants[k].is_reached |=
            m->mutants[k].end == MUTATE_OPEN && wants_bits(m, &m->mutants[k], &c);
    mutate_stage_run(m, &stage, wants_bits);
    mutate_pass(m, stage.step);
    free(c.at);
}

/* ---- programs that try all of something ---- */

struct program {
    char *path;
    const char *whom; /* NULL: everyone */
    unsigned char *map;
};

static void run_program(const struct program *p, rlim_t seconds)
{
    const struct rlimit cpu = {seconds, seconds}, file = {RLIM_INFINITY, RLIM_INFINITY};

    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_FSIZE, &file);
    execl(p->path, p->path, (char *)NULL);
    _exit(127);
}

static void live_program(struct mutate *m, struct mutant *x, struct mutate_told *told, void *arg)
{
    char number[16];

    (void)m, (void)told;
    snprintf(number, sizeof(number), "%u", x->id);
    setenv("MUTATE_LIVES", number, 1);
    run_program(arg, 60);
}

static void where_program(struct mutate *m, struct mutant *x, uint32_t at, void *arg)
{
    const struct program *p = arg;

    (void)m, (void)at;
    snprintf(x->where, sizeof(x->where), "%s", strrchr(p->path, '/') + 1);
}

static bool is_for(const char *whom, const struct mutant *x)
{
    size_t kind = strcspn(x->name, "-");

    for (const char *at = whom; at != NULL && *at != '\0'; at += *at == ',') {
        size_t len = strcspn(at, ",");
        if ((len == kind && strncmp(at, x->name, len) == 0) || strncmp(at, x->file, len) == 0)
            return true;
        at += len;
    }
    return whom == NULL;
}

static bool wants_program(struct mutate *m, const struct mutant *x, void *arg)
{
    const struct program *p = arg;

    (void)m;
    return (p->map[x->id] & MUTATE_DIFFERS) != 0 && is_for(p->whom, x);
}

static bool is_anybody(const struct mutate *m, const struct program *p, unsigned step)
{
    size_t k = 0;

    while (k < m->mutant_count &&
           !(mutate_is_open(&m->mutants[k], step) && is_for(p->whom, &m->mutants[k])))
        k++;
    return k < m->mutant_count;
}

void mutate_program(struct mutate *m, const char *program, unsigned step)
{
    char path[256], map[300], *whom;
    struct program p = {path, NULL, mutate_take(MUTATE_IDS, 1)};
    const struct mutate_stage stage = {"modes", step, live_program, where_program, &p};
    int status;

    snprintf(path, sizeof(path), "%s", program);
    whom = strchr(path, '@');
    if (whom != NULL)
        *whom++ = '\0';
    p.whom = whom;
    snprintf(map, sizeof(map), "%s.map", path);
    if (!is_anybody(m, &p, step))
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("MUTATE_MAP", map, 1);
        if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL)
            _exit(127);
        run_program(&p, 120);
    }
    FILE *in = NULL;
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        in = fopen(map, "rb");
    if (in == NULL || fread(p.map, 1, MUTATE_IDS, in) != MUTATE_IDS) {
        fprintf(stderr, "mutant 0 is not clean: %s\n", path);
        exit(2);
    }
    fclose(in);
    for (size_t k = 0; k < m->mutant_count; k++)
        m->mutants[k].is_reached |= p.map[m->mutants[k].id] != 0;
    mutate_stage_run(m, &stage, wants_program);
    mutate_pass(m, step);
    free(p.map);
}
