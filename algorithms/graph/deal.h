/** @file deal.h  Arcs dealt out to stretches of vertices by where they begin. Not installed.
 *
 * A stretch is so small that its rows can be made in a core's cache, and stretches hold about as many arcs each. Memory of
 * the list is given back while it is dealt out, and that of a stretch once its rows are made, so that there is never more
 * than the list, or the arcs that were dealt out, with what was made of them. */
#ifndef WEIR_ALGORITHMS_GRAPH_DEAL_H
#define WEIR_ALGORITHMS_GRAPH_DEAL_H

#include "algorithms/graph/build.h"
#include "algorithms/graph/deal_map.h"
#include "algorithms/graph/ebb.h"

struct weir__ahead;

/** Bytes of an arc in a stretch. @param[in] bits  of keys (deal_map.h); 0: there are none. */
static inline size_t weir__dealt_bytes(weir_weight_kind kind, uint32_t bits)
{
    return kind == WEIR_WEIGHT_NONE  ? (bits ? sizeof(uint32_t) : sizeof(struct weir__arc_plain))
           : kind == WEIR_WEIGHT_U32 ? (bits ? sizeof(uint64_t) : sizeof(struct weir__arc_u32))
                                     : sizeof(struct weir__arc_f64);
}

/** Arcs by stretch. No loops are among them. */
typedef struct weir__dealt {
    weir_weight_kind kind;
    uint32_t bits; /**< of keys; 0: arcs lie as weir__arc_* of the kind */
    uint32_t stretches;
    uint64_t first[WEIR__STRETCHES_MAX +
                   1]; /**< vertex of each; behind the last one the number of vertices */
    uint64_t begin[WEIR__STRETCHES_MAX + 1]; /**< arcs before each, and all */
    char *arcs;                              /**< in any order within a stretch; NULL: in `early` */
    struct weir__ebb ebb;
    weir__early *early; /**< arcs that were dealt out as they came */
} weir__dealt;

/** Arcs of a stretch that were dealt out as they came; they lie behind this. */
struct weir__chunk {
    struct weir__chunk *next;
    uint32_t count;
};
/** Arcs begin with a line of the caches, as chunks do. */
#define WEIR__CHUNK_HEAD 64u
static inline char *weir__chunk_arcs(struct weir__chunk *chunk)
{
    return (char *)chunk + WEIR__CHUNK_HEAD;
}

/** Arcs of a stretch that lie side by side. */
struct weir__piece {
    char *arcs; /**< NULL: there are no more */
    uint64_t count;
    struct weir__chunk *chunk;
};
/** The first ones of a stretch. */
struct weir__piece weir__dealt_first(const weir__dealt *dealt, uint32_t stretch);
/** Those behind them. */
struct weir__piece weir__dealt_next(struct weir__piece piece);

/** Deal out a list, both directions of each arc if it is mirrored. Its arrays are freed unless they are borrowed, also on
 *  failure. @param[in] kind  how weights are kept; all of them have to be such. @retval WEIR_ERR_NOMEM */
weir_status weir__deal(weir__arcs *arcs, weir_weight_kind kind, uint32_t threads,
                       weir__dealt *dealt_out);
/** Give the memory of a stretch back. Any thread, each stretch once. */
void weir__dealt_drop(weir__dealt *dealt, uint32_t stretch);
void weir__dealt_free(weir__dealt *dealt);

/** Make stretches of about as many arcs and vertices each. @param[in] count  arcs of each cell of @p map, whose `shift`, `cells` and `bits` are set.
 *  @param[in] least  arcs and vertices of a stretch, unless there are too many stretches then. */
void weir__stretches_make(const uint64_t *count, uint64_t vertices, uint64_t least,
                          weir__deal_map *map, uint64_t *first_out, uint64_t *begin_out);
/** Cells for so many vertices, and keys if they fit and do not take too many stretches for so many arcs. @param[in] arcs  0: keys are not wanted. */
void weir__cells_make(uint64_t vertices, uint64_t arcs, weir__deal_map *map);

/* ---- arcs that are dealt out as they come (deal_early.c) ------------------------------------------------ */

/** Where arcs of a list are dealt out to before all of them are known, @p plain being the next ones: take those that the list has over, and
 *  set `early` of @p arcs. Leaves all as it is where that is of no use. @retval WEIR_ERR_NOMEM */
weir_status weir__early_begin(weir__arcs *arcs, const weir__plain *plain);
/** Add arcs: those that `ahead.h` read are dealt out later, which `deal_to` of @p plain says. A fraction among their weights makes a list of all. @retval WEIR_ERR_NOMEM */
weir_status weir__early_append(weir__arcs *arcs, weir__plain *plain);
/** Deal out what weir__early_append() left in @p plain to be dealt out, by the thread @p who, of which each has its own memory to do so. */
void weir__early_deal(weir__early *early, uint32_t who, const weir__plain *plain);
#define WEIR__DEALERS_MAX 33u
/** Who reads the text, and deals out what is given then; NULL: nobody does any more. */
void weir__early_source(weir__early *early, struct weir__ahead *ahead);
/** Make a list of them again. @retval WEIR_ERR_NOMEM */
weir_status weir__early_spread(weir__arcs *arcs);
/** Whether stretches turned out as even as they were expected to be. @param[in] vertices  now that all are known. */
int weir__early_is_even(weir__early *early, uint64_t vertices);
weir_weight_kind weir__early_kind(const weir__early *early);
/** Bits of a target in their keys; 0: there are none. For tests. */
uint32_t weir__early_bits(const weir__early *early);
/** What weir__deal() of a list gives, of arcs that are dealt out already. @retval WEIR_ERR_NOMEM  some of them had no room. */
weir_status weir__early_take(weir__arcs *arcs, weir__dealt *dealt_out);
struct weir__chunk *weir__early_chunk(const weir__early *early, uint32_t stretch);
/** As weir__dealt_drop(). */
void weir__early_drop(weir__early *early, uint32_t stretch);
void weir__early_free(weir__early *early);
/** Deal out where so many arcs are expected, into stretches of so many; 0: as usual. For tests. */
void weir__early_pretend(uint64_t arcs);

#endif
