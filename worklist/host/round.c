/** @file round.c  One round of a worker with discrete kernels.
 *
 *     free slots, send -> receive packets -> kernel -> read its words -> send, release packets
 *
 * The kernel itself counts and plans (decider.h). The host launches the round that the last kernel planned, with the
 * packets that came meanwhile. */
#include "worklist/host/internal.h"

#include <string.h>

#define TEND_MS 2 /* between two looks at the chunks that a kernel waits for */

static struct weir_engine_args *args_of(struct worker *worker)
{
    return (struct weir_engine_args *)(void *)worker->args;
}

/* The oldest receive that is not part of this round yet, if a packet has come for it. */
static weir_status next_arrival(struct worker *worker, uint32_t taken, weir_segment *segment)
{
    const uint32_t buffers = worker->list->buffers;
    if (worker->held_head + taken == worker->held_tail) {
        weir_pending **hold = &worker->held[worker->held_tail % buffers];
        weir_status status = weir_link_receive(worker->in, hold);
        if (status)
            return status == WEIR_FULL ? WEIR_PENDING : status;
        worker->held_tail++;
    }
    return weir_pending_assigned(worker->held[(worker->held_head + taken) % buffers], segment);
}

static weir_status take_packets(struct worker *worker)
{
    struct weir_engine_args *args = args_of(worker);
    weir_segment segment;
    weir_status status = WEIR_OK;
    args->packets = 0;
    if (worker->numbers && weir_word_action(worker->image->word) == WEIR_ACTION_IDLE) {
        args->packet[0] = NULL; /* the operator makes seeds of them, in a round of their own */
        args->packet_count[0] = worker->numbers;
        args->packets = 1;
        return WEIR_OK;
    }
    while (args->packets < WEIR_WORK_PACKETS && args->packets < worker->list->buffers) {
        if ((status = next_arrival(worker, args->packets, &segment)))
            break;
        weir_pending *pending =
            worker->held[(worker->held_head + args->packets) % worker->list->buffers];
        if ((status = weir_pending_gate(pending, worker->queue)))
            return status;
        args->packet[args->packets] = segment.data;
        args->packet_count[args->packets++] =
            (uint32_t)(segment.bytes / worker->list->op->wire_bytes);
    }
    return status == WEIR_PENDING || status == WEIR_CLOSED ? WEIR_OK : status;
}

/* The word that the last kernel left, with enough blocks for the packets too. */
static uint64_t word_for(struct worker *worker)
{
    const struct weir_engine_args *args = args_of(worker);
    const uint64_t word = worker->image->word;
    uint32_t total = weir_word_count(word);
    for (uint32_t p = 0; p < args->packets; p++)
        total += args->packet_count[p];
    uint32_t log = weir_blocks_log(args, total);
    return weir_word_make(weir_word_generation(word), weir_word_action(word),
                          weir_word_near_bag(word), log, weir_word_count(word));
}

static weir_status launch(struct worker *worker)
{
    struct weir_worklist *list = worker->list;
    weir_status status;
    args_of(worker)->word = word_for(worker);
    status = weir_queue_launch(worker->queue, &list->op->discrete, worker->args,
                               weir__worklist_args_bytes(list));
    if (!status)
        status = weir_queue_copy(worker->queue, weir_context_home(list->context), worker->image,
                                 worker->device, worker->control, sizeof *worker->image);
    return status ? status : weir_queue_record(worker->queue, worker->done);
}

/* Kernels end by themselves. A device whose kernel does not end is given up some time after a stop. */
static weir_status wait_round(struct worker *worker)
{
    for (int late = 0; late < 10000 / TEND_MS;) {
        weir_status status = weir_event_wait(worker->done, TEND_MS);
        if (status != WEIR_ERR_TIMEOUT)
            return status;
        if (atomic_load_explicit(&worker->list->stop, memory_order_relaxed)) {
            weir__spill_refuse(&worker->spill);
            late++;
        } else {
            weir__spill_tend(&worker->spill);
        }
    }
    return weir__fail(WEIR_ERR_DEVICE, "worker %u: its kernels did not end within 10 s of a stop",
                      worker->index);
}

static weir_status release_packets(struct worker *worker, uint32_t packets)
{
    weir_status status = WEIR_OK;
    for (uint32_t p = 0; p < packets && !status; p++)
        /* The host has waited for the end of the round, so the buffer may be written at once. */
        status =
            weir_pending_release(worker->held[worker->held_head++ % worker->list->buffers], NULL);
    return status;
}

/* What the round took in was received, or numbers that seeds were made of. */
static weir_status finish_packets(struct worker *worker, uint32_t packets)
{
    if (packets == 0 || args_of(worker)->packet[0])
        return release_packets(worker, packets);
    worker->numbers = 0;
    return WEIR_OK;
}

/* What is held at the end of a run that was stopped may still be on its way, and is given back when it came: a receive that
 * nobody gives back would keep its router. All others end, since the router was cancelled, or nobody sends any more. */
void weir__round_release_held(struct worker *worker)
{
    weir_segment segment;
    for (; worker->held_head < worker->held_tail; worker->held_head++) {
        weir_pending *pending = worker->held[worker->held_head % worker->list->buffers];
        (void)weir_pending_wait(pending, -1, &segment);
        (void)weir_pending_release(pending, NULL);
    }
}

int weir__round_holds(const struct worker *worker)
{
    const struct weir_ledger *ledger = &worker->image->ledger;
    return ledger->seen[WEIR_BAG_HELD] || ledger->seen[WEIR_BAG_HELD + 1] || ledger->unpublished;
}

/* Report that the worker is at work, before it takes anything in (termination.h). */
static void report_busy(struct worker *worker)
{
    if (worker->turn & 1u)
        return;
    worker->turn++;
    weir_store_release_sys_u32(&worker->list->statuses[worker->index].turn, worker->turn);
}

/* Whether the next round is one of pieces. Packets may not join it, since nothing is cut in a round of pieces and what
 * arrives may have to be. */
static int plans_pieces(const struct worker *worker)
{
    return weir_word_action(worker->image->word) == WEIR_ACTION_PLAN &&
           (worker->image->ledger.plan.took >> WEIR_BAG_PIECE & 1u);
}

weir_status weir__round(struct worker *worker, int *worked_out)
{
    const struct weir_ledger *ledger = &worker->image->ledger;
    weir_status status;
    *worked_out = 0;
    if ((status = weir__sends_progress(worker, &worker->came)) || (status = take_packets(worker)))
        return status;
    /* This look comes after the packets. A packet that was sent after a command makes the command visible too, and then a
     * kernel without packets takes the command first. */
    int command = atomic_load(&worker->list->told) != ledger->epoch;
    if (command || plans_pieces(worker))
        args_of(worker)->packets = 0;
    const uint32_t action = weir_word_action(worker->image->word),
                   packets = args_of(worker)->packets;
    int retry = weir__round_holds(worker) && (worker->came || ledger->retry || ledger->unpublished);
    if (action == WEIR_ACTION_IDLE && !packets && !command && !retry)
        return WEIR_OK;
    *worked_out = 1;
    worker->came = 0;
    report_busy(worker);
    if ((status = launch(worker)) || (status = wait_round(worker)) ||
        (status = finish_packets(worker, packets)))
        return status;
    if (ledger->end && ledger->end != WEIR_ENGINE_DONE)
        return weir__worklist_end(worker);
    return weir__sends_progress(worker, &worker->came);
}
