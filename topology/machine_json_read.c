/** @file machine_json_read.c  A machine from JSON text; what is wrong is told with file and line.
 *
 * Objects are read by tables of their members (machine_fields.c). Nothing is guessed: an unknown
 * member is an error, and so is a missing one that has no natural default. Written by
 * machine_json.c. */
#include "topology/machine_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- hops and pairs, whose nodes were read before ------------------------------------------------ */

#define LABEL WEIR__JSON_SIZEOF(weir_node, label)

struct named_hop {
    char kind[16], a[LABEL], b[LABEL];
    weir_hop hop;
};
static const struct weir__json_field hop_fields[] = {
    WEIR__JSON_TEXT_FIELD("kind", 1, struct named_hop, kind),
    WEIR__JSON_TEXT_FIELD("a", 1, struct named_hop, a),
    WEIR__JSON_TEXT_FIELD("b", 1, struct named_hop, b),
    WEIR__JSON_FIELD("generation", COUNT, 0, struct named_hop, hop.generation),
    WEIR__JSON_FIELD("count", COUNT, 0, struct named_hop, hop.count),
    WEIR__JSON_FIGURE_FIELD("bandwidth_gbs", 1, struct named_hop, hop.bandwidth_gbs,
                            WEIR__GBS_LEAST, WEIR__GBS_MOST),
    WEIR__JSON_FIGURE_FIELD("latency_us", 0, struct named_hop, hop.latency_us, 0, WEIR__US_MOST),
};

static weir_status hop_kind(const struct weir__json_reader *r, struct named_hop *named)
{
    char text[44];
    for (int kind = 0; weir_hop_kind_text((weir_hop_kind)kind); kind++)
        if (strcmp(weir_hop_kind_text((weir_hop_kind)kind), named->kind) == 0) {
            named->hop.kind = (weir_hop_kind)kind;
            return WEIR_OK;
        }
    return weir__json_bad(r, weir__json_member(r, "kind"),
                          "'%s' is no kind of hop; there are nvlink, pcie, socket, memory",
                          weir__json_shown(text, sizeof text, named->kind));
}

static weir_status end_of(const struct weir__json_reader *r, const weir_machine *machine,
                          const char *key, const char *label, uint32_t count, const char *what,
                          uint32_t *index_out)
{
    char text[44];
    *index_out = weir__machine_find(machine, count, label);
    if (*index_out < count)
        return WEIR_OK;
    return weir__json_bad(r, weir__json_member(r, key), "no %s is labelled '%s'", what,
                          weir__json_shown(text, sizeof text, label));
}

static weir_status read_hop(const struct weir__json_reader *r, weir_machine *machine,
                            json_t *object)
{
    struct named_hop named = {0};
    weir_status status = WEIR__JSON_READ(r, object, hop_fields, &named);
    if (status || (status = hop_kind(r, &named)) ||
        (status = end_of(r, machine, "a", named.a, machine->nodes, "node", &named.hop.a)) ||
        (status = end_of(r, machine, "b", named.b, machine->nodes, "node", &named.hop.b)))
        return status;
    if (named.hop.a == named.hop.b)
        return weir__json_bad(r, r->place, "a hop from '%s' to itself", named.a);
    return weir__machine_add_hop(machine, named.hop);
}

static weir_status read_hops(struct weir__json_reader *r, weir_machine *machine, json_t *hops)
{
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < json_array_size(hops) && !status; i++) {
        r->place = (struct weir__json_place){"hops", i, NULL, 0};
        if (i == WEIR_MACHINE_HOPS_MAX)
            return weir__json_bad(r, r->place, "more than %d hops", WEIR_MACHINE_HOPS_MAX);
        status = read_hop(r, machine, json_array_get(hops, i));
    }
    return status;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

