/** @file topo_routes.c  What routes over a machine would be, for people: each kind of plan with its
 *  estimate, and in which order devices would leave. */
#include "algorithms/cli/result.h"

#include <string.h>

enum { PAGE = 100, INDENT = 12 };

/* Print words one after another, with a new line where a page is full. */
struct words {
    FILE *file;
    int column;
};

static void put_word(struct words *words, const char *word)
{
    int length = (int)strlen(word);
    if (words->column + 1 + length > PAGE) {
        fprintf(words->file, "\n%*s", INDENT, "");
        words->column = INDENT;
    }
    fprintf(words->file, " %s", word);
    words->column += 1 + length;
}

static const char *label(const weir_machine *machine, uint32_t device)
{
    return weir_machine_node(machine, device)->label;
}

/* ---- details of a plan ---- */

/* The bandwidth of the slowest transfer when every device sends to the next at the same time. */
static weir_status smallest_share(const weir_machine *machine, const weir_route_plan *plan,
                                  double *gbs_out)
{
    weir_flow flows[WEIR_DEVICES_MAX];
    double least = 0;
    for (uint32_t i = 0; i < plan->devices; i++)
        flows[i] = (weir_flow){plan->order[i], plan->order[(i + 1) % plan->devices], 0};
    weir_status status = weir_machine_share(machine, flows, plan->devices);
    for (uint32_t i = 0; i < plan->devices; i++)
        least = i == 0 || flows[i].gbs < least ? flows[i].gbs : least;
    *gbs_out = least;
    return status;
}

static weir_status print_ring(const weir_machine *machine, const weir_route_plan *plan, FILE *file)
{
    char room[FIGURE_ROOM];
    struct words words = {file, INDENT + 5};
    double share;
    weir_status status = smallest_share(machine, plan, &share);
    fprintf(file, "%*sorder", INDENT, "");
    for (uint32_t i = 0; i < plan->devices; i++)
        put_word(&words, label(machine, plan->order[i]));
    fprintf(file, "\n%*sat least %s GB/s where all send to the next one at once\n", INDENT, "",
            weir__cli_figure(share, room));
    return status;
}

static int has_children(const weir_route_plan *plan, uint32_t device)
{
    for (uint32_t i = 0; i < plan->devices; i++)
        if (plan->parent[i] == device && i != device)
            return 1;
    return 0;
}

/* "gpu0( gpu1 gpu2( gpu3))": those under a device stand in parentheses behind it.
 * @param[in] closing  parentheses that end behind this one. */
static void put_subtree(struct words *words, const weir_machine *machine,
                        const weir_route_plan *plan, uint32_t device, int closing)
{
    char word[32 + WEIR_DEVICES_MAX] = "";
    uint32_t last = device;
    if (has_children(plan, device)) {
        snprintf(word, sizeof word, "%s(", label(machine, device));
    } else {
        int length = snprintf(word, sizeof word, "%s", label(machine, device));
        memset(word + length, ')', (size_t)closing);
    }
    put_word(words, word);
    for (uint32_t i = 0; i < plan->devices; i++)
        last = plan->parent[i] == device && i != device ? i : last;
    for (uint32_t i = 0; i < plan->devices; i++)
        if (plan->parent[i] == device && i != device)
            put_subtree(words, machine, plan, i, i == last ? closing + 1 : 0);
}

static void print_tree(const weir_machine *machine, const weir_route_plan *plan, FILE *file)
{
    struct words words = {file, INDENT + 4};
    fprintf(file, "%*sfrom", INDENT, "");
    for (uint32_t i = 0; i < plan->devices; i++)
        if (plan->parent[i] == i)
            put_subtree(&words, machine, plan, i, 0);
    fputc('\n', file);
}

static int print_plan(const weir_machine *machine, weir_route_kind kind, FILE *file)
{
    weir_route_plan plan;
    char room[FIGURE_ROOM], why[WHY_ROOM];
    weir_status status = weir_route_plan_make(machine, kind, &plan);
    if (status)
        return weir__cli_fail_status(status);
    if (kind == WEIR_ROUTE_AUTO) {
        fprintf(file, "  auto      %s\n", weir__cli_route_why(&plan, why, sizeof why));
        return EXIT_DONE;
    }
    fprintf(file, "  %-8s  %s us\n", weir_route_kind_text(plan.kind),
            weir__cli_figure(plan.exchange_us, room));
    if (plan.kind == WEIR_ROUTE_RING)
        status = print_ring(machine, &plan, file);
    if (plan.kind == WEIR_ROUTE_TREE)
        print_tree(machine, &plan, file);
    return status ? weir__cli_fail_status(status) : EXIT_DONE;
}

/* Show one kind alone. Behind auto stands the plan that it picks. */
static int print_one(const weir_machine *machine, weir_route_kind kind, FILE *file)
{
    weir_route_plan plan;
    weir_status status = weir_route_plan_make(machine, kind, &plan);
    if (status)
        return weir__cli_fail_status(status);
    if (kind == WEIR_ROUTE_AUTO && print_plan(machine, kind, file))
        return EXIT_RUN;
    return print_plan(machine, plan.kind, file);
}

static int print_all(const weir_machine *machine, FILE *file)
{
    int code = EXIT_DONE;
    for (int kind = WEIR_ROUTE_AUTO; kind <= WEIR_ROUTE_STAGED && !code; kind++)
        code = print_plan(machine, (weir_route_kind)kind, file);
    return code;
}

/* ---- fewer devices ---- */

static int print_reduction(const weir_machine *machine, FILE *file)
{
    weir_reduction reduction;
    char kept[FIGURE_ROOM];
    weir_status status = weir_reduction_make(machine, &reduction);
    if (status)
        return weir__cli_fail_status(status);
    fprintf(file,
            "\nfewer devices, those that stay having the most bandwidth between them (GB/s, "
            "both directions)%s\n",
            weir__cli_any_staged(machine) ? " (staged pairs count half)" : "");
    fprintf(file, "  %7s  %-8s  %-8s  %10s\n", "devices", "leaves", "to", "GB/s left");
    for (uint32_t i = 0; i + 1 < reduction.devices; i++) {
        uint32_t left = reduction.devices - 1 - i;
        fprintf(file, "  %7u  %-8s  %-8s  %10s\n", left, label(machine, reduction.leaves[i]),
                label(machine, reduction.taker[reduction.leaves[i]]),
                left > 1 ? weir__cli_figure(reduction.kept_gbs[left], kept) : "-");
    }
    return EXIT_DONE;
}

int weir__cli_topo_routes(const weir_machine *machine, int plan, FILE *file)
{
    uint32_t devices = weir_machine_device_count(machine);
    int code;
    if (devices < 2) {
        fprintf(file, "\nroutes: none, there %s\n", devices ? "is one device" : "are no devices");
        return EXIT_DONE;
    }
    fprintf(file, "\nroutes (estimated time in which every device sends 1 MiB to every other)\n");
    if (plan >= 0)
        return print_one(machine, (weir_route_kind)plan, file);
    code = print_all(machine, file);
    return code ? code : print_reduction(machine, file);
}
