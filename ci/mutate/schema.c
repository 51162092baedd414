/*
 * schema.c: the mutant that lives. A program told nothing else takes it from WBM_LIVES, and writes
 * what was reached into the file WBM_MAP at its end.
 */
#include "ci/mutate/run.h"

#include <stdio.h>
#include <stdlib.h>

unsigned wbm_lives;
unsigned char *wbm_map;
unsigned char mutate_notes[MUTATE_IDS];

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("WBM_LIVES");

    for (; number != NULL && *number >= '0' && *number <= '9'; number++)
        wbm_lives = wbm_lives * 10 + (unsigned)(*number - '0');
    if (getenv("WBM_MAP") != NULL)
        wbm_map = mutate_notes;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("WBM_MAP");
    FILE *out = path != NULL ? fopen(path, "wb") : NULL;

    if (out != NULL) {
        fwrite(mutate_notes, 1, sizeof(mutate_notes), out);
        fclose(out);
    }
}
