/*
 * vet_state.c: the work, batch by batch, and the journal that it leaves. What a batch found is
 * text first and counted from the text, the same whether it was just run or read back: a vet that
 * was interrupted goes on where its journal ends.
 *
 *   diff INPUT KIND ID                      INPUT: number in the order of the vet
 *   runs TARGET RUNS ALIKE FAILING TIMEOUTS LOOKED UNLOOKED COSTED
 *   cost TARGET COST OLD NEW MOST INPUT MOVED OLD NEW
 *                                           sums, the largest difference, sums where they differ
 *   marks TARGET SIDE WORD...
 *   read WRITER TARGET KIND ID HEX          bytes that one side wrote, read by both
 *   end BATCH                               lines of a batch without it do not count
 *   least ID HEX                            a witness, minimised
 */
#include "targets/bed/vet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOURNAL      4  /* of what its lines mean: others are not read */
#define LEAST_GROUPS 40 /* so many are minimised; of more the smallest input seen is shown */

struct work {
    struct vet *v;
    char path[1024];
    FILE *journal;
    uint64_t done; /* batches */
};

struct vet_group *vet_group_find(struct vet *v, const char *id)
{
    for (size_t i = 0; i < v->group_count; i++)
        if (strcmp(v->groups[i].id, id) == 0)
            return &v->groups[i];
    return NULL;
}

struct vet_group *vet_group_add(struct vet *v, const char *id, size_t target, enum vet_kind kind)
{
    v->groups = realloc(v->groups, (v->group_count + 1) * sizeof(*v->groups));
    bed_must(v->groups != NULL ? WB_OK : WB_E_NOMEM);
    struct vet_group *group = &v->groups[v->group_count++];
    *group = (struct vet_group){.target = target, .kind = kind, .writer = VET_SIDES};
    snprintf(group->id, sizeof(group->id), "%s", id);
    return group;
}

size_t vet_target_find(const struct vet *v, const char *name, size_t len)
{
    size_t t = 0;
    while (t < v->target_count && (strlen(v->targets[t].target->name) != len ||
                                   memcmp(v->targets[t].target->name, name, len) != 0))
        t++;
    return t;
}

/* ---- counting from the text ---- */

static void count_diff(struct vet *v, uint64_t index, unsigned kind, const char *id)
{
    struct vet_group *group = vet_group_find(v, id);
    struct vet_input input = vet_input_at(v, index);

    if (group == NULL)
        group = vet_group_add(v, id, input.target, (enum vet_kind)kind);
    if (group->count++ == 0 || input.len < group->witness.len) {
        vet_input_free(&group->witness);
        group->witness = input;
    } else {
        vet_input_free(&input);
    }
}

static void take_witness(struct vet_group *group, const char *hex)
{
    size_t len = strlen(hex) / 2;
    uint8_t *bytes = bed_take(len);

    for (size_t i = 0; i < len; i++) {
        unsigned byte = 0;
        sscanf(hex + 2 * i, "%2x", &byte);
        bytes[i] = (uint8_t)byte;
    }
    free(group->witness.bytes);
    group->witness.bytes = bytes;
    group->witness.len = len;
}

static void count_read(struct vet *v, unsigned writer, size_t target, unsigned kind, const char *id,
                       const char *hex)
{
    struct vet_group *group = vet_group_find(v, id);

    if (group == NULL)
        group = vet_group_add(v, id, target, (enum vet_kind)kind);
    group->writer = writer == VET_OLD ? VET_OLD : VET_NEW;
    group->witness.target = target;
    if (group->witness.from == NULL)
        group->witness.from =
            strdup(writer == VET_OLD ? "what the old side writes" : "what the new side writes");
    if (group->count++ == 0 || strlen(hex) / 2 < group->witness.len)
        take_witness(group, hex);
}

static void count_least(struct vet *v, const char *id, const char *hex)
{
    struct vet_group *group = vet_group_find(v, id);
    if (group == NULL)
        return;
    take_witness(group, hex);
    group->is_least = true;
}

