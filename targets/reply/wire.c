#include "targets/reply/wire.h"

#include <string.h>

#define BYTEWISE_MAX  ((size_t)256 << 10) /* so far byte by byte; then by small prime pieces */
#define BYTEWISE_EDGE 4                   /* so much of a value at both its ends is */

/*
 * Where values go that are not handed out in place. Only written by a run, and scribbled over
 * before it is lent, so nothing of an earlier run can be read as a value. Lent from the end, so
 * that a byte too many leaves it.
 */
static uint8_t space[WIRE_STREAM_MAX];

static uint32_t next_random(struct wire_delivery *d)
{
    d->random = d->random * UINT32_C(1664525) + UINT32_C(1013904223);
    return d->random >> 12;
}

/* Byte by byte, but for the middle of a long value, where a cut is like any other. */
static size_t next_byte(const struct wire_delivery *d)
{
    if (d->fed >= BYTEWISE_MAX)
        return 4093;
    if (d->unit == d->reply->units)
        return 1;
    const struct ref_reply_unit *u = &d->c->units[d->reply->first + d->unit];
    size_t begin = u->value_begin + BYTEWISE_EDGE, end = u->value_begin + u->value_len;
    if (!u->has_value || d->fed < begin || d->fed + BYTEWISE_EDGE >= end)
        return 1;
    end -= BYTEWISE_EDGE + d->fed;
    return end < 61 ? end : 61;
}

/* Most bytes of the next read. */
static size_t next_piece(struct wire_delivery *d)
{
    size_t len = d->c->stream.len, cut = 0;

    switch (d->number) {
    case 0:
        return SIZE_MAX;
    case 1:
        return next_byte(d);
    case 2:
        cut = (size_t)(d->c->hash % (len + 1));
        return d->fed < cut ? cut - d->fed : SIZE_MAX;
    case 3:
        return 1 + next_random(d) % (32 + len / 4096);
    case 4:
        return 1 + next_random(d) % 300;
    default:
        return 1 + next_random(d) % (1 + len / 2);
    }
}

static void tell(struct wire_delivery *d, struct subject_told told)
{
    d->subject->told(d->session, 0, &told);
}

/* A value that is handed out in place needs no space once all of its unit is in the buffer. */
static bool is_space_needed(const struct wire_delivery *d)
{
    size_t i = d->reply->first + d->unit;
    bool is_unit = d->unit < d->reply->units;

    return d->c->profile.values != WB_REPLY_VIEW || !is_unit || d->fed < d->c->units[i].end;
}

static void lend_space(struct wire_delivery *d, uint64_t size)
{
    size_t there = d->sent - d->at;
    size_t most = size < sizeof space ? (size_t)size : sizeof space;

    FUZZ_CHECK(RPL_022, is_space_needed(d));
    d->space = space + sizeof space - most;
    d->space_size = size;
    memset(d->space, (int)(0x5b + 37 * d->number + (unsigned)d->at), there < most ? there : most);
    tell(d, (struct subject_told){.kind = WB_REPLY_WANT_SPACE, .space = d->space});
}

/* The read asks for what it must: the read size, or a value's rest in its place and the read size.
 */
static void check_read(struct wire_delivery *d, const struct wb_reply_want *want)
{
    size_t size = want->into[0].len;

    d->direct = want->into[1].len != 0;
    if (d->direct) {
        size = want->into[1].len;
        bool in_place =
            d->c->profile.values == WB_REPLY_DIRECT && d->space != NULL &&
            want->into[0].data >= d->space &&
            want->into[0].len <= d->space_size - (size_t)(want->into[0].data - d->space);
        FUZZ_CHECK(RPL_020, in_place);
    }
    if (d->c->run->alloc.refused > 0) /* a growth that was refused comes later, or never */
        d->read_size = size;
    FUZZ_CHECK(RPL_019, size == d->c->profile.small || size == d->c->profile.large);
    FUZZ_CHECK(RPL_020, size == d->read_size);
}

static void serve_read(struct wire_delivery *d, const struct wb_reply_want *want)
{
    size_t there = d->sent - d->fed, piece = next_piece(d), n = 0;
    const uint8_t *from = d->c->stream.data + d->fed;

    check_read(d, want);
    if (there == 0) {
        tell(d, (struct subject_told){.kind = WB_REPLY_WANT_READ, .io = WB_REPLY_IO_EOF});
        return;
    }
    if (there > piece)
        there = piece;
    if (there == 1) {
        *want->into[want->into[0].len == 0].data = *from;
        n = 1;
        there = 0;
    }
    for (size_t i = 0; i < 2 && there > 0; i++) {
        size_t part = there < want->into[i].len ? there : want->into[i].len;
        if (part > 0)
            memcpy(want->into[i].data, from + n, part);
        n += part;
        there -= part;
    }
    d->fed += n;
    if (!d->direct && n == d->c->profile.small && d->read_size == n)
        d->read_size = d->c->profile.large;
    tell(d, (struct subject_told){.kind = WB_REPLY_WANT_READ, .io = WB_REPLY_IO_BYTES, .n = n});
}

