/*
 * trace_mesh.h: the router of announces and its neighbours as they stand after the last op: who
 * told it what, and what each viewer was shown or not. The cards serve trace_chain.c too.
 */
#ifndef BED_TRACE_MESH_H
#define BED_TRACE_MESH_H

#include "targets/bed/trace_picture.h"

#define MESH_ITEMS 14
#define MESH_TEXT  80
#define MESH_CARD  204 /* width */

enum mesh_kind { MESH_CLAIM, MESH_ROUTE, MESH_FLOOR, MESH_WITHHELD };

struct mesh_item {
    enum mesh_kind kind;
    unsigned long long id; /* of the claim or route; the node of a floor */
    bool is_over;
    char text[MESH_TEXT], reason[MESH_TEXT];
};

/* Somebody who tells or sees. */
struct mesh_card {
    bool is_on, is_lost;
    char head[MESH_TEXT], about[MESH_TEXT];
    struct mesh_item items[MESH_ITEMS];
    size_t count;
    int x, height;
};

/* A new item, in the place of the oldest that is over when the card is full. */
struct mesh_item *trace_mesh_take(struct mesh_card *c, enum mesh_kind kind, unsigned long long id);
void trace_mesh_end(struct mesh_card *c, enum mesh_kind kind, unsigned long long id);
/* "START 0 /a node 6 cost 0", "ROUTE_END 0 node 6", "FLOOR 2 of node 6", ... */
void trace_mesh_tell(struct mesh_card *c, const char *line);
/* Sets the height; then the card is drawn at its x and a y. */
void trace_mesh_measure(struct mesh_card *c);
void trace_mesh_put_card(const struct mesh_card *c, int y, struct wb_buf *out);

void trace_mesh_put(const struct trace_run *run, struct wb_buf *out);
/* Items of a list: how to read it. */
void trace_mesh_legend(struct wb_buf *out);
void trace_mesh_style(struct wb_buf *out);

#endif
