/** @file ring.h  Judging rings, and two ways to look for the best. For ring*.c and tests. */
#ifndef WEIR_TOPOLOGY_RING_H
#define WEIR_TOPOLOGY_RING_H

#include "topology/plan.h"

/** How good a ring is when all its devices send to the next one at once. */
struct weir__ring_worth {
    uint32_t staged;  /**< steps between devices that do not reach each other; fewer is better */
    double least_gbs; /**< the smallest share; larger is better */
    double sum_gbs;   /**< of all shares; larger is better */
};

/** From one device of a ring to the next. */
struct weir__ring_step {
    double gbs; /**< alone */
    uint32_t staged, count;
    uint16_t resource[2 * WEIR_PATH_HOPS_MAX];
};

struct weir__ring_judge {
    const weir_machine *machine;
    uint32_t n;
    struct weir__ring_step *steps; /* n * n */
    double *capacity;              /* of each resource */
    uint32_t *flows;               /* that use it, of the ring or part of a ring being judged */
    struct weir__shares *shares;
};

static inline const struct weir__ring_step *weir__ring_step(const struct weir__ring_judge *judge,
                                                            uint32_t from, uint32_t to)
{
    return &judge->steps[from * judge->n + to];
}

/* ---- ring_judge.c ---------------------------------------------------------------------------- */

weir_status weir__ring_judge_create(const weir_machine *machine,
                                    struct weir__ring_judge **judge_out);
void weir__ring_judge_destroy(struct weir__ring_judge *judge);
/** Add a step to the part being judged. @return the smallest share, given that of the part
 *  before. */
double weir__ring_add(struct weir__ring_judge *judge, uint32_t from, uint32_t to, double least);
void weir__ring_remove(struct weir__ring_judge *judge, uint32_t from, uint32_t to);
/** All but the sum, which is the slow part; infinity stands for it. */
struct weir__ring_worth weir__ring_judge_least(struct weir__ring_judge *judge,
                                               const uint8_t *order);
double weir__ring_judge_sum(struct weir__ring_judge *judge, const uint8_t *order);
struct weir__ring_worth weir__ring_judge_worth(struct weir__ring_judge *judge,
                                               const uint8_t *order);
/** @return greater than 0 when @p a is better, less when @p b is; within 10^-9 they are alike. */
int weir__ring_compare(const struct weir__ring_worth *a, const struct weir__ring_worth *b);

/* ---- ring_exact.c, ring_improve.c: order[0] is 0 in both ------------------------------------- */

#define WEIR__RING_EXACT_MAX 9 /* 8! rings */

/** The best of all rings and of those the one with the lowest numbers. @p order: a good ring to
 *  start with. At most WEIR__RING_EXACT_MAX devices. */
void weir__ring_exact(struct weir__ring_judge *judge, uint8_t *order);
/** A good one, by local search from two starts. */
void weir__ring_improve(struct weir__ring_judge *judge, uint8_t *order_out);

#endif
