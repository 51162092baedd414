#include "ci/bench/reply/bench.h"

#ifdef BENCH_HAS_LIBMEMCACHED

#include <libmemcached/memcached.h>
#include <stdlib.h>

static memcached_st *client;
static memcached_result_st result;
static uint64_t takes;

static void *counted_malloc(const memcached_st *m, const size_t size, void *context)
{
    (void)m;
    (void)context;
    takes++;
    return malloc(size);
}

static void *counted_realloc(const memcached_st *m, void *block, const size_t size, void *context)
{
    (void)m;
    (void)context;
    takes++;
    return realloc(block, size);
}

static void *counted_calloc(const memcached_st *m, size_t count, const size_t size, void *context)
{
    (void)m;
    (void)context;
    takes++;
    return calloc(count, size);
}

static void counted_free(const memcached_st *m, void *block, void *context)
{
    (void)m;
    (void)context;
    free(block);
}

bool theirs_present(void)
{
    return true;
}

uint64_t theirs_takes(void)
{
    return takes;
}

void theirs_open(const struct live_address *at)
{
    client = memcached_create(NULL);
    figure_must(client != NULL, "libmemcached has no memory");
    memcached_set_memory_allocators(client, counted_malloc, counted_free, counted_realloc,
                                    counted_calloc, NULL);
    memcached_return_t r = at->path ? memcached_server_add_unix_socket(client, at->path)
                                    : memcached_server_add(client, "127.0.0.1", at->port);
    figure_must(r == MEMCACHED_SUCCESS, "libmemcached knows no server");
    memcached_behavior_set(client, MEMCACHED_BEHAVIOR_TCP_NODELAY, 1);
    memcached_behavior_set(client, MEMCACHED_BEHAVIOR_POLL_TIMEOUT, 20000);
    figure_must(memcached_result_create(client, &result) != NULL, "libmemcached has no memory");
}

void theirs_close(void)
{
    memcached_result_free(&result);
    memcached_free(client);
    client = NULL;
}

static void get_one(const struct bench_work *w, bool check)
{
    size_t len = 0;
    uint32_t flags = 0;
    memcached_return_t r = MEMCACHED_FAILURE;
    char *value = memcached_get(client, w->keys[0], w->views[0].len, &len, &flags, &r);
    figure_must(value != NULL && r == MEMCACHED_SUCCESS, "libmemcached got nothing");
    figure_must(!check || live_is(wb_view_of(value, len), w->sizes[0], LIVE_BYTES, w->keys[0]),
                "libmemcached got another value");
    counted_free(client, value, NULL);
}

static void get_many(const struct bench_work *w, const char *const *keys, const size_t *lens,
                     bool check)
{
    memcached_return_t r = memcached_mget(client, keys, lens, w->count);
    figure_must(r == MEMCACHED_SUCCESS, "libmemcached could not ask");
    uint32_t seen = 0;
    while (memcached_fetch_result(client, &result, &r)) {
        if (check) {
            struct wb_view value =
                wb_view_of(memcached_result_value(&result), memcached_result_length(&result));
            figure_must(live_is(value, w->sizes[seen], LIVE_BYTES, w->keys[seen]),
                        "libmemcached got another value");
        }
        seen++;
    }
    figure_must(seen == w->count, "libmemcached got fewer values");
}

static void run(const struct bench_work *w, unsigned ops, bool check)
{
    const char *keys[BENCH_KEYS_MAX];
    size_t lens[BENCH_KEYS_MAX];
    for (uint32_t i = 0; i < w->count; i++) {
        keys[i] = w->keys[i];
        lens[i] = w->views[i].len;
    }
    for (unsigned i = 0; i < ops; i++) {
        if (w->count == 1)
            get_one(w, check);
        else
            get_many(w, keys, lens, check);
    }
}

void theirs_check(const struct bench_work *w)
{
    run(w, 1, true);
}

__attribute__((noinline)) void theirs_run(const struct bench_work *w, unsigned ops)
{
    run(w, ops, false);
}

#else

bool theirs_present(void)
{
    return false;
}

uint64_t theirs_takes(void)
{
    return 0;
}

void theirs_open(const struct live_address *at)
{
    (void)at;
}

void theirs_close(void)
{
}

void theirs_check(const struct bench_work *w)
{
    (void)w;
}

void theirs_run(const struct bench_work *w, unsigned ops)
{
    (void)w;
    (void)ops;
}

#endif
