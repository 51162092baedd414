/*
 * vet_state.c: the work, batch by batch, and the journal that it leaves. What a batch found is
 * text first and counted from the text, the same whether it was just run or read back: a vet that
 * was interrupted goes on where its journal ends.
 *
 *   diff INPUT KIND ID                      INPUT: number in the order of the vet
 *   runs TARGET RUNS ALIKE FAILING TIMEOUTS UNRUN COSTED
 *   cost TARGET COST OLD NEW MOST INPUT MOVED OLD NEW
 *                                           sums, the largest difference, sums where they differ
 *   marks TARGET SIDE WORD...
 *   read WRITER TARGET KIND ID HEX          bytes that one side wrote, read by both; of a bench
 *                                           case where WRITER is neither
 *   end BATCH                               lines of a batch without it do not count
 *   least ID HEX                            a witness, minimised
 *   joint PROTOCOL WRITER RUNS PARTS INPUT WHY
 *   bench CASE METRIC UNIT OLD NEW
 *   time CASE ROUNDS MEDIANS LEAST MOST LEAST MOST
 *   lost PATH WHAT, note WORDS
 *   part NAME                               ends the lines of what stands behind the inputs
 */
#include "targets/bed/vet_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOURNAL      6  /* of what its lines mean: others are not read */
#define LEAST_GROUPS 40 /* so many are minimised; of more the smallest input seen is shown */

struct work {
    struct vet *v;
    char path[1024];
    FILE *journal;
    uint64_t done; /* batches */
    size_t parts;  /* that are done, in their order */
};

static const struct part {
    const char *name;
    void (*work)(struct vet *v, struct wb_buf *out);
} work_parts[] = {
    {"purpose", vet_purpose}, {"joint", vet_joint}, {"bench", vet_bench}, {"times", vet_times}};
#define WORK_PARTS (sizeof(work_parts) / sizeof(work_parts[0]))

/* ---- one batch ---- */

/* Adds the costs of two runs that behave alike; `t` holds the sums of this batch alone. */
static void add_costs(struct vet_target *t, const struct vet_told *old, const struct vet_told *new,
                      uint64_t index)
{
    t->costed++;
    for (size_t c = 0; c < VET_COSTS; c++) {
        uint64_t a = old->cost[c], b = new->cost[c], most = a > b ? a - b : b - a;
        t->cost[VET_OLD][c] += a;
        t->cost[VET_NEW][c] += b;
        if (most == 0)
            continue;
        t->moved[c]++;
        t->moved_cost[VET_OLD][c] += a;
        t->moved_cost[VET_NEW][c] += b;
        if (most > t->most[c]) {
            t->most[c] = most;
            t->most_at[c] = index;
        }
    }
}

static void put_sums(const struct vet *v, const struct vet_target *sums, struct wb_buf *out)
{
    for (size_t i = 0; i < v->target_count; i++) {
        const struct vet_target *t = &sums[i];
        const char *name = v->targets[i].target->name;
        if (t->runs + t->unrun == 0)
            continue;
        bed_buf_print(out, "runs %s %llu %llu %llu %llu %llu %llu\n", name,
                      (unsigned long long)t->runs, (unsigned long long)t->alike,
                      (unsigned long long)t->failing, (unsigned long long)t->timeouts,
                      (unsigned long long)t->unrun, (unsigned long long)t->costed);
        for (size_t c = 0; c < VET_COSTS; c++)
            bed_buf_print(out, "cost %s %zu %llu %llu %llu %llu %llu %llu %llu\n", name, c,
                          (unsigned long long)t->cost[VET_OLD][c],
                          (unsigned long long)t->cost[VET_NEW][c], (unsigned long long)t->most[c],
                          (unsigned long long)t->most_at[c], (unsigned long long)t->moved[c],
                          (unsigned long long)t->moved_cost[VET_OLD][c],
                          (unsigned long long)t->moved_cost[VET_NEW][c]);
        for (int s = 0; s < VET_SIDES; s++)
            for (size_t w = 0; w < VET_MARK_WORDS; w++)
                if (t->marks[s][w] != 0)
                    bed_buf_print(out, "marks %s %d %zu %llu\n", name, s, w,
                                  (unsigned long long)t->marks[s][w]);
    }
}

