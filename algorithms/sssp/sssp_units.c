/** @file sssp_units.c  Weights that are no integers, but multiples of one power of two: as those multiples.
 *
 * Halves, quarters, and the floats of `random:LO-HIf` are. A sum of them is the sum of the multiples times the unit, exactly, as long as
 * it is below 2^53 units: so all forms that take integers take them, and find what a serial search with doubles finds, bit by bit. */
#include "algorithms/sssp/sssp.h"
#include "runtime/observe.h"
#include "runtime/room.h"
#include "runtime/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define ARC_CHUNK (UINT64_C(1) << 16)
#define LEAST_EXP 1100 /* above that of every double */
/* 2^53 units are the longest path that is told apart from others, and they have to be a double as well. */
#define UNIT_EXP_MAX (DBL_MAX_EXP - DBL_MANT_DIG - 1)

struct look {
    const double *weights;
    int exponent; /* the least of a bit that is set; both are relaxed atomics */
    int whole_no; /* a weight is below 0, or no number */
};

/* The exponent of the last bit that is set in a weight above 0. */
static int last_bit(double weight)
{
    int exponent;
    const double mantissa = frexp(weight, &exponent); /* 0.5 up to 1: 53 bits behind the point */
    return exponent - 53 + __builtin_ctzll((uint64_t)ldexp(mantissa, 53));
}

static void look_at(void *user, uint64_t begin, uint64_t end)
{
    struct look *look = user;
    int least = LEAST_EXP, refused = 0;
    for (uint64_t i = begin; i < end; i++) {
        const double weight = look->weights[i];
        if (!(weight >= 0) || !isfinite(weight)) {
            refused = 1;
            break;
        }
        const int bit = weight > 0 ? last_bit(weight) : LEAST_EXP;
        least = bit < least ? bit : least;
    }
    if (refused)
        __atomic_store_n(&look->whole_no, 1, __ATOMIC_RELAXED);
    for (int known = __atomic_load_n(&look->exponent, __ATOMIC_RELAXED);
         least < known && !__atomic_compare_exchange_n(&look->exponent, &known, least, 1,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);)
        ;
}

struct divide {
    const double *weights;
    uint32_t *multiples;
    int exponent;
    int large; /* one does not fit 32 bits; relaxed atomic */
};

static void divide(void *user, uint64_t begin, uint64_t end)
{
    struct divide *d = user;
    for (uint64_t i = begin; i < end; i++) {
        const double times = ldexp(d->weights[i], -d->exponent);
        if (times >= SSSP_U32_FAR) {
            __atomic_store_n(&d->large, 1, __ATOMIC_RELAXED);
            return;
        }
        d->multiples[i] = (uint32_t)times;
    }
}

weir_status weir__sssp_units_of(const weir_graph *graph, struct weir__sssp_units *units_out)
{
    struct look look = {.weights = graph->weights_f64, .exponent = LEAST_EXP};
    struct divide d = {.weights = graph->weights_f64};
    weir_status status;
    *units_out = (struct weir__sssp_units){.unit = 1};
    if (!graph->weights_f64)
        return WEIR_OK;
    if ((status = weir_graph_fetch(graph)) || /* what follows has the same targets */
        (status = weir__activity_for("looking at weights", "arcs", graph->arcs, ARC_CHUNK, 0,
                                     look_at, &look)))
        return status;
    if (look.exponent == LEAST_EXP) /* no arcs, or all of them weigh 0: any unit will do */
        look.exponent = 0;
    if (look.whole_no || look.exponent > UNIT_EXP_MAX)
        return WEIR_OK;
    struct weir__need need = {0, 0};
    weir__need_take(&need, graph->arcs, sizeof *d.multiples);
    d.exponent = look.exponent;
    if ((status =
             weir__need_fits(&need, "weights of %llu arcs", (unsigned long long)graph->arcs)) ||
        (status = weir__alloc(graph->arcs, sizeof *d.multiples, "weights of arcs", &d.multiples)))
        return status;
    status = weir__activity_for("dividing weights", "arcs", graph->arcs, ARC_CHUNK, 0, divide, &d);
    if (status || d.large) {
        free(d.multiples);
        return status;
    }
    units_out->multiples = d.multiples;
    units_out->unit = ldexp(1, d.exponent);
    units_out->graph = *graph;
    units_out->graph.weight_kind = WEIR_WEIGHT_U32;
    units_out->graph.weights_f64 = NULL;
    units_out->graph.weights_u32 = d.multiples;
    return WEIR_OK;
}

void weir__sssp_units_end(struct weir__sssp_units *units)
{
    free(units->multiples);
    units->multiples = NULL;
}
