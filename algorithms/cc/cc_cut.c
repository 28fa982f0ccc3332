/** @file cc_cut.c  The ends of arcs that lead from one device to another: where they are few, connected components are
 * put together there (cc_op.h). */
#include "algorithms/cc/cc.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdlib.h>

#define CHUNK    (UINT64_C(1) << 16) /* vertices that a thread looks at in one go */
#define PER_WORD 64u

/* What the threads of a pass share. */
struct pass {
    const weir_graph *graph;
    const uint32_t *numbers; /* of vertices */
    const uint32_t *first;   /* number of each device; behind the last, all of them */
    uint64_t *ends; /* a bit a number: any thread sets it (relaxed); read when all are done */
};

static void mark(const struct pass *pass, uint32_t number)
{
    uint64_t *word = &pass->ends[number / PER_WORD];
    const uint64_t bit = UINT64_C(1) << number % PER_WORD;
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
        (void)__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

static void mark_ends(void *user, uint64_t begin, uint64_t end)
{
    const struct pass *pass = user;
    for (uint64_t v = begin; v < end; v++) {
        const uint32_t own = pass->numbers[v], owner = weir_steps_owner(pass->first, own);
        const uint32_t from = pass->first[owner], to = pass->first[owner + 1];
        for (uint64_t i = pass->graph->offsets[v]; i < pass->graph->offsets[v + 1]; i++) {
            const uint32_t far = pass->numbers[pass->graph->targets[i]];
            if (far >= from && far < to)
                continue;
            mark(pass, own);
            mark(pass, far);
        }
    }
}

weir_status weir__cc_cut_make(const weir_graph *graph, const weir_rows *rows, uint64_t most,
                              weir__cc_cut *cut_out)
{
    const weir_rows_part *part = weir_rows_part_of(rows, 0);
    const uint64_t words = ((uint64_t)part->numbers + PER_WORD - 1) / PER_WORD;
    struct pass pass = {.graph = graph, .numbers = weir_rows_numbers(rows), .first = part->first};
    uint64_t count = 0, at = 0;
    weir_status status = weir_graph_fetch(graph);
    *cut_out = (weir__cc_cut){.few = 0};
    if (status || (status = weir__calloc(words, sizeof *pass.ends, "ends of cut arcs", &pass.ends)))
        return status;
    if ((status = weir__activity_for("marking ends of cut arcs", "vertices", graph->vertices, CHUNK,
                                     0, mark_ends, &pass))) {
        free(pass.ends);
        return status;
    }
    for (uint64_t w = 0; w < words; w++)
        count += (uint64_t)__builtin_popcountll(pass.ends[w]);
    cut_out->few = count <= most;
    if (cut_out->few && count)
        status = weir__alloc(count, sizeof *cut_out->end, "ends of cut arcs", &cut_out->end);
    for (uint64_t w = 0; w < words && cut_out->end; w++)
        for (uint64_t left = pass.ends[w]; left; left &= left - 1)
            cut_out->end[at++] = (uint32_t)(w * PER_WORD + (uint64_t)__builtin_ctzll(left));
    cut_out->count = at;
    free(pass.ends);
    return status;
}

void weir__cc_cut_free(weir__cc_cut *cut)
{
    free(cut->end);
    *cut = (weir__cc_cut){.few = 0};
}
