/** @file bfs_steal_hubs.c  Copies of the rows of hubs, for levels that are shared out: GUM's hub cache, and its t4, on the host's side.
 *
 * A device that looks along arcs of another reads them over a link, each time anew. Of rows with many arcs, of which a few have a good part of
 * all arcs, every device but the owner gets a copy when the graph is placed. A bitmap marks these rows. A device that takes an entry of
 * another one looks there, and reads the arcs in its own memory if the row is marked (bfs_is_copied()). Entries are the owner's all the
 * same. GUM goes by in-degree, since a vertex with many in-arcs is in many frontiers; a breadth-first search has each vertex in one, so here it
 * is by out-degree what a copy saves. */
#include "algorithms/bfs/bfs_in_step.h"
#include "algorithms/bfs/bfs_step.h"
#include "runtime/config.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

/* ---- which rows --------------------------------------------------------------------------------- */

/* Rows of at least hubs->least arcs, and what they come to on each device. @return the arcs of the device with most copies. */
static uint64_t count_hubs(const weir_graph *graph, const weir_partition *partition,
                           struct bfs_hubs *hubs)
{
    uint64_t of[STEAL_DEVICES] = {0}, all = 0, most = 0;
    hubs->rows = 0;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const uint64_t arcs = graph->offsets[v + 1] - graph->offsets[v];
        if (arcs < hubs->least || partition->owner[v] >= STEAL_DEVICES)
            continue;
        hubs->rows++;
        of[partition->owner[v]] += arcs;
        all += arcs;
    }
    for (uint32_t p = 0; p < partition->parts; p++) {
        hubs->arcs[p] = all - of[p];
        most = hubs->arcs[p] > most ? hubs->arcs[p] : most;
    }
    return most;
}

/* To where copies fit: the least number of arcs that a hub may have then. */
static void raise_least(const weir_graph *graph, const weir_partition *partition, uint64_t room,
                        struct bfs_hubs *hubs)
{
    uint64_t low = hubs->least, high = 0; /* copies do not fit from low on, but from high on */
    for (uint64_t v = 0; v < graph->vertices; v++) {
        const uint64_t arcs = graph->offsets[v + 1] - graph->offsets[v];
        high = arcs >= high ? arcs + 1 : high;
    }
    while (high - low > 1) {
        hubs->least = low + (high - low) / 2;
        if (count_hubs(graph, partition, hubs) > room)
            low = hubs->least;
        else
            high = hubs->least;
    }
    hubs->least = high;
    (void)count_hubs(graph, partition, hubs);
}

void weir__bfs_hubs_of(const weir_context *context, const weir_graph *graph,
                       const weir_partition *partition, struct bfs_hubs *hubs_out)
{
    const weir_config *tunables = weir_context_config(context);
    const uint64_t percent = weir__config_get(tunables, WEIR__STEAL_HUBS_PERCENT);
    const uint64_t room = graph->arcs / partition->parts * percent / 100;
    memset(hubs_out, 0, sizeof *hubs_out);
    hubs_out->least = weir__config_get(tunables, WEIR__STEAL_HUBS);
    if (!hubs_out->least)
        return;
    if (!graph->offsets) { /* a sketch for a plan */
        hubs_out->rows = graph->arcs / hubs_out->least;
        for (uint32_t p = 0; p < partition->parts && hubs_out->rows; p++)
            hubs_out->arcs[p] = room;
        return;
    }
    if (count_hubs(graph, partition, hubs_out) > room)
        raise_least(graph, partition, room, hubs_out);
}

void weir__bfs_hubs_need(const struct weir__sizes *sizes, const struct bfs_hubs *hubs,
                         struct weir__need *need)
{
    const weir_device *device = weir_context_device(sizes->context, 0);
    uint64_t copied = 0, longest = 0;
    for (uint32_t p = 0; p < sizes->parts && p < STEAL_DEVICES; p++) {
        copied += hubs->arcs[p];
        longest = sizes->arcs_of[p] > longest ? sizes->arcs_of[p] : longest;
    }
    weir__need_take_on(need, device, copied, 4);
    weir__need_take_on(need, device, hubs->rows * sizes->parts, 8);
    weir__need_take_on(need, device, sizes->numbers / 32 * sizes->parts,
                       sizeof(struct bfs_hub_word));
    weir__need_pass(need, copied + longest, 4);
    weir__need_pass(need, hubs->rows * sizes->parts + sizes->numbers, 8);
}

/* ---- their copies ------------------------------------------------------------------------------- */

