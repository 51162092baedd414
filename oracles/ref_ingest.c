/*
 * ref_ingest.c: moq-lite 1.2, 1.5 and 2.6, field by field. Source: moq-lite, messages, group
 * stream.
 */
#include "oracles/ref_ingest.h"

#include "oracles/ref_varint.h"

#include <string.h>

#define MESSAGE_MAX ((uint64_t)64 << 20)

/* What is being read, and where. */
struct place {
    const struct ref_ingest_rules *rules;
    struct wb_view stream;
    size_t at;
    struct ref_ingest *result;
};

static enum ref_varint_form form_of(unsigned draft)
{
    return draft >= 7 ? REF_VARINT_ONES_SEVEN : REF_VARINT_QUIC;
}

/* The verdict on the unit: `field` breaks `rule`, and the byte before `judged` shows it. */
static bool breach(struct place *p, enum wb_err rule, size_t field, size_t judged)
{
    p->result->status = rule;
    p->result->field = field;
    p->result->judged = judged;
    return false;
}

/* A number at `at`; false when the stream ends in it. */
static bool number(struct place *p, uint64_t *out)
{
    struct wb_view rest = {p->stream.data + p->at, p->stream.len - p->at};
    struct ref_varint v;

    if (rest.len == 0)
        return breach(p, WB_E_TRUNCATED, p->at, p->stream.len);
    v = ref_varint_read(form_of(p->rules->draft), rest);
    if (v.status == WB_MORE)
        return breach(p, WB_E_TRUNCATED, p->at, p->stream.len);
    if (v.status != WB_OK)
        return breach(p, v.status, p->at, p->at + 1);
    *out = v.value;
    p->at += v.size;
    return true;
}

/* GROUP: size; subscribe, sequence, and from lite-06 on the first frame, which fill it. */
static bool group_header(struct place *p)
{
    struct ref_ingest *r = p->result;
    uint64_t size = 0, *fields[] = {&r->subscribe, &r->sequence, &r->first};
    size_t count = p->rules->draft >= 6 ? 3 : 2, begin = p->at, at;

    if (!number(p, &size))
        return false;
    if (size > MESSAGE_MAX)
        return breach(p, WB_E_MESSAGE_TOO_LARGE, begin, p->at);
    if (size > REF_INGEST_HEADER_MAX)
        return breach(p, WB_E_LONG, begin, p->at);
    if (size > p->stream.len - p->at)
        return breach(p, WB_E_TRUNCATED, p->at, p->stream.len);
    at = p->at;
    p->at += (size_t)size;
    for (size_t i = 0; i < count; i++) {
        struct wb_view rest = {p->stream.data + at, p->at - at};
        struct ref_varint v = {.status = WB_MORE};

        if (rest.len > 0)
            v = ref_varint_read(form_of(p->rules->draft), rest);
        if (v.status != WB_OK)
            return breach(p, v.status == WB_MORE ? WB_E_SHORT : v.status, begin, p->at);
        *fields[i] = v.value;
        at += v.size;
    }
    if (at < p->at)
        return breach(p, WB_E_LONG, begin, p->at);
    if (r->first == UINT64_MAX) /* the header can be read, no group begins there */
        return breach(p, WB_E_BOUNDS, p->at, p->at);
    r->has_header = true;
    r->header_end = p->at;
    return true;
}

/* The timestamp of the frame before becomes this one's. */
static bool timestamp(struct place *p, uint64_t *time)
{
    size_t begin = p->at;
    uint64_t n = 0;

    if (!number(p, &n))
        return false;
    struct ref_varint_signed delta = ref_varint_unzigzag(n);
    if (delta.is_negative ? delta.magnitude > *time : delta.magnitude > REF_INGEST_TIME_MAX - *time)
        return breach(p, WB_E_BOUNDS, begin, p->at);
    *time = delta.is_negative ? *time - delta.magnitude : *time + delta.magnitude;
    return true;
}