/* What the i-th input of a batch did, from copies: looking closer runs again. */
static void judge(struct vet *v, const struct vet_input *input, const struct vet_told told[2],
                  uint64_t index, struct vet_target *sum, struct wb_buf *out)
{
    const struct vet_target *target = &v->targets[input->target];
    const struct vet_told *old = &told[VET_OLD], *new = &told[VET_NEW];
    bool have_ended = old->state == VET_DONE && new->state == VET_DONE;
    char id[VET_ID_MAX];

    v->told[VET_OLD][0] = *old;
    v->told[VET_NEW][0] = *new;
    enum vet_kind kind = vet_part_kind(v, input, 0, id);
    sum->runs++;
    sum->alike += kind == VET_ALIKE || kind == VET_BOTH_FAIL;
    sum->failing += kind == VET_BOTH_FAIL;
    sum->timeouts += strcmp(old->failed, "timeout") == 0 || strcmp(new->failed, "timeout") == 0;
    if (have_ended && old->hash == new->hash && !target->is_loose)
        add_costs(sum, old, new, index);
    for (int s = 0; s < VET_SIDES; s++)
        for (size_t w = 0; w < VET_MARK_WORDS; w++)
            sum->marks[s][w] |= told[s].marks[w];
    if (id[0] != '\0')
        bed_buf_print(out, "diff %llu %u %s\n", (unsigned long long)index, (unsigned)kind, id);
}

static void run_batch(struct vet *v, uint64_t first, size_t count, struct wb_buf *out)
{
    struct vet_input inputs[VET_BATCH];
    struct vet_told(*told)[VET_SIDES] = bed_take(VET_BATCH * sizeof(*told));
    struct vet_target *sums = bed_take(v->target_count * sizeof(*sums));
    uint64_t numbers[VET_BATCH];
    size_t n = 0;

    memset(sums, 0, v->target_count * sizeof(*sums));
    for (size_t i = 0; i < count; i++) {
        inputs[n] = vet_input_at(v, first + i);
        numbers[n] = first + i;
        if (v->targets[inputs[n].target].timeouts < VET_TIMEOUTS) {
            n++;
            continue;
        }
        sums[inputs[n].target].unrun++;
        vet_input_free(&inputs[n]);
    }
    vet_run(v, inputs, n, NULL);
    for (size_t i = 0; i < n; i++)
        for (int s = 0; s < VET_SIDES; s++)
            told[i][s] = v->told[s][i];
    for (size_t i = 0; i < n; i++) {
        judge(v, &inputs[i], told[i], numbers[i], &sums[inputs[i].target], out);
        vet_input_free(&inputs[i]);
    }
    vet_written(v, told, n, out);
    put_sums(v, sums, out);
    free(sums);
    free(told);
}

/* ---- the journal ---- */

static void put_case(struct vet *v, const char *name, size_t target, struct wb_buf *out)
{
    struct vet_input *inputs;
    size_t count;

    vet_bench_inputs(v, name, target, &inputs, &count);
    for (size_t i = 0; i < count; i++) {
        bed_buf_print(out, "%s %zu ", name, inputs[i].len);
        bed_must(wb_buf_add(out, wb_view_of(inputs[i].bytes, inputs[i].len)));
        free(inputs[i].bytes);
    }
    free(inputs);
}

/* Of what bench cases are run by. */
static uint64_t hash_bench(struct vet *v, uint64_t hash)
{
    char path[1100];
    struct wb_buf cases = bed_buf();

    for (int s = 0; s < VET_SIDES; s++) {
        for (size_t i = 0; v->programs[s] != NULL && vet_program_name(i) != NULL; i++) {
            struct wb_buf bytes = bed_buf();
            snprintf(path, sizeof(path), "%s/bench_%.*s", v->programs[s],
                     (int)strcspn(vet_program_name(i), "/"), vet_program_name(i));
            if (access(path, R_OK) == 0 && bed_read(path, &bytes))
                hash = sim_hash(wb_buf_view(&bytes), hash);
            wb_buf_fini(&bytes);
        }
        hash += v->pace[s] != NULL ? v->rounds + 1 : 0;
    }
    vet_bench_cases(v, put_case, &cases);
    hash = sim_hash(wb_buf_view(&cases), hash);
    wb_buf_fini(&cases);
    return hash;
}

/* Of everything that a result depends on. */
static bool hash_all(struct vet *v, uint64_t *out)
{
    uint64_t hash =
        sim_hash(wb_view_text(v->loose != NULL ? v->loose : ""), VET_INTERFACE + JOURNAL);

    for (int s = 0; s < VET_SIDES; s++) {
        struct wb_buf bytes = bed_buf();
        bool ok = bed_read(v->paths[s], &bytes);
        hash = sim_hash(wb_buf_view(&bytes), hash);
        wb_buf_fini(&bytes);
        if (!ok)
            return false;
    }
    for (size_t i = 0; i < v->input_count; i++)
        hash =
            sim_hash(wb_view_of(v->inputs[i].bytes, v->inputs[i].len), hash + v->inputs[i].target);
    uint64_t numbers[] = {v->fuzz_runs, v->seed, v->target_count, v->stated};
    *out = hash_bench(v, sim_hash(wb_view_of(numbers, sizeof(numbers)), hash));
    return true;
}

