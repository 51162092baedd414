#include "ci/bench/frames/bench.h"

void lanes_open(struct lanes *l, struct wb_mem *mem, unsigned tracks)
{
    struct wb_track_config config = {.pool = &l->pool, .max_age_ns = WB_TRACK_NO_AGE};

    *l = (struct lanes){.mem = mem, .tracks = tracks};
    wb_pool_init(&l->pool, WB_POOL_NO_LIMIT);
    for (unsigned t = 0; t < tracks; t++)
        for (unsigned k = 0; k < 2; k++)
            figure_must(wb_track_new(mem, &config, &l->all[t][k].track) == WB_OK, "no track");
}

void lanes_close(struct lanes *l)
{
    for (unsigned t = 0; t < l->tracks; t++)
        for (unsigned k = 0; k < 2; k++)
            wb_track_drop(l->all[t][k].track);
    wb_pool_fini(&l->pool);
}

static void attach(struct lane *lane)
{
    enum wb_err err = wb_track_append(lane->track, 0, &lane->group);

    if (err == WB_OK)
        err = wb_ingest_attach(&lane->in, wb_group_share(lane->group));
    figure_must(err == WB_OK, "no group");
}

static void push(struct lane *lane, struct wb_mem *mem, struct wb_slice *chunk, bool ends)
{
    size_t bytes = chunk->view.len;

    if (lane->group == NULL)
        wb_ingest_init(&lane->in, mem, MODEL_VERSION);
    while (chunk->view.len > 0) {
        figure_must(wb_ingest_push(&lane->in, chunk) == WB_OK, "a stream is broken");
        if (lane->in.state == WB_INGEST_ATTACH)
            attach(lane);
    }
    if (lane->group != NULL)
        wb_track_wrote(lane->track, lane->group, bytes, 0);
    if (!ends)
        return;
    figure_must(wb_ingest_fin(&lane->in) == WB_OK, "a stream ends early");
    wb_ingest_fini(&lane->in);
    wb_group_drop(lane->group);
    lane->group = NULL;
}

void lanes_receive(const struct model *m, struct sim_backing *b, struct wb_slice *out_chunks)
{
    struct wb_view parts[MODEL_PARTS];

    for (size_t i = 0; i < m->count; i++)
        parts[i] = m->parts[i].bytes;
    figure_must(sim_backing_receive(b, parts, m->count, out_chunks) == WB_OK, "no packet");
}

void lanes_push(struct lanes *l, const struct model *m, struct wb_slice *chunks)
{
    for (size_t i = 0; i < m->count; i++)
        push(&l->all[m->parts[i].track][m->parts[i].is_video], l->mem, &chunks[i],
             m->parts[i].ends);
}
