/*
 * gen.c: `bed gen`, a scenario from a number.
 */
#include "targets/bed/bed.h"

#include "sim/mutate.h"
#include "sim/text.h"

#include <stdlib.h>

struct gen_options {
    const char *target_name, *out;
    const char *seed_text;
    uint64_t seed, ops;
    bool raw;
};

static int gen_write(const struct fuzz_target *target, const struct gen_options *options)
{
    size_t max = SIM_HEADER + SIM_RECORDS_MAX * SIM_RECORD;
    uint8_t *bytes = bed_take(max);
    struct wb_buf out = bed_buf();

    size_t len =
        sim_generate(target->ops, bytes, max, (size_t)options->ops, (uint32_t)options->seed);
    if (options->raw) {
        bed_must(wb_buf_add(&out, wb_view_of(bytes, len)));
    } else {
        bed_buf_print(&out, "# generated: seed %s, %llu ops asked for\n", options->seed_text,
                      (unsigned long long)options->ops);
        bed_must(sim_text_show(target->ops, wb_view_of(bytes, len), &out));
    }
    bool ok = bed_write(options->out, wb_buf_view(&out), true);
    wb_buf_fini(&out);
    free(bytes);
    return ok ? BED_PASS : BED_CANNOT;
}

static int bed_gen(int argc, char **argv)
{
    struct gen_options gen = {.ops = 32};
    const struct bed_option options[] = {
        {.name = "target", .text = &gen.target_name},
        {.name = "seed", .text = &gen.seed_text},
        {.name = "ops", .number = &gen.ops, .max = SIM_RECORDS_MAX},
        {.name = "raw", .flag = &gen.raw},
        {.name = "out", .text = &gen.out},
        {.name = NULL}};

    if (!bed_options(argc, argv, options, 0, 0))
        return BED_CANNOT;
    if (gen.target_name == NULL || gen.seed_text == NULL)
        return bed_wrong(argv[0], "--%s is missing", gen.target_name == NULL ? "target" : "seed");
    if (!bed_number("--seed", gen.seed_text, UINT32_MAX, &gen.seed))
        return BED_CANNOT;

    const struct fuzz_target *target = bed_target(gen.target_name);
    if (target == NULL)
        return BED_CANNOT;
    if (target->kind != FUZZ_SCENARIO)
        return bed_cannot("%s is a wire target; only scenarios can be generated", target->name);
    return gen_write(target, &gen);
}

BED_COMMAND(.name = "gen", .text = "a scenario from a number",
            .usage = "--target NAME --seed N [--ops 32] [--raw] [-o OUT]\n\n"
                     "Text, or bytes with --raw. The same numbers give the same scenario.",
            .run = bed_gen);
