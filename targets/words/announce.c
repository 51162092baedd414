/*
 * announce.c: each message type of an announce stream with the shortest body that is whole for it,
 * of zeros and of ones. How long that is says the model, so nothing of a message is told twice.
 */
#include "core/route/announce.h"
#include "oracles/ref_announce.h"
#include "targets/words/words.h"

#include <stdio.h>
#include <string.h>

struct type {
    unsigned draft;
    uint8_t type;
    const char *name;
};

#define ANNOUNCED(name, number) {6, number, #name},
#define ROUTED(name, number)    {7, number, #name},
static const struct type types[] = {WB_ANNOUNCED_LIST(ANNOUNCED) WB_ROUTED_LIST(ROUTED)};

/* Too large for a stack. */
static struct ref_announce the_model;

bool words_body(unsigned draft, uint8_t type, uint8_t byte, size_t *out_size)
{
    /* The responder's first message is without a type: node 7, no claims. */
    uint8_t stream[5 + WORDS_MAX] = {2, 7, 0, type};
    const struct ref_announce_rules rules = {
        .draft = draft, .max_claims = 9, .max_routes = 9, .max_path_bytes = 1 << 20};

    memset(stream + 5, byte, WORDS_MAX);
    for (uint8_t size = 0; size < 64; size++) { /* one byte of size in both forms */
        stream[4] = size;
        ref_announce_read(&rules, wb_view_of(stream, 5u + size), true, &the_model);
        if (the_model.status != WB_E_SHORT) {
            *out_size = size;
            return the_model.status != WB_E_LONG;
        }
    }
    return false;
}

enum wb_err words_announce(struct wb_buf *out)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (uint8_t byte = 0; byte < 2; byte++) {
            uint8_t word[2 + WORDS_MAX] = {types[i].type};
            char name[64];
            size_t size = 0;

            if (!words_body(types[i].draft, types[i].type, byte, &size))
                continue;
            word[1] = (uint8_t)size;
            memset(word + 2, byte, size);
            (void)snprintf(name, sizeof name, "lite0%u_%s_%u", types[i].draft, types[i].name, byte);
            WB_TRY(words_add(out, name, wb_view_of(word, 2 + size)));
        }
    }
    return WB_OK;
}
