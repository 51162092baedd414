/*
 * view.c: answers. What a flush must write is the model's; what a subscriber sees of it is held
 * against that, event by event, and against its own history: ids, routes, ends.
 */
#include "targets/announce/ann.h"

#include <string.h>

static uint8_t streams[ANN_NEIGHBOURS][ANN_STREAM];
static struct ref_events queues[ANN_NEIGHBOURS];

bool ann_answer_open(struct ann *w, uint8_t n, enum wb_moq_version version, uint8_t prefix,
                     bool hidden, bool compress)
{
    struct ann_answer *a = &w->answers[n];
    struct wb_view under = wb_view_text(ann_paths[prefix]);
    struct wb_announce_sub_config config = {.version = version, .prefix = under, .hidden = true};
    unsigned tries = 0;
    enum wb_err err;

    if (a->on)
        return false;
    while ((err = wb_announce_sub_new(w->mem, &config, &a->sub)) != WB_OK)
        if (!ann_again(w, err, &tries))
            return false;
    while ((err = wb_answer_open(w->core, w->neighbours[n].core, version, under, hidden, compress,
                                 &a->core)) != WB_OK)
        if (!ann_again(w, err, &tries)) {
            wb_announce_sub_free(a->sub);
            a->sub = NULL;
            return false;
        }
    sim_stream_init(&a->stream, streams[n], ANN_STREAM);
    a->on = true;
    a->compress = compress;
    a->prefix = prefix;
    a->cut = 0;
    a->queue = &queues[n];
    a->queue->begin = a->queue->end = 0;
    a->heard = a->flushed = 0;
    a->claims = a->routes = 0;
    a->flushes = 0;
    memset(a->events, 0, sizeof a->events);
    memset(a->seen, 0, sizeof a->seen);
    if (version == WB_LITE_06)
        sim_mark(w->run, ANN_MARK_VIEW_06);
    ref_answer_open(&w->model, n, version, prefix, hidden);
    ann_show(w, "opened   a%u version %u prefix \"%s\"", (unsigned)n, (unsigned)version + 4,
             ann_paths[prefix]);
    return true;
}

static void forget(struct ann *w, uint8_t n)
{
    struct ann_answer *a = &w->answers[n];

    wb_announce_sub_free(a->sub);
    a->sub = NULL;
    a->core = NULL;
    a->on = false;
    ref_answer_close(&w->model, n);
}

bool ann_answer_close(struct ann *w, uint8_t n)
{
    struct ann_answer *a = &w->answers[n];

    if (!a->on)
        return false;
    if (a->core != NULL)
        wb_answer_close(a->core);
    forget(w, n);
    return true;
}

void ann_answers_lost(struct ann *w)
{
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
        if (w->answers[n].on && wb_answer_lost(w->answers[n].core)) {
            FUZZ_CHECK(ANN_047, w->run->alloc.refused > 0);
            sim_mark(w->run, ANN_MARK_LOST);
            ann_answer_close(w, n);
        }
}

/* ---- what a viewer sees ---- */

static bool chain_is(const struct ref_event *want, const struct wb_hops *hops)
{
    if (hops == NULL || hops->count != want->chain.count + 1u ||
        hops->id[hops->count - 1] != ANN_SELF)
        return false;
    for (uint8_t i = 0; i < want->chain.count; i++)
        if (hops->id[i] != want->chain.id[i])
            return false;
    return true;
}

static bool is_claim(enum wb_announce_kind kind)
{
    return kind == WB_ANNOUNCE_START || kind == WB_ANNOUNCE_END || kind == WB_ANNOUNCE_UPDATE ||
           kind == WB_ANNOUNCE_RESTART;
}

