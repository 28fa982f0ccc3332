/** @file test_golden.c  A recorded machine in, costs and routes out, compared with golden/NAME.txt
 * to the letter. What must be true of a machine whatever the files say stands here as assertions.
 *
 * After a change that is meant: WEIR_GOLDEN=write build/tests/topology/test_golden, from the
 * root of the repository; then read the difference. */
#include "tests/lib/support.h"

#include "topology/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/topology/golden/"

struct subject {
    const char *name, *machine;
    uint32_t keep; /* its first devices; 0: all */
};
static const struct subject subjects[] = {
    {"m60", "m60", 0},
    {"dgx1v", "dgx1v", 0},
    {"dgx1v-7", "dgx1v", 7},
    {"dgx1v-5", "dgx1v", 5},
    {"nvswitch8", "nvswitch8", 0},
    {"nvswitch3", "3*nvswitch", 0},
    {"nvswitch5", "5*nvswitch", 0},
    {"nvswitch7", "7*nvswitch", 0},
    {"hetero2", "hetero2", 0},
    {"pcie4-nopeer", "pcie4-nopeer", 0},
    {"pcie-tree", "2x4*pcie-tree", 0},
    {"h200x2", FOLDER "h200x2.json", 0}, /* measured, docs/benchmarks.md */
};
#define SUBJECTS (sizeof subjects / sizeof *subjects)

/* ---- machines ------------------------------------------------------------------------------- */

static uint32_t kept_number(const weir_machine *whole, uint32_t count, uint32_t node)
{
    return node < whole->devices ? node : node - whole->devices + count;
}

/* The machine as a program sees it that was given only the first devices. */
static weir_machine *first_devices(const weir_machine *whole, uint32_t count)
{
    weir_machine *machine;
    uint32_t gone = whole->devices - count;
    OK(weir__machine_create(whole->name, "gpu", count, whole->hosts,
                            whole->nodes - whole->devices - whole->hosts, &machine));
    for (uint32_t n = 0; n < whole->nodes; n++)
        if (n < count || n >= whole->devices)
            machine->node[kept_number(whole, count, n)] = whole->node[n];
    for (uint32_t h = 0; h < whole->hops; h++) {
        weir_hop hop = whole->hop[h];
        if ((hop.a >= count && hop.a < whole->devices) ||
            (hop.b >= count && hop.b < whole->devices))
            continue;
        hop.a = kept_number(whole, count, hop.a);
        hop.b = kept_number(whole, count, hop.b);
        OK(weir__machine_add_hop(machine, hop));
    }
    for (uint32_t a = 0; a <= count; a++)
        for (uint32_t b = 0; b <= count; b++)
            *weir__machine_pair(machine, a, b) =
                *weir_machine_pair(whole, a == count ? a + gone : a, b == count ? b + gone : b);
    machine->overheads = whole->overheads;
    OK(weir__machine_finish(machine));
    return machine;
}

static weir_machine *open_subject(const char *name)
{
    const struct subject *subject = subjects;
    weir_machine *machine, *kept;
    while (strcmp(subject->name, name) != 0)
        subject++;
    OK(weir_machine_open(subject->machine, &machine));
    if (!subject->keep)
        return machine;
    kept = first_devices(machine, subject->keep);
    weir_machine_destroy(machine);
    return kept;
}

/* ---- the text ------------------------------------------------------------------------------- */

static const char *label(const weir_machine *machine, uint32_t device)
{
    return device < machine->devices ? machine->node[device].label : "home";
}

static weir_cost cost(const weir_machine *machine, uint32_t from, uint32_t to)
{
    weir_cost found;
    OK(weir_machine_cost(machine, from, to, &found));
    return found;
}

static void write_costs(FILE *file, const weir_machine *machine)
{
    fprintf(file, "GB/s, microseconds, hops (*: staged), from row to column\n%-6s", "");
    for (uint32_t to = 0; to <= machine->devices; to++)
        fprintf(file, " %16s", label(machine, to));
    for (uint32_t from = 0; from <= machine->devices; from++) {
        fprintf(file, "\n%-6s", label(machine, from));
        for (uint32_t to = 0; to <= machine->devices; to++) {
            weir_cost found = cost(machine, from, to);
            fprintf(file, " %7.1f %5.2f %u%s", found.bandwidth_gbs, found.latency_us,
                    found.hop_count, found.staged ? "*" : " ");
        }
    }
    fprintf(file, "\n");
}

/* The shares of all devices that send to the next one at once. */
static double ring_shares(const weir_machine *machine, const weir_route_plan *plan, double *sum_out)
{
    weir_flow flows[WEIR_DEVICES_MAX];
    uint32_t n = plan->devices;
    double least = 1e9;
    for (uint32_t i = 0; i < n; i++)
        flows[i] = (weir_flow){plan->order[i], plan->order[(i + 1) % n], 0};
    OK(weir_machine_share(machine, flows, n));
    *sum_out = 0;
    for (uint32_t i = 0; i < n; i++) {
        least = flows[i].gbs < least ? flows[i].gbs : least;
        *sum_out += flows[i].gbs;
    }
    return least;
}

