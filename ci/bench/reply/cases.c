#include "ci/bench/reply/bench.h"

#include <string.h>

const struct bench_case cases_all[BENCH_CASES + 2] = {
    {"get-1KB", 1, 1024},    {"get-512KB", 1, 524288}, {"40x100B", 40, 100},
    {"400x100B", 400, 100},  {"40x1KB", 40, 1024},     {"40x4KB", 40, 4096},
    {"40x12KB", 40, 12288},  {"20x64KB", 20, 65536},   {"get-700KB", 1, 716800},
    {"get-2MB", 1, 2097152},
};

const char *cases_kind_name(enum bench_kind kind)
{
    return kind == BENCH_META ? "meta" : "classic";
}

const char *cases_values_name(enum wb_reply_values values)
{
    static const char *const names[] = {"view", "copy", "direct"};
    return names[values];
}

static void name_key(char key[BENCH_KEY_SIZE], size_t size, uint32_t i)
{
    snprintf(key, BENCH_KEY_SIZE, "wirebed:%zu:%03u", size % 10000000, (unsigned)(i % 1000));
}

static void init(struct bench_work *w, const char *name, uint32_t count, enum bench_kind kind)
{
    *w = (struct bench_work){.name = name, .kind = kind, .count = count};
    wb_buf_init(&w->request, wb_mem_libc(), SIZE_MAX);
    wb_buf_init(&w->reply, wb_mem_libc(), SIZE_MAX);
}

static void say_value(struct wb_buf *out, const char *key, size_t size)
{
    figure_must(wb_buf_reserve(out, size + 2) == WB_OK, "no memory for a reply");
    live_fill(out->data + out->len, size, LIVE_BYTES, key);
    out->len += size;
    live_say(out, "\r\n");
}

static void say_meta(struct bench_work *w)
{
    bool batch = w->count > 1;
    for (uint32_t i = 0; i < w->count; i++) {
        live_say(&w->request, batch ? "mg %s v k q\r\n" : "mg %s v\r\n", w->keys[i]);
        live_say(&w->reply, batch ? "VA %zu k%s\r\n" : "VA %zu\r\n", w->sizes[i], w->keys[i]);
        say_value(&w->reply, w->keys[i], w->sizes[i]);
    }
    if (batch) {
        live_say(&w->request, "mn\r\n");
        live_say(&w->reply, "MN\r\n");
    }
    w->live.shape =
        (struct wb_reply_shape){.codes = WB_REPLY_CODES_MG, .count = w->count, .until_mn = batch};
}

static void say_classic(struct bench_work *w)
{
    live_say(&w->request, "get");
    for (uint32_t i = 0; i < w->count; i++) {
        live_say(&w->request, " %s", w->keys[i]);
        live_say(&w->reply, "VALUE %s 0 %zu\r\n", w->keys[i], w->sizes[i]);
        say_value(&w->reply, w->keys[i], w->sizes[i]);
    }
    live_say(&w->request, "\r\n");
    live_say(&w->reply, "END\r\n");
    w->live.shape =
        (struct wb_reply_shape){.codes = WB_REPLY_CODES_GET, .count = w->count, .until_end = true};
}

/* A meta get does not ask for its key back; everything else has its keys checked by the reader. */
static void finish(struct bench_work *w)
{
    static uint8_t space[BENCH_SPACE_MAX];
    for (uint32_t i = 0; i < w->count; i++)
        w->views[i] = wb_view_text(w->keys[i]);
    if (w->kind == BENCH_META)
        say_meta(w);
    else
        say_classic(w);
    if (w->count > 1 || w->kind == BENCH_CLASSIC) {
        w->live.shape.keys = w->views;
        w->live.shape.keys_count = w->count;
    }
    w->live.bytes = wb_buf_view(&w->request);
    w->live.space = space;
    w->live.space_size = sizeof space;
}

void cases_prepare(struct bench_work *w, const struct bench_case *from, enum bench_kind kind)
{
    init(w, from->name, from->count, kind);
    for (uint32_t i = 0; i < from->count; i++) {
        w->sizes[i] = from->size;
        name_key(w->keys[i], from->size, i);
    }
    finish(w);
}

void cases_prepare_pages(struct bench_work *w, const char *name, uint32_t count, size_t each,
                         int shift)
{
    init(w, name, count, BENCH_META);
    for (uint32_t i = 0; i < count; i++) {
        char line[64];
        name_key(w->keys[i], each, i);
        int n = snprintf(line, sizeof line, "VA %zu k%s\r\n", each, w->keys[i]);
        w->sizes[i] = (size_t)((int)each - n - 2 + (i == 0 ? shift : 0));
    }
    finish(w);
}

void cases_done(struct bench_work *w)
{
    wb_buf_fini(&w->request);
    wb_buf_fini(&w->reply);
}

void cases_store(const struct live_address *at, const struct bench_case *from)
{
    static uint8_t space[64];
    struct ours o;
    ours_open(&o, &live_poll_driver, at, WB_REPLY_VIEW, wb_mem_libc());
    for (uint32_t i = 0; i < from->count; i++) {
        char key[BENCH_KEY_SIZE];
        struct wb_reply_event event = {0};
        struct wb_buf words;
        wb_buf_init(&words, wb_mem_libc(), SIZE_MAX);
        name_key(key, from->size, i);
        live_say_store(&words, key, from->size, LIVE_BYTES, "");
        struct live_request store = {.bytes = wb_buf_view(&words),
                                     .shape = live_one(WB_REPLY_CODES_MS),
                                     .space = space,
                                     .space_size = sizeof space};
        figure_must(live_start(&o.conn, &store) == WB_OK && live_next(&o.conn, &event) == WB_OK &&
                        event.code == WB_REPLY_HD,
                    "a value could not be stored");
        figure_must(live_next(&o.conn, &event) == WB_OK && event.status == WB_OK,
                    "a store did not end well");
        wb_buf_fini(&words);
    }
    ours_close(&o);
}