/* Whole batches count, in their order; the file is cut behind the last. */
static bool journal_open(struct work *work)
{
    struct wb_buf text = bed_buf();
    size_t kept = 0, at = 0;
    bool has_file = access(work->path, F_OK) == 0, ok = !has_file || bed_read(work->path, &text);

    while (ok && at < text.len) {
        const uint8_t *end = memchr(text.data + at, '\n', text.len - at);
        if (end == NULL)
            break;
        const char *line = (const char *)text.data + at;
        at = (size_t)(end - text.data) + 1;
        bool is_end = strncmp(line, "end ", 4) == 0, is_part = strncmp(line, "part ", 5) == 0;
        work->done += is_end;
        work->parts += is_part;
        if (is_end || is_part || strncmp(line, "least ", 6) == 0)
            kept = at;
    }
    if (ok)
        vet_count_text(work->v, wb_view_sub(wb_buf_view(&text), 0, kept));
    wb_buf_fini(&text);
    if (!ok)
        return false;
    if (has_file && truncate(work->path, (off_t)kept) != 0)
        return bed_cannot("%s: %s", work->path, strerror(errno)) == BED_PASS;
    work->journal = fopen(work->path, "ab");
    if (work->journal != NULL)
        return true;
    bed_cannot("%s: %s", work->path, strerror(errno));
    return false;
}

static bool journal_put(struct work *work, struct wb_view text)
{
    if (fwrite(text.data, 1, text.len, work->journal) == text.len && fflush(work->journal) == 0)
        return true;
    bed_cannot("%s: %s", work->path, strerror(errno));
    return false;
}

static bool run_batches(struct work *work)
{
    struct vet *v = work->v;
    uint64_t total = vet_input_total(v), batches = (total + VET_BATCH - 1) / VET_BATCH;
    bool ok = true;

    if (work->done > 0 && work->done < batches && v->is_live)
        fprintf(stderr, "vet: goes on behind %llu of %llu inputs\n",
                (unsigned long long)(work->done * VET_BATCH), (unsigned long long)total);
    for (; ok && work->done < batches; work->done++) {
        uint64_t first = work->done * VET_BATCH, left = total - first;
        struct wb_buf text = bed_buf();
        if (v->is_live)
            fprintf(stderr, "\r\033[K[%llu/%llu] %zu kinds of difference\r",
                    (unsigned long long)first, (unsigned long long)total, v->group_count);
        run_batch(v, first, left < VET_BATCH ? (size_t)left : VET_BATCH, &text);
        vet_count_text(v, wb_buf_view(&text));
        bed_buf_print(&text, "end %llu\n", (unsigned long long)work->done);
        ok = journal_put(work, wb_buf_view(&text));
        wb_buf_fini(&text);
    }
    if (v->is_live)
        fputs("\033[K", stderr);
    return ok;
}

static bool run_parts(struct work *work)
{
    struct vet *v = work->v;
    bool ok = true;

    for (; ok && work->parts < WORK_PARTS; work->parts++) {
        const struct part *part = &work_parts[work->parts];
        struct wb_buf text = bed_buf();
        if (v->is_live)
            fprintf(stderr, "\r\033[K%s\r", part->name);
        part->work(v, &text);
        vet_count_text(v, wb_buf_view(&text));
        bed_buf_print(&text, "part %s\n", part->name);
        ok = journal_put(work, wb_buf_view(&text));
        wb_buf_fini(&text);
    }
    return ok;
}

static bool find_least(struct work *work)
{
    struct vet *v = work->v;
    bool ok = true;

    for (size_t i = 0; ok && i < v->group_count && i < LEAST_GROUPS; i++) {
        struct vet_group *group = &v->groups[i];
        struct wb_buf line = bed_buf();
        if (group->is_least)
            continue;
        vet_part_least(v, group);
        bed_buf_print(&line, "least %s ", group->id);
        for (size_t k = 0; k < group->witness.len; k++)
            bed_buf_print(&line, "%02x", group->witness.bytes[k]);
        bed_buf_print(&line, "\n");
        ok = journal_put(work, wb_buf_view(&line));
        wb_buf_fini(&line);
    }
    return ok;
}

bool vet_work(struct vet *v)
{
    struct work work = {.v = v};
    uint64_t hash;

    if (!hash_all(v, &hash) || !bed_mkdir(v->state_dir))
        return false;
    snprintf(work.path, sizeof(work.path), "%s/%016llx.journal", v->state_dir,
             (unsigned long long)hash);
    if (!vet_cover_open(v, work.path) || !journal_open(&work))
        return false;
    bool ok = run_batches(&work) && run_parts(&work) && find_least(&work);
    return fclose(work.journal) == 0 && ok;
}
