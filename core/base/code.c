/*
 * code.c: stream codes of the later drafts; one table each way, since they are no inverses.
 */
#include "core/base/code.h"

#define CODE_INTERNAL 0x00u
#define CODE_CANCEL   0x01u
#define CODE_TIMEOUT  0x02u
#define CODE_LAGGED   0x05u

static const struct {
    enum wb_err err;
    uint64_t code;
} sent[] = {
    {WB_E_CANCEL, CODE_CANCEL},
    {WB_TIMEOUT, CODE_TIMEOUT},
    {WB_E_CLOSED, 0x03},
    {WB_E_LAGGED, CODE_LAGGED},
    {WB_E_OLD, 0x22},
    {WB_E_EVICTED, 0x23},
    {WB_E_WRONG_SIZE, 0x24},
    {WB_E_FRAME_TOO_LARGE, 0x25},
    /* What the peer sent cannot be read. */
    {WB_E_BOUNDS, 0x12},
    {WB_E_VALUE, 0x12},
    {WB_E_SHORT, 0x12},
    {WB_E_LONG, 0x12},
    {WB_E_STRING, 0x12},
    {WB_E_TRUNCATED, 0x12},
    {WB_E_MESSAGE_TOO_LARGE, 0x12},
    {WB_E_UNEXPECTED, 0x12},
};

static const struct {
    uint64_t code;
    enum wb_err err;
} meant[] = {
    {CODE_INTERNAL, WB_E_CANCEL}, /* also what a writer sends that just goes away */
    {CODE_CANCEL, WB_E_CANCEL},
    {CODE_TIMEOUT, WB_E_OLD},
    {CODE_LAGGED, WB_E_LAGGED},
};

uint64_t wb_code_of(enum wb_err err)
{
    for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++)
        if (sent[i].err == err)
            return sent[i].code;
    return CODE_INTERNAL;
}

enum wb_err wb_code_meaning(uint64_t code)
{
    for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
        if (meant[i].code == code)
            return meant[i].err;
    return WB_E_REMOTE;
}
