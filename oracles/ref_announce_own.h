/*
 * ref_announce_own.h: what the files of the model of announce streams share.
 */
#ifndef REF_ANNOUNCE_OWN_H
#define REF_ANNOUNCE_OWN_H

#include "oracles/ref_announce.h"

/* A complete body. The first error stays; what is read after it is 0. */
struct ref_body {
    struct wb_view left;
    unsigned draft;
    enum wb_err err;
};

/* WB_E_BOUNDS over max, WB_E_SHORT when the body ends in it. */
uint64_t ref_body_number(struct ref_body *b, uint64_t max);
uint8_t ref_body_byte(struct ref_body *b);
/* A length and so many bytes. */
struct wb_view ref_body_block(struct ref_body *b);
/* Appends the parts of a string; WB_E_STRING, WB_E_BOUNDS over 32 of them. */
void ref_body_path(struct ref_body *b, struct ref_announce_path *path);
/* WB_E_BOUNDS over 32 of them. */
void ref_body_hops(struct ref_body *b, struct ref_announce_hops *hops);
/* WB_E_EPOCH but for nothing and a UUIDv7. */
struct wb_view ref_body_epoch(struct ref_body *b);
/* The first error, or WB_E_LONG when something is left. */
enum wb_err ref_body_done(const struct ref_body *b);

/* What is being read, and where. */
struct ref_place {
    const struct ref_announce_rules *rules;
    struct ref_announce *r;
    struct wb_view stream;
    size_t at;
    struct ref_announce_message *m; /* being applied */
};

/* Of a live announce id. */
bool ref_find_id(const struct ref_announce *r, uint64_t id, size_t *out);
/* One more event, but for its kind all 0; of a claim, of a route. */
struct ref_announce_event *ref_event_add(struct ref_announce *r, enum ref_announce_kind kind);
void ref_tell_claim(struct ref_place *p, enum ref_announce_kind kind,
                    const struct ref_announce_claim *c, bool abrupt);
void ref_tell_route(struct ref_place *p, enum ref_announce_kind kind, uint64_t id);
/* A START of the path of p->m; the end of the claim at a place of the list. */
enum wb_err ref_start(struct ref_place *p, uint64_t route);
void ref_end(struct ref_place *p, size_t at, bool abrupt);
/* A message of lite-07. */
enum wb_err ref_routed(struct ref_place *p, uint64_t type, struct ref_body *b);

#endif
