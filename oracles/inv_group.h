/*
 * inv_group.h: what must hold of a group's log and its readers.
 */
#ifndef ORACLES_INV_GROUP_H
#define ORACLES_INV_GROUP_H

#define INV_GROUP_LIST(X)                                                                          \
    X(GRP, 001, "a reader gets the frame of its number, or the end or error that the model says")

#endif
