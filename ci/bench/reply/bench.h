/*
 * bench.h: what the parts of `bench_reply` share. It measures core/reply over the drivers of
 * targets/live, beside libmemcached, against a scripted peer and a real server; how each figure is
 * taken: ci/bench/README.md.
 */
#ifndef BENCH_H
#define BENCH_H

#include "ci/bench/common/figure.h"
#include "core/base/buf.h"
#include "targets/live/drivers.h"
#include "targets/live/server.h"
#include "targets/live/talk.h"

#define BENCH_KEYS_MAX  400
#define BENCH_KEY_SIZE  24
#define BENCH_SPACE_MAX (2100u * 1024)
#define BENCH_CASES     8

/* ---- cases.c: what is asked for, and how it is answered ---- */

enum bench_kind { BENCH_META, BENCH_CLASSIC, BENCH_KINDS };

struct bench_case {
    const char *name;
    uint32_t count;
    size_t size;
};

/* The published ones, then a value of 700 KB and one of 2 MB. */
extern const struct bench_case cases_all[BENCH_CASES + 2];
#define CASES_700_KB (&cases_all[BENCH_CASES])
#define CASES_2_MB   (&cases_all[BENCH_CASES + 1])

/* Stays where it is: its views point into it. */
struct bench_work {
    const char *name;
    enum bench_kind kind;
    uint32_t count;
    size_t sizes[BENCH_KEYS_MAX];
    char keys[BENCH_KEYS_MAX][BENCH_KEY_SIZE];
    struct wb_view views[BENCH_KEYS_MAX];
    struct wb_buf request, reply;
    struct live_request live;
};

const char *cases_kind_name(enum bench_kind kind);
const char *cases_values_name(enum wb_reply_values values);
void cases_prepare(struct bench_work *w, const struct bench_case *from, enum bench_kind kind);
/*
 * A batch of `count` values that take `each` bytes of the reply, lines and ends included, but the
 * first, which takes `shift` more.
 */
void cases_prepare_pages(struct bench_work *w, const char *name, uint32_t count, size_t each,
                         int shift);
void cases_done(struct bench_work *w);
/* Gives the server the values of a case. */
void cases_store(const struct live_address *at, const struct bench_case *from);

/* ---- ours.c, theirs.c: the two clients ---- */

struct ours {
    struct live_conn conn;
    uint64_t units, bytes; /* that were delivered so far */
};

void ours_open(struct ours *o, const struct live_driver *driver, const struct live_address *at,
               enum wb_reply_values values, struct wb_mem *mem);
/* The same with reads of another size, once they have grown. */
void ours_open_reads(struct ours *o, const struct live_driver *driver,
                     const struct live_address *at, enum wb_reply_values values, size_t large,
                     struct wb_mem *mem);
void ours_close(struct ours *o);
/* One operation, each byte of its answer held against what it must be. */
void ours_check(struct ours *o, const struct bench_work *w);
/* The same work without looking at the bytes. */
void ours_run(struct ours *o, const struct bench_work *w, unsigned ops);
/* What the driver counted itself. */
uint64_t ours_calls(const struct ours *o);

/*
 * bare.c, beside them: the least that a get of one value takes, by calls of libc and no more than a
 * look at the line and the value's end; the sum of the values. The scripted peer is at the other
 * end.
 */
uint64_t bare_run(int fd, const struct bench_work *w, unsigned ops);

bool theirs_present(void);
void theirs_open(const struct live_address *at);
void theirs_close(void);
void theirs_check(const struct bench_work *w);
void theirs_run(const struct bench_work *w, unsigned ops);
/* Blocks that libmemcached has asked for so far. */
uint64_t theirs_takes(void);

/* ---- peer.c: a server in this process that answers in writes of a given size ---- */

/*
 * The reply goes out in writes that come apart: the next one once the client has read all before
 * and waits. The driver is `inner` with such a peer at the other end.
 */
const struct live_driver *peer_listen(const struct live_driver *inner, struct live_address *at);
void peer_script(struct wb_view reply, size_t write_size);
void peer_feed(void);
void peer_stop(void);

#define PEER_WRITE (2 * (size_t)WB_REPLY_LARGE) /* what any unix socket takes at once */

/* ---- counter.c ---- */

/* What a client calls the kernel for; the total has whatever else it calls, too. */
enum { COUNTER_ALL, COUNTER_RECV, COUNTER_POLL, COUNTER_SEND, COUNTER_KINDS };

struct counter_calls {
    uint64_t of[COUNTER_KINDS];
};

/*
 * System calls of this process alone, counted by the watcher in the kernel (oracles/watch), which
 * costs the process none. False with the reason when it cannot be had.
 */
bool counter_open(const char **out_why);
void counter_close(void);
/* Once before and once after what is counted; the second tells. */
void counter_start(void);
struct counter_calls counter_stop(void);
/* Whether they tell; else drivers count themselves. */
bool counter_is_open(void);
/* What is not the client's. */
void counter_pause(void);
void counter_resume(void);

uint64_t counter_cpu_ns(void);
uint64_t counter_faults(void);

/* ---- company.c: who else runs decides how the writes of a real server merge ---- */

#define COMPANY_MAX 5.0 /* %, up to which a machine is quiet */

void company_begin(const struct live_server *server);
/*
 * Of the time since then, how much this process and the server together stood ready while others
 * had the processors: 0 to 4 % on a quiet machine, 30 % and more beside one busy process.
 */
double company_share(void);
void company_say_load(void);

/* ---- the parts ---- */

/*
 * System calls of all `ops` operations: by the kernel, or where that is closed, their number alone
 * by the driver.
 */
struct counter_calls scripted_calls(struct ours *o, const struct bench_work *w, unsigned ops);

/* Counts: system calls, allocations, page faults, memory that is kept. */
void scripted_counts(void);
void real_counts(void);
/* CPU time side by side. */
void real_times(void);
/* Page faults of values in blocks of their own, beside those of one space for all. */
void faults_counts(void);
/* Under callgrind, which writes a file for each figure. */
void scripted_instructions(void);
void scripted_few_instructions(void); /* meta and views alone, for builds side by side */
void real_instructions(void);

#endif
