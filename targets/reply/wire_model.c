#include "targets/reply/wire.h"

#include "sim/trace.h"

static struct wb_reply_profile profile_of(uint8_t config)
{
    static const struct {
        size_t small, large;
        enum wb_reply_values values;
    } geometries[] = {
        {WB_REPLY_SMALL, WB_REPLY_LARGE, WB_REPLY_VIEW},
        {2112, 4096, WB_REPLY_VIEW},
        {2049, 2049, WB_REPLY_VIEW},
        {WB_REPLY_SMALL, WB_REPLY_LARGE, WB_REPLY_COPY},
    };
    unsigned geometry = (config & WIRE_GEOMETRY) >> 4;
    struct wb_reply_profile profile = wb_reply_profile_default();

    profile.small = geometries[geometry].small;
    profile.large = geometries[geometry].large;
    profile.values = geometries[geometry].values;
    profile.tls = (config & WIRE_TLS) != 0;
    if (profile.tls && profile.values == WB_REPLY_VIEW)
        profile.values = WB_REPLY_DIRECT;
    return profile;
}

/* The next reply from `begin`; the offsets of its units, as many as there is room for, become the
 * stream's. */
static struct wire_reply judge(struct wire_case *c, size_t begin, size_t first)
{
    struct wb_view rest = {c->stream.data + begin, c->stream.len - begin};
    struct ref_reply_result result = ref_reply_parse(rest, &c->request->shape, c->profile.value_max,
                                                     c->units + first, WIRE_UNITS_MAX - first);

    if (begin > 0) {
        for (size_t i = first; i < first + result.units && i < WIRE_UNITS_MAX; i++) {
            c->units[i].begin += begin;
            c->units[i].line_end += begin;
            c->units[i].flags_begin += begin;
            c->units[i].value_begin += begin;
            c->units[i].end += begin;
        }
    }
    return (struct wire_reply){result.status, first, result.units, begin, begin + result.end};
}

void wire_case_init(struct wire_case *c, unsigned family, uint8_t config, struct wb_view stream,
                    struct sim_run *run)
{
    size_t begin = 0, first = 0;

    c->run = run;
    c->request = shapes_at(family + (config & WIRE_SHAPE));
    c->asked = wb_view_text(c->request->bytes);
    c->profile = profile_of(config);
    c->profile.value_max = shapes_value_max(family + (config & WIRE_SHAPE));
    c->session = (config & WIRE_SESSION) != 0;
    c->stream = stream;
    if (c->stream.len > WIRE_STREAM_MAX)
        c->stream.len = WIRE_STREAM_MAX;
    c->hash = sim_hash(c->stream, config);
    c->replies_count = 0;
    /* In a session the last request meets the end of the stream, or what ends the connection. */
    for (bool more = true; more;) {
        struct wire_reply reply = judge(c, begin, first);
        if (c->replies_count + 1 == WIRE_REPLIES_MAX) {
            c->stream.len = begin;
            reply = (struct wire_reply){WB_MORE, first, 0, begin, begin};
        } else if (first + reply.units > WIRE_UNITS_MAX) {
            size_t end = first < WIRE_UNITS_MAX ? c->units[WIRE_UNITS_MAX - 1].end : begin;
            c->stream.len = end;
            reply = (struct wire_reply){WB_MORE, first, WIRE_UNITS_MAX - first, begin, end};
        }
        c->replies[c->replies_count++] = reply;
        begin = reply.end;
        first += reply.units;
        more = c->session && reply.status == WB_OK;
    }
}
