/*
 * inv_frame.h: what must hold of a frame's bytes, its readers and its storage.
 */
#ifndef ORACLES_INV_FRAME_H
#define ORACLES_INV_FRAME_H

#define INV_FRAME_LIST(X) X(FRM, 001, "what a reader has read is a prefix of the payload")

#endif
