#include "targets/reply/world.h"

#include "core/base/decimal.h"

#include <string.h>

/* The four bits beside the slot. */
#define HOW_OPAQUE 2u
#define HOW_KEYS   4u

void world_pen_bytes(struct world_pen *p, const uint8_t *bytes, size_t n)
{
    memcpy(p->at, bytes, n);
    p->at += n;
}

void world_pen_text(struct world_pen *p, const char *text)
{
    while (*text)
        *p->at++ = (uint8_t)*text++;
}

void world_pen_number(struct world_pen *p, uint64_t value)
{
    p->at += wb_decimal_put(p->at, value);
}

void world_pen_fixed(struct world_pen *p, uint32_t value, int digits)
{
    for (int i = digits - 1; i >= 0; i--) {
        p->at[i] = (uint8_t)('0' + value % 10);
        value /= 10;
    }
    p->at += digits;
}

void world_pen_key(struct world_pen *p, uint32_t serial, uint32_t index)
{
    *p->at++ = 'k';
    world_pen_fixed(p, serial, 4);
    *p->at++ = '-';
    world_pen_fixed(p, index, 3);
}

void world_pen_opaque(struct world_pen *p, uint32_t serial, size_t len)
{
    for (size_t i = WORLD_OPAQUE; i < len; i++)
        *p->at++ = 'o';
    world_pen_fixed(p, serial, WORLD_OPAQUE);
}

enum form_end { ONE, COUNT, UNTIL_MN, UNTIL_END };

static const struct {
    uint32_t codes;
    enum form_end end;
    const char *before, *after; /* of the key */
} forms[] = {
    [WORLD_GET] = {WB_REPLY_CODES_MG, ONE, "mg ", " v s"},
    [WORLD_SET] = {WB_REPLY_CODES_MS, ONE, "ms ", " "},
    [WORLD_DELETE] = {WB_REPLY_CODES_MD, ONE, "md ", ""},
    [WORLD_ARITH] = {WB_REPLY_CODES_MA, ONE, "ma ", " v"},
    [WORLD_DEBUG] = {WB_REPLY_CODES_ME, ONE, "me ", ""},
    [WORLD_NOOP] = {WB_REPLY_CODES_MN, ONE, NULL, "mn"},
    [WORLD_VERSION] = {WB_REPLY_CODES_VERSION, ONE, NULL, "version"},
    [WORLD_BATCH] = {WB_REPLY_CODES_MG, UNTIL_MN, "mg ", " v s q"},
    [WORLD_BATCH_SET] = {WB_REPLY_CODES_MS & ~WB_REPLY_BIT(HD), UNTIL_MN, "ms ", " 4 q"},
    [WORLD_COUNTED] = {WB_REPLY_CODES_MG, COUNT, "mg ", " v s"},
    [WORLD_CLASSIC_GET] = {WB_REPLY_CODES_GET, UNTIL_END, NULL, "get"},
    [WORLD_CLASSIC_GETS] = {WB_REPLY_CODES_GET, UNTIL_END, NULL, "gets"},
    [WORLD_CLASSIC_SET] = {WB_REPLY_CODES_SET, ONE, "set ", " 0 0 "},
    [WORLD_CLASSIC_DELETE] = {WB_REPLY_CODES_DELETE, ONE, "delete ", ""},
    [WORLD_CLASSIC_INCR] = {WB_REPLY_CODES_INCR, ONE, "incr ", " 3"},
    [WORLD_CLASSIC_TOUCH] = {WB_REPLY_CODES_TOUCH, ONE, "touch ", " 0"},
    [WORLD_CLASSIC_STATS] = {WB_REPLY_CODES_STATS, UNTIL_END, NULL, "stats"},
};

bool world_request_is_many(enum world_kind kind)
{
    return forms[kind].end != ONE;
}

static bool can_echo(enum world_kind kind)
{
    return kind != WORLD_DEBUG && kind != WORLD_NOOP && kind != WORLD_VERSION &&
           !world_classic_is(kind);
}

