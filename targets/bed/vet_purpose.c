/*
 * vet_purpose.c: entries of the corpus that had a purpose with the old core and have it no longer:
 * what they state of a run, ops that do something, blocks of the core that they alone enter.
 */
#include "targets/bed/vet_parts.h"
#include "targets/driver/corpus_gate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCKS     (VET_COVER_BYTES * 8)
#define SEVERAL    UINT32_MAX
#define OWNERS_LEN (BLOCKS * sizeof(uint32_t))

/* What one side's runs of an entry were good for. */
struct purpose {
    const struct vet_told *otherwise; /* the first that did not end as stated, or NULL */
    bool tells;                       /* as stated */
    uint64_t live, dead;
    uint64_t marks[VET_MARK_WORDS];
    uint32_t alone; /* blocks that no other entry of the target enters */
};

static void run_owned(const struct vet *v, int lane, size_t i, const struct vet_input *input,
                      FILE *steps, struct vet_told *out)
{
    static uint8_t map[VET_COVER_BYTES];
    const struct vet_side *side = v->side[lane];
    uint32_t me = (uint32_t)(v->first + i) + 1;
    uint64_t word;

    memset(map, 0, sizeof(map));
    side->cover(map);
    side->run(v->targets[input->target].at[lane], input->bytes, input->len, steps, out);
    side->cover(NULL);
    for (size_t at = 0; at < sizeof(map); at += sizeof(word)) {
        memcpy(&word, map + at, sizeof(word));
        for (size_t bit = 0; word != 0; bit++, word >>= 1) {
            uint32_t *owner = &v->owners[lane][at * 8 + bit];
            if ((word & 1) != 0 && *owner != me)
                *owner = *owner == 0 ? me : SEVERAL;
        }
    }
}

/* As replay judges the file: it reaches its marks with some of its inputs. */
static bool has_marks(const struct corpus_file *file, const uint64_t marks[VET_MARK_WORDS])
{
    const char *const *names = file->target->marks;

    for (const char *at = file->marks; at != NULL && *at != '\0'; at += strspn(at, " \t")) {
        size_t len = strcspn(at, " \t");
        for (size_t i = 0; names != NULL && names[i] != NULL && i < SIM_MARKS_MAX; i++)
            if (strlen(names[i]) == len && memcmp(names[i], at, len) == 0 &&
                (marks[i / 64] >> i % 64 & 1) == 0)
                return false;
        at += len;
    }
    return true;
}

static void add_run(const struct corpus_file *file, const struct vet_told *told, uint32_t alone,
                    struct purpose *out)
{
    bool is_done = told->state == VET_DONE;
    bool ends = is_done && told->failed[0] == '\0';
    size_t i = 0;

    while (i < file->expect_count && strcmp(told->outcome, wb_err_name((int)file->expect[i])) != 0)
        i++;
    ends = ends && i < file->expect_count;
    if (!ends && file->expect_count > 0 && out->otherwise == NULL)
        out->otherwise = told;
    if (file->story != NULL)
        out->tells &= is_done && told->story_hash == sim_hash(wb_view_text(file->story), 1);
    for (size_t w = 0; w < VET_MARK_WORDS; w++)
        out->marks[w] |= told->marks[w];
    out->live += told->ops_live;
    out->dead += told->ops_dead;
    out->alone += alone;
}

static void tell_lost(const char *path, const struct corpus_file *file, const struct purpose *old,
                      const struct purpose *new, struct wb_buf *out)
{
    if (old->otherwise == NULL && new->otherwise != NULL)
        bed_buf_print(out, "lost %s ends as %s, which it does not state\n", path,
                      new->otherwise->failed[0] != '\0' ? new->otherwise->failed
                                                        : new->otherwise->outcome);
    if (old->tells && !new->tells)
        bed_buf_print(out, "lost %s tells another story than it states\n", path);
    if (has_marks(file, old->marks) && !has_marks(file, new->marks))
        bed_buf_print(out, "lost %s no longer reaches all of its marks: %s\n", path, file->marks);
    if (corpus_gate_is_lively(old->live, old->dead) && !corpus_gate_is_lively(new->live, new->dead))
        bed_buf_print(out, "lost %s half of its ops or more do nothing now\n", path);
    if (old->alone > 0 && new->alone == 0)
        bed_buf_print(out,
                      "lost %s entered %u blocks of the core that no other entry does, now none\n",
                      path, old->alone);
}

