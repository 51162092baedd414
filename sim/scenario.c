#include "sim/scenario.h"

#include <string.h>

struct sim_scenario sim_scenario_of(struct wb_view bytes)
{
    uint8_t h[SIM_HEADER] = {0};
    size_t len = bytes.len < SIM_HEADER ? bytes.len : SIM_HEADER;
    if (len > 0)
        memcpy(h, bytes.data, len);
    struct sim_scenario s = {
        .header = {.version = SIM_VERSION,
                   .profile = h[1],
                   .swarm = (uint16_t)(h[2] | h[3] << 8),
                   .knob = {h[4], h[5], h[6], h[7]}},
    };
    if (bytes.len > SIM_HEADER)
        s.rest = (struct wb_view){bytes.data + SIM_HEADER, bytes.len - SIM_HEADER};
    return s;
}

/* Takes up to `records` whole records off the front; a ragged tail counts as one. */
static struct wb_view scenario_take(struct sim_scenario *s, size_t records)
{
    size_t len = records * SIM_RECORD;
    if (len > s->rest.len)
        len = s->rest.len;
    struct wb_view taken = {s->rest.data, len};
    s->rest.data = len > 0 ? s->rest.data + len : s->rest.data;
    s->rest.len -= len;
    s->record += (len + SIM_RECORD - 1) / SIM_RECORD;
    return taken;
}

bool sim_scenario_next(struct sim_scenario *s, struct sim_op *out)
{
    uint32_t ext = 0;
    size_t ext_record = 0;
    bool has_ext = false;
    while (s->rest.len > 0 && s->record < SIM_RECORDS_MAX) {
        uint8_t r[SIM_RECORD] = {0};
        size_t record = s->record;
        struct wb_view taken = scenario_take(s, 1);
        for (size_t i = 0; i < taken.len; i++)
            r[i] = taken.data[i];
        if (r[0] == SIM_OP_EXT) {
            ext = (uint32_t)r[1] | (uint32_t)r[2] << 8 | (uint32_t)r[3] << 16;
            ext_record = record;
            has_ext = true;
            continue;
        }
        *out = (struct sim_op){.opcode = r[0],
                               .slot = r[1] & (SIM_SLOTS - 1),
                               .flags = r[1] >> 4,
                               .arg = (uint16_t)(r[2] | r[3] << 8),
                               .ext = ext,
                               .record = has_ext ? ext_record : record};
        if (out->opcode == SIM_OP_LIT) {
            out->lit = scenario_take(s, ((size_t)out->arg + SIM_RECORD - 1) / SIM_RECORD);
            if (out->lit.len > out->arg)
                out->lit.len = out->arg;
        }
        return true;
    }
    return false;
}

struct wb_view sim_scenario_run(struct wb_view bytes)
{
    struct sim_scenario s = sim_scenario_of(bytes);
    struct sim_op op;
    while (sim_scenario_next(&s, &op))
        continue;
    return wb_view_sub(bytes, 0, bytes.len - s.rest.len);
}
