/** @file arcs.c  The growing list of arcs that loaders fill. */
#include "algorithms/graph/deal.h"
#include "runtime/support.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM UINT64_C(4096)

/* realloc that leaves the old pointer in place when it fails; `array` points to any pointer. */
static weir_status resize(void *array, uint64_t count, size_t bytes)
{
    void *data;
    memcpy(&data, array, sizeof data);
    data = realloc(data, count * bytes);
    if (!data)
        return weir__fail(WEIR_ERR_NOMEM, "arcs: no memory for %llu of them",
                          (unsigned long long)count);
    memcpy(array, &data, sizeof data);
    return WEIR_OK;
}

weir_status weir__arcs_reserve(weir__arcs *arcs, uint64_t count)
{
    struct weir__need need = {0, 0};
    weir_status status;
    if (count == 0)
        count = 1;
    if (count > UINT64_MAX / 64)
        return weir__fail(WEIR_ERR_NOMEM, "arcs: %llu of them cannot be addressed",
                          (unsigned long long)count);
    weir__need_take(&need, count - arcs->count, weir__arc_bytes(arcs));
    if ((status = weir__need_fits(&need, "%llu arcs", (unsigned long long)count)) ||
        (status = resize(&arcs->sources, count, sizeof *arcs->sources)) ||
        (status = resize(&arcs->targets, count, sizeof *arcs->targets)))
        return status;
    if (arcs->weighted && (status = resize(&arcs->weights, count, sizeof *arcs->weights)))
        return status;
    arcs->room = count;
    return WEIR_OK;
}

weir_status weir__arcs_grow(weir__arcs *arcs)
{
    /* Sorting will take as much again: a list that leaves less than that leads nowhere. */
    uint64_t more = weir__room_left() / 2 / weir__arc_bytes(arcs);
    uint64_t room = arcs->room ? arcs->room * 2 : FIRST_ROOM;
    if (more < FIRST_ROOM)
        return weir__fail(WEIR_ERR_NOMEM, "arcs: more than %llu do not fit into memory",
                          (unsigned long long)arcs->count);
    if (room - arcs->count > more)
        room = arcs->count + more;
    return weir__arcs_reserve(arcs, room);
}

weir_status weir__arcs_append_list(weir__arcs *arcs, const weir__plain *plain)
{
    const uint64_t count = plain->count;
    weir_status status;
    if (!count) /* there may be no arrays yet */
        return WEIR_OK;
    while (arcs->room - arcs->count < count)
        if ((status = weir__arcs_grow(arcs)))
            return status;
    memcpy(arcs->sources + arcs->count, plain->sources, count * sizeof *plain->sources);
    memcpy(arcs->targets + arcs->count, plain->targets, count * sizeof *plain->targets);
    if (arcs->weighted && plain->fractions)
        memcpy(arcs->weights + arcs->count, plain->weights, count * sizeof *plain->weights);
    else if (arcs->weighted)
        for (uint64_t i = 0; i < count; i++)
            arcs->weights[arcs->count + i] = plain->integers[i];
    arcs->count += count;
    return WEIR_OK;
}

weir_status weir__arcs_append(weir__arcs *arcs, weir__plain *plain)
{
    weir_status status = WEIR_OK;
    int taken = 0;
    if (arcs->ascends)
        status = weir__arcs_append_rows(arcs, plain, &taken);
    if (status || taken || (status = weir__arcs_spread(arcs)) ||
        (status = weir__early_begin(arcs, plain)))
        return status;
    return arcs->early ? weir__early_append(arcs, plain) : weir__arcs_append_list(arcs, plain);
}

weir_status weir__arcs_add_to_row(weir__arcs *arcs, uint32_t source, uint32_t target, double weight)
{
    union { /* as weir__plain has them, in the same memory */
        double real;
        uint32_t integer;
    } memory;
    struct weir__run runs[2];
    weir__plain plain = {.count = 1,
                         .loops = source == target,
                         .highest = source > target ? source : target,
                         .sources = &source,
                         .targets = &target,
                         .runs = runs,
                         .weights = &memory.real,
                         .integers = &memory.integer};
    weir__plain_weigh(weight, 0, &plain);
    weir__plain_mark_runs(&plain);
    return weir__arcs_append(arcs, &plain);
}

void weir__arcs_free(weir__arcs *arcs)
{
    if (!arcs->borrowed) {
        weir__early_free(arcs->early);
        free(arcs->sources);
        free(arcs->targets);
        free(arcs->weights);
        free(arcs->offsets);
        free(arcs->integers);
    }
    arcs->sources = arcs->targets = arcs->integers = NULL;
    arcs->weights = NULL;
    arcs->offsets = NULL;
    arcs->early = NULL;
    arcs->count = arcs->room = arcs->rows = arcs->rows_room = 0;
}
