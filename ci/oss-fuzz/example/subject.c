/*
 * subject.c: the library as a subject of wirebed. It lies in the library's own repository and fills
 * in the table of targets/subject.h; nothing of wirebed's core is called.
 *
 * Small on purpose: one connection, one buffer, no recovery, no codes but those of lines. What it
 * leaves out is what wirebed's corpus then says of it.
 */
#include "targets/subject.h"

#include <lines.h>
#include <string.h>

#define SUBJECT_ROOM (256u * 1024)

struct subject_connection {
    struct wb_reply_profile profile;
    struct wb_reply_shape shape;
    struct wb_view bytes;
    size_t begin, end, read_size;
    uint32_t units;
    bool is_asked, is_written, waits, has_eof, is_dead, is_closed;
};

/* One session at a time; all of it is set when it opens, and of the room what was read. */
static struct subject_connection subject_the_one;
static uint8_t subject_room[SUBJECT_ROOM];

static enum wb_err subject_open(const struct wb_reply_profile *profile, struct wb_mem *mem,
                                uint64_t now_ns, void **out)
{
    (void)mem, (void)now_ns;
    if (profile->small < WB_REPLY_LINE_MAX + 1 || profile->large < profile->small ||
        profile->large > SIZE_MAX - WB_REPLY_LINE_MAX)
        return WB_E_VALUE;
    subject_the_one = (struct subject_connection){.profile = *profile, .read_size = profile->small};
    *out = &subject_the_one;
    return WB_OK;
}

static void subject_close(void *session)
{
    (void)session;
}

static enum wb_err subject_request(void *session, uint64_t now_ns, struct wb_view bytes,
                                   const struct wb_reply_shape *shape, bool expect_reply,
                                   uint64_t deadline_ns)
{
    struct subject_connection *c = session;
    bool is_open = shape->until_mn || shape->until_end;

    (void)now_ns, (void)deadline_ns;
    if (bytes.len == 0 || (shape->count == 0 && !is_open) ||
        (shape->until_mn && shape->until_end) || shape->opaque.len > WB_REPLY_OPAQUE_MAX ||
        (!is_open && shape->keys != NULL && shape->keys_count != shape->count))
        return WB_E_VALUE;
    if (c->is_dead)
        return WB_E_CLOSED;
    if (c->is_asked)
        return WB_E_BUSY;
    c->shape = *shape;
    c->bytes = bytes;
    c->units = 0;
    c->is_asked = true;
    c->is_written = false;
    c->waits = expect_reply && !c->profile.tls;
    return WB_OK;
}

static enum wb_reply_state subject_abandon(void *session, uint64_t now_ns)
{
    struct subject_connection *c = session;

    (void)now_ns;
    /* What was never sent leaves nothing; where a reply is to come, its end is not waited for. */
    c->is_dead = c->is_dead || (c->is_asked && c->is_written);
    c->is_asked = false;
    return c->is_dead ? WB_REPLY_DEAD : WB_REPLY_IDLE;
}

static struct wb_reply_want subject_want(const void *session, uint64_t now_ns)
{
    const struct subject_connection *c = session;
    struct wb_reply_want want = {.kind = WB_REPLY_WANT_NOTHING};

    (void)now_ns;
    if (c->is_dead) {
        want.kind = c->is_closed ? WB_REPLY_WANT_NOTHING : WB_REPLY_WANT_CLOSE;
    } else if (c->is_asked && !c->is_written) {
        want.kind = WB_REPLY_WANT_WRITE;
        want.bytes = c->bytes;
    } else if (c->is_asked && c->waits) {
        want.kind = WB_REPLY_WANT_WAIT;
        want.mask = WB_REPLY_READABLE;
    } else if (c->is_asked && (c->has_eof || c->read_size > SUBJECT_ROOM - c->end)) {
        want.kind = WB_REPLY_WANT_NEXT;
    } else if (c->is_asked) {
        want.kind = WB_REPLY_WANT_READ;
        want.into[0].data = subject_room + c->end;
        want.into[0].len = c->read_size;
    }
    return want;
}

