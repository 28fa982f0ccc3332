/** @file algorithms.h  Graphs, partitions and the traversal suite.
 *
 * A *graph* is a compressed sparse row (CSR) structure in host memory. A *partition* assigns every
 * vertex to one device. A *placement* is a partitioned graph on the devices of a context. A *traversal*
 * runs an operator over a placement, any number of times: weir_bfs and weir_sssp are made of the two, and
 * so are operators of your own (docs/operators.md). weir_pbf filters arrays instead, with links and
 * routers alone.
 *
 * Rules for graphs (docs/design.md "Rules for graphs and answers"): duplicate arcs collapse to the
 * smallest weight, self loops are dropped, ids of edge lists are taken as written (n = largest +
 * 1), formats that count from 1 are shifted, MatrixMarket `symmetric` and Graph500 give both directions.
 *
 * Threads: graphs, partitions and placements are read-only after they are made and may be shared; a
 * traversal or an algorithm object is used by one thread at a time, except for its _cancel.
 *
 * Long calls: an observer of the calling thread (weir_observer in runtime/runtime.h) sees how far they are and may end them with
 * WEIR_ERR_CANCELLED or, at its limit, WEIR_ERR_TIMEOUT: weir_graph_open(), weir_generator_arcs(), weir_graph_from_arcs(), weir_graph_undirected(),
 * weir_graph_weigh(), weir_graph_write(), weir_graph_summarize(), weir_graph_span_find(); weir_partition_create() (with METIS in
 * its child), weir_partition_create_for(), weir_partition_read(), weir_partition_write(), weir_partition_parts(); weir_placement_create() and
 * weir_placement_create_with_in_arcs(), weir_rows_create(); weir_bfs_create(), weir_bfs_batch_create(), weir_sssp_create(), weir_pr_create(), weir_cc_create(), weir_color_create();
 * weir_bfs_reference(), weir_bfs_tree_check(), weir_sssp_reference(), weir_pr_reference(), weir_pr_check(), weir_cc_reference(), weir_color_reference();
 * weir_bfs_certify(), weir_sssp_certify(), weir_pr_certify(), weir_cc_certify(), weir_color_certify().
 */
#ifndef WEIR_ALGORITHMS_ALGORITHMS_H
#define WEIR_ALGORITHMS_ALGORITHMS_H

#include "algorithms/part.h"
#include "worklist/worklist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- graphs ------------------------------------------------------------------------------- */

/** Most vertices a graph may have: ids are 32 bits, and one value is kept as "none". */
#define WEIR_VERTICES_MAX UINT64_C(0xFFFFFFFE)

/** What the weights of the arcs are. */
typedef enum weir_weight_kind {
    WEIR_WEIGHT_NONE = 0, /**< the input had none */
    WEIR_WEIGHT_U32 = 1,  /**< every weight is an integer of 0 .. 2^32-1 */
    WEIR_WEIGHT_F64 = 2   /**< anything else that is finite, negative values too */
} weir_weight_kind;

/** A directed graph in CSR form: the out-arcs of v are targets[offsets[v]] to
 * targets[offsets[v+1]-1], ascending, each once, none to v itself. Read-only for users; freed by
 * weir_graph_destroy(). */
typedef struct weir_graph {
    uint64_t vertices;
    uint64_t arcs;
    const uint64_t *offsets; /**< vertices + 1 values, offsets[vertices] == arcs */
    const uint32_t
        *targets; /**< arcs values; NULL: they are on devices, and weir_graph_fetch() brings them */
    weir_weight_kind weight_kind;
    const uint32_t *weights_u32; /**< arcs values if weight_kind is WEIR_WEIGHT_U32, else NULL */
    const double *weights_f64;   /**< arcs values if weight_kind is WEIR_WEIGHT_F64, else NULL */
    const char *name;            /**< file name without folder, or the generator's text */
    /** "MatrixMarket", "DIMACS", "METIS", "edge list", "Galois", "GAP", "Graph500", "generator" or "memory" */
    const char *format;
    double
        prepare_ms; /**< what weir_graph_open() or weir_graph_from_arcs() took, and weir_graph_weigh() since */
    uint64_t
        negative_line; /**< line of a text that was read with its first weight below 0; 0: none, or unknown */
    /** What the rules above dropped of the arcs that were read, made or given: self loops, and arcs whose ends another has,
     *  when reverse arcs were added where that was asked for. */
    uint64_t loops_dropped, duplicates_dropped;
    /** Non-zero: it was made with the reverse of every arc, of equal weight; 0: that has to be looked up. */
    int mirrored;
    int borrowed,
        borrowed_weights; /**< non-zero: offsets and targets, and the weights, are the caller's (weir_graph_wrap()) */
    struct weir_graph_resident
        *resident; /**< NULL, or that arcs are in devices' memory (weir_graph_options.resident) */
} weir_graph;

/** How a graph is read or generated. */
typedef struct weir_graph_options {
    size_t size;      /**< sizeof(weir_graph_options), set by WEIR_GRAPH_OPTIONS_INIT */
    int undirected;   /**< add every reverse arc */
    uint32_t threads; /**< for generating and sorting; 0: one per core. Never changes a result */
    /** Whose GPUs make a graph of many arcs, if it has some and there is room, in place of the host's cores; NULL: none does.
     *  Never changes a result. Needed during the call only, unless arcs stay there. */
    weir_context *context;
    /** 0: arcs go to host memory. N: generated arcs that GPUs made, from 2^28 on, stay in their memory, 4 bytes each, where the pools have room for N times
     *  as many, and are brought to the host when something first needs them there: placing large graphs by rows does not, nor do
     *  partitions (but for metis) and certificates. 3 leaves room for searches in step and for components, WEIR_GRAPH_RESIDENT for all algorithms of this library. The
     *  graph keeps the context, and its targets are NULL until weir_graph_fetch(). */
    uint32_t resident;
    /** NULL, or in place of `context` what gives it, so that a context may be made while a file is read: called by the calling thread, once at
     *  most, when all arcs are there and so many that GPUs could make the graph of them. What it leaves in *context_out, which begins as NULL, is as
     *  if `context` had been that; a failure ends the call. */
    weir_status (*context_of)(void *user, weir_context **context_out);
    void *user; /**< for context_of */
} weir_graph_options;
/** weir_graph_options.resident that leaves room for PageRank's bins, too. */
#define WEIR_GRAPH_RESIDENT 6u
/** Defaults of weir_graph_options. */
#define WEIR_GRAPH_OPTIONS_INIT                               \
    {                                                         \
        sizeof(weir_graph_options), 0, 0, NULL, 0, NULL, NULL \
    }

/** Load or generate a graph.
 *
 *  @param[in] text  a path (format found by content, not by suffix; gzip, xz and zstd are unpacked), `-` for standard input; or a
 *     path with its format in front, for what is not what it looks like: `mtx:PATH`, `dimacs:PATH`, `metis:PATH`, `edges:PATH`, `galois:PATH`,
 *     `gap:PATH` (a file of such a name is `./mtx:PATH`), and `graph500:PATH`: edges packed in 12 bytes, both directions, 2^k vertices; or
 *     `rmat:SCALE[,EDGEFACTOR[,SEED[,unshuffled]]]`: R-MAT with A,B,C = .57,.19,.19 (Graph500), 2^SCALE vertices,
 *     EDGEFACTOR * 2^SCALE arcs before cleaning (16), labels shuffled, seed 1; unshuffled: numbered as the matrix
 *     has them, the smaller, the more arcs; or
 *     `uniform:SCALE[,EDGEFACTOR[,SEED]]`: the same numbers of both, each arc between any two vertices; or
 *     `mesh:WxH[,shuffle[,SEED]]`: W*H vertices, each joined to those on the right, below, and below on the right, both
 *     directions; numbered along rows, or by a random permutation; or
 *     `grid:WxH[,KEEP[,SEED]]`: W*H vertices, each edge to the right and below kept with probability
 *     KEEP (1), both directions; or
 *     `chain:N`, `star:N`, `complete:N`: N vertices in a line, all joined to the first, each joined to all others, both directions; or
 *     `tree:N[,ARITY]`: vertex v above 0 joined to number (v - 1) / ARITY (2), both directions; or
 *     `smallworld:N[,DEGREE[,REWIRED[,SEED]]]`: a ring, each vertex joined to the DEGREE (8, even) nearest, and of each edge the far end drawn
 *     anew with probability REWIRED (0.1), both directions. Same text, same graph, whatever the number of threads.
 *  @param[in] options  NULL for defaults. Both `context` and `context_of` is WEIR_ERR_INVALID.
 *  @retval WEIR_ERR_IO      the file cannot be opened, read or unpacked.
 *  @retval WEIR_ERR_FORMAT  malformed input; weir_error_detail() names file and line.
 *  @retval WEIR_ERR_INVALID malformed generator text or a size out of range.
 *  @retval WEIR_ERR_NOMEM   the graph does not fit into host memory.
 *  @par Blocks  yes. */
weir_status weir_graph_open(const char *text, const weir_graph_options *options,
                            weir_graph **graph_out);

/** Arcs of the list that a generator's graph is made of, before it is cleaned: with loops and duplicates, in the list's order, each in
 *  one direction. Arc i is the same whichever are asked for.
 *  @param[in] text   `rmat:...` or `uniform:...` as of weir_graph_open(); a list has EDGEFACTOR * 2^SCALE arcs.
 *  @param[in] first  number of the first one, from 0.
 *  @param[out] sources_out, targets_out  @p count values each, the caller's.
 *  @retval WEIR_ERR_INVALID  malformed text, another generator, or arcs that are not in the list.
 *  @par Blocks  yes; works on all cores. */
weir_status weir_generator_arcs(const char *text, uint64_t first, uint64_t count,
                                uint32_t *sources_out, uint32_t *targets_out);

/** Build a graph from arrays under the rules above.
 *  @param[in] sources, targets  @p arcs values each, below @p vertices.
 *  @param[in] weights  @p arcs finite values, or NULL. */
weir_status weir_graph_from_arcs(uint64_t vertices, uint64_t arcs, const uint32_t *sources,
                                 const uint32_t *targets, const double *weights,
                                 const weir_graph_options *options, weir_graph **graph_out);

/** Arrays of a graph that a program has already, under the rules of weir_graph. */
typedef struct weir_csr {
    size_t size; /**< sizeof(weir_csr), set by WEIR_CSR_INIT */
    uint64_t vertices, arcs;
    const uint64_t *offsets;     /**< vertices + 1 values, from 0 to arcs */
    const uint32_t *targets;     /**< arcs values, ascending within a row, no loops */
    const uint32_t *weights_u32; /**< arcs values, or NULL; at most one kind of weights is given */
    const double *
        weights_f64; /**< arcs values, finite, or NULL. Their kind is WEIR_WEIGHT_F64 even where all are integers */
    weir_device *
        device; /**< whose memory the arrays lie in, of a context that lives; NULL: in host memory */
} weir_csr;
/** Defaults of weir_csr. */
#define WEIR_CSR_INIT                                        \
    {                                                        \
        sizeof(weir_csr), 0, 0, NULL, NULL, NULL, NULL, NULL \
    }

/** A graph over arrays that lie in host memory, without copying them: they stay the caller's, unchanged, until weir_graph_destroy(), which
 *  leaves them there. Arrays on a device are copied to the host, and needed during the call only. All arcs are looked at once.
 *  @retval WEIR_ERR_INVALID  offsets do not ascend, a row does not or has a loop (weir_graph_from_arcs() takes such), an arc leads to no
 *                            vertex, a weight is not finite, or arrays are missing. The sentence names the place.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE  of arrays on a device.
 *  @par Blocks  yes; works on all cores. */
weir_status weir_graph_wrap(const weir_csr *csr, weir_graph **graph_out);

/** The graph with the reverse of every arc, of which nothing is shared. Weights are left out.
 *  @retval WEIR_ERR_NOMEM  it does not fit into host memory.  @par Blocks  yes; works on all cores. */
weir_status weir_graph_undirected(const weir_graph *graph, weir_graph **graph_out);

/** Bring a graph's arcs to the host, where they are not there yet (weir_graph_options.resident): only then may targets be read. Calls of
 *  this library do it themselves. Any thread, several at a time.
 *  @retval WEIR_ERR_NOMEM  they do not fit into host memory.  @retval WEIR_ERR_DEVICE  @par Blocks  yes. */
weir_status weir_graph_fetch(const weir_graph *graph);

