/*
 * schema.c: the mutant that lives. A program told nothing else takes it from MUTATE_LIVES, and
 * writes what was reached into the file MUTATE_MAP at its end.
 */
#include "ci/mutate/schema.h"

#include "ci/mutate/run.h"

#include <stdio.h>
#include <stdlib.h>

unsigned mutate_lives;
unsigned char *mutate_map;
unsigned char mutate_notes[MUTATE_IDS];

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("MUTATE_LIVES");

    for (; number != NULL && *number >= '0' && *number <= '9'; number++)
        mutate_lives = mutate_lives * 10 + (unsigned)(*number - '0');
    if (getenv("MUTATE_MAP") != NULL)
        mutate_map = mutate_notes;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("MUTATE_MAP");
    FILE *out = path != NULL ? fopen(path, "wb") : NULL;

    if (out != NULL) {
        fwrite(mutate_notes, 1, sizeof(mutate_notes), out);
        fclose(out);
    }
}
