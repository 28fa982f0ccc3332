/** @file machine_dot.c  A machine as a graph for Graphviz: dot -Tsvg, or neato for meshes. */
#include "topology/machine.h"

#include <stdio.h>

static void put_quoted(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fputc('\\', out);
        fputc(c < ' ' || c == 127 ? '?' : c, out);
    }
}

static void put_node(FILE *out, const weir_node *node)
{
    static const char *const looks[] = {"shape=box, style=filled, fillcolor=\"#cfe8cf\"",
                                        "shape=box3d, style=filled, fillcolor=\"#d5dff0\"",
                                        "shape=ellipse, style=filled, fillcolor=\"#eeeeee\""};
    fputs("    \"", out);
    put_quoted(out, node->label);
    fputs("\" [label=\"", out);
    put_quoted(out, node->label);
    if (node->name[0]) {
        fputs("\\n", out);
        put_quoted(out, node->name);
    }
    if (node->units)
        fprintf(out, "\\n%u %s", node->units, node->kind == WEIR_NODE_HOST ? "cores" : "units");
    fprintf(out, "\", %s];\n", looks[node->kind]);
}

static void put_hop(FILE *out, const weir_machine *machine, const weir_hop *hop)
{
    static const char *const names[] = {"NVLink", "PCIe", "socket", "memory"};
    static const char *const colours[] = {"#2e7d32", "#555555", "#1f4e9c", "#999999"};
    /* devices last, so that dot draws them below what they hang on */
    int swap = machine->node[hop->a].kind == WEIR_NODE_DEVICE;
    fputs("    \"", out);
    put_quoted(out, machine->node[swap ? hop->b : hop->a].label);
    fputs("\" -- \"", out);
    put_quoted(out, machine->node[swap ? hop->a : hop->b].label);
    fprintf(out, "\" [label=\"%s", names[hop->kind]);
    if (hop->generation)
        fprintf(out, "%u", hop->generation);
    if (hop->count)
        fprintf(out, " x%u", hop->count);
    fprintf(out, " %.4g GB/s\", color=\"%s\"];\n", hop->bandwidth_gbs, colours[hop->kind]);
}

static void put_graph(FILE *out, const weir_machine *machine)
{
    fputs("graph \"", out);
    put_quoted(out, machine->name);
    fputs("\" {\n    node [fontname=\"sans-serif\"];\n    edge [fontname=\"sans-serif\", "
          "fontsize=10];\n",
          out);
    for (uint32_t i = 0; i < machine->nodes; i++)
        put_node(out, &machine->node[i]);
    for (uint32_t h = 0; h < machine->hops; h++)
        put_hop(out, machine, &machine->hop[h]);
    fputs("}\n", out);
}

weir_status weir_machine_dot(const weir_machine *machine, char **text_out)
{
    return weir__machine_text(machine, put_graph, text_out);
}
