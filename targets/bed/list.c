/*
 * list.c: `bed list`, the targets, the ops of one, the invariants; for people or as JSON.
 */
#include "targets/bed/bed.h"

#include "targets/bed/describe.h"
#include "targets/subject.h"

#include <getopt.h>
#include <string.h>

/* Of replies and of streams of media. */
static bool shows_inside(void)
{
    return subject_reply()->stats != NULL && subject_ingest()->stats != NULL;
}

static const char *skipped_text(void)
{
    return shows_inside() ? "" : " (shows no inside: checks that need it are skipped)";
}

/* The canary fails on purpose and is nobody's target to fuzz: only asking by name shows it. */
static bool is_listed(const struct fuzz_target *target)
{
    return strcmp(target->name, "canary") != 0;
}

static int list_targets(bool json)
{
    if (json) {
        const char *comma = "";
        printf("{\"subject\": ");
        bed_json_text(subject_reply()->name);
        printf(", \"shows_inside\": %s, \"targets\": [", shows_inside() ? "true" : "false");
        for (size_t i = 0; i < fuzz_target_count(); i++) {
            if (!is_listed(fuzz_target_at(i)))
                continue;
            printf("%s\n  ", comma);
            bed_describe_json(fuzz_target_at(i), false);
            comma = ",";
        }
        printf("\n]}\n");
        return BED_PASS;
    }
    printf("subject: %s%s\n\n", subject_reply()->name, skipped_text());
    printf("%-16s %-8s %4s %6s %6s  %s\n", "target", "kind", "ops", "marks", "corpus", "property");
    for (size_t i = 0; i < fuzz_target_count(); i++)
        if (is_listed(fuzz_target_at(i)))
            bed_describe_line(fuzz_target_at(i));
    return BED_PASS;
}

static void list_invariant(const struct inv_desc *inv, bool json)
{
    if (!json) {
        printf("%-8s %s\n", inv->id, inv->text);
        return;
    }
    printf("{\"id\": ");
    bed_json_text(inv->id);
    printf(", \"text\": ");
    bed_json_text(inv->text);
    printf("}");
}

static int list_one(const char *name, bool json)
{
    const struct fuzz_target *target = fuzz_target_find(name);
    const struct inv_desc *inv = inv_find(name);

    if (target == NULL && inv == NULL)
        return bed_cannot("no target `%s' and no invariant; `%s list [--invariants]` names them",
                          name, bed_program());
    if (target == NULL)
        list_invariant(inv, json);
    else if (json)
        bed_describe_json(target, true);
    else
        bed_describe(target);
    if (json)
        printf("\n");
    return BED_PASS;
}

static int list_invariants(bool json)
{
    if (json)
        printf("[");
    for (size_t i = 0; i < inv_count(); i++) {
        if (json)
            printf("%s\n  ", i > 0 ? "," : "");
        list_invariant(inv_at(i), json);
    }
    if (json)
        printf("\n]\n");
    return BED_PASS;
}

static int bed_list(int argc, char **argv)
{
    bool json = false, invariants = false;
    const struct bed_option options[] = {{.name = "json", .flag = &json},
                                         {.name = "invariants", .flag = &invariants},
                                         {.name = NULL}};

    if (!bed_options(argc, argv, options, 0, 1))
        return BED_CANNOT;
    if (invariants && optind < argc)
        return bed_wrong(argv[0], "--invariants or `%s', not both", argv[optind]);
    if (invariants)
        return list_invariants(json);
    return optind < argc ? list_one(argv[optind], json) : list_targets(json);
}

BED_COMMAND(.name = "list",
            .text = "the targets; the configuration, ops and marks of one; the invariants",
            .usage = "[--json] [NAME | ID | --invariants]\n\n"
                     "NAME is a target, ID an invariant.",
            .run = bed_list);
