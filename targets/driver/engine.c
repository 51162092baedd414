/*
 * engine.c: the two functions that an engine calls. libFuzzer, Centipede and AFL++'s driver know no
 * others.
 */
#include "targets/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    WB_ASSERT(fuzz_target_count() == 1);
    return 0;
}

/* A verdict is a trap: what is returned says nothing, and engines read it in different ways. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    fuzz_run(fuzz_target_at(0), wb_view_of(data, len));
    return 0;
}
