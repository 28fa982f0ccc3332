/** @file generate.c  What a generator's text asks for. */
#include "algorithms/graph/edges.h"
#include "algorithms/graph/generate.h"
#include "algorithms/graph/load.h"
#include "runtime/support.h"

#include <string.h>

#define SCALE_MAX       31
#define EDGE_FACTOR_MAX 1024
#define DEGREE_MAX      1024 /* of a small world */

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

/* The parameters of a generator whose arcs are a list. */
struct scaled {
    uint64_t scale, edge_factor, seed;
    int unshuffled; /* of rmat: alone */
};

/* @return 0: another word. */
static int take_unshuffled(const char **at, int *unshuffled_out)
{
    static const char word[] = "unshuffled";
    if (strncmp(*at, word, sizeof word - 1))
        return 0;
    *at += sizeof word - 1;
    return *unshuffled_out = 1;
}

/* SCALE[,EDGEFACTOR[,SEED]], which two generators have; of rmat: [,unshuffled] behind that. */
static weir_status take_scaled(const char *text, const char *at, struct scaled *scaled_out)
{
    const int name = (int)(at - text), ordered = !strncmp(text, "rmat:", 5);
    *scaled_out = (struct scaled){.edge_factor = 16, .seed = 1};
    if (!weir__take_parameter(&at, 0, SCALE_MAX, &scaled_out->scale) ||
        (comma(&at) &&
         (!weir__take_parameter(&at, 1, EDGE_FACTOR_MAX, &scaled_out->edge_factor) ||
          (comma(&at) &&
           (!weir__take_parameter(&at, 0, UINT64_MAX, &scaled_out->seed) ||
            (ordered && comma(&at) && !take_unshuffled(&at, &scaled_out->unshuffled)))))) ||
        *at)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: write %.*sSCALE[,EDGEFACTOR[,SEED%s]], SCALE 0 .. %d, EDGEFACTOR "
                          "1 .. %d",
                          text, name, text, ordered ? "[,unshuffled]" : "", SCALE_MAX,
                          EDGE_FACTOR_MAX);
    return WEIR_OK;
}

static weir_status rmat(const char *text, const char *at, const weir_graph_options *options,
                        weir_graph **graph_out)
{
    struct scaled of;
    const weir_status status = take_scaled(text, at, &of);
    return status ? status
                  : weir__generate_rmat((uint32_t)of.scale, of.edge_factor, of.seed, of.unshuffled,
                                        options, graph_out);
}

static weir_status uniform(const char *text, const char *at, const weir_graph_options *options,
                           weir_graph **graph_out)
{
    struct scaled of;
    const weir_status status = take_scaled(text, at, &of);
    return status ? status
                  : weir__generate_uniform((uint32_t)of.scale, of.edge_factor, of.seed, options,
                                           graph_out);
}

/* WxH */
static int take_sides(const char **at, uint64_t *width, uint64_t *height)
{
    return weir__take_parameter(at, 1, WEIR_VERTICES_MAX, width) && *(*at)++ == 'x' &&
           weir__take_parameter(at, 1, WEIR_VERTICES_MAX, height);
}

static weir_status check_sides(const char *text, uint64_t width, uint64_t height)
{
    if (width > WEIR_VERTICES_MAX / height)
        return weir__fail(WEIR_ERR_INVALID, "%s: more vertices than the limit of %llu", text,
                          (unsigned long long)WEIR_VERTICES_MAX);
    return WEIR_OK;
}

static int take_share(const char **at, double *value)
{
    *at = weir__parse_real(*at, value);
    return *at && *value >= 0 && *value <= 1;
}

static weir_status grid(const char *text, const char *at, const weir_graph_options *options,
                        weir_graph **graph_out)
{
    uint64_t width, height, seed = 1;
    double keep = 1;
    if (!take_sides(&at, &width, &height) ||
        (comma(&at) && (!take_share(&at, &keep) ||
                        (comma(&at) && !weir__take_parameter(&at, 0, UINT64_MAX, &seed)))) ||
        *at)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: write grid:WxH[,KEEP[,SEED]], W and H from 1, KEEP 0 .. 1", text);
    const weir_status status = check_sides(text, width, height);
    return status ? status : weir__generate_grid(width, height, keep, seed, options, graph_out);
}

static int take_word(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return 0;
    *at += length;
    return 1;
}

static weir_status mesh(const char *text, const char *at, const weir_graph_options *options,
                        weir_graph **graph_out)
{
    uint64_t width, height, seed = 1;
    int shuffle = 0;
    if (!take_sides(&at, &width, &height) ||
        (comma(&at) && (!(shuffle = take_word(&at, "shuffle")) ||
                        (comma(&at) && !weir__take_parameter(&at, 0, UINT64_MAX, &seed)))) ||
        *at)
        return weir__fail(WEIR_ERR_INVALID, "%s: write mesh:WxH[,shuffle[,SEED]], W and H from 1",
                          text);
    const weir_status status = check_sides(text, width, height);
    return status ? status : weir__generate_mesh(width, height, shuffle, seed, options, graph_out);
}

