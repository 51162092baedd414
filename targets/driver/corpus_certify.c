/*
 * corpus_certify.c: one line an input, and two texts of such lines compared.
 */
#include "targets/driver/corpus_certify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CERTIFY_SHOWN 8 /* differences that are printed */

static bool add_line(const struct corpus_file *file, size_t i, const struct sim_run *run,
                     struct wb_buf *out)
{
    char config[3] = "-";
    char *line = NULL;

    if (file->config_count > 0)
        snprintf(config, sizeof config, "%02x", file->configs[i]);
    int len =
        asprintf(&line, "%016" PRIx64 " %s %" PRIu64 " %" PRIu64 " %s %s\n", run->trace.hash,
                 wb_err_name((int)run->outcome), run->ops_live, run->ops_dead, file->path, config);
    if (len < 0)
        return false;
    bool ok = wb_buf_add(out, wb_view_of(line, (size_t)len)) == WB_OK;
    free(line);
    return ok;
}

bool corpus_certify(const struct corpus_file *file, struct wb_buf *out)
{
    bool ok = true;

    for (size_t i = 0; ok && i < corpus_input_count(file); i++) {
        size_t len = 0;
        uint8_t *input = corpus_input(file, i, &len);
        ok = add_line(file, i, fuzz_run(file->target, wb_view_of(input, len)), out);
        free(input);
    }
    return ok;
}

/* What stands behind the fourth blank: path and configuration. */
static struct wb_view input_of(struct wb_view line)
{
    size_t at = 0;

    for (unsigned blanks = 0; at < line.len && blanks < 4; at++)
        blanks += line.data[at] == ' ';
    return wb_view_sub(line, at, line.len);
}

static int order_of(struct wb_view a, struct wb_view b)
{
    struct wb_view x = input_of(a), y = input_of(b);
    int order = memcmp(x.data, y.data, x.len < y.len ? x.len : y.len);

    return order != 0 ? order : (x.len > y.len) - (x.len < y.len);
}

static void show(FILE *out, const char *name, struct wb_view line)
{
    fprintf(out, "  %s: %.*s\n", name, (int)line.len, (const char *)line.data);
}

size_t corpus_certify_differ(struct wb_view a, const char *a_name, struct wb_view b,
                             const char *b_name, FILE *out, size_t *out_same)
{
    size_t count = 0, same = 0;

    while (a.len > 0 || b.len > 0) {
        struct wb_view left_a = a, left_b = b, line_a = {0}, line_b = {0};
        (void)corpus_line(&left_a, &line_a);
        (void)corpus_line(&left_b, &line_b);
        int order = a.len == 0 ? 1 : b.len == 0 ? -1 : order_of(line_a, line_b);
        bool is_same = order == 0 && wb_view_equal(line_a, line_b);
        if (order <= 0)
            a = left_a;
        if (order >= 0)
            b = left_b;
        same += is_same;
        if (is_same)
            continue;
        if (count < CERTIFY_SHOWN && order <= 0)
            show(out, a_name, line_a);
        if (count < CERTIFY_SHOWN && order >= 0)
            show(out, b_name, line_b);
        count++;
    }
    *out_same = same;
    return count;
}
