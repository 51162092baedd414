/*
 * patient.h: the plain driver, but long requests let their answers gather before each read.
 *
 * memcached writes after every 20 commands (its option -R), and a reader that is woken by the first
 * write meets the others one by one. This one pauses once it was woken, for what a short sleep of
 * the system is: with 400 values of 100 bytes a third of the calls, and a tenth more or less of the
 * time. What pauses is the thread: under an event loop it would be a timer. A short request, whose
 * whole answer takes less than such a sleep, is read as by the plain driver.
 */
#ifndef LIVE_PATIENT_H
#define LIVE_PATIENT_H

#include "targets/live/conn.h"

#define LIVE_PAUSE_REQUEST 4096 /* bytes of a request, from which on it is long */
#define LIVE_PAUSE_NS      1000 /* besides the timer slack of the thread, 50 us by default */

extern const struct live_driver live_patient_driver;

#endif
