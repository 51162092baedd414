/*
 * text.c: inputs as text for people, in the forms that corpus files have.
 */
#include "targets/bed/bed.h"

#include "sim/text.h"

const char *bed_text_ending(const struct fuzz_target *target)
{
    return target->kind == FUZZ_SCENARIO ? ".scn" : ".hex";
}

bool bed_text_head(const char *path, struct wb_buf *out)
{
    if (!corpus_has_ending(path, ".scn") && !corpus_has_ending(path, ".hex"))
        return true;
    struct wb_buf text = bed_buf();
    bool ok = bed_read(path, &text), in_head = true;
    struct wb_view left = wb_buf_view(&text), line;

    while (ok && corpus_line(&left, &line)) {
        bool is_comment = line.len > 0 && line.data[0] == '#';
        in_head = in_head && is_comment;
        if (in_head || (is_comment && corpus_statement(wb_view_sub(line, 1, line.len)) != NULL)) {
            bed_must(wb_buf_add(out, line));
            bed_must(wb_buf_add_u8(out, '\n'));
        }
    }
    wb_buf_fini(&text);
    return ok;
}

void bed_text_input(const struct fuzz_target *target, struct wb_view input, struct wb_buf *out)
{
    if (target->kind == FUZZ_SCENARIO) {
        bed_must(sim_text_show(target->ops, input, out));
        return;
    }
    bed_buf_print(out, "# config: %02x\n", input.len > 0 ? input.data[0] : 0);
    if (input.len > 0)
        bed_must(sim_hex_show_lines(wb_view_sub(input, 1, input.len), out));
}
