/*
 * vet.c: `bed vet`, two revisions of the core on the same inputs: what behaves otherwise, what
 * costs more, and whether somebody has said that it is meant.
 */
#include "targets/bed/vet.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "OLD,NEW" */
static bool take_pair(const char *value, char *out[VET_SIDES])
{
    size_t len = strcspn(value, ",");

    if (value[len] == '\0')
        return bed_cannot("`%s': two names with a comma between", value) == BED_PASS;
    out[VET_OLD] = strndup(value, len);
    out[VET_NEW] = strdup(value + len + 1);
    return true;
}

/* "BASE REVISION HEAD", for last.json. */
static bool take_names(struct vet *v, const char *value)
{
    static char base[200], revision[80], head[80];

    v->base = base;
    v->revision = revision;
    v->head = head;
    return sscanf(value, "%199s %79s %79s", base, revision, head) == 3 ||
           bed_cannot("--names `%s': three names", value) == BED_PASS;
}

/* Targets, with commas between. */
static bool take_targets(const char *value, const char **out)
{
    char *list = strdup(value), *rest = list, *name;
    bool ok = true;

    while (ok && (name = strsep(&rest, ",")) != NULL)
        ok = bed_target(name) != NULL;
    free(list);
    *out = value;
    return ok;
}

/* False after a message. */
static bool take_option(struct vet *v, int c, const char *value)
{
    switch (c) {
    case 'r':
        return bed_number("--runs", value, UINT32_MAX, &v->fuzz_runs);
    case 's':
        return bed_number("--seed", value, UINT32_MAX, &v->seed);
    case 'a':
        return bed_number("--attempts", value, UINT32_MAX, &v->attempts);
    case 't':
        return take_targets(value, &v->only);
    case 'e':
        v->expected_path = value;
        return true;
    case 'c':
        v->corpus = value;
        return true;
    case 'd':
        v->state_dir = value;
        return true;
    case 'l':
        return take_targets(value, &v->loose);
    case 'f':
        v->input = value;
        return true;
    case 'b':
        v->seeds = value;
        return true;
    case 'n':
        return take_pair(value, v->programs);
    case 'p':
        return take_pair(value, v->pace);
    case 'u':
        return bed_number("--rounds", value, 64, &v->rounds);
    case 'm':
        v->bench = value;
        return true;
    case 'w':
        return take_names(v, value);
    case 'k':
        v->does_time_matter = true;
        return true;
    case 'j':
        v->is_json = true;
        return true;
    default:
        v->has_instructions = true;
        return true;
    }
}

/* One input and nothing else; the report of a whole vet stays where it is. */
static bool take_input(struct vet *v)
{
    if (v->only == NULL || strchr(v->only, ',') != NULL)
        return bed_cannot("--input is of one target: --target NAME") == BED_PASS;
    v->fuzz_runs = 0;
    v->expected_path = "";
    v->bench = "";
    if (v->state_dir == NULL)
        v->state_dir = "build/vet/input";
    return true;
}

/* One side's corpus in this very process, for a counter around it. */
static int run_alone(const struct vet *v)
{
    for (size_t i = 0; i < v->input_count; i++) {
        const struct vet_input *input = &v->inputs[i];
        v->side[VET_OLD]->run(v->targets[input->target].at[VET_OLD], input->bytes, input->len, NULL,
                              &v->told[VET_OLD][0]);
    }
    return BED_PASS;
}

/* The corpus as whole inputs, for engines. */
static int write_seeds(const struct vet *v)
{
    char path[1024];
    bool ok = bed_mkdir(v->seeds);

    for (size_t i = 0; ok && i < v->input_count; i++) {
        snprintf(path, sizeof(path), "%s/%zu", v->seeds, i);
        ok = bed_write(path, wb_view_of(v->inputs[i].bytes, v->inputs[i].len), true);
    }
    return ok ? BED_PASS : BED_CANNOT;
}

static void vet_free(struct vet *v)
{
    for (size_t i = 0; i < v->input_count; i++)
        vet_input_free(&v->inputs[i]);
    for (size_t i = 0; i < v->group_count; i++)
        vet_input_free(&v->groups[i].witness);
    for (size_t i = 0; i < v->expected_count; i++) {
        free(v->expected[i].id);
        free(v->expected[i].about);
        free(v->expected[i].reason);
        free(v->expected[i].witness);
    }
    free(v->inputs);
    free(v->groups);
    free(v->expected);
    free(v->targets);
    for (int s = 0; s < VET_SIDES; s++) {
        free(v->pace[s]);
        free(v->programs[s]);
        wb_buf_fini(&v->coverage[s]);
    }
    wb_buf_fini(&v->notes);
    vet_count_free(v);
    if (v->requires.count > 0)
        require_free(&v->requires);
}

