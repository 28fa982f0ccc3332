/** @file advise.h  On how many GPUs an algorithm is fastest: the model behind weir_devices_advise(). Not
 *  installed.
 *
 * What one GPU does alone several share, but each of them has to be started, and what they know has to come
 * together: at a barrier over links after each level, in an exchange of values after each sweep, or once, in
 * the end, where components are joined. So long thin graphs stay on one GPU whatever their size, others go
 * on several from a size on. Every function but weir__advise_levels() is one of the facts alone. */
#ifndef WEIR_ALGORITHMS_COMMON_ADVISE_H
#define WEIR_ALGORITHMS_COMMON_ADVISE_H

#include "algorithms/algorithms.h"

/** What the model looks at; a plain value. */
struct weir__advise {
    weir_shape shape;
    uint32_t devices;      /**< GPUs there are, at least 1 */
    double vertices;       /**< of the graph */
    double arcs;           /**< of the graph */
    double arcs_a_level;   /**< mean of a search; of LEVELS and COMPONENTS */
    double found_a_level;  /**< vertices, the same */
    double levels;         /**< that the search went through, as far as it went */
    double bytes_a_device; /**< least pool of the GPUs; 0: unknown */
};

/** Whether levels are too narrow for a barrier over several GPUs to pay. */
int weir__advise_narrow(const struct weir__advise *facts);
/** Microseconds on @p devices GPUs: of a level where levels are narrow and all hangs on them, of a sweep, and
 *  else of a run but for what it costs on any number of GPUs. Of use to compare numbers of GPUs only. */
double weir__advise_us(const struct weir__advise *facts, uint32_t devices);
/** The fewest GPUs that hold the graph, or all if none do. */
uint32_t weir__advise_least(const struct weir__advise *facts);
/** The fastest number among the powers of two, and all, that hold the graph; fewer where the gain is small.
 *  @param[out] why_out  as of weir_devices_advise(). */
uint32_t weir__advise_devices(const struct weir__advise *facts, const char **why_out);

/** The same of host devices with @p threads threads each: one, where levels are so narrow that it is faster by far,
 *  else all. */
uint32_t weir__advise_hosts(const struct weir__advise *facts, uint32_t threads, uint32_t cores,
                            const char **why_out);

/** Arcs that searches for weir__advise_levels() look at: of a number of devices; and of whether there are many levels. */
#define WEIR__ADVISE_ARCS (UINT64_C(1) << 22)
#define WEIR__ADVISE_FEW  (UINT64_C(1) << 19)
/** Arcs and vertices of a mean level, by short searches on the host: from the vertex of the largest
 *  out-degree and, where that ends early, from some others; the longest search counts.
 *  @param[in] arcs  that are looked at in all.  @retval WEIR_ERR_NOMEM */
weir_status weir__advise_levels(const weir_graph *graph, uint64_t arcs, struct weir__advise *facts);
/** Whether such a search went through so many levels that a whole one has very many: on a road network or a mesh each level adds little to the
 *  next, on a random graph it multiplies. */
int weir__advise_deep(const struct weir__advise *facts);

#endif
