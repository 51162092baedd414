/*
 * run.c: lets mutants live one after the other, and says what killed each.
 *
 *   runner TABLE RESULTS WORLD STAGES FUZZ-RUNS [PROGRAM...] <IDS
 *
 * STAGES has a letter for each: c the corpus, s single allocations refused, m the programs, f fuzz
 * runs. RESULTS has lines for each mutant, written as they are known, the last one counts: world,
 * file, function, hash, name, end, stage, by, where; of one that is not killed `stage` is what it
 * passed and the number of fuzz runs. What stands there is not run again. Exit 1: a drawn input
 * fails with no mutant alive; 2: an input of the corpus does.
 */
#include "ci/mutate/run.h"

#include <stdlib.h>
#include <string.h>

static const char *const ends[] = {"open", "unreached", "same", "survived", "killed"};

void mutate_tell(struct mutate *m, const struct mutant *x)
{
    enum mutate_end end = x->end;
    char passed[64];

    snprintf(passed, sizeof(passed), "%llx/%zu", (unsigned long long)x->passed, m->fuzz_runs);
    if (end == MUTATE_OPEN)
        end = !x->is_reached ? MUTATE_UNREACHED : x->has_effect ? MUTATE_SURVIVED : MUTATE_SAME;
    fprintf(m->out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m->world, x->file, x->function, x->hash,
            x->name, ends[end], x->stage != NULL ? x->stage : passed,
            x->by[0] != '\0' ? x->by : "-", x->where[0] != '\0' ? x->where : "-");
    fflush(m->out);
}

/* Cuts a line at its tabs. */
static size_t split(char *line, char **columns, size_t max)
{
    size_t n = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at != NULL && n < max; n++) {
        columns[n] = at;
        at = strchr(at, '\t');
        if (at != NULL)
            *at++ = '\0';
    }
    return n;
}

static unsigned number(const char *text)
{
    unsigned n = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        n = n * 10 + (unsigned)(*text - '0');
    return n;
}

static bool read_table(struct mutate *m, const char *path, const uint8_t *wanted)
{
    FILE *in = fopen(path, "r");
    char *line = NULL, *column[11];
    size_t room = 0, made = 0;

    if (in == NULL) {
        perror(path);
        return false;
    }
    while (getline(&line, &room, in) > 0) {
        if (split(line, column, 11) < 8 || !wanted[number(column[0]) % MUTATE_IDS])
            continue;
        if (m->mutant_count == made) {
            made = made * 2 + 64;
            m->mutants = realloc(m->mutants, made * sizeof(*m->mutants));
        }
        struct mutant *x = &m->mutants[m->mutant_count++];
        *x = (struct mutant){.id = number(column[0]),
                             .file = strdup(column[1]),
                             .function = strdup(column[2]),
                             .hash = strdup(column[3]),
                             .name = strdup(column[6])};
        bool is_same = m->mutant_count > 1 && strcmp(x[-1].file, x->file) == 0 &&
                       strcmp(x[-1].function, x->function) == 0;
        x->family = m->mutant_count == 1 ? 0 : x[-1].family + !is_same;
        m->families = x->family + 1;
    }
    free(line);
    fclose(in);
    return true;
}

static void take_result(const struct mutate *m, struct mutant *x, const char *end,
                        const char *passed)
{
    x->passed = 0;
    if (strcmp(end, ends[MUTATE_KILLED]) == 0) {
        x->end = MUTATE_KILLED;
        return;
    }
    for (; *passed != '/' && *passed != '\0'; passed++)
        x->passed =
            x->passed * 16 + (uint64_t)(*passed <= '9' ? *passed - '0' : *passed - 'a' + 10);
    if (*passed == '/' && number(passed + 1) != m->fuzz_runs)
        x->passed &= (UINT64_C(1) << MUTATE_STEP_FUZZ) - 1;
    x->is_reached = strcmp(end, ends[MUTATE_UNREACHED]) != 0;
    x->has_effect = strcmp(end, ends[MUTATE_SURVIVED]) == 0;
}

