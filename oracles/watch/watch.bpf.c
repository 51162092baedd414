/*
 * watch.bpf.c: the kernel's side. System calls are counted by number for the watched processes;
 * those between marks, and probes, are also told one by one. What is counted is never lost; what
 * is told may be, and is then counted as lost.
 */
#include "oracles/watch/event.h"

#include <stdbool.h>

#include <asm/ptrace.h>
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>

/* Only what is read; where it lies is settled when the program is loaded. */
struct signal_struct {
    struct {
        int counter;
    } live;
} __attribute__((preserve_access_index));

struct task_struct {
    int pid, tgid, exit_code;
    struct signal_struct *signal;
} __attribute__((preserve_access_index));

struct operation {
    uint64_t number, calls;
};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 8192);
    __type(key, uint32_t);
    __type(value, struct watch_process);
} processes SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 16384);
    __type(key, struct watch_key);
    __type(value, struct operation);
} operations SEC(".maps");

/* The operation that each thread is at; it may be over. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 16384);
    __type(key, uint64_t);
    __type(value, struct watch_key);
} threads SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 24);
} events SEC(".maps");

/* Set before loading: the first process, as its own pid namespace knows it. */
const volatile uint64_t root_dev, root_ino;
const volatile uint32_t root_pid, root_waits_for_exec, root_is_alone;

uint64_t calls[WATCH_CALLS_MAX], calls_inside[WATCH_CALLS_MAX];
uint64_t begun, ended, changes, lost, alive;
uint32_t root_found;

#define ADD(counter, n) __sync_fetch_and_add(&(counter), n)

/* ---- which processes ---- */

static struct watch_process *first_seen(uint32_t process)
{
    struct watch_process fresh = {.is_counted = !root_waits_for_exec};
    struct bpf_pidns_info as;

    if (root_found || bpf_get_ns_current_pid_tgid(root_dev, root_ino, &as, sizeof as) != 0 ||
        as.tgid != root_pid)
        return 0;
    root_found = 1;
    if (bpf_map_update_elem(&processes, &process, &fresh, BPF_NOEXIST) != 0)
        return 0;
    ADD(alive, 1);
    return bpf_map_lookup_elem(&processes, &process);
}

/* The current process, if it is watched. */
static struct watch_process *current(void)
{
    uint32_t process = (uint32_t)(bpf_get_current_pid_tgid() >> 32);
    struct watch_process *p = bpf_map_lookup_elem(&processes, &process);

    return p ? p : first_seen(process);
}

static struct watch_process *counted(void)
{
    struct watch_process *p = current();

    return p && p->is_counted ? p : 0;
}

/* ---- telling ---- */