static bool is_store(enum world_kind kind)
{
    return kind == WORLD_SET || kind == WORLD_CLASSIC_SET;
}

static void write_command(struct world_pen *pen, const struct world_request *r, uint32_t index)
{
    if (forms[r->kind].before) {
        world_pen_text(pen, forms[r->kind].before);
        world_pen_key(pen, r->serial, index);
    }
    world_pen_text(pen, forms[r->kind].after);
    if (is_store(r->kind))
        world_pen_number(pen, r->size);
    if (r->shape.keys)
        world_pen_text(pen, " k");
    if (r->shape.opaque.len > 0) {
        world_pen_text(pen, " O");
        world_pen_bytes(pen, r->shape.opaque.data, r->shape.opaque.len);
    }
    world_pen_text(pen, "\r\n");
    if (is_store(r->kind)) {
        world_value(r->serial, index, r->size, pen->at, r->size);
        pen->at += r->size;
        world_pen_text(pen, "\r\n");
    }
    if (r->kind == WORLD_BATCH_SET)
        world_pen_text(pen, "data\r\n");
}

/* One line whatever the count: the keys of a get, or nothing. */
static void write_until_end(struct world_pen *pen, const struct world_request *r)
{
    world_pen_text(pen, forms[r->kind].after);
    for (uint32_t i = 0; world_classic_is_get(r->kind) && i < r->count; i++) {
        world_pen_text(pen, " ");
        world_pen_key(pen, r->serial, i);
    }
    world_pen_text(pen, "\r\n");
}

void world_request_build(struct world *w, struct world_conn *c, const struct sim_op *op,
                         enum world_kind kind, struct world_request *out)
{
    bool many = world_request_is_many(kind);
    uint32_t sized = is_store(kind) ? op->arg : op->arg + op->ext;
    struct world_request *r = out;
    r->kind = kind;
    r->serial = w->serial % 10000;
    r->count = many ? op->arg % WORLD_KEYS : 1;
    r->size = many ? op->ext : sized;
    r->hits = WORLD_HITS_ALL; /* the server decides */
    if (forms[kind].end != UNTIL_MN && r->count == 0)
        r->count = 1;
    r->shape = (struct wb_reply_shape){.codes = forms[kind].codes,
                                       .until_mn = forms[kind].end == UNTIL_MN,
                                       .until_end = forms[kind].end == UNTIL_END,
                                       .count = r->count};
    if (kind == WORLD_CLASSIC_STATS)
        r->shape.count = WORLD_KEYS; /* nobody knows how many there are */
    if ((can_echo(kind) || world_classic_is_get(kind)) && (op->flags & HOW_KEYS)) {
        struct wb_view *keys = world_area_keys(c->id);
        for (uint32_t i = 0; i < r->count; i++) {
            struct world_pen pen = {world_area_key(c->id, i)};
            world_pen_key(&pen, r->serial, i);
            keys[i] = wb_view_of(world_area_key(c->id, i), 9);
        }
        r->shape.keys = keys;
        r->shape.keys_count = r->count;
    }
    uint8_t *bytes = world_area_request(c->id);
    struct world_pen pen = {bytes};
    if (can_echo(kind) && (op->flags & HOW_OPAQUE)) {
        world_pen_opaque(&pen, r->serial, WORLD_OPAQUE + c->opaque_more);
        /* kept in front of the request's own bytes */
        r->shape.opaque = wb_view_of(bytes, WORLD_OPAQUE + c->opaque_more);
    }
    uint8_t *begin = pen.at;
    if (r->shape.until_end)
        write_until_end(&pen, r);
    for (uint32_t i = 0; !r->shape.until_end && i < r->count; i++)
        write_command(&pen, r, i);
    r->command_len = r->count > 0 ? (size_t)(pen.at - begin) / r->count : 0;
    if (r->shape.until_mn)
        world_pen_text(&pen, "mn\r\n");
    r->bytes = wb_view_of(begin, (size_t)(pen.at - begin));
}
