/*
 * show.c: `bed show`, an input as text, whatever form its file has.
 */
#include "targets/bed/bed.h"

#include "sim/text.h"

#include <getopt.h>
#include <string.h>

static bool states_config(struct wb_view head)
{
    struct wb_view line;
    while (corpus_line(&head, &line)) {
        const char *key = corpus_statement(wb_view_sub(line, 1, line.len));
        if (key != NULL && strcmp(key, "config:") == 0)
            return true;
    }
    return false;
}

static void show_body(const struct corpus_file *file, struct wb_buf *out)
{
    struct wb_view bytes = wb_view_of(file->bytes, file->len);

    if (file->target->kind == FUZZ_SCENARIO) {
        bed_must(sim_text_show(file->target->ops, bytes, out));
        if (file->target->draw != NULL)
            file->target->draw(bytes, out);
        return;
    }
    if (!states_config(wb_buf_view(out))) {
        bed_buf_print(out, "# config:");
        for (size_t i = 0; i < file->config_count; i++)
            bed_buf_print(out, " %02x", file->configs[i]);
        bed_buf_print(out, "\n");
    }
    bed_must(sim_hex_show_lines(bytes, out));
}

static int bed_show(int argc, char **argv)
{
    struct bed_source source = {0};
    const struct bed_option options[] = {BED_SOURCE(source), {.name = NULL}};
    struct corpus_file file;
    int status = BED_CANNOT;

    if (!bed_options(argc, argv, options, 1, 1) || !bed_load_from(argv[optind], &source, &file))
        return BED_CANNOT;

    struct wb_buf text = bed_buf();
    if (bed_text_head(argv[optind], &text)) {
        if (text.len == 0)
            bed_buf_print(&text, "# shown from %s\n", argv[optind]);
        show_body(&file, &text);
        if (bed_write(NULL, wb_buf_view(&text), false))
            status = BED_PASS;
    }
    wb_buf_fini(&text);
    corpus_free(&file);
    return status;
}

BED_COMMAND(
        .name = "show", .text = "a scenario or wire input as text",
        .usage =
            "[--target NAME] [--whole] FILE\n\n"
            "Comments that open the file stay. Files outside corpus/NAME/ need --target.\n"
            "Some targets draw in comments how things stand after the last op.\n" BED_SOURCE_HELP,
        .run = bed_show);
