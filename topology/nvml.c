/** @file nvml.c  NVLinks and the PCIe link of a GPU, by NVML where it can be loaded.
 *
 * Nothing here fails: a library, an entry point or an answer that is missing leaves its figure
 * unknown. Answers are checked before they are believed, since virtual machines and old drivers
 * give odd ones. They are asked for once a process and kept: a GPU's wiring does not change. */
#include "topology/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LINKS_MAX           36 /* of one GPU, of any generation so far */
#define PCIE_GENERATION_MAX 8
#define PCIE_LANES_MAX      32

/* ---- what a device answers ------------------------------------------------------------------- */

/* nvmlNvlinkVersion_t counts 1.0, 2.0, 2.2, 3.0, 3.1, 4.0, 5.0, 6.0. */
static uint32_t generation_of(unsigned version)
{
    static const uint32_t generations[] = {0, 1, 2, 2, 3, 3, 4, 5, 6};
    return version < sizeof generations / sizeof *generations ? generations[version] : 0;
}

static int remote_bus(const struct weir__nvml_api *api, void *device, unsigned link, char bus[16])
{
    struct weir__nvml_pci pci;
    memset(&pci, 0, sizeof pci);
    if (!api->link_remote || api->link_remote(device, link, &pci) || pci.domain > 0xffffff ||
        pci.bus > 0xff || pci.device > 0x1f)
        return 0;
    /* From the numbers, as the text has eight digits of domain and capital letters. */
    snprintf(bus, 16, "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
    return 1;
}

/* Without a word of NVML's on its kind, the far end is a GPU if NVML has a GPU of that bus id. */
static unsigned remote_type(const struct weir__nvml_api *api, void *device, unsigned link,
                            const char *bus)
{
    unsigned type = WEIR__NVML_UNKNOWN;
    void *other;
    if (api->link_remote_type && !api->link_remote_type(device, link, &type) &&
        type != WEIR__NVML_UNKNOWN)
        return type;
    if (!*bus)
        return WEIR__NVML_UNKNOWN;
    return api->device_by_bus(bus, &other) ? WEIR__NVML_SWITCH : WEIR__NVML_GPU;
}

static void add_peer(struct weir__nvlinks *links, const char *bus)
{
    uint32_t p = 0;
    while (p < links->peer_count && strcmp(links->peer[p].bus, bus))
        p++;
    if (p == WEIR_DEVICES_MAX)
        return;
    if (p == links->peer_count) {
        memcpy(links->peer[p].bus, bus, sizeof links->peer[p].bus);
        links->peer_count++;
    }
    links->peer[p].links++;
}

static void add_link(const struct weir__nvml_api *api, void *device, unsigned link,
                     struct weir__nvlinks *links)
{
    char bus[16] = "";
    unsigned active = 0, version = 0;
    if (api->link_state(device, link, &active) || active != 1)
        return;
    int has_bus = remote_bus(api, device, link, bus);
    unsigned type = remote_type(api, device, link, bus);
    if (type == WEIR__NVML_SWITCH)
        links->to_switch++;
    else if (type == WEIR__NVML_GPU && has_bus)
        add_peer(links, bus);
    else
        return;
    if (api->link_version && !api->link_version(device, link, &version) && generation_of(version))
        links->generation = generation_of(version);
}

/* A figure of at most @p most, else 0. */
static uint32_t figure(int (*ask)(void *device, unsigned *out), void *device, unsigned most)
{
    unsigned value = 0;
    return ask && !ask(device, &value) && value <= most ? value : 0;
}

void weir__nvml_links_with(const struct weir__nvml_api *api, const char *bus,
                           struct weir__nvlinks *links_out)
{
    void *device = NULL;
    memset(links_out, 0, sizeof *links_out);
    if (!api->device_by_bus || api->device_by_bus(bus, &device))
        return;
    for (unsigned link = 0; api->link_state && link < LINKS_MAX; link++)
        add_link(api, device, link, links_out);
    links_out->pcie_generation = figure(api->pcie_generation, device, PCIE_GENERATION_MAX);
    links_out->pcie_lanes = figure(api->pcie_width, device, PCIE_LANES_MAX);
}

/* ---- this system, once a process ------------------------------------------------------------- */

static struct weir__nvml_api system_api; /* written in api_once alone; empty without NVML */
static pthread_once_t api_once = PTHREAD_ONCE_INIT;

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER; /* guards both below */
static struct {
    char bus[16];
    struct weir__nvlinks links;
} kept[WEIR_DEVICES_MAX];
static uint32_t kept_count;

/* dlsym() gives an object pointer; POSIX says it holds a function all the same. */
static void find(void *library, const char *name, void *function_out)
{
    void *symbol = dlsym(library, name);
    memcpy(function_out, &symbol, sizeof symbol);
}

static void load_api(void)
{
    int (*init)(void);
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    find(library, "nvmlInit_v2", &init);
    if (!init || init()) {
        weir__log(WEIR__LOG_INFO, "NVML does not start: NVLinks are unknown");
        dlclose(library);
        return;
    }
    find(library, "nvmlDeviceGetHandleByPciBusId_v2", &system_api.device_by_bus);
    find(library, "nvmlDeviceGetNvLinkState", &system_api.link_state);
    find(library, "nvmlDeviceGetNvLinkVersion", &system_api.link_version);
    find(library, "nvmlDeviceGetNvLinkRemotePciInfo_v2", &system_api.link_remote);
    find(library, "nvmlDeviceGetNvLinkRemoteDeviceType", &system_api.link_remote_type);
    find(library, "nvmlDeviceGetMaxPcieLinkGeneration", &system_api.pcie_generation);
    find(library, "nvmlDeviceGetMaxPcieLinkWidth", &system_api.pcie_width);
}

static void ask_kept(const char *bus, struct weir__nvlinks *links_out)
{
    uint32_t k = 0;
    while (k < kept_count && strcmp(kept[k].bus, bus))
        k++;
    if (k < kept_count) {
        *links_out = kept[k].links;
        return;
    }
    weir__nvml_links_with(&system_api, bus, links_out);
    if (k == WEIR_DEVICES_MAX)
        return;
    snprintf(kept[k].bus, sizeof kept[k].bus, "%s", bus);
    kept[k].links = *links_out;
    kept_count++;
}

void weir__nvml_links(const char *bus, struct weir__nvlinks *links_out)
{
    memset(links_out, 0, sizeof *links_out);
    if (!*bus)
        return;
    pthread_once(&api_once, load_api);
    pthread_mutex_lock(&kept_lock);
    ask_kept(bus, links_out);
    pthread_mutex_unlock(&kept_lock);
}
