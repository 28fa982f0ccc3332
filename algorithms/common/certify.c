/** @file certify.c  Certificates: what is the same in all of them. */
#include "algorithms/common/certify.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define COPY_BYTES ((size_t)1 << 27)   /* between two looks at the observer */
#define MOST_ARCS  (UINT64_C(1) << 25) /* of a piece that a device takes at a time */
#define FEW_ARCS   (UINT64_C(1) << 20) /* fewer are not worth a turn */
#define LEAST_ARCS (UINT64_C(1) << 16) /* a device without room for so many is full */
#define TURNS      UINT64_C(4)         /* of each device, so that the faster ones take more */

struct weir__certifying {
    weir_context *context;
    const weir_graph *graph;
    uint32_t devices;
    int weights;
    weir__certify_fn fn;
    void *user;
    uint64_t *found;
    uint64_t piece;        /* arcs that are dealt out at a time */
    _Atomic uint64_t next; /* the first arc that nobody has; relaxed: it only deals out */
    _Atomic int failed;    /* relaxed: the others need not go on */
    weir_observer *observer;
    pthread_mutex_t lock; /* guards what follows, and what devices' results come together in */
    weir_status status;   /* the first failure, */
    char *detail;         /* and its sentence */
};

static _Thread_local uint64_t pretended;

void weir__certify_pretend(uint64_t piece)
{
    pretended = piece;
}

static uint64_t piece_of(const weir_graph *graph, uint32_t devices)
{
    const uint64_t share = graph->arcs / (TURNS * devices) + 1;
    const uint64_t piece = share < FEW_ARCS ? FEW_ARCS : share < MOST_ARCS ? share : MOST_ARCS;
    return pretended ? pretended : piece < graph->arcs ? piece : graph->arcs;
}

/* ---- a device ---------------------------------------------------------------------------------------- */

weir_status weir__certify_bring(struct weir__certify_on *on, const char *what, const void *data,
                                uint64_t count, size_t bytes, void *placed_out)
{
    char *placed;
    weir_status status = weir__device_alloc_as(on->device, what, count, bytes, &placed);
    if (status)
        return status;
    on->placed[on->placed_count++] = placed;
    memcpy(placed_out, &placed, sizeof placed);
    const size_t all = (size_t)count * bytes;
    if (!data) {
        status = weir_queue_fill(on->queue, placed, 0, all);
        return status ? status : weir_queue_sync(on->queue);
    }
    for (size_t at = 0; at < all && !status; at += COPY_BYTES)
        if (!(status = weir__observer_ends(on->of->observer)))
            status = weir__upload(on->device, placed + at, (const char *)data + at,
                                  all - at < COPY_BYTES ? all - at : COPY_BYTES);
    return status;
}

weir_status weir__certify_fetch(struct weir__certify_on *on, void *data_out, const void *placed,
                                size_t bytes)
{
    weir_status status = WEIR_OK;
    for (size_t at = 0; at < bytes && !status; at += COPY_BYTES)
        if (!(status = weir__observer_ends(on->of->observer)))
            status = weir__download(on->device, (char *)data_out + at, (const char *)placed + at,
                                    bytes - at < COPY_BYTES ? bytes - at : COPY_BYTES);
    return status;
}

weir_status weir__certify_vertices(struct weir__certify_on *on, const weir_kernel *kernel,
                                   const void *args, size_t bytes)
{
    const weir_status status = weir_queue_launch(on->queue, kernel, args, bytes);
    return status ? status : weir_queue_sync(on->queue);
}

/* Pieces come last: they can be smaller where little room is left. */
static weir_status open_pieces(struct weir__certify_on *on)
{
    uint64_t most = on->of->piece;
    weir_status status;
    while ((status = weir__pieces_open(on->of->graph, on->device, most, on->of->weights,
                                       &on->pieces)) == WEIR_ERR_NOMEM &&
           most > LEAST_ARCS) {
        weir__pieces_close(&on->pieces);
        most /= 2;
    }
    on->has_pieces = 1;
    return status;
}

/* The arcs that this device takes next: the first piece is its own, so that none is left out. @return 0: there are none. */
static int deal(const struct weir__certify_on *on, int turn, uint64_t *begin_out, uint64_t *end_out)
{
    struct weir__certifying *of = on->of;
    const uint64_t arcs = of->graph->arcs;
    const uint64_t begin =
        turn ? atomic_fetch_add_explicit(&of->next, of->piece, memory_order_relaxed)
             : on->number * of->piece;
    if (begin >= arcs || atomic_load_explicit(&of->failed, memory_order_relaxed))
        return 0;
    *begin_out = begin;
    *end_out = arcs - begin < of->piece ? arcs : begin + of->piece;
    return 1;
}

weir_status weir__certify_arcs(struct weir__certify_on *on, const weir_kernel *kernel,
                               arcs_piece *here, const void *args, size_t bytes)
{
    uint64_t begin, end;
    weir_status status = on->of->piece ? open_pieces(on) : WEIR_OK;
    for (int turn = 0; !status && on->of->piece && deal(on, turn, &begin, &end); turn = 1)
        for (uint64_t count; begin < end && !status; begin += count) {
            count = end - begin < on->pieces.most ? end - begin : on->pieces.most;
            if (!(status = weir__observer_ends(on->of->observer)))
                status = weir__pieces_feed(&on->pieces, kernel, here, args, bytes, begin, count);
            weir__observer_add(on->of->observer, count);
        }
    return status || !on->has_pieces ? status : weir_queue_sync(on->pieces.queue);
}

