/** @file generate.c  What a generator's text asks for. */
#include "algorithms/graph/generate.h"
#include "algorithms/graph/load.h"
#include "runtime/support.h"

#include <string.h>

#define SCALE_MAX       31
#define EDGE_FACTOR_MAX 1024

int weir__generator_known(const char *text)
{
    return strncmp(text, "rmat:", 5) == 0 || strncmp(text, "grid:", 5) == 0;
}

int weir__take_parameter(const char **at, uint64_t low, uint64_t high, uint64_t *value_out)
{
    const char *begin = *at;
    uint64_t sum = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(**at - '0'), &sum))
            return 0;
    *value_out = sum;
    return *at > begin && sum >= low && sum <= high;
}

/* Another parameter follows. */
static int comma(const char **at)
{
    if (**at != ',')
        return 0;
    ++*at;
    return 1;
}

static weir_status rmat(const char *text, const weir_graph_options *options, weir_graph **graph_out)
{
    const char *at = text + 5;
    uint64_t scale, edge_factor = 16, seed = 1;
    if (!weir__take_parameter(&at, 0, SCALE_MAX, &scale) ||
        (comma(&at) && (!weir__take_parameter(&at, 1, EDGE_FACTOR_MAX, &edge_factor) ||
                        (comma(&at) && !weir__take_parameter(&at, 0, UINT64_MAX, &seed)))) ||
        *at)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: write rmat:SCALE[,EDGEFACTOR[,SEED]], SCALE 0 .. %d, EDGEFACTOR "
                          "1 .. %d",
                          text, SCALE_MAX, EDGE_FACTOR_MAX);
    return weir__generate_rmat((uint32_t)scale, edge_factor, seed, options, graph_out);
}

static int take_share(const char **at, double *value)
{
    *at = weir__parse_real(*at, value);
    return *at && *value >= 0 && *value <= 1;
}

static weir_status grid(const char *text, const weir_graph_options *options, weir_graph **graph_out)
{
    const char *at = text + 5;
    uint64_t width, height, seed = 1;
    double keep = 1;
    if (!weir__take_parameter(&at, 1, WEIR_VERTICES_MAX, &width) || *at++ != 'x' ||
        !weir__take_parameter(&at, 1, WEIR_VERTICES_MAX, &height) ||
        (comma(&at) && (!take_share(&at, &keep) ||
                        (comma(&at) && !weir__take_parameter(&at, 0, UINT64_MAX, &seed)))) ||
        *at)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: write grid:WxH[,KEEP[,SEED]], W and H from 1, KEEP 0 .. 1", text);
    if (width > WEIR_VERTICES_MAX / height)
        return weir__fail(WEIR_ERR_INVALID, "%s: more vertices than the limit of %llu", text,
                          (unsigned long long)WEIR_VERTICES_MAX);
    return weir__generate_grid(width, height, keep, seed, options, graph_out);
}

weir_status weir__generate(const char *text, const weir_graph_options *options,
                           weir_graph **graph_out)
{
    weir_status status =
        text[0] == 'r' ? rmat(text, options, graph_out) : grid(text, options, graph_out);
    return status ? status : weir__graph_name(graph_out, text, "generator");
}
