/** @file list.h  The benchmarks of links, routers and collectives, one function each. Included by list.c and where each is
 *  written. */
#ifndef WEIR_ROUTER_MEASURE_LIST_H
#define WEIR_ROUTER_MEASURE_LIST_H

#include "router/measure/measure.h"

weir_status weir__bench_links(struct bench *bench);       /* links.c */
weir_status weir__bench_linkpackets(struct bench *bench); /* linkpackets.c */
weir_status weir__bench_hops(struct bench *bench);        /* hops.c */
weir_status weir__bench_channels(struct bench *bench);    /* channels.c */
weir_status weir__bench_channelstreams(struct bench *bench);
weir_status weir__bench_channelring(struct bench *bench); /* channelring.c */
weir_status weir__bench_hostcost(struct bench *bench);    /* hostcost.c */
weir_status weir__bench_collectives(struct bench *bench); /* collectives.c */

#endif
