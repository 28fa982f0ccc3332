/** @file fuzz_partition.c  A file that is read as a partition of a graph of six vertices into up to three parts.
 *
 * What is accepted has a part for every vertex, and is the same after it was written and read again. */
#include "tests/fuzz/fuzz.h"

#include "algorithms/algorithms.h"

#include <string.h>
#include <unistd.h>

enum { MOST = 3 };

static void check_owners(const weir_partition *partition)
{
    uint32_t largest = 0;
    for (uint64_t v = 0; v < partition->vertices; v++)
        largest = partition->owner[v] > largest ? partition->owner[v] : largest;
    FUZZ_CHECK(partition->parts <= MOST, "%u parts", partition->parts);
    FUZZ_CHECK(largest + 1 == partition->parts, "part %u of %u", largest, partition->parts);
}

static void write_and_read(const weir_graph *graph, const weir_partition *partition)
{
    const char *path = weir__fuzz_path("back.part");
    weir_partition *back = NULL;
    weir_status status = weir_partition_write(partition, path);
    FUZZ_CHECK(!status, "writing: %s", weir_error_detail());
    status = weir_partition_read(graph, path, MOST, &back);
    unlink(path);
    FUZZ_CHECK(!status, "reading what was written: %s", weir_error_detail());
    FUZZ_CHECK(memcmp(back->owner, partition->owner, graph->vertices) == 0, "other parts");
    weir_partition_destroy(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weir_graph *graph; /* the same for all inputs */
    const char *path = weir__fuzz_file(data, size);
    weir_partition *partition = NULL;
    FUZZ_CHECK(graph || !weir_graph_open("chain:6", NULL, &graph), "%s", weir_error_detail());
    weir_status status = weir_partition_read(graph, path, MOST, &partition);
    if (status) {
        FUZZ_CHECK(!partition, "a partition in spite of status %d", status);
        weir__fuzz_refused(status, path);
        return 0;
    }
    check_owners(partition);
    write_and_read(graph, partition);
    weir_partition_destroy(partition);
    return 0;
}
