/*
 * payload.c: the table, twice its period long so that every piece lies in one part of it.
 */
#include "targets/cache/payload.h"

#include <string.h>

static uint8_t table[2 * PAYLOAD_PERIOD]; /* filled once, the same in every run */

static void fill(void)
{
    uint32_t state = 1;

    for (size_t i = 0; i < PAYLOAD_PERIOD; i++) {
        state = state * 1664525 + 1013904223;
        table[i] = table[i + PAYLOAD_PERIOD] = (uint8_t)(state >> 24 | 1);
    }
}

const uint8_t *payload_bytes(uint32_t owner, uint64_t at, size_t len)
{
    WB_ASSERT(len <= PAYLOAD_PERIOD);
    if (table[0] == 0)
        fill();
    return table + (at + owner * UINT64_C(1009)) % PAYLOAD_PERIOD;
}

bool payload_is(struct wb_view view, uint32_t owner, uint64_t at)
{
    while (view.len > 0) {
        size_t n = view.len < PAYLOAD_PERIOD ? view.len : PAYLOAD_PERIOD;

        if (memcmp(view.data, payload_bytes(owner, at, n), n) != 0)
            return false;
        view = wb_view_sub(view, n, view.len);
        at += n;
    }
    return true;
}

enum wb_err payload_slice(struct wb_mem *mem, uint32_t owner, size_t len, struct wb_slice *out)
{
    uint8_t *bytes = NULL;

    WB_TRY(wb_slice_new(mem, len, out, &bytes));
    for (size_t i = 0; i < len;) {
        size_t n = len - i < PAYLOAD_PERIOD ? len - i : PAYLOAD_PERIOD;

        memcpy(bytes + i, payload_bytes(owner, i, n), n);
        i += n;
    }
    return WB_OK;
}
