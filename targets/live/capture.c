#include "targets/live/capture.h"

#include "targets/live/server.h"
#include "targets/live/talk.h"
#include "targets/reply/shapes.h"

#include <string.h>

#define PATH_SIZE    1024
#define REQUESTS_MAX 10
#define SESSION      0x40 /* the bit of the configuration */

/* The requests of one connection; `shape` is the index of what answers each of them. */
struct session {
    const char *name;
    unsigned shape;
    const char *requests[REQUESTS_MAX];
};

#define BATCH_10(t)                                                                                \
    "mg k0" t "0 v k q\r\nmg k0" t "1 v k q\r\nmg k0" t "2 v k q\r\nmg k0" t "3 v k q\r\n"         \
    "mg k0" t "4 v k q\r\nmg k0" t "5 v k q\r\nmg k0" t "6 v k q\r\nmg k0" t "7 v k q\r\n"         \
    "mg k0" t "8 v k q\r\nmg k0" t "9 v k q\r\n"
#define BATCH_40 BATCH_10("0") BATCH_10("1") BATCH_10("2") BATCH_10("3") "mn\r\n"

#define KEYS_10(t)                                                                                 \
    " k0" t "0 k0" t "1 k0" t "2 k0" t "3 k0" t "4 k0" t "5 k0" t "6 k0" t "7 k0" t "8 k0" t "9"
#define CLASSIC(i) (SHAPES_CLASSIC + (i))

/* In this order: later sessions read what earlier ones stored. */
static const struct session sessions[] = {
    {"stores",
     1,
     {"ms foo 3 c k Oabc\r\nbar\r\n", "ms foo 1 ME k O3\r\na\r\n", "ms foo 1 C1\r\na\r\n",
      "ms nokey 1 C1 c k\r\na\r\n", "ms empty 0\r\n\r\n", "ms lines 8\r\nEN\r\nMN\r\n\r\n",
      "ms cr 4\r\nabc\r\r\n", "ms foo 2\r\nabcd\r\n"}},
    {"gets",
     0,
     {"mg foo v s k\r\n", "mg foo s v f c t k Oxyz h l\r\n", "mg nokey v k O77\r\n", "mg foo\r\n",
      "mg empty v s k\r\n", "mg lines v\r\n", "mg cr v\r\n", "mg Zm9v b v k s\r\n",
      "mg viv s v t k N30\r\n", "mg foo v v\r\n"}},
    {"counters",
     3,
     {"ma n N0 J13 v t c k O7\r\n", "ma n v\r\n", "ma n MD D5 v\r\n", "ma nokey k\r\n",
      "ma n D1\r\n", "ma foo v\r\n", "ma n v Mx\r\n"}},
    {"debug", 4, {"me foo\r\n", "me nokey\r\n", "me lines\r\n"}},
    {"batch-40", 11, {BATCH_40}},
    {"quiet-stores",
     12,
     {"ms foo 1 ME q k O1\r\na\r\nms foo 1 C1 q k O2\r\na\r\nms nokey 1 C1 q k O3\r\na\r\n"
      "ms foo 1 q\r\na\r\nms foo 1 q k\r\nb\r\nmn\r\n",
      "ms foo 1 MZ q\r\na\r\nmn\r\n"}},
    {"opaques", 14, {"mg foo v O9\r\n", "mg nokey v O9 k\r\n", "mg foo k O9 t\r\n"}},
    {"counted",
     15,
     {"mg a v k\r\nmg x v k\r\nmg b v k\r\n", "mg a k\r\nmg x v k\r\nmg b v k s\r\n"}},
    {"deletes", 2, {"md foo k\r\n", "md foo k O1\r\n", "md lines C1\r\n", "md n q C0 ?\r\n"}},
    {"quiet-deletes", 13, {"md a q\r\nmd a q\r\nmd x q k\r\nmd b q\r\nmn\r\n", "mn\r\n"}},
    {"version", 6, {"version\r\n", "vers\r\n"}},
    {"classic-stores",
     CLASSIC(8),
     {"set g 7 0 2\r\nhi\r\n", "add g 0 0 1\r\na\r\n", "append nokey 0 0 1\r\na\r\n",
      "cas g 0 0 1 1\r\na\r\n", "cas nokey 0 0 1 1\r\na\r\n", "set h 0 0 0\r\n\r\n",
      "set k 5 0 5\r\nEND\r\n\r\n", "set i 0 0 1\r\n8\r\n", "set g 7 0 2\r\nabcd\r\n"}},
    {"classic-three-stores",
     CLASSIC(15),
     {"set k 5 0 5\r\nEND\r\n\r\nadd k 0 0 1\r\n1\r\nset g 7 0 2\r\nhi\r\n"}},
    {"classic-gets",
     CLASSIC(1),
     {"get k\r\n", "gets g\r\n", "get nokey\r\n", "get h\r\n", "gat 0 g\r\n", "gats 0 k\r\n",
      "get\r\n"}},
    {"classic-get-3", CLASSIC(5), {"get g nokey h\r\n", "gets g nokey h\r\n", "get nokey\r\n"}},
    {"classic-get-twice", CLASSIC(6), {"gets g nokey g\r\n", "get nokey g\r\n"}},
    {"classic-get-40",
     CLASSIC(7),
     {"get" KEYS_10("0") KEYS_10("1") KEYS_10("2") KEYS_10("3") "\r\n"}},
    {"classic-counters",
     CLASSIC(10),
     {"incr i 3\r\n", "decr i 2\r\n", "decr i 100\r\n", "incr nokey 1\r\n", "incr g 1\r\n",
      "incr i x\r\n"}},
    {"classic-touches", CLASSIC(11), {"touch g 0\r\n", "touch nokey 0\r\n", "touch g x\r\n"}},
    {"classic-stats", CLASSIC(12), {"stats sizes\r\n", "stats items\r\n", "stats cachedump\r\n"}},
    {"classic-deletes", CLASSIC(9), {"delete g\r\n", "delete g\r\n", "delete g 1\r\n"}},
    {"classic-flushes", CLASSIC(13), {"flush_all\r\n", "verbosity 0\r\n", "flush_all x\r\n"}},
    {"classic-reset", CLASSIC(14), {"stats reset\r\n"}},
};

