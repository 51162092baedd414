/*
 * stand_in.c: a stand-in for the engines that Debian has not: runs files, and takes any answer but
 * 0 for fatal, as honggfuzz does. It brings no LLVMFuzzerMutate.
 */
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerInitialize(int *argc, char ***argv);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, uint32_t *end);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);

void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, uint32_t *end)
{
    (void)begin;
    (void)end;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    (void)guard;
}

int main(int argc, char **argv)
{
    static uint8_t data[1 << 20];

    LLVMFuzzerInitialize(&argc, &argv);
    if (LLVMFuzzerTestOneInput((const uint8_t *)"seed", 4) != 0)
        return 3;
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        size_t len = f == NULL ? 0 : fread(data, 1, sizeof(data), f);

        if (f == NULL || LLVMFuzzerTestOneInput(data, len) != 0)
            return 3;
        (void)fclose(f);
    }
    printf("ran %d files\n", argc - 1);
    return 0;
}
