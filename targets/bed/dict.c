/*
 * dict.c: `bed dict`, a dictionary for engines: of a scenario target each op as a record, and each
 * macro; of a wire target what tables of the sources say (targets/words/), then what is in no table
 * and stands in corpus/NAME.dict.
 */
#include "targets/bed/bed.h"

#include "sim/text.h"
#include "targets/words/words.h"

#include <string.h>
#include <unistd.h>

static void dict_text(const struct sim_ops *ops, const char *name, const char *text,
                      struct wb_buf *out)
{
    struct sim_text_error error;
    struct wb_buf bytes = bed_buf();
    struct wb_view records;

    bed_must(sim_text_asm(ops, wb_view_text(text), &bytes, &error));
    records = wb_buf_view(&bytes);
    /* The records alone, and no more than AFL++ takes for one word. */
    if (records.len > SIM_HEADER && records.len - SIM_HEADER <= WORDS_MAX)
        bed_must(words_put(out, name, wb_view_sub(records, SIM_HEADER, records.len)));
    wb_buf_fini(&bytes);
}

static void dict_ops(const struct sim_ops *ops, struct wb_buf *out)
{
    char name[32];

    for (size_t i = 0; i < ops->count; i++) {
        uint8_t record[SIM_FIELDS] = {ops->ops[i].opcode};

        bed_must(words_put(out, ops->ops[i].name, wb_view_of(record, sizeof(record))));
    }
    for (size_t i = 0; ops->macros != NULL && ops->macros[i] != NULL; i++) {
        (void)snprintf(name, sizeof(name), "macro_%zu", i);
        dict_text(ops, name, ops->macros[i], out);
    }
}

/* False after a message. */
static bool dict_more(const char *path, struct wb_buf *out)
{
    struct wb_buf file = bed_buf();
    bool ok = bed_read(path, &file);

    if (ok)
        bed_must(wb_buf_add(out, wb_buf_view(&file)));
    wb_buf_fini(&file);
    return ok;
}

static int bed_dict(int argc, char **argv)
{
    const char *name = NULL;
    const struct bed_option options[] = {{.name = "target", .text = &name}, {.name = NULL}};
    struct wb_buf out = bed_buf();
    char path[256];
    bool ok = true;

    if (!bed_options(argc, argv, options, 0, 0))
        return BED_CANNOT;
    if (name == NULL)
        return bed_wrong(argv[0], "--target is missing");
    const struct fuzz_target *target = bed_target(name);
    if (target == NULL)
        return BED_CANNOT;
    if (target->kind == FUZZ_SCENARIO) {
        bed_buf_print(&out, "# The ops of %s, and sequences of them.\n", target->name);
        dict_ops(target->ops, &out);
    } else {
        bed_must(words_of(target->name, &out));
        (void)snprintf(path, sizeof(path), "corpus/%s.dict", target->name);
        if (out.len == 0 || access(path, F_OK) == 0)
            ok = dict_more(path, &out);
    }
    ok = ok && bed_write(NULL, wb_buf_view(&out), true);
    wb_buf_fini(&out);
    return ok ? BED_PASS : BED_CANNOT;
}

BED_COMMAND(.name = "dict", .text = "a dictionary for engines, from the op and message tables",
            .usage = "--target NAME", .run = bed_dict);
