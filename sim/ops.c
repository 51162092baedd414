#include "sim/ops.h"

#include <string.h>

const struct sim_op_desc *sim_ops_find(const struct sim_ops *ops, uint8_t opcode)
{
    for (size_t i = 0; i < ops->count; i++) {
        if (ops->ops[i].opcode == opcode)
            return &ops->ops[i];
    }
    return NULL;
}

const struct sim_op_desc *sim_ops_find_name(const struct sim_ops *ops, struct wb_view name)
{
    for (size_t i = 0; i < ops->count; i++) {
        const char *own = ops->ops[i].name;
        if (strlen(own) == name.len && memcmp(own, name.data, name.len) == 0)
            return &ops->ops[i];
    }
    return NULL;
}

/* A table is looked through once, not once an op. */
static void index_ops(const struct sim_ops *ops, struct sim_run *run)
{
    WB_ASSERT(ops->count < SIM_OPCODES);
    memset(run->index, 0, sizeof(run->index));
    for (size_t i = ops->count; i-- > 0;)
        run->index[ops->ops[i].opcode] = (uint8_t)(i + 1);
    run->index_of = ops;
    run->trace.ops = ops;
}

const struct sim_op_desc *sim_ops_enter(const struct sim_ops *ops, struct sim_run *run,
                                        const struct sim_header *header, const struct sim_op *op)
{
    if (run->index_of != ops)
        index_ops(ops, run);
    size_t place = run->index[op->opcode];
    const struct sim_op_desc *desc = place > 0 ? &ops->ops[place - 1] : NULL;
    if (desc != NULL && (header->swarm >> desc->op_class & 1) == 0) {
        bool is_choice = desc->arg == SIM_ARG_CHOICE && op->arg < SIM_CHOICES;
        run->entered = op->opcode;
        run->entered_choice = is_choice ? (uint8_t)op->arg : SIM_CHOICES;
        run->op_counts[op->opcode]++;
        if (is_choice)
            run->choice_counts[op->opcode][op->arg]++;
        run->ops_live++;
        return desc;
    }
    if (op->opcode != SIM_OP_NOP)
        run->ops_dead++;
    return NULL;
}

void sim_ops_dead(struct sim_run *run)
{
    WB_ASSERT(run->ops_live > 0);
    WB_ASSERT(run->op_counts[run->entered] > 0);
    run->op_counts[run->entered]--;
    if (run->entered_choice < SIM_CHOICES)
        run->choice_counts[run->entered][run->entered_choice]--;
    run->ops_live--;
    run->ops_dead++;
}