void weir__certify_lock(struct weir__certify_on *on)
{
    pthread_mutex_lock(&on->of->lock);
}

void weir__certify_unlock(struct weir__certify_on *on)
{
    pthread_mutex_unlock(&on->of->lock);
}

weir_status weir__certify_join_marks(struct weir__certify_on *on, const uint32_t *placed,
                                     uint32_t *marks, uint32_t *room)
{
    const uint64_t words = weir__certify_words(on->of->graph->vertices);
    weir__certify_lock(on);
    const weir_status status = weir__certify_fetch(on, room, placed, words * sizeof *room);
    for (uint64_t i = 0; i < words && !status; i++)
        marks[i] |= room[i];
    weir__certify_unlock(on);
    return status;
}

/* ---- all devices ------------------------------------------------------------------------------------- */

static weir_status open_on(struct weir__certify_on *on)
{
    const struct weir__certifying *of = on->of;
    const weir_graph *graph = of->graph;
    const uint64_t n = graph->vertices, none[CERTIFY_FOUND] = {UINT64_MAX, UINT64_MAX};
    void *offsets = NULL, *found = NULL;
    weir_status status;
    on->share.begin = n * on->number / of->devices; /* vertices have 32 bits */
    on->share.end = n * (on->number + 1) / of->devices;
    if (!(status = weir_queue_create(on->device, 0, &on->queue)) &&
        !(status =
              weir__certify_bring(on, "offsets of the graph", graph->offsets, n + 1, 8, &offsets)))
        status = weir__certify_bring(on, "what breaks rules", none, CERTIFY_FOUND, 8, &found);
    on->share.found = found;
    on->here = (arcs_piece){.offsets = offsets, .vertices = n};
    return status;
}

/* Queues first: what is left in them uses memory. */
static void close_on(struct weir__certify_on *on)
{
    if (on->has_pieces)
        weir__pieces_close(&on->pieces);
    weir_queue_destroy(on->queue);
    while (on->placed_count > 0)
        weir_device_free(on->device, on->placed[--on->placed_count]);
}

static weir_status take_found(struct weir__certify_on *on)
{
    uint64_t found[CERTIFY_FOUND];
    const weir_status status = weir__certify_fetch(on, found, on->share.found, sizeof found);
    weir__certify_lock(on);
    for (int i = 0; i < CERTIFY_FOUND && !status; i++)
        if (found[i] < on->of->found[i])
            on->of->found[i] = found[i];
    weir__certify_unlock(on);
    return status;
}

static void remember(struct weir__certifying *of, weir_status status)
{
    atomic_store_explicit(&of->failed, 1, memory_order_relaxed);
    pthread_mutex_lock(&of->lock);
    if (!of->status) {
        of->status = status;
        of->detail = strdup(weir_error_detail());
    }
    pthread_mutex_unlock(&of->lock);
}

/* The threads of devices look at the observer and count for it, but do not attach it: one thread shows what a call is busy with. */
static void work(void *user, uint64_t begin, uint64_t end)
{
    struct weir__certifying *of = user;
    weir_observer *attached = weir_observer_attach(NULL);
    for (uint64_t d = begin; d < end; d++) {
        struct weir__certify_on on = {.of = of,
                                      .number = (uint32_t)d,
                                      .device = weir_context_device(of->context, (uint32_t)d)};
        weir_status status = open_on(&on);
        if (!status && !(status = of->fn(of->user, &on)))
            status = take_found(&on);
        if (status)
            remember(of, status);
        close_on(&on);
    }
    (void)weir_observer_attach(attached);
}

weir_status weir__certify_each(weir_context *context, const weir_graph *graph, int weights,
                               weir__certify_fn fn, void *user, uint64_t found_out[CERTIFY_FOUND])
{
    const uint32_t devices = weir_context_device_count(context);
    struct weir__certifying of = {.context = context,
                                  .graph = graph,
                                  .devices = devices,
                                  .weights = weights,
                                  .fn = fn,
                                  .user = user,
                                  .found = found_out,
                                  .piece = piece_of(graph, devices),
                                  .observer = weir__activity_observer()};
    of.next = devices * of.piece;
    for (int i = 0; i < CERTIFY_FOUND; i++)
        found_out[i] = UINT64_MAX;
    pthread_mutex_init(&of.lock, NULL);
    weir__parallel_for(devices, 1, devices, work, &of);
    pthread_mutex_destroy(&of.lock);
    if (of.status == WEIR_ERR_CANCELLED || of.status == WEIR_ERR_TIMEOUT)
        (void)weir__activity_fail(of.status); /* which says what the call was busy with */
    else if (of.status && of.detail)
        weir__fail_adopt(of.status, of.detail);
    else if (of.status)
        (void)weir__fail(of.status, "a device failed, and no memory was left to keep why");
    free(of.detail);
    return of.status;
}

void weir__certify_need(const weir_context *context, const weir_graph *graph, int weights,
                        uint64_t vertex_bytes, struct weir__need *need)
{
    const uint32_t devices = weir_context_device_count(context);
    const uint64_t weight = !weights ? 0 : graph->weight_kind == WEIR_WEIGHT_F64 ? 8 : 4;
    for (uint32_t d = 0; d < devices; d++) {
        weir_device *device = weir_context_device(context, d);
        weir__need_take_on(need, device, graph->vertices + 1, 8 + vertex_bytes);
        weir__need_take_on(need, device, 2 * piece_of(graph, devices), 4 + weight);
    }
}
