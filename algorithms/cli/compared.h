/** @file compared.h  Products by other libraries, beside those of weir spmv and spmm (--compare). Not installed. */
#ifndef WEIR_ALGORITHMS_CLI_COMPARED_H
#define WEIR_ALGORITHMS_CLI_COMPARED_H

#include "algorithms/cli/cli.h"

enum { RIVALS_MAX = 4 };

/** A product, as it is asked for. */
struct weir__cli_comparing {
    weir_context *context;     /* its first device runs it */
    const weir_matrix *matrix; /* transposed already, where that is asked for */
    uint32_t columns;
    double alpha, beta;
    const void *x, *y; /* y as it was; NULL where beta is 0 */
    uint64_t trials;
    const double *expected, *bound; /* what results are held against; NULL: they are not verified */
};

/** Run it by others. What one cannot do is a sentence in its row. @return how many rows there are. */
size_t weir__cli_compare_products(const struct weir__cli_comparing *of,
                                  weir__cli_rival rivals[RIVALS_MAX]);

#endif
