/** @file machine_json_hops.c  The hops and pairs of a machine's JSON. Nodes were read before. */
#include "topology/machine_json.h"

#include <string.h>

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

weir_status weir__json_read_hops(struct weir__json_reader *r, weir_machine *machine, json_t *hops)
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

weir_status weir__json_read_pairs(struct weir__json_reader *r, weir_machine *machine, json_t *pairs)
{
    struct seen seen = {{{0}}};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < json_array_size(pairs) && !status; i++) {
        r->place = (struct weir__json_place){"pairs", i, NULL, 0};
        status = read_pair(r, machine, json_array_get(pairs, i), &seen);
    }
    return status;
}
