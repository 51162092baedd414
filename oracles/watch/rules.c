#include "oracles/watch/rules.h"

#include "core/reply/reply.h"
#include "oracles/inv.h"
#include "oracles/watch/words.h"

#include <bsd/sys/tree.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#define HISTORY      64 /* records that are remembered */
#define HISTORY_TOLD 8  /* of them stand in a violation */
#define KINDS_MAX    12 /* of system calls that one operation is told to have made */
#define TEXT_MAX     1024
#define READ_LEAST   (WB_REPLY_LINE_MAX + 1) /* what a reader may ask for, at its own buffer */
#define READ_MOST    WB_REPLY_LARGE

/* A connection, the runs of a target, or a route. */
struct object {
    RB_ENTRY(object) by_key;
    uint32_t process;
    uint64_t address;
    bool is_open, is_told; /* an operation is; WCH-001 was reported of it */
    uint64_t operation, number, flags;
    uint64_t bytes, reads, fulls, shorts, empties; /* of the operation */
    uint64_t waits, waits_to_write; /* after which there was something to read; to write as well */
    uint64_t size;                  /* what the first read of the operation asked for */
    uint64_t owed;                  /* replies before that were not read */
    bool has_grown;
    int64_t skew; /* pending at the last boundary: reported once */
    bool is_counted;
    uint64_t withheld;
    uint64_t calls[KINDS_MAX], counts[KINDS_MAX];
};
RB_HEAD(objects, object);

struct watch_rules {
    struct watch_rules_config config;
    struct objects objects;
    struct watch_event history[HISTORY];
    uint64_t taken, lost;
    struct watch_rules_sum sum;
};

