#include "oracles/ref_window_wire.h"

#include "oracles/ref_varint.h"

#define MAX       UINT64_MAX
#define PARTS_MAX 32u

static struct wb_view from_to(struct wb_view v, size_t begin, size_t end)
{
    return v.data == NULL ? v : (struct wb_view){v.data + begin, end - begin};
}

static enum ref_varint_form form_of(int version)
{
    return version >= 7 ? REF_VARINT_ONES_SEVEN : REF_VARINT_QUIC;
}

bool ref_number_fits(int version, uint64_t value)
{
    uint8_t bytes[REF_VARINT_SIZE_MAX];

    return ref_varint_write(form_of(version), value, bytes) > 0;
}

/* An optional number: 0, or one more. */
static bool optional_fits(int version, uint64_t value)
{
    return value < MAX && ref_number_fits(version, value + 1);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

struct ref_range_put ref_range_put(int version, struct wb_bound start, struct wb_bound end)
{
    struct ref_range_put out = {.status = WB_E_RANGE, .count = version >= 6 ? 4 : 2};
    struct wb_position from = start.present ? start.at : (struct wb_position){0, 0}, last = {0, 0};

    if (end.present && ref_position_order(from, end.at) >= 0)
        return out;
    out.status = WB_E_BOUNDS;
    if (start.present && (!optional_fits(version, start.at.group) ||
                          (version >= 6 && !ref_number_fits(version, start.at.frame))))
        return out;
    out.status = WB_OK;
    out.fields[0] = start.present ? start.at.group + 1 : 0;
    out.fields[2] = start.present ? start.at.frame : 0;
    /* The last position inside: an end {g, 0} is group g-1 whole. */
    if (!end.present || !ref_position_prior(end.at, &last) || !optional_fits(version, last.group))
        return out;
    out.fields[1] = last.group + 1;
    if (last.frame != MAX && optional_fits(version, last.frame))
        out.fields[3] = last.frame + 1;
    return out;
}

struct ref_range_get ref_range_get(int version, struct wb_view in)
{
    struct ref_range_get out = {.status = WB_OK};
    uint64_t f[REF_RANGE_FIELDS] = {0};
    struct wb_position last;

    for (int i = 0; i < (version >= 6 ? 4 : 2); i++) {
        struct ref_varint v = ref_varint_read(form_of(version), from_to(in, out.size, in.len));

        if (v.status != WB_OK)
            return (struct ref_range_get){.status = v.status};
        f[i] = v.value;
        out.size += v.size;
    }
    if ((f[0] == 0 && f[2] != 0) || (f[1] == 0 && f[3] != 0))
        return (struct ref_range_get){.status = WB_E_VALUE};
    if (f[0] > 0)
        out.start = (struct wb_bound){true, {f[0] - 1, f[2]}};
    if (f[1] == 0)
        return out;
    last = (struct wb_position){f[1] - 1, f[3] == 0 ? MAX : f[3] - 1};
    if (ref_position_order(last, out.start.at) < 0)
        return (struct ref_range_get){.status = WB_E_RANGE};
    out.end.present = ref_position_next(last, &out.end.at);
    return out;
}

/* ---- messages -------------------------------------------------------------------------------- */

struct reader {
    int version;
    struct wb_view body;
    size_t at;
    enum wb_err err;
};

static uint64_t number(struct reader *r)
{
    struct ref_varint v;

    if (r->err != WB_OK)
        return 0;
    v = ref_varint_read(form_of(r->version), from_to(r->body, r->at, r->body.len));
    r->err = v.status == WB_MORE ? WB_E_SHORT : v.status;
    r->at += v.status == WB_OK ? v.size : 0;
    return v.status == WB_OK ? v.value : 0;
}

static uint8_t byte(struct reader *r)
{
    if (r->err == WB_OK && r->at == r->body.len)
        r->err = WB_E_SHORT;
    return r->err == WB_OK ? r->body.data[r->at++] : 0;
}

/* UTF-8 as the table of RFC 3629 has it. */
static bool is_text(struct wb_view v)
{
    static const struct {
        uint8_t lead_from, lead_to, then_from, then_to;
        size_t more;
    } rows[] = {
        {0x00, 0x7f, 0, 0, 0},       {0xc2, 0xdf, 0x80, 0xbf, 1}, {0xe0, 0xe0, 0xa0, 0xbf, 2},
        {0xe1, 0xec, 0x80, 0xbf, 2}, {0xed, 0xed, 0x80, 0x9f, 2}, {0xee, 0xef, 0x80, 0xbf, 2},
        {0xf0, 0xf0, 0x90, 0xbf, 3}, {0xf1, 0xf3, 0x80, 0xbf, 3}, {0xf4, 0xf4, 0x80, 0x8f, 3}};
    size_t i = 0;

    while (i < v.len) {
        size_t k = 0, more;

        while (k < 9 && (v.data[i] < rows[k].lead_from || v.data[i] > rows[k].lead_to))
            k++;
        if (k == 9)
            return false;
        more = rows[k].more;
        if (more > v.len - i - 1)
            return false;
        for (size_t n = 1; n <= more; n++) {
            uint8_t from = n == 1 ? rows[k].then_from : 0x80, to = n == 1 ? rows[k].then_to : 0xbf;

            if (v.data[i + n] < from || v.data[i + n] > to)
                return false;
        }
        i += more + 1;
    }
    return true;
}

static void text(struct reader *r, size_t *out_at, size_t *out_len)
{
    uint64_t len = number(r);

    if (r->err == WB_OK && len > r->body.len - r->at)
        r->err = WB_E_SHORT;
    if (r->err != WB_OK)
        return;
    *out_at = r->at;
    *out_len = (size_t)len;
    if (!is_text(from_to(r->body, r->at, r->at + (size_t)len)))
        r->err = WB_E_STRING;
    r->at += (size_t)len;
}

static unsigned parts_of(struct wb_view path)
{
    unsigned parts = 0;

    for (size_t i = 0; i < path.len; i++)
        parts += path.data[i] != '/' && (i == 0 || path.data[i - 1] == '/');
    return parts;
}

enum wb_err ref_names_status(struct wb_view broadcast, struct wb_view track)
{
    if (!is_text(broadcast))
        return WB_E_STRING;
    if (parts_of(broadcast) > PARTS_MAX)
        return WB_E_BOUNDS;
    return is_text(track) ? WB_OK : WB_E_STRING;
}

/* A path: text of at most 32 parts. */
static void path(struct reader *r, size_t *out_at, size_t *out_len)
{
    text(r, out_at, out_len);
    if (r->err == WB_OK && parts_of(from_to(r->body, *out_at, *out_at + *out_len)) > PARTS_MAX)
        r->err = WB_E_BOUNDS;
}

static void range(struct reader *r, struct ref_message_get *m)
{
    struct ref_range_get got;

    if (r->err != WB_OK)
        return;
    got = ref_range_get(r->version, from_to(r->body, r->at, r->body.len));
    r->err = got.status == WB_MORE ? WB_E_SHORT : got.status;
    r->at += got.size;
    m->start = got.start;
    m->end = got.end;
}

static void wish(struct reader *r, struct ref_message_get *m)
{
    m->priority = byte(r);
    m->ordered = byte(r) != 0;
    m->max_age_ms = number(r);
    range(r, m);
}

static void fetch(struct reader *r, struct ref_message_get *m)
{
    uint64_t last;

    path(r, &m->broadcast, &m->broadcast_len);
    text(r, &m->track, &m->track_len);
    m->priority = byte(r);
    m->group = number(r);
    if (r->version < 6)
        return;
    m->first = number(r);
    last = number(r);
    m->has_last = last != 0;
    m->last = m->has_last ? last - 1 : 0;
}

static bool is_said(enum ref_message kind, int version)
{
    switch (kind) {
    case REF_SUBSCRIBE:
    case REF_UPDATE:
        return true;
    case REF_START:
    case REF_END:
        return version == 5 || version == 6;
    case REF_DROP:
        return version <= 6;
    case REF_FETCH:
        return version >= 5;
    }
    return false;
}

enum wb_err ref_answer_kind(int version, uint64_t type, enum ref_message *out)
{
    static const enum ref_message kinds[] = {REF_START, REF_END, REF_DROP};

    if (version >= 7 || (version < 5 && type == 0)) /* 0 is OK there, which is not built */
        return WB_E_VERSION;
    if (version < 5 ? type != 1 : type > 2)
        return WB_E_UNEXPECTED;
    *out = version < 5 ? REF_DROP : kinds[type];
    return WB_OK;
}

struct ref_message_get ref_message_get(enum ref_message kind, int version, struct wb_view body)
{
    struct reader r = {.version = version, .body = body};
    struct ref_message_get m = {.status = WB_OK};

    if (!is_said(kind, version))
        return (struct ref_message_get){.status = WB_E_VERSION};
    switch (kind) {
    case REF_SUBSCRIBE:
        m.id = number(&r);
        path(&r, &m.broadcast, &m.broadcast_len);
        text(&r, &m.track, &m.track_len);
        wish(&r, &m);
        break;
    case REF_UPDATE:
        wish(&r, &m);
        break;
    case REF_START:
    case REF_END:
        m.group = number(&r);
        break;
    case REF_DROP:
        m.first = number(&r);
        m.last = number(&r);
        m.code = number(&r);
        break;
    case REF_FETCH:
        fetch(&r, &m);
        break;
    }
    if (r.err == WB_OK && r.at < body.len)
        r.err = WB_E_LONG;
    if (r.err == WB_OK && m.last < m.first && (kind == REF_DROP || m.has_last))
        r.err = WB_E_RANGE;
    m.status = r.err;
    return m;
}