static void count_target(struct vet *v, const char *kind, size_t t, const char *rest)
{
    struct vet_target *target = &v->targets[t];
    unsigned long long n[9] = {0};
    sscanf(rest, "%llu %llu %llu %llu %llu %llu %llu %llu %llu", n, n + 1, n + 2, n + 3, n + 4,
           n + 5, n + 6, n + 7, n + 8);

    if (strcmp(kind, "runs") == 0) {
        target->runs += n[0];
        target->alike += n[1];
        target->failing += n[2];
        target->timeouts += n[3];
        target->looked += n[4];
        target->unlooked += n[5];
        target->costed += n[6];
    } else if (strcmp(kind, "cost") == 0 && n[0] < VET_COSTS) {
        target->cost[VET_OLD][n[0]] += n[1];
        target->cost[VET_NEW][n[0]] += n[2];
        target->moved[n[0]] += n[5];
        target->moved_cost[VET_OLD][n[0]] += n[6];
        target->moved_cost[VET_NEW][n[0]] += n[7];
        if (n[3] > target->most[n[0]]) {
            target->most[n[0]] = n[3];
            target->most_at[n[0]] = n[4];
        }
    } else if (strcmp(kind, "marks") == 0 && n[0] < VET_SIDES && n[1] < VET_MARK_WORDS) {
        target->marks[n[0]][n[1]] |= n[2];
    }
}

static void count_line(struct vet *v, const char *line)
{
    char kind[8] = "", word[VET_ID_MAX] = "";
    unsigned long long index = 0;
    char kind_of[64] = "";
    unsigned how = 0, writer = 0;
    int used = 0;

    if (sscanf(line, "diff %llu %u %191s", &index, &how, word) == 3) {
        if (index < vet_input_total(v))
            count_diff(v, index, how, word);
    } else if (sscanf(line, "read %u %63s %u %191s %n", &writer, kind_of, &how, word, &used) == 4 &&
               used > 0) {
        size_t t = vet_target_find(v, kind_of, strlen(kind_of));
        if (t < v->target_count)
            count_read(v, writer, t, how, word, line + used);
    } else if (sscanf(line, "least %191s %n", word, &used) == 1 && used > 0) {
        count_least(v, word, line + used);
    } else if (sscanf(line, "%7s %191s %n", kind, word, &used) == 2 && used > 0) {
        size_t t = vet_target_find(v, word, strlen(word));
        if (t < v->target_count)
            count_target(v, kind, t, line + used);
    }
}

static void count_text(struct vet *v, struct wb_view text)
{
    while (text.len > 0) {
        const uint8_t *end = memchr(text.data, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.data) : text.len;
        char *line = strndup((const char *)text.data, len);
        bed_must(line != NULL ? WB_OK : WB_E_NOMEM);
        count_line(v, line);
        free(line);
        text = wb_view_sub(text, end != NULL ? len + 1 : len, text.len);
    }
}

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
        if (t->runs == 0)
            continue;
        bed_buf_print(out, "runs %s %llu %llu %llu %llu %llu %llu %llu\n", name,
                      (unsigned long long)t->runs, (unsigned long long)t->alike,
                      (unsigned long long)t->failing, (unsigned long long)t->timeouts,
                      (unsigned long long)t->looked, (unsigned long long)t->unlooked,
                      (unsigned long long)t->costed);
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
    bool may_look = target->looked + sum->looked < VET_LOOKED, have_ended;
    char id[VET_ID_MAX];

    v->told[VET_OLD][0] = *old;
    v->told[VET_NEW][0] = *new;
    enum vet_kind kind = vet_part_kind(v, input, 0, may_look, id);
    have_ended = old->state == VET_DONE && new->state == VET_DONE;
    sum->runs++;
    sum->alike += kind == VET_ALIKE || kind == VET_BOTH_FAIL;
    sum->failing += kind == VET_BOTH_FAIL;
    sum->timeouts += strcmp(old->failed, "timeout") == 0 || strcmp(new->failed, "timeout") == 0;
    sum->looked += kind == VET_STORY || kind == VET_TRACE;
    sum->unlooked += kind != VET_ALIKE && id[0] == '\0';
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
        if (v->targets[inputs[n].target].timeouts < VET_TIMEOUTS)
            n++;
        else
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

/* Of everything that a result depends on. */
static bool hash_all(const struct vet *v, uint64_t *out)
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
    uint64_t numbers[] = {v->fuzz_runs, v->seed, v->target_count};
    *out = sim_hash(wb_view_of(numbers, sizeof(numbers)), hash);
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
        bool is_end = strncmp(line, "end ", 4) == 0;
        work->done += is_end;
        if (is_end || strncmp(line, "least ", 6) == 0)
            kept = at;
    }
    if (ok)
        count_text(work->v, wb_view_sub(wb_buf_view(&text), 0, kept));
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
        count_text(v, wb_buf_view(&text));
        bed_buf_print(&text, "end %llu\n", (unsigned long long)work->done);
        ok = journal_put(work, wb_buf_view(&text));
        wb_buf_fini(&text);
    }
    if (v->is_live)
        fputs("\033[K", stderr);
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
    bool ok = run_batches(&work) && find_least(&work);
    return fclose(work.journal) == 0 && ok;
}
