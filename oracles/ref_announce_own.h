/*
 * ref_announce_own.h: how the model of announce streams reads the fields of a body.
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

#endif
