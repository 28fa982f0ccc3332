/** @file discover.h  What discovery finds out, before it becomes a machine. Topology only.
 *
 * Discovery is two steps: asking (survey.c: CUDA, NVML, hwloc) and drawing conclusions (assemble.c,
 * fabric.c), which need no GPU and are tested without one. */
#ifndef WEIR_TOPOLOGY_DISCOVER_H
#define WEIR_TOPOLOGY_DISCOVER_H

#include "runtime/numa.h"
#include "topology/machine.h"

/** One device, as it and the system describe it. */
struct weir__found {
    weir_device_info info;
    /* The rest is a GPU's; all zero for host devices. */
    weir__device_facts facts;
    struct weir__nvlinks links;
    uint32_t numa; /* the host next to it, position in weir__numa */
    char root[16]; /* the root port above it; "" unknown */
};

struct weir__survey {
    uint32_t devices;
    struct weir__numa numa;
    struct weir__found found[WEIR_DEVICES_MAX];
    /* [source][destination]; the number `devices` is the home memory. */
    unsigned char reaches[WEIR_DEVICES_MAX + 1][WEIR_DEVICES_MAX + 1];
    unsigned char atomics[WEIR_DEVICES_MAX + 1][WEIR_DEVICES_MAX + 1];
};

/** Ask everyone. Never fails: what nobody tells stays unknown. */
void weir__survey_take(weir_context *context, struct weir__survey *survey_out);
/** The machine that follows from a survey.
 *  @retval WEIR_ERR_NOMEM  no memory for it. */
weir_status weir__survey_assemble(const struct weir__survey *survey, weir_machine **machine_out);

static inline int weir__found_gpu(const struct weir__found *found)
{
    return found->info.kind == WEIR_DEVICE_CUDA;
}

/* ---- fabric.c: which GPUs share a switch ----------------------------------------------------- */

#define WEIR__NO_FABRIC UINT32_MAX

/** Switches follow one another: the NVSwitch if there is one, assumed ones, PCIe switches. */
struct weir__fabrics {
    uint32_t count, assumed, pcie;        /* all; where the second and the third kind begin */
    uint32_t nvlink_of[WEIR_DEVICES_MAX]; /* NVSwitch, said or assumed, of a GPU or none */
    uint32_t pcie_of[WEIR_DEVICES_MAX];   /* PCIe switch it shares with others, or none */
};
void weir__fabrics_find(const struct weir__survey *survey, struct weir__fabrics *fabrics_out);

/** NVLinks between two GPUs, as either end tells. */
uint32_t weir__found_nvlinks(const struct weir__found *a, const struct weir__found *b);
/** NVLink generation and links that a GPU of its compute capability has; 0, 0: none is known. */
void weir__usual_nvlinks(const struct weir__found *found, uint32_t *generation_out,
                         uint32_t *links_out);

#endif
