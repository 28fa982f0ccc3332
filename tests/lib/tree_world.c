/** @file tree_world.c  A context with a worklist of the tree operators, and what must come out. */
#include "tests/lib/tree_world.h"
#include "runtime/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static weir_status create_context(struct tree_world *world, const struct tree_setup *setup)
{
    weir_config *config;
    weir_status status = weir_config_create(&config);
    if (!status && setup->link_buffers)
        status = weir_config_set(config, "link_buffers", setup->link_buffers);
    if (!status && setup->spill_bytes)
        status = weir_config_set(config, "spill_bytes", setup->spill_bytes);
    if (!status && setup->pool_bytes)
        status = weir_config_set(config, "pool_bytes", setup->pool_bytes);
    if (!status)
        status = weir_context_create(setup->spec, config, &world->context);
    weir_config_destroy(config);
    return status;
}

/* Every byte of a clear state. */
static int clear_byte(const struct tree_world *world)
{
    return world->merging ? 0xFF : 0;
}

/* Where runs fill the state by themselves it is made dirty instead: distances of 0, counts of something. */
static weir_status clear(struct tree_world *world, uint32_t d)
{
    const int dirty = world->merging ? 0 : 0x5A;
    void *fresh = malloc(world->memory_bytes);
    weir_status status = WEIR_ERR_NOMEM;
    if (fresh) {
        memset(fresh, world->fills ? dirty : clear_byte(world), world->memory_bytes);
        status = weir__upload(weir_context_device(world->context, d), world->memory[d], fresh,
                              world->memory_bytes);
    }
    free(fresh);
    return status;
}

static weir_status create_device(struct tree_world *world, const struct tree_setup *setup,
                                 uint32_t d)
{
    weir_device *device = weir_context_device(world->context, d);
    weir_status status = weir_device_alloc(device, world->memory_bytes, &world->memory[d]);
    if (status)
        return status;
    world->tree[d] = setup->tree;
    world->tree[d].device = d;
    world->tree[d].devices = world->devices;
    world->tree[d].record = world->memory[d];
    world->min[d] = setup->min;
    world->min[d].device = d;
    world->min[d].devices = world->devices;
    world->min[d].best = world->memory[d];
    if ((status = clear(world, d)))
        return status;
    return weir_endpoint_create(device, NULL, &world->worker[d]);
}

static weir_status create_list(struct tree_world *world, const struct tree_setup *setup)
{
    weir_worklist_config config = setup->config;
    weir_worklist_fill fills[WEIR_DEVICES_MAX];
    for (uint32_t d = 0; d < world->devices; d++)
        fills[d] = (weir_worklist_fill){.worker = d,
                                        .value = (uint32_t)clear_byte(world),
                                        .data = world->memory[d],
                                        .bytes = world->memory_bytes};
    if (setup->fills) {
        config.fills = fills;
        config.fill_count = world->devices;
    }
    return weir_worklist_create(world->source, world->worker, world->devices,
                                setup->merging        ? &weir__tree_min_operator
                                : setup->own_schedule ? &weir__tree_own_operator
                                                      : &weir__tree_operator,
                                &config, &world->list);
}

weir_status tree_world_open(struct tree_world *world, const struct tree_setup *setup)
{
    weir_status status;
    memset(world, 0, sizeof *world);
    world->merging = setup->merging;
    world->fills = setup->fills;
    world->memory_bytes = setup->merging ? setup->min.keys * sizeof(uint32_t) : sizeof(tree_record);
    if ((status = create_context(world, setup)))
        return status;
    world->devices = weir_context_device_count(world->context);
    status = weir_endpoint_create(weir_context_home(world->context), "source", &world->source);
    for (uint32_t d = 0; d < world->devices && !status; d++)
        status = create_device(world, setup, d);
    if (!status)
        status = create_list(world, setup);
    for (uint32_t d = 0; d < world->devices && !status; d++)
        status = weir_worklist_bind(world->list, d,
                                    setup->merging ? (const void *)&world->min[d]
                                                   : (const void *)&world->tree[d]);
    if (status)
        tree_world_close(world);
    return status;
}

void tree_world_close(struct tree_world *world)
{
    weir_worklist_destroy(world->list);
    weir_endpoint_destroy(world->source);
    for (uint32_t d = 0; d < world->devices; d++) {
        weir_endpoint_destroy(world->worker[d]);
        weir_device_free(weir_context_device(world->context, d), world->memory[d]);
    }
    weir_context_destroy(world->context);
    memset(world, 0, sizeof *world);
}

/* ---- trees -------------------------------------------------------------------------------- */

static void expect(struct tree_world *world, const tree_item *item)
{
    tree_record *record = &world->expected[tree_owner_of(&world->tree[0], item->tag, item->depth)];
    record->consumed++;
    record->sum += item->tag;
    record->mixed += tree_mix(item->tag);
    world->expected_items++;
}