/** Free a graph; NULL is fine. */
void weir_graph_destroy(weir_graph *graph);

/** Write a graph; the suffix picks the format: `.mtx` MatrixMarket (general), `.gr` Galois binary
 *  version 1, `.dimacs` DIMACS text, `.graph` METIS text, `.sg` GAP without weights, `.wsg` GAP with, `.el` or `.txt` edge list; `.gz`,
 *  `.xz` or `.zst` behind it packs. DIMACS and `.wsg`, which know no arcs without weight, give them 1. METIS takes symmetric graphs only.
 *  The file appears complete or not at all. A pipe or device, and "/dev/stdout" even where the shell has made that a file, is
 *  written as it is, an edge list where it has no suffix.
 *  @retval WEIR_ERR_INVALID  unknown suffix, a format that cannot hold this graph, or a name that weir_graph_open() would
 *                            take for more than a path ("edges:a.el"; "./edges:a.el" is fine).
 *  @retval WEIR_ERR_IO       the file cannot be written. */
weir_status weir_graph_write(const weir_graph *graph, const char *path);

/** Classes of degrees, which are below 2^32. */
#define WEIR_DEGREE_CLASSES 33

/** What `weir info` says of a graph. */
typedef struct weir_graph_summary {
    size_t size;                /**< sizeof(weir_graph_summary), set by WEIR_GRAPH_SUMMARY_INIT */
    uint64_t degree_max;        /**< out-degree */
    uint64_t degree_max_vertex; /**< the smallest vertex that has it */
    uint64_t isolated;          /**< vertices without out-arcs and without in-arcs */
    double degree_mean;
    int symmetric;                 /**< every arc has its reverse */
    double weight_min, weight_max; /**< 0 when there are no weights */
    double weight_mean;            /**< the same */
    uint64_t in_degree_max;
    uint64_t in_degree_max_vertex; /**< the smallest vertex that has it */
    /** Vertices by degree: number 0 counts those without arcs, number k those with 2^(k-1) to 2^k - 1. */
    uint64_t out_degrees[WEIR_DEGREE_CLASSES], in_degrees[WEIR_DEGREE_CLASSES];
} weir_graph_summary;
/** weir_graph_summary: nothing filled in yet. */
#define WEIR_GRAPH_SUMMARY_INIT                                        \
    {                                                                  \
        sizeof(weir_graph_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, {0}, \
        {                                                              \
            0                                                          \
        }                                                              \
    }
/** Facts about a graph. @param[in,out] summary_out  begins as WEIR_GRAPH_SUMMARY_INIT.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID */
weir_status weir_graph_summarize(const weir_graph *graph, weir_graph_summary *summary_out);

/** How a graph hangs together: its weakly connected components, and how far apart vertices of the largest one are, with arcs
 *  taken both ways. */
typedef struct weir_graph_span {
    size_t size; /**< sizeof(weir_graph_span), set by WEIR_GRAPH_SPAN_INIT */
    uint64_t components;
    uint64_t
        largest; /**< vertices of the largest component; of several the one with the smallest vertex */
    /** Arcs between the two vertices of it that are farthest apart: so many at least, as the deepest search has, and so many at
     *  most, twice the least deep one, and less than its vertices. */
    uint64_t diameter_least, diameter_most;
    uint64_t searches; /**< that were made, at most 4; 0 without vertices */
} weir_graph_span;
/** weir_graph_span: nothing filled in yet. */
#define WEIR_GRAPH_SPAN_INIT                   \
    {                                          \
        sizeof(weir_graph_span), 0, 0, 0, 0, 0 \
    }
/** Find that, serially on the host: a pass over the arcs for the components, and one for each search. Takes a copy of the
 *  graph with both directions, if it is not symmetric. @param[in,out] span_out  begins as WEIR_GRAPH_SPAN_INIT.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID */
weir_status weir_graph_span_find(const weir_graph *graph, weir_graph_span *span_out);

/* ---- partitions --------------------------------------------------------------------------- */

/** How vertices are dealt out to devices. */
typedef enum weir_partition_kind {
    WEIR_PARTITION_BLOCK = 0, /**< equal numbers of consecutive vertices */
    WEIR_PARTITION_EDGE,      /**< consecutive vertices, equal numbers of arcs */
    WEIR_PARTITION_RANDOM,    /**< each vertex anywhere, equal numbers, by seed */
    WEIR_PARTITION_METIS, /**< METIS k-way on the undirected graph, vertex weights 1 + out-degree */
    WEIR_PARTITION_FILE,  /**< what a file says: weir_partition_read() */
    WEIR_PARTITION_2D     /**< arcs in blocks of two dimensions: weir_partition_create_2d() */
} weir_partition_kind;

/** Which part owns each vertex. Read-only for users. Vertices keep their order within a part. */
typedef struct weir_partition {
    weir_partition_kind kind;
    uint32_t parts;
    uint64_t vertices;
    const uint8_t *owner;  /**< vertices values, below parts */
    uint64_t cut_arcs;     /**< arcs between different parts */
    double vertex_balance; /**< largest part / mean, by vertices; 1 is perfect */
    /** The same by arcs, each counted for the owner of its tail. In two dimensions, too, where the fullest part may have `rows` times as
     *  many. */
    double arc_balance;
    double prepare_ms; /**< what weir_partition_create() or weir_partition_read() took */
    /** WEIR_PARTITION_2D: rows and columns of the grid of parts; 0 elsewhere. Part number column * rows + row stands at a row and a
     *  column. It owns vertices as any part does; beside that it has the arcs that lead from vertices of its column to vertices
     *  of its row. */
    uint32_t rows, columns;
} weir_partition;

/** Text to kind, as the option --partition takes it: "block", "edge", "random", "metis", "file:PATH", "2d:RxC".
 *  @retval WEIR_ERR_INVALID  unknown, or 2d: with no grid behind it. */
weir_status weir_partition_kind_parse(const char *text, weir_partition_kind *kind_out);
/** Read the grid of "2d:RxC". @param[out] rows_out, columns_out  1 and more, whose product is WEIR_DEVICES_MAX at most.
 *  @retval WEIR_ERR_INVALID  it is no such text. */
weir_status weir_partition_2d_parse(const char *text, uint32_t *rows_out, uint32_t *columns_out);
/** "block", "edge", "random", "metis", "file", "2d"; "unknown" for anything else. Static storage. */
const char *weir_partition_kind_text(weir_partition_kind kind);

/** Partition a graph.
 *  @param[in] parts   1 .. WEIR_DEVICES_MAX; parts may come out empty.
 *  @param[in] seed    for random and metis.
 *  @param[in] config  metis_helper and metis_timeout; NULL for defaults and environment.
 *  @retval WEIR_ERR_CHILD    the METIS helper is missing, failed or was killed (the detail says
 * how).
 *  @retval WEIR_ERR_TIMEOUT  METIS took longer than WEIR_METIS_TIMEOUT.
 *  @retval WEIR_ERR_INVALID  the graph is too large for METIS's 32-bit indices.
 *  @par Blocks  yes; metis runs in a child process started by posix_spawn, so it is safe beside a
 *  CUDA context, and its crash is ours to report. */
weir_status weir_partition_create(const weir_graph *graph, weir_partition_kind kind, uint32_t parts,
                                  uint64_t seed, const weir_config *config,
                                  weir_partition **partition_out);
/** Partition a graph in two dimensions, as Bisson, Bernaschi and Mastrostefano do ("Parallel Distributed Breadth First Search on
 *  the Kepler Architecture"): @p rows times @p columns parts own equal numbers of consecutive vertices, part after part, and
 *  stand in a grid, column after column. An arc belongs to the column of its tail and the row of its head. Breadth-first
 *  search, PageRank and components take it (weir_bfs_create(), weir_pr_create(), weir_cc_create()), and nothing else. Arcs are even where the
 *  order of vertices says nothing of their degrees, as that of generated graphs.
 *  @param[in] rows, columns  1 and more; their product is WEIR_DEVICES_MAX at most.
 *  @retval WEIR_ERR_INVALID, WEIR_ERR_NOMEM  as above. */
weir_status weir_partition_create_2d(const weir_graph *graph, uint32_t rows, uint32_t columns,
                                     weir_partition **partition_out);
/** Read a partition from a file of METIS's format: text, for each vertex in their order a line with the number of its part,
 *  counted from 0; blank lines at the end count for nothing. Files packed by gzip, xz or zstd are unpacked; "-" is standard input.
 *  @param[in] most  1 .. WEIR_DEVICES_MAX: numbers are below it. There are as many parts as the largest number says, so that
 *                   a file for fewer devices than there are is taken.
 *  @retval WEIR_ERR_FORMAT  no number, one out of range, more or fewer lines than vertices; the detail names the line.
 *  @retval WEIR_ERR_IO      the file cannot be opened, read or unpacked.
 *  @retval WEIR_ERR_INVALID, WEIR_ERR_NOMEM  as above. */
weir_status weir_partition_read(const weir_graph *graph, const char *path, uint32_t most,
                                weir_partition **partition_out);
/** Write the file that weir_partition_read() reads, as plain text. It appears complete or not at all.
 *  @retval WEIR_ERR_IO  it cannot be written. */
weir_status weir_partition_write(const weir_partition *partition, const char *path);

/** What a part of a partition holds; a plain value. */
typedef struct weir_partition_part {
    uint64_t vertices;
    uint64_t arcs;     /**< out-arcs of its vertices */
    uint64_t cut_arcs; /**< those of them that lead to other parts */
    uint64_t halo;     /**< vertices of other parts that they lead to, each counted once */
} weir_partition_part;
/** What each part holds.
 *  @param[in] graph  the one that was partitioned.
 *  @param[out] parts_out  partition->parts values, the caller's.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID  @par Blocks  yes; a pass over the arcs, on all cores. */
weir_status weir_partition_parts(const weir_graph *graph, const weir_partition *partition,
                                 weir_partition_part *parts_out);
/** The partition that algorithms make where they are given none: WEIR_PARTITION_EDGE over the first devices of a context, with
 *  equal numbers of arcs where they are alike; where they differ, by their units (weir_device_info): a thread of a host
 *  device and a multiprocessor of a GPU do about as much.
 *  @param[in] devices  1 to all of the context; weir_devices_advise() says how many are fastest.
 *  @retval WEIR_ERR_INVALID  more devices than there are, or none.  @retval WEIR_ERR_NOMEM */
weir_status weir_partition_create_for(weir_context *context, const weir_graph *graph,
                                      uint32_t devices, weir_partition **partition_out);
/** NULL is fine. */
void weir_partition_destroy(weir_partition *partition);

/** What the time of an algorithm hangs on. */
typedef enum weir_shape {
    WEIR_SHAPE_LEVELS = 0, /**< BFS, SSSP: level after level, which may be many and small */
    WEIR_SHAPE_SWEEPS,     /**< PageRank: many times over all arcs, values exchanged after each */
    WEIR_SHAPE_COMPONENTS  /**< CC: once over the vertices, results put together in the end */
} weir_shape;
/** On how many devices of a context an algorithm is fastest: more of them cost more at the start and at each
 *  barrier, and pay only where there is enough to do in all and between two barriers. Looks at the graph (its
 *  size, and how many arcs a level of a short search has) and at the kind of devices; of GPUs says a power of
 *  two or all; host devices are all taken, but where levels have so few arcs that one is faster by far.
 *  @param[out] why_out  a sentence in static storage; NULL if all are taken. May be NULL.
 *  @return 1 to the context's device count: the parts to make where no partition is given.
 *  @par Blocks  for milliseconds. */
uint32_t weir_devices_advise(weir_context *context, const weir_graph *graph, weir_shape shape,
                             const char **why_out);

/* ---- times before a run ------------------------------------------------------------------- */

/** What it took until an object could run for the first time; a plain value. Milliseconds of a steady clock, of the
 *  host also where devices are simulated. Measured always: each time is the difference of a few readings. */
typedef struct weir_prepare_stats {
    size_t size; /**< sizeof(weir_prepare_stats), set by WEIR_PREPARE_STATS_INIT */
    double
        opening_ms; /**< the graph: read or generated, cleaned, weighed (weir_graph.prepare_ms) */
    double partition_ms; /**< the partition, given or chosen (weir_partition.prepare_ms) */
    /** The rest of create: the form and the devices chosen, vertices numbered, rows sorted and turned round, memory
     *  of devices taken and filled. */
    double placing_ms;
    double copying_ms; /**< of create: bytes copied from the host to the devices */
} weir_prepare_stats;
/** weir_prepare_stats: nothing filled in yet. */
#define WEIR_PREPARE_STATS_INIT                \
    {                                          \
        sizeof(weir_prepare_stats), 0, 0, 0, 0 \
    }

/* ---- placed graphs ------------------------------------------------------------------------ */

/** Where the arcs of a placed graph lie, with their weights. Vertices lie on the devices in any case: values, queues, and
 *  where the arcs of each vertex begin. Results do not depend on it. */
typedef enum weir_memory {
    WEIR_MEMORY_AUTO = 0, /**< on the devices if all fits there, else in host memory */
    WEIR_MEMORY_DEVICE,   /**< on the devices; what does not fit is refused */
    WEIR_MEMORY_HOST /**< in host memory, page-locked and near the GPU whose kernels read it in place, over the link. Of host
                               devices in the host's memory beside their pools. WEIR_POOL_BYTES does not bound it */
} weir_memory;
/** "auto", "device", "host"; NULL for anything else. Static storage. */
const char *weir_memory_text(weir_memory memory);

/** A partitioned graph on the devices of a context, part p on device p (algorithms/part.h says what lies
 *  there). Read-only once made; any number of traversals may share it. Long-lived. */
typedef struct weir_placement weir_placement;

/** The arcs' weights as kernels find them in weir_part.weights. */
typedef enum weir_part_weights {
    WEIR_PART_WEIGHTS_NONE = 0, /**< none: weir_part.weights is NULL */
    WEIR_PART_WEIGHTS_U32,      /**< uint32_t; the graph's must be WEIR_WEIGHT_U32 */
    WEIR_PART_WEIGHTS_F64       /**< double; integers are converted, which is exact */
} weir_part_weights;

/** Place @p graph on the devices of @p context.
 *  @param[in] partition  of this graph, with as many parts as the context has devices, or fewer: then the
 *                        first devices are used; NULL: WEIR_PARTITION_EDGE over all.
 *  @retval WEIR_ERR_INVALID  the partition does not fit the graph or the context, or the graph has no
 *                            such weights.
 *  @retval WEIR_ERR_NOMEM    a part does not fit into its device's pool (WEIR_POOL_BYTES), or the host has
 *                            no memory to build it in, which is known before any is taken.
 *  The placement keeps the context; graph and partition may be destroyed after the call.
 *  @par Blocks  yes; works on all cores. */
weir_status weir_placement_create(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, weir_part_weights weights,
                                  weir_placement **placement_out);
/** As weir_placement_create(), with the arcs that come to each vertex too (weir_part.in_offsets), for operators that go
 *  against the arcs. Of a symmetric graph they take no memory, if no weights are placed or they are integers and
 *  symmetric as well. Of any other they take as much as the out-arcs, and in host memory as much again while it is placed.
 *  A halo holds both those that arcs lead to and those that they come from. */
weir_status weir_placement_create_with_in_arcs(weir_context *context, const weir_graph *graph,
                                               const weir_partition *partition,
                                               weir_part_weights weights,
                                               weir_placement **placement_out);
/** What is placed; zero in all fields is a graph without weights and with its out-arcs alone. */
typedef struct weir_placement_config {
    size_t size; /**< sizeof(weir_placement_config), set by WEIR_PLACEMENT_CONFIG_INIT */
    weir_part_weights weights;
    int in_arcs; /**< non-zero: as weir_placement_create_with_in_arcs() */
    weir_memory memory;
} weir_placement_config;
/** Defaults of weir_placement_config. */
#define WEIR_PLACEMENT_CONFIG_INIT                                                 \
    {                                                                              \
        sizeof(weir_placement_config), WEIR_PART_WEIGHTS_NONE, 0, WEIR_MEMORY_AUTO \
    }
/** As weir_placement_create(), with all that can be chosen. @param[in] config  NULL for defaults.
 *  @retval WEIR_ERR_INVALID  also: there is no such memory. */
weir_status weir_placement_create_with(weir_context *context, const weir_graph *graph,
                                       const weir_partition *partition,
                                       const weir_placement_config *config,
                                       weir_placement **placement_out);
/** Where its arcs lie: never WEIR_MEMORY_AUTO. */
weir_memory weir_placement_memory(const weir_placement *placement);
/** The context that it lies in. */
weir_context *weir_placement_context(const weir_placement *placement);
/** Vertices of the whole graph. */
uint64_t weir_placement_vertices(const weir_placement *placement);
/** Part @p part, below its `parts` (the partition's; of part 0, which there is always): what an operator's
 *  state holds a copy of. The pointers in it are the device's memory, the placement's. */
const weir_part *weir_placement_part(const weir_placement *placement, uint32_t part);
/** Where a vertex lies. @param[out] part_out, global_out, local_out  any of them may be NULL.
 *  @retval WEIR_ERR_INVALID  @p vertex is not a vertex. */
weir_status weir_placement_locate(const weir_placement *placement, uint64_t vertex,
                                  uint32_t *part_out, uint32_t *global_out, uint32_t *local_out);
/** Out-degree of a vertex, 0 for what is none. */
uint32_t weir_placement_degree(const weir_placement *placement, uint64_t vertex);
/** Bring values of vertices to the host.
 *  @param[in] values       for each part an array in its device's memory; the first weir_part.owned values
 *                          count. No kernel may be writing them.
 *  @param[in] value_bytes  of one value, at least 1.
 *  @param[out] values_out  a value a vertex in the order of the input, the caller's.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE
 *  @par Blocks  yes. */
weir_status weir_placement_gather(const weir_placement *placement, const void *const *values,
                                  size_t value_bytes, void *values_out);
/** What it took to prepare. @param[in,out] stats_out  begins as WEIR_PREPARE_STATS_INIT.
 *  @retval WEIR_ERR_INVALID  it does not: its size was never set, and nothing is filled in. */
weir_status weir_placement_prepared(const weir_placement *placement, weir_prepare_stats *stats_out);
/** Ends with the last traversal that uses it; NULL is fine. */
void weir_placement_destroy(weir_placement *placement);

/* ---- runs --------------------------------------------------------------------------------- */

/** Who looks at an arc first (Beamer et al., "Direction-optimizing breadth-first search"; Atos 5). */
typedef enum weir_direction {
    WEIR_DIRECTION_AUTO = 0, /**< picked from the graph, the machine and the other options */
    WEIR_DIRECTION_PUSH, /**< through the worklist: what a vertex has goes out over its arcs. The only one
                              that takes route, order, kernel, worker, fetch and mapping (SWITCH of shortest
                              paths takes order soft and delta), and the only one for devices that do not
                              reach each other's memory */
    WEIR_DIRECTION_PULL,   /**< in step: each vertex looks along the arcs that come to it */
    WEIR_DIRECTION_SWITCH, /**< in step: each step goes the way that looks at fewer arcs */
    WEIR_DIRECTION_DOWN /**< in step: vertices found last look along their arcs, in every step, so that each arc of a vertex
                                that is reached is looked at once, as the classical search does. BFS alone */
} weir_direction;
/** "auto", "push", "pull", "switch", "down"; NULL for anything else. Static storage. */
const char *weir_direction_text(weir_direction direction);

/** What devices send each other in a breadth-first search in step of what they found: vertices in 32 bits each, or a bit for each vertex
 *  of a stretch. */
typedef enum weir_wire {
    /** Whichever is shorter, each pair of devices in each level for itself, on the device: in two dimensions, and in one with direction
     *  down. Elsewhere lists. */
    WEIR_WIRE_AUTO = 0,
    WEIR_WIRE_LIST, /**< of all other runs the only one */
    WEIR_WIRE_BITMAP /**< in one dimension on several devices, without balance, not of direction pull */
} weir_wire;
/** "auto", "list", "bitmap"; NULL for anything else. Static storage. */
const char *weir_wire_text(weir_wire wire);

/** Whether devices that have little of a step do some of what others have (docs/stealing.md). */
typedef enum weir_balance {
    WEIR_BALANCE_OFF = 0,  /**< each device works on what it owns */
    WEIR_BALANCE_FRONTIER, /**< BFS in step, on 2 to 8 devices: levels top-down of which a device has far more than the mean are
                               shared out; shortest paths in step: long rows of pushes; PageRank, pushed in step then: epochs; results are the same */
    /** BFS in step, on as many: narrow levels are done by one device for all, while the others sleep. BFS and SSSP through the worklist: the
     *  first device does all, and behind a run each takes the results of what it owns from there. */
    WEIR_BALANCE_OWNERSHIP,
    WEIR_BALANCE_BOTH, /**< FRONTIER in wide levels, and OWNERSHIP in narrow ones */
    /** OWNERSHIP for BFS, and SSSP through the worklist, on several GPUs where levels are narrow and a copy of the graph takes no more than a
     *  quarter of what a device has left; through the worklist not with options of its own (order, route, kernel, ...). Elsewhere
     *  OFF. It has not the value 0, which was OFF before there was a choice. */
    WEIR_BALANCE_AUTO
} weir_balance;
/** "off", "frontier", "ownership", "both", "auto"; NULL for anything else. Static storage. */
const char *weir_balance_text(weir_balance balance);

/** How to run an algorithm; zero means "choose for me" in every field but balance, where it is OFF. The fields are those of
 *  weir_worklist_config.
 *
 *  A create refuses, WEIR_ERR_UNSUPPORTED with the name of the field, what would have no effect on the form that runs,
 *  and WEIR_ERR_INVALID a value that an enumeration does not have. Where the direction is left open, options that one
 *  form alone reads pick that form. */
typedef struct weir_run_options {
    size_t size; /**< sizeof(weir_run_options), set by WEIR_RUN_OPTIONS_INIT */
    weir_route_kind route;
    weir_order_kind order;
    uint32_t delta; /**< width of a step of the soft threshold; 0: found while running */
    weir_kernel_kind kernel;
    weir_worker_kind worker;
    uint32_t fetch; /**< tiles a worker takes at a time */
    weir_mapping_kind mapping;
    uint32_t group;         /**< lanes of a group of WEIR_MAPPING_GROUP */
    uint32_t time_limit_ms; /**< 0: none */
    weir_direction direction;
    int parents; /**< BFS, SSSP: keep a tree (weir_bfs_parents(), weir_sssp_parents()); in step alone */
    /** Host memory that the program itself takes after create: for results, for a reference. What would not fit
     *  beside it is refused by create, before any of it is taken. */
    uint64_t reserved_bytes;
    uint32_t queues;    /**< of each device, with kernel live */
    weir_memory memory; /**< where arcs lie; of an operator of your own its placement says that */
    weir_wire wire;     /**< BFS, SSSP: LIST; of BFS in step the others too */
    weir_balance
        balance; /**< BFS, SSSP, PR; in step of SSSP and PR FRONTIER, through the worklist OWNERSHIP */
} weir_run_options;
/** Defaults of weir_run_options. */
#define WEIR_RUN_OPTIONS_INIT                                                            \
    {                                                                                    \
        sizeof(weir_run_options), WEIR_ROUTE_AUTO, WEIR_ORDER_AUTO, 0, WEIR_KERNEL_AUTO, \
            WEIR_WORKER_AUTO, 0, WEIR_MAPPING_AUTO, 0, 0, WEIR_DIRECTION_AUTO, 0, 0, 0,  \
            WEIR_MEMORY_AUTO, WEIR_WIRE_AUTO, WEIR_BALANCE_AUTO                          \
    }

/** What a part of a run that goes in step took; of the slowest device. */
typedef struct weir_run_phase {
    const char *name; /**< static storage: "top-down", "bottom-up", "exchange" */
    double ms;
    uint64_t steps; /**< of this kind */
} weir_run_phase;

enum { WEIR_RUN_PHASES = 8 };

/** What a run did. */
typedef struct weir_run_stats {
    size_t size; /**< sizeof(weir_run_stats), set by WEIR_RUN_STATS_INIT */
    /** A caller's time: from the call of weir_*_run() to its return with the result complete in device memory,
     *  reset and counters included, as the GAP benchmark suite and Graph500 count. Bringing values to the host
     *  (weir_bfs_levels() and its like) is not in it. On simulated devices virtual, as weir_context_time_ns(). */
    double ms;
    /** Of that, the kernels: from the start of the first to the end of the last; in work.ms too. A run that is done
     *  twice, since its values did not fit or its ranks did not come to rest, has both times of both attempts; all
     *  else that is said here is of the second. Of components that are streamed, from the first segment to the last
     *  label. */
    double kernel_ms;
    uint64_t reached;      /**< vertices with a level or distance */
    uint64_t arcs_reached; /**< out-arcs of reached vertices: what gteps counts */
    /** Items, rounds, phases, and what was picked. Of a run in step: processed, atoms (arcs looked at), sent
     *  and rounds (steps of all devices) alone; its phases are below. */
    weir_worklist_stats work;
    weir_direction direction; /**< what was picked; never AUTO */
    uint32_t devices;         /**< that took part: the first so many of the context */
    const char
        *why_devices; /**< why fewer than there are, in static storage; NULL: all take part */
    uint64_t
        steps; /**< levels, iterations or epochs of a run in step; 0 of one through the worklist */
    double residual; /**< PageRank: the bound it stopped at; 0 elsewhere */
    /** Vertices reached: items that are processed at the least where each has to be taken up. Bottom-up
     *  steps of a search do with fewer. */
    uint64_t least_items;
    uint64_t
        bytes; /**< moved in device memory at the least, by the algorithm's count; 0: unknown */
    /** Moved between devices: values and items; of one through the worklist, items on the wire, each hop
     *  counted as in work.sent. */
    uint64_t bytes_sent;
    weir_run_phase phase[WEIR_RUN_PHASES]; /**< of a run in step; those with a name count */
    uint64_t bands; /**< PageRank in step: weir_pr_config.bands, or what was picked; 0 elsewhere */
    uint64_t
        epochs; /**< PageRank by residuals: how often all vertices were scanned, each time with another threshold; 0 elsewhere */
    /** Breadth-first search in step, on GPUs: pieces of long rows that several workers shared, since there were fewer
     *  pieces than workers; 0 elsewhere. */
    uint64_t shared;
    /** Breadth-first search in step: vertices that were found top-down and not put into the queue, since so many were found that
     *  the next level was to go bottom-up; 0 elsewhere. */
    uint64_t unlisted;
    /** Of breadth-first search in step on several devices: *eager* levels, in which what others found is expanded in the step
     *  that takes it in, so that there is one barrier in place of two. */
    uint64_t eager;
    /** PageRank in step: hubs whose shares each block kept in its own memory (weir_pr_config.hubs); 0 elsewhere. */
    uint64_t hubs;
    /** PageRank in step: bins of rows, of all devices, that shares were spread into (weir_pr_config.bins); 0: none. */
    uint64_t bins;
    /** Components in step: roots of the first forest, of all devices, that looked along their arcs for another tree; where rows are
     *  long and begin with no hubs, 0 elsewhere. */
    uint64_t roots;
    /** Where the arcs lie; of components that are streamed WEIR_MEMORY_AUTO, since they pass by. */
    weir_memory memory;
    weir_balance balance; /**< never AUTO */
    /** Of a run with balance frontier; 0 elsewhere. Levels that were shared out, of shortest paths pushes, of PageRank epochs; arcs that a device looked along
     *  for another (weir_bfs_stolen(), weir_sssp_stolen() and weir_pr_stolen() tell which for which), and bytes that it read of that one's memory for it. */
    uint64_t stolen_levels, stolen_arcs, stolen_bytes;
    /** The same: the part of the devices' time that they would wait for the one with the most arcs, if arcs took them equally
     *  long: 1 - mean / most, arcs of all levels top-down, of all pushes, or of all epochs, together; as arcs lie, and as they were shared out. */
    double stall_before, stall_after;
    /** Components in step on GPUs, where few arcs are left of each row (`direct`): arcs that waited in a list of a warp for lanes to link
     *  them; where rows have three arcs or more without the last of a warp, fewer than it has lanes. PageRank by pull on host devices: arcs of short rows, over all iterations, whose shares were brought before rows were added up. 0
     *  elsewhere. */
    uint64_t gathered;
    /** Of a search with balance ownership or both; 0 elsewhere. Levels that one device did for all, all others were done by all; how
     *  often ownership moved to it; arcs that it looked along in those levels, and bytes of the memory of others that were written or read for it to begin, and for them to go on.
     *  Through the worklist there are no levels: it did all, once, and the bytes are the results of what others own. */
    uint64_t lone_levels, lone_moves, lone_arcs, lone_bytes;
    /** The same: up to how many entries of queues a level was taken for narrow in the end, and how many nanoseconds a narrow level of all
     *  devices took beside its work: barriers, exchange, waiting for the slower one; 0: none was timed. */
    uint64_t lone_entries, together_ns;
    uint64_t lone_device; /**< which one */
    /** Breadth-first search on several devices: AUTO, each pair of devices sends what is shorter in each level; or which of the two they
     *  all send. Of all else LIST. */
    weir_wire wire;
    uint64_t
        bitmaps; /**< of a search in step in one dimension: bitmaps among what devices sent in a level; else 0 */
    /** How often a thread of a host device slept in the run for want of anything to do, which takes 70 us each time; of all runs of the
     *  process that last at the same time. */
    uint64_t naps;
    /** Of breadth-first search with balance frontier, and WEIR_STEAL_HUBS: arcs among stolen_arcs that were read from the device's own copies of rows of
     *  hubs, so that they are not in stolen_bytes; else 0. */
    uint64_t stolen_copied;
    /** Breadth-first search in step: vertices that levels bottom-up found by the first arc of their row, which is kept apart from the
     *  others (weir_arcs.firsts), so that neither where the row lies nor its arcs were read. Shortest paths in step with arcs in host
     *  memory: rows that pulls were through with by their first arcs, which are kept on the device (weir_rows_pairs.firsts), a row once for each
     *  pull that looked at it. Else 0. */
    uint64_t firsts;
    /** PageRank by pull on host devices: turns, of up to 32 chunks of rows, that threads took from each other, over all iterations. */
    uint64_t turns_stolen;
    /** Shortest paths in step, on several devices: distances of other devices' vertices that were lowered in their memory at once, since so few
     *  were to be expected (WEIR_DIRECT_ITEMS); they are in work.sent. All else went through inboxes, which a step of its own takes in. */
    uint64_t direct;
    /** Shortest paths in step: rows that pulls behind the first looked at, since these alone could still be nearer; not counted where so many are
     *  that all rows are looked at again. */
    uint64_t candidates;
    /** Components in step, of all devices: rows that the step `rest` looked at: all, those that the first step had not settled below hubs, or none, where there was no
     *  such step; and rows labelled in the last step: where the label of the largest component had been guessed right those not known to be in it
     *  by then, else all that a run looks at. */
    uint64_t rest_rows, label_rows;
} weir_run_stats;
/** weir_run_stats: nothing filled in yet. */
#define WEIR_RUN_STATS_INIT                                                                      \
    {                                                                                            \
        sizeof(weir_run_stats), 0, 0, 0, 0, WEIR_WORKLIST_STATS_INIT, WEIR_DIRECTION_AUTO, 0,    \
            NULL, 0, 0, 0, 0, 0, {{NULL, 0, 0}}, 0, 0, 0, 0, 0, 0, 0, 0, WEIR_MEMORY_AUTO,       \
            WEIR_BALANCE_OFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, WEIR_WIRE_LIST, 0, 0, 0, 0, \
            0, 0, 0, 0, 0                                                                        \
    }

/** A level of a search in two dimensions; a plain value. Times are those of the device that took longest, from one barrier to the
 *  next, so that waiting for others is in them. */
typedef struct weir_run_level {
    size_t size;                       /**< sizeof(weir_run_level), set by WEIR_RUN_LEVEL_INIT */
    uint64_t frontier;                 /**< vertices that it began with */
    double expand_ms;                  /**< what was found last goes to the devices of the column */
    double compute_ms;                 /**< arcs are looked at */
    double fold_ms;                    /**< what was met goes to the devices of the row */
    double update_ms;                  /**< which take in what they did not know */
    uint64_t expand_bytes, fold_bytes; /**< sent, by all */
    /** Devices that a device sent to, of the one with the most: up to R - 1 and C - 1 of a grid of R rows and C columns. */
    uint32_t expand_partners, fold_partners;
} weir_run_level;
/** weir_run_level: nothing filled in yet. */
#define WEIR_RUN_LEVEL_INIT                               \
    {                                                     \
        sizeof(weir_run_level), 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }
/** What a device sent another one in a level of a search in two dimensions; a plain value. Two devices of a column send in the expand
 *  phase alone, two of a row in the fold phase; others never. */
typedef struct weir_run_pair {
    size_t size;    /**< sizeof(weir_run_pair), set by WEIR_RUN_PAIR_INIT */
    uint64_t items; /**< vertices */
    uint64_t bytes;
    weir_wire wire; /**< how they went: WEIR_WIRE_LIST or WEIR_WIRE_BITMAP; AUTO: none did */
    int fold;       /**< non-zero: in the fold phase */
} weir_run_pair;
/** weir_run_pair: nothing filled in yet. */
#define WEIR_RUN_PAIR_INIT                             \
    {                                                  \
        sizeof(weir_run_pair), 0, 0, WEIR_WIRE_AUTO, 0 \
    }

/** Why an object runs as it does: of what was picked when it was made. NULL: it was asked for, or there is no such choice.
 *  Texts are sentences without a full stop, static or the object's. */
typedef struct weir_run_reasons {
    size_t size;               /**< sizeof(weir_run_reasons), set by WEIR_RUN_REASONS_INIT */
    const char *form;          /**< what runs: "breadth-first search in step" */
    const char *why_form;      /**< and not another form of the algorithm */
    const char *why_partition; /**< how arcs were shared out where no partition was given */
    const char *why_route;
    const char *why_order;
    const char *why_delta; /**< of the width of a step */
    const char *why_kernel;
    const char *why_bands;   /**< of PageRank in step: bins, bands, hubs that are kept, or none */
    const char *why_memory;  /**< where arcs lie in host memory */
    const char *why_balance; /**< of a search with balance ownership */
} weir_run_reasons;
/** weir_run_reasons: nothing filled in yet. */
#define WEIR_RUN_REASONS_INIT                                                                \
    {                                                                                        \
        sizeof(weir_run_reasons), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL \
    }

/** What an element of weir_values is. */
typedef enum weir_value_kind {
    WEIR_VALUE_I32 = 0, /**< int32_t */
    WEIR_VALUE_U32,     /**< uint32_t */
    WEIR_VALUE_F64,     /**< double */
    WEIR_VALUE_F32      /**< float; of matrices (matrix.h) alone */
} weir_value_kind;

/** Results of the last run where they lie, for programs that go on computing there. The pointers
 *  are memory of the device and the object's: read-only, and good until its next run or its end. Values are in
 *  the order in which the object keeps vertices, which is none that a caller chose: @c vertices says which. */
typedef struct weir_values {
    size_t size;      /**< sizeof(weir_values), set by WEIR_VALUES_INIT */
    const void *data; /**< @c count elements */
    uint64_t count;   /**< of this device */
    uint64_t first;   /**< number of the first one, counted over all devices */
    weir_value_kind kind;
    size_t bytes; /**< of an element */
    double
        scale; /**< PageRank: a rank is this times its element; shortest paths: a distance; 1 elsewhere */
    /** The vertex of each element, UINT32_MAX where there is none. Made at the first call and the object's until
     *  its end; 4 bytes an element of the device's pool. */
    const uint32_t *vertices;
} weir_values;
/** weir_values: nothing filled in yet. */
#define WEIR_VALUES_INIT                                            \
    {                                                               \
        sizeof(weir_values), NULL, 0, 0, WEIR_VALUE_I32, 0, 0, NULL \
    }

/* ---- traversals --------------------------------------------------------------------------- */

/** An operator (worklist/operator.h) over a placed graph: a worklist of a worker a device, and on each
 *  device an array of one value a vertex. Any number of runs, one at a time. Long-lived. */
typedef struct weir_traversal weir_traversal;

/** What the values of a traversal are. */
typedef struct weir_traversal_config {
    size_t size; /**< sizeof(weir_traversal_config), set by WEIR_TRAVERSAL_CONFIG_INIT */
    size_t
        value_bytes; /**< of a vertex's value, up to 4096; 0: the traversal has none, and the operator's state
                             leads to what it needs */
    /** Every byte of every value before a run, 0 to 255: 0xFF makes unsigned numbers as large as can be. A
     *  vertex counts as reached when its value is another in the end. */
    int fill;
    uint32_t delta_hint; /**< of weir_worklist_config */
    /** Non-zero: on several devices a queue may hold two items for each vertex of the part and one for each of
     *  its halo; otherwise there is mostly one for each of the part. */
    int halo_items;
    /** Non-zero: a run begins with the values that the last one left, or that the program wrote: for searches that go
     *  on from an earlier result, and for algorithms of several phases. They are filled when the traversal is made
     *  and by weir_traversal_reset() alone. */
    int keep_values;
    /** Bytes of an entry of padded rows (algorithms/part.h), which an operator with such wants: 4, a target, or 8, a target and its
     *  weight, of a placement with weights of 32 bits; 0: none are made (weir_traversal_padded_rows()). */
    uint32_t entry_bytes;
} weir_traversal_config;
/** Defaults of weir_traversal_config: values of four bytes, all bits set. */
#define WEIR_TRAVERSAL_CONFIG_INIT                         \
    {                                                      \
        sizeof(weir_traversal_config), 4, 0xFF, 0, 0, 0, 0 \
    }

/** Make the worklist and the values; queues hold an item for each vertex of the largest part, or what
 *  weir_traversal_config.halo_items says, if WEIR_QUEUE_ITEMS does not say otherwise; with order soft four times as many
 *  (weir_worklist_config.queue_items). What is more spills.
 *  @param[in] placement  kept until the traversal is destroyed.
 *  @param[in] op         outlives the traversal.
 *  @param[in] options    NULL for defaults.
 *  @param[in] config     NULL for defaults.
 *  @retval WEIR_ERR_NOMEM    a device's pool cannot give the queues or the values.
 *  @retval WEIR_ERR_INVALID  a structure not set by its initialiser, or a field out of range.
 *  @par Blocks  yes. */
weir_status weir_traversal_create(weir_placement *placement, const weir_operator *op,
                                  const weir_run_options *options,
                                  const weir_traversal_config *config,
                                  weir_traversal **traversal_out);
/** The values on device @p part, in its memory: weir_part.owned of its own vertices and weir_part.halo_count
 *  of its halo behind them, both by local number. The traversal's. NULL: it has none. */
void *weir_traversal_values(const weir_traversal *traversal, uint32_t part);
/** The padded rows of device @p part, in its memory: weir_part.owned rows of 2^*log_out entries. The traversal's. They are made where
 *  narrow rounds would read them, and where there is room: on one GPU (or as WEIR_PADDED_ROWS says), with kernel fused and the
 *  default worker, of arcs on the device of which no vertex has more than 4, or 8 where the mean is above 4. NULL, and 0: none. */
const void *weir_traversal_padded_rows(const weir_traversal *traversal, uint32_t part,
                                       uint32_t *log_out);
/** The queue that the part's kernels run in (weir_worklist_queue()): for a program's own kernels and copies before and
 *  after a run. The traversal's; NULL: no such part. */
weir_queue *weir_traversal_queue(const weir_traversal *traversal, uint32_t part);
/** Fill the values, those of the halo too: what a run begins with that does not keep them. Between runs.
 *  @par Blocks  until they are filled. */
weir_status weir_traversal_reset(weir_traversal *traversal);
/** Set the operator's state of one part: op->state_bytes, copied. Each part once before the first run, and
 *  again when it changed. */
weir_status weir_traversal_bind(weir_traversal *traversal, uint32_t part, const void *state);
/** Add packed items that the next run starts with (weir_worklist_seed()).
 *  @param[in] part   the owner of their vertices, by weir_placement_locate().
 *  @param[in] wires  @p count items of op->wire_bytes, copied. */
weir_status weir_traversal_seed(weir_traversal *traversal, uint32_t part, const void *wires,
                                uint32_t count);
/** Let the next run begin with every vertex: the operator makes its seed on the device that owns it, by local number
 *  (NAME_seed in worklist/operator.h). Other seeds may come in addition.
 *  @retval WEIR_ERR_UNSUPPORTED  the operator has no NAME_seed.
 *  @retval WEIR_ERR_INVALID  a part owns more than 2^31 vertices. */
weir_status weir_traversal_seed_all(weir_traversal *traversal);
/** Fill the values, unless the traversal keeps them, and run until every item is consumed. The values stay on the
 *  devices; what the stats say of them is counted there (`reached` and `arcs_reached` are 0 where there are none).
 *  @param[in,out] stats_out  begins as WEIR_RUN_STATS_INIT; NULL: nothing is counted.
 *  @retval WEIR_ERR_INVALID  a part was never bound.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE  stopped; the detail holds the
 *          counters and queue lengths at that time, and the traversal may only be destroyed.
 *  @par Blocks  until done. */
weir_status weir_traversal_run(weir_traversal *traversal, weir_run_stats *stats_out);
/** Bring the values after the last complete run to the host, in vertex order; before the first one all fill. Fast
 *  into memory that was registered (weir_memory_register()).
 *  @param[out] values_out  a value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  the traversal has no values.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE */
weir_status weir_traversal_gather(const weir_traversal *traversal, void *values_out);
/** Items of the last run sent from device @p from to device @p to (weir_worklist_link_items()). */
weir_status weir_traversal_link_items(const weir_traversal *traversal, uint32_t from, uint32_t to,
                                      uint64_t *items_out);
/** What statistics of a run will say was picked, and why; threads, errors and texts as of weir_bfs_explain(). */
weir_status weir_traversal_explain(const weir_traversal *traversal, weir_run_stats *picked_out,
                                   weir_run_reasons *reasons_out);
/** What it took to prepare: the placement, and the traversal on top; as weir_placement_prepared(). */
weir_status weir_traversal_prepared(const weir_traversal *traversal, weir_prepare_stats *stats_out);
/** Stop a run from another thread; it returns WEIR_ERR_CANCELLED soon. */
void weir_traversal_cancel(weir_traversal *traversal);
/** NULL is fine. No run may be under way. */
void weir_traversal_destroy(weir_traversal *traversal);

/* ---- breadth-first search ----------------------------------------------------------------- */

/** BFS on a partitioned graph placed on the devices of a context. Long-lived. */
typedef struct weir_bfs weir_bfs;

/** Place @p graph on the devices.
 *  @param[in] partition  as of weir_placement_create(); NULL: WEIR_PARTITION_EDGE over as many devices as
 *                        weir_devices_advise() says; of kind WEIR_PARTITION_2D: a search in two dimensions
 *                        (docs/two-dimensions.md), which reads direction, parents, wire and time_limit_ms.
 *  @param[in] options    NULL for defaults.
 *  @retval WEIR_ERR_UNSUPPORTED  an option would have no effect; the detail names it.
 *  @retval WEIR_ERR_NOMEM  a part does not fit into its device's pool (WEIR_POOL_BYTES).
 *  The context outlives the object; graph and partition may be destroyed after the call.
 *  @par Blocks  yes. */
weir_status weir_bfs_create(weir_context *context, const weir_graph *graph,
                            const weir_partition *partition, const weir_run_options *options,
                            weir_bfs **bfs_out);
/** One traversal from @p source. @param[in,out] stats_out  begins as WEIR_RUN_STATS_INIT; may be NULL. Its `ms` is the time of this call, its
 *  `kernel_ms` what kernels took of it.
 *  @retval WEIR_ERR_INVALID    source is not a vertex.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE  stopped; the detail holds the
 *          counters and queue lengths at that time, and the object may only be destroyed.
 *  @par Blocks  until done. */
weir_status weir_bfs_run(weir_bfs *bfs, uint64_t source, weir_run_stats *stats_out);
/** Levels of the last run in vertex order: number of arcs from the source, -1 unreached; before the first run all -1.
 *  @param[out] levels_out  one value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  the last run was not complete. */
weir_status weir_bfs_levels(weir_bfs *bfs, int32_t *levels_out);
/** The levels of the last run on device @p device (WEIR_VALUE_I32, -1 unreached), where they lie.
 *  @param[in,out] values_out  begins as WEIR_VALUES_INIT.
 *  @retval WEIR_ERR_INVALID  there was no complete run, or the device takes no part.
 *  @retval WEIR_ERR_NOMEM    no memory for weir_values.vertices. */
weir_status weir_bfs_values(weir_bfs *bfs, uint32_t device, weir_values *values_out);
/** The tree of the last run, if the options asked for one: for each vertex the one it was reached from, one
 *  level nearer; the source's own number for the source, -1 unreached. Any valid tree; it may differ from run
 *  to run. @param[out] parents_out  one value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  no tree was asked for, or the last run was not complete. */
weir_status weir_bfs_parents(weir_bfs *bfs, int64_t *parents_out);
/** Items of the last run sent from device @p from to device @p to (weir_worklist_link_items()); 0 before the
 *  first. @retval WEIR_ERR_INVALID  no such device. */
weir_status weir_bfs_link_items(const weir_bfs *bfs, uint32_t from, uint32_t to,
                                uint64_t *items_out);
/** Arcs of device @p owner that device @p worker looked along top-down in levels of all devices in the last run, its own included; 0 before the first.
 *  @retval WEIR_ERR_INVALID  no such device, or a search with balance off.
 *  0 of a run that was stopped, which counted a part alone, and through the worklist, where one device looks along all (weir_run_stats.lone_arcs). */
weir_status weir_bfs_stolen(const weir_bfs *bfs, uint32_t owner, uint32_t worker,
                            uint64_t *arcs_out);
/** How many levels of the last run were written down one by one: the first of a search in two dimensions, up to 1024, the one that found
 *  nothing included; 0 of other forms, and where there was no complete run. */
uint64_t weir_bfs_levels_known(const weir_bfs *bfs);
/** One of these, from 0 on. @param[in,out] level_out  begins as WEIR_RUN_LEVEL_INIT.
 *  @retval WEIR_ERR_INVALID  there is no such level.  @retval WEIR_ERR_DEVICE
 *  @par Threads  as of a run: the first call behind one brings all levels.
 *  @par Blocks  that call, while it copies. */
weir_status weir_bfs_level_get(weir_bfs *bfs, uint64_t level, weir_run_level *level_out);
/** Of one of these a pair of devices. @param[in,out] pair_out  begins as WEIR_RUN_PAIR_INIT.
 *  @retval WEIR_ERR_INVALID  there is no such level, or no such device.  As weir_bfs_level_get(). */
weir_status weir_bfs_level_pair(weir_bfs *bfs, uint64_t level, uint32_t from, uint32_t to,
                                weir_run_pair *pair_out);
/** How runs will go, before there is one: what their statistics will say was picked, and why.
 *  @param[in,out] picked_out   begins as WEIR_RUN_STATS_INIT. Set are direction, devices, why_devices, bands, hubs and bins, and of work
 *                              route, order, delta, kernel, worker, fetch, mapping, group, cut and queues, as far as the form
 *                              has them; the rest is 0. work.delta is the width that the first step has.
 *  @param[in,out] reasons_out  begins as WEIR_RUN_REASONS_INIT; may be NULL. Texts stay until the next run, which may change
 *                              the form, and no longer than the object.
 *  @retval WEIR_ERR_INVALID  no picked_out, or a structure whose size no version has.
 *  @par Threads  not beside a run of the object; beside another call of this kind, yes.
 *  @par Blocks  no. */
weir_status weir_bfs_explain(const weir_bfs *bfs, weir_run_stats *picked_out,
                             weir_run_reasons *reasons_out);
/** What it took to prepare; as weir_placement_prepared(), and the same after every run. */
weir_status weir_bfs_prepared(const weir_bfs *bfs, weir_prepare_stats *stats_out);
/** Stop a run from another thread; it returns WEIR_ERR_CANCELLED soon. */
void weir_bfs_cancel(weir_bfs *bfs);
/** NULL is fine. No run may be under way. */
void weir_bfs_destroy(weir_bfs *bfs);

/** Serial reference: a plain queue over the CSR; shares no code with the engine.
 *  @param[out] levels_out  graph->vertices values. @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID */
weir_status weir_bfs_reference(const weir_graph *graph, uint64_t source, int32_t *levels_out);
/** Whether @p parents is a tree of a breadth-first search from @p source, by the five rules of Graph500's
 *  validation (for directed graphs: rule 3 holds along every arc). Shares no code with the engine.
 *  @param[in] parents  as of weir_bfs_parents(), one value a vertex.
 *  @param[in] levels   that the tree has to have, as of weir_bfs_levels(), one value a vertex.
 *  @retval WEIR_ERR_VERIFY   a rule is broken; the detail names it and the smallest vertex that does so.
 *  @retval WEIR_ERR_INVALID  source is not a vertex.
 *  @par Blocks  yes; works on all cores. */
weir_status weir_bfs_tree_check(const weir_graph *graph, uint64_t source, const int64_t *parents,
                                const int32_t *levels);
/** Judge levels, and a tree if there is one, by rules that every vertex and every arc has to keep, on all devices of a context: by the
 *  same five rules. Without a tree every vertex that was reached, but for the source, needs an arc from one level above. They hold for the
 *  levels of the shortest ways alone. Arcs go to the devices a piece at a time, as the graph has them: it takes a link's time for them,
 *  not a reference's, and no part of the engine, of partitions or of placed graphs.
 *  On each device it takes 13 bytes a vertex (21 with a tree), and 8 for each of up to 2^26 arcs; less where there is less room.
 *  @param[in] levels   as of weir_bfs_levels(), from wherever they come; in host memory.
 *  @param[in] parents  as of weir_bfs_parents(); NULL: there is no tree.
 *  @retval WEIR_ERR_VERIFY   a rule is broken; the detail names it, the smallest vertex that does so, and the first arc it does so with.
 *  @retval WEIR_ERR_INVALID  source is not a vertex.  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE
 *  @par Threads  any, but not beside a run on the same devices.
 *  @par Blocks   yes, with a thread for each device. */
weir_status weir_bfs_certify(weir_context *context, const weir_graph *graph, uint64_t source,
                             const int32_t *levels, const int64_t *parents);

/* ---- breadth-first search from many sources at a time ------------------------------------------ */

/** Most sources of a batch: each is a bit of a word. */
enum { WEIR_BFS_BATCH_MAX = 64 };

/** Breadth-first search from up to 64 sources at once, which share each look at an arc. In step alone: on devices that
 *  reach each other's memory. For graphs of few levels: where two sources seldom come to a vertex in the same level, as in road
 *  networks, they share no looks, and on host devices searches one after another are faster; GPUs still share what levels wait for. Any
 *  number of runs, one at a time. Long-lived. */
typedef struct weir_bfs_batch weir_bfs_batch;

/** What a batch keeps. */
typedef struct weir_bfs_batch_config {
    size_t size;      /**< sizeof(weir_bfs_batch_config), set by WEIR_BFS_BATCH_CONFIG_INIT */
    uint32_t sources; /**< most sources of a run, up to WEIR_BFS_BATCH_MAX; 0: as many as that */
    /** Non-zero: keep the level of each vertex for each source (weir_bfs_batch_levels()), which takes 4 bytes of the devices'
     *  memory a vertex and source, and is written anew by each run. Zero: only what weir_bfs_batch_found() says. */
    int levels;
} weir_bfs_batch_config;
/** Defaults of weir_bfs_batch_config. */
#define WEIR_BFS_BATCH_CONFIG_INIT          \
    {                                       \
        sizeof(weir_bfs_batch_config), 0, 0 \
    }

/** What a source of a batch found. */
typedef struct weir_bfs_found {
    size_t size;           /**< sizeof(weir_bfs_found), set by WEIR_BFS_FOUND_INIT */
    uint64_t reached;      /**< vertices with a level; the source is one of them */
    uint64_t arcs_reached; /**< their out-arcs */
    uint64_t sum_levels;   /**< over all of them: the sum of distances that closeness is made of */
    uint64_t max_level;
} weir_bfs_found;
/** weir_bfs_found: nothing filled in yet. */
#define WEIR_BFS_FOUND_INIT                \
    {                                      \
        sizeof(weir_bfs_found), 0, 0, 0, 0 \
    }

/** Place @p graph on the devices; as weir_bfs_create(), of which all else holds too. Each device takes about 28 bytes for each vertex
 *  of the graph beside its rows, and what is kept.
 *  @param[in] options  NULL for defaults. Direction (WEIR_DIRECTION_PULL: every level bottom-up), memory, time_limit_ms and
 *                      reserved_bytes count.
 *  @param[in] config   NULL for defaults.
 *  @retval WEIR_ERR_UNSUPPORTED  an option that has no effect on it, or devices that cannot run in step.
 *  @retval WEIR_ERR_NOMEM        it does not fit; known before anything is taken, the levels included. */
weir_status weir_bfs_batch_create(weir_context *context, const weir_graph *graph,
                                  const weir_partition *partition, const weir_run_options *options,
                                  const weir_bfs_batch_config *config, weir_bfs_batch **batch_out);
/** Search from all sources at once.
 *  @param[in]     sources    @p count vertices, in any order; a vertex may be there more than once. Not kept.
 *  @param[in]     count      1 to weir_bfs_batch_config.sources.
 *  @param[in,out] stats_out  begins as WEIR_RUN_STATS_INIT; may be NULL. Times and work are those of the whole batch; reached and
 *                            arcs_reached are sums over its sources; a look at an arc counts once in work.atoms, whatever the number
 *                            of sources that it served.
 *  @retval WEIR_ERR_INVALID  no such number of sources, or one is no vertex; the last run's results are still there.
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE  stopped; the object may only be destroyed.
 *  @par Blocks  until done. */
weir_status weir_bfs_batch_run(weir_bfs_batch *batch, const uint64_t *sources, uint32_t count,
                               weir_run_stats *stats_out);
/** What source @p index of the last run found. @param[in,out] found_out  begins as WEIR_BFS_FOUND_INIT.
 *  @retval WEIR_ERR_INVALID  there was no complete run, or it had no such source. @par Blocks  no. */
weir_status weir_bfs_batch_found(const weir_bfs_batch *batch, uint32_t index,
                                 weir_bfs_found *found_out);
/** Levels from source @p index of the last run in vertex order, -1 unreached.
 *  @param[out] levels_out  one value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  as above, or no levels were asked for.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE  @par Blocks  yes. */
weir_status weir_bfs_batch_levels(const weir_bfs_batch *batch, uint32_t index, int32_t *levels_out);
/** As weir_bfs_link_items(): numbers of vertices with their sources. */
weir_status weir_bfs_batch_link_items(const weir_bfs_batch *batch, uint32_t from, uint32_t to,
                                      uint64_t *items_out);
/** As weir_bfs_explain(). */
weir_status weir_bfs_batch_explain(const weir_bfs_batch *batch, weir_run_stats *picked_out,
                                   weir_run_reasons *reasons_out);
/** As weir_bfs_prepared(). */
weir_status weir_bfs_batch_prepared(const weir_bfs_batch *batch, weir_prepare_stats *stats_out);
/** Stop a run from another thread; it returns WEIR_ERR_CANCELLED soon. */
void weir_bfs_batch_cancel(weir_bfs_batch *batch);
/** NULL is fine. No run may be under way. */
void weir_bfs_batch_destroy(weir_bfs_batch *batch);

/* ---- shortest paths ----------------------------------------------------------------------- */

/** What the arcs of a traversal weigh (docs/design.md "Rules for graphs and answers"). */
typedef enum weir_weights_kind {
    WEIR_WEIGHTS_AUTO = 0, /**< those of the input where it has some, else random 1-255 */
    WEIR_WEIGHTS_FILE,     /**< those of the input; refused where it has none */
    WEIR_WEIGHTS_RANDOM,   /**< uniform integers low..high, equal for both directions of an edge */
    WEIR_WEIGHTS_UNIT,     /**< 1 */
    WEIR_WEIGHTS_FLOATS /**< uniform numbers of single precision: low..high times 2^exponent, equal for both
                                directions of an edge */
} weir_weights_kind;

/** Weights in place of those a graph has; a plain value. */
typedef struct weir_weights {
    weir_weights_kind kind;
    uint32_t low,
        high; /**< of WEIR_WEIGHTS_RANDOM; both 0: 1 and 255. Of WEIR_WEIGHTS_FLOATS below 2^22 */
    uint64_t seed; /**< of both kinds that are random; part of the weight's definition, default 1 */
    int32_t
        exponent; /**< of WEIR_WEIGHTS_FLOATS, -147 to 106: weights are multiples of 2^exponent */
} weir_weights;

/** "auto", "file", "random:LO-HI[:SEED]" ("random" alone: 1-255, seed 1), "random:LO-HIf[:SEED]" (numbers of single precision), "unit".
 *
 *  Of `random:LO-HIf` the unit is the power of two of which HI has 2^21 or more but below 2^22, and LO and HI are rounded to multiples of
 *  it (LO to one at least, if it is above 0). So sums of up to a thousand weights fit 32 bits as multiples, and all below 2^31 weights
 *  are exact as doubles.
 *  @retval WEIR_ERR_INVALID  anything else, LO above HI, or floats that are negative, no numbers or too large. */
weir_status weir_weights_parse(const char *text, weir_weights *weights_out);
/** Give a graph weights in place of what it has. Same weights, same graph, same values, whatever the
 *  order in which arcs were loaded.
 *  @retval WEIR_ERR_INVALID  WEIR_WEIGHTS_FILE and the graph has none. */
weir_status weir_graph_weigh(weir_graph *graph, const weir_weights *weights);

/** Single-source shortest paths on a partitioned graph placed on the devices of a context. Distances are
 *  exact: 32-bit integers where they fit, else 64-bit floats, which are exact for integers below 2^53.
 *  Weights that are all multiples of one power of two and fit 32 bits as such (halves, `random:0-1f`) are taken as these multiples, and
 *  are as exact. Others are added up along each path as doubles, rounded after each arc, which is what a serial search does: bit by bit
 *  the same. Long-lived. */
typedef struct weir_sssp weir_sssp;

/** Place @p graph on the devices; as weir_bfs_create(), of which all else holds too.
 *  @retval WEIR_ERR_INVALID  the graph has no weights (weir_graph_weigh()), or negative ones.
 *  @retval WEIR_ERR_UNSUPPORTED  parents are wanted and an arc has weight 0, or weights are no integers, nor multiples of a power of two,
 *                                whose sums fit 32 bits. */
weir_status weir_sssp_create(weir_context *context, const weir_graph *graph,
                             const weir_partition *partition, const weir_run_options *options,
                             weir_sssp **sssp_out);
/** One run from @p source; as weir_bfs_run(). The first run whose distances do not fit 32 bits is done
 *  twice, in one `ms` and one `kernel_ms`, each time within the time limit; later runs begin with 64 bits.
 *  @retval WEIR_ERR_UNSUPPORTED  weights are integers and a distance is 2^53 or more; or, with parents, does not fit 32 bits. */
weir_status weir_sssp_run(weir_sssp *sssp, uint64_t source, weir_run_stats *stats_out);
/** Distances of the last run in vertex order, INFINITY for what cannot be reached, and before the first run for all.
 *  @param[out] distances_out  one value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  the last run was not complete, or refused. */
weir_status weir_sssp_distances(weir_sssp *sssp, double *distances_out);
/** The tree of the last run, if the options asked for one: for each vertex the one before it on a shortest path; the source's own number
 *  for the source, -1 unreached. Any valid tree. Parents are looked for at the end of the run, when all distances are known, and are in
 *  its time. @param[out] parents_out  one value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  no tree was asked for, or the last run was not complete. */
weir_status weir_sssp_parents(weir_sssp *sssp, int64_t *parents_out);
/** The distances of the last run on a device; as weir_bfs_values(). WEIR_VALUE_U32, UINT32_MAX for what cannot be
 *  reached, each to be taken times weir_values.scale (1, unless weights are taken as multiples of a power of two); where 32 bits are too few WEIR_VALUE_F64, and all bits set (a NaN) for that. */
weir_status weir_sssp_values(weir_sssp *sssp, uint32_t device, weir_values *values_out);
/** As weir_bfs_link_items(). */
weir_status weir_sssp_link_items(const weir_sssp *sssp, uint32_t from, uint32_t to,
                                 uint64_t *items_out);
/** As weir_bfs_stolen(), of arcs that were relaxed in pushes. */
weir_status weir_sssp_stolen(const weir_sssp *sssp, uint32_t owner, uint32_t worker,
                             uint64_t *arcs_out);
/** As weir_bfs_explain(). A run may find that distances need 64 bits, which changes the form. */
weir_status weir_sssp_explain(const weir_sssp *sssp, weir_run_stats *picked_out,
                              weir_run_reasons *reasons_out);
/** As weir_bfs_prepared(). Placing for 64 bits is part of the first run that needs them. */
weir_status weir_sssp_prepared(const weir_sssp *sssp, weir_prepare_stats *stats_out);
/** Stop a run from another thread; it returns WEIR_ERR_CANCELLED soon. */
void weir_sssp_cancel(weir_sssp *sssp);
/** NULL is fine. No run may be under way. */
void weir_sssp_destroy(weir_sssp *sssp);

/** Serial reference: Dijkstra with a binary heap; shares no code with the engine.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID */
weir_status weir_sssp_reference(const weir_graph *graph, uint64_t source, double *distances_out);
/** Whether @p parents is a tree of shortest paths from @p source, by Graph500's five rules: as weir_bfs_tree_check(), with distances in
 *  place of levels. Each vertex needs an arc from its parent that makes it just as far as it is, and farther than the parent: over weights
 *  above 0, which trees are found over, that is a tree. weir_sssp_certify() takes arcs of weight 0 too.
 *  @param[in] parents    as of weir_sssp_parents(), one value a vertex.
 *  @param[in] distances  that the tree has to have, as of weir_sssp_distances(), one value a vertex.
 *  @retval WEIR_ERR_VERIFY   a rule is broken; the detail names it and the smallest vertex that does so.
 *  @retval WEIR_ERR_INVALID  source is not a vertex; the graph has no weights, or negative ones.
 *  @par Blocks  yes; works on all cores. */
weir_status weir_sssp_tree_check(const weir_graph *graph, uint64_t source, const int64_t *parents,
                                 const double *distances);
/** Judge distances by the arcs, on all devices; else as weir_bfs_certify(). No arc offers less than its head has, and every vertex that was
 *  reached is held by a chain of arcs from the source each of which offers exactly what its head has: a circle of arcs of weight 0 holds
 *  nobody. Offers are sums of doubles, as the reference has them, so that only the very distances of the reference keep the rules, for weights
 *  that are no integers too. Vertices that arcs of weight 0 alone lead to are followed on the host, along those. With a tree it is the arc
 *  from its parent that has to hold a vertex, so that the tree is one of shortest paths: Graph500's five rules. On each device 17 bytes a
 *  vertex (25 with a tree), and 16 for each of up to 2^26 arcs, or 24 with weights that are no integers.
 *  @param[in] distances  as of weir_sssp_distances(); in host memory.
 *  @param[in] parents    as of weir_sssp_parents(); NULL: there is no tree.
 *  @retval WEIR_ERR_VERIFY   a rule is broken; the detail names it, the smallest vertex that does so, and its arc.
 *  @retval WEIR_ERR_INVALID  source is not a vertex; the graph has no weights, or negative ones. */
weir_status weir_sssp_certify(weir_context *context, const weir_graph *graph, uint64_t source,
                              const double *distances, const int64_t *parents);

/* ---- PageRank ----------------------------------------------------------------------------- */

/** What becomes of the rank of vertices without out-arcs. */
typedef enum weir_dangling {
    WEIR_DANGLING_SPREAD = 0, /**< goes to all vertices evenly: ranks sum to 1 */
    WEIR_DANGLING_IGNORE      /**< is lost, as in the GAP benchmark suite */
} weir_dangling;

/** Which ranks are wanted. */
typedef struct weir_pr_config {
    size_t size;    /**< sizeof(weir_pr_config), set by WEIR_PR_CONFIG_INIT */
    double damping; /**< 0 to 1, without 1 */
    double
        tolerance; /**< stop when the L1 norm of what an iteration changes, or the residual that bounds the
                           same, is below; above 0, and below 1e-300 as 1e-300. A pull that rounding keeps
                           above stops after the iterations that should do; its residual says so */
    weir_dangling dangling;
    uint32_t iterations; /**< of the pull form at most; 0: until the tolerance is met */
    /** Of the pull form: in how many stretches of vertices ranks are read, one after the other, so that those of a
     *  stretch stay in the cache of a GPU or of all cores (WEIR_CACHE_BYTES): 1 to 64; 0: 1, unless ranks are much larger
     *  than the cache and arcs go all over them. Where memory for more is missing it is 1; weir_run_stats.bands tells. */
    uint32_t bands;
    /** Of the pull form in one band: of how many hubs each block keeps what their arcs carry in its own memory while an
     *  iteration lasts, as far as it has room: 47 Ki on a GPU whose blocks may have 227 KiB (none on others), 1 Ki in a
     *  thread of a host device; none over more than eight devices. 1: none; 0: none, unless half of the arcs of a large
     *  graph come from so many vertices, on GPUs, and there are no bins. weir_run_stats.hubs tells. */
    uint32_t hubs;
    /** Of the pull form without bands and hubs: into how many bins of rows each part's arcs are spread, or a few more, while ranks have
     *  32 bits, so that no rank is read at random: up to 65535, and no more than leaves an arc for each bin from each of as many
     *  stretches of vertices; 1: none; 0: none, unless that moves less, on GPUs. Takes 8.5 bytes an arc of device memory where there are
     *  many arcs for each bin and stretch, more else; where they are missing, or there would be 2^32 of them, there are none.
     *  weir_run_stats.bins tells. */
    uint32_t bins;
} weir_pr_config;
/** Defaults of weir_pr_config. */
#define WEIR_PR_CONFIG_INIT                                                  \
    {                                                                        \
        sizeof(weir_pr_config), 0.85, 1e-6, WEIR_DANGLING_SPREAD, 0, 0, 0, 0 \
    }

/** PageRank of a placed graph: uniform teleport; 64-bit ranks. Long-lived. */
typedef struct weir_pr weir_pr;

/** Place @p graph on the devices; as weir_bfs_create(), of which all else holds too.
 *  @param[in] config  NULL for defaults.
 *  Directions: push sends residuals through the worklist (Groute 4.5), in epochs; pull iterates over in-arcs without
 *  atomics; auto pulls where devices can go in step and no choice of the worklist is made. With balance FRONTIER it pushes in step, and ranks
 *  are the same bit by bit on however many devices of one kind (docs/stealing.md). With a tolerance
 *  below about 5e-7 all also go on until no vertex changes by half of it, of itself. A partition of kind WEIR_PARTITION_2D: pull in
 *  two dimensions (docs/two-dimensions.md), which reads direction, iterations and time_limit_ms, in doubles from the start.
 *  @retval WEIR_ERR_INVALID      the configuration is out of range.
 *  @retval WEIR_ERR_UNSUPPORTED  pull with a choice of the worklist, or over devices that cannot go in step;
 *          switch; push, or a choice of the worklist, with `iterations`, `bands`, `hubs` or `bins`;
 *          balance FRONTIER with any of these, with pull, in two dimensions, or on one device or more than 8; any other balance but OFF and AUTO. */
weir_status weir_pr_create(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, const weir_run_options *options,
                           const weir_pr_config *config, weir_pr **pr_out);
/** Ranks from the start; as weir_bfs_run(). stats_out->steps, epochs and residual say how it stopped. */
weir_status weir_pr_run(weir_pr *pr, weir_run_stats *stats_out);
/** Ranks of the last run in vertex order. @param[out] ranks_out  one value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  there was no run, or the last one was not complete. */
weir_status weir_pr_ranks(weir_pr *pr, double *ranks_out);
/** The ranks of the last run on a device (WEIR_VALUE_F64, to be multiplied with weir_values.scale); as
 *  weir_bfs_values(). The first call after a run may have some reckoning to do. */
weir_status weir_pr_values(weir_pr *pr, uint32_t device, weir_values *values_out);
/** As weir_bfs_link_items(). */
weir_status weir_pr_link_items(const weir_pr *pr, uint32_t from, uint32_t to, uint64_t *items_out);
/** As weir_bfs_stolen(), of arcs that residuals were handed on along. */
weir_status weir_pr_stolen(const weir_pr *pr, uint32_t owner, uint32_t worker, uint64_t *arcs_out);
/** As weir_bfs_explain(). */
weir_status weir_pr_explain(const weir_pr *pr, weir_run_stats *picked_out,
                            weir_run_reasons *reasons_out);
/** As weir_bfs_prepared(). */
weir_status weir_pr_prepared(const weir_pr *pr, weir_prepare_stats *stats_out);
/** Stop a run from another thread; it returns WEIR_ERR_CANCELLED soon. */
void weir_pr_cancel(weir_pr *pr);
/** NULL is fine. No run may be under way. */
void weir_pr_destroy(weir_pr *pr);
/** Reference: power iteration in doubles until an iteration changes less than 1e-15 in L1, or the
 *  change no longer falls. Shares no code with the engine. On all cores, with the same result on any number of
 *  them; 4 bytes an arc and 24 a vertex while it runs. @param[in] config  NULL for defaults; its tolerance is not
 *  looked at. @param[out] ranks_out  graph->vertices values.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID */
weir_status weir_pr_reference(const weir_graph *graph, const weir_pr_config *config,
                              double *ranks_out);

/** What one exact iteration from given ranks changes. All fields but @c vertex are INFINITY or NAN where a rank
 *  is no finite number. */
typedef struct weir_pr_change {
    size_t size; /**< sizeof(weir_pr_change), set by WEIR_PR_CHANGE_INIT */
    double l1;   /**< sum over the vertices of what a rank changes by */
    double
        within; /**< the given ranks are not farther from the true ones in L1: l1 / (1 - damping), and
                          what the check itself may round */
    double relative; /**< the most that a rank changes by, of what it becomes */
    double sum;      /**< of the given ranks */
    double next;     /**< what the rank of @c vertex becomes */
    uint64_t vertex; /**< whose rank changes by @c relative; the first that is no finite number */
} weir_pr_change;
/** weir_pr_change: nothing filled in yet. */
#define WEIR_PR_CHANGE_INIT                      \
    {                                            \
        sizeof(weir_pr_change), 0, 0, 0, 0, 0, 0 \
    }

/** Judge ranks, from wherever they come, without knowing the true ones: one iteration in doubles with compensated
 *  sums. Serial; shares no code with the engine or the reference; 16 bytes a vertex while it runs.
 *  @param[in] config  NULL for defaults; damping and dangling alone are looked at.
 *  @param[in] ranks   graph->vertices values; any.
 *  @param[in,out] change_out  begins as WEIR_PR_CHANGE_INIT.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID  @p change_out is left as it was. */
weir_status weir_pr_check(const weir_graph *graph, const weir_pr_config *config,
                          const double *ranks, weir_pr_change *change_out);
/** The same, with the iteration on all devices of a context; else as weir_bfs_certify(). Sums are compensated whatever the order in which
 *  arcs come, and bound the distance to the true ranks as closely. On each device 32 bytes a vertex; on the host 16, or 32 with several devices. */
weir_status weir_pr_certify(weir_context *context, const weir_graph *graph,
                            const weir_pr_config *config, const double *ranks,
                            weir_pr_change *change_out);

/* ---- connected components ----------------------------------------------------------------- */

/** Weakly connected components of a placed graph. Long-lived. */
typedef struct weir_cc weir_cc;

/** How arcs come to the devices. */
typedef enum weir_cc_source {
    WEIR_CC_AUTO =
        0, /**< resident if they fit into the devices' pools, or if weir_run_options.memory is not AUTO; else streamed */
    WEIR_CC_RESIDENT, /**< rows are placed before a run; their arcs lie where weir_run_options.memory says */
    WEIR_CC_STREAMED /**< a run sends them from host memory in segments, over a router, to whichever device
                           is free (Groute Figure 15) */
} weir_cc_source;

/** Place @p graph on the devices; as weir_bfs_create(), of which all else holds too.
 *  Of the options there are route, time_limit_ms and reserved_bytes; route staged says something of streamed arcs
 *  alone, and picks them where @p source is left open. weir_run_stats.work.route is the route that was asked for.
 *  A partition of kind WEIR_PARTITION_2D: in two dimensions (docs/two-dimensions.md), resident, which reads time_limit_ms and
 *  reserved_bytes; weir_run_stats.work.rounds are those over links between columns. */
weir_status weir_cc_create(weir_context *context, const weir_graph *graph,
                           const weir_partition *partition, const weir_run_options *options,
                           weir_cc_source source, weir_cc **cc_out);
/** As weir_bfs_run(). A run that streams and was stopped may be followed by another. */
weir_status weir_cc_run(weir_cc *cc, weir_run_stats *stats_out);
/** For each vertex the smallest vertex of its component by the last run; before the first one itself.
 *  @param[out] labels_out  one value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  the last run was not complete. */
weir_status weir_cc_labels(weir_cc *cc, uint32_t *labels_out);
/** The labels of the last run on a device (WEIR_VALUE_U32); as weir_bfs_values().
 *  @retval WEIR_ERR_UNSUPPORTED  arcs were streamed: labels lie in host memory alone. */
weir_status weir_cc_values(weir_cc *cc, uint32_t device, weir_values *values_out);
/** As weir_bfs_explain(). Where arcs are streamed there is no partition, the direction is WEIR_DIRECTION_PUSH, and the first phase
 *  is "stream"; else it is WEIR_DIRECTION_PULL. */
weir_status weir_cc_explain(const weir_cc *cc, weir_run_stats *picked_out,
                            weir_run_reasons *reasons_out);
/** As weir_bfs_prepared(). Streamed arcs are copied in by each run, and count there. */
weir_status weir_cc_prepared(const weir_cc *cc, weir_prepare_stats *stats_out);
/** Stop a run from another thread; it returns WEIR_ERR_CANCELLED soon. */
void weir_cc_cancel(weir_cc *cc);
/** NULL is fine. No run may be under way. */
void weir_cc_destroy(weir_cc *cc);
/** Serial reference: union-find over the arcs. Shares no code with the engine.
 *  @param[out] labels_out  graph->vertices values. @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID */
weir_status weir_cc_reference(const weir_graph *graph, uint32_t *labels_out);
/** Judge labels by the arcs, on all devices; else as weir_bfs_certify(). A label is a vertex that has itself as its label, no larger than the
 *  vertex that has it; both ends of an arc have one label; and there are as many labels as components, which are counted apart from them: each device
 *  makes a forest of the arcs it gets, and the host joins these. On each device 16 bytes a vertex; on the host 8.
 *  @param[in] labels  as of weir_cc_labels(); in host memory.
 *  @retval WEIR_ERR_VERIFY  a rule is broken; the detail names it, the smallest vertex that does so, and its arc. */
weir_status weir_cc_certify(weir_context *context, const weir_graph *graph, const uint32_t *labels);

/* ---- colourings --------------------------------------------------------------------------- */

/** Colours of the vertices of a placed graph: no two that an arc joins, in either direction, have the same. Long-lived. */
typedef struct weir_color weir_color;

/** How a colouring is made. */
typedef struct weir_color_config {
    size_t size; /**< sizeof(weir_color_config), set by WEIR_COLOR_CONFIG_INIT */
    /** 1: vertices take their first colours in an order that is drawn, so that neighbours seldom do so at the same time; 0: as they are numbered. */
    int permute;
    uint64_t seed; /**< of that order */
} weir_color_config;
/** Defaults of weir_color_config. */
#define WEIR_COLOR_CONFIG_INIT          \
    {                                   \
        sizeof(weir_color_config), 0, 1 \
    }

/** Place @p graph on the devices; as weir_bfs_create(), of which all else holds too. WEIR_DIRECTION_PULL goes in step, on devices that reach
 *  each other; WEIR_DIRECTION_PUSH goes through the worklist, and is what options of that ask for. An operator that adds up tiles
 *  runs on warps and groups of lanes: other workers and mappings are refused. `soft` has vertices of many arcs first.
 *  @param[in] config  NULL for defaults. */
weir_status weir_color_create(weir_context *context, const weir_graph *graph,
                              const weir_partition *partition, const weir_run_options *options,
                              const weir_color_config *config, weir_color **color_out);
/** As weir_bfs_run(). Every vertex takes a colour that it sees at no neighbour, and again where two neighbours took the same at
 *  the same time: two runs need not give the same colours. weir_run_stats.work.processed counts the colours that were taken in step, and
 *  through the worklist items: to take, to check, and to tell another device. */
weir_status weir_color_run(weir_color *color, weir_run_stats *stats_out);
/** The colours of the last run, from 0. A vertex with d arcs, of both directions, has at most d.
 *  @param[out] colors_out  one value a vertex, the caller's.
 *  @retval WEIR_ERR_INVALID  the last run was not complete, or there was none. */
weir_status weir_color_colors(weir_color *color, uint32_t *colors_out);
/** The colours of the last run on a device (WEIR_VALUE_U32); as weir_bfs_values(). */
weir_status weir_color_values(weir_color *color, uint32_t device, weir_values *values_out);
/** As weir_bfs_link_items(): in step each colour is one that was told to a device whose halo has the vertex. */
weir_status weir_color_link_items(const weir_color *color, uint32_t from, uint32_t to,
                                  uint64_t *items_out);
/** As weir_bfs_explain(). */
weir_status weir_color_explain(const weir_color *color, weir_run_stats *picked_out,
                               weir_run_reasons *reasons_out);
/** As weir_bfs_prepared(). */
weir_status weir_color_prepared(const weir_color *color, weir_prepare_stats *stats_out);
/** Stop a run from another thread; it returns WEIR_ERR_CANCELLED soon. */
void weir_color_cancel(weir_color *color);
/** NULL is fine. No run may be under way. */
void weir_color_destroy(weir_color *color);
/** Serial reference: each vertex, in their order, takes the smallest colour that no neighbour has. Results are not to be compared with it, but
 *  for how many colours they have. Shares no code with the engine.
 *  @param[out] colors_out  graph->vertices values. @retval WEIR_ERR_NOMEM, WEIR_ERR_INVALID */
weir_status weir_color_reference(const weir_graph *graph, uint32_t *colors_out);
/** Judge colours by the arcs, on all devices; else as weir_bfs_certify(). Ends of an arc have different colours, and no colour is larger than the
 *  largest number of arcs of a vertex: those that leave it and, unless the graph was made with the reverse of every arc, those that come to it.
 *  On each device 12 bytes a vertex; on the host 4, unless the graph was made with the reverse of every arc.
 *  @param[in] colors  as of weir_color_colors(); in host memory.
 *  @retval WEIR_ERR_VERIFY  a rule is broken; the detail names the smallest vertex that does so, and its arc. */
weir_status weir_color_certify(weir_context *context, const weir_graph *graph,
                               const uint32_t *colors);

/* ---- predicate-based filtering ------------------------------------------------------------ */

/** Most elements of one run. */
#define WEIR_PBF_ELEMENTS_MAX (UINT64_C(1) << 32)

/** Filters arrays of 32-bit elements on all devices of a context (Groute section 3, Figures 5 and
 *  6): the host's array goes through a router to the devices, each keeps the elements that satisfy
 *  a predicate, and what they keep goes through a second router back into one array. Long-lived. */
typedef struct weir_pbf weir_pbf;

/** Who decides which device filters what. */
typedef enum weir_pbf_schedule {
    WEIR_PBF_DYNAMIC = 0, /**< each packet to the first device that is free */
    WEIR_PBF_STATIC       /**< an equal, consecutive share to each device, fixed beforehand */
} weir_pbf_schedule;

/** How arrays are filtered; zero in most fields is their default. */
typedef struct weir_pbf_config {
    size_t size; /**< sizeof(weir_pbf_config), set by WEIR_PBF_CONFIG_INIT */
    weir_pbf_schedule schedule;
    /** An element stays if it is smaller, after @p work rounds of weir_pbf_mix(): 0 to 2^32. */
    uint64_t below;
    uint32_t work;
    /** Of what a device takes at a time, a multiple of 4 up to 1 GiB; 0: 16 MiB on GPUs, 1 MiB on host
     *  devices, 4 MiB where there are both. No more is used than the array has. */
    size_t packet_bytes;
    uint32_t buffers;       /**< packets a device has under way, 1 to 16; 0: 3 on a GPU, else 2 */
    uint32_t time_limit_ms; /**< 0: none */
    int pieces;             /**< non-zero: keep what weir_pbf_pieces() tells */
} weir_pbf_config;
/** Defaults of weir_pbf_config: dynamic, every second element stays. */
#define WEIR_PBF_CONFIG_INIT                                                        \
    {                                                                               \
        sizeof(weir_pbf_config), WEIR_PBF_DYNAMIC, UINT64_C(1) << 31, 0, 0, 0, 0, 0 \
    }

/** What one device did. */
typedef struct weir_pbf_share {
    uint64_t elements; /**< taken */
    uint64_t kept;
    uint64_t packets; /**< taken */
    double busy_ms;   /**< in the filter, by the device's clock */
    double ms;        /**< from the start until its last result had left it */
} weir_pbf_share;

/** What a run did. */
typedef struct weir_pbf_stats {
    size_t size; /**< sizeof(weir_pbf_stats), set by WEIR_PBF_STATS_INIT */
    double
        ms; /**< from the first send to the last arrival; no building and no freeing of the graph */
    double prepare_ms; /**< building that graph: endpoints, links, memory of devices */
    uint64_t kept;
    size_t packet_bytes; /**< what was chosen */
    uint32_t devices;
    weir_pbf_share device[WEIR_DEVICES_MAX];
} weir_pbf_stats;
/** weir_pbf_stats: nothing filled in yet. */
#define WEIR_PBF_STATS_INIT                    \
    {                                          \
        sizeof(weir_pbf_stats), 0, 0, 0, 0, 0, \
        {                                      \
            {                                  \
                0, 0, 0, 0, 0                  \
            }                                  \
        }                                      \
    }

/** A packet of the result: where it came from and where it lies. */
typedef struct weir_pbf_piece {
    uint64_t input;  /**< the first element of the packet it was kept from */
    uint64_t output; /**< the first element of the piece */
    uint32_t kept;   /**< elements of the piece, at least 1 */
    uint32_t device;
} weir_pbf_piece;

/** @param[in] config  NULL for defaults.
 *  @retval WEIR_ERR_INVALID  a field is out of its range.
 *  The object keeps the context until it is destroyed. */
weir_status weir_pbf_create(weir_context *context, const weir_pbf_config *config,
                            weir_pbf **pbf_out);
/** Filter an array. No order is promised: the pieces of the result come in the order in which devices
 *  were done, and elements have none within a piece. Sort if order matters; weir_pbf_pieces() tells
 *  which packet each came from.
 *  @param[in]  input      @p elements values in memory of the home device: of weir_device_alloc(), or
 *                         registered.
 *  @param[out] output     the same kind of memory; no part of the input. What lies behind the result is
 *                         undefined.
 *  @param[in]  room       elements that @p output holds; @p elements is always enough.
 *  @param[in,out] stats_out  begins as WEIR_PBF_STATS_INIT; may be NULL.
 *  @retval WEIR_ERR_INVALID  more than WEIR_PBF_ELEMENTS_MAX elements.
 *  @retval WEIR_ERR_NOMEM    more than @p room elements stay, or a device has no memory for its packets
 *                            (two times packet_bytes * buffers).
 *  @retval WEIR_ERR_TIMEOUT, WEIR_ERR_CANCELLED, WEIR_ERR_DEVICE  stopped. The object may run again
 *                            unless a device failed.
 *  @par Blocks  until done. One run at a time. */
weir_status weir_pbf_run(weir_pbf *pbf, const uint32_t *input, uint64_t elements, uint32_t *output,
                         uint64_t room, weir_pbf_stats *stats_out);
/** The pieces of the last run, in the order of the output; empty ones are left out.
 *  @param[out] pieces_out  the object's, until its next run.
 *  @retval WEIR_ERR_INVALID  the configuration did not ask for them. */
weir_status weir_pbf_pieces(const weir_pbf *pbf, const weir_pbf_piece **pieces_out,
                            uint64_t *count_out);
/** Stop the run that is under way, or else the next one: it returns WEIR_ERR_CANCELLED soon. Any
 *  thread. */
void weir_pbf_cancel(weir_pbf *pbf);
/** NULL is fine. No run may be under way. */
void weir_pbf_destroy(weir_pbf *pbf);

/** Element @p index of the generated input: different for every index of one seed. */
uint32_t weir_pbf_value(uint64_t seed, uint32_t index);
/** The bijection that values and predicates are made of. */
uint32_t weir_pbf_mix(uint32_t value);
/** Fill an array with generated input, on all cores. */
void weir_pbf_generate(uint64_t seed, uint64_t elements, uint32_t *values_out);
/** Check the result of filtering a generated input in full: each element stands for an index of the input,
 *  which is there once and satisfies the predicate, and there are as many as a serial reference keeps.
 *  Shares no code with the engine. Takes a bit of memory an element.
 *  @param[in] config  of the run.
 *  @retval WEIR_ERR_VERIFY  with a sentence on the first difference.
 *  @par Blocks  yes. */
weir_status weir_pbf_verify(const weir_pbf_config *config, uint64_t seed, uint64_t elements,
                            const uint32_t *output, uint64_t kept);

#ifdef __cplusplus
}
#endif
#endif
