/*
 * vet.c: `bed vet`, two revisions of the core on the same inputs: what behaves otherwise, what
 * costs more, and whether somebody has said that it is meant.
 */
#include "targets/bed/vet.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        v->only = value;
        return strchr(value, ',') != NULL || bed_target(value) != NULL;
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
        v->loose = value;
        return true;
    case 'f':
        v->also = value;
        return true;
    case 'b':
        v->seeds = value;
        return true;
    case 'j':
        v->is_json = true;
        return true;
    default:
        v->has_instructions = true;
        return true;
    }
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
    wb_buf_fini(&v->notes);
}

static int bed_vet(int argc, char **argv)
{
    static const struct option longs[] = {
        {"runs", required_argument, NULL, 'r'},     {"seed", required_argument, NULL, 's'},
        {"attempts", required_argument, NULL, 'a'}, {"target", required_argument, NULL, 't'},
        {"expected", required_argument, NULL, 'e'}, {"corpus", required_argument, NULL, 'c'},
        {"state", required_argument, NULL, 'd'},    {"loose", required_argument, NULL, 'l'},
        {"json", no_argument, NULL, 'j'},           {"instructions", no_argument, NULL, 'i'},
        {"alone", no_argument, NULL, 'o'},          {"also", required_argument, NULL, 'f'},
        {"seeds", required_argument, NULL, 'b'},    {NULL, 0, NULL, 0}};
    struct vet v = {.corpus = "corpus",
                    .expected_path =
                        access("ci/vet-expected.txt", F_OK) == 0 ? "ci/vet-expected.txt" : "",
                    .state_dir = "build/vet",
                    .fuzz_runs = 20000,
                    .seed = 1,
                    .attempts = 400,
                    .is_live = isatty(STDERR_FILENO) == 1,
                    .notes = bed_buf()};
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
            vet_expect_judge(&v);
            status = vet_tell(&v);
        }
    }
    vet_free(&v);
    return status;
}

BED_COMMAND(.name = "vet", .text = "what differs between two revisions, and what it costs",
            .usage =
                "[--runs 20000] [--seed 1] [--target NAME,NAME] [--expected FILE] [--json]\n"
                "  [--instructions] [--attempts 400] [--corpus corpus] [--state build/vet]\n"
                "  [--loose NAME,NAME] [--also FILE] [--seeds DIR] OLD.so NEW.so\n\n"
                "The corpus, and fuzz inputs made of it, through both; `make vet BASE=REVISION`\n"
                "builds them (ci/vet/README.md). Each kind of difference is told once, with its\n"
                "smallest input. Exit 1 when one is unreviewed (ci/vet-expected.txt), or when a\n"
                "reviewed one no longer occurs. Goes on where it was interrupted.",
            .run = bed_vet);
