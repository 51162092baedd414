/*
 * base.c: the path bases of STARTs. A START leaves out what it shares with the claim on the wire
 * that is beside it in the order of paths and nodes, when that makes it shorter: of the four on
 * each side the nearest that is on the wire, of the two the one with more parts in common, and the
 * newer one of equals.
 */
#include "oracles/ref_varint.h"
#include "targets/announce/ann.h"

#include <string.h>

#define NEAR 4u
#define ALL  ((size_t)REF_NODES * REF_PATHS)

struct common {
    size_t len;
    uint64_t parts;
};

static bool is_end(struct wb_view path, size_t at)
{
    return at == path.len || path.data[at] == '/';
}

/* The whole parts at the front of both. */
static struct common common_of(struct wb_view a, struct wb_view b)
{
    struct common found = {0, 0};
    uint64_t parts = 0;

    for (size_t at = 0;; at++) {
        if (at > 0 && is_end(a, at) && is_end(b, at))
            found = (struct common){at, ++parts};
        if (at == a.len || at == b.len || a.data[at] != b.data[at])
            return found;
    }
}

static uint64_t size_of(uint64_t value)
{
    uint8_t form[REF_VARINT_SIZE_MAX];

    return ref_varint_write(REF_VARINT_ONES_SEVEN, value, form);
}

/* The nearest on the wire on one side, or NULL. */
static const struct ann_beside *nearest(const struct ann_beside *all, size_t count, size_t at,
                                        bool after)
{
    for (size_t i = 1; i <= NEAR && (after ? at + i < count : i <= at); i++)
        if (all[after ? at + i : at - i].on_wire)
            return &all[after ? at + i : at - i];
    return NULL;
}

/* What the START of `all[at]` must name: {0, 0}, nothing. */
static struct common base_of(const struct ann_beside *all, size_t count, size_t at, uint64_t next,
                             uint64_t *out_back)
{
    const struct ann_beside *sides[] = {nearest(all, count, at, true),
                                        nearest(all, count, at, false)};
    struct common best = {0, 0};
    uint64_t id = 0;
    size_t len = all[at].path.len, left;

    *out_back = 0;
    for (size_t i = 0; i < 2; i++) {
        struct common with = {0, 0};

        if (sides[i] != NULL)
            with = common_of(all[at].path, sides[i]->path);
        if (with.len == 0 || with.len < best.len || (with.len == best.len && sides[i]->id < id))
            continue;
        best = with;
        id = sides[i]->id;
    }
    if (best.len == 0)
        return best;
    left = best.len == len ? 0 : len - best.len - 1;
    if (size_of(next - id) + size_of(best.parts) + size_of(left) + left >=
        size_of(0) + size_of(0) + size_of(len) + len)
        return (struct common){0, 0};
    *out_back = next - id;
    return best;
}

/* An integer off the front. */
static bool number(struct wb_view *in, uint64_t *out)
{
    struct ref_varint v = {.status = WB_MORE};

    if (in->len > 0)
        v = ref_varint_read(REF_VARINT_ONES_SEVEN, *in);
    if (v.status != WB_OK)
        return false;
    *out = v.value;
    *in = wb_view_of(in->data + v.size, in->len - v.size);
    return true;
}

bool ann_next_start(struct wb_view *flush, bool first, struct wb_view *out_body)
{
    uint64_t type = 0, size = 0;

    while ((first || number(flush, &type)) && number(flush, &size) && size <= flush->len) {
        *out_body = wb_view_of(flush->data, (size_t)size);
        *flush = wb_view_of(flush->data + size, flush->len - (size_t)size);
        if (!first && type == WB_ROUTED_START)
            return true;
        first = false;
    }
    return false;
}

/* What a START says of its path. */
struct told {
    uint64_t back, keep, len;
    struct wb_view rest;
};

