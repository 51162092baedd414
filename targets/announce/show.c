/*
 * show.c: what a person who reads a trace wants besides its lines. Printed while somebody looks and
 * at no other time; never in the hash.
 */
#include "targets/announce/ann.h"

#include <stdarg.h>
#include <stdio.h>

static void show(const struct sim_run *run, uint64_t serial, const char *format, va_list args)
{
    FILE *out = run->trace.live;

    if (out == NULL)
        return;
    fprintf(out, "%6llu.%03u ms  ", (unsigned long long)(serial / 1000000),
            (unsigned)(serial / 1000 % 1000));
    vfprintf(out, format, args);
    fputc('\n', out);
}

void ann_show(const struct ann *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    show(w->run, w->serial, format, args);
    va_end(args);
}

void ann_show_line(const struct sim_run *run, uint64_t serial, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    show(run, serial, format, args);
    va_end(args);
}

const char *ann_kind_name(enum wb_announce_kind kind)
{
    static const char *const names[] = {"OK",      "START",       "END",          "UPDATE",
                                        "RESTART", "ROUTE_START", "ROUTE_UPDATE", "ROUTE_END",
                                        "FLOOR",   "CLOSED"};
    return names[kind];
}

static void put_event(const struct wb_announce_event *e, char *out, size_t size)
{
    const char *kind = ann_kind_name(e->kind);
    char hop[64] = "";

    if (e->hops != NULL) {
        size_t at = (size_t)snprintf(hop, sizeof hop, " by");

        for (unsigned i = 0; i < e->hops->count && at + 24 < sizeof hop; i++)
            at += (size_t)snprintf(hop + at, sizeof hop - at, " %llu",
                                   (unsigned long long)e->hops->id[i]);
    }
    switch (e->kind) {
    case WB_ANNOUNCE_START:
    case WB_ANNOUNCE_UPDATE:
    case WB_ANNOUNCE_RESTART:
        snprintf(out, size, "%s %llu /%.*s node %llu cost %llu%s%s", kind,
                 (unsigned long long)e->id, (int)e->path.len,
                 e->path.len > 0 ? (const char *)e->path.data : "", (unsigned long long)e->node,
                 (unsigned long long)e->warm, hop, e->epoch.some ? " epoch" : "");
        break;
    case WB_ANNOUNCE_END:
        snprintf(out, size, "%s %llu /%.*s node %llu", kind, (unsigned long long)e->id,
                 (int)e->path.len, e->path.len > 0 ? (const char *)e->path.data : "",
                 (unsigned long long)e->node);
        break;
    case WB_ANNOUNCE_ROUTE_START:
    case WB_ANNOUNCE_ROUTE_UPDATE:
        snprintf(out, size, "%s %llu node %llu seqno %llu metric %llu%s", kind,
                 (unsigned long long)e->route, (unsigned long long)e->node,
                 (unsigned long long)e->seqno, (unsigned long long)e->metric,
                 e->flags != 0 ? " down-only" : "");
        break;
    case WB_ANNOUNCE_ROUTE_END:
        snprintf(out, size, "%s %llu node %llu", kind, (unsigned long long)e->route,
                 (unsigned long long)e->node);
        break;
    case WB_ANNOUNCE_FLOOR:
        snprintf(out, size, "%s %llu of node %llu", kind, (unsigned long long)e->revision,
                 (unsigned long long)e->node);
        break;
    case WB_ANNOUNCE_OK:
    case WB_ANNOUNCE_CLOSED:
        snprintf(out, size, "%s", kind);
        break;
    }
}

void ann_show_told(const struct sim_run *run, uint64_t serial, char side, uint8_t n,
                   const struct wb_announce_event *e)
{
    char text[160];

    if (run->trace.live == NULL)
        return;
    put_event(e, text, sizeof text);
    ann_show_line(run, serial, "%s%c%u %s", side == 'v' ? "shows    " : "hears    ", side,
                  (unsigned)n, text);
}