struct named_pair {
    char from[LABEL], to[LABEL];
    weir_pair pair; /* reaches, atomics: -1 when absent */
};
static const struct weir__json_field pair_fields[] = {
    WEIR__JSON_TEXT_FIELD("from", 1, struct named_pair, from),
    WEIR__JSON_TEXT_FIELD("to", 1, struct named_pair, to),
    WEIR__JSON_FIELD("reaches", FLAG, 0, struct named_pair, pair.reaches),
    WEIR__JSON_FIELD("atomics", FLAG, 0, struct named_pair, pair.atomics),
    WEIR__JSON_FIGURE_FIELD("bandwidth_gbs", 0, struct named_pair, pair.bandwidth_gbs,
                            WEIR__GBS_LEAST, WEIR__GBS_MOST),
    WEIR__JSON_FIGURE_FIELD("latency_us", 0, struct named_pair, pair.latency_us, 0, WEIR__US_MOST),
};

struct seen {
    unsigned char pair[WEIR_DEVICES_MAX + 1][WEIR_DEVICES_MAX + 1];
};

static weir_status read_pair(const struct weir__json_reader *r, weir_machine *machine,
                             json_t *object, struct seen *seen)
{
    struct named_pair named = {.pair = {-1, -1, 0, 0}};
    const char *const what = "device, nor the home memory,";
    uint32_t ends = machine->devices + 1, from, to; /* host 0 follows the devices */
    weir_status status = WEIR__JSON_READ(r, object, pair_fields, &named);
    if (status || (status = end_of(r, machine, "from", named.from, ends, what, &from)) ||
        (status = end_of(r, machine, "to", named.to, ends, what, &to)))
        return status;
    weir_pair *pair = weir__machine_pair(machine, from, to);
    if (seen->pair[from][to]++)
        return weir__json_bad(r, r->place, "the pair from '%s' to '%s' stands twice", named.from,
                              named.to);
    if (!named.pair.reaches && pair->reaches)
        return weir__json_bad(r, weir__json_member(r, "reaches"),
                              "every device reaches itself and the home memory");
    if (named.pair.reaches < 0)
        named.pair.reaches = pair->reaches;
    if (named.pair.atomics < 0)
        named.pair.atomics = pair->atomics;
    *pair = named.pair;
    return WEIR_OK;
}

static weir_status read_pairs(struct weir__json_reader *r, weir_machine *machine, json_t *pairs)
{
    struct seen seen = {{{0}}};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < json_array_size(pairs) && !status; i++) {
        r->place = (struct weir__json_place){"pairs", i, NULL, 0};
        status = read_pair(r, machine, json_array_get(pairs, i), &seen);
    }
    return status;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

struct lists {
    char name[WEIR__JSON_SIZEOF(weir_machine, name)], kind[16];
    uint32_t schema;
    json_t *devices, *hosts, *switches, *hops, *pairs, *overheads;
};

static const struct weir__json_field outermost[] = {
    WEIR__JSON_FIELD("schema", COUNT, 1, struct lists, schema),
    WEIR__JSON_TEXT_FIELD("kind", 1, struct lists, kind),
    WEIR__JSON_TEXT_FIELD("name", 1, struct lists, name),
    WEIR__JSON_FIELD("devices", LIST, 1, struct lists, devices),
    WEIR__JSON_FIELD("hosts", LIST, 1, struct lists, hosts),
    WEIR__JSON_FIELD("switches", LIST, 0, struct lists, switches),
    WEIR__JSON_FIELD("hops", LIST, 1, struct lists, hops),
    WEIR__JSON_FIELD("pairs", LIST, 0, struct lists, pairs),
    WEIR__JSON_FIELD("overheads", OBJECT, 0, struct lists, overheads),
};

static const struct weir__json_field node_fields[] = {
    WEIR__JSON_TEXT_FIELD("label", 1, weir_node, label),
    WEIR__JSON_TEXT_FIELD("name", 0, weir_node, name),
    WEIR__JSON_TEXT_FIELD("bus", 0, weir_node, bus),
    WEIR__JSON_FIELD("units", COUNT, 0, weir_node, units),
    WEIR__JSON_FIELD("copy_engines", COUNT, 0, weir_node, copy_engines),
    WEIR__JSON_FIELD("memory_bytes", BYTES, 0, weir_node, memory_bytes),
    WEIR__JSON_FIGURE_FIELD("memory_gbs", 0, weir_node, memory_gbs, WEIR__GBS_LEAST,
                            WEIR__GBS_MOST),
    WEIR__JSON_FIGURE_FIELD("arc_ns", 0, weir_node, arc_ns, WEIR__ARC_NS_LEAST, WEIR__US_MOST),
    WEIR__JSON_FIGURE_FIELD("entry_ns", 0, weir_node, entry_ns, WEIR__ARC_NS_LEAST, WEIR__US_MOST),
    WEIR__JSON_FIGURE_FIELD("find_ns", 0, weir_node, find_ns, WEIR__ARC_NS_LEAST, WEIR__US_MOST),
};

