/** @file nvml.h  The few calls of NVIDIA's management library that are used. Included in topology/
 *  only; there may be no nvml.h where weir is built. */
#ifndef WEIR_TOPOLOGY_NVML_H
#define WEIR_TOPOLOGY_NVML_H

#include "topology/machine.h"

/** nvmlPciInfo_t, as nvmlDeviceGetNvLinkRemotePciInfo_v2 fills it. */
struct weir__nvml_pci {
    char bus_legacy[16];
    unsigned domain, bus, device, pci_device, pci_subsystem;
    char bus_id[32];
};

/** What is at the far end of a link: nvmlIntNvLinkDeviceType_t. */
enum { WEIR__NVML_GPU = 0, WEIR__NVML_NPU = 1, WEIR__NVML_SWITCH = 2, WEIR__NVML_UNKNOWN = 255 };

/** Entry points; each returns 0 for success and may be NULL: then what it tells is unknown. */
struct weir__nvml_api {
    int (*device_by_bus)(const char *bus, void **device_out);
    int (*link_state)(void *device, unsigned link, unsigned *active_out);
    int (*link_version)(void *device, unsigned link, unsigned *version_out);
    int (*link_remote)(void *device, unsigned link, struct weir__nvml_pci *remote_out);
    int (*link_remote_type)(void *device, unsigned link, unsigned *type_out);
    int (*pcie_generation)(void *device, unsigned *generation_out);
    int (*pcie_width)(void *device, unsigned *lanes_out);
};

/** weir__nvml_links() through given entry points, without keeping the answer. */
void weir__nvml_links_with(const struct weir__nvml_api *api, const char *bus,
                           struct weir__nvlinks *links_out);

#endif
