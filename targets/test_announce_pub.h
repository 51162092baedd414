/*
 * test_announce_pub.h: what the tests of a sender of announces share.
 */
#ifndef TEST_ANNOUNCE_PUB_H
#define TEST_ANNOUNCE_PUB_H

#include "targets/test_announce.h"

#define PEER 3u
#define SELF 7u

/* A sender, its bytes of the last flush, and paths as slices. */
struct sender {
    struct wb_announce_pub *pub;
    struct wb_buf out;
};

static inline struct sender fresh(const struct wb_announce_pub_config *config)
{
    struct wb_announce_pub_config full = *config;
    struct sender s;

    full.self = SELF;
    assert_int_equal(wb_announce_pub_new(&alloc.mem, &full, &s.pub), WB_OK);
    wb_buf_init(&s.out, &alloc.mem, ROOM_MAX);
    return s;
}

static inline struct sender fresh_07(enum wb_link_kind link)
{
    return fresh(&(struct wb_announce_pub_config){
        .version = WB_LITE_07, .peer = PEER, .link = link, .compress = true});
}

static inline void done(struct sender *s)
{
    wb_announce_pub_check(s->pub);
    wb_announce_pub_free(s->pub);
    wb_buf_fini(&s->out);
}

/* What is due, as bytes; afterwards nothing is. */
static inline void assert_flush(struct sender *s, const char *want)
{
    bool dirty = wb_announce_pub_dirty(s->pub);

    wb_announce_pub_check(s->pub);
    wb_buf_truncate(&s->out, 0);
    assert_int_equal(wb_announce_pub_flush(s->pub, &s->out), WB_OK);
    assert_view(wb_buf_view(&s->out), hex(want));
    assert_int_equal(dirty, s->out.len > 0);
    assert_false(wb_announce_pub_dirty(s->pub));
    wb_announce_pub_check(s->pub);
}

static inline void route(struct sender *s, const struct wb_route_state *state)
{
    assert_int_equal(wb_announce_pub_route(s->pub, state->node, state), WB_OK);
}

static inline void no_route(struct sender *s, uint64_t node)
{
    assert_int_equal(wb_announce_pub_route(s->pub, node, NULL), WB_OK);
}

/* NULL: the claim is gone. */
static inline void claim(struct sender *s, uint64_t node, const char *path,
                         const struct wb_claim_state *state)
{
    struct wb_slice slice;

    assert_int_equal(wb_slice_copy(&alloc.mem, wb_view_text(path), &slice), WB_OK);
    assert_int_equal(wb_announce_pub_claim(s->pub, node, &slice, state), WB_OK);
    wb_slice_drop(&slice);
}

static const struct wb_route_state five = {.node = 5, .seqno = 1, .metric = 2, .floor = 1};
static const struct wb_claim_state plain = {.warm = 3, .cold = 3};

static inline struct wb_claim_state with_epoch(uint8_t last, uint64_t cost)
{
    struct wb_claim_state c = {.warm = cost, .cold = cost, .epoch = {.some = true}};
    struct wb_view uuid = hex(UUID);

    memcpy(c.epoch.bytes, uuid.data, uuid.len);
    c.epoch.bytes[15] = last;
    return c;
}

/* A claim of lite-06; a hop of 0 is none. */
static inline struct wb_claim_state chain(struct wb_hops *hops, uint64_t a, uint64_t b,
                                          uint64_t warm, uint64_t cold)
{
    *hops = (struct wb_hops){.count = (uint8_t)((a != 0) + (b != 0)), .id = {a, b}};
    return (struct wb_claim_state){.warm = warm, .cold = cold, .hops = hops};
}

#endif