/* The whole tree below a root, with a stack of our own: chains may be long. */
static weir_status expect_tree(struct tree_world *world, tree_item root)
{
    size_t room = 1024, used = 0;
    tree_item *stack = malloc(room * sizeof *stack);
    if (!stack)
        return WEIR_ERR_NOMEM;
    stack[used++] = root;
    while (used > 0) {
        tree_item item = stack[--used];
        uint32_t children = tree_children(&world->tree[0], &item);
        expect(world, &item);
        if (used + children > room) {
            tree_item *grown = realloc(stack, (room = 2 * (used + children)) * sizeof *stack);
            if (!grown) {
                free(stack);
                return WEIR_ERR_NOMEM;
            }
            stack = grown;
        }
        for (uint32_t c = 1; c <= children; c++)
            stack[used++] = tree_child(&world->tree[0], &item, c);
    }
    free(stack);
    return WEIR_OK;
}

weir_status tree_world_seed(struct tree_world *world, uint64_t first_seed, uint32_t count)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        tree_item root = tree_root(first_seed + i);
        tree_wire wire;
        uint32_t owner = tree_pack(&world->tree[0], &root, &wire);
        status = weir_worklist_seed(world->list, owner, &wire, 1);
        if (!status && world->tree[0].shape != TREE_ENDLESS)
            status = expect_tree(world, root);
    }
    return status;
}

static const char *check_counts(const weir_worklist_stats *stats)
{
    static char text[160];
    if (stats->produced == stats->consumed && stats->processed <= stats->consumed)
        return NULL;
    snprintf(text, sizeof text, "produced %llu, consumed %llu, processed %llu",
             (unsigned long long)stats->produced, (unsigned long long)stats->consumed,
             (unsigned long long)stats->processed);
    return text;
}

static const char *check_device(struct tree_world *world, uint32_t d)
{
    static char text[240];
    const tree_record *want = &world->expected[d];
    tree_record have;
    if (weir__download(weir_context_device(world->context, d), &have, world->memory[d],
                       sizeof have) ||
        clear(world, d))
        return weir_error_detail();
    if (have.consumed == want->consumed && have.sum == want->sum && have.mixed == want->mixed &&
        !have.corrupt && !have.misplaced)
        return NULL;
    snprintf(text, sizeof text,
             "device %u consumed %llu of %llu items, tags %s, %llu corrupt, %llu misplaced", d,
             (unsigned long long)have.consumed, (unsigned long long)want->consumed,
             have.sum == want->sum && have.mixed == want->mixed ? "as expected" : "differ",
             (unsigned long long)have.corrupt, (unsigned long long)have.misplaced);
    return text;
}

const char *tree_world_check(struct tree_world *world, const weir_worklist_stats *stats)
{
    static char text[160];
    const char *wrong = check_counts(stats);
    for (uint32_t d = 0; d < world->devices && !wrong; d++)
        wrong = check_device(world, d);
    if (!wrong && stats->processed != world->expected_items) {
        snprintf(text, sizeof text, "%llu items counted as processed, %llu expected",
                 (unsigned long long)stats->processed, (unsigned long long)world->expected_items);
        wrong = text;
    }
    memset(world->expected, 0, sizeof world->expected);
    world->expected_items = 0;
    return wrong;
}

/* ---- merging ------------------------------------------------------------------------------ */

weir_status tree_world_seed_keys(struct tree_world *world, uint32_t count)
{
    weir_status status = WEIR_OK;
    for (uint32_t key = 0; key < count && !status; key++) {
        tree_min_wire wire = {key, 0};
        status = weir_worklist_seed(world->list, tree_min_owner(&world->min[0], &wire), &wire, 1);
    }
    return status;
}

/* Bellman and Ford: rounds over all keys until nothing falls. */
static void shortest(const tree_min_state *state, uint32_t seeds, uint32_t *distance)
{
    int changed = 1;
    for (uint32_t key = 0; key < state->keys; key++)
        distance[key] = key < seeds ? 0 : TREE_MIN_FAR;
    while (changed) {
        changed = 0;
        for (uint32_t key = 0; key < state->keys; key++) {
            tree_min_item item = {key, distance[key]};
            for (uint32_t i = 0; i < state->fan && item.distance != TREE_MIN_FAR; i++) {
                tree_min_item next = tree_min_step(state, &item, i);
                if (distance[next.key] > next.distance) {
                    distance[next.key] = next.distance;
                    changed = 1;
                }
            }
        }
    }
}

static const char *compare_keys(struct tree_world *world, uint32_t d, const uint32_t *want,
                                uint32_t *have)
{
    static char text[160];
    if (weir__download(weir_context_device(world->context, d), have, world->memory[d],
                       world->memory_bytes) ||
        clear(world, d))
        return weir_error_detail();
    for (uint32_t key = d; key < world->min[0].keys; key += world->devices) {
        if (have[key] == want[key])
            continue;
        snprintf(text, sizeof text, "key %u on device %u: distance %u, not %u", key, d, have[key],
                 want[key]);
        return text;
    }
    return NULL;
}

const char *tree_world_check_keys(struct tree_world *world, uint32_t seeds,
                                  const weir_worklist_stats *stats)
{
    const char *wrong = check_counts(stats);
    uint32_t *want = malloc(world->memory_bytes), *have = malloc(world->memory_bytes);
    if (!want || !have)
        wrong = "no memory";
    else
        shortest(&world->min[0], seeds, want);
    for (uint32_t d = 0; d < world->devices && !wrong; d++)
        wrong = compare_keys(world, d, want, have);
    free(want);
    free(have);
    return wrong;
}