void ann_show_event(const struct ann *w, const char *what, char side, uint8_t n,
                    const struct wb_announce_event *e)
{
    char text[160];

    if (!ann_is_shown(w) && !w->run->story_on)
        return;
    put_event(e, text, sizeof text);
    if (side == 'a' || w->neighbours[n].version != WB_LITE_07)
        sim_run_story(w->run, "%s%c%u %s", w->run->story_len > 0 ? " | " : "", side, (unsigned)n,
                      text);
    ann_show(w, "%-8s %c%u %s", what, side, (unsigned)n, text);
}

uint8_t ann_relay_next(const struct wb_router *r, uint64_t origin,
                       struct wb_neighbour *const ways[3])
{
    struct wb_router_node node;

    for (uint64_t i = 0; wb_router_node_at(r, i, &node); i++)
        for (uint8_t to = 0; to < 3 && node.node == origin; to++)
            if (node.next_hop != NULL && node.next_hop == ways[to])
                return to;
    return REF_NONE;
}

void ann_put_relay(const struct wb_router *r, uint64_t origin, struct wb_neighbour *const ways[3],
                   char out[ANN_RELAY])
{
    static const char *const names[] = {"O", "A", "B"};
    struct wb_router_node node;
    struct wb_view path;
    size_t len = (size_t)snprintf(out, ANN_RELAY, "by nobody");
    bool held;

    for (uint64_t i = 0; wb_router_node_at(r, i, &node); i++)
        for (size_t from = 0; from < 3 && node.node == origin; from++)
            if (node.next_hop != NULL && node.next_hop == ways[from])
                len = (size_t)snprintf(out, ANN_RELAY, "by %s seqno %llu metric %llu floor %llu",
                                       names[from], (unsigned long long)node.seqno,
                                       (unsigned long long)node.metric,
                                       (unsigned long long)node.floor);
    for (uint64_t i = 0; len < ANN_RELAY && wb_router_live_at(r, 0, origin, i, &path, &held); i++)
        len += (size_t)snprintf(out + len, ANN_RELAY - len, " %s/%.*s", held ? "held:" : "",
                                (int)path.len, path.len > 0 ? (const char *)path.data : "");
}

/* Why a viewer may not see the claim, in the order of the specification's section 4. */
static const char *reason_of(const struct ann *w, uint8_t n, uint8_t scope, uint8_t k)
{
    const struct ref_neighbour *to = &w->model.neighbours[n];
    struct wb_route_state s = ref_router_state(&w->model, scope, k);

    if (to->peer == k + 1u)
        return "its own node";
    if (to->kind == WB_LINK_UPSTREAM && (s.from_upstream || (s.flags & WB_ROUTED_DOWN_ONLY) != 0))
        return "from upstream to upstream";
    return "mounted, not accepted";
}

static void show_withheld_of(struct ann *w, uint8_t n, uint8_t k)
{
    uint16_t shown = 0, withheld = 0, *last = &w->withheld[n][k];
    uint8_t scope = 0;

    while (scope < REF_SCOPES && !ref_router_told(&w->model, scope, k))
        scope++;
    if (scope < REF_SCOPES)
        ref_answer_split(&w->model, &w->model.answers[n], scope, k, &shown, &withheld);
    for (uint8_t p = 0; p < REF_PATHS; p++)
        if (((withheld ^ *last) >> p & 1) != 0)
            ann_show(w, "withheld a%u /%s of node %u%s%s", (unsigned)n, ann_paths[p], k + 1u,
                     (withheld >> p & 1) != 0 ? ": " : " no longer",
                     (withheld >> p & 1) != 0 ? reason_of(w, n, scope, k) : "");
    *last = withheld;
}

void ann_show_withheld(struct ann *w)
{
    for (uint8_t n = 0; n < ANN_NEIGHBOURS && ann_is_shown(w); n++)
        for (uint8_t k = 0; k < REF_NODES; k++)
            if (w->answers[n].on && w->model.answers[n].version == WB_LITE_07)
                show_withheld_of(w, n, k);
}
