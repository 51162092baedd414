/*
 * classic.c: the lines that answer classic commands. Source: memcached doc/protocol.txt, "Storage
 * commands", "Retrieval command", "Deletion", "Increment/Decrement", "Touch", "Statistics".
 */
#include "targets/reply/world.h"

#include <string.h>

bool world_classic_is(enum world_kind kind)
{
    return kind >= WORLD_CLASSIC_GET;
}

bool world_classic_is_get(enum world_kind kind)
{
    return kind == WORLD_CLASSIC_GET || kind == WORLD_CLASSIC_GETS;
}

/* Key, flags, length and, of gets, a cas; each number after one space. */
static void write_value_line(struct world_pen *pen, const struct world_request *job, uint32_t index,
                             enum world_wrong wrong)
{
    uint64_t size = job->hits == WORLD_HITS_EMPTY ? 0 : job->size;
    world_pen_text(pen, "VALUE ");
    world_pen_key(pen, job->serial, wrong == WORLD_WRONG_KEY ? 999 : index);
    world_pen_text(pen, wrong == WORLD_WRONG_S_FLAG ? " s" : " ");
    world_pen_number(pen, index);
    world_pen_text(pen, wrong == WORLD_WRONG_SIGN ? " +" : " ");
    world_pen_number(pen, world_server_stated(size, wrong));
    if (job->kind == WORLD_CLASSIC_GETS) {
        world_pen_text(pen, " ");
        world_pen_number(pen, UINT64_C(1000) * job->serial + index);
    }
}

void world_classic_line(struct world_pen *pen, const struct world_request *job, uint32_t index,
                        enum world_wrong wrong)
{
    bool hit = job->hits != WORLD_HITS_NONE && (job->hits != WORLD_HITS_ODD || index % 2 == 1);
    if (world_classic_is_get(job->kind)) {
        write_value_line(pen, job, index, wrong);
    } else if (job->kind == WORLD_CLASSIC_STATS) {
        world_pen_text(pen, "STAT ");
        world_pen_key(pen, job->serial, index);
        world_pen_text(pen, " of so many");
    } else if (job->kind == WORLD_CLASSIC_SET) {
        world_pen_text(pen, hit ? "STORED" : "NOT_STORED");
    } else if (!hit) {
        world_pen_text(pen, "NOT_FOUND");
    } else if (job->kind == WORLD_CLASSIC_INCR) {
        world_pen_number(pen, UINT64_C(1000) * job->serial + 7);
    } else {
        world_pen_text(pen, job->kind == WORLD_CLASSIC_DELETE ? "DELETED" : "TOUCHED");
    }
    if (wrong == WORLD_WRONG_LONG_LINE) {
        memset(pen->at, '1', WB_REPLY_LINE_MAX);
        pen->at += WB_REPLY_LINE_MAX;
    }
}