static void tell(const struct watch_process *p, enum watch_kind kind, uint64_t operation,
                 const uint64_t a[4])
{
    uint64_t id = bpf_get_current_pid_tgid();
    struct watch_event *e = bpf_ringbuf_reserve(&events, sizeof *e, 0);

    if (!e) {
        ADD(lost, 1);
        return;
    }
    e->operation = operation;
    e->lost = lost;
    e->a[0] = a[0];
    e->a[1] = a[1];
    e->a[2] = a[2];
    e->a[3] = a[3];
    e->process = (uint32_t)(id >> 32);
    e->thread = (uint32_t)id;
    e->kind = kind;
    e->from_start = p->from_start;
    bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

static struct watch_key key_of(uint64_t object)
{
    struct watch_key key = {.object = object,
                            .process = (uint32_t)(bpf_get_current_pid_tgid() >> 32)};
    return key;
}

/* The operation of that object, if one is open; the thread is at it now. */
static struct operation *operation_of(struct watch_key *key)
{
    uint64_t id = bpf_get_current_pid_tgid();
    struct operation *o = bpf_map_lookup_elem(&operations, key);

    if (o && bpf_map_update_elem(&threads, &id, key, BPF_ANY) != 0)
        ADD(lost, 1);
    return o;
}

/* The one that the thread is at, and its object. */
static struct operation *operation_here(uint64_t *out_object)
{
    uint64_t id = bpf_get_current_pid_tgid();
    struct watch_key *key = bpf_map_lookup_elem(&threads, &id);

    *out_object = key ? key->object : 0;
    return key ? bpf_map_lookup_elem(&operations, key) : 0;
}

static int begin(enum watch_kind kind, uint64_t object, uint64_t a1, uint64_t a2)
{
    struct watch_process *p = counted();
    if (!p)
        return 0;
    struct watch_key key = key_of(object);
    struct operation fresh = {.number = ADD(begun, 1) + 1};
    uint64_t a[4] = {object, a1, a2, 0};

    if (bpf_map_update_elem(&operations, &key, &fresh, BPF_ANY) != 0)
        ADD(lost, 1);
    operation_of(&key);
    tell(p, kind, fresh.number, a);
    return 0;
}

static int go_on(enum watch_kind kind, uint64_t object, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct watch_process *p = counted();
    if (!p)
        return 0;
    struct watch_key key = key_of(object);
    struct operation *o = operation_of(&key);
    uint64_t a[4] = {object, a1, a2, a3};

    tell(p, kind, o ? o->number : 0, a);
    return 0;
}

static int end(enum watch_kind kind, uint64_t object, uint64_t a1, uint64_t a2)
{
    struct watch_process *p = counted();
    if (!p)
        return 0;
    struct watch_key key = key_of(object);
    struct operation *o = operation_of(&key);
    if (!o)
        return 0;
    uint64_t a[4] = {object, a1, a2, o->calls}, number = o->number;

    bpf_map_delete_elem(&operations, &key);
    ADD(ended, 1);
    tell(p, kind, number, a);
    return 0;
}

/* ---- system calls ---- */

/* How the kernel itself answers a fast probe, on x86-64: nobody's own call. */
static int is_of_probes(uint64_t nr)
{
#ifdef __TARGET_ARCH_x86
    return nr == 335 || nr == 336;
#else
    return 0;
#endif
}

SEC("raw_tp/sys_enter")
int watch_enter(struct bpf_raw_tracepoint_args *at)
{
    struct watch_process *p = counted();
    uint64_t nr = at->args[1];
    if (!p || is_of_probes(nr))
        return 0;
    if (nr >= WATCH_CALLS_MAX)
        nr = WATCH_CALLS_MAX - 1;
    ADD(calls[nr], 1);
    uint64_t object;
    struct operation *o = operation_here(&object);
    if (!o)
        return 0;
    uint64_t a[4] = {object, nr, 0, 0};
    ADD(calls_inside[nr], 1);
    ADD(o->calls, 1);
    tell(p, WATCH_CALL, o->number, a);
    return 0;
}

/* ---- probes ---- */

SEC("usdt")
int BPF_USDT(watch_request, uint64_t conn, uint64_t number, uint64_t flags)
{
    return begin(WATCH_REQUEST, conn, number, flags);
}

SEC("usdt")
int BPF_USDT(watch_read, uint64_t conn, uint64_t n, uint64_t asked, uint64_t pending)
{
    return go_on(WATCH_READ, conn, n, asked, pending);
}

SEC("usdt")
int BPF_USDT(watch_wait, uint64_t conn, uint64_t mask, uint64_t ready)
{
    return go_on(WATCH_WAIT, conn, mask, ready, 0);
}

SEC("usdt")
int BPF_USDT(watch_reply, uint64_t conn, uint64_t status, uint64_t pending)
{
    return end(WATCH_REPLY, conn, status, pending);
}

SEC("usdt")
int BPF_USDT(watch_run, uint64_t target)
{
    return begin(WATCH_RUN, target, 0, 0);
}

SEC("usdt")
int BPF_USDT(watch_ran, uint64_t target)
{
    return end(WATCH_RAN, target, 0, 0);
}

SEC("usdt")
int BPF_USDT(watch_route, uint64_t route)
{
    struct watch_process *p = counted();
    uint64_t a[4] = {route, 0, 0, 0};

    if (p)
        tell(p, WATCH_ROUTE, 0, a);
    return 0;
}

/* An operation of its own, unless it is part of one. */
SEC("usdt")
int BPF_USDT(watch_view, uint64_t route, uint64_t was, uint64_t is, uint64_t withheld)
{
    struct watch_process *p = counted();
    if (!p)
        return 0;
    uint64_t object;
    struct operation *o = operation_here(&object);
    uint64_t a[4] = {route, was, is, withheld};

    ADD(changes, 1);
    if (!o)
        ADD(ended, 1);
    tell(p, WATCH_VIEW, o ? o->number : ADD(begun, 1) + 1, a);
    return 0;
}

SEC("usdt")
int BPF_USDT(watch_segment_new)
{
    struct watch_process *p = counted();

    if (p)
        ADD(p->created, 1);
    return 0;
}

SEC("usdt")
int BPF_USDT(watch_segment_free)
{
    struct watch_process *p = counted();

    if (p)
        ADD(p->freed, 1);
    return 0;
}

/* ---- processes come and go ---- */

/* What the thread is at will not end any more. */
static void give_up(uint64_t id)
{
    struct watch_key *at = bpf_map_lookup_elem(&threads, &id);

    if (at)
        bpf_map_delete_elem(&operations, at);
    bpf_map_delete_elem(&threads, &id);
}

/* A child has its parent's memory, and with it the segments that live there. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(watch_fork, struct task_struct *parent, struct task_struct *child)
{
    struct watch_process *p = current();
    uint32_t process = (uint32_t)child->tgid;
    if (!p || root_is_alone || child->tgid == parent->tgid)
        return 0;
    uint64_t live = p->created - p->freed, a[4] = {process, 0, 0, 0};
    struct watch_process fresh = {.created = live,
                                  .inherited = live,
                                  .is_counted = p->is_counted,
                                  .from_start = p->from_start};

    if (bpf_map_update_elem(&processes, &process, &fresh, BPF_ANY) != 0) {
        ADD(lost, 1);
        return 0;
    }
    ADD(alive, 1);
    tell(p, WATCH_FORK, 0, a);
    return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(watch_exec)
{
    uint64_t id = bpf_get_current_pid_tgid(), a[4] = {0};
    struct watch_process *p = current();
    if (!p)
        return 0;
    p->created = p->freed = p->inherited = 0;
    p->is_counted = 1;
    p->from_start = 1;
    give_up(id);
    tell(p, WATCH_EXEC, 0, a);
    return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(watch_exit, struct task_struct *task)
{
    uint64_t id = bpf_get_current_pid_tgid();
    uint32_t process = (uint32_t)(id >> 32);
    struct watch_process *p = current();
    if (!p)
        return 0;
    if (BPF_CORE_READ(task, signal, live.counter) > 0) {
        bpf_map_delete_elem(&threads, &id);
        return 0;
    }
    give_up(id);
    uint64_t a[4] = {p->created, p->freed, p->inherited, (uint64_t)(uint32_t)task->exit_code};

    tell(p, WATCH_EXIT, 0, a);
    bpf_map_delete_elem(&processes, &process);
    ADD(alive, -1);
    return 0;
}

char watch_licence[] SEC("license") = "Dual BSD/GPL";