/* What an earlier run found out. */
static void read_results(struct mutate *m, uint64_t asked)
{
    FILE *in = fopen(m->results, "r");
    char *line = NULL, *column[9];
    size_t room = 0, k = 0;

    while (in != NULL && getline(&line, &room, in) > 0) {
        if (split(line, column, 9) < 9 || strcmp(column[0], m->world) != 0)
            continue;
        if (strcmp(column[5], "finding") == 0 && (asked >> MUTATE_STEP_FUZZ) != 0) {
            printf("no mutant is needed: found/%s fails\n", column[8]);
            m->failed = true;
            continue;
        }
        for (size_t i = 0; i < m->mutant_count; i++) {
            struct mutant *x = &m->mutants[(k + i) % m->mutant_count];
            if (strcmp(x->name, column[4]) == 0 && strcmp(x->function, column[2]) == 0 &&
                strcmp(x->hash, column[3]) == 0 && strcmp(x->file, column[1]) == 0) {
                take_result(m, x, column[5], column[6]);
                k = (k + i) % m->mutant_count;
                break;
            }
        }
    }
    free(line);
    if (in != NULL)
        fclose(in);
    size_t left = 0;
    for (size_t i = 0; i < m->mutant_count; i++) {
        const struct mutant *x = &m->mutants[i];
        if (x->end == MUTATE_OPEN && (x->passed & asked) != asked)
            m->mutants[left++] = m->mutants[i];
    }
    m->mutant_count = left;
}

/* The steps of these stages. */
static uint64_t steps_of(const char *stages, size_t programs)
{
    uint64_t steps = 0;

    if (strchr(stages, 'c') != NULL)
        steps |= UINT64_C(1) << MUTATE_STEP_CORPUS;
    if (strchr(stages, 's') != NULL)
        steps |= UINT64_C(1) << MUTATE_STEP_SWEEP;
    for (size_t i = 0; strchr(stages, 'm') != NULL && i < programs; i++)
        steps |= UINT64_C(1) << (MUTATE_STEP_PROGRAM + i);
    for (size_t i = 0; strchr(stages, 'f') != NULL && i < fuzz_target_count(); i++)
        steps |= UINT64_C(1) << (MUTATE_STEP_FUZZ + i);
    return steps;
}

int main(int argc, char **argv)
{
    static uint8_t wanted[MUTATE_IDS];
    struct mutate m = {.workers = 2};
    char line[64];

    if (argc < 6) {
        fprintf(stderr, "usage: %s TABLE RESULTS WORLD STAGES FUZZ-RUNS [PROGRAM...] <IDS\n",
                argv[0]);
        return 2;
    }
    m.results = argv[2];
    m.world = argv[3];
    m.fuzz_runs = number(argv[5]);
    while (fgets(line, sizeof(line), stdin) != NULL)
        wanted[number(line) % MUTATE_IDS] = 1;
    if (!read_table(&m, argv[1], wanted) || !mutate_load(&m))
        return 2;
    read_results(&m, steps_of(argv[4], (size_t)argc - 6));
    m.out = fopen(m.results, "a");
    if (m.out == NULL) {
        perror(m.results);
        return 2;
    }
    m.kills = mutate_take(m.families * m.input_count, sizeof(*m.kills));
    for (size_t k = 0; k < m.mutant_count; k++)
        m.mutants[k].inputs = mutate_take(m.input_count / 8 + 1, 1);
    if (m.mutant_count == 0)
        return m.failed ? 1 : 0;
    mutate_record(&m);
    if (strchr(argv[4], 'c') != NULL)
        mutate_corpus(&m);
    if (strchr(argv[4], 's') != NULL)
        mutate_sweep(&m);
    for (int i = 6; i < argc && strchr(argv[4], 'm') != NULL; i++)
        mutate_program(&m, argv[i], MUTATE_STEP_PROGRAM + (unsigned)i - 6);
    if (strchr(argv[4], 'f') != NULL)
        mutate_fuzz(&m);
    for (size_t k = 0; k < m.mutant_count; k++) {
        if (m.mutants[k].end == MUTATE_OPEN)
            mutate_tell(&m, &m.mutants[k]);
    }
    return m.failed ? 1 : 0;
}
