/*
 * run_fuzz.c: the last way to kill: inputs drawn from the corpus by number, the same in each run.
 * What dies here and nowhere else is written down as text: the corpus lacks it.
 */
#include "ci/mutate/run.h"
#include "sim/hex.h"
#include "sim/mutate.h"
#include "sim/scenario.h"
#include "sim/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A mutant that has changed no trace so far will hardly change one here: so many runs show it. */
#define FUZZ_SAME    100
#define FINDINGS_MAX 8 /* of one target, written down */

/* ---- drawn ---- */

static uint64_t draw(uint64_t *state)
{
    *state = sim_hash(wb_view_of("mutate", 6), *state);
    return *state >> 16;
}

static const struct mutate_input *pick(const struct mutate *m, const struct fuzz_target *target,
                                       uint64_t n)
{
    size_t first = 0, count = 0;

    while (first < m->input_count && m->inputs[first].target != target)
        first++;
    while (first + count < m->input_count && m->inputs[first + count].target == target)
        count++;
    return count > 0 ? &m->inputs[first + n % count] : NULL;
}

static size_t change_bytes(uint8_t *b, size_t len, size_t max, const struct mutate_input *other,
                           uint64_t *state)
{
    static const uint8_t telling[] = {0x00, 0x01, 0x3f, 0x40, 0x7f, 0x80, 0xc0,
                                      0xff, '\r', '\n', ' ',  '0',  '9',  'k'};
    uint64_t how = draw(state) % 7;

    if (len < 2)
        return b[0] = (uint8_t)draw(state), len > 0 ? len : 1;
    size_t at = 1 + draw(state) % (len - 1), from = draw(state) % (other->len + 1);
    if (how == 0)
        b[0] ^= (uint8_t)(1u << draw(state) % 8);
    else if (how == 1)
        b[at] ^= (uint8_t)(1u << draw(state) % 8);
    else if (how == 2)
        b[at] = telling[draw(state) % sizeof(telling)];
    else if (how == 3)
        b[at] = (uint8_t)(b[at] + (draw(state) % 2 == 0 ? 1 : 255));
    else if (how == 4)
        memmove(b + at, b + at + 1, --len - at);
    else if (how == 5 && len < max) {
        memmove(b + at + 1, b + at, len++ - at);
        b[at] = telling[draw(state) % sizeof(telling)];
    } else {
        len = at + (other->len - from < max - at ? other->len - from : max - at);
        memcpy(b + at, other->bytes + from, len - at);
    }
    return len;
}

static struct mutate_input input_of(const struct mutate *m, const struct fuzz_target *target,
                                    uint64_t i)
{
    uint64_t state = sim_hash(wb_view_of(&i, sizeof(i)), 1);
    const struct mutate_input *base = pick(m, target, draw(&state));
    const struct mutate_input *other = pick(m, target, draw(&state));
    struct mutate_input out = {.target = target};

    if (base == NULL)
        return out;
    size_t max = base->len + 512 < 4096 ? 4096 : base->len + 512;
    out.bytes = mutate_take(max, 1);
    out.len = base->len;
    memcpy(out.bytes, base->bytes, base->len);
    if (target->kind == FUZZ_SCENARIO && draw(&state) % 8 == 0)
        out.len =
            sim_cross(wb_view_of(base->bytes, base->len), wb_view_of(other->bytes, other->len),
                      out.bytes, max, (uint32_t)draw(&state));
    for (uint64_t n = 1 + draw(&state) % 4; n > 0; n--)
        out.len = target->kind == FUZZ_SCENARIO
                      ? sim_mutate(target->ops, out.bytes, out.len, max, (uint32_t)draw(&state))
                      : change_bytes(out.bytes, out.len, max, other, &state);
    return out;
}

/* ---- as text ---- */

