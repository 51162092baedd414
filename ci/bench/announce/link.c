#include "ci/bench/announce/bench.h"

#include <stdio.h>
#include <string.h>

#define OUT_MAX ((size_t)64 << 20)

void link_open(struct link *l, enum wb_moq_version version, struct wb_router *from,
               uint64_t from_node, struct wb_router *to, uint64_t to_node)
{
    const struct wb_neighbour_config near = {.peer = to_node, .kind = WB_LINK_PEER, .cost = 1},
                                     far = {.peer = from_node, .kind = WB_LINK_PEER, .cost = 1};
    const struct wb_announce_sub_config config = {.version = version, .self = to_node};

    *l = (struct link){.version = version, .to = to};
    wb_buf_init(&l->out, counter_mem(), OUT_MAX);
    figure_must(wb_router_join(from, &near, &l->near) == WB_OK, "a neighbour cannot join");
    figure_must(wb_answer_open(from, l->near, version, (struct wb_view){0}, false, true,
                               &l->answer) == WB_OK,
                "an answer cannot open");
    figure_must(wb_announce_sub_new(counter_mem(), &config, &l->sub) == WB_OK, "no subscriber");
    if (to != NULL)
        figure_must(wb_router_join(to, &far, &l->far) == WB_OK, "a neighbour cannot join");
}

void link_close(struct link *l, struct wb_router *from)
{
    wb_router_leave(from, l->near);
    if (l->to != NULL)
        wb_router_leave(l->to, l->far);
    wb_announce_sub_free(l->sub);
    wb_buf_fini(&l->out);
}

void link_encode(struct link *l)
{
    figure_must(wb_answer_flush(l->answer, &l->out) == WB_OK, "a flush fails");
}

/* As a transport does it: packets are copied into a receive buffer, and messages span them. */
void link_decode(struct link *l)
{
    struct wb_view left = wb_buf_view(&l->out);
    struct wb_announce_event e;
    uint8_t packet[LINK_PACKET];

    if (control_is_writing)
        control_sent(left.len);
    while (left.len > 0) {
        size_t n = left.len < LINK_PACKET ? left.len : LINK_PACKET;
        struct wb_view in = {packet, n};

        memcpy(packet, left.data, n);
        left = wb_view_sub(left, n, left.len);
        for (;;) {
            enum wb_err err = wb_announce_sub_next(l->sub, &in, &e);
            if (err == WB_MORE)
                break;
            figure_must(err == WB_OK, wb_err_name((int)err));
            l->events++;
            if (l->to != NULL)
                figure_must(wb_router_hear(l->to, l->far, &e) == WB_OK, "an event is not heard");
        }
    }
    wb_buf_truncate(&l->out, 0);
}

void link_carry(struct link *l)
{
    link_encode(l);
    link_decode(l);
}

struct wb_slice link_path(unsigned i)
{
    struct wb_slice path;
    char text[40];
    int len = snprintf(text, sizeof(text), "room/%04x/private/camera-%u", i / 4, i % 4);

    figure_must(wb_slice_copy(counter_mem(), wb_view_of(text, (size_t)len), &path) == WB_OK,
                "no memory");
    return path;
}

void link_publish(struct wb_router *r, unsigned i)
{
    const struct wb_offer offer = {.cost = 1};
    struct wb_slice path = link_path(i);

    figure_must(wb_router_publish(r, &path, false, &offer) == WB_OK, "no memory");
    wb_slice_drop(&path);
}

void link_withdraw(struct wb_router *r, unsigned i)
{
    struct wb_slice path = link_path(i);

    wb_router_withdraw(r, path.view, false);
    wb_slice_drop(&path);
}