/* Ids and routes by what this viewer saw before, whoever is right about the rest; p: its path. */
static void see(struct ann *w, uint8_t n, const struct wb_announce_event *e, uint8_t p)
{
    struct ann_answer *a = &w->answers[n];
    bool routed = w->model.answers[n].version == WB_LITE_07;
    uint8_t k = routed ? (uint8_t)(e->node - 1) : 0;
    struct ann_seen *s = &a->seen[k % REF_NODES];
    uint16_t bit = (uint16_t)(1u << (p & 15));

    if (e->kind == WB_ANNOUNCE_OK)
        return;
    FUZZ_CHECK(ANN_033, k < REF_NODES && (!is_claim(e->kind) || p != REF_NONE));
    a->heard |= (uint8_t)(1u << k);
    FUZZ_CHECK(ANN_032, !is_claim(e->kind) || ++a->events[k][p] <= 2 * a->flushes);
    if (routed && e->kind == WB_ANNOUNCE_ROUTE_START) {
        FUZZ_CHECK(ANN_027, !s->on);
        *s = (struct ann_seen){.on = true, .id = e->route};
        a->routes++;
        return;
    }
    FUZZ_CHECK(ANN_028, !routed || (s->on && s->id == e->route));
    if (e->kind == WB_ANNOUNCE_ROUTE_END) {
        FUZZ_CHECK(ANN_026, s->claims == 0);
        s->on = false;
        a->routes--;
    } else if (e->kind == WB_ANNOUNCE_START) {
        FUZZ_CHECK(ANN_028, (s->claims & bit) == 0);
        s->claims |= bit;
        a->claims++;
        s->claim[p] = e->id;
    } else if (is_claim(e->kind)) {
        FUZZ_CHECK(ANN_028, (s->claims & bit) != 0 && s->claim[p] == e->id);
        if (e->kind == WB_ANNOUNCE_END) {
            s->claims &= (uint16_t)~bit;
            a->claims--;
        }
    } else if (e->kind == WB_ANNOUNCE_FLOOR) {
        s->floor = e->revision;
    }
}

static void mark_event(struct ann *w, const struct wb_announce_event *e)
{
    if (e->kind == WB_ANNOUNCE_FLOOR)
        sim_mark(w->run, e->revision > 0 ? ANN_MARK_FLOOR : ANN_MARK_FLOOR_ZERO);
    if (e->kind == WB_ANNOUNCE_RESTART)
        sim_mark(w->run, ANN_MARK_RESTART);
    if (e->kind == WB_ANNOUNCE_UPDATE)
        sim_mark(w->run, ANN_MARK_UPDATE);
    if (e->kind == WB_ANNOUNCE_ROUTE_END)
        sim_mark(w->run, ANN_MARK_ROUTE_END);
}

static void check_claim(const struct ref_event *want, const struct wb_announce_event *e, uint8_t p,
                        bool routed)
{
    FUZZ_CHECK(ANN_028, e->id == want->id);
    FUZZ_CHECK(ANN_031, p == want->path);
    FUZZ_CHECK(ANN_033, !routed || (e->node == want->node && e->route == want->route));
    FUZZ_CHECK(ANN_033, !routed || ann_epoch_number(&e->epoch) == want->epoch);
    if (e->kind == WB_ANNOUNCE_END)
        return;
    FUZZ_CHECK(ANN_038, routed || chain_is(want, e->hops));
    FUZZ_CHECK(ANN_033, e->warm == want->warm && (routed || e->cold == want->cold));
}

