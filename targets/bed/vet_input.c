/*
 * vet_input.c: what both sides are fed: the corpus, then inputs that are made of it by number.
 */
#include "targets/bed/vet.h"

#include "sim/mutate.h"

#include <stdlib.h>
#include <string.h>

#define FUZZ_LEN_MAX ((size_t)4096)

void vet_input_add(struct vet *v, size_t target, struct wb_view bytes, const char *from)
{
    if (v->input_count == v->input_room) {
        v->input_room = v->input_room > 0 ? 2 * v->input_room : 256;
        v->inputs = realloc(v->inputs, v->input_room * sizeof(*v->inputs));
        bed_must(v->inputs != NULL ? WB_OK : WB_E_NOMEM);
    }
    struct vet_input *input = &v->inputs[v->input_count++];
    *input = (struct vet_input){target, bed_take(bytes.len), bytes.len, strdup(from)};
    if (bytes.len > 0)
        memcpy(input->bytes, bytes.data, bytes.len);
}

void vet_input_free(struct vet_input *input)
{
    free(input->bytes);
    free(input->from);
    *input = (struct vet_input){0};
}

static bool add_file(struct vet *v, size_t target, const char *path)
{
    struct corpus_file file;

    if (!bed_load(path, v->targets[target].target->name, &file))
        return false;
    for (size_t i = 0; i < corpus_input_count(&file); i++) {
        size_t len;
        uint8_t *bytes = corpus_input(&file, i, &len);
        vet_input_add(v, target, wb_view_of(bytes, len), path);
        free(bytes);
    }
    v->stated = sim_hash(wb_view_text(path), v->stated);
    v->stated = sim_hash(wb_view_text(file.story != NULL ? file.story : ""), v->stated);
    v->stated = sim_hash(wb_view_text(file.marks != NULL ? file.marks : ""), v->stated);
    for (size_t i = 0; i < file.expect_count; i++)
        v->stated = sim_hash(wb_view_text(wb_err_name((int)file.expect[i])), v->stated);
    corpus_free(&file);
    return true;
}

bool vet_inputs(struct vet *v)
{
    char folder[1024], error[CORPUS_ERROR_MAX];

    if (v->input != NULL)
        return add_file(v, 0, v->input);
    for (size_t t = 0; t < v->target_count; t++) {
        char **paths;
        size_t count, before = v->input_count;
        bool ok = true;
        snprintf(folder, sizeof(folder), "%s/%s", v->corpus, v->targets[t].target->name);
        if (!corpus_find(folder, &paths, &count, error)) {
            bed_buf_print(&v->notes, "%s: no corpus: %s\n", v->targets[t].target->name, error);
            count = 0;
            paths = NULL;
        }
        for (size_t i = 0; ok && i < count; i++)
            ok = add_file(v, t, paths[i]);
        corpus_paths_free(paths, count);
        if (!ok)
            return false;
        if (v->input_count == before)
            vet_input_add(v, t, wb_view_of("", 0), "the empty input");
    }
    return true;
}

uint64_t vet_input_total(const struct vet *v)
{
    return v->input_count + v->fuzz_runs;
}

/* ---- fuzz runs ---- */

static uint64_t draw(uint64_t *state)
{
    *state = sim_hash(wb_view_of("vet", 3), *state);
    return *state >> 16;
}

/* Some input of the target, by number; there is at least one. */
static const struct vet_input *pick(const struct vet *v, size_t target, uint64_t n)
{
    size_t first = 0, count = 0;

    /* The inputs of a target lie in one run; witnesses, at the end, are not picked. */
    while (v->inputs[first].target != target)
        first++;
    while (first + count < v->input_count && v->inputs[first + count].target == target)
        count++;
    return &v->inputs[first + n % count];
}

/* Bytes of a wire input: one is changed, put in or taken out, a piece is repeated, or the tail is
 * another input's. The configuration byte is drawn anew at times. */
static size_t mutate_wire(uint8_t *b, size_t len, size_t max, const struct vet_input *other,
                          uint64_t *state)
{
    static const uint8_t telling[] = {0x00, 0x01, 0x3f, 0x40, 0x7f, 0x80, 0xc0,
                                      0xff, '\r', '\n', ' ',  '0',  '9',  'k'};
    if (len == 0) {
        b[0] = (uint8_t)draw(state);
        return 1;
    }
    size_t at = len > 1 ? 1 + draw(state) % (len - 1) : 0;
    size_t n = 1 + draw(state) % 8;

    n = n < len - at ? n : len - at;
    switch (draw(state) % 8) {
    case 0:
        b[0] ^= (uint8_t)(1u << draw(state) % 8);
        return len;
    case 1:
        b[at] ^= (uint8_t)(1u << draw(state) % 8);
        return len;
    case 2:
        b[at] = telling[draw(state) % sizeof(telling)];
        return len;
    case 3:
        b[at] = (uint8_t)(b[at] + (draw(state) % 2 == 0 ? 1 : 255));
        return len;
    case 4:
        if (len + n > max)
            return len;
        memmove(b + at + n, b + at, len - at);
        return len + n;
    case 5:
        memmove(b + at, b + at + n, len - at - n);
        return len - n;
    case 6:
        if (len == max)
            return len;
        memmove(b + at + 1, b + at, len - at);
        b[at] = telling[draw(state) % sizeof(telling)];
        return len + 1;
    default: {
        size_t from = other->len > 1 ? 1 + draw(state) % (other->len - 1) : 0;
        size_t tail = other->len - from < max - at ? other->len - from : max - at;
        if (tail > 0)
            memcpy(b + at, other->bytes + from, tail);
        return at + tail;
    }
    }
}

static struct vet_input make(const struct vet *v, uint64_t run)
{
    uint64_t state = sim_hash(wb_view_of(&run, sizeof(run)), v->seed);
    size_t target = (size_t)(run % v->target_count);
    const struct fuzz_target *t = v->targets[target].target;
    const struct vet_input *base = pick(v, target, draw(&state));
    const struct vet_input *other = pick(v, target, draw(&state));
    size_t max = base->len + 512 < FUZZ_LEN_MAX ? FUZZ_LEN_MAX : base->len + 512;
    struct vet_input out = {target, bed_take(max), base->len, NULL};

    if (base->len > 0)
        memcpy(out.bytes, base->bytes, base->len);
    if (t->kind == FUZZ_SCENARIO && draw(&state) % 8 == 0)
        out.len =
            sim_cross(wb_view_of(base->bytes, base->len), wb_view_of(other->bytes, other->len),
                      out.bytes, max, (uint32_t)draw(&state));
    for (uint64_t n = 1 + draw(&state) % 4; n > 0; n--)
        out.len = t->kind == FUZZ_SCENARIO
                      ? sim_mutate(t->ops, out.bytes, out.len, max, (uint32_t)draw(&state))
                      : mutate_wire(out.bytes, out.len, max, other, &state);
    bed_must(asprintf(&out.from, "fuzz run %llu", (unsigned long long)run) > 0 ? WB_OK
                                                                               : WB_E_NOMEM);
    return out;
}

struct vet_input vet_input_at(const struct vet *v, uint64_t i)
{
    if (i >= v->input_count)
        return make(v, i - v->input_count);
    const struct vet_input *from = &v->inputs[i];
    struct vet_input out = {from->target, bed_take(from->len), from->len, strdup(from->from)};
    if (from->len > 0)
        memcpy(out.bytes, from->bytes, from->len);
    return out;
}