static const struct weir__json_field overhead_fields[] = {
    WEIR__JSON_FIGURE_FIELD("copy_us", 0, weir_overheads, copy_us, 0, WEIR__US_MOST),
    WEIR__JSON_FIGURE_FIELD("push_us", 0, weir_overheads, push_us, 0, WEIR__US_MOST),
    WEIR__JSON_FIGURE_FIELD("launch_us", 0, weir_overheads, launch_us, 0, WEIR__US_MOST),
};

/* ---- nodes ----------------------------------------------------------------------------------- */

uint32_t weir__machine_find(const weir_machine *machine, uint32_t count, const char *label)
{
    uint32_t i = 0;
    while (i < count && strcmp(machine->node[i].label, label) != 0)
        i++;
    return i;
}

static weir_status check_label(const struct weir__json_reader *r, const weir_machine *machine,
                               uint32_t index)
{
    const char *label = machine->node[index].label;
    char text[44];
    for (const char *c = label; *c; c++)
        if (*c <= ' ' || *c > '~')
            return weir__json_bad(r, weir__json_member(r, "label"),
                                  "'%s' has a character that labels may not have",
                                  weir__json_shown(text, sizeof text, label));
    if (!*label)
        return weir__json_bad(r, weir__json_member(r, "label"), "the label is empty");
    if (weir__machine_find(machine, index, label) != index)
        return weir__json_bad(r, weir__json_member(r, "label"), "a second node is labelled '%s'",
                              label);
    return WEIR_OK;
}

static weir_status read_nodes(struct weir__json_reader *r, weir_machine *machine, const char *list,
                              json_t *nodes, uint32_t first)
{
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < json_array_size(nodes) && !status; i++) {
        weir_node *node = &machine->node[first + i];
        r->place = (struct weir__json_place){list, i, NULL, 0};
        node->label[0] = '\0';
        status = WEIR__JSON_READ(r, json_array_get(nodes, i), node_fields, node);
        if (!status)
            status = check_label(r, machine, first + (uint32_t)i);
    }
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Marks what the home memory is joined to. Devices are ends: they never forward. */
static void flood(const weir_machine *machine, unsigned char *joined)
{
    int more = 1;
    joined[machine->devices] = 1;
    while (more) {
        more = 0;
        for (uint32_t h = 0; h < machine->hops; h++) {
            uint32_t a = machine->hop[h].a, b = machine->hop[h].b;
            int from_a = joined[a] && a >= machine->devices && !joined[b];
            int from_b = joined[b] && b >= machine->devices && !joined[a];
            if (from_a || from_b)
                joined[a] = joined[b] = 1, more = 1;
        }
    }
}

static weir_status check_joined(const struct weir__json_reader *r, const weir_machine *machine)
{
    unsigned char joined[WEIR_MACHINE_NODES_MAX] = {0};
    flood(machine, joined);
    for (uint32_t d = 0; d < machine->devices; d++)
        if (!joined[d])
            return weir__json_bad(r, (struct weir__json_place){"devices", d, NULL, 0},
                                  "'%s' has no way to the home memory '%s' through hosts and "
                                  "switches",
                                  machine->node[d].label, machine->node[machine->devices].label);
    return WEIR_OK;
}

/* A later schema may have other members: its number is looked at before anything else. */
static weir_status check_schema(const struct weir__json_reader *r, json_t *root)
{
    json_t *schema = json_object_get(root, "schema");
    const char *kind = json_string_value(json_object_get(root, "kind"));
    char text[44];
    if (json_is_integer(schema) && json_integer_value(schema) != 1)
        return weir__json_bad(r, weir__json_member(r, "schema"),
                              "%lld is not known; this weir reads schema 1",
                              (long long)json_integer_value(schema));
    if (kind && strcmp(kind, "machine") != 0)
        return weir__json_bad(r, weir__json_member(r, "kind"), "'%s' is no machine",
                              weir__json_shown(text, sizeof text, kind));
    return WEIR_OK;
}