/* N, of a shape that has no other parameter. */
static weir_status counted(const char *text, const char *at,
                           weir_status (*make)(uint64_t, const weir_graph_options *, weir_graph **),
                           const weir_graph_options *options, weir_graph **graph_out)
{
    const int name = (int)(at - text);
    uint64_t vertices;
    if (!weir__take_parameter(&at, 1, WEIR_VERTICES_MAX, &vertices) || *at)
        return weir__fail(WEIR_ERR_INVALID, "%s: write %.*sN, N 1 .. %llu", text, name, text,
                          (unsigned long long)WEIR_VERTICES_MAX);
    return make(vertices, options, graph_out);
}

static weir_status chain(const char *text, const char *at, const weir_graph_options *options,
                         weir_graph **graph_out)
{
    return counted(text, at, weir__generate_chain, options, graph_out);
}

static weir_status star(const char *text, const char *at, const weir_graph_options *options,
                        weir_graph **graph_out)
{
    return counted(text, at, weir__generate_star, options, graph_out);
}

static weir_status complete(const char *text, const char *at, const weir_graph_options *options,
                            weir_graph **graph_out)
{
    return counted(text, at, weir__generate_complete, options, graph_out);
}

static weir_status tree(const char *text, const char *at, const weir_graph_options *options,
                        weir_graph **graph_out)
{
    uint64_t vertices, arity = 2;
    if (!weir__take_parameter(&at, 1, WEIR_VERTICES_MAX, &vertices) ||
        (comma(&at) && !weir__take_parameter(&at, 1, WEIR_VERTICES_MAX, &arity)) || *at)
        return weir__fail(WEIR_ERR_INVALID, "%s: write tree:N[,ARITY], N and ARITY 1 .. %llu", text,
                          (unsigned long long)WEIR_VERTICES_MAX);
    return weir__generate_tree(vertices, arity, options, graph_out);
}

static weir_status smallworld(const char *text, const char *at, const weir_graph_options *options,
                              weir_graph **graph_out)
{
    uint64_t vertices, degree = 8, seed = 1;
    double rewired = .1;
    if (!weir__take_parameter(&at, 1, WEIR_VERTICES_MAX, &vertices) ||
        (comma(&at) &&
         (!weir__take_parameter(&at, 2, DEGREE_MAX, &degree) || degree % 2 ||
          (comma(&at) && (!take_share(&at, &rewired) ||
                          (comma(&at) && !weir__take_parameter(&at, 0, UINT64_MAX, &seed)))))) ||
        *at)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: write smallworld:N[,DEGREE[,REWIRED[,SEED]]], N 1 .. %llu, DEGREE "
                          "even, 2 .. %d, REWIRED 0 .. 1",
                          text, (unsigned long long)WEIR_VERTICES_MAX, DEGREE_MAX);
    return weir__generate_smallworld(vertices, degree, rewired, seed, options, graph_out);
}

static const struct generator {
    const char *name;
    weir_status (*make)(const char *text, const char *at, const weir_graph_options *options,
                        weir_graph **graph_out); /* `at` is behind the name */
} generators[] = {{"rmat:", rmat}, {"uniform:", uniform},   {"grid:", grid},
                  {"mesh:", mesh}, {"chain:", chain},       {"star:", star},
                  {"tree:", tree}, {"complete:", complete}, {"smallworld:", smallworld}};

static const struct generator *find(const char *text)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (!strncmp(text, generators[i].name, strlen(generators[i].name)))
            return &generators[i];
    return NULL;
}

int weir__generator_known(const char *text)
{
    return find(text) != NULL;
}

weir_status weir__generate(const char *text, const weir_graph_options *options,
                           weir_graph **graph_out)
{
    const struct generator *generator = find(text);
    const weir_status status =
        generator->make(text, text + strlen(generator->name), options, graph_out);
    return status ? status : weir__graph_name(graph_out, text, "generator");
}

weir_status weir_generator_arcs(const char *text, uint64_t first, uint64_t count,
                                uint32_t *sources_out, uint32_t *targets_out)
{
    const struct generator *generator = text ? find(text) : NULL;
    struct scaled of;
    weir_status status;
    if (!text || (count && (!sources_out || !targets_out)))
        return weir__fail(WEIR_ERR_INVALID, "weir_generator_arcs: no text, or no arrays");
    if (!generator || (generator->make != rmat && generator->make != uniform))
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: only graphs of rmat: and uniform: are made of a list of arcs", text);
    if ((status = take_scaled(text, text + strlen(generator->name), &of)))
        return status;
    const uint64_t all = of.edge_factor << of.scale;
    if (first > all || count > all - first)
        return weir__fail(WEIR_ERR_INVALID, "%s: arcs %llu to %llu are not within its %llu", text,
                          (unsigned long long)first, (unsigned long long)(first + count),
                          (unsigned long long)all);
    return weir__generate_arcs(generator->make == rmat ? WEIR__EDGES_RMAT : WEIR__EDGES_UNIFORM,
                               (uint32_t)of.scale, of.seed, of.unshuffled, first, count,
                               sources_out, targets_out);
}