static void check_event(struct ann *w, uint8_t n, const struct wb_announce_event *e, uint8_t p)
{
    struct ref_events *queue = w->answers[n].queue;
    bool routed = w->model.answers[n].version == WB_LITE_07;
    const struct ref_event *want;

    do {
        FUZZ_CHECK(ANN_033, queue->begin < queue->end);
        want = &queue->at[queue->begin++ % REF_EVENTS];
    } while (want->optional &&
             (want->kind != e->kind || want->node != e->node || want->revision != e->revision));
    if (want->kind == WB_ANNOUNCE_ROUTE_START || want->kind == WB_ANNOUNCE_ROUTE_END)
        FUZZ_CHECK(ANN_027, e->kind == want->kind);
    if (want->kind == WB_ANNOUNCE_FLOOR && e->kind != WB_ANNOUNCE_FLOOR)
        FUZZ_CHECK(ANN_023, false);
    FUZZ_CHECK(ANN_031, e->kind == want->kind);
    FUZZ_CHECK(ANN_051, e->kind != WB_ANNOUNCE_OK || e->count == want->id);
    if (is_claim(e->kind)) {
        check_claim(want, e, p, routed);
        return;
    }
    FUZZ_CHECK(ANN_033, e->node == want->node);
    FUZZ_CHECK(ANN_028, e->route == want->route);
    if (e->kind == WB_ANNOUNCE_ROUTE_START || e->kind == WB_ANNOUNCE_ROUTE_UPDATE)
        FUZZ_CHECK(ANN_034,
                   e->seqno == want->seqno && e->metric == want->metric && e->flags == want->flags);
    if (e->kind == WB_ANNOUNCE_FLOOR)
        FUZZ_CHECK(ANN_023, e->revision == want->revision);
}

void ann_settled(struct ann *w, uint8_t n, uint8_t ids)
{
    const struct ref_answer *m = &w->model.answers[n];
    struct ann_answer *a = &w->answers[n];
    bool routed = m->version == WB_LITE_07;

    for (; a->queue->begin < a->queue->end; a->queue->begin++)
        FUZZ_CHECK(ANN_033, a->queue->at[a->queue->begin % REF_EVENTS].optional);
    for (uint16_t left = ids; left != 0;) {
        uint8_t k = ref_take(&left);
        const struct ref_sent *sent = &m->sent[k];
        uint64_t floor = 0;

        memset(a->events[k], 0, sizeof a->events[k]);
        FUZZ_CHECK(ANN_022, a->seen[k].claims == sent->shown);
        if (!routed)
            continue;
        FUZZ_CHECK(ANN_027, a->seen[k].on == sent->on && sent->on == (sent->shown != 0));
        if (sent->on)
            FUZZ_CHECK(ANN_023, wb_announce_sub_floor(a->sub, sent->id, &floor) &&
                                    floor == sent->floor && floor == a->seen[k].floor);
    }
    FUZZ_CHECK(ANN_022, wb_announce_sub_claims(a->sub) == a->claims);
    FUZZ_CHECK(ANN_022, !routed || wb_announce_sub_routes(a->sub) == a->routes);
    a->heard = 0;
    a->flushes = 0;
}

bool ann_deliver(struct ann *w, uint8_t n, size_t max)
{
    struct ann_answer *a = &w->answers[n];
    uint8_t bytes[1024];
    size_t len = 0, taken = 0, want = a->cut > 0 && a->cut < sizeof bytes ? a->cut : sizeof bytes;
    unsigned tries = 0;

    if (!a->on || (a->queue->begin == a->queue->end && a->stream.read == a->stream.written))
        return false;
    if (a->cut > 0)
        sim_mark(w->run, ANN_MARK_CUT);
    while (taken < max &&
           sim_stream_read(&a->stream, 0, bytes, want < max - taken ? want : max - taken, &len) ==
               SIM_IO_BYTES) {
        struct wb_view in = wb_view_of(bytes, len);

        taken += len;
        for (;;) {
            struct wb_announce_event e;
            uint8_t p;
            enum wb_err err = wb_announce_sub_next(a->sub, &in, &e);

            if (err == WB_MORE)
                break;
            if (err == WB_E_NOMEM && ann_again(w, err, &tries))
                continue;
            if (err == WB_E_NOMEM) {
                ann_answer_close(w, n);
                return true;
            }
            FUZZ_CHECK(ANN_028, err == WB_OK);
            sim_trace_add(&w->run->trace, w->serial, "saw a%u kind %u id %u node %u", n,
                          (uint64_t)e.kind, e.id, e.node);
            ann_show_event(w, "shows", 'a', n, &e);
            p = is_claim(e.kind) ? ann_path_number(e.path) : REF_NONE;
            see(w, n, &e, p);
            check_event(w, n, &e, p);
            mark_event(w, &e);
        }
    }
    if (a->stream.read == a->stream.written)
        ann_settled(w, n, a->heard);
    return true;
}

