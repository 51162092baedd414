/*
 * corpus_migrate.c: from version to version, one step after the other.
 */
#include "targets/driver/corpus_migrate.h"

#include "targets/driver/replay.h"

#include <inttypes.h>

#define MIGRATE_MAX ((size_t)64 << 20)

/* A new version adds its step here: {1, from_1}, and so on. */
const struct corpus_steps corpus_steps = {.current = SIM_VERSION};

static const struct corpus_step *step_from(const struct corpus_steps *steps, uint8_t version)
{
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->list[i].from == version)
            return &steps->list[i];
    }
    return NULL;
}

/* Takes *held, of that version, to the current one. */
static enum wb_err climb(const struct corpus_steps *steps, uint8_t version, struct wb_buf *held)
{
    for (; version < steps->current; version++) {
        const struct corpus_step *step = step_from(steps, version);
        struct wb_buf next;

        if (step == NULL)
            return WB_E_VERSION;
        wb_buf_init(&next, wb_mem_libc(), MIGRATE_MAX);
        enum wb_err err = step->take(wb_buf_view(held), &next);
        if (err != WB_OK) {
            wb_buf_fini(&next);
            return err;
        }
        wb_buf_fini(held);
        *held = next;
    }
    return version == steps->current ? WB_OK : WB_E_VERSION;
}

enum wb_err corpus_migrate(const struct corpus_steps *steps, uint8_t unsaid, struct wb_view bytes,
                           struct wb_buf *out, uint8_t *out_from)
{
    uint8_t version = bytes.len > 0 && bytes.data[0] > 0 ? bytes.data[0] : unsaid;
    struct wb_buf held;

    wb_buf_init(&held, wb_mem_libc(), MIGRATE_MAX);
    enum wb_err err = wb_buf_add(&held, bytes);
    if (err == WB_OK)
        err = climb(steps, version, &held);
    if (err == WB_OK && held.len == 0)
        err = wb_buf_add_u8(&held, steps->current);
    if (err == WB_OK) {
        held.data[0] = steps->current;
        err = wb_buf_add(out, wb_buf_view(&held));
    }
    wb_buf_fini(&held);
    if (err == WB_OK)
        *out_from = version;
    return err;
}

bool corpus_migrate_agrees(const struct fuzz_target *target, struct wb_view before,
                           struct wb_view after, FILE *out)
{
    struct replay_verdict a, b;

    if (!replay_run(target, before, REPLAY_ONCE, false, &a))
        return false;
    bool ok = replay_run(target, after, REPLAY_ONCE, false, &b);
    if (ok) {
        ok = a.hash == b.hash && a.outcome == b.outcome && a.failed == b.failed;
        if (!ok)
            fprintf(out, "  trace %016" PRIx64 " %s before, %016" PRIx64 " %s after\n", a.hash,
                    wb_err_name((int)a.outcome), b.hash, wb_err_name((int)b.outcome));
        replay_verdict_free(&b);
    }
    replay_verdict_free(&a);
    return ok;
}