static int object_order(const struct object *a, const struct object *b)
{
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

RB_PROTOTYPE(objects, object, by_key, object_order)
RB_GENERATE(objects, object, by_key, object_order)

enum invariant {
#define MEMBER(area, number, text) area##_##number,
    INV_WATCH_LIST(MEMBER)
#undef MEMBER
};

static const char *const sentences[] = {
#define SENTENCE(area, number, text) #area "-" #number " " text,
    INV_WATCH_LIST(SENTENCE)
#undef SENTENCE
};

/* ---- telling ---- */

struct line {
    char text[TEXT_MAX];
    size_t len;
};

static void say(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct line *line, const char *format, ...)
{
    va_list args;
    size_t room = sizeof line->text - line->len;

    va_start(args, format);
    int n = vsnprintf(line->text + line->len, room, format, args);
    va_end(args);
    if (n > 0)
        line->len += (size_t)n < room ? (size_t)n : room - 1;
}

/* The last records of the same process, the one at hand among them. */
static void say_history(const struct watch_rules *r, uint32_t process, struct line *line)
{
    const struct watch_event *told[HISTORY_TOLD];
    size_t n = 0;
    uint64_t kept = r->taken < HISTORY ? r->taken : HISTORY;
    char text[128];

    for (uint64_t i = 0; i < kept && n < HISTORY_TOLD; i++) {
        const struct watch_event *e = &r->history[(r->taken - 1 - i) % HISTORY];
        if (e->process == process)
            told[n++] = e;
    }
    for (size_t i = n; i-- > 0;) {
        words_event(told[i], text, sizeof text);
        say(line, "%s%s", text, i > 0 ? ", " : "");
    }
}

static void violated(struct watch_rules *r, enum invariant which, const struct watch_event *e,
                     const char *figures)
{
    struct line line = {.len = 0};

    r->sum.violations++;
    say(&line, "operation %" PRIu64 ", process %u: %s: %s; last: ", e->operation, e->process,
        sentences[which], figures);
    say_history(r, e->process, &line);
    r->config.violation(r->config.context, line.text);
}

/* ---- objects ---- */

static struct object *object_find(struct watch_rules *r, uint32_t process, uint64_t address)
{
    struct object key = {.process = process, .address = address};

    return RB_FIND(objects, &r->objects, &key);
}

/* Without memory there is none, and nothing is judged. */
static struct object *object_of(struct watch_rules *r, const struct watch_event *e)
{
    struct object *o = object_find(r, e->process, e->a[0]);

    if (o)
        return o;
    o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->process = e->process;
    o->address = e->a[0];
    RB_INSERT(objects, &r->objects, o);
    return o;
}

/* True when one was in the middle of an operation. */
static bool objects_forget(struct watch_rules *r, uint32_t process)
{
    struct object key = {.process = process}, *o, *next;
    bool was_open = false;

    for (o = RB_NFIND(objects, &r->objects, &key); o && o->process == process; o = next) {
        next = RB_NEXT(objects, &r->objects, o);
        was_open = was_open || o->is_open;
        RB_REMOVE(objects, &r->objects, o);
        free(o);
    }
    return was_open;
}

/* What a child knows at first is what its parent knew. */
static void objects_copy(struct watch_rules *r, uint32_t from, uint32_t to)
{
    struct object key = {.process = from}, *o;

    objects_forget(r, to);
    for (o = RB_NFIND(objects, &r->objects, &key); o && o->process == from;
         o = RB_NEXT(objects, &r->objects, o)) {
        struct object *copy = calloc(1, sizeof *copy);
        if (!copy)
            return;
        *copy = *o;
        copy->process = to;
        copy->is_open = false;
        RB_INSERT(objects, &r->objects, copy);
    }
}

static void lose(struct watch_rules *r)
{
    struct object *o;

    RB_FOREACH(o, objects, &r->objects)
    {
        o->is_open = false;
        o->is_counted = false;
        o->skew = INT64_MIN; /* unknown */
    }
}

/* ---- replies ---- */

static void open_one(struct object *o, const struct watch_event *e)
{
    if (e->kind == WATCH_REQUEST &&
        e->a[1] == 1) { /* a new connection, at an address used before */
        o->has_grown = false;
        o->owed = 0;
        o->skew = 0;
    }
    o->is_open = true;
    o->is_told = false;
    o->operation = e->operation;
    o->number = e->a[1];
    o->flags = e->a[2];
    o->size = 0;
    o->bytes = o->reads = o->fulls = o->shorts = o->empties = o->waits = o->waits_to_write = 0;
    for (size_t i = 0; i < KINDS_MAX; i++)
        o->counts[i] = 0;
}

static void judge_sign(struct watch_rules *r, struct object *o, const struct watch_event *e,
                       int64_t pending)
{
    char text[64];

    if (pending >= 0 || o->is_told || pending == o->skew)
        return;
    o->is_told = true;
    snprintf(text, sizeof text, "%" PRId64 " pending", pending);
    violated(r, WCH_001, e, text);
}

static void take_read(struct watch_rules *r, struct object *o, const struct watch_event *e)
{
    if (o->size == 0)
        o->size = e->a[2] < READ_LEAST ? READ_LEAST : e->a[2] > READ_MOST ? READ_MOST : e->a[2];
    if (e->a[1] == 0) {
        o->empties++;
    } else {
        o->reads++;
        o->bytes += e->a[1];
        if (e->a[1] >= e->a[2])
            o->fulls++;
        else
            o->shorts++;
    }
    judge_sign(r, o, e, (int64_t)e->a[3]);
}

/*
 * The first read of a reply waits first, so each wait stands for what came apart, and one read;
 * any other read follows a full one. The first time a buffer grows, its small read is one more;
 * so is the first read of a reply that is still owed, which does not wait.
 * Under TLS, where the caller reads first, or a read waits itself, waits do not tell of reads.
 */
static void judge_reads(struct watch_rules *r, struct object *o, const struct watch_event *e)
{
    uint64_t apart = o->waits > 0 ? o->waits - 1 : 0;
    uint64_t size = o->size > 0 ? o->size : READ_LEAST;
    uint64_t most = (o->bytes + size - 1) / size + apart + o->owed + (o->has_grown ? 0 : 1);
    char text[96];

    o->has_grown = o->has_grown || o->fulls > 0;
    if (o->flags != 0 || o->reads <= most)
        return;
    snprintf(text, sizeof text,
             "%" PRIu64 " reads and %" PRIu64 " waits for %" PRIu64 " bytes, %" PRIu64
             " reads are due at most",
             o->reads, o->waits, o->bytes, most);
    violated(r, WCH_003, e, text);
}

static void judge_waits(struct watch_rules *r, struct object *o, const struct watch_event *e)
{
    uint64_t waits = o->waits - o->waits_to_write;
    char text[96];

    if (waits <= 1 + o->shorts + o->empties)
        return;
    snprintf(text, sizeof text,
             "%" PRIu64 " waits with %" PRIu64 " short and %" PRIu64 " empty reads", waits,
             o->shorts, o->empties);
    violated(r, WCH_004, e, text);
}

static void judge_boundary(struct watch_rules *r, struct object *o, const struct watch_event *e)
{
    int64_t pending = (int64_t)e->a[2];
    char text[64];

    judge_sign(r, o, e, pending);
    if (pending != 0 && pending != o->skew && o->skew != INT64_MIN && !o->is_told) {
        snprintf(text, sizeof text, "%" PRId64 " pending at the boundary", pending);
        violated(r, WCH_002, e, text);
    }
    o->skew = pending;
}

/* ---- operations that are over ---- */

static void count_call(struct object *o, uint64_t number)
{
    for (size_t i = 0; i < KINDS_MAX; i++) {
        if (o->counts[i] == 0)
            o->calls[i] = number;
        if (o->calls[i] == number) {
            o->counts[i]++;
            return;
        }
    }
}

static void tell_operation(const struct watch_rules *r, const struct object *o,
                           const struct watch_event *e)
{
    struct line line = {.len = 0};
    char text[128];

    if (!r->config.operation)
        return;
    words_event(e, text, sizeof text);
    say(&line, "operation %" PRIu64 ", process %u: ", e->operation, e->process);
    if (e->kind == WATCH_REPLY)
        say(&line,
            "request %" PRIu64 " on 0x%" PRIx64 ", %" PRIu64 " bytes in %" PRIu64 " reads, %" PRIu64
            " waits; ",
            o->number, o->address, o->bytes, o->reads, o->waits);
    say(&line, "%s; %" PRIu64 " calls", text, e->kind == WATCH_VIEW ? 0 : e->a[3]);
    for (size_t i = 0; i < KINDS_MAX && o->counts[i] > 0 && e->kind != WATCH_VIEW; i++)
        say(&line, "%s%s %" PRIu64, i > 0 ? ", " : ": ", words_call_any(o->calls[i]), o->counts[i]);
    r->config.operation(r->config.context, line.text);
}

static void take_reply(struct watch_rules *r, struct object *o, const struct watch_event *e)
{
    if (!o->is_open)
        return;
    if ((int)e->a[1] == WB_OK) {
        judge_reads(r, o, e);
        judge_waits(r, o, e);
        judge_boundary(r, o, e);
    }
    o->owed = (int)e->a[1] == WB_OK ? 0 : o->owed + 1;
    o->is_open = false;
    tell_operation(r, o, e);
}

static void take_ran(struct watch_rules *r, struct object *o, const struct watch_event *e)
{
    char text[64];

    o->is_open = false;
    if (r->config.is_pure && e->a[3] > 0) {
        snprintf(text, sizeof text, "%" PRIu64 " system calls", e->a[3]);
        violated(r, WCH_007, e, text);
    }
    tell_operation(r, o, e);
}

/* ---- routes and processes ---- */

static void take_view(struct watch_rules *r, struct object *o, const struct watch_event *e)
{
    char text[96];

    o->withheld -= e->a[1] == WATCH_VIEW_WITHHELD;
    o->withheld += e->a[2] == WATCH_VIEW_WITHHELD;
    if (o->is_counted && o->withheld != e->a[3]) {
        snprintf(text, sizeof text, "%" PRIu64 " counted, %" PRId64 " by the recount", e->a[3],
                 (int64_t)o->withheld);
        violated(r, WCH_005, e, text);
    }
    o->is_counted = true;
    o->withheld = e->a[3];
    tell_operation(r, o, e);
}

static void take_exit(struct watch_rules *r, const struct watch_event *e)
{
    int64_t left = (int64_t)(e->a[0] - e->a[1]), inherited = (int64_t)e->a[2];
    bool was_open = objects_forget(r, e->process);
    char text[96];

    if (WIFSIGNALED((int)e->a[3]) || was_open) {
        r->sum.died++;
        return;
    }
    if (!e->from_start) {
        r->sum.unjudged++;
        return;
    }
    if (left >= 0 && left <= inherited)
        return;
    snprintf(text, sizeof text, "%" PRIu64 " created, %" PRIu64 " freed", e->a[0], e->a[1]);
    violated(r, WCH_006, e, text);
}

static void dispatch(struct watch_rules *r, struct object *o, const struct watch_event *e)
{
    switch ((enum watch_kind)e->kind) {
    case WATCH_CALL:
        count_call(o, e->a[1]);
        return;
    case WATCH_REQUEST:
    case WATCH_RUN:
        open_one(o, e);
        return;
    case WATCH_READ:
        take_read(r, o, e);
        return;
    case WATCH_WAIT:
        o->waits += (e->a[1] & e->a[2] & 1) != 0;
        o->waits_to_write += (e->a[1] & e->a[2] & 1) != 0 && (e->a[1] & 2) != 0;
        return;
    case WATCH_REPLY:
        take_reply(r, o, e);
        return;
    case WATCH_RAN:
        take_ran(r, o, e);
        return;
    case WATCH_ROUTE:
        o->is_counted = true;
        o->withheld = 0;
        return;
    case WATCH_VIEW:
        take_view(r, o, e);
        return;
    case WATCH_FORK:
    case WATCH_EXEC:
    case WATCH_EXIT:
        return;
    }
}

void rules_take(struct watch_rules *r, const struct watch_event *e)
{
    if (e->lost != r->lost)
        lose(r);
    r->lost = e->lost;
    r->history[r->taken++ % HISTORY] = *e;
    if (e->kind == WATCH_FORK) {
        objects_copy(r, e->process, (uint32_t)e->a[0]);
    } else if (e->kind == WATCH_EXEC) {
        objects_forget(r, e->process);
    } else if (e->kind == WATCH_EXIT) {
        take_exit(r, e);
    } else {
        struct object *o = object_of(r, e);
        if (o)
            dispatch(r, o, e);
    }
}

/* ---- life ---- */

struct watch_rules *rules_new(const struct watch_rules_config *config)
{
    struct watch_rules *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->config = *config;
    RB_INIT(&r->objects);
    return r;
}

void rules_free(struct watch_rules *r)
{
    struct object *o;

    if (!r)
        return;
    while ((o = RB_ROOT(&r->objects)) != NULL) {
        RB_REMOVE(objects, &r->objects, o);
        free(o);
    }
    free(r);
}

struct watch_rules_sum rules_sum(const struct watch_rules *r)
{
    return r->sum;
}
