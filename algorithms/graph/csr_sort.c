/** @file csr_sort.c  Sorting the arcs of rows that lie on a device, a stretch of rows at a time. */
#include "algorithms/graph/csr.h"
#include "algorithms/graph/csr_op.h"
#include "algorithms/graph/sort_keys.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <string.h>

#define ROW_CHUNK    (UINT64_C(1) << 16)
#define STRETCH_ARCS (UINT64_C(1) << 27) /* more are not sorted faster, each for itself */
#define STRETCH_MOST (UINT64_C(1) << 31)

uint32_t weir__csr_bits(uint64_t count)
{
    uint32_t bits = 1;
    while (bits < 63 && (count - 1) >> bits)
        bits++;
    return bits;
}

struct longest {
    const uint64_t *ends;
    uint64_t before;
    uint64_t arcs; /* relaxed atomic, read after the join */
};

static void find_longest(void *user, uint64_t begin, uint64_t end)
{
    struct longest *longest = user;
    uint64_t most = 0;
    for (uint64_t r = begin; r < end; r++) {
        const uint64_t arcs = longest->ends[r] - (r ? longest->ends[r - 1] : longest->before);
        most = arcs > most ? arcs : most;
    }
    uint64_t before = __atomic_load_n(&longest->arcs, __ATOMIC_RELAXED);
    while (most > before && !__atomic_compare_exchange_n(&longest->arcs, &before, most, 0,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

uint64_t weir__csr_stretch_usual(uint64_t arcs, uint64_t usual)
{
    usual = usual ? usual : STRETCH_ARCS;
    return arcs < usual ? arcs : usual;
}

uint64_t weir__csr_stretch(const uint64_t *ends, uint64_t before, uint64_t rows, uint64_t usual)
{
    struct longest longest = {ends, before, 0};
    weir__parallel_for(rows, ROW_CHUNK, 0, find_longest, &longest);
    usual = weir__csr_stretch_usual(rows ? ends[rows - 1] - before : 0, usual);
    return longest.arcs > usual ? longest.arcs : usual;
}

/* ---- memory ---------------------------------------------------------------------------------------- */

/* What the sort of a stretch and the sums of its tiles take beside. */
static weir_status ask_temp(struct weir__csr_sorter *sorter, int weights)
{
    uint64_t sort_bytes = 0, sum_bytes = 0;
    uint32_t which;
    uint32_t *any = (uint32_t *)sorter->keys[0]; /* not looked at, only whether there is one */
    const sort_keys_args sort = {.keys = {sorter->keys[0], sorter->keys[1]},
                                 .values = {weights ? any : NULL, weights ? any : NULL},
                                 .count = sorter->most,
                                 .bits = 64,
                                 .which_out = &which,
                                 .temp_bytes_out = &sort_bytes};
    const sum_before_args sum = {.values = sorter->keys[0],
                                 .count = sorter->most / CSR_TILE + 2,
                                 .temp_bytes_out = &sum_bytes};
    weir_status status;
    if ((status = weir_queue_launch(sorter->queue, &weir__sort_keys_kernel, &sort, sizeof sort)) ||
        (status = weir_queue_launch(sorter->queue, &weir__sum_before_kernel, &sum, sizeof sum)) ||
        (status = weir_queue_sync(sorter->queue)))
        return status;
    sorter->temp_bytes = (sort_bytes > sum_bytes ? sort_bytes : sum_bytes) + 1;
    return WEIR_OK;
}

weir_status weir__csr_sorter_open(const weir_context *context, weir_device *device,
                                  weir_queue *queue, uint64_t most, int weights,
                                  struct weir__csr_sorter *sorter_out)
{
    struct weir__csr_sorter s = {
        .device = device, .home = weir_context_home(context), .queue = queue, .most = most};
    void *word = NULL;
    weir_status status = WEIR_OK;
    if (most >= STRETCH_MOST)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "a row of 2^31 arcs is not sorted on a device");
    for (int i = 0; i < 2 && !status; i++) {
        status = weir__device_alloc_as(device, "keys of arcs", most, 8, &s.keys[i]);
        if (!status && weights)
            status = weir__device_alloc_as(device, "weights of keys", most, 4, &s.values[i]);
    }
    if (!status && !(status = weir_device_alloc(s.home, sizeof *s.word, &word)) &&
        !(status =
              weir__device_alloc_as(device, "tiles of keys", most / CSR_TILE + 2, 8, &s.tiles)) &&
        !(status = ask_temp(&s, weights)))
        status = weir__device_alloc_as(device, "a sort", s.temp_bytes, 1, &s.temp);
    s.word = word;
    if (status)
        weir__csr_sorter_close(&s);
    *sorter_out = s;
    return status;
}

void weir__csr_sorter_close(struct weir__csr_sorter *sorter)
{
    if (!sorter->device)
        return;
    for (int i = 0; i < 2; i++) {
        weir_device_free(sorter->device, sorter->keys[i]);
        weir_device_free(sorter->device, sorter->values[i]);
    }
    weir_device_free(sorter->device, sorter->tiles);
    weir_device_free(sorter->device, sorter->temp);
    weir_device_free(sorter->home, sorter->word);
    memset(sorter, 0, sizeof *sorter);
}

/* ---- a stretch -------------------------------------------------------------------------------------- */

/* The rows from a->first on that a stretch holds. @return 0: there is none left. */
static int next_stretch(const struct weir__csr_sorter *sorter, const struct weir__csr_rows *rows,
                        csr_keys_args *a)
{
    uint64_t low, high = rows->rows;
    a->first = a->last;
    a->arc = a->first ? rows->ends[a->first - 1] - rows->before : 0;
    for (low = a->first; low < high;) { /* the first row that ends too far away */
        const uint64_t middle = low + (high - low) / 2;
        if (rows->ends[middle] - rows->before - a->arc > sorter->most)
            high = middle;
        else
            low = middle + 1;
    }
    a->last = low;
    a->count = low > a->first ? rows->ends[low - 1] - rows->before - a->arc : 0;
    return a->last > a->first;
}

static weir_status sort(const struct weir__csr_sorter *sorter, csr_keys_args *a, uint32_t bits)
{
    uint64_t unused;
    uint32_t which = 0;
    const int other = a->keys == sorter->keys[1];
    const sort_keys_args args = {.keys = {sorter->keys[other], sorter->keys[!other]},
                                 .values = {sorter->values[other], sorter->values[!other]},
                                 .count = a->count,
                                 .bits = weir__csr_bits(a->last - a->first) + bits,
                                 .which_out = &which,
                                 .temp = sorter->temp,
                                 .temp_bytes = sorter->temp_bytes,
                                 .temp_bytes_out = &unused};
    weir_status status =
        weir_queue_launch(sorter->queue, &weir__sort_keys_kernel, &args, sizeof args);
    if (!status)
        status = weir_queue_sync(sorter->queue);
    a->keys = sorter->keys[other ^ (int)which];
    a->values = sorter->values[other ^ (int)which];
    return status;
}

static weir_status launch(const struct weir__csr_sorter *sorter, const weir_kernel *kernel,
                          const csr_keys_args *a)
{
    return weir_queue_launch(sorter->queue, kernel, a, sizeof *a);
}

static csr_keys_args keys_of(const struct weir__csr_rows *rows)
{
    return (csr_keys_args){.ends = rows->placed,
                           .targets = rows->targets,
                           .weights = rows->weights,
                           .pairs = rows->pairs,
                           .bits = rows->bits,
                           .weight_bits = rows->weight_bits};
}

static weir_status pack_and_sort(const struct weir__csr_sorter *sorter, csr_keys_args *a)
{
    a->keys = sorter->keys[0];
    a->values = sorter->values[0];
    const weir_status status = launch(sorter, &weir__csr_pack_kernel, a);
    return status ? status : sort(sorter, a, a->bits);
}

weir_status weir__csr_sort(struct weir__csr_sorter *sorter, const struct weir__csr_rows *rows)
{
    csr_keys_args a = keys_of(rows);
    weir_status status = WEIR_OK;
    while (!status && next_stretch(sorter, rows, &a)) {
        if ((status = weir__activity_went(a.count)) || !a.count)
            continue;
        status = pack_and_sort(sorter, &a);
        if (!status && a.weight_bits && !(status = launch(sorter, &weir__csr_turn_kernel, &a)))
            status = sort(sorter, &a, a.weight_bits);
        if (!status)
            status = launch(sorter, &weir__csr_unpack_kernel, &a);
    }
    return status ? status : weir_queue_sync(sorter->queue);
}

/* Drop what is equal in a stretch. The sum behind the last tile's is what is kept. */
static weir_status clean_stretch(const struct weir__csr_sorter *sorter, csr_keys_args *a)
{
    const uint64_t tiles = (a->count + CSR_TILE - 1) / CSR_TILE;
    uint64_t unused;
    const sum_before_args sum = {.values = sorter->tiles,
                                 .count = tiles + 1,
                                 .temp = sorter->temp,
                                 .temp_bytes = sorter->temp_bytes,
                                 .temp_bytes_out = &unused};
    weir_status status;
    a->tiles = sorter->tiles;
    if ((status = weir_queue_fill(sorter->queue, a->tiles, 0, (tiles + 1) * sizeof *a->tiles)) ||
        (status = launch(sorter, &weir__csr_mark_kernel, a)) ||
        (status = weir_queue_launch(sorter->queue, &weir__sum_before_kernel, &sum, sizeof sum)) ||
        (status = launch(sorter, &weir__csr_keep_kernel, a)) ||
        (status = weir_queue_copy(sorter->queue, sorter->home, sorter->word, sorter->device,
                                  a->tiles + tiles, sizeof *a->tiles)) ||
        (status = weir_queue_sync(sorter->queue)))
        return status;
    a->kept += *sorter->word;
    return WEIR_OK;
}

weir_status weir__csr_clean(struct weir__csr_sorter *sorter, const struct weir__csr_rows *rows,
                            uint32_t *dropped, uint64_t *kept_out)
{
    csr_keys_args a = keys_of(rows);
    weir_status status = WEIR_OK;
    a.dropped = dropped;
    while (!status && next_stretch(sorter, rows, &a))
        if (!(status = weir__activity_went(a.count)) && a.count &&
            !(status = pack_and_sort(sorter, &a)))
            status = clean_stretch(sorter, &a);
    *kept_out = a.kept;
    return status;
}
