/*
 * vet_expect.c: the differences that are meant. The file holds blocks with an empty line between
 * them; lines that open with # are for people:
 *
 *   id: ingest:more:bytes-copied
 *   about: frames 4             the requirement, or what it is part of
 *   reason: one line
 *   witness:                    of all but costs: an input that shows it, as text, moved in by two
 *     # config: 00
 *     00 01
 */
#include "targets/bed/vet.h"

#include "sim/text.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY ""

struct reader {
    struct vet *v;
    unsigned line;
    struct vet_expected *now; /* NULL between blocks */
    bool in_witness;
};

static bool refuse(const struct reader *r, const char *rule)
{
    bed_cannot("%s:%u: %s", r->v->expected_path, r->line, rule);
    return false;
}

static bool is_cost(const struct vet_expected *e)
{
    return strstr(e->id, ":more:") != NULL || strstr(e->id, ":less:") != NULL;
}

static bool finish_block(struct reader *r)
{
    struct vet_expected *e = r->now;

    r->now = NULL;
    r->in_witness = false;
    if (e == NULL)
        return true;
    if (e->id == NULL || e->about == NULL || e->reason == NULL)
        return refuse(r, "the block above needs id, about and reason");
    if (e->witness == NULL && !is_cost(e))
        return refuse(r, "the block above needs a witness");
    for (size_t i = 0; i + 1 < r->v->expected_count; i++)
        if (strcmp(r->v->expected[i].id, e->id) == 0)
            return refuse(r, "the block above has the id of an earlier one");
    return true;
}

static void start_block(struct reader *r)
{
    struct vet *v = r->v;

    v->expected = realloc(v->expected, (v->expected_count + 1) * sizeof(*v->expected));
    bed_must(v->expected != NULL ? WB_OK : WB_E_NOMEM);
    r->now = &v->expected[v->expected_count++];
    *r->now = (struct vet_expected){.line = r->line};
}

static bool take_value(struct reader *r, const char *line, const char *key, char **out)
{
    const char *value = line + strlen(key);

    value += strspn(value, " ");
    if (*out != NULL)
        return refuse(r, "stated twice in one block");
    if (value[0] == '\0')
        return refuse(r, "says nothing");
    *out = strdup(value);
    return true;
}

static bool take_line(struct reader *r, const char *line)
{
    if (line[0] == '\0')
        return finish_block(r);
    if (line[0] == '#')
        return true;
    if (r->now == NULL)
        start_block(r);
    if (r->in_witness && strncmp(line, "  ", 2) == 0) {
        char *joined = NULL;
        bool ok = asprintf(&joined, "%s%s\n", r->now->witness, line + 2) >= 0;
        bed_must(ok ? WB_OK : WB_E_NOMEM);
        free(r->now->witness);
        r->now->witness = joined;
        return true;
    }
    r->in_witness = strcmp(line, "witness:") == 0;
    if (r->in_witness && r->now->witness != NULL)
        return refuse(r, "stated twice in one block");
    if (r->in_witness)
        r->now->witness = strdup(EMPTY);
    if (r->in_witness)
        return true;
    if (strncmp(line, "id:", 3) == 0)
        return take_value(r, line, "id:", &r->now->id);
    if (strncmp(line, "about:", 6) == 0)
        return take_value(r, line, "about:", &r->now->about);
    if (strncmp(line, "reason:", 7) == 0)
        return take_value(r, line, "reason:", &r->now->reason);
    return refuse(r, "neither id, about, reason, witness nor a line of a witness");
}

/* The bytes of a witness: as corpus files have it, without the lesson. */
static bool witness_bytes(const struct vet *v, const struct vet_expected *e,
                          const struct fuzz_target *target, struct wb_buf *out)
{
    struct sim_text_error error = {0};
    const char *config = strstr(e->witness, "# config:");
    struct wb_view text = wb_view_text(e->witness);
    unsigned byte = 0;
    enum wb_err err;

    if (target->kind == FUZZ_WIRE) {
        if (config != NULL && sscanf(config, "# config: %2x", &byte) != 1)
            byte = 0;
        bed_must(wb_buf_add_u8(out, (uint8_t)byte));
        err = sim_hex_parse(text, out, &error);
    } else {
        err = sim_text_asm(target->ops, text, out, &error);
    }
    if (err == WB_OK)
        return true;
    bed_cannot("%s:%u: the witness: %s", v->expected_path, e->line,
               err == WB_E_VALUE ? error.rule : wb_err_text((int)err));
    return false;
}

/* Witnesses are inputs like others. One of a target that is not vetted waits for a vet that does.
 */
static bool add_witness(struct vet *v, const struct vet_expected *e)
{
    size_t t = vet_target_find(v, e->id, strcspn(e->id, ":"));
    struct wb_buf bytes = bed_buf();
    char from[1024];

    if (t == v->target_count || e->witness == NULL)
        return true;
    bool ok = witness_bytes(v, e, v->targets[t].target, &bytes);
    snprintf(from, sizeof(from), "%s:%u", v->expected_path, e->line);
    if (ok)
        vet_input_add(v, t, wb_buf_view(&bytes), from);
    wb_buf_fini(&bytes);
    return ok;
}

bool vet_expect_read(struct vet *v)
{
    struct reader r = {.v = v};
    struct wb_buf text = bed_buf();
    bool ok = v->expected_path[0] == '\0' || bed_read(v->expected_path, &text);

    bed_must(wb_buf_add(&text, wb_view_of("\n\0", 2)));
    char *at = (char *)text.data, *end;
    while (ok && (end = strchr(at, '\n')) != NULL) {
        *end = '\0';
        r.line++;
        ok = take_line(&r, at);
        at = end + 1;
    }
    ok = ok && finish_block(&r);
    wb_buf_fini(&text);
    for (size_t i = 0; ok && i < v->expected_count; i++)
        ok = add_witness(v, &v->expected[i]);
    return ok;
}

void vet_expect_judge(struct vet *v)
{
    for (size_t i = 0; i < v->expected_count; i++) {
        struct vet_expected *e = &v->expected[i];
        struct vet_group *group = vet_group_find(v, e->id);
        bool is_vetted = vet_target_find(v, e->id, strcspn(e->id, ":")) < v->target_count;
        e->has_occurred = group != NULL || (v->only != NULL && !is_vetted);
        if (group != NULL)
            group->is_reviewed = true;
    }
}