static void write_plans(FILE *file, const weir_machine *machine)
{
    weir_route_plan plan;
    double sum;
    OK(weir_route_plan_make(machine, WEIR_ROUTE_RING, &plan));
    fprintf(file, "ring  ");
    for (uint32_t i = 0; i < plan.devices; i++)
        fprintf(file, " %u", plan.order[i]);
    fprintf(file, "\n       smallest share %.1f GB/s", ring_shares(machine, &plan, &sum));
    fprintf(file, ", sum %.1f GB/s\n", sum);
    OK(weir_route_plan_make(machine, WEIR_ROUTE_TREE, &plan));
    fprintf(file, "tree   parents");
    for (uint32_t d = 0; d < plan.devices; d++)
        fprintf(file, " %u", plan.parent[d]);
    fprintf(file, "\nexchange, us:");
    for (weir_route_kind kind = WEIR_ROUTE_DIRECT; kind <= WEIR_ROUTE_STAGED; kind++) {
        OK(weir_route_plan_make(machine, kind, &plan));
        fprintf(file, " %s %.1f", weir_route_kind_text(kind), plan.exchange_us);
    }
    OK(weir_route_plan_make(machine, WEIR_ROUTE_AUTO, &plan));
    fprintf(file, "\nauto   %s\n       %s\n", weir_route_kind_text(plan.kind), plan.why);
}

static void write_reduction(FILE *file, const weir_machine *machine)
{
    weir_reduction reduction;
    OK(weir_reduction_make(machine, &reduction));
    for (uint32_t m = machine->devices; m > 1; m--) {
        uint32_t leaver = reduction.leaves[machine->devices - m];
        fprintf(file, "keep %u %8.1f GB/s; then %u leaves, %u takes over\n", m,
                reduction.kept_gbs[m], leaver, reduction.taker[leaver]);
    }
}

static char *describe(const struct subject *subject)
{
    char *text;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    weir_machine *machine = open_subject(subject->name);
    assert_non_null(file);
    fprintf(file, "%s: %u devices\n", subject->name, machine->devices);
    write_costs(file, machine);
    write_plans(file, machine);
    write_reduction(file, machine);
    weir_machine_destroy(machine);
    assert_int_equal(fclose(file), 0);
    return text;
}

static char *read_golden(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read; tests run from the root of the repository", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void write_golden(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file))
        fail_msg("%s cannot be written", path);
}

static void routes_are_the_recorded_ones(void **state)
{
    const char *mode = getenv("WEIR_GOLDEN");
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        char path[100], *text = describe(&subjects[i]);
        snprintf(path, sizeof path, FOLDER "%s.txt", subjects[i].name);
        if (mode && strcmp(mode, "write") == 0)
            write_golden(path, text);
        else
            assert_string_equal(text, read_golden(path));
        free(text);
    }
}

static void the_same_machine_gives_the_same_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUBJECTS; i++) {
        char *once = describe(&subjects[i]), *again = describe(&subjects[i]);
        assert_string_equal(once, again);
        free(once);
        free(again);
    }
}

/* ---- what must be true ---------------------------------------------------------------------- */

static weir_route_plan plan_of(const char *name, weir_route_kind kind)
{
    weir_machine *machine = open_subject(name);
    weir_route_plan plan;
    OK(weir_route_plan_make(machine, kind, &plan));
    weir_machine_destroy(machine);
    return plan;
}

static uint32_t nvlinks(const weir_machine *machine, uint32_t a, uint32_t b)
{
    for (uint32_t h = 0; h < machine->hops; h++)
        if (machine->hop[h].kind == WEIR_HOP_NVLINK && machine->hop[h].a == (a < b ? a : b) &&
            machine->hop[h].b == (a < b ? b : a))
            return machine->hop[h].count;
    return 0;
}

static void the_ring_of_a_dgx1v_takes_double_links_only(void **state)
{
    weir_machine *machine = open_subject("dgx1v");
    weir_route_plan plan = plan_of("dgx1v", WEIR_ROUTE_RING);
    double sum;
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(nvlinks(machine, plan.order[i], plan.order[(i + 1) % 8]), 2);
    assert_true(ring_shares(machine, &plan, &sum) > 2 * 22);
    weir_machine_destroy(machine);
}

/* GPU 7 had the double links 1-7 and 4-7: without it 1 and 4 have one double link each, and so
 * two of a ring's seven links are single. */
