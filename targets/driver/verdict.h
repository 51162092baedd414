/*
 * verdict.h: the id of a failure, from how a child ended and what it said. Two failures with one id
 * are one bug until somebody looks: the minimiser holds on to it.
 */
#ifndef DRIVER_VERDICT_H
#define DRIVER_VERDICT_H

#define VERDICT_ID_MAX 64

/* `status` is waitpid's, of a child that failed. What is too long for an id is cut off. */
void verdict_id(const char *report, int status, char id[VERDICT_ID_MAX]);

#endif