static weir_status check_counts(const struct weir__json_reader *r, const struct lists *lists)
{
    size_t devices = json_array_size(lists->devices), hosts = json_array_size(lists->hosts);
    size_t nodes = devices + hosts + json_array_size(lists->switches);
    if (!devices || !hosts)
        return weir__json_bad(r, weir__json_member(r, devices ? "hosts" : "devices"),
                              "at least one is needed");
    if (devices > WEIR_DEVICES_MAX)
        return weir__json_bad(r, weir__json_member(r, "devices"), "%zu devices; at most %d",
                              devices, WEIR_DEVICES_MAX);
    if (nodes > WEIR_MACHINE_NODES_MAX)
        return weir__json_bad(r, r->place, "%zu devices, hosts and switches; at most %d", nodes,
                              WEIR_MACHINE_NODES_MAX);
    return WEIR_OK;
}

static weir_status read_overheads(struct weir__json_reader *r, weir_machine *machine,
                                  json_t *overheads)
{
    r->place = (struct weir__json_place){"overheads", 0, NULL, 0};
    return overheads ? WEIR__JSON_READ(r, overheads, overhead_fields, &machine->overheads)
                     : WEIR_OK;
}

static weir_status fill(struct weir__json_reader *r, const struct lists *lists,
                        weir_machine *machine)
{
    weir_status status;
    if ((status = read_nodes(r, machine, "devices", lists->devices, 0)) ||
        (status = read_nodes(r, machine, "hosts", lists->hosts, machine->devices)) ||
        (status = read_nodes(r, machine, "switches", lists->switches,
                             machine->devices + machine->hosts)) ||
        (status = read_hops(r, machine, lists->hops)) ||
        (status = read_pairs(r, machine, lists->pairs)) ||
        (status = read_overheads(r, machine, lists->overheads)))
        return status;
    return check_joined(r, machine);
}

/* What only finishing finds, say a path that is too long, has no line of its own. */
static weir_status finish(const struct weir__json_reader *r, weir_machine *machine)
{
    char why[256];
    weir_status status = weir__machine_finish(machine);
    if (status != WEIR_ERR_INVALID)
        return status;
    snprintf(why, sizeof why, "%s", weir_error_detail());
    return weir__json_bad(r, (struct weir__json_place){0}, "%s", why);
}

static weir_status read_root(struct weir__json_reader *r, json_t *root, weir_machine **machine_out)
{
    struct lists lists = {0};
    weir_machine *machine;
    weir_status status;
    if ((status = check_schema(r, root)) ||
        (status = WEIR__JSON_READ(r, root, outermost, &lists)) ||
        (status = check_counts(r, &lists)) ||
        (status = weir__machine_create(lists.name, "", (uint32_t)json_array_size(lists.devices),
                                       (uint32_t)json_array_size(lists.hosts),
                                       (uint32_t)json_array_size(lists.switches), &machine)))
        return status;
    if (!(status = fill(r, &lists, machine)) && !(status = finish(r, machine))) {
        *machine_out = machine;
        return WEIR_OK;
    }
    weir_machine_destroy(machine);
    return status;
}

weir_status weir__machine_from_json(const char *path, const char *text, size_t bytes,
                                    weir_machine **machine_out)
{
    struct weir__json_reader r = {path, text, bytes, {0}};
    json_error_t error;
    char why[160];
    *machine_out = NULL;
    errno = 0; /* the parser calls some of what it had no memory for a fault of the text */
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (!root && errno == ENOMEM)
        return weir__fail(WEIR_ERR_NOMEM, "%s: no memory for its JSON", path);
    if (!root)
        return weir__fail(WEIR_ERR_FORMAT, "%s:%d: %s", path, error.line > 0 ? error.line : 1,
                          weir__json_shown(why, sizeof why, error.text));
    /* A text that could not grow has letters missing. */
    weir_status status = errno == ENOMEM
                             ? weir__fail(WEIR_ERR_NOMEM, "%s: no memory for its texts", path)
                             : read_root(&r, root, machine_out);
    json_decref(root);
    return status;
}
