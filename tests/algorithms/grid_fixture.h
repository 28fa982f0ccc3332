/** @file grid_fixture.h  What the tests of partitions in two dimensions share: the grids that a number of devices makes. */
#ifndef WEIR_TESTS_ALGORITHMS_GRID_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_GRID_FIXTURE_H

#include "algorithms/algorithms.h"
#include "tests/lib/support.h"

struct grid {
    uint32_t rows, columns;
};

/* The grids of so many devices. @return how many; at most 8. */
static inline int grids_of(uint32_t devices, struct grid *grids)
{
    int count = 0;
    for (uint32_t rows = 1; rows <= devices; rows++)
        if (devices % rows == 0)
            grids[count++] = (struct grid){rows, devices / rows};
    return count;
}

static inline weir_partition *cells_of(const weir_graph *graph, struct grid grid)
{
    weir_partition *partition;
    OK(weir_partition_create_2d(graph, grid.rows, grid.columns, &partition));
    return partition;
}

#endif
