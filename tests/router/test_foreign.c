/** @file test_foreign.c  What belongs to another context, and events that were never recorded: refused by every call that
 *  takes two objects, before anything was done. */
#include "tests/lib/flow.h"

#include "router/collective.h"

#define PACKET 64

/* One of everything in a context; `here` is used with what is `there`. */
struct world {
    weir_context *context;
    weir_device *device;
    weir_endpoint *from, *to;
    weir_link *link, *bare; /* with buffers, and without */
    weir_queue *queue;
    weir_event *recorded, *fresh;
    weir_future *future;
    weir_stamp *stamp;
    weir_pending *pending;
    void *data;
};

static void open_world(struct world *w, void **state)
{
    w->context = open_or_skip(state);
    w->device = weir_context_device(w->context, 0);
    w->from = new_endpoint(w->device, "from");
    w->to = new_endpoint(weir_context_home(w->context), "to");
    w->link = new_link(w->from, w->to, PACKET, 2);
    w->bare = new_link(w->to, w->from, PACKET, WEIR_BUFFERS_NONE);
    w->queue = new_queue(w->device);
    w->recorded = new_event(w->device);
    OK(weir_queue_record(w->queue, w->recorded));
    w->fresh = new_event(w->device);
    w->future = new_future(w->context);
    OK(weir_stamp_create(w->device, &w->stamp));
    OK(weir_queue_stamp(w->queue, w->stamp));
    OK(weir_link_receive(w->link, &w->pending));
    w->data = new_memory(w->device, PACKET);
}

static void close_world(struct world *w)
{
    weir_link_cancel(w->link, WEIR_ERR_CANCELLED);
    OK(weir_pending_release(w->pending, NULL));
    weir_link_destroy(w->link);
    weir_link_destroy(w->bare);
    weir_endpoint_destroy(w->from);
    weir_endpoint_destroy(w->to);
    OK(weir_queue_sync(w->queue));
    weir_event_release(w->recorded);
    weir_event_release(w->fresh);
    weir_future_release(w->future);
    weir_stamp_destroy(w->stamp);
    weir_queue_destroy(w->queue);
    weir_device_free(w->device, w->data);
    assert_pools_empty(w->context);
    weir_context_destroy(w->context);
}

/* ---- the calls --------------------------------------------------------------------------------- */

typedef weir_status call_fn(struct world *here, struct world *there);

static weir_segment segment_of(struct world *w)
{
    return (weir_segment){.device = w->device, .data = w->data, .bytes = PACKET};
}

static weir_status copy_to(struct world *here, struct world *there)
{
    return weir_queue_copy(here->queue, there->device, there->data, here->device, here->data,
                           PACKET);
}

static weir_status copy_between_foreign(struct world *here, struct world *there)
{
    return weir_queue_copy(here->queue, there->device, there->data, there->device, there->data,
                           PACKET);
}

static weir_status push_from(struct world *here, struct world *there)
{
    return weir_queue_push(here->queue, here->device, here->data, there->device, there->data,
                           PACKET);
}

static weir_status record(struct world *here, struct world *there)
{
    return weir_queue_record(here->queue, there->recorded);
}

static weir_status wait_event(struct world *here, struct world *there)
{
    return weir_queue_wait_event(here->queue, there->recorded);
}

static weir_status wait_future(struct world *here, struct world *there)
{
    return weir_queue_wait_future(here->queue, there->future);
}

static weir_status put_stamp(struct world *here, struct world *there)
{
    return weir_queue_stamp(here->queue, there->stamp);
}

static weir_status set_future(struct world *here, struct world *there)
{
    return weir_future_set(here->future, there->recorded);
}

static weir_status join(struct world *here, struct world *there)
{
    weir_link *link;
    weir_status status = weir_link_create(here->from, there->to, NULL, &link);
    assert_null(link);
    return status;
}

static weir_status send_behind_event(struct world *here, struct world *there)
{
    weir_segment segment = segment_of(here);
    return weir_link_send(here->link, &segment, there->recorded, NULL);
}

