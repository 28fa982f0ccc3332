/** @file config.h  The list of tunables behind weir_config. Not installed. */
#ifndef WEIR_RUNTIME_CONFIG_H
#define WEIR_RUNTIME_CONFIG_H

#include "runtime/runtime.h"

/** X(id, name, environment, type, default, lowest, highest, choices, help): the one list. A default may lie outside the
 *  range: then it stands for what is found out. A WORD is one of those that
 *  the layer knows which asks for it: that layer refuses others. */
#define WEIR__CONFIG_MAP(X)                                                                        \
    X(WEIR__POOL_BYTES, "pool_bytes", "WEIR_POOL_BYTES", BYTES, "0", 1 << 20, 1ull << 46, "",      \
      "bound of each device's memory pool, which is taken from the device as it is needed; 0: "    \
      "what "                                                                                      \
      "the device has, less a reserve (weir topo prints it)")                                      \
    X(WEIR__CACHE_BYTES, "cache_bytes", "WEIR_CACHE_BYTES", BYTES, "0", 0, 1ull << 46, "",         \
      "of the cache that the units of a device share, by which arrays are gone over in pieces; "   \
      "0: as the device says")                                                                     \
    X(WEIR__EVENTS, "events", "WEIR_EVENTS", COUNT, "1024", 16, 65536, "",                         \
      "events made for each device at start; 16 times as many while all are in use")               \
    X(WEIR__HOST_THREADS, "host_threads", "WEIR_HOST_THREADS", COUNT, "1", 1, 256, "",             \
      "threads of a host device whose spec names none")                                            \
    X(WEIR__PEER, "peer", "WEIR_PEER", CHOICE, "probe", 0, 1, "probe off",                         \
      "probe: use peer access that passes a verified copy; off: stage everything between GPUs")    \
    X(WEIR__NUMA, "numa", "WEIR_NUMA", CHOICE, "bind", 0, 1, "bind off",                           \
      "bind: threads and page-locked memory that serve a GPU stay on its NUMA node; off: "         \
      "wherever the system puts them")                                                             \
    X(WEIR__MACHINE, "machine", "WEIR_MACHINE", PATH, "", 0, 0, "",                                \
      "file of weir topo --measure --format json with the figures of this machine, by which "      \
      "routes and collectives are planned; empty: it is discovered")                               \
    X(WEIR__TRANSPORT, "transport", "WEIR_TRANSPORT", WORD, "auto", 0, 0, "",                      \
      "how links that name none carry packets, where that can join the two")                       \
    X(WEIR__PACKET_BYTES, "packet_bytes", "WEIR_PACKET_BYTES", BYTES, "0", 0, 1u << 30, "",        \
      "packet of a link that names none; 0: 32 MiB in a context with GPUs (also simulated), else " \
      "1 MiB")                                                                                     \
    X(WEIR__LINK_BUFFERS, "link_buffers", "WEIR_LINK_BUFFERS", COUNT, "4", 1, 1024, "",            \
      "receive buffers of a link, and send buffers of a worklist, that name none")                 \
    X(WEIR__LINK_MESSAGES, "link_messages", "WEIR_LINK_MESSAGES", COUNT, "4096", 1, 1u << 30, "",  \
      "messages that an input may have under way, if it names no bound of its own")                \
    X(WEIR__LINK_BYTES, "link_bytes", "WEIR_LINK_BYTES", BYTES, "1TiB", 1, 1ull << 60, "",         \
      "bytes of them; one message that is larger goes when nothing else is under way")             \
    X(WEIR__LINK_PATIENCE, "link_patience", "WEIR_LINK_PATIENCE", MILLISECONDS, "1s", 0,           \
      1ull << 40, "",                                                                              \
      "how long a link leaves packets that other links may take to those, when its device is far " \
      "behind; 0: it takes them as long as it has buffers")                                        \
    X(WEIR__QUEUE_ITEMS, "queue_items", "WEIR_QUEUE_ITEMS", COUNT, "0", 0, 1u << 31, "",           \
      "items a device's local queue holds in its own memory, at least 16; four times as many are " \
      "deferred there; 0: one for each tile it owns. Shortest paths in step: items of an inbox")   \
    X(WEIR__FUSE_ITEMS, "fuse_items", "WEIR_FUSE_ITEMS", COUNT, "4096", 0, 1u << 24, "",           \
      "items that a thread of a host device, with order soft on one device, goes on with by "      \
      "itself in a round out of those that it has just made; 0: none")                             \
    X(WEIR__PADDED_ROWS, "padded_rows", "WEIR_PADDED_ROWS", COUNT, "1", 0, 2, "",                  \
      "searches by push of graphs with few arcs a vertex have their rows once more with all arcs " \
      "in one place, which narrow rounds read: 1: on one GPU, 2: on one host device too, 0: "      \
      "never")                                                                                     \
    X(WEIR__DIRECT_ITEMS, "direct_items", "WEIR_DIRECT_ITEMS", COUNT, "32768", 0, 1u << 31, "",    \
      "shortest paths in step on several devices: behind a step that lowered so many distances "   \
      "or "                                                                                        \
      "fewer, devices lower those of others in their memory, in place of telling them; 0: never")  \
    X(WEIR__STEAL_ARCS, "steal_arcs", "WEIR_STEAL_ARCS", COUNT, "0", 1, 1ull << 46, "",            \
      "with balance frontier: a level, or a list of long rows, of fewer arcs is not shared out; "  \
      "0: 1048576 on GPUs, 65536 on host devices")                                                 \
    X(WEIR__STEAL_PERCENT, "steal_percent", "WEIR_STEAL_PERCENT", COUNT, "110", 100, 6400, "",     \
      "with balance frontier: nor is one for which the device that takes longest takes less than " \
      "this part of what all would take together, in percent")                                     \
    X(WEIR__STEAL_HUBS, "steal_hubs", "WEIR_STEAL_HUBS", COUNT, "0", 1, 1ull << 32, "",            \
      "with balance frontier of breadth-first search: of rows of so many arcs or more the other "  \
      "devices have copies, which they read when they look along them; 0: none")                   \
    X(WEIR__STEAL_HUBS_PERCENT, "steal_hubs_percent", "WEIR_STEAL_HUBS_PERCENT", COUNT, "100", 1,  \
      6400, "",                                                                                    \
      "no more arcs are copied to a device than this part of what devices have on the mean, in "   \
      "percent: steal_hubs is raised until that holds")                                            \
    X(WEIR__STEAL_ENTRIES, "steal_entries", "WEIR_STEAL_ENTRIES", COUNT, "0", 1, (1u << 24) - 1,   \
      "",                                                                                          \
      "with balance ownership or both: a level of so many entries of queues or fewer is done by "  \
      "one device for all; 0: found while running, from 16384 on GPUs and 1024 on host devices")   \
    X(WEIR__SPILL_BYTES, "spill_bytes", "WEIR_SPILL_BYTES", BYTES, "4GiB", 0, 1ull << 46, "",      \
      "host memory that a device may spill work items to when its queues are full, taken as it "   \
      "is needed")                                                                                 \
    X(WEIR__METIS_HELPER, "metis_helper", "WEIR_METIS_HELPER", PATH, "", 0, 0, "",                 \
      "path of the weir-metis program; empty: beside this program, ../libexec, then PATH")         \
    X(WEIR__METIS_TIMEOUT, "metis_timeout", "WEIR_METIS_TIMEOUT", MILLISECONDS, "300s", 1,         \
      1ull << 40, "", "time limit of the METIS partitioner")                                       \
    X(WEIR__GROUP, "group", "WEIR_GROUP", PATH, "", 0, 0, "",                                      \
      "directory in which the processes of a group meet; empty: there is none")                    \
    X(WEIR__RANK, "rank", "WEIR_RANK", COUNT, "0", 0, 63, "",                                      \
      "number of this process in its group")                                                       \
    X(WEIR__SIZE, "size", "WEIR_SIZE", COUNT, "0", 0, 64, "",                                      \
      "processes of the group; 0: there is none")                                                  \
    X(WEIR__LOG, "log", "WEIR_LOG", CHOICE, "off", 0, 3, "off error info debug",                   \
      "messages to stderr; read from the environment at the first message")

enum weir__config_id {
#define WEIR__CONFIG_ENUM(id, ...) id,
    WEIR__CONFIG_MAP(WEIR__CONFIG_ENUM)
#undef WEIR__CONFIG_ENUM
        WEIR__CONFIG_COUNT
};

/** Value of a numeric tunable or choice; @p config is not NULL. */
uint64_t weir__config_get(const weir_config *config, enum weir__config_id id);
/** Text of a path, word or choice. */
const char *weir__config_text(const weir_config *config, enum weir__config_id id);
/** A copy, or defaults and environment when @p config is NULL. */
weir_status weir__config_copy(const weir_config *config, weir_config **copy_out);

#endif