/* What is made on the host, before it goes to the devices. */
struct making {
    const struct bfs_in_step *in_step;
    struct bfs_hub_word *word;
    uint32_t *targets[STEAL_DEVICES];
    uint64_t *shifts[STEAL_DEVICES];
    uint64_t at[STEAL_DEVICES]; /* arcs so far */
    uint64_t rows;              /* marked so far */
};

/* A row of device @p owner, for all others. What is more than was counted is not marked. */
static void add_row(struct making *m, uint32_t owner, uint32_t number, uint64_t first,
                    const uint32_t *targets, uint64_t arcs)
{
    const struct bfs_hubs *hubs = &m->in_step->hubs;
    for (uint32_t p = 0; p < m->in_step->on.parts; p++)
        if (p != owner && arcs > hubs->arcs[p] - m->at[p])
            return;
    if (m->rows == hubs->rows)
        return;
    for (uint32_t p = 0; p < m->in_step->on.parts; p++) {
        m->shifts[p][m->rows] = p == owner ? 0 : m->at[p] - first;
        if (p == owner)
            continue;
        memcpy(m->targets[p] + m->at[p], targets, arcs * 4);
        m->at[p] += arcs;
    }
    m->word[number / 32].bits |= 1u << (number & 31u);
    m->rows++;
}

/* The hubs of a device, by its rows as they lie there. */
static weir_status add_part(struct making *m, uint32_t owner)
{
    const weir_rows_part *part = weir__row_steps_part(&m->in_step->on, owner);
    weir_device *device = weir_context_device(m->in_step->on.context, owner);
    uint64_t *offsets = NULL;
    uint32_t *targets = NULL;
    weir_status status;
    if (!part->owned || !part->arcs_out)
        return WEIR_OK;
    if (!(status = weir__alloc(part->owned + UINT64_C(1), 8, "offsets of rows", &offsets)) &&
        !(status = weir__alloc(part->arcs_out, 4, "targets of rows", &targets)) &&
        !(status =
              weir__download(device, offsets, part->out.offsets, (part->owned + UINT64_C(1)) * 8)))
        status = weir__download(device, targets, part->out.targets, part->arcs_out * 4);
    for (uint32_t row = 0; row < part->owned && !status; row++) {
        const uint64_t arcs = offsets[row + 1] - offsets[row];
        if (arcs >= m->in_step->hubs.least)
            add_row(m, owner, part->begin + row, offsets[row], targets + offsets[row], arcs);
    }
    free(offsets);
    free(targets);
    return status;
}

static weir_status take(struct making *m, uint64_t words)
{
    const struct bfs_hubs *hubs = &m->in_step->hubs;
    weir_status status = weir__calloc(words, sizeof *m->word, "a bitmap of hubs", &m->word);
    for (uint32_t p = 0; p < m->in_step->on.parts && !status; p++) {
        status = weir__calloc(hubs->rows, 8, "places of hubs", &m->shifts[p]);
        if (!status)
            status = weir__alloc(hubs->arcs[p] + 1, 4, "targets of hubs", &m->targets[p]);
    }
    return status;
}

static weir_status upload(const struct making *m, uint32_t p, uint64_t words)
{
    const struct weir__row_steps *on = &m->in_step->on;
    weir_device *device = weir_context_device(on->context, p);
    weir_status status = weir__upload(device, weir_steps_data(on->steps, "hubs", p), m->word,
                                      words * sizeof *m->word);
    if (!status)
        status = weir__upload(device, weir_steps_data(on->steps, "places of hubs", p), m->shifts[p],
                              m->in_step->hubs.rows * 8);
    if (!status && m->at[p])
        status = weir__upload(device, weir_steps_data(on->steps, "targets of hubs", p),
                              m->targets[p], m->at[p] * 4);
    return status;
}

weir_status weir__bfs_hubs_place(struct bfs_in_step *in_step)
{
    const uint64_t words = weir__row_steps_part(&in_step->on, 0)->numbers / UINT64_C(32);
    struct making m = {.in_step = in_step};
    uint32_t before = 0;
    weir_status status = take(&m, words);
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++)
        status = add_part(&m, p);
    for (uint64_t i = 0; i < words && !status; i++) {
        m.word[i].before = before;
        before += (uint32_t)__builtin_popcount(m.word[i].bits);
    }
    for (uint32_t p = 0; p < in_step->on.parts && !status; p++)
        status = upload(&m, p, words);
    for (uint32_t p = 0; p < in_step->on.parts; p++) {
        free(m.targets[p]);
        free(m.shifts[p]);
    }
    free(m.word);
    return status;
}
