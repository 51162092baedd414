/*
 * unions_laws.c: what holds of any sets, whatever they are: the laws of their algebra, and those of
 * optional bounds. No model is asked.
 */
#include "targets/window/places.h"
#include "targets/window/unions.h"

#define LAWS_RUNS 64u

typedef enum wb_err (*combine_fn)(struct wb_window *, struct wb_mem *, const struct wb_window *);

/* *out = a OP b; false when the allocator refused. */
static bool make(struct unions *w, struct wb_window *out, const struct wb_window *a, combine_fn op,
                 const struct wb_window *b)
{
    struct wb_mem *mem = sim_run_mem(w->run);
    uint64_t refused = w->run->alloc.refused;
    enum wb_err err = wb_window_copy(out, a, mem);

    if (err == WB_OK)
        err = op(out, mem, b);
    FUZZ_CHECK(WIN_009, err == WB_OK || err == WB_E_NOMEM);
    return !unions_was_refused(w, err, refused);
}

/* (a OP b) OP c == a OP (b OP c); a OP b == b OP a; a OP a == a. */
static bool check_op(struct unions *w, combine_fn op, const struct wb_window *const in[3],
                     struct wb_window out[3])
{
    if (!make(w, &out[0], in[0], op, in[1]) || !make(w, &out[1], &out[0], op, in[2]) ||
        !make(w, &out[0], in[1], op, in[2]) || !make(w, &out[2], in[0], op, &out[0]))
        return false;
    FUZZ_CHECK(WIN_015, wb_window_equal(&out[1], &out[2]));
    if (!make(w, &out[0], in[0], op, in[1]) || !make(w, &out[1], in[1], op, in[0]))
        return false;
    FUZZ_CHECK(WIN_014, wb_window_equal(&out[0], &out[1]));
    if (!make(w, &out[0], in[0], op, in[0]))
        return false;
    FUZZ_CHECK(WIN_016, wb_window_equal(&out[0], in[0]));
    return true;
}

/* all \ (a OP b) == (all \ a) DUAL (all \ b) */
static bool check_dual(struct unions *w, combine_fn op, combine_fn dual,
                       const struct wb_window *const in[3], struct wb_window out[4])
{
    static const struct wb_range everything = {{0, 0}, {0}};
    struct wb_window all;
    bool done;

    wb_window_init(&all);
    if (wb_window_add(&all, sim_run_mem(w->run), &everything) != WB_OK)
        return false;
    done = make(w, &out[0], in[0], op, in[1]) &&
           make(w, &out[1], &all, wb_window_subtract, &out[0]) &&
           make(w, &out[2], &all, wb_window_subtract, in[0]) &&
           make(w, &out[3], &all, wb_window_subtract, in[1]) &&
           make(w, &out[0], &out[2], dual, &out[3]);
    FUZZ_CHECK(WIN_017, !done || wb_window_equal(&out[0], &out[1]));
    wb_window_fini(&all, sim_run_mem(w->run));
    return done;
}

void unions_laws(struct unions *w, const struct sim_op *op)
{
    const struct wb_window *in[3] = {&w->windows[op->slot % UNIONS_SLOTS],
                                     &w->windows[op->flags % UNIONS_SLOTS],
                                     &w->windows[op->arg % UNIONS_SLOTS]};
    struct wb_window out[4];

    for (size_t i = 0; i < 4; i++)
        wb_window_init(&out[i]);
    if (in[0]->count + in[1]->count + in[2]->count <= LAWS_RUNS)
        (void)(check_op(w, wb_window_union, in, out) && check_op(w, wb_window_intersect, in, out) &&
               check_dual(w, wb_window_union, wb_window_intersect, in, out) &&
               check_dual(w, wb_window_intersect, wb_window_union, in, out));
    for (size_t i = 0; i < 4; i++)
        wb_window_fini(&out[i], sim_run_mem(w->run));
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static bool is_bound(struct wb_bound got, bool present, struct wb_position at)
{
    return got.present == present && (!present || ref_position_order(got.at, at) == 0);
}

static void check_steps(struct wb_position p)
{
    struct wb_position got = {7, 7}, want = {7, 7}, group = {7, 7};
    bool has = ref_position_next(p, &want);
    bool has_group = ref_position_next((struct wb_position){p.group, UINT64_MAX}, &group);

    FUZZ_CHECK(WIN_026, wb_position_after(p, &got) == has && ref_position_order(got, want) == 0);
    FUZZ_CHECK(WIN_026, is_bound(wb_bound_after(p), has, want));
    FUZZ_CHECK(WIN_026, is_bound(wb_bound_after_group(p.group), has_group, group));
    got = (struct wb_position){7, 7};
    FUZZ_CHECK(WIN_026, wb_position_after_group(p.group, &got) == has_group &&
                            ref_position_order(got, group) == 0);
    got = want = (struct wb_position){7, 7};
    has = ref_position_prior(p, &want);
    FUZZ_CHECK(WIN_026, wb_position_before(p, &got) == has && ref_position_order(got, want) == 0);
}

/* Neutral: the other side wins. Absorbing: the result is absent. */
void unions_bounds(const struct unions *w, const struct sim_op *op)
{
    struct wb_bound a = places_bound(op->arg), b = places_bound(op->ext);
    bool is_a_lower = ref_position_order(a.at, b.at) < 0, both = a.present && b.present;
    struct wb_position low = is_a_lower ? a.at : b.at, high = is_a_lower ? b.at : a.at;
    struct wb_position sole = a.present ? a.at : b.at;
    bool any = a.present || b.present;

    (void)w;
    check_steps(a.at);
    check_steps(b.at);
    FUZZ_CHECK(WIN_027, is_bound(wb_bound_min_neutral(a, b), any, both ? low : sole));
    FUZZ_CHECK(WIN_027, is_bound(wb_bound_max_neutral(a, b), any, both ? high : sole));
    FUZZ_CHECK(WIN_027, is_bound(wb_bound_min_absorbing(a, b), both, low));
    FUZZ_CHECK(WIN_027, is_bound(wb_bound_max_absorbing(a, b), both, high));
    FUZZ_CHECK(WIN_027, wb_bound_equal(a, b) == is_bound(a, b.present, b.at));
}
