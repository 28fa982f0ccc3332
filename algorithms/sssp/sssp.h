/** @file sssp.h  What the operators of shortest paths work on, and what is decided before. Not installed. */
#ifndef WEIR_ALGORITHMS_SSSP_SSSP_H
#define WEIR_ALGORITHMS_SSSP_SSSP_H

#include "algorithms/algorithms.h"
#include "algorithms/part.h"

/** All bits: above every distance, and what a byte-wise fill can write. */
#define SSSP_U32_UNREACHED UINT32_MAX
#define SSSP_F64_UNREACHED UINT64_MAX
/** Reached, at this distance or a greater one. */
#define SSSP_U32_FAR (UINT32_MAX - 1)

typedef struct sssp_u32_item {
    uint32_t vertex; /* local: owned, or of the halo; global while it travels */
    uint32_t distance;
} sssp_u32_item;

typedef struct sssp_f64_item {
    uint64_t distance; /* bits of a double of 0 or more */
    uint32_t vertex;   /* as above */
    uint32_t zero;     /* no padding: items are copied as bytes */
} sssp_f64_item;

/* An arc in a padded row. */
typedef struct sssp_u32_entry {
    uint32_t target, weight;
} sssp_u32_entry;

typedef struct sssp_u32_state {
    weir_part part;                    /* its weights are uint32_t */
    uint32_t *distance;                /* owned, then the smallest sent to each of the halo */
    const struct sssp_u32_entry *rows; /* padded rows (part.h) of 2^row_log arcs; NULL: none */
    uint32_t row_log;
    uint32_t zero; /* no padding */
} sssp_u32_state;

typedef struct sssp_f64_state {
    weir_part part;     /* its weights are uint32_t if `integers`, else double */
    uint64_t *distance; /* as above */
    double scale;       /* priorities of a distance of 1 */
    int64_t integers;
} sssp_f64_state;

/** What the weights of a graph say. */
struct weir__sssp_estimate {
    double mean;    /* weight of an arc; 0 without arcs */
    double longest; /* no path and no candidate is longer: a path leaves each vertex at most once */
    int whole;      /* all weights are integers */
    uint64_t nothing;   /* the first arc of weight 0; UINT64_MAX: there is none */
    int wide;           /* begin with 64 bits */
    double scale;       /* of sssp_f64_state: a mean weight is 64 priorities */
    uint32_t delta_u32; /* steps of the threshold to begin with, for either operator */
    uint32_t delta_f64;
    uint32_t delta_step; /* width of a bucket in step */
    int skewed;          /* in step is faster: degrees are, or there are many arcs a vertex */
    int few;             /* it is skewed, and a GPU does all of its arcs in no time */
    int hubs;            /* some vertices have many times the arcs of others */
};

/** Look at all weights. @retval WEIR_ERR_INVALID  there are none, or negative or too large ones. */
weir_status weir__sssp_estimate(const weir_graph *graph, struct weir__sssp_estimate *estimate_out);

/** How wide a step of push is at first, in priorities.
 *  @param[in] gpus  devices, if all are GPUs; else 0. */
uint32_t weir__sssp_width(const struct weir__sssp_estimate *estimate, int wide, uint32_t gpus);

/** Weights as integers, where they are multiples of a power of two. */
struct weir__sssp_units {
    double unit; /* 1: weights are taken as they are */
    weir_graph
        graph; /* if `multiples`: the same with these for weights; good as long as the other is */
    uint32_t *multiples; /* NULL: they are not all such, or too large, or integers already */
};

/** @param[out] units_out  for weir__sssp_units_end().  @retval WEIR_ERR_NOMEM  no host memory for the multiples. */
weir_status weir__sssp_units_of(const weir_graph *graph, struct weir__sssp_units *units_out);
void weir__sssp_units_end(struct weir__sssp_units *units);

/** Items of the last run that did not fit into an inbox (sssp_step.h); 0 if it did not go in step. */
uint64_t weir__sssp_spilled(const weir_sssp *sssp);
/** Whether distances have 64 bits now. */
int weir__sssp_wide(const weir_sssp *sssp);

#endif