static weir_status send_behind_queue(struct world *here, struct world *there)
{
    weir_segment segment = segment_of(here);
    return weir_link_send_from(here->link, &segment, there->queue, NULL);
}

static weir_status receive_after_event(struct world *here, struct world *there)
{
    weir_pending *pending;
    weir_status status =
        weir_link_receive_into(here->bare, here->data, PACKET, there->recorded, &pending);
    assert_null(pending);
    return status;
}

static weir_status gate(struct world *here, struct world *there)
{
    return weir_pending_gate(here->pending, there->queue);
}

static weir_status release(struct world *here, struct world *there)
{
    return weir_pending_release(here->pending, there->queue);
}

static weir_status join_ranks(struct world *here, struct world *there)
{
    weir_device *ranks[2] = {here->device, there->device};
    weir_collectives *collectives;
    weir_status status = weir_collectives_create(here->context, ranks, 2, NULL, &collectives);
    assert_null(collectives);
    return status;
}

static const struct {
    const char *name;
    call_fn *call;
} foreign[] = {{"weir_queue_copy", copy_to},
               {"weir_queue_copy between two", copy_between_foreign},
               {"weir_queue_push", push_from},
               {"weir_queue_record", record},
               {"weir_queue_wait_event", wait_event},
               {"weir_queue_wait_future", wait_future},
               {"weir_queue_stamp", put_stamp},
               {"weir_future_set", set_future},
               {"weir_link_create", join},
               {"weir_link_send", send_behind_event},
               {"weir_link_send_from", send_behind_queue},
               {"weir_link_receive_into", receive_after_event},
               {"weir_pending_gate", gate},
               {"weir_pending_release", release},
               {"weir_collectives_create", join_ranks}};

static weir_status expect_refused(const char *name, weir_status status, const char *part)
{
    if (status != WEIR_ERR_INVALID)
        print_error("%s returned %d: %s\n", name, (int)status, weir_error_detail());
    STATUS(status, WEIR_ERR_INVALID);
    assert_detail_has(part);
    return status;
}

/* The other context goes first: nothing of it may be in use here. */
static void what_is_of_another_context_is_refused(void **state)
{
    struct world here, there;
    weir_segment segment;
    open_world(&here, state);
    open_world(&there, state);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        expect_refused(foreign[i].name, foreign[i].call(&here, &there), "of another context");
    segment = segment_of(&there);
    expect_refused("a segment", weir_link_send(here.link, &segment, NULL, NULL), "another device");
    assert_int_equal(weir_device_reaches(here.device, there.device), 0);
    assert_int_equal(weir_device_atomics(here.device, there.device), 0);
    close_world(&there);
    segment = segment_of(&here); /* nothing was taken, and nothing is held back */
    OK(weir_link_send(here.link, &segment, here.recorded, NULL));
    OK(weir_pending_wait(here.pending, LONG_MS, &segment));
    close_world(&here);
}

static void an_event_that_was_never_recorded_is_refused(void **state)
{
    struct world w;
    weir_pending *pending;
    open_world(&w, state);
    weir_segment segment = segment_of(&w);
    expect_refused("weir_queue_wait_event", weir_queue_wait_event(w.queue, w.fresh),
                   "never recorded");
    expect_refused("weir_future_set", weir_future_set(w.future, w.fresh), "never recorded");
    expect_refused("weir_link_send", weir_link_send(w.link, &segment, w.fresh, NULL),
                   "never recorded");
    expect_refused("weir_link_receive_into",
                   weir_link_receive_into(w.bare, w.data, PACKET, w.fresh, &pending),
                   "never recorded");
    STATUS(weir_future_query(w.future), WEIR_PENDING);
    STATUS(weir_pending_assigned(w.pending, &segment), WEIR_PENDING);
    OK(weir_queue_record(w.queue, w.fresh));
    segment = segment_of(&w);
    OK(weir_link_send(w.link, &segment, w.fresh, NULL));
    OK(weir_pending_wait(w.pending, LONG_MS, &segment));
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_EACH_BACKEND(what_is_of_another_context_is_refused),
        ON_EACH_BACKEND(an_event_that_was_never_recorded_is_refused),
    };
    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
