/*
 * vet_part.c: where two runs of one input part, what that difference is called, and the smallest
 * input that still shows it.
 */
#include "targets/bed/shrink.h"
#include "targets/bed/vet.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Takes the next line off the text, without its end. False when there is none. */
static bool next_line(struct wb_view *text, struct wb_view *line)
{
    if (text->len == 0)
        return false;
    const uint8_t *end = memchr(text->data, '\n', text->len);
    size_t len = end != NULL ? (size_t)(end - text->data) : text->len;
    *line = wb_view_sub(*text, 0, len);
    *text = wb_view_sub(*text, end != NULL ? len + 1 : len, text->len);
    return true;
}

bool vet_part_find(struct wb_view old_text, struct wb_view new_text, struct vet_part *out)
{
    struct wb_view rest[VET_SIDES] = {old_text, new_text}, line[VET_SIDES];
    size_t starts[3] = {0, 0, 0};

    for (uint64_t n = 1;; n++) {
        size_t at = old_text.len - rest[VET_OLD].len;
        bool has[VET_SIDES];
        for (int s = 0; s < VET_SIDES; s++) {
            line[s] = wb_view_of("", 0);
            has[s] = next_line(&rest[s], &line[s]);
        }
        if (!has[VET_OLD] && !has[VET_NEW])
            return false;
        bool is_same = has[VET_OLD] == has[VET_NEW] && line[VET_OLD].len == line[VET_NEW].len &&
                       memcmp(line[VET_OLD].data, line[VET_NEW].data, line[VET_OLD].len) == 0;
        if (!is_same) {
            *out = (struct vet_part){.line = n,
                                     .side = {line[VET_OLD], line[VET_NEW]},
                                     .before = wb_view_sub(old_text, starts[n % 3], at)};
            return true;
        }
        starts[n % 3] = at;
    }
}

/* The first word of a line behind its time: what kind of line it is. */
static void line_word(struct wb_view line, char word[24])
{
    size_t i = 0, len = 0;
    const char *text = (const char *)line.data;

    for (size_t k = 0; k + 3 <= line.len && k < 24; k++)
        if (memcmp(text + k, "ms ", 3) == 0)
            i = k + 3;
    while (i < line.len && !isalpha((unsigned char)text[i]))
        i++;
    for (; i < line.len && len < 23 && isalpha((unsigned char)text[i]); i++)
        word[len++] = text[i];
    word[len] = '\0';
    if (len == 0)
        memcpy(word, "nothing", sizeof("nothing"));
}

static const char *name_of(const struct vet *v, size_t target)
{
    return v->targets[target].target->name;
}

/* Blanks would end an id in the files that name one. */
static void name_id(char id[VET_ID_MAX], const char *target, const char *kind, const char *a,
                    const char *b)
{
    snprintf(id, VET_ID_MAX, "%s:%s:%s%s%s", target, kind, a, b[0] != '\0' ? ":" : "", b);
    for (char *p = id; *p != '\0'; p++)
        if (isspace((unsigned char)*p))
            *p = '-';
}

/* Both runs came to their end and failed in the same way or not at all. */
static enum vet_kind kind_of_ends(const struct vet_told *old, const struct vet_told *new,
                                  bool is_loose)
{
    if (strcmp(old->outcome, new->outcome) != 0)
        return VET_OUTCOME;
    if (old->story_hash != new->story_hash)
        return VET_STORY;
    return is_loose || old->hash == new->hash ? VET_ALIKE : VET_TRACE;
}

static void name_parting(struct vet *v, const struct vet_input *input, enum vet_kind kind,
                         char id[VET_ID_MAX])
{
    struct wb_buf steps[VET_SIDES] = {bed_buf(), bed_buf()};
    struct vet_part part;
    char word[VET_SIDES][24] = {"", ""};

    vet_run(v, input, 1, steps);
    if (vet_part_find(wb_buf_view(&steps[VET_OLD]), wb_buf_view(&steps[VET_NEW]), &part))
        for (int s = 0; s < VET_SIDES; s++)
            line_word(part.side[s], word[s]);
    name_id(id, name_of(v, input->target), kind == VET_STORY ? "story" : "trace", word[VET_OLD],
            word[VET_NEW]);
    for (int s = 0; s < VET_SIDES; s++)
        wb_buf_fini(&steps[s]);
}

enum vet_kind vet_part_kind(struct vet *v, const struct vet_input *input, size_t i,
                            char id[VET_ID_MAX])
{
    const struct vet_told *old = &v->told[VET_OLD][i], *new = &v->told[VET_NEW][i];
    const char *name = name_of(v, input->target);
    bool is_loose = v->targets[input->target].is_loose;

    id[0] = '\0';
    if (strcmp(old->failed, new->failed) != 0) {
        if (old->failed[0] == '\0')
            name_id(id, name, "newly-fails", new->failed, "");
        else if (new->failed[0] == '\0')
            name_id(id, name, "newly-holds", old->failed, "");
        else
            name_id(id, name, "fails-otherwise", old->failed, new->failed);
        return old->failed[0] == '\0'   ? VET_NEWLY_FAILS
               : new->failed[0] == '\0' ? VET_NEWLY_HOLDS
                                        : VET_FAILS_OTHERWISE;
    }
    if (old->failed[0] != '\0') {
        name_id(id, name, "fails", old->failed, "");
        return VET_BOTH_FAIL;
    }
    enum vet_kind kind = kind_of_ends(old, new, is_loose);
    if (kind == VET_OUTCOME)
        name_id(id, name, "outcome", old->outcome, new->outcome);
    else if (kind == VET_STORY && is_loose)
        name_id(id, name, "story", "told", "otherwise");
    else if (kind != VET_ALIKE)
        name_parting(v, input, kind, id);
    return kind;
}

void vet_part_written(char id[VET_ID_MAX], int writer)
{
    char whole[VET_ID_MAX + 16];
    size_t target = strcspn(id, ":");

    if (writer == VET_SIDES || id[target] == '\0')
        return;
    snprintf(whole, sizeof(whole), "%.*s:written-by-%s%s", (int)target, id,
             writer == VET_OLD ? "old" : "new", id + target);
    snprintf(id, VET_ID_MAX, "%.*s", VET_ID_MAX - 1, whole);
}

/* ---- the smallest ---- */

struct same {
    struct vet *v;
    const struct vet_group *group;
};

static bool is_same(void *context, struct wb_view bytes)
{
    const struct same *same = context;
    struct vet_input input = {same->group->target, (uint8_t *)(uintptr_t)bytes.data, bytes.len,
                              NULL};
    char id[VET_ID_MAX];

    vet_run(same->v, &input, 1, NULL);
    vet_part_kind(same->v, &input, 0, id);
    vet_part_written(id, same->group->writer);
    return strcmp(id, same->group->id) == 0;
}

void vet_part_least(struct vet *v, struct vet_group *group)
{
    struct same same = {v, group};
    struct vet_input *witness = &group->witness;
    struct bed_shrink *s = bed_shrink_judged(v->targets[group->target].target,
                                             wb_view_of(witness->bytes, witness->len), v->attempts,
                                             v->is_live, group->id, is_same, &same);

    bed_shrink_run(s);
    free(witness->bytes);
    witness->bytes = bed_take(s->len);
    memcpy(witness->bytes, s->best, s->len);
    witness->len = s->len;
    group->is_least = true;
    bed_shrink_free(s);
}
