/*
 * differ.c: a fuzzer of two sides. It goes where the new side's core enters new blocks, and stops
 * at an input that the two do not treat alike. Which sides and target: VET_OLD, VET_NEW,
 * VET_TARGET, as ci/vet/differ.sh sets them.
 */
#include "targets/vet/side.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLD, NEW, SIDES };
typedef const struct vet_side *(*vet_entry_fn)(void);

size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max, unsigned seed);

/* What libFuzzer reads as coverage, besides its own. */
static uint8_t differ_map[VET_COVER_BYTES] __attribute__((section("__libfuzzer_extra_counters")));
static uint8_t differ_old_map[VET_COVER_BYTES];
static const struct vet_side *differ_side[SIDES];
static size_t differ_at[SIDES];

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL) {
        fprintf(stderr, "differ: %s is not set: see ci/vet/differ.sh\n", name);
        exit(2);
    }
    return value;
}

static void load(int s, const char *path, const char *target)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = object != NULL ? dlsym(object, "vet_side") : NULL;
    vet_entry_fn entry = NULL;

    memcpy(&entry, &symbol, sizeof(entry));
    const struct vet_side *side = entry != NULL ? entry() : NULL;
    if (side == NULL || side->interface != VET_INTERFACE) {
        fprintf(stderr, "differ: %s: no side of this bed\n", path);
        exit(2);
    }
    while (differ_at[s] < side->count() && strcmp(side->name(differ_at[s]), target) != 0)
        differ_at[s]++;
    if (differ_at[s] == side->count()) {
        fprintf(stderr, "differ: %s has no target %s\n", path, target);
        exit(2);
    }
    side->cover(s == NEW ? differ_map : differ_old_map);
    differ_side[s] = side;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    load(OLD, setting("VET_OLD"), setting("VET_TARGET"));
    load(NEW, setting("VET_NEW"), setting("VET_TARGET"));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct vet_told told[SIDES];

    memset(told, 0, sizeof(told));
    for (int s = 0; s < SIDES; s++)
        differ_side[s]->run(differ_at[s], data, len, NULL, &told[s]);
    if (told[OLD].hash == told[NEW].hash && told[OLD].story_hash == told[NEW].story_hash &&
        strcmp(told[OLD].failed, told[NEW].failed) == 0 &&
        strcmp(told[OLD].outcome, told[NEW].outcome) == 0)
        return 0;
    fprintf(stderr, "DIFFERS: old %s %s, new %s %s\n", told[OLD].outcome, told[OLD].failed,
            told[NEW].outcome, told[NEW].failed);
    __builtin_trap();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max, unsigned seed)
{
    size_t made = differ_side[NEW]->mutate(differ_at[NEW], data, len, max, seed);
    return made > 0 ? made : LLVMFuzzerMutate(data, len, max);
}