/* Runs the target's entries, v->inputs[from, to), and adds up what each owns. */
static void measure(struct vet *v, size_t from, size_t to, struct vet_told (*told)[VET_SIDES],
                    uint32_t *alone[VET_SIDES])
{
    for (int s = 0; s < VET_SIDES; s++)
        memset(v->owners[s], 0, OWNERS_LEN);
    v->world = run_owned;
    for (size_t at = from; at < to; at += VET_BATCH) {
        size_t count = to - at < VET_BATCH ? to - at : VET_BATCH;
        v->first = at;
        vet_run(v, v->inputs + at, count, NULL);
        for (size_t i = 0; i < count; i++)
            for (int s = 0; s < VET_SIDES; s++)
                told[at - from + i][s] = v->told[s][i];
    }
    v->world = NULL;
    for (int s = 0; s < VET_SIDES; s++)
        for (size_t block = 0; block < BLOCKS; block++) {
            uint32_t owner = v->owners[s][block];
            if (owner > from && owner <= to)
                alone[s][owner - 1 - from]++;
        }
}

/* The files of one target, one or more inputs each. */
static void judge_target(struct vet *v, size_t from, size_t to, struct wb_buf *out)
{
    const struct fuzz_target *target = v->targets[v->inputs[from].target].target;
    struct vet_told(*told)[VET_SIDES] = bed_take((to - from) * sizeof(*told));
    uint32_t *alone[VET_SIDES];
    struct corpus_file file;

    for (int s = 0; s < VET_SIDES; s++) {
        alone[s] = bed_take((to - from) * sizeof(uint32_t));
        memset(alone[s], 0, (to - from) * sizeof(uint32_t));
    }
    measure(v, from, to, told, alone);
    for (size_t i = from; i < to;) {
        const char *path = v->inputs[i].from;
        size_t first = i;
        struct purpose all[VET_SIDES];
        while (i < to && strcmp(v->inputs[i].from, path) == 0)
            i++;
        if (strncmp(path, v->corpus, strlen(v->corpus)) != 0 ||
            !bed_load(path, target->name, &file))
            continue; /* a witness, or no file */
        for (int s = 0; s < VET_SIDES; s++) {
            all[s] = (struct purpose){.tells = true};
            for (size_t k = first; k < i; k++)
                add_run(&file, &told[k - from][s], alone[s][k - from], &all[s]);
        }
        tell_lost(path, &file, &all[VET_OLD], &all[VET_NEW], out);
        corpus_free(&file);
    }
    free(told);
    for (int s = 0; s < VET_SIDES; s++)
        free(alone[s]);
}

void vet_purpose(struct vet *v, struct wb_buf *out)
{
    for (int s = 0; s < VET_SIDES; s++) {
        void *owners =
            mmap(NULL, OWNERS_LEN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        bed_must(owners != MAP_FAILED ? WB_OK : WB_E_NOMEM);
        v->owners[s] = owners;
    }
    for (size_t from = 0, to; from < v->input_count; from = to) {
        to = from;
        while (to < v->input_count && v->inputs[to].target == v->inputs[from].target)
            to++;
        if (!v->targets[v->inputs[from].target].is_loose)
            judge_target(v, from, to, out);
    }
    for (int s = 0; s < VET_SIDES; s++) {
        munmap(v->owners[s], OWNERS_LEN);
        v->owners[s] = NULL;
    }
}
