/*
 * inv_announce.h: what must hold of announce streams, at both ends, and of the router between.
 */
#ifndef ORACLES_INV_ANNOUNCE_H
#define ORACLES_INV_ANNOUNCE_H

#define INV_ANNOUNCE_LIST(X)                                                                       \
    X(ANN, 001, "any cutting of an answer tells the same story")                                   \
    X(ANN, 002, "ANNOUNCE_OK is told first and once, as the model reads it")                       \
    X(ANN, 003,                                                                                    \
      "an event has the kind, the id and the route that the model gives it, in the model's order") \
    X(ANN, 004, "a path is told whole: the prefix of the request, then its parts")                 \
    X(ANN, 005,                                                                                    \
      "a chain of hops ends with the responder; what a message says of its claim is told")         \
    X(ANN, 006, "an event shows with the byte that ends its message, not before and not after")    \
    X(ANN, 007, "a broken rule is named as the model names it, with the byte that shows it")       \
    X(ANN, 008, "nothing is applied after a broken rule, and the rule stays")                      \
    X(ANN, 009, "the live claims, dropped ones included, are the model's")                         \
    X(ANN, 010, "the live routes and their floors are the model's")                                \
    X(ANN, 011, "a good chunk is taken whole")                                                     \
    X(ANN, 012,                                                                                    \
      "the end of a stream ends each claim, route by route and by path, then closes it, once")     \
    X(ANN, 013, "a stream ends cleanly exactly with a FIN between messages")                       \
    X(ANN, 014, "what is kept is kept for live claims and routes")                                 \
    X(ANN, 015, "memory grows with what arrives, never by what is declared")                       \
    X(ANN, 016,                                                                                    \
      "a message compares at most 4 log2(held) + 16 paths for each claim that it concerns")        \
    X(ANN, 017, "WB_E_NOMEM is said exactly when the allocator refused, and goes on from there")   \
    X(ANN, 018,                                                                                    \
      "a limit of claims, bytes or parts is judged before memory is taken for the message")        \
    X(ANN, 019, "a request is read as the model reads it, and put as the model puts it")           \
    X(ANN, 020, "what an answer counts as withheld is what a recount of the facts withholds")      \
    X(ANN, 021, "what an answer counts as shown, and its routes on the stream, are the model's")   \
    X(ANN, 022, "when a flush has arrived, the subscriber holds what the answer has shown")        \
    X(ANN, 023, "the floor sent is the model's")                                                   \
    X(ANN, 024, "no floor above 0 is sent while a claim of its node is withheld")                  \
    X(ANN, 025, "a relay's floor is never above the floor of its own next hop")                    \
    X(ANN, 026, "a route ends after the end of each of its claims")                                \
    X(ANN, 027, "a route is on the stream exactly while a shown claim needs it")                   \
    X(ANN, 028,                                                                                    \
      "an id is used only between the message that takes it and the one that retires it")          \
    X(ANN, 029, "the live claims of every node are the model's")                                   \
    X(ANN, 030, "who serves a path is who the model says")                                         \
    X(ANN, 031, "a flush keeps the order of its kinds, and within each that of paths")             \
    X(ANN, 032, "between two flushes a path has at most two events")                               \
    X(ANN, 033, "a flush writes the net effect of the changes and nothing else")                   \
    X(ANN, 034, "the next hop of every node, and what is told of it, are the model's")             \
    X(ANN, 035, "what was sent of a node bounds what may become its next hop")                     \
    X(ANN, 036, "a newer seqno is asked for once, of the best neighbour there is")                 \
    X(ANN, 037, "an id of a client stays in its session and never stands before a trusted one")    \
    X(ANN, 038, "an answer of lite-06 shows the chain of the route that serves the path")          \
    X(ANN, 039, "when all is closed nothing is stored, due or allocated")                          \
    X(ANN, 040, "what no peer may tell closes its session, by the name of the rule")               \
    X(ANN, 041, "what a peer tells is heard once and whole, and a dropped START takes its id")     \
    X(ANN, 042, "one change compares at most 4 log2(held) + 16 paths in each table and answer")    \
    X(ANN, 043, "what one change allocates does not depend on the claims held")                    \
    X(ANN, 044, "one change moves and walks over nothing that does not change")                    \
    X(ANN, 045, "a claim that ended at its origin never comes back to who saw it end")             \
    X(ANN, 046, "in calm every router holds what the origins hold")                                \
    X(ANN, 047, "refused memory changes nothing, or loses one answer and says so")                 \
    X(ANN, 048, "an answer is dirty exactly when a flush would write")                             \
    X(ANN, 049, "the router's own seqno and revision are the model's")                             \
    X(ANN, 050, "a START names the base that makes it shorter, of the claims beside it, or none")  \
    X(ANN, 051, "ANNOUNCE_OK says how many claims its flush begins")                               \
    X(ANN, 052,                                                                                    \
      "one change weighs at most 4 log2(held) + 16 of those who may serve a path, "                \
      "and a path is hashed at most once")                                                         \
    X(ANN, 053, "a route that is taken back walks what its neighbour ended, and nothing else")     \
    X(ANN, 054, "next hops toward a node never lead back to where they began")

#endif
