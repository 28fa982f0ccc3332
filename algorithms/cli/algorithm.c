/** @file algorithm.c  What the rows of several algorithms use. */
#include "algorithms/cli/algorithm.h"

#include <math.h>

double weir__cli_double_at(const void *values, uint64_t vertex)
{
    return ((const double *)values)[vertex];
}

int weir__cli_sum_values(const weir__cli_algorithm *algorithm, const void *values,
                         uint64_t vertices, weir__cli_trial *trial)
{
    double largest = 0;
    long double total = 0; /* more digits than one value has */
    for (uint64_t v = 0; v < vertices; v++) {
        double value = algorithm->at(values, v);
        if (!isfinite(value))
            continue;
        total += value;
        largest = value > largest ? value : largest;
    }
    trial->figure[0] = largest;
    trial->figure[1] = total;
    return EXIT_DONE;
}

const char *weir__cli_value_text(const weir__cli_algorithm *algorithm, double value,
                                 char room[VALUE_ROOM])
{
    if (value == INFINITY)
        snprintf(room, VALUE_ROOM, "%s", algorithm->unreached);
    else
        snprintf(room, VALUE_ROOM, fabs(value) < 0x1p63 && value == floor(value) ? "%.0f" : "%.17g",
                 value);
    return room;
}
