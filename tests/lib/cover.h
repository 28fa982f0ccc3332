/** @file cover.h  Covering arrays: few rows in which any two (or three) values of different factors
 *  meet. */
#ifndef WEIR_TESTS_LIB_COVER_H
#define WEIR_TESTS_LIB_COVER_H

#include <stdint.h>

/** Most factors, and most values of all factors together. */
#define COVER_FACTORS_MAX 12
#define COVER_VALUES_MAX  64

/** How many values each factor has. */
struct cover_shape {
    uint32_t factors;                   /**< at least 1 */
    uint32_t values[COVER_FACTORS_MAX]; /**< at least 1 each */
};

/** Rows in which every value (strength 1), every pair (2) or every triple (3) of values of different
 *  factors occurs; greedy, so not the fewest, but the same for the same seed. A strength above the
 *  number of factors counts as that number.
 *  @param[out] rows_out  shape->factors values each, one row after the other; for free().
 *  @return the number of rows; 0 without memory. */
uint32_t cover_make(const struct cover_shape *shape, uint32_t strength, uint64_t seed,
                    uint8_t **rows_out);
/** Row @p index of the whole product, below cover_product(). */
void cover_product_row(const struct cover_shape *shape, uint64_t index, uint8_t *row_out);
/** Rows of the whole product. */
uint64_t cover_product(const struct cover_shape *shape);

#endif
