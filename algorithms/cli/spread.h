/** @file spread.h  How the numbers of many runs are spread, as Graph500's specification has it. */
#ifndef WEIR_ALGORITHMS_CLI_SPREAD_H
#define WEIR_ALGORITHMS_CLI_SPREAD_H

#include <stddef.h>

/** Order statistics, mean and deviation of some numbers, or of rates. A deviation of one number is NAN. */
typedef struct weir__cli_spread {
    double min, firstquartile, median, thirdquartile, max;
    double mean;   /**< of rates the harmonic one */
    double stddev; /**< of a sample; of rates that of the harmonic mean */
} weir__cli_spread;

/** Of @p count numbers, at least 1, which are sorted on the way. A quartile is the mean of the two numbers between which it falls. */
weir__cli_spread weir__cli_spread_of(double *numbers, size_t count);
/** Of @p count rates 1 / number: of TEPS where the numbers are seconds an edge. The deviation of the harmonic mean is Norris's ("The
 *  Standard Errors of the Geometric and Harmonic Means", Annals of Mathematical Statistics 11, 1940), as the specification asks. */
weir__cli_spread weir__cli_spread_of_rates(double *numbers, size_t count);

#endif