static void subject_told(void *session, uint64_t now_ns, const struct subject_told *told)
{
    struct subject_connection *c = session;

    (void)now_ns;
    c->is_written = c->is_written || told->kind == WB_REPLY_WANT_WRITE;
    c->waits = c->waits && told->kind != WB_REPLY_WANT_WAIT;
    c->is_closed = c->is_closed || told->kind == WB_REPLY_WANT_CLOSE;
    if (told->kind != WB_REPLY_WANT_READ)
        return;
    c->has_eof = told->io == WB_REPLY_IO_EOF || told->io == WB_REPLY_IO_RESET;
    if (told->io == WB_REPLY_IO_BYTES) {
        c->end += told->n;
        if (told->n == c->profile.small)
            c->read_size = c->profile.large;
    }
}

/* The codes have their names in the table of wirebed; those of errors end the connection. */
static int subject_code(const uint8_t *word, size_t len)
{
    for (int code = 0; code < WB_REPLY_CODE_COUNT; code++) {
        static const char *const names[] = {
#define SUBJECT_NAME(name) #name,
            WB_REPLY_CODE_LIST(SUBJECT_NAME)
#undef SUBJECT_NAME
        };
        if (strlen(names[code]) == len && memcmp(names[code], word, len) == 0)
            return code;
    }
    return -1;
}

static enum wb_err subject_end(struct subject_connection *c, enum wb_err status,
                               struct wb_reply_event *out)
{
    if (status == WB_OK && c->begin < c->end)
        status = WB_E_TRAILING;
    *out = (struct wb_reply_event){
        .kind = WB_REPLY_EVENT_END, .status = status, .sent = c->is_written};
    c->begin = c->end = 0;
    c->is_asked = false;
    c->is_dead = status != WB_OK;
    return WB_OK;
}

static enum wb_err subject_next(void *session, uint64_t now_ns, struct wb_reply_event *out)
{
    struct subject_connection *c = session;
    const uint8_t *at = subject_room + c->begin;
    struct lines_unit u;
    int code;

    (void)now_ns;
    if (!c->is_asked || !c->is_written)
        return WB_MORE;
    if (!c->shape.until_mn && !c->shape.until_end && c->units == c->shape.count)
        return subject_end(c, WB_OK, out);
    switch (lines_next(at, c->end - c->begin, &u)) {
    case LINES_MORE:
        if (!c->has_eof && c->read_size <= SUBJECT_ROOM - c->end)
            return WB_MORE;
        return subject_end(c, c->has_eof ? WB_E_EOF : WB_E_NOMEM, out);
    case LINES_LONG:
        return subject_end(c, WB_E_LINE_TOO_LONG, out);
    case LINES_BAD_LENGTH:
        return subject_end(c, WB_E_BAD_LEN, out);
    case LINES_BAD_END:
        return subject_end(c, WB_E_BAD_LINE, out);
    case LINES_UNIT:
        break;
    }
    code = subject_code(at, u.word);
    if (code < 0)
        return subject_end(c, WB_E_BAD_CODE, out);
    if (code != WB_REPLY_MN && (c->shape.codes & UINT32_C(1) << code) == 0)
        return subject_end(c, WB_E_UNEXPECTED_CODE, out);
    *out = (struct wb_reply_event){.kind = WB_REPLY_EVENT_UNIT,
                                   .code = (enum wb_reply_code)code,
                                   .has_value = u.has_value != 0,
                                   .line = wb_view_of(at, u.line),
                                   .flags = wb_view_of(at + u.flags, u.line - u.flags),
                                   .value = wb_view_of(at + u.value_begin, u.value)};
    c->begin += u.size;
    c->units++;
    if (code == WB_REPLY_MN && c->shape.until_mn) {
        c->shape.until_mn = false;
        c->shape.count = c->units;
    }
    return WB_OK;
}

const struct subject_reply *subject_reply(void)
{
    static const struct subject_reply lines = {.name = "lines",
                                               .open = subject_open,
                                               .close = subject_close,
                                               .request = subject_request,
                                               .abandon = subject_abandon,
                                               .want = subject_want,
                                               .told = subject_told,
                                               .next = subject_next};
    return &lines;
}

/* It reads no media and no announces: targets that drive those are not built (FUZZERS=). */
const struct subject_ingest *subject_ingest(void)
{
    return NULL;
}

const struct subject_announce *subject_announce(void)
{
    return NULL;
}