static int bed_vet(int argc, char **argv)
{
    static const struct option longs[] = {
        {"runs", required_argument, NULL, 'r'},     {"seed", required_argument, NULL, 's'},
        {"attempts", required_argument, NULL, 'a'}, {"target", required_argument, NULL, 't'},
        {"expected", required_argument, NULL, 'e'}, {"corpus", required_argument, NULL, 'c'},
        {"state", required_argument, NULL, 'd'},    {"loose", required_argument, NULL, 'l'},
        {"json", no_argument, NULL, 'j'},           {"instructions", no_argument, NULL, 'i'},
        {"alone", no_argument, NULL, 'o'},          {"input", required_argument, NULL, 'f'},
        {"seeds", required_argument, NULL, 'b'},    {"programs", required_argument, NULL, 'n'},
        {"pace", required_argument, NULL, 'p'},     {"rounds", required_argument, NULL, 'u'},
        {"bench", required_argument, NULL, 'm'},    {"names", required_argument, NULL, 'w'},
        {"time-matters", no_argument, NULL, 'k'},   {NULL, 0, NULL, 0}};
    struct vet v = {.corpus = "corpus",
                    .expected_path =
                        access("ci/vet-expected.txt", F_OK) == 0 ? "ci/vet-expected.txt" : "",
                    .base = "",
                    .revision = "",
                    .head = "",
                    .bench = "ci/bench/inputs",
                    .rounds = 9,
                    .fuzz_runs = 20000,
                    .seed = 1,
                    .attempts = 400,
                    .is_live = isatty(STDERR_FILENO) == 1,
                    .notes = bed_buf(),
                    .coverage = {bed_buf(), bed_buf()}};
    bool is_alone = false;
    int c, status = BED_CANNOT;

    while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        if (c == '?')
            return bed_misuse(argv[0]);
        is_alone = is_alone || c == 'o';
        if (c != 'o' && !take_option(&v, c, optarg))
            return BED_CANNOT;
    }
    if (argc - optind != 2)
        return bed_misuse(argv[0]);
    if (v.input != NULL && !take_input(&v))
        return BED_CANNOT;
    if (v.state_dir == NULL)
        v.state_dir = "build/vet";
    v.paths[VET_OLD] = argv[optind];
    v.paths[VET_NEW] = argv[optind + 1];
    if (vet_load(&v) && vet_inputs(&v)) {
        if (is_alone)
            status = run_alone(&v);
        else if (v.seeds != NULL)
            status = write_seeds(&v);
        else if (vet_expect_read(&v) && vet_work(&v)) {
            vet_cover_tell(&v);
            vet_cost_groups(&v);
            vet_bench_groups(&v);
            vet_require(&v);
            vet_expect_judge(&v);
            status = vet_tell(&v);
        }
    }
    vet_free(&v);
    return status;
}

BED_COMMAND(
        .name = "vet", .text = "what differs between two revisions, and what it costs",
        .usage =
            "[--runs 20000] [--seed 1] [--target NAME,NAME] [--expected FILE] [--json]\n"
            "  [--instructions] [--attempts 400] [--corpus corpus] [--state build/vet]\n"
            "  [--loose NAME,NAME] [--input FILE] [--seeds DIR] [--bench ci/bench/inputs]\n"
            "  [--pace OLD.so,NEW.so] [--programs OLDDIR,NEWDIR] [--rounds 9]\n"
            "  [--time-matters] [--names 'BASE REVISION HEAD'] OLD.so NEW.so\n\n"
            "The corpus, and fuzz inputs made of it, through both; `make vet BASE=REVISION`\n"
            "builds them (ci/vet/README.md). Each kind of difference is told once, with its\n"
            "smallest input. Then bench cases: those of a folder, and, with programs, what\n"
            "they print; with sides without counters (--pace), time in turn. Exit 1 when a\n"
            "difference is unreviewed (ci/vet-expected.txt), when a reviewed one no longer\n"
            "occurs, when inputs were not run, or, with --time-matters, when a case is slower.\n"
            "Goes on where it was interrupted. Leaves last.json beside its state. --input: one\n"
            "file of one target in place of all that.",
        .run = bed_vet);
