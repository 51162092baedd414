#include "targets/answer/answer.h"

#include <string.h>

#define RETRIES_MAX 4
#define CHUNK_MAX   4096u
#define BODY_EDGE   1 /* so much of a body at both its ends comes byte by byte */

void answer_init(struct answer *c, uint8_t config, struct wb_view stream, struct sim_run *run)
{
    static const enum wb_moq_version versions[] = {WB_LITE_05, WB_LITE_06, WB_LITE_06, WB_LITE_07};
    static const unsigned drafts[] = {5, 6, 6, 7};
    unsigned version = config & 3;
    bool has_ids = (config & 8) != 0, is_small = (config & 64) != 0;
    struct wb_view prefix = (config & 16) != 0 ? wb_view_text("room") : (struct wb_view){0};

    c->run = run;
    c->version = versions[version];
    c->is_request = (config & 32) != 0;
    c->clean = (config & 128) == 0;
    c->stream = stream;
    c->hash = sim_hash(stream, config);
    c->rules = (struct ref_announce_rules){.draft = drafts[version],
                                           .single_cost = version == 2,
                                           .hidden = (config & 4) != 0,
                                           .self = has_ids ? ANSWER_SELF : 0,
                                           .assigned = has_ids ? ANSWER_ASSIGNED : 0,
                                           .max_claims = is_small ? ANSWER_CLAIMS : 1048576,
                                           .max_routes = is_small ? ANSWER_ROUTES : 65536,
                                           .max_path_bytes = is_small ? ANSWER_PATH_BYTES : 1 << 28,
                                           .prefix = prefix};
    c->config = (struct wb_announce_sub_config){.version = c->version,
                                                .self = c->rules.self,
                                                .assigned = c->rules.assigned,
                                                .prefix = prefix,
                                                .hidden = c->rules.hidden,
                                                .single_cost = c->rules.single_cost,
                                                .max_claims = is_small ? ANSWER_CLAIMS : 0,
                                                .max_routes = is_small ? ANSWER_ROUTES : 0,
                                                .max_path_bytes = is_small ? ANSWER_PATH_BYTES : 0};
    if (c->is_request)
        return;
    ref_announce_read(&c->rules, stream, c->clean, &c->model);
    if (c->model.message_count == REF_ANNOUNCE_MESSAGES) /* what comes after is not sent */
        c->stream = wb_view_sub(stream, 0, c->model.judged);
    c->is_broken = c->model.status != WB_OK && c->model.status != WB_E_TRUNCATED;
    c->want = c->is_broken || (c->clean && c->model.status != WB_OK) ? c->model.status : WB_END;
    c->told_max = 0;
    for (size_t i = 0; i < c->model.message_count; i++)
        for (unsigned k = 0; k < c->model.messages[i].path.count; k++)
            c->told_max += c->model.messages[i].path.part[k].len + 1;
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* Byte by byte, but for the middle of a body, where a cut is like any other. */
static size_t next_byte(const struct answer_delivery *d)
{
    const struct ref_announce *r = &d->c->model;
    size_t at = d->due, begin, end;

    if (at == r->message_count) /* the one that is broken or cut */
        return 1;
    begin = r->messages[at].body + BODY_EDGE;
    end = r->messages[at].end - BODY_EDGE;
    return d->end < begin || d->end >= end ? 1 : end - d->end;
}

/* Byte by byte, whole, or by the stream's hash in two or in many. */
static size_t next_piece(struct answer_delivery *d)
{
    size_t len = d->c->stream.len, cut;

    if (d->number == 0)
        return next_byte(d);
    if (d->number == 1)
        return SIZE_MAX;
    cut = (size_t)((d->c->hash >> 2) % (len + 1));
    if ((d->c->hash & 3) == 0)
        return d->end < cut ? cut - d->end : SIZE_MAX;
    d->random = d->random * UINT32_C(1664525) + UINT32_C(1013904223);
    return 1 + (d->random >> 12) % (24 + len / 64);
}

/* Chunks end where the room ends, and are gone after the push; the whole stream lies in place. */
static uint8_t the_room[CHUNK_MAX];

static struct wb_view cut_chunk(struct answer_delivery *d)
{
    size_t left = d->c->stream.len - d->end, n = next_piece(d);

    if (n > CHUNK_MAX && d->number != 1)
        n = CHUNK_MAX;
    if (n > left)
        n = left;
    d->begin = d->end;
    d->end += n;
    if (d->number == 1)
        return d->c->stream;
    memcpy(the_room + CHUNK_MAX - n, d->c->stream.data + d->begin, n);
    return wb_view_of(the_room + CHUNK_MAX - n, n);
}

/* ---- one delivery ---------------------------------------------------------------------------- */

/* Does the call that breaks a rule see that message alone? It does when the one before gave an
   event. A chunk that is the whole stream needs no gathering; lite-05 looks a path up first. */
static bool is_alone(const struct answer_delivery *d)
{
    const struct ref_announce *m = &d->c->model;
    size_t n = m->message_count;
    size_t before = n > 1 ? m->messages[n - 2].events : 0;

    return d->number == 1 && d->c->version != WB_LITE_05 && n > 0 &&
           m->messages[n - 1].events > before && !d->has_failed;
}

/* Events until the session wants more, ends or fails. */
static enum wb_err pull(struct answer_delivery *d, struct wb_view *in)
{
    struct wb_announce_event e;
    unsigned tries = 0;

    for (;;) {
        struct sim_alloc *alloc = &d->c->run->alloc;
        uint64_t refused = alloc->refused, requests = alloc->requests;
        enum wb_err err = d->subject->next(d->session, in, &e);

        FUZZ_CHECK(ANN_017, (err == WB_E_NOMEM) == (alloc->refused != refused));
        if (err == WB_E_NOMEM) {
            FUZZ_CHECK(ANN_017, tries++ < RETRIES_MAX);
            d->refused++;
            continue;
        }
        if ((err == WB_E_LIMIT || err == WB_E_BOUNDS) && is_alone(d))
            FUZZ_CHECK(ANN_018, alloc->requests == requests);
        if (err != WB_OK)
            return err;
        answer_told(d, &e);
    }
}

/* The right rule, with the byte that shows it; and from there on nothing happens. */
static void check_failure(struct answer_delivery *d, enum wb_err err)
{
    const struct ref_announce *m = &d->c->model;
    uint8_t more = 0;
    struct wb_view rest = {&more, 1};

    sim_mark(d->c->run, ANSWER_MARK_FAILED);
    d->has_failed = true;
    ANSWER_CHECK(ANN_007, d, d->c->is_broken && err == m->status);
    ANSWER_CHECK(ANN_007, d, d->begin < m->judged && m->judged <= d->end);
    ANSWER_CHECK(ANN_006, d, d->told == m->event_count);
    ANSWER_CHECK(ANN_008, d, pull(d, &rest) == err);
    ANSWER_CHECK(ANN_008, d, d->told == m->event_count);
}

static void feed(struct answer_delivery *d)
{
    const struct ref_announce *m = &d->c->model;

    while (d->end < d->c->stream.len && !d->has_failed) {
        struct wb_view chunk = cut_chunk(d);
        size_t room = d->number == 1 ? 0 : chunk.len;
        enum wb_err err;

        d->refused = 0;
        d->compared = d->subject->compared != NULL ? d->subject->compared() : 0;
        err = pull(d, &chunk);
        if (err == WB_MORE) {
            ANSWER_CHECK(ANN_007, d, !d->c->is_broken || d->end < m->judged);
            ANSWER_CHECK(ANN_011, d, chunk.len == 0);
        } else {
            check_failure(d, err);
        }
        memset(the_room + CHUNK_MAX - room, 0xa5, room);
        answer_check_chunk(d);
    }
}

static void end_stream(struct answer_delivery *d)
{
    const struct answer *c = d->c;
    bool clean = c->clean && !d->has_failed;
    enum wb_err err;
    struct wb_view none = {0};

    err = d->subject->end(d->session, clean);
    d->is_ending = true;
    ANSWER_CHECK(ANN_013, d, err == (clean ? c->model.status : WB_OK));
    for (unsigned times = 0; times < 2; times++)
        ANSWER_CHECK(ANN_012, d, pull(d, &none) == c->want);
    ANSWER_CHECK(ANN_012, d, d->told == c->model.end_count);
}

void answer_deliver(const struct answer *c, unsigned number, uint64_t *first_hash)
{
    struct answer_delivery delivery = {.c = c,
                                       .subject = subject_announce(),
                                       .number = number,
                                       .random = (uint32_t)c->hash + number,
                                       .live_before = c->run->alloc.live_bytes};
    struct answer_delivery *d = &delivery;
    unsigned tries = 0;

    sim_trace_add(&c->run->trace, 0, "delivery %u of %u bytes", number, c->stream.len, 0, 0);
    while (d->subject->open(&c->config, sim_run_mem(c->run), &d->session) != WB_OK)
        FUZZ_CHECK(ANN_017, tries++ < RETRIES_MAX);
    feed(d);
    answer_check_kept(d);
    end_stream(d);
    if (number == 0)
        *first_hash = d->hash;
    ANSWER_CHECK(ANN_001, d, d->hash == *first_hash);
    answer_story_end(d);
    sim_trace_add(&c->run->trace, 0, "ended as %e, %u events", c->want, d->told, 0, 0);
    d->subject->close(d->session);
    sim_run_outcome(c->run, c->want);
}
