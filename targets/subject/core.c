/*
 * core.c: wirebed's own core as the subject.
 */
#include "targets/subject.h"

static enum wb_err core_open(const struct wb_reply_profile *profile, struct wb_mem *mem,
                             uint64_t now_ns, void **out)
{
    struct wb_reply *r = NULL;
    WB_TRY(wb_reply_new(profile, mem, now_ns, &r));
    *out = r;
    return WB_OK;
}

static void core_close(void *session)
{
    wb_reply_free(session);
}

static enum wb_err core_request(void *session, uint64_t now_ns, struct wb_view bytes,
                                const struct wb_reply_shape *shape, bool expect_reply,
                                uint64_t deadline_ns)
{
    return wb_reply_request(session, now_ns, bytes, shape, expect_reply, deadline_ns);
}

static enum wb_reply_state core_abandon(void *session, uint64_t now_ns)
{
    return wb_reply_abandon(session, now_ns);
}

static struct wb_reply_want core_want(const void *session, uint64_t now_ns)
{
    return wb_reply_want(session, now_ns);
}

static void core_told(void *session, uint64_t now_ns, const struct subject_told *told)
{
    switch (told->kind) {
    case WB_REPLY_WANT_WRITE:
        wb_reply_told_write(session, now_ns, told->io, told->n);
        return;
    case WB_REPLY_WANT_READ:
        wb_reply_told_read(session, now_ns, told->io, told->n, told->mask);
        return;
    case WB_REPLY_WANT_WAIT:
        wb_reply_told_wait(session, now_ns, told->mask);
        return;
    case WB_REPLY_WANT_POLL:
        wb_reply_told_poll(session, now_ns, told->mask);
        return;
    case WB_REPLY_WANT_PROBE:
        wb_reply_told_probe(session, now_ns, told->io);
        return;
    case WB_REPLY_WANT_SPACE:
        wb_reply_space(session, told->space);
        return;
    case WB_REPLY_WANT_CLOSE:
        wb_reply_told_close(session);
        return;
    case WB_REPLY_WANT_NOTHING:
    case WB_REPLY_WANT_NEXT:
        break;
    }
    WB_UNREACHABLE();
}

static enum wb_err core_next(void *session, uint64_t now_ns, struct wb_reply_event *out)
{
    return wb_reply_next(session, now_ns, out);
}

static void core_stats(const void *session, struct wb_reply_stats *out)
{
    wb_reply_stats(session, out);
}

static void core_check(const void *session)
{
    wb_reply_check(session);
}

const struct subject_reply *subject_reply(void)
{
    static const struct subject_reply core = {.name = "core",
                                              .open = core_open,
                                              .close = core_close,
                                              .request = core_request,
                                              .abandon = core_abandon,
                                              .want = core_want,
                                              .told = core_told,
                                              .next = core_next,
                                              .stats = core_stats,
                                              .check = core_check};
    return &core;
}
