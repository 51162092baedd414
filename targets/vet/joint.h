/*
 * joint.h: the two ends of a connection, so that the core of one side can be at one and that of the
 * other side at the other.
 *
 * Announces: who runs a target may have its subscribers made by the other side's core. Structs of
 * the core cross then, so that both sides must lay them out alike: vet_layout.
 *
 * Frames: a writer relays what it reads; a reader is given what arrives. Bytes and lines of text
 * cross.
 */
#ifndef VET_JOINT_H
#define VET_JOINT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct vet_ends; /* the subscriber's end, functions of core/route/announce_sub.h */

/* This side's own; NULL where its core has no announces, or others than this code knows. */
const struct vet_ends *vet_ends(void);
/* Says whether another side's structs and statuses are the same: equal numbers. */
uint64_t vet_layout(void);
/* From now on subscribers are made by those; NULL: by this side's core. */
void vet_join(const void *ends);

/* What this side writes of a stream that it reads: an input of the target `ingest`, configuration
 * first. Its length, cut at max; 0 when nothing of it can be written. */
size_t vet_relay(const uint8_t *bytes, size_t len, uint8_t *out, size_t max);
/* A reader of such a stream, one at a time; what it tells goes there, a line an event. */
void vet_reader_open(uint8_t config, FILE *lines);
void vet_reader_push(const uint8_t *bytes, size_t len);
/* After the last byte. */
void vet_reader_end(void);

#endif
