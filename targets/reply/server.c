#include "targets/reply/world.h"

#include <string.h>

static const uint8_t trap[] = {'\r', '\n', 'M', 'N', '\r', '\n'};

#define VALUE_BLOCK ((size_t)256)

void world_value(uint32_t serial, uint32_t index, size_t size, uint8_t *out, size_t n)
{
    WB_ASSERT(n == size || n % 8 == 0);
    uint64_t x = (uint64_t)serial << 32 | index;
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        if (i >= VALUE_BLOCK && i % VALUE_BLOCK == 8 && n - i >= VALUE_BLOCK - 8) {
            /* the first block again but for the word in front: cheap, and no two alike */
            memcpy(out + i, out + 8, VALUE_BLOCK - 8);
            i += VALUE_BLOCK - 16;
            continue;
        }
        x = (x + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
        x ^= x >> 29;
        memcpy(out + i, &x, 8);
    }
    for (; i < n; i++)
        out[i] = (uint8_t)(x >> (i % 8 * 8)) ^ (uint8_t)i;
    if (size >= sizeof trap && n >= sizeof trap && (serial + index) % 2 == 1)
        memcpy(out, trap, sizeof trap);
    if (n == size && n >= 1 && (serial + index) % 4 == 1)
        out[n - 1] = '\r';
}

static bool is_hit(const struct world_request *job, uint32_t index)
{
    switch (job->hits) {
    case WORLD_HITS_ALL:
    case WORLD_HITS_EMPTY:
        return true;
    case WORLD_HITS_ODD:
        return index % 2 == 1;
    case WORLD_HITS_NONE:
        return false;
    }
    WB_UNREACHABLE();
}

static void end_line(struct world_pen *pen, enum world_wrong wrong)
{
    world_pen_text(pen, wrong == WORLD_WRONG_BARE_LF ? "\n" : "\r\n");
}

/* The flags that were asked for, after the code or length. */
static void write_echo(struct world_pen *pen, const struct world_request *job, uint32_t index,
                       enum world_wrong wrong)
{
    if (job->shape.keys) {
        world_pen_text(pen, " k");
        world_pen_key(pen, job->serial, wrong == WORLD_WRONG_KEY ? 999 : index);
    }
    if (job->shape.opaque.len > 0) {
        world_pen_text(pen, " O");
        if (wrong == WORLD_WRONG_OPAQUE)
            world_pen_text(pen, "x");
        world_pen_opaque(pen, job->serial, job->shape.opaque.len);
    }
    if (wrong == WORLD_WRONG_LONG_LINE) {
        world_pen_text(pen, " f");
        memset(pen->at, '1', WB_REPLY_LINE_MAX);
        pen->at += WB_REPLY_LINE_MAX;
    }
}

uint64_t world_server_stated(uint64_t size, enum world_wrong wrong)
{
    if (wrong == WORLD_WRONG_LONGER)
        return size + 1;
    if (wrong == WORLD_WRONG_SHORTER && size > 0)
        return size - 1;
    return wrong == WORLD_WRONG_WRAP ? size + (UINT64_C(1) << 32) : size;
}

static void write_va_line(struct world_pen *pen, const struct world_request *job, uint32_t index,
                          uint64_t size, enum world_wrong wrong)
{
    uint64_t stated = world_server_stated(size, wrong);
    world_pen_text(pen, wrong == WORLD_WRONG_SIGN ? "VA +" : "VA ");
    world_pen_number(pen, stated);
    if (job->kind != WORLD_ARITH) {
        world_pen_text(pen, " s");
        world_pen_number(pen, wrong == WORLD_WRONG_S_FLAG ? stated + 1 : stated);
    }
    write_echo(pen, job, index, wrong);
}

static void write_hit(struct world_pen *pen, const struct world_request *job, uint32_t index,
                      enum world_wrong wrong)
{
    uint64_t size = job->kind == WORLD_ARITH ? 1 : job->size;
    if (job->hits == WORLD_HITS_EMPTY)
        size = 0;
    if (world_classic_is(job->kind))
        world_classic_line(pen, job, index, wrong);
    else
        write_va_line(pen, job, index, size, wrong);
    end_line(pen, wrong);
    world_value(job->serial, index, (size_t)size, pen->at, (size_t)size);
    pen->at += size;
    world_pen_text(pen, wrong == WORLD_WRONG_NO_END ? "xx" : "\r\n");
}

