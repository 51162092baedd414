/*
 * ref_announce_body.c: fields of announce messages. Source: moq-lite, primitives; Unicode, table of
 * well-formed UTF-8; RFC 9562, UUIDv7.
 */
#include "oracles/ref_announce_own.h"
#include "oracles/ref_varint.h"

#include <string.h>

static void fail(struct ref_body *b, enum wb_err rule)
{
    if (b->err == WB_OK)
        b->err = rule;
}

uint64_t ref_body_number(struct ref_body *b, uint64_t max)
{
    struct ref_varint v = {.status = WB_MORE};

    if (b->err != WB_OK)
        return 0;
    if (b->left.len > 0)
        v = ref_varint_read(b->draft >= 7 ? REF_VARINT_ONES_SEVEN : REF_VARINT_QUIC, b->left);
    if (v.status != WB_OK) {
        fail(b, v.status == WB_MORE ? WB_E_SHORT : v.status);
        return 0;
    }
    b->left.data += v.size;
    b->left.len -= v.size;
    if (v.value > max) {
        fail(b, WB_E_BOUNDS);
        return 0;
    }
    return v.value;
}

uint8_t ref_body_byte(struct ref_body *b)
{
    if (b->err == WB_OK && b->left.len == 0)
        fail(b, WB_E_SHORT);
    if (b->err != WB_OK)
        return 0;
    b->left.len--;
    return *b->left.data++;
}

struct wb_view ref_body_block(struct ref_body *b)
{
    uint64_t len = ref_body_number(b, UINT64_MAX);
    struct wb_view block = {NULL, 0};

    if (b->err == WB_OK && len > b->left.len)
        fail(b, WB_E_SHORT);
    if (b->err != WB_OK || len == 0)
        return block;
    block = (struct wb_view){b->left.data, (size_t)len};
    b->left.data += len;
    b->left.len -= (size_t)len;
    return block;
}

static bool is_between(uint8_t byte, uint8_t low, uint8_t high)
{
    return byte >= low && byte <= high;
}

/* Bytes of the character that text begins with; 0 when it is none. */
static size_t character(const uint8_t *text, size_t len)
{
    static const struct {
        uint8_t first[2], second[2];
        size_t size;
    } rows[] = {{{0x00, 0x7f}, {0, 0}, 1},       {{0xc2, 0xdf}, {0x80, 0xbf}, 2},
                {{0xe0, 0xe0}, {0xa0, 0xbf}, 3}, {{0xe1, 0xec}, {0x80, 0xbf}, 3},
                {{0xed, 0xed}, {0x80, 0x9f}, 3}, {{0xee, 0xef}, {0x80, 0xbf}, 3},
                {{0xf0, 0xf0}, {0x90, 0xbf}, 4}, {{0xf1, 0xf3}, {0x80, 0xbf}, 4},
                {{0xf4, 0xf4}, {0x80, 0x8f}, 4}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!is_between(text[0], rows[i].first[0], rows[i].first[1]))
            continue;
        if (rows[i].size > len)
            return 0;
        if (rows[i].size > 1 && !is_between(text[1], rows[i].second[0], rows[i].second[1]))
            return 0;
        for (size_t k = 2; k < rows[i].size; k++)
            if (!is_between(text[k], 0x80, 0xbf))
                return 0;
        return rows[i].size;
    }
    return 0;
}

void ref_body_path(struct ref_body *b, struct ref_announce_path *path)
{
    struct wb_view text = ref_body_block(b);
    size_t begin = 0, size;

    for (size_t i = 0; i < text.len; i += size) {
        size = character(text.data + i, text.len - i);
        if (size == 0) {
            fail(b, WB_E_STRING);
            return;
        }
    }
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.data[i] != '/')
            continue;
        if (i > begin && path->count == REF_ANNOUNCE_PARTS) {
            fail(b, WB_E_BOUNDS);
            return;
        }
        if (i > begin)
            path->part[path->count++] = (struct wb_view){text.data + begin, i - begin};
        begin = i + 1;
    }
}

void ref_body_hops(struct ref_body *b, struct ref_announce_hops *hops)
{
    uint64_t count = ref_body_number(b, REF_ANNOUNCE_HOPS);

    hops->count = 0;
    while (b->err == WB_OK && hops->count < count)
        hops->id[hops->count++] = ref_body_number(b, REF_ANNOUNCE_NODE_MAX);
}

struct wb_view ref_body_epoch(struct ref_body *b)
{
    struct wb_view epoch = ref_body_block(b);

    if (epoch.len != 0 && (epoch.len != 16 || epoch.data[6] >> 4 != 7 || epoch.data[8] >> 6 != 2))
        fail(b, WB_E_EPOCH);
    return epoch;
}

enum wb_err ref_body_done(const struct ref_body *b)
{
    if (b->err != WB_OK)
        return b->err;
    return b->left.len > 0 ? WB_E_LONG : WB_OK;
}

size_t ref_announce_path_len(struct wb_view prefix, const struct ref_announce_path *parts)
{
    size_t len = prefix.len;

    for (unsigned k = 0; k < parts->count; k++)
        len += (len > 0) + parts->part[k].len;
    return len;
}

bool ref_announce_path_is(struct wb_view prefix, const struct ref_announce_path *parts,
                          struct wb_view path)
{
    size_t at = prefix.len;

    if (path.len < at || (at > 0 && memcmp(path.data, prefix.data, at) != 0))
        return false;
    for (unsigned i = 0; i < parts->count; i++) {
        const struct wb_view *part = &parts->part[i];
        if (at > 0 && (at == path.len || path.data[at++] != '/'))
            return false;
        if (path.len - at < part->len || memcmp(path.data + at, part->data, part->len) != 0)
            return false;
        at += part->len;
    }
    return at == path.len;
}

struct ref_announce_request ref_announce_request_read(unsigned draft, struct wb_view body)
{
    struct ref_announce_request r = {.status = WB_OK};
    struct ref_body b = {body, draft, WB_OK};

    ref_body_path(&b, &r.prefix);
    if (draft == 5)
        r.exclude = ref_body_number(&b, REF_ANNOUNCE_NODE_MAX);
    if (draft == 7) {
        uint8_t hidden = ref_body_byte(&b);
        if (hidden > 1)
            fail(&b, WB_E_VALUE);
        r.hidden = hidden == 1;
    }
    r.status = ref_body_done(&b);
    return r;
}

struct ref_announce_request ref_announce_seqno_read(struct wb_view body)
{
    struct ref_announce_request r = {.status = WB_OK};
    struct ref_body b = {body, 7, WB_OK};

    r.node = ref_body_number(&b, REF_ANNOUNCE_NODE_MAX);
    r.seqno = ref_body_number(&b, UINT64_MAX);
    r.status = ref_body_done(&b);
    if (r.status == WB_OK && r.node == 0)
        r.status = WB_E_NODE;
    return r;
}
