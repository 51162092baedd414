/*
 * stand_in.c: stands in for the engines that Debian has not, by what they ask of a fuzzer.
 *
 * IS_HONGGFUZZ: any answer but 0 ends it; no mutator of the fuzzer is called, and LLVMFuzzerMutate,
 * which it has, is fatal. IS_CENTIPEDE: 0 or -1 is an answer; mutates through the fuzzer's own
 * functions, for which it has LLVMFuzzerMutate, and runs what they make.
 *
 * Runs each file given twice, in an order and its reverse: state kept from one input to the next is
 * the fuzzer's fault, but only its checks can see it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM    (1u << 20)
#define MUTANTS 4u /* of each file */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max,
                                                     unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_len,
                                                       const uint8_t *b, size_t b_len, uint8_t *out,
                                                       size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max);
uint8_t *stand_in_room(size_t n);
void stand_in_leave(uint8_t *room);

static void die(const char *why)
{
    printf("stand-in: %s\n", why);
    exit(3);
}

#ifdef IS_CENTIPEDE
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max)
{
    if (len == 0 && max > 0)
        data[len++] = 0;
    if (len > 0)
        data[len / 2] ^= 0x55;
    return len;
}
#else
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max)
{
    (void)data, (void)len, (void)max;
    die("LLVMFuzzerMutate is not for fuzzers to call");
    return 0;
}
#endif

static void run(const uint8_t *data, size_t len)
{
    uint8_t *copy = stand_in_room(len); /* exactly: a byte more is a report */
    memcpy(copy, data, len);
    int answer = LLVMFuzzerTestOneInput(copy, len);
#ifdef IS_CENTIPEDE
    if (answer != 0 && answer != -1)
        die("an answer other than 0 and -1");
#else
    if (answer != 0)
        die("an answer other than 0");
#endif
    if (memcmp(copy, data, len) != 0)
        die("the input was written to");
    stand_in_leave(copy);
}

static size_t take(const char *path, uint8_t *out)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        die("a file cannot be read");
    size_t len = fread(out, 1, ROOM, f);
    (void)fclose(f);
    return len;
}

#ifdef IS_CENTIPEDE
static void mutate(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len)
{
    static uint8_t out[ROOM];
    size_t max = a_len + 64;

    for (unsigned seed = 1; seed <= MUTANTS; seed++) {
        size_t len = a_len;
        memcpy(out, a, a_len);
        if (LLVMFuzzerCustomMutator != NULL)
            len = LLVMFuzzerCustomMutator(out, len, max, seed);
        if (len > max)
            die("the mutator writes more than there is room for");
        run(out, len);
        if (LLVMFuzzerCustomCrossOver == NULL)
            continue;
        len = LLVMFuzzerCustomCrossOver(a, a_len, b, b_len, out, max, seed);
        if (len > max)
            die("the crossover writes more than there is room for");
        run(out, len);
    }
}
#endif

int main(int argc, char **argv)
{
    static uint8_t data[ROOM], last[ROOM];
    size_t len, last_len = 0;

    if (LLVMFuzzerInitialize != NULL)
        LLVMFuzzerInitialize(&argc, &argv);
    run((const uint8_t *)"", 0);
    for (int i = 1; i < 2 * argc - 1; i++) {
        len = take(argv[i < argc ? i : 2 * argc - 1 - i], data);
        run(data, len);
#ifdef IS_CENTIPEDE
        mutate(data, len, last, last_len);
#endif
        memcpy(last, data, len);
        last_len = len;
    }
    (void)last_len;
    printf("stand-in: ran %d files\n", argc - 1);
    return 0;
}