/* What a command is answered with when no value is. NULL: it stays quiet. */
static const char *plain_code(const struct world_request *job, uint32_t index)
{
    switch (job->kind) {
    case WORLD_GET:
    case WORLD_COUNTED:
    case WORLD_DEBUG:
        return "EN";
    case WORLD_BATCH:
        return NULL;
    case WORLD_SET:
        return is_hit(job, index) ? "HD" : "NS";
    case WORLD_DELETE:
        return is_hit(job, index) ? "HD" : "NF";
    case WORLD_ARITH:
        return "NF";
    case WORLD_BATCH_SET:
        return is_hit(job, index) ? NULL : "NS";
    case WORLD_NOOP:
        return "MN";
    case WORLD_VERSION:
        return "VERSION 1.6.18";
    case WORLD_CLASSIC_GET:
    case WORLD_CLASSIC_GETS:
    case WORLD_CLASSIC_SET:
    case WORLD_CLASSIC_DELETE:
    case WORLD_CLASSIC_INCR:
    case WORLD_CLASSIC_TOUCH:
    case WORLD_CLASSIC_STATS:
        return NULL; /* classic.c */
    }
    WB_UNREACHABLE();
}

static bool has_value(const struct world_request *job, uint32_t index)
{
    bool can = job->kind == WORLD_GET || job->kind == WORLD_COUNTED || job->kind == WORLD_BATCH ||
               job->kind == WORLD_ARITH || world_classic_is_get(job->kind);
    return can && is_hit(job, index);
}

/* A line that takes the place of the answer; NULL when the wrong answer is made otherwise. */
static const char *wrong_line(const struct world_request *job, enum world_wrong wrong)
{
    static const char *const lines[WORLD_WRONG_COUNT] = {
        [WORLD_WRONG_UNKNOWN] = "XX\r\n",
        [WORLD_WRONG_ERROR] = "ERROR\r\n",
        [WORLD_WRONG_CLIENT_ERROR] = "CLIENT_ERROR bad data chunk\r\n",
        [WORLD_WRONG_SERVER_ERROR] = "SERVER_ERROR out of memory\r\n",
        [WORLD_WRONG_KEPT_ERROR] =
            "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n",
        [WORLD_WRONG_NEVER] = "",
    };
    if (wrong == WORLD_WRONG_CODE && world_classic_is(job->kind))
        return job->shape.until_end ? "STORED\r\n" : "END\r\n";
    if (wrong == WORLD_WRONG_CODE)
        return job->shape.codes & WB_REPLY_BIT(NS) ? "EN\r\n" : "NS\r\n";
    return lines[wrong];
}

static void write_answer(struct world_pen *pen, const struct world_request *job, uint32_t index,
                         enum world_wrong wrong)
{
    const char *line = wrong_line(job, wrong);
    if (line) {
        world_pen_text(pen, line);
    } else if (has_value(job, index)) {
        write_hit(pen, job, index, wrong);
    } else if (job->kind == WORLD_DEBUG && is_hit(job, index)) {
        world_pen_text(pen, "ME ");
        world_pen_key(pen, job->serial, index);
        world_pen_text(pen, " exp=-1 la=2 cas=14 fetch=yes cls=1 size=70");
        end_line(pen, wrong);
    } else if (world_classic_is(job->kind)) {
        if (job->shape.until_end && !is_hit(job, index))
            return;
        world_classic_line(pen, job, index, wrong);
        end_line(pen, wrong);
    } else if (plain_code(job, index)) {
        world_pen_text(pen, plain_code(job, index));
        if (job->kind != WORLD_NOOP && job->kind != WORLD_VERSION && job->kind != WORLD_DEBUG)
            write_echo(pen, job, index, wrong);
        end_line(pen, wrong);
    }
}

static bool is_error(enum world_wrong wrong)
{
    return wrong == WORLD_WRONG_ERROR || wrong == WORLD_WRONG_CLIENT_ERROR ||
           wrong == WORLD_WRONG_SERVER_ERROR || wrong == WORLD_WRONG_KEPT_ERROR;
}

/* What is wrong is the first answer; but an error line ends a get, and so takes the last place. */
static void make_answer(struct world_conn *c, uint32_t index)
{
    struct world_server *s = &c->server;
    uint32_t at = s->job->shape.until_end && is_error(s->wrong) ? s->job->count - 1 : 0;
    enum world_wrong wrong = index == at ? s->wrong : WORLD_WRONG_NONE;
    struct world_pen pen = {world_area_out(c->id) + s->out_end};
    write_answer(&pen, s->job, index, wrong);
    if (wrong == WORLD_WRONG_TWICE)
        write_answer(&pen, s->job, index, wrong);
    if (wrong == WORLD_WRONG_STRAY)
        world_pen_text(&pen, "\r\n");
    s->out_end = (size_t)(pen.at - world_area_out(c->id));
}

static void make_marker(struct world_conn *c)
{
    struct world_server *s = &c->server;
    if (s->wrong == WORLD_WRONG_NO_MN || s->wrong == WORLD_WRONG_NEVER)
        return;
    if (s->job->shape.until_end && is_error(s->wrong))
        return;
    struct world_pen pen = {world_area_out(c->id) + s->out_end};
    world_pen_text(&pen, s->job->shape.until_end ? "END\r\n" : "MN\r\n");
    s->out_end = (size_t)(pen.at - world_area_out(c->id));
}

