/*
 * engine.h: libFuzzer processes as children: started with their folders, read line by line, ended
 * by their process number.
 */
#ifndef BED_ENGINE_H
#define BED_ENGINE_H

#include "targets/bed/bed.h"

#include <sys/types.h>

#define BED_ENGINE_PATH 1024

/* Where the work on one target lies, below build/found/NAME/. */
struct bed_engine_place {
    const struct fuzz_target *target;
    char binary[BED_ENGINE_PATH];
    char folder[BED_ENGINE_PATH]; /* findings */
    char seeds[BED_ENGINE_PATH];  /* the corpus as bytes, made anew each time */
    char corpus[BED_ENGINE_PATH]; /* what engines found worth keeping; stays */
};

struct bed_engine {
    pid_t pid; /* 0 once it has ended */
    int fd;    /* its output, -1 once it has ended */
    FILE *log;
    bool is_initialised; /* it said so: the command line and the seeds were accepted */
    uint64_t executions, edges, features, units, speed;
    char artifact[BED_ENGINE_PATH]; /* the input of its finding, "" when none */
    int status;                     /* as waitpid gives it */
    size_t line_len;
    char line[4096];
};

/* Starts the `index`-th process on a target. False after a message. */
bool bed_engine_start(struct bed_engine *e, const struct bed_engine_place *place, size_t index,
                      uint64_t seconds);
/* Reads what has come; true while there may be more. At the end the process is waited for. */
bool bed_engine_read(struct bed_engine *e);
/* Asks it to stop, unless it is about to end with a finding; its last words are still read. */
void bed_engine_stop(const struct bed_engine *e);
/* Ends it at once, when asking did not help. */
void bed_engine_kill(const struct bed_engine *e);

/* ---- seeds.c ---- */

/* Makes the folders and writes every corpus file of the target as the engine's bytes. False after a
 * message. */
bool bed_seeds_write(const struct bed_engine_place *place, bool empty);

/* ---- found.c ---- */

/* Minimises what the `job`-th engine found, keeps it as text, and prints it. False after a message.
 */
bool bed_found_tell(const struct bed_engine_place *place, const struct bed_engine *e, size_t job);

#endif