/* The child that runs an input, dead or not. Nothing of what it says is kept. */
static bool dies(const struct mutate_input *in, unsigned id)
{
    int status;

    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        mutate_child(id);
        if (freopen("/dev/null", "w", stderr) == NULL || freopen("/dev/null", "w", stdout) == NULL)
            _exit(0);
        mutate_limit(0);
        mutate_try(in, 0);
        _exit(0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
}

/* Leaves out what can be left out: records of a scenario, bytes of a protocol. */
static void shorten(struct mutate_input *in, unsigned id)
{
    size_t unit = in->target->kind == FUZZ_SCENARIO ? SIM_RECORD : 1;
    size_t head = in->target->kind == FUZZ_SCENARIO ? SIM_HEADER : 1;

    for (size_t n = in->len / 2 / unit * unit; n > 0; n = n / 2 / unit * unit) {
        for (size_t at = head; at + n <= in->len;) {
            struct mutate_input less = *in;
            less.len -= n;
            less.bytes = mutate_take(less.len, 1);
            memcpy(less.bytes, in->bytes, at);
            memcpy(less.bytes + at, in->bytes + at + n, less.len - at);
            if (dies(&less, id) && (id == 0 || !dies(&less, 0))) {
                free(in->bytes);
                *in = less;
            } else {
                free(less.bytes);
                at += n;
            }
        }
    }
}

static void write_found(const struct mutate *m, struct mutate_input *in, unsigned id,
                        const char *name, const char *lesson)
{
    char path[512];
    struct wb_buf text;
    struct wb_view bytes;
    enum wb_err err;

    shorten(in, id);
    bytes = wb_view_of(in->bytes, in->len);
    wb_buf_init(&text, wb_mem_libc(), (size_t)1 << 24);
    if (in->target->kind == FUZZ_SCENARIO)
        err = sim_text_show(in->target->ops, bytes, &text);
    else
        err = sim_hex_show(wb_view_sub(bytes, 1, bytes.len), &text);
    int folder = (int)(strrchr(m->results, '/') - m->results);
    snprintf(path, sizeof(path), "%.*s/found", folder, m->results);
    mkdir(path, 0777);
    snprintf(path, sizeof(path), "%.*s/found/%s.%s", folder, m->results, name,
             in->target->kind == FUZZ_SCENARIO ? "scn" : "hex");
    FILE *out = err == WB_OK ? fopen(path, "w") : NULL;
    if (out == NULL) {
        perror(path);
        exit(2);
    }
    fprintf(out, "# %s: %s\n", in->target->name, lesson);
    if (in->target->kind == FUZZ_WIRE)
        fprintf(out, "# config: %02x\n", in->len > 0 ? in->bytes[0] : 0);
    fprintf(out, "%.*s\n", (int)text.len, (const char *)text.data);
    fclose(out);
    wb_buf_fini(&text);
}

/* ---- fuzz runs ---- */

struct drawn {
    struct mutate *m;
    const struct fuzz_target *target;
    unsigned step;
    size_t row;
    uint8_t *bits;
    uint64_t *ns, *hash;
    uint32_t *len, *order; /* the shortest first */
    size_t *next;          /* of each part: the run after the one that is under way */
};

static void fuzz_part(size_t part, size_t of, void *arg)
{
    struct drawn *d = arg;

    if (freopen("/dev/null", "w", stderr) == NULL)
        return;
    for (size_t i = d->next[part]; i < d->m->fuzz_runs; i += of) {
        struct mutate_input in = input_of(d->m, d->target, i);

        d->next[part] = i + of;
        mutate_now("a fuzz run", d->target->name);
        memset(mutate_notes, 0, sizeof(mutate_notes));
        mutate_map = mutate_notes;
        uint64_t begin = mutate_ns();
        mutate_try(&in, 0);
        mutate_map = NULL;
        d->ns[i] = mutate_ns() - begin;
        d->hash[i] = fuzz_run_state()->trace.hash;
        d->len[i] = (uint32_t)in.len;
        free(in.bytes);
        for (size_t k = 0; k < d->m->mutant_count; k++) {
            const struct mutant *x = &d->m->mutants[k];
            if (mutate_is_open(x, d->step) && (mutate_notes[x->id] & MUTATE_DIFFERS) != 0)
                __atomic_fetch_or(&d->bits[k * d->row + i / 8], (uint8_t)(1u << i % 8),
                                  __ATOMIC_RELAXED);
        }
    }
    d->next[part] = SIZE_MAX;
}

/* A run that fails with no mutant alive is a finding of its own: it is written down, told, and left
 * out. */
static void record(struct drawn *d)
{
    size_t told = 0;

    for (size_t part = 0; part < d->m->workers; part++)
        d->next[part] = part;
    while (!mutate_halves(d->m->workers, fuzz_part, d)) {
        for (size_t part = 0; part < d->m->workers; part++) {
            size_t i = d->next[part] - d->m->workers;
            char name[96];

            if (d->next[part] == SIZE_MAX || d->next[part] < d->m->workers)
                continue;
            d->m->failed = true;
            if (told++ >= FINDINGS_MAX)
                continue;
            struct mutate_input in = input_of(d->m, d->target, i);
            snprintf(name, sizeof(name), "%s-%zu", d->target->name, i);
            write_found(d->m, &in, 0, name, "fails with no mutant alive.");
            free(in.bytes);
            printf("no mutant is needed: found/%s fails\n", name);
            fprintf(d->m->out, "%s\t-\t-\t-\t-\tfinding\tfuzz\t-\t%s\n", d->m->world, name);
        }
    }
}

static const struct drawn *sorted;

static int by_length(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (sorted->len[x] != sorted->len[y])
        return sorted->len[x] < sorted->len[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static void live_fuzz(struct mutate *m, struct mutant *x, struct mutate_told *told, void *arg)
{
    const struct drawn *d = arg;
    const uint8_t *bits = d->bits + (size_t)(x - m->mutants) * d->row;
    size_t count = 0, seen = 0, every = 1;

    for (size_t i = 0; i < m->fuzz_runs; i++)
        count += bits[i / 8] >> i % 8 & 1;
    if (x->is_reached && !x->has_effect)
        every = count / FUZZ_SAME + 1;
    for (size_t k = 0; k < m->fuzz_runs; k++) {
        uint32_t i = d->order[k];
        if ((bits[i / 8] >> i % 8 & 1) == 0 || seen++ % every != 0)
            continue;
        struct mutate_input in = input_of(m, d->target, i);
        in.hash = d->hash[i];
        told->at = i;
        mutate_limit(d->ns[i]);
        told->has_effect |= mutate_try(&in, 0);
        free(in.bytes);
    }
}

static void where_fuzz(struct mutate *m, struct mutant *x, uint32_t at, void *arg)
{
    const struct drawn *d = arg;
    struct mutate_input in = input_of(m, d->target, at);
    const char *base = strrchr(x->file, '/') + 1;
    char name[256], lesson[512];

    snprintf(name, sizeof(name), "%.*s-%s-%s", (int)strcspn(base, "."), base, x->function, x->name);
    snprintf(lesson, sizeof(lesson), "kills %s of %s in %s, by %s.", x->name, x->function, x->file,
             x->by);
    write_found(m, &in, x->id, name, lesson);
    free(in.bytes);
    snprintf(x->where, sizeof(x->where), "%s, fuzz run %u, found/%s", d->target->name, at, name);
}

static bool wants_fuzz(struct mutate *m, const struct mutant *x, void *arg)
{
    const struct drawn *d = arg;
    const uint8_t *bits = d->bits + (size_t)(x - m->mutants) * d->row;

    for (size_t i = 0; i < d->row; i++) {
        if (bits[i] != 0)
            return true;
    }
    return false;
}

/* Does some input of the target reach a mutant that is open here? */
static bool is_wanted(const struct mutate *m, const struct fuzz_target *target, unsigned step)
{
    for (size_t i = 0; i < m->input_count; i++) {
        for (size_t k = 0; m->inputs[i].target == target && k < m->mutant_count; k++) {
            if (mutate_is_open(&m->mutants[k], step) &&
                (m->mutants[k].inputs[i / 8] >> i % 8 & 1) != 0)
                return true;
        }
    }
    return false;
}

void mutate_fuzz(struct mutate *m)
{
    for (size_t t = 0; t < fuzz_target_count(); t++) {
        struct drawn d = {
            .m = m, .target = fuzz_target_at(t), .step = MUTATE_STEP_FUZZ + (unsigned)t};
        const struct mutate_stage stage = {"fuzz", d.step, live_fuzz, where_fuzz, &d};

        if (is_wanted(m, d.target, stage.step)) {
            mutate_progress(d.target->name, 0, m->fuzz_runs);
            d.row = m->fuzz_runs / 8 + 1;
            d.bits = mutate_shared(m->mutant_count * d.row);
            d.ns = mutate_shared(m->fuzz_runs * sizeof(*d.ns));
            d.hash = mutate_shared(m->fuzz_runs * sizeof(*d.hash));
            d.len = mutate_shared(m->fuzz_runs * sizeof(*d.len));
            d.next = mutate_shared(m->workers * sizeof(*d.next));
            record(&d);
            d.order = mutate_take(m->fuzz_runs, sizeof(*d.order));
            for (size_t i = 0; i < m->fuzz_runs; i++)
                d.order[i] = (uint32_t)i;
            sorted = &d;
            qsort(d.order, m->fuzz_runs, sizeof(*d.order), by_length);
            mutate_stage_run(m, &stage, wants_fuzz);
            free(d.order);
        }
        mutate_pass(m, stage.step);
    }
}
