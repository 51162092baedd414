/*
 * capture.h: what a real server sends in a few small sessions, each a connection of its own whose
 * requests are all answered in one way, as files for corpus/reply_wire and corpus/reply_classic.
 */
#ifndef LIVE_CAPTURE_H
#define LIVE_CAPTURE_H

#include <stdbool.h>

/*
 * Starts a server and writes `folder`/live-NAME, raw bytes, one file a session; prints each with
 * its configuration and requests. False with the reason on stderr.
 */
bool capture_all(const char *folder);

#endif
