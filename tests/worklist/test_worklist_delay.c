/** @file test_worklist_delay.c  Invariants 1 and 2 when what a device sends is seen late, at random.
 *
 * With a seed in weir__worklist_delay() a device tells of what it put into a lane only at some of its
 * decisions, so items are under way while others report that they have nothing to do. Devices must not
 * agree too early (docs/termination.md): every item of trees that the host walks too is consumed exactly
 * once, and the run ends. In order bulk no layer of the trees may begin before the one above it is
 * done, on no device. Host devices only. */
#include "tests/worklist/worklist_fixture.h"
#include "worklist/host/internal.h"

#include <stdlib.h>

#define LAYERS   12
#define LIMIT_MS 120000 /* far beyond what any machine needs: a run that does not end says so */

#if defined(__SANITIZE_THREAD__)
enum { SEEDS = 1, ROOTS = 2 };
#else
enum { SEEDS = 4, ROOTS = 6 };
#endif

/* ---- the operator: trees of tree_op.h whose layers are watched ---------------------------------- */

/* Of all devices together. */
struct layers {
    uint64_t expected[LAYERS], consumed[LAYERS];
    uint64_t early; /* items consumed before the layer above theirs was done */
};

typedef tree_item layer_item;
typedef tree_wire layer_wire;
typedef struct layer_state {
    tree_state tree;
    struct layers *layers;
} layer_state;

WEIR_DEV int layer_tile(const layer_state *s, const layer_item *item, uint64_t *first,
                        uint64_t *last)
{
    return tree_tile(&s->tree, item, first, last);
}

WEIR_DEV int layer_atom(const layer_state *s, const layer_item *item, uint64_t atom,
                        layer_item *next)
{
    struct layers *layers = s->layers;
    if (atom == 0) {
        uint32_t above = item->depth - 1;
        tree_count(&layers->early,
                   item->depth > 0 && __atomic_load_n(&layers->consumed[above], __ATOMIC_RELAXED) !=
                                          layers->expected[above]);
        weir_atomic_add_relaxed_dev_u64(&layers->consumed[item->depth], 1);
    }
    return tree_atom(&s->tree, item, atom, next);
}

WEIR_DEV enum weir_fate layer_on_send(const layer_state *s, const layer_item *item)
{
    return tree_on_send(&s->tree, item);
}

WEIR_DEV uint32_t layer_pack(const layer_state *s, const layer_item *item, layer_wire *wire)
{
    return tree_pack(&s->tree, item, wire);
}

WEIR_DEV enum weir_fate layer_on_receive(const layer_state *s, const layer_wire *wire)
{
    return tree_on_receive(&s->tree, wire);
}

WEIR_DEV uint32_t layer_owner(const layer_state *s, const layer_wire *wire)
{
    return tree_owner(&s->tree, wire);
}

WEIR_DEV void layer_unpack(const layer_state *s, const layer_wire *wire, layer_item *item)
{
    tree_unpack(&s->tree, wire, item);
}

WEIR_DEV uint32_t layer_priority(const layer_state *s, const layer_item *item)
{
    return tree_priority(&s->tree, item);
}

/* It reads memory of the test, so it has no form for GPUs. */
#undef WEIR_CUDA
#define WEIR_CUDA     0
#define WEIR_OPERATOR layer
#include "worklist/engine_host_tmpl.h"

/* ---- one worklist ----------------------------------------------------------------------------- */

struct world {
    weir_context *context;
    weir_endpoint *source, *worker[WEIR_DEVICES_MAX];
    weir_worklist *list;
    uint32_t devices;
    tree_state tree; /* without the device */
    tree_record have[WEIR_DEVICES_MAX], want[WEIR_DEVICES_MAX];
    struct layers layers;
    uint64_t items;
};