static enum wb_err ask(struct wire_delivery *d, bool expect_reply)
{
    return d->subject->request(d->session, 0, d->c->asked, &d->c->request->shape, expect_reply,
                               UINT64_MAX);
}

/*
 * A shape that can never be answered is refused, and nothing else happens. One that ends by a
 * marker is taken whatever its count and keys.
 */
static void try_shapes(struct wire_delivery *d)
{
    static const uint8_t long_opaque[WB_REPLY_OPAQUE_MAX + 1];
    static const struct wb_view keys[1];
    static const struct wb_reply_shape shapes[] = {
        {.codes = WB_REPLY_CODES_MG},
        {.codes = WB_REPLY_CODES_GET, .until_mn = true, .until_end = true, .count = 1},
        {.codes = WB_REPLY_CODES_MG, .count = 1, .opaque = {long_opaque, sizeof long_opaque}},
        {.codes = WB_REPLY_CODES_MG, .count = 2, .keys = keys, .keys_count = 1},
        {.codes = WB_REPLY_CODES_MG, .count = 1, .keys = keys, .keys_count = 2},
    };
    static const struct wb_reply_shape loose[] = {
        {.codes = WB_REPLY_CODES_MG, .until_mn = true, .count = 2, .keys = keys, .keys_count = 1},
        {.codes = WB_REPLY_CODES_GET, .until_end = true, .count = 1, .keys = keys, .keys_count = 2},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        enum wb_err e =
            d->subject->request(d->session, 0, d->c->asked, &shapes[i], false, UINT64_MAX);
        FUZZ_CHECK(RPL_049, e == WB_E_VALUE);
    }
    FUZZ_CHECK(RPL_049, d->subject->want(d->session, 0).kind == WB_REPLY_WANT_NOTHING);
    for (size_t i = 0; i < sizeof loose / sizeof *loose; i++) {
        enum wb_err e =
            d->subject->request(d->session, 0, d->c->asked, &loose[i], false, UINT64_MAX);
        FUZZ_CHECK(RPL_049, e == WB_OK);
        FUZZ_CHECK(RPL_046, d->subject->abandon(d->session, 0) == WB_REPLY_IDLE);
    }
}

/* One byte is a request, none is not; given up unsent it leaves nothing. */
static void try_bytes(struct wire_delivery *d)
{
    const struct wb_reply_shape *shape = &d->c->request->shape;
    struct wb_view one = wb_view_sub(d->c->asked, 0, 1), none = wb_view_sub(d->c->asked, 0, 0);

    enum wb_err e = d->subject->request(d->session, 0, none, shape, false, UINT64_MAX);
    FUZZ_CHECK(RPL_051, e == WB_E_VALUE);
    FUZZ_CHECK(RPL_051, d->subject->want(d->session, 0).kind == WB_REPLY_WANT_NOTHING);
    e = d->subject->request(d->session, 0, one, shape, false, UINT64_MAX);
    FUZZ_CHECK(RPL_051, e == WB_OK);
    FUZZ_CHECK(RPL_046, d->subject->abandon(d->session, 0) == WB_REPLY_IDLE);
}

/* While a request is in flight a second one is refused, and nothing else happens. */
static void try_second(struct wire_delivery *d)
{
    FUZZ_CHECK(RPL_043, ask(d, false) == WB_E_BUSY);
    wire_check_stats(d);
    d->was_busy = true;
}

/* The next event. Of the first delivery, what is of the usual form is searched for nothing. */
static bool next_event(struct wire_delivery *d, struct wb_reply_event *e)
{
    const struct wire_case *c = d->c;
    const struct ref_reply_unit *u = &c->units[d->reply->first + d->unit];
    bool is_watched = d->number == 0 && d->subject->stats != NULL,
         begins = d->unit < d->reply->units;
    struct usual_unit next = {0};

    if (is_watched) {
        wire_check_stats(d);
        begins = begins && d->stats.returned + d->stats.discarded == u->begin;
        if (begins)
            next = (struct usual_unit){u, wb_view_sub(c->stream, u->begin, u->line_end),
                                       &c->request->shape, c->profile.values};
        usual_look(&d->usual, begins ? &next : NULL, &d->stats);
    }
    enum wb_err err = d->subject->next(d->session, 0, e);
    bool is_there = err == WB_OK;
    FUZZ_CHECK(RPL_054, err == WB_OK || err == WB_MORE);
    bool has_unit = is_there && e->kind == WB_REPLY_EVENT_UNIT;
    if (is_watched)
        FUZZ_CHECK(RPL_050, usual_looked(&d->usual, &d->stats, has_unit));
    if (is_watched && has_unit && d->unit < d->reply->units) {
        next = (struct usual_unit){u, wb_view_sub(c->stream, u->begin, u->line_end),
                                   &c->request->shape, c->profile.values};
        usual_took(&d->usual, &next);
    }
    return is_there;
}

/* All events there are; true when END was among them. */
static bool pull(struct wire_delivery *d, struct wb_reply_event *e)
{
    while (next_event(d, e)) {
        if (e->kind == WB_REPLY_EVENT_END) {
            wire_check_end(d, e);
            return true;
        }
        wire_check_unit(d, e);
        FUZZ_CHECK(BED_004, ++d->steps <= d->steps_max);
    }
    return false;
}