static bool told_of(struct wb_view body, struct told *out)
{
    if (!number(&body, &out->back) || !number(&body, &out->keep) || !number(&body, &out->len) ||
        out->len > body.len)
        return false;
    out->rest = wb_view_of(body.data, (size_t)out->len);
    return true;
}

/* Does it say the path of all[at]? If not, others fall when it is read. */
static bool is_path(const struct told *t, const struct ann_beside *all, size_t count, size_t at,
                    uint64_t next)
{
    struct wb_view path = all[at].path, base = {0};
    size_t kept = 0, rest = t->rest.len;
    uint64_t parts = 0;

    for (size_t i = 0; i < count && t->back > 0; i++)
        if (all[i].on_wire && all[i].id + t->back == next)
            base = all[i].path;
    for (; parts < t->keep && kept < base.len; parts++)
        for (kept += kept > 0; !is_end(base, kept); kept++)
            ;
    return parts == t->keep && path.len == kept + (kept > 0 && rest > 0) + rest &&
           (kept == 0 || (memcmp(path.data, base.data, kept) == 0 && is_end(path, kept))) &&
           (rest == 0 || memcmp(path.data + path.len - rest, t->rest.data, rest) == 0);
}

void ann_check_base(struct wb_view body, const struct ann_beside *all, size_t count, size_t at,
                    uint64_t next, bool compress)
{
    struct common want = {0, 0};
    uint64_t back = 0;
    struct told t;

    if (!told_of(body, &t) || !is_path(&t, all, count, at, next))
        return;
    if (compress)
        want = base_of(all, count, at, next, &back);
    FUZZ_CHECK(ANN_050, t.back == back && t.keep == want.parts);
}

/* ---- an answer of the world ann.c ---- */

struct known {
    size_t count;
    struct ann_beside all[ALL];
    uint8_t place[REF_NODES][REF_PATHS];
};

/* What the answer knows when STARTs are due: what they begin is not on the wire. */
static void know(const struct ref_router *m, const struct ann_answer *a, uint8_t n, size_t from,
                 struct known *out)
{
    size_t skip = m->paths->len[a->prefix] + (m->paths->len[a->prefix] > 0);

    out->count = 0;
    for (uint8_t p = 0; p < REF_PATHS; p++)
        for (uint8_t k = 0; k < REF_NODES; k++) {
            const struct ref_sent *s = &m->answers[n].sent[k];
            struct wb_view path = wb_view_text(m->paths->text[p]);

            if (((s->shown | s->withheld) >> p & 1) == 0)
                continue;
            out->place[k][p] = (uint8_t)out->count;
            out->all[out->count++] = (struct ann_beside){
                .path = wb_view_sub(path, skip < path.len ? skip : path.len, path.len),
                .on_wire = (s->shown >> p & 1) != 0,
                .id = s->claim[p]};
        }
    for (size_t i = from; i < a->queue->end; i++) {
        const struct ref_event *e = &a->queue->at[i % REF_EVENTS];

        if (e->kind == WB_ANNOUNCE_START)
            out->all[out->place[e->node - 1][e->path]].on_wire = false;
    }
}

void ann_check_bases(const struct ann *w, uint8_t n, size_t from, bool first)
{
    static struct known known;
    const struct ann_answer *a = &w->answers[n];
    struct wb_view flush = wb_buf_view(&w->out), body;

    if (w->model.answers[n].version != WB_LITE_07)
        return;
    known.count = 0;
    for (size_t i = from; i < a->queue->end; i++) {
        const struct ref_event *e = &a->queue->at[i % REF_EVENTS];
        size_t at;

        if (e->kind != WB_ANNOUNCE_START)
            continue;
        if (known.count == 0)
            know(&w->model, a, n, from, &known);
        if (!ann_next_start(&flush, first, &body))
            return;
        first = false;
        at = known.place[e->node - 1][e->path];
        ann_check_base(body, known.all, known.count, at, e->id, a->compress);
        known.all[at].on_wire = true;
    }
}