/* ---- flushes ---- */

/* Told routes bound what may be a next hop from here on. */
static void note_sent(struct ann *w, const struct ref_events *queue, size_t from)
{
    for (size_t i = from; i < queue->end; i++) {
        const struct ref_event *e = &queue->at[i % REF_EVENTS];
        struct ann_best *best;

        if (e->kind != WB_ANNOUNCE_ROUTE_START && e->kind != WB_ANNOUNCE_ROUTE_UPDATE)
            continue;
        best = &w->best[e->node - 1];
        if (e->node != 1 && (!best->some || e->seqno > best->seqno ||
                             (e->seqno == best->seqno && e->metric < best->metric)))
            *best = (struct ann_best){true, e->seqno, e->metric};
    }
}

/* ANNOUNCE_OK says how many claims its flush begins. */
static void count_starts(struct ref_events *queue, size_t from)
{
    struct ref_event *ok = &queue->at[from % REF_EVENTS];

    for (size_t i = from + 1; i < queue->end; i++)
        ok->id += queue->at[i % REF_EVENTS].kind == WB_ANNOUNCE_START;
}

static bool is_anything_due(const struct ref_events *queue, size_t from)
{
    for (size_t i = from; i < queue->end; i++)
        if (!queue->at[i % REF_EVENTS].optional)
            return true;
    return false;
}

/* What the flush that wrote `out` must have written, and what stands of it. */
static void check_flush(struct ann *w, uint8_t n)
{
    const struct ref_answer *model = &w->model.answers[n];
    struct ref_events *queue = w->answers[n].queue;
    size_t from = queue->end;
    uint8_t ids = model->version == WB_LITE_07 ? model->ids : 0;
    bool first = !model->opened;

    ref_answer_flush(&w->model, n, queue);
    WB_ASSERT(queue->end - from <= REF_EVENTS / 2);
    FUZZ_CHECK(ANN_048, w->out.len > 0 || !is_anything_due(queue, from));
    if (queue->end == from)
        sim_mark(w->run, ANN_MARK_NOTHING);
    if (first)
        count_starts(queue, from);
    ann_check_bases(w, n, from, first);
    note_sent(w, queue, from);
    ann_judge_floors(w, n, ids);
    w->answers[n].flushed |= ids;
}

bool ann_flush(struct ann *w, uint8_t n)
{
    struct ann_answer *a = &w->answers[n];
    unsigned tries = 0;
    bool was_dirty;
    enum wb_err err;

    if (!a->on)
        return false;
    /* Room for one flush more in both; else what is under way arrives first. */
    if (a->queue->end - a->queue->begin > REF_EVENTS / 2 ||
        ANN_STREAM - a->stream.written < 16384) {
        ann_deliver(w, n, SIZE_MAX);
        if (!a->on)
            return true;
        sim_stream_init(&a->stream, streams[n], ANN_STREAM);
    }
    was_dirty = wb_answer_dirty(a->core);
    wb_buf_truncate(&w->out, 0);
    while ((err = wb_answer_flush(a->core, &w->out)) != WB_OK) {
        FUZZ_CHECK(ANN_047, err == WB_E_NOMEM && w->out.len == 0);
        if (!ann_again(w, err, &tries)) {
            ann_answer_close(w, n);
            return true;
        }
    }
    FUZZ_CHECK(ANN_048, was_dirty == (w->out.len > 0));
    FUZZ_CHECK(ANN_048, !wb_answer_dirty(a->core));
    check_flush(w, n);
    if (w->out.len > 0) {
        enum sim_io io;

        a->flushes++;

        FUZZ_CHECK(ANN_033,
                   sim_stream_write(&a->stream, 0, wb_buf_view(&w->out), &io) == w->out.len);
        sim_trace_mix_bytes(&w->run->trace, wb_buf_view(&w->out));
        ann_show(w, "flush    a%u %zu bytes", (unsigned)n, w->out.len);
    }
    return true;
}