/* Serves wants until the request has ended. The first want after the request is written is a wait,
 * or on TLS a read. */
static void serve(struct wire_delivery *d, bool expect_reply, struct wb_reply_event *end)
{
    bool is_first = false, is_over = false;

    while (!is_over) {
        struct wb_reply_want want = d->subject->want(d->session, 0);
        bool waits = want.kind == WB_REPLY_WANT_WAIT;
        if (is_first && d->c->profile.tls)
            FUZZ_CHECK(RPL_025, !waits);
        else if (is_first)
            FUZZ_CHECK(RPL_024, waits == expect_reply);
        else
            FUZZ_CHECK(RPL_026, !waits);
        is_first = want.kind == WB_REPLY_WANT_WRITE;
        FUZZ_CHECK(BED_004, ++d->steps <= d->steps_max);
        switch (want.kind) {
        case WB_REPLY_WANT_WRITE:
            tell(d, (struct subject_told){.kind = want.kind, .n = want.bytes.len});
            d->sent = d->reply->status == WB_OK && d->c->session ? d->reply->end : d->c->stream.len;
            break;
        case WB_REPLY_WANT_WAIT:
        case WB_REPLY_WANT_POLL:
            tell(d,
                 (struct subject_told){.kind = want.kind, .mask = want.mask & WB_REPLY_READABLE});
            break;
        case WB_REPLY_WANT_READ:
            if (!d->was_busy && d->number == 0)
                try_second(d);
            serve_read(d, &want);
            is_over = pull(d, end);
            break;
        case WB_REPLY_WANT_NEXT:
            is_over = pull(d, end);
            break;
        case WB_REPLY_WANT_SPACE:
            lend_space(d, want.size);
            break;
        case WB_REPLY_WANT_PROBE:
            tell(d, (struct subject_told){.kind = want.kind, .io = WB_REPLY_IO_AGAIN});
            break;
        case WB_REPLY_WANT_NOTHING:
        case WB_REPLY_WANT_CLOSE:
            FUZZ_CHECK(BED_005, false); /* a request waits, and nobody does anything about it */
        }
        if (d->number == 0)
            wire_check_stats(d);
    }
}

/* A dead connection asks for one close and then for nothing; it takes no request. */
static void check_dead(struct wire_delivery *d)
{
    struct wb_reply_want want = d->subject->want(d->session, 0);
    struct wb_reply_event e;

    FUZZ_CHECK(RPL_037, want.kind == WB_REPLY_WANT_CLOSE);
    FUZZ_CHECK(RPL_046, d->subject->abandon(d->session, 0) == WB_REPLY_DEAD);
    tell(d, (struct subject_told){.kind = WB_REPLY_WANT_CLOSE});
    FUZZ_CHECK(RPL_037, ask(d, true) == WB_E_CLOSED);
    FUZZ_CHECK(RPL_037, d->subject->next(d->session, 0, &e) == WB_MORE);
    FUZZ_CHECK(RPL_037, d->subject->want(d->session, 0).kind == WB_REPLY_WANT_NOTHING);
}

static void converse(struct wire_delivery *d)
{
    const struct wire_case *c = d->c;
    struct wb_reply_event end = {.status = WB_OK};
    bool expect_reply = d->number < 2; /* the others read first */

    for (size_t i = 0; i < c->replies_count; i++) {
        d->reply = &c->replies[i];
        d->unit = 0;
        d->space = NULL;
        usual_start(&d->usual);
        bool was_taken = ask(d, expect_reply) == WB_OK;
        FUZZ_CHECK(RPL_005, was_taken);
        serve(d, expect_reply, &end);
    }
    if (end.status != WB_OK)
        check_dead(d);
    if (d->number == 0) {
        sim_run_outcome(c->run, end.status);
        if (c->run->story_on)
            wire_story_close(d, c->session, end.status);
    }
    sim_trace_add(&c->run->trace, 0, "ended as %e, %u bytes taken", end.status, d->fed, 0, 0);
}

void wire_deliver(const struct wire_case *c, unsigned number)
{
    struct wire_delivery d = {.c = c,
                              .subject = subject_reply(),
                              .number = number,
                              .read_size = c->profile.small,
                              .steps_max = 64 + 64 * c->replies_count + 8 * c->stream.len,
                              .random = (uint32_t)c->hash + number};

    sim_trace_add(&c->run->trace, 0, "delivery %u of %u bytes", number, c->stream.len, 0, 0);
    if (d.subject->open(&c->profile, sim_run_mem(c->run), 0, &d.session) != WB_OK) {
        FUZZ_CHECK(RPL_040, c->run->alloc.refused > 0);
        sim_run_outcome(c->run, WB_E_NOMEM);
        return;
    }
    d.requests = c->run->alloc.requests;
    if (number == 0) {
        try_shapes(&d);
        try_bytes(&d);
    }
    converse(&d);
    d.subject->close(d.session);
}