#define MUST(call)                                                     \
    do {                                                               \
        if (call)                                                      \
            fail_msg("%s: %s: %s", where, #call, weir_error_detail()); \
    } while (0)

static void open_world(struct world *world, const struct tree_setup *setup, const char *where)
{
    weir_config *config;
    memset(world, 0, sizeof *world);
    MUST(weir_config_create(&config));
    MUST(weir_config_set(config, "link_buffers", setup->link_buffers));
    MUST(weir_config_set(config, "spill_bytes", setup->spill_bytes));
    MUST(weir_context_create(setup->spec, config, &world->context));
    weir_config_destroy(config);
    world->devices = weir_context_device_count(world->context);
    world->tree = setup->tree;
    world->tree.devices = world->devices;
    MUST(weir_endpoint_create(weir_context_home(world->context), "source", &world->source));
    for (uint32_t d = 0; d < world->devices; d++)
        MUST(weir_endpoint_create(weir_context_device(world->context, d), NULL, &world->worker[d]));
    MUST(weir_worklist_create(world->source, world->worker, world->devices, &weir__layer_operator,
                              &setup->config, &world->list));
    for (uint32_t d = 0; d < world->devices; d++) {
        layer_state state = {world->tree, &world->layers};
        state.tree.device = d;
        state.tree.record = &world->have[d];
        MUST(weir_worklist_bind(world->list, d, &state));
    }
}

static void close_world(struct world *world)
{
    weir_worklist_destroy(world->list);
    weir_endpoint_destroy(world->source);
    for (uint32_t d = 0; d < world->devices; d++)
        weir_endpoint_destroy(world->worker[d]);
    weir_context_destroy(world->context);
}

static void expect(struct world *world, const tree_item *item)
{
    tree_record *want = &world->want[tree_owner_of(&world->tree, item->tag, item->depth)];
    want->consumed++;
    want->sum += item->tag;
    want->mixed += tree_mix(item->tag);
    world->layers.expected[item->depth]++;
    world->items++;
    uint32_t children = tree_children(&world->tree, item);
    for (uint32_t c = 1; c <= children; c++) {
        tree_item child = tree_child(&world->tree, item, c);
        expect(world, &child);
    }
}

static void seed(struct world *world, uint64_t first, const char *where)
{
    memset(world->have, 0, sizeof world->have);
    memset(world->want, 0, sizeof world->want);
    memset(&world->layers, 0, sizeof world->layers);
    world->items = 0;
    for (uint32_t i = 0; i < ROOTS; i++) {
        tree_item root = tree_root(first + i);
        tree_wire wire;
        uint32_t owner = tree_pack(&world->tree, &root, &wire);
        expect(world, &root);
        MUST(weir_worklist_seed(world->list, owner, &wire, 1));
    }
}

static void check(const struct world *world, const weir_worklist_stats *stats, const char *where)
{
    for (uint32_t d = 0; d < world->devices; d++) {
        const tree_record *have = &world->have[d], *want = &world->want[d];
        if (memcmp(have, want, sizeof *have) != 0)
            fail_msg(
                "%s: device %u consumed %llu of %llu items, tags %s, %llu corrupt, %llu misplaced",
                where, d, (unsigned long long)have->consumed, (unsigned long long)want->consumed,
                have->sum == want->sum && have->mixed == want->mixed ? "as expected" : "differ",
                (unsigned long long)have->corrupt, (unsigned long long)have->misplaced);
    }
    if (stats->produced != world->items || stats->consumed != world->items ||
        stats->processed != world->items)
        fail_msg("%s: produced %llu, consumed %llu, processed %llu of %llu items", where,
                 (unsigned long long)stats->produced, (unsigned long long)stats->consumed,
                 (unsigned long long)stats->processed, (unsigned long long)world->items);
    if (stats->order == WEIR_ORDER_BULK && world->layers.early)
        fail_msg("%s: %llu items were consumed before the layer above was done", where,
                 (unsigned long long)world->layers.early);
}

/* A new tree for each seed of the delays; at the end one without delays, which must go on as well. */
static void run_delayed(const struct tree_setup *setup, uint64_t first_seed)
{
    struct world *world = malloc(sizeof *world);
    char where[400];
    assert_non_null(world);
    snprintf(where, sizeof where, "%s", tree_describe(setup));
    open_world(world, setup, where);
    for (uint64_t i = 0; i <= SEEDS; i++) {
        weir_worklist_stats stats = WEIR_WORKLIST_STATS_INIT;
        uint64_t delay = i < SEEDS ? first_seed + i : 0;
        snprintf(where, sizeof where, "%s delay seed %llu", tree_describe(setup),
                 (unsigned long long)delay);
        weir__worklist_delay(world->list, delay);
        seed(world, 100 * (first_seed + i), where);
        MUST(weir_worklist_run(world->list, &stats));
        assert_int_equal(stats.order, setup->config.order);
        check(world, &stats, where);
    }
    close_world(world);
    free(world);
}

/* ---- cases -------------------------------------------------------------------------------------- */

static const uint64_t queues[] = {16, 64, 1024, 0};
static const uint32_t packets[] = {1, 2, 7, 100, 0};
static const char *const buffers[] = {"1", "2", "5"};
static const uint32_t deltas[] = {0, 1, 3};
static const uint32_t priorities[] = {TREE_PRIORITY_DEPTH, TREE_PRIORITY_ANY, TREE_PRIORITY_DOWN};

#define PICK(list, roll) ((list)[(roll) % (sizeof(list) / sizeof *(list))])

/* Sizes and rules follow from the number of the case. */
static struct tree_setup make_case(const char *spec, weir_route_kind route, weir_order_kind order,
                                   uint64_t which)
{
    struct tree_setup setup = tree_plain(spec);
    uint64_t roll = tree_mix(which);
    setup.link_buffers = PICK(buffers, roll >> 16);
    setup.tree.depth = 8;
    setup.tree.priority_rule = PICK(priorities, roll >> 24);
    setup.tree.owner_rule = (uint32_t)(roll >> 32) % 2;
    setup.tree.spread = 40;
    setup.config.route = route;
    setup.config.order = order;
    setup.config.delta = order == WEIR_ORDER_SOFT ? PICK(deltas, roll >> 40) : 0;
    setup.config.queue_items = PICK(queues, roll);
    setup.config.packet_items = PICK(packets, roll >> 8);
    setup.config.time_limit_ms = LIMIT_MS;
    return setup;
}

static void each_route(const char *spec, weir_order_kind order)
{
    for (size_t r = 0; r < EVERY_ROUTE; r++)
        for (uint64_t repeat = 0; repeat < 2; repeat++) {
            uint64_t which = 100 * (uint64_t)order + 10 * r + repeat;
            struct tree_setup setup = make_case(spec, every_route[r], order, which);
            run_delayed(&setup, 1 + 7 * which);
        }
}

static void messages_late_in_order_fifo(void **state)
{
    each_route(*state, WEIR_ORDER_FIFO);
}

static void messages_late_in_order_soft(void **state)
{
    each_route(*state, WEIR_ORDER_SOFT);
}

static void messages_late_in_order_bulk(void **state)
{
    each_route(*state, WEIR_ORDER_BULK);
}

#define ON_HOSTS(f)                                                   \
    {#f "[host:2]", f, NULL, NULL, (void *)(uintptr_t) "host:2"},     \
        {#f "[host:3]", f, NULL, NULL, (void *)(uintptr_t) "host:3"}, \
    {                                                                 \
#f "[host:8]", f, NULL, NULL, (void *)(uintptr_t) "host:8"    \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_HOSTS(messages_late_in_order_fifo),
        ON_HOSTS(messages_late_in_order_soft),
        ON_HOSTS(messages_late_in_order_bulk),
    };
    return cmocka_run_group_tests_name("worklist delay", tests, NULL, NULL);
}
