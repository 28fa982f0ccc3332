/** @file gather.c  The host's side: results are received straight into the output array.
 *
 * Each receive is posted where the result before it ends. That is known as soon as the one before
 * was assigned, long before its bytes are there, so many are on the way at a time. */
#include "algorithms/pbf/pbf.h"

#include <stdlib.h>

enum { HELD = 64 }; /* results on the way that are kept track of */

struct gather {
    weir_pending *posted; /* not assigned yet; NULL: none */
    weir_pending *held[HELD];
    uint32_t first, count; /* of held, a ring */
    uint64_t end;          /* elements assigned so far */
};

static weir_status post(weir__pbf_run *run, struct gather *gather)
{
    uint64_t left = run->room - gather->end;
    if (left > run->elements)
        left = run->elements;
    return weir_link_receive_into(run->result, run->output + gather->end, left * sizeof(uint32_t),
                                  NULL, &gather->posted);
}

/* The end of a wait: only the run's own limit makes one run out. */
static weir_status explain(const weir__pbf_run *run, weir_status status)
{
    return status == WEIR_ERR_TIMEOUT ? weir__pbf_late(run) : status;
}

static weir_status wait_oldest(weir__pbf_run *run, struct gather *gather)
{
    weir_segment segment;
    weir_pending *oldest = gather->held[gather->first];
    weir_status status = weir_pending_wait(oldest, weir__pbf_left_ms(run), &segment);
    if (status)
        return explain(run, status);
    gather->first = (gather->first + 1) % HELD;
    gather->count--;
    return weir_pending_release(oldest, NULL);
}

static weir_status note_piece(weir_pbf *pbf, const weir_segment *segment, uint64_t output)
{
    if (!pbf->config.pieces)
        return WEIR_OK;
    if (pbf->piece_count == pbf->piece_room) {
        uint64_t room = pbf->piece_room ? 2 * pbf->piece_room : 64;
        weir_pbf_piece *grown = realloc(pbf->pieces, room * sizeof *grown);
        if (!grown)
            return weir__fail(WEIR_ERR_NOMEM, "no memory to keep track of %llu pieces",
                              (unsigned long long)room);
        pbf->pieces = grown;
        pbf->piece_room = room;
    }
    pbf->pieces[pbf->piece_count++] =
        (weir_pbf_piece){.input = segment->meta & ((UINT64_C(1) << 40) - 1),
                         .output = output,
                         .kept = (uint32_t)(segment->bytes / sizeof(uint32_t)),
                         .device = (uint32_t)(segment->meta >> 40)};
    return WEIR_OK;
}

/* The posted receive has its packet: the next one belongs behind it. */
static weir_status take(weir__pbf_run *run, struct gather *gather, const weir_segment *segment)
{
    weir_status status = WEIR_OK;
    if (gather->count == HELD && (status = wait_oldest(run, gather)))
        return status;
    gather->held[(gather->first + gather->count++) % HELD] = gather->posted;
    gather->posted = NULL;
    status = note_piece(run->pbf, segment, gather->end);
    gather->end += segment->bytes / sizeof(uint32_t);
    return status;
}

static weir_status gather_all(weir__pbf_run *run, struct gather *gather)
{
    weir_segment segment;
    weir_status status = WEIR_OK;
    while (!status) {
        if ((status = post(run, gather)))
            break;
        status = weir_pending_wait_assigned(gather->posted, weir__pbf_left_ms(run), &segment);
        status = status ? explain(run, status) : take(run, gather, &segment);
    }
    if (status == WEIR_CLOSED)
        status = WEIR_OK;
    while (!status && gather->count > 0)
        status = wait_oldest(run, gather);
    return status;
}

/* One that has ended, by the shutdown or by a cancel. */
static void give_back(weir_pending *pending)
{
    weir_segment segment;
    (void)weir_pending_wait(pending, -1, &segment);
    (void)weir_pending_release(pending, NULL);
}

weir_status weir__pbf_gather(weir__pbf_run *run)
{
    struct gather gather = {.posted = NULL};
    weir_status status = gather_all(run, &gather);
    if (status)
        weir__pbf_fail(run, status);
    for (; gather.count > 0; gather.count--, gather.first = (gather.first + 1) % HELD)
        give_back(gather.held[gather.first]);
    if (gather.posted)
        give_back(gather.posted);
    return status;
}