static void the_ring_of_seven_of_a_dgx1v_takes_five_double_links(void **state)
{
    weir_machine *machine = open_subject("dgx1v-7");
    weir_route_plan plan = plan_of("dgx1v-7", WEIR_ROUTE_RING);
    uint32_t links[3] = {0};
    (void)state;
    for (uint32_t d = 0; d < 7; d++)
        links[nvlinks(machine, plan.order[d], plan.order[(d + 1) % 7])]++;
    assert_int_equal(links[0], 0);
    assert_int_equal(links[2], 5);
    weir_machine_destroy(machine);
}

/* GPU 4 reaches only GPU 2 of 0 to 4: one staged step cannot be avoided, two can. */
static void the_ring_of_five_of_a_dgx1v_has_one_staged_step(void **state)
{
    weir_machine *machine = open_subject("dgx1v-5");
    weir_route_plan plan = plan_of("dgx1v-5", WEIR_ROUTE_RING);
    int staged = 0;
    (void)state;
    for (uint32_t d = 0; d < 5; d++)
        staged += cost(machine, plan.order[d], plan.order[(d + 1) % 5]).staged;
    assert_int_equal(staged, 1);
    weir_machine_destroy(machine);
}

static uint32_t half(uint32_t device)
{
    return device / 4;
}

static void the_rings_of_pcie_trees_cross_between_halves_twice(void **state)
{
    static const char *const names[] = {"m60", "pcie-tree"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        weir_route_plan plan = plan_of(names[i], WEIR_ROUTE_RING);
        uint32_t crossings = 0, boards = 0;
        for (uint32_t d = 0; d < 8; d++) {
            uint32_t from = plan.order[d], to = plan.order[(d + 1) % 8];
            crossings += half(from) != half(to);
            boards += from / 2 == to / 2;
        }
        assert_int_equal(crossings, 2);
        assert_int_equal(boards, 4); /* each board's two devices are neighbours */
    }
}

static void where_all_are_alike_the_ring_is_in_order(void **state)
{
    static const char *const names[] = {"nvswitch3", "nvswitch5", "nvswitch7", "nvswitch8"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        weir_route_plan plan = plan_of(names[i], WEIR_ROUTE_RING);
        for (uint32_t d = 0; d < plan.devices; d++)
            assert_int_equal(plan.order[d], d);
    }
}

static void auto_is_direct_on_a_switch_and_staged_without_peers(void **state)
{
    (void)state;
    assert_int_equal(plan_of("nvswitch8", WEIR_ROUTE_AUTO).kind, WEIR_ROUTE_DIRECT);
    assert_int_equal(plan_of("nvswitch3", WEIR_ROUTE_AUTO).kind, WEIR_ROUTE_DIRECT);
    assert_int_equal(plan_of("pcie4-nopeer", WEIR_ROUTE_AUTO).kind, WEIR_ROUTE_STAGED);
    assert_string_equal(plan_of("pcie4-nopeer", WEIR_ROUTE_AUTO).why,
                        "no pair reaches another: staged");
}

/* GPUs 0 and 3 have two NVLinks, 0 and 7 none (GUM's own example); and each step down keeps as many
 * links as it can. */
static void the_last_of_a_dgx1v_are_joined_by_two_links(void **state)
{
    weir_machine *machine = open_subject("dgx1v");
    weir_reduction reduction;
    (void)state;
    OK(weir_reduction_make(machine, &reduction));
    assert_int_equal(nvlinks(machine, reduction.leaves[6], reduction.leaves[7]), 2);
    for (uint32_t i = 0; i < 7; i++)
        assert_true(nvlinks(machine, reduction.leaves[i], reduction.taker[reduction.leaves[i]]) >
                    0);
    weir_machine_destroy(machine);
}

static void the_tree_of_a_dgx1v_takes_double_links_only(void **state)
{
    weir_machine *machine = open_subject("dgx1v");
    weir_route_plan plan = plan_of("dgx1v", WEIR_ROUTE_TREE);
    (void)state;
    for (uint32_t d = 0; d < 8; d++)
        assert_true(plan.parent[d] == d || nvlinks(machine, d, plan.parent[d]) == 2);
    weir_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_are_the_recorded_ones),
        cmocka_unit_test(the_same_machine_gives_the_same_text),
        cmocka_unit_test(the_ring_of_a_dgx1v_takes_double_links_only),
        cmocka_unit_test(the_ring_of_seven_of_a_dgx1v_takes_five_double_links),
        cmocka_unit_test(the_ring_of_five_of_a_dgx1v_has_one_staged_step),
        cmocka_unit_test(the_rings_of_pcie_trees_cross_between_halves_twice),
        cmocka_unit_test(where_all_are_alike_the_ring_is_in_order),
        cmocka_unit_test(auto_is_direct_on_a_switch_and_staged_without_peers),
        cmocka_unit_test(the_last_of_a_dgx1v_are_joined_by_two_links),
        cmocka_unit_test(the_tree_of_a_dgx1v_takes_double_links_only),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