/* One request to its end; what was delivered is the corpus's to say. */
static bool run_request(struct live_conn *c, struct wb_view text, unsigned shape)
{
    static uint8_t space[65536];
    struct live_request request = {.bytes = text,
                                   .shape = shapes_at(shape)->shape,
                                   .space = space,
                                   .space_size = sizeof space};
    struct wb_reply_event event = {0};
    enum wb_err e = live_start(c, &request);
    while (e == WB_OK && event.kind != WB_REPLY_EVENT_END)
        e = live_next(c, &event);
    return e == WB_OK && event.status == WB_OK;
}

static bool open_conn(const struct live_server *s, FILE *out, struct live_conn *c)
{
    struct wb_reply_profile profile = wb_reply_profile_default();
    profile.wait_timeout_ns = UINT64_C(10000000000);
    return live_open(c, &s->address, profile, wb_mem_libc(), out) == WB_OK;
}

/* What the batches read: k000 to k039, and a and b. */
static bool prepare(const struct live_server *s)
{
    struct live_conn c;
    struct wb_buf text;
    char key[8];
    if (!open_conn(s, NULL, &c))
        return false;
    wb_buf_init(&text, wb_mem_libc(), SIZE_MAX);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(key, sizeof key, "k%03u", i);
        if (i % 8 != 5)
            live_say_store(&text, key, i * 3 % 40, LIVE_LINES, "q");
    }
    live_say(&text, "ms a 1 q\r\n1\r\nms b 2 q\r\nhi\r\nmn\r\n");
    bool ok = run_request(&c, wb_buf_view(&text), 5);
    wb_buf_fini(&text);
    live_close(&c);
    return ok;
}

static bool run_session(const struct live_server *s, const struct session *session,
                        const char *folder)
{
    char path[PATH_SIZE];
    struct live_conn c;
    int n = snprintf(path, sizeof path, "%s/live-%s", folder, session->name);
    FILE *out = n > 0 && (size_t)n < sizeof path ? fopen(path, "wb") : NULL;
    if (!out) {
        perror(folder);
        return false;
    }
    bool is_open = open_conn(s, out, &c), ok = is_open;
    /* the last request may end the connection */
    for (size_t i = 0; is_open && i < REQUESTS_MAX && session->requests[i]; i++)
        ok = ok && (run_request(&c, wb_view_text(session->requests[i]), session->shape) ||
                    i + 1 == REQUESTS_MAX || !session->requests[i + 1]);
    if (is_open)
        live_close(&c);
    ok = !ferror(out) && ok;
    ok = fclose(out) == 0 && ok;
    fprintf(ok ? stdout : stderr, "%s  reply_%s, config %02x%s\n", path,
            session->shape < SHAPES_CLASSIC ? "wire" : "classic",
            SESSION | session->shape % SHAPES_CLASSIC, ok ? "" : ": could not be run to its end");
    return ok;
}

bool capture_all(const char *folder)
{
    static const struct live_server_options options;
    struct live_server server = {0};
    if (!live_server_start(&server, &options))
        return false;
    bool ok = prepare(&server);
    for (size_t i = 0; ok && i < sizeof sessions / sizeof *sessions; i++)
        ok = run_session(&server, &sessions[i], folder);
    live_server_stop(&server);
    return ok;
}