/* A frame or message; false when it is not whole. */
static bool unit(struct place *p, uint64_t *time, struct ref_ingest_unit *u)
{
    bool is_message = p->rules->mode >= REF_INGEST_MESSAGES;
    size_t begin;

    u->begin = p->result->unit = p->at;
    if (p->rules->mode == REF_INGEST_TYPED && !number(p, &u->number))
        return false;
    if (!is_message && p->rules->draft >= 5 && !timestamp(p, time))
        return false;
    u->timestamp = *time;
    begin = p->at;
    if (!number(p, &u->size))
        return false;
    if (is_message && u->size > p->rules->message_max)
        return breach(p, WB_E_MESSAGE_TOO_LARGE, begin, p->at);
    if (!is_message && u->size > REF_INGEST_FRAME_MAX)
        return breach(p, WB_E_FRAME_TOO_LARGE, begin, p->at);
    u->body = p->at;
    u->end = p->stream.len;
    /* The last number is 2^64-2; a frame that has no number is refused with its first byte. */
    if (!is_message && u->number == UINT64_MAX) {
        if (u->size > 0 && u->body == u->end)
            return breach(p, WB_E_TRUNCATED, p->at, p->stream.len);
        return breach(p, WB_E_BOUNDS, u->body, u->body + (u->size > 0));
    }
    if (u->size > p->stream.len - p->at) {
        p->result->has_open = true;
        return breach(p, WB_E_TRUNCATED, p->at, p->stream.len);
    }
    u->end = p->at += (size_t)u->size;
    return true;
}

struct ref_ingest ref_ingest_read(const struct ref_ingest_rules *rules, struct wb_view stream,
                                  struct ref_ingest_unit *units, size_t units_max)
{
    struct ref_ingest result = {.status = WB_OK};
    struct place p = {rules, stream, 0, &result};
    uint64_t time = 0;

    if (rules->mode == REF_INGEST_GROUP && !group_header(&p))
        return result;
    while (p.at < stream.len && result.count < units_max) {
        units[result.count] = (struct ref_ingest_unit){.number = 0};
        if (rules->mode <= REF_INGEST_FRAMES)
            units[result.count].number = result.first + result.count;
        if (!unit(&p, &time, &units[result.count]))
            return result;
        result.count++;
    }
    result.unit = result.field = result.judged = p.at;
    return result;
}

size_t ref_ingest_put_header(unsigned draft, const struct ref_ingest *header, uint8_t *out)
{
    const uint64_t fields[] = {header->subscribe, header->sequence, header->first};
    uint8_t number_bytes[REF_VARINT_SIZE_MAX];
    size_t count = draft >= 6 ? 3 : 2, len = 1;

    if (draft < 6 && header->first != 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = ref_varint_write(form_of(draft), fields[i], number_bytes);
        if (size == 0)
            return 0;
        memcpy(out + len, number_bytes, size);
        len += size;
    }
    out[0] = (uint8_t)(len - 1); /* at most 27: one byte in either form */
    return len;
}

size_t ref_ingest_put_frame(unsigned draft, uint64_t before, const struct ref_ingest_unit *frame,
                            uint8_t *out)
{
    uint8_t number_bytes[REF_VARINT_SIZE_MAX];
    size_t len = 0, size;

    if (draft >= 5) {
        uint64_t n = frame->timestamp >= before ? 2 * (frame->timestamp - before)
                                                : 2 * (before - frame->timestamp) - 1;
        size = ref_varint_write(form_of(draft), n, number_bytes);
        memcpy(out, number_bytes, size);
        len += size;
        if (size == 0)
            return 0;
    }
    size = ref_varint_write(form_of(draft), frame->size, number_bytes);
    memcpy(out + len, number_bytes, size);
    return len + size;
}

enum wb_err ref_ingest_reset(uint64_t code)
{
    if (code <= 1) /* internal is also what a writer sends that just goes away */
        return WB_E_CANCEL;
    if (code == 2)
        return WB_E_OLD;
    return code == 5 ? WB_E_LAGGED : WB_E_REMOTE;
}
