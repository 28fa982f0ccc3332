/** @file spread.c  How the numbers of many runs are spread. */
#include "algorithms/cli/spread.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Both numbers are one where the quartile falls on it. */
static double between(const double *sorted, size_t low, size_t high)
{
    return (sorted[low] + sorted[high]) / 2;
}

weir__cli_spread weir__cli_spread_of(double *numbers, size_t count)
{
    weir__cli_spread spread;
    const size_t last = count - 1;
    double sum = 0, squares = 0;
    qsort(numbers, count, sizeof *numbers, by_size);
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    spread.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (numbers[i] - spread.mean) * (numbers[i] - spread.mean);
    spread.stddev = count > 1 ? sqrt(squares / (double)last) : (double)NAN;
    spread.min = numbers[0];
    spread.firstquartile = between(numbers, last / 4, count / 4);
    spread.median = between(numbers, last / 2, count / 2);
    spread.thirdquartile = between(numbers, last - count / 4, last - last / 4);
    spread.max = numbers[last];
    return spread;
}

weir__cli_spread weir__cli_spread_of_rates(double *numbers, size_t count)
{
    const weir__cli_spread of = weir__cli_spread_of(numbers, count);
    return (weir__cli_spread){
        .min = 1 / of.max,
        .firstquartile = 1 / of.thirdquartile,
        .median = 1 / of.median,
        .thirdquartile = 1 / of.firstquartile,
        .max = 1 / of.min,
        .mean = 1 / of.mean,
        .stddev = of.stddev / (of.mean * of.mean * sqrt((double)count - 1)),
    };
}
