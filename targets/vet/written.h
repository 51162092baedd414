/*
 * written.h: what the core of a side writes in a run, stream by stream, so that the other side's
 * readers can be given it.
 */
#ifndef VET_WRITTEN_H
#define VET_WRITTEN_H

#include "targets/vet/side.h"

/* Forgets what was written. */
void vet_written_reset(void);
/* A new stream of bytes that the target `reader` reads, with that configuration byte. `owner` tells
 * several apart. */
void vet_written_open(const void *owner, enum vet_reader reader, unsigned config);
/* Appends to the newest stream of that owner; zeros for `bytes` NULL. What is too long for a stream
 * ends it. */
void vet_written_add(const void *owner, const uint8_t *bytes, size_t len);
void vet_written_pack(struct vet_told *out);
/* Counts frames by how they came. */
void vet_frames(uint64_t copied, uint64_t shared, uint64_t assembled);

#endif
