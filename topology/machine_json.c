/** @file machine_json.c  A machine as JSON text: one node, hop or pair a line.
 *
 * Numbers are written with as few digits as read back to the same value. The format is described in
 * docs/machines.md; machine_json_read.c reads it. */
#include "runtime/text.h"
#include "topology/machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What JSON cannot say (infinity) becomes 0, unknown. */
static void put_number(FILE *out, const char *key, double value)
{
    char text[40] = "0";
    for (int digits = 15; isfinite(value) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fprintf(out, "\"%s\": %s", key, text);
}

/* The letter that stands for a control character behind a backslash, or 0. */
static char escape_of(unsigned char c)
{
    static const char controls[] = "\b\f\n\r\t", letters[] = "bfnrt";
    const char *found = memchr(controls, c, sizeof controls - 1);
    return c == '"' || c == '\\' ? (char)c : found ? letters[found - controls] : '\0';
}

/* Quoted and escaped; of a text that is not UTF-8, all bytes that are not ASCII become question marks.
 * Nothing here takes memory: there is no way to fail but the stream's, which keeps it in mind. */
static void put_string(FILE *out, const char *text)
{
    int whole = weir__utf8_is(text);
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (escape_of(c))
            fprintf(out, "\\%c", escape_of(c));
        else if (c < 0x20)
            fprintf(out, "\\u%04X", c);
        else
            fputc(c < 0x80 || whole ? c : '?', out);
    }
    fputc('"', out);
}

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    put_string(out, text);
}

/* The end of a hop and of a pair. */
static void put_speed(FILE *out, double bandwidth_gbs, double latency_us)
{
    fputs(", ", out);
    put_number(out, "bandwidth_gbs", bandwidth_gbs);
    fputs(", ", out);
    put_number(out, "latency_us", latency_us);
    fputs("}", out);
}

/* A figure that is left out where it is not known. */
static void put_known(FILE *out, const char *key, double value)
{
    if (!(value > 0))
        return;
    fputs(", ", out);
    put_number(out, key, value);
}

static void put_node(FILE *out, const weir_node *node)
{
    fputs("{\"label\": ", out);
    put_string(out, node->label);
    put_text(out, "name", node->name);
    put_text(out, "bus", node->bus);
    fprintf(out, ", \"units\": %" PRIu32 ", \"copy_engines\": %" PRIu32, node->units,
            node->copy_engines);
    fprintf(out, ", \"memory_bytes\": %" PRIu64 ", ", node->memory_bytes);
    put_number(out, "memory_gbs", node->memory_gbs);
    put_known(out, "arc_ns", node->arc_ns);
    put_known(out, "entry_ns", node->entry_ns);
    put_known(out, "find_ns", node->find_ns);
    fputs("}", out);
}

static void put_nodes(FILE *out, const weir_machine *machine, const char *list, uint32_t begin,
                      uint32_t end)
{
    fprintf(out, ",\n  \"%s\": [", list);
    for (uint32_t i = begin; i < end; i++) {
        fputs(i == begin ? "\n    " : ",\n    ", out);
        put_node(out, &machine->node[i]);
    }
    fputs(begin < end ? "\n  ]" : "]", out);
}

static void put_hops(FILE *out, const weir_machine *machine)
{
    fputs(",\n  \"hops\": [", out);
    for (uint32_t i = 0; i < machine->hops; i++) {
        const weir_hop *hop = &machine->hop[i];
        fprintf(out, "%s{\"kind\": \"%s\"", i ? ",\n    " : "\n    ",
                weir_hop_kind_text(hop->kind));
        put_text(out, "a", machine->node[hop->a].label);
        put_text(out, "b", machine->node[hop->b].label);
        fprintf(out, ", \"generation\": %" PRIu32 ", \"count\": %" PRIu32, hop->generation,
                hop->count);
        put_speed(out, hop->bandwidth_gbs, hop->latency_us);
    }
    fputs(machine->hops ? "\n  ]" : "]", out);
}

/* A device with itself, and the home memory with itself, tell nothing until they are measured. */
static int is_dull(const weir_pair *pair)
{
    return pair->reaches && pair->atomics && pair->bandwidth_gbs == 0 && pair->latency_us == 0;
}

static void put_pairs(FILE *out, const weir_machine *machine)
{
    const char *between = "\n    ";
    fputs(",\n  \"pairs\": [", out);
    for (uint32_t from = 0; from <= machine->devices; from++)
        for (uint32_t to = 0; to <= machine->devices; to++) {
            const weir_pair *pair = weir_machine_pair(machine, from, to);
            if (from == to && is_dull(pair))
                continue;
            /* the home memory's host is the node behind the devices */
            fprintf(out, "%s{\"from\": ", between);
            put_string(out, machine->node[from].label);
            put_text(out, "to", machine->node[to].label);
            fprintf(out, ", \"reaches\": %s, \"atomics\": %s", pair->reaches ? "true" : "false",
                    pair->atomics ? "true" : "false");
            put_speed(out, pair->bandwidth_gbs, pair->latency_us);
            between = ",\n    ";
        }
    fputs("\n  ]", out);
}

static void put_machine(FILE *out, const weir_machine *machine)
{
    uint32_t hosts = machine->devices, switches = hosts + machine->hosts;
    fputs("{\n  \"schema\": 1,\n  \"kind\": \"machine\",\n  \"name\": ", out);
    put_string(out, machine->name);
    put_nodes(out, machine, "devices", 0, hosts);
    put_nodes(out, machine, "hosts", hosts, switches);
    put_nodes(out, machine, "switches", switches, machine->nodes);
    put_hops(out, machine);
    put_pairs(out, machine);
    fputs(",\n  \"overheads\": {", out);
    put_number(out, "copy_us", machine->overheads.copy_us);
    fputs(", ", out);
    put_number(out, "push_us", machine->overheads.push_us);
    fputs(", ", out);
    put_number(out, "launch_us", machine->overheads.launch_us);
    fputs("}\n}\n", out);
}

weir_status weir_machine_json(const weir_machine *machine, char **text_out)
{
    return weir__machine_text(machine, put_machine, text_out);
}
