/*
 * differ.c: fuzz_vet_TARGET, a fuzzer of two sides. It goes where the new side's core enters new
 * blocks, and stops at an input that the two do not treat alike. The sides are those of the last
 * vet, or VET_OLD and VET_NEW.
 */
#include "targets/vet/side.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLD, NEW, SIDES };
typedef const struct vet_side *(*vet_entry_fn)(void);

size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max, unsigned seed);

/* What libFuzzer reads as coverage, besides its own: a byte for a block, by a hash of its place. It
 * clears and reads all of it in each run, so that a bit for each address would cost most of the
 * time. */
#define COUNTERS ((size_t)1 << 14)
static uint8_t differ_counters[COUNTERS] __attribute__((section("__libfuzzer_extra_counters")));
static uint8_t differ_map[VET_COVER_BYTES];
static size_t differ_map_len; /* what the new side's code can mark */
static const struct vet_side *differ_side[SIDES];
static size_t differ_at[SIDES];

static const char *setting(const char *name, const char *usual)
{
    const char *value = getenv(name);
    return value != NULL ? value : usual;
}

/* The end of the code of the object that holds the address, as the map counts. */
static int find_end(struct dl_phdr_info *info, size_t size, void *address)
{
    bool is_it = false;
    size_t end = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        size_t at = (size_t)((const char *)address - (const char *)info->dlpi_addr);
        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
            continue;
        is_it |= at >= part->p_vaddr && at < part->p_vaddr + part->p_memsz;
        end = part->p_vaddr + part->p_memsz;
    }
    if (is_it && end / 8 < VET_COVER_BYTES)
        differ_map_len = end / 8 + 1;
    return is_it;
}

/* Moves marks to counters and clears them. */
static void fold(void)
{
    uint64_t word;

    for (size_t at = 0; at < differ_map_len; at += sizeof(word)) {
        memcpy(&word, differ_map + at, sizeof(word));
        if (word == 0)
            continue;
        for (size_t i = at * 8; word != 0; word >>= 1, i++)
            if ((word & 1) != 0)
                differ_counters[(i * UINT64_C(0x9e3779b97f4a7c15) >> 40) % COUNTERS] = 1;
        memset(differ_map + at, 0, sizeof(word));
    }
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
    side->cover(s == NEW ? differ_map : NULL);
    if (s == NEW) {
        differ_map_len = VET_COVER_BYTES;
        dl_iterate_phdr(find_end, symbol);
    }
    differ_side[s] = side;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = strstr((*argv)[0], "fuzz_vet_");

    (void)argc;
    if (name == NULL) {
        fprintf(stderr, "differ: call it as fuzz_vet_TARGET\n");
        exit(2);
    }
    name += strlen("fuzz_vet_");
    load(OLD, setting("VET_OLD", "build/vet/old.so"), name);
    load(NEW, setting("VET_NEW", "build/vet/new.so"), name);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct vet_told told[SIDES];

    memset(told, 0, sizeof(told));
    for (int s = 0; s < SIDES; s++)
        differ_side[s]->run(differ_at[s], data, len, NULL, &told[s]);
    fold();
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
