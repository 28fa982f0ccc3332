/** @file machine_spec.h  A spec once it is parsed, and what fabrics there are. Topology only. */
#ifndef WEIR_TOPOLOGY_MACHINE_SPEC_H
#define WEIR_TOPOLOGY_MACHINE_SPEC_H

#include "topology/machine.h"

struct weir__spec;

/** A kind of fabric: the hops that a spec's GPUs are joined by. */
struct weir__fabric {
    const char *name;
    weir_hop_kind kind;                   /* of its main hops */
    uint32_t generation, generation_most; /* the usual one; 0, 0: it has none */
    uint32_t links, links_most;           /* NVLinks or lanes of a main hop; 0, 0: it has none */
    int atomics;                          /* native, between devices that reach each other */
    /** Switches that it needs. */
    uint32_t (*switches)(const struct weir__spec *spec);
    /** Adds all hops but those between sockets. */
    weir_status (*join)(const struct weir__spec *spec, weir_machine *machine);
    /** Whether two devices reach each other. */
    int (*reaches)(const struct weir__spec *spec, uint32_t a, uint32_t b);
};

struct weir__spec {
    const struct weir__fabric *fabric;
    uint32_t sockets;           /* 1 to WEIR_DEVICES_MAX */
    uint32_t devices;           /* of a socket; sockets * devices <= WEIR_DEVICES_MAX */
    uint32_t generation, links; /* of main hops */
    int hetero, nopeer;
    double gbs, latency_us; /* of main hops; 0: the usual */
};

#define WEIR__FABRICS 5
extern const struct weir__fabric weir__fabrics[WEIR__FABRICS];

/** The machine that a checked spec describes. @param[in] name  of the machine. */
weir_status weir__machine_build(const struct weir__spec *spec, const char *name,
                                weir_machine **machine_out);

/** What the GPUs of specs and of "nvswitch8" look like: an H200. */
void weir__node_h200(weir_node *node);

#endif