/* Command `index` has come whole. The answer to a get is made in one, so all of it must have come.
 */
static bool is_due(const struct world_request *job, uint32_t index, size_t arrived)
{
    if (index >= job->count)
        return false;
    return arrived >=
           (job->shape.until_end ? job->bytes.len : (index + (size_t)1) * job->command_len);
}

void world_server_flush(struct world *w, struct world_conn *c)
{
    struct world_server *s = &c->server;
    if (s->out_begin == s->out_end && !s->holding)
        return;
    size_t limit = s->holding && s->hold_at < s->out_end ? s->hold_at : s->out_end;
    while (s->out_begin < limit) {
        enum sim_io io = SIM_IO_BYTES;
        struct wb_view rest =
            wb_view_of(world_area_out(c->id) + s->out_begin, limit - s->out_begin);
        size_t n = sim_stream_write(&c->down, w->sched.now_ns, rest, &io);
        if (io == SIM_IO_INTR)
            continue;
        if (io == SIM_IO_EOF || io == SIM_IO_RESET) {
            s->holding = false; /* nobody will read it */
            s->out_begin = s->out_end;
        }
        if (io != SIM_IO_BYTES)
            break;
        s->out_begin += n;
        sim_trace_add(&w->run->trace, w->sched.now_ns, "answer   c%u %u bytes, stream at %u", c->id,
                      n, c->down.written, 0);
        if (world_is_shown(w))
            world_show_bytes(w, c, wb_view_sub(rest, 0, n));
    }
    if (s->out_begin == s->out_end && !s->holding)
        s->out_begin = s->out_end = 0;
    world_poke_client(w, c);
}

void world_server_release(struct world *w, struct world_conn *c)
{
    c->server.holding = false;
    world_server_flush(w, c);
    world_poke_server(w, c);
}

void world_server_raw(struct world *w, struct world_conn *c, struct wb_view bytes)
{
    while (bytes.len > 0) {
        enum sim_io io = SIM_IO_BYTES;
        size_t n = sim_stream_write(&c->down, w->sched.now_ns, bytes, &io);
        if (io != SIM_IO_BYTES && io != SIM_IO_INTR)
            break;
        if (world_is_shown(w))
            world_show(w, "raw      c%u %zu bytes, stream at %zu", (unsigned)c->id, n,
                       c->down.written);
        if (world_is_shown(w))
            world_show_bytes(w, c, wb_view_sub(bytes, 0, n));
        bytes = wb_view_sub(bytes, n, bytes.len);
    }
    c->server.honest = false;
    world_poke_client(w, c);
}

/* The client's first byte of a request has come: it is the job from now on. */
static void start_job(struct world *w, struct world_conn *c)
{
    struct world_server *s = &c->server;
    s->started = true;
    s->wrong = s->wrong_next;
    s->wrong_next = WORLD_WRONG_NONE;
    s->job->hits = s->hits_next;
    s->hits_next = WORLD_HITS_ALL;
    if (s->wrong != WORLD_WRONG_NONE)
        s->honest = false;
    if (s->hold_next) {
        s->holding = true;
        s->hold_at = s->out_end + s->hold_bytes;
        s->hold_next = false;
        sim_mark(w->run, WORLD_MARK_HELD);
    }
}

static bool is_blocked(const struct world_server *s)
{
    return s->out_begin < s->out_end && !s->holding;
}

void world_server_run(struct world *w, struct world_conn *c)
{
    struct world_server *s = &c->server;
    uint8_t scratch[512];
    world_server_flush(w, c);
    while (!is_blocked(s)) {
        size_t n = 0;
        if (sim_stream_read(&c->up, w->sched.now_ns, scratch, sizeof scratch, &n) != SIM_IO_BYTES)
            break;
        world_step(w);
        if (world_is_shown(w))
            world_show(w, "taken    c%u %zu bytes", (unsigned)c->id, n);
        if (!s->working)
            continue;
        if (s->mute) {
            s->working = false;
            continue;
        }
        if (!s->started)
            start_job(w, c);
        size_t arrived = c->up.read - s->job_begin;
        while (is_due(s->job, s->answered, arrived))
            make_answer(c, s->answered++);
        if (arrived >= s->job->bytes.len) {
            if (s->job->shape.until_mn || s->job->shape.until_end)
                make_marker(c);
            s->working = false;
        }
        world_server_flush(w, c);
    }
    if (c->park_mask & WB_REPLY_WRITABLE)
        world_poke_client(w, c); /* what was read made room */
    world_poke_server(w, c);
}
