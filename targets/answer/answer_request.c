#include "oracles/ref_varint.h"
#include "targets/answer/answer.h"

#include <inttypes.h>
#include <string.h>

#define STREAM_TYPE 1u
#define TRIES_MAX   4
#define ROOM_MAX    4096u

/* What is to be put, as the model writes it. */
struct written {
    unsigned draft;
    size_t len;
    uint8_t bytes[ROOM_MAX + 64];
};

static void write_number(struct written *w, uint64_t value)
{
    uint8_t form[REF_VARINT_SIZE_MAX];
    size_t size =
        ref_varint_write(w->draft >= 7 ? REF_VARINT_ONES_SEVEN : REF_VARINT_QUIC, value, form);

    memcpy(w->bytes + w->len, form, size);
    w->len += size;
}

/* Type and size before a body. */
static void write_whole(struct written *w, uint64_t type, const struct written *body)
{
    w->draft = body->draft;
    w->len = 0;
    write_number(w, type);
    write_number(w, body->len);
    memcpy(w->bytes + w->len, body->bytes, body->len);
    w->len += body->len;
}

static void write_request(struct written *w, unsigned draft, struct wb_view prefix,
                          uint64_t exclude, bool is_hidden)
{
    static struct written body;

    body.draft = draft;
    body.len = 0;
    write_number(&body, prefix.len);
    if (prefix.len > 0)
        memcpy(body.bytes + body.len, prefix.data, prefix.len);
    body.len += prefix.len;
    if (draft == 5)
        write_number(&body, exclude);
    if (draft == 7)
        body.bytes[body.len++] = is_hidden;
    write_whole(w, STREAM_TYPE, &body);
}

static void check_put(const struct written *want, const struct wb_buf *got)
{
    FUZZ_CHECK(ANN_019, got->len == want->len);
    FUZZ_CHECK(ANN_019, memcmp(got->data, want->bytes, want->len) == 0);
}

/* The path has no larger place than it needs, and one byte less is too small. */
static enum wb_err request(const struct answer *c, struct wb_view body)
{
    static uint8_t room[ROOM_MAX];
    static struct written want;
    struct ref_announce_request m = ref_announce_request_read(c->rules.draft, body);
    struct wb_announce_request r = {.exclude_hop = 77};
    const struct subject_announce *subject = subject_announce();
    enum wb_err err = subject->request_get(c->version, body, room, sizeof(room), &r);
    struct wb_buf out;
    unsigned tries = 0;

    FUZZ_CHECK(ANN_019, err == m.status);
    if (err != WB_OK) {
        FUZZ_CHECK(ANN_019, r.exclude_hop == 77);
        return err;
    }
    FUZZ_CHECK(ANN_019, ref_announce_path_is((struct wb_view){0}, &m.prefix, r.prefix));
    FUZZ_CHECK(ANN_019, r.exclude_hop == m.exclude && r.hidden == m.hidden);
    sim_run_story(c->run, "request %.*s exclude %" PRIu64 "%s; ", (int)r.prefix.len,
                  (const char *)r.prefix.data, r.exclude_hop, r.hidden ? " hidden" : "");
    write_request(&want, c->rules.draft, r.prefix, m.exclude, m.hidden);
    wb_buf_init(&out, sim_run_mem(c->run), SIZE_MAX);
    while ((err = subject->request_put(c->version, &out, &r)) == WB_E_NOMEM)
        FUZZ_CHECK(ANN_019, out.len == 0 && tries++ < TRIES_MAX);
    FUZZ_CHECK(ANN_019, err == WB_OK);
    check_put(&want, &out);
    wb_buf_fini(&out);
    FUZZ_CHECK(ANN_019, subject->request_get(c->version, body, room, r.prefix.len, &r) == WB_OK);
    if (r.prefix.len > 0)
        FUZZ_CHECK(ANN_019, subject->request_get(c->version, body, room, r.prefix.len - 1, &r) ==
                                WB_E_BOUNDS);
    return WB_OK;
}

static enum wb_err seqno(const struct answer *c, struct wb_view body)
{
    static struct written want, fields;
    struct ref_announce_request m = ref_announce_seqno_read(body);
    const struct subject_announce *subject = subject_announce();
    uint64_t node = 77, number = 78;
    enum wb_err err = subject->seqno_get(body, &node, &number);
    struct wb_buf out;
    unsigned tries = 0;

    FUZZ_CHECK(ANN_019, err == m.status);
    if (err != WB_OK) {
        FUZZ_CHECK(ANN_019, node == 77 && number == 78);
        return err;
    }
    FUZZ_CHECK(ANN_019, node == m.node && number == m.seqno);
    sim_run_story(c->run, "seqno %" PRIu64 " of %" PRIu64 "; ", number, node);
    fields.draft = 7;
    fields.len = 0;
    write_number(&fields, node);
    write_number(&fields, number);
    write_whole(&want, 0, &fields);
    wb_buf_init(&out, sim_run_mem(c->run), SIZE_MAX);
    while ((err = subject->seqno_put(&out, node, number)) == WB_E_NOMEM)
        FUZZ_CHECK(ANN_019, out.len == 0 && tries++ < TRIES_MAX);
    FUZZ_CHECK(ANN_019, err == WB_OK);
    check_put(&want, &out);
    wb_buf_fini(&out);
    return WB_OK;
}

/* A type and a body off the front; WB_MORE when they are not whole. */
static enum wb_err message(const struct answer *c, struct wb_view *left, uint64_t *type,
                           struct wb_view *body)
{
    uint64_t *numbers[] = {type, NULL};
    uint64_t size = 0;

    numbers[1] = &size;
    for (unsigned i = 0; i < 2; i++) {
        struct ref_varint v = {.status = WB_MORE};
        if (left->len > 0)
            v = ref_varint_read(c->rules.draft >= 7 ? REF_VARINT_ONES_SEVEN : REF_VARINT_QUIC,
                                *left);
        if (v.status != WB_OK)
            return v.status;
        *numbers[i] = v.value;
        *left = wb_view_sub(*left, v.size, left->len);
    }
    if (size > left->len || size > ROOM_MAX)
        return WB_MORE;
    *body = wb_view_sub(*left, 0, (size_t)size);
    *left = wb_view_sub(*left, (size_t)size, left->len);
    return WB_OK;
}

/* The request, then in lite-07 requests for newer seqnos. */
static enum wb_err stream(const struct answer *c)
{
    struct wb_view left = c->stream, body = {0};
    uint64_t type = 0;

    if (message(c, &left, &type, &body) != WB_OK)
        return WB_E_TRUNCATED;
    if (type != STREAM_TYPE)
        return WB_E_UNEXPECTED;
    WB_TRY(request(c, body));
    while (left.len > 0) {
        if (c->version < WB_LITE_07)
            return WB_E_TRAILING;
        if (message(c, &left, &type, &body) != WB_OK)
            return WB_E_TRUNCATED;
        if (type == 0)
            WB_TRY(seqno(c, body));
    }
    return WB_END;
}

void answer_request(const struct answer *c)
{
    enum wb_err err = stream(c);

    sim_run_story(c->run, "%s", wb_err_name((int)err));
    sim_run_outcome(c->run, err);
}
