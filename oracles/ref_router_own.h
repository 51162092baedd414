/*
 * ref_router_own.h: between the files of the model of a router.
 */
#ifndef REF_ROUTER_OWN_H
#define REF_ROUTER_OWN_H

#include "oracles/ref_router.h"

/* ---- ref_router_live.c ---- */
void ref_node_select(struct ref_router *r, uint8_t scope, uint8_t node);
/* More was sent of the id: in each scope, who is no longer feasible is no next hop. */
void ref_node_sent(struct ref_router *r, uint8_t node);
/* The best neighbour that tells the node; `feasible`: of those that may be a next hop;
 * `besides`: but not this one. */
uint8_t ref_node_best(const struct ref_router *r, uint8_t scope, uint8_t node, bool feasible,
                      uint8_t besides);
/* Is the floor that a neighbour told last past each END that another told, and that counts? */
bool ref_node_is_past_ends(const struct ref_router *r, uint8_t scope, uint8_t node,
                           uint8_t neighbour);
/*
 * The neighbour tells the node no more. Its ENDs that no FLOOR has proven took its route back, and
 * say nothing of the claims.
 */
void ref_router_retract(struct ref_router *r, uint8_t neighbour, uint8_t node);
/* The neighbour is to be asked for a seqno of the node, which it was not asked for yet. */
void ref_router_ask(struct ref_router *r, uint8_t neighbour, uint8_t node, uint64_t seqno);

/* ---- ref_router.c ---- */
/* The own seqno is at least that one, and the revision one of a life of that seqno. */
void ref_router_raise(struct ref_router *r, uint64_t seqno);
/* Who serves a path itself, from all facts. */
struct ref_server ref_server_on(const struct ref_router *r, uint8_t path);

/* ---- ref_router_answer.c ---- */
/* The fact at hand is about an id; before it changes anything. */
void ref_fact_about(struct ref_router *r, uint8_t node);
/* Ends every fact: of what it bears on, what may be told and who serves is worked out anew. */
void ref_answer_note(struct ref_router *r);
/* The chain of lite-06 of who serves a path, without us. */
void ref_chain_of(const struct ref_router *r, const struct ref_server *s, struct ref_chain *out);
bool ref_chain_is_equal(const struct ref_chain *a, const struct ref_chain *b);
/* Does an answer of lite-06 show the path that `s` serves? *out_chain: if anybody serves it. */
bool ref_answer_shows(const struct ref_router *r, const struct ref_answer *a, uint8_t path,
                      const struct ref_server *s, struct ref_chain *out_chain);

#endif
