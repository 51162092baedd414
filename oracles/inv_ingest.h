/*
 * inv_ingest.h: what must hold of chunks that become frames of a group.
 */
#ifndef ORACLES_INV_INGEST_H
#define ORACLES_INV_INGEST_H

#define INV_INGEST_LIST(X) X(ING, 001, "any cutting of a stream tells the same story")

#endif
