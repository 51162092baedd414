/*
 * position.c: steps between positions and folds of bounds. moq-lite, subscriptions and ranges.
 */
#include "core/window/position.h"

bool wb_position_after(struct wb_position p, struct wb_position *out)
{
    if (p.frame == UINT64_MAX)
        return wb_position_after_group(p.group, out);
    *out = (struct wb_position){p.group, p.frame + 1};
    return true;
}

bool wb_position_after_group(uint64_t group, struct wb_position *out)
{
    if (group == UINT64_MAX)
        return false;
    *out = wb_position_group(group + 1);
    return true;
}

bool wb_position_before(struct wb_position p, struct wb_position *out)
{
    if (p.frame > 0)
        *out = (struct wb_position){p.group, p.frame - 1};
    else if (p.group > 0)
        *out = (struct wb_position){p.group - 1, UINT64_MAX};
    else
        return false;
    return true;
}

struct wb_bound wb_bound_at(struct wb_position p)
{
    return (struct wb_bound){.present = true, .at = p};
}

struct wb_bound wb_bound_after(struct wb_position p)
{
    struct wb_bound b = {0};

    b.present = wb_position_after(p, &b.at);
    return b;
}

struct wb_bound wb_bound_after_group(uint64_t group)
{
    struct wb_bound b = {0};

    b.present = wb_position_after_group(group, &b.at);
    return b;
}

bool wb_bound_equal(struct wb_bound a, struct wb_bound b)
{
    if (a.present != b.present)
        return false;
    return !a.present || wb_position_equal(a.at, b.at);
}

static struct wb_bound lower(struct wb_bound a, struct wb_bound b)
{
    return wb_position_less(b.at, a.at) ? b : a;
}

static struct wb_bound higher(struct wb_bound a, struct wb_bound b)
{
    return wb_position_less(a.at, b.at) ? b : a;
}

struct wb_bound wb_bound_min_neutral(struct wb_bound a, struct wb_bound b)
{
    if (!a.present)
        return b;
    return b.present ? lower(a, b) : a;
}

struct wb_bound wb_bound_max_neutral(struct wb_bound a, struct wb_bound b)
{
    if (!a.present)
        return b;
    return b.present ? higher(a, b) : a;
}

struct wb_bound wb_bound_min_absorbing(struct wb_bound a, struct wb_bound b)
{
    if (!a.present)
        return a;
    return b.present ? lower(a, b) : b;
}

struct wb_bound wb_bound_max_absorbing(struct wb_bound a, struct wb_bound b)
{
    if (!a.present)
        return a;
    return b.present ? higher(a, b) : b;
}
