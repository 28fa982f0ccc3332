/** @file list.h  The benchmarks of the machine, one function each. Included by list.c and where each is written. */
#ifndef WEIR_TOPOLOGY_MEASURE_LIST_H
#define WEIR_TOPOLOGY_MEASURE_LIST_H

#include "topology/measure/measure.h"

weir_status weir__bench_access(struct bench *bench);     /* access.c: Groute's Figure 2(a) */
weir_status weir__bench_memory(struct bench *bench);     /* memory.c: local memory by kernels */
weir_status weir__bench_atomics(struct bench *bench);    /* atomics.c: by working-set size */
weir_status weir__bench_packets(struct bench *bench);    /* packets.c: Figure 2(b) */
weir_status weir__bench_indirect(struct bench *bench);   /* packets.c: Figure 2(c) */
weir_status weir__bench_broadcast(struct bench *bench);  /* broadcast.c: Figure 2(d) */
weir_status weir__bench_copy(struct bench *bench);       /* copy.c: engine and kernel, by size */
weir_status weir__bench_pairs(struct bench *bench);      /* pairs.c: every ordered pair, host too */
weir_status weir__bench_ring(struct bench *bench);       /* patterns.c */
weir_status weir__bench_alltoall(struct bench *bench);   /* patterns.c */
weir_status weir__bench_contention(struct bench *bench); /* patterns.c */
weir_status weir__bench_flags(struct bench *bench);      /* flags.c: between GPUs, with the CPU */
weir_status weir__bench_launch(struct bench *bench);     /* launch.c: launches and barriers */

#endif
