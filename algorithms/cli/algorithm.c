/** @file algorithm.c  What the rows of several algorithms use. */
#include "algorithms/cli/algorithm.h"
#include "runtime/support.h"

#include <math.h>
#include <string.h>

double weir__cli_double_at(const void *values, uint64_t vertex)
{
    return ((const double *)values)[vertex];
}

/* Values are added up by chunks, whose sums come together in order: the same sum however many cores there are. */
#define SUM_CHUNKS 64
#define SUM_LEAST  (UINT64_C(1) << 17) /* fewer are added up before threads are there */

struct sums {
    const weir__cli_algorithm *algorithm;
    const void *values;
    uint64_t chunk; /* values of one */
    struct {
        double largest;
        long double total; /* a sum has more digits than one value */
    } of[SUM_CHUNKS];
};

static void sum_chunk(void *user, uint64_t begin, uint64_t end)
{
    struct sums *sums = user;
    double largest = 0;
    long double total = 0;
    for (uint64_t v = begin; v < end; v++) {
        const double value = sums->algorithm->at(sums->values, v);
        if (!isfinite(value))
            continue;
        total += value;
        largest = value > largest ? value : largest;
    }
    sums->of[begin / sums->chunk].largest = largest;
    sums->of[begin / sums->chunk].total = total;
}

int weir__cli_sum_values(const weir__cli_algorithm *algorithm, const void *values,
                         uint64_t vertices, weir__cli_trial *trial)
{
    struct sums sums = {algorithm, values, vertices / SUM_CHUNKS + 1, {{0, 0}}};
    double largest = 0;
    long double total = 0;
    weir__parallel_for(vertices, sums.chunk, vertices < SUM_LEAST ? 1 : 0, sum_chunk, &sums);
    for (uint32_t c = 0; c < SUM_CHUNKS; c++) {
        largest = sums.of[c].largest > largest ? sums.of[c].largest : largest;
        total += sums.of[c].total;
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

int weir__cli_checked(weir_status status, char **sentence_out)
{
    *sentence_out = NULL;
    if (status != WEIR_ERR_VERIFY)
        return status ? weir__cli_fail_status(status) : EXIT_DONE;
    *sentence_out = strdup(weir_error_detail());
    return *sentence_out
               ? EXIT_DONE
               : weir__cli_fail(EXIT_RUN, "no memory to name what is wrong with the result");
}

int weir__cli_compare_exactly(const weir__cli_algorithm *algorithm,
                              const weir__cli_request *request, const weir_graph *graph,
                              const void *values, const void *expected, weir__cli_trial *trial,
                              char **sentence_out)
{
    const uint64_t vertices = graph->vertices;
    char got[VALUE_ROOM], want[VALUE_ROOM];
    uint64_t first = 0, differing = 0;
    (void)request;
    trial->verified_by = "reference";
    *sentence_out = NULL;
    for (uint64_t v = vertices; v-- > 0;)
        if (algorithm->at(values, v) != algorithm->at(expected, v)) {
            first = v;
            differing++;
        }
    if (differing &&
        asprintf(sentence_out, "vertex %llu has %s %s, the reference %s; %llu of %llu differ",
                 (unsigned long long)first, algorithm->value,
                 weir__cli_value_text(algorithm, algorithm->at(values, first), got),
                 weir__cli_value_text(algorithm, algorithm->at(expected, first), want),
                 (unsigned long long)differing, (unsigned long long)vertices) < 0) {
        *sentence_out = NULL;
        return weir__cli_fail(EXIT_RUN, "no memory to name the first difference");
    }
    return EXIT_DONE;
}
