/** @file test_machine.c  The machines that ship with weir, what opens as one, and the graph. */
#include "tests/topology/machine_fixture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static double gbs(const weir_machine *machine, uint32_t from, uint32_t to)
{
    weir_cost cost;
    OK(weir_machine_cost(machine, from, to, &cost));
    return cost.bandwidth_gbs;
}

static double latency(const weir_machine *machine, uint32_t from, uint32_t to)
{
    weir_cost cost;
    OK(weir_machine_cost(machine, from, to, &cost));
    return cost.latency_us;
}

/* ---- shipped machines ------------------------------------------------------------------------ */

static void shipped_names_open(void **state)
{
    (void)state;
    const char *const *names, *const *texts;
    size_t count = weir_machine_shipped(&names, &texts);
    assert_int_equal(count, weir_machine_shipped(NULL, NULL));
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        weir_machine *machine = open_machine(names[i]);
        char source[64];
        assert_string_equal(weir_machine_name(machine), names[i]);
        snprintf(source, sizeof source, "shipped %s", names[i]);
        assert_string_equal(machine->source, source);
        assert_true(strlen(texts[i]) > 20);
        weir_machine_destroy(machine);
    }
}

/* Groute, section 2: quadruplets access each other's memory, GPUs 4 and 5 (3 and 4 here) do not. */
static void m60_quadruplets(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("m60");
    assert_int_equal(weir_machine_device_count(machine), 8);
    assert_int_equal(weir_machine_host_count(machine), 2);
    for (uint32_t from = 0; from < 8; from++) {
        assert_int_equal(weir_machine_node(machine, from)->units, 16);
        assert_int_equal(weir_machine_node(machine, from)->copy_engines, 2);
        for (uint32_t to = 0; to < 8; to++) {
            weir_cost cost;
            OK(weir_machine_cost(machine, from, to, &cost));
            assert_int_equal(weir_machine_pair(machine, from, to)->reaches, from / 4 == to / 4);
            assert_int_equal(cost.staged, from / 4 != to / 4);
        }
    }
    for (uint32_t host = 8; host < 10; host++)
        assert_int_equal(weir_machine_node(machine, host)->units, 8);
    weir_machine_destroy(machine);
}

/* Figure 2(a): same board, then CPU and GPU, then different boards. */
static void m60_order_of_distances(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("m60");
    const uint32_t home = 8;
    assert_true(gbs(machine, 0, 1) > gbs(machine, 0, home));
    assert_true(gbs(machine, 0, home) > gbs(machine, 0, 2));
    assert_true(latency(machine, 0, 1) < latency(machine, 0, home));
    assert_true(latency(machine, 0, home) < latency(machine, 0, 2));
    assert_true(latency(machine, 0, 2) < latency(machine, 0, 4));
    for (uint32_t d = 0; d < 8; d++) { /* "each CPU ... with all GPUs at the same rate" */
        assert_same(gbs(machine, d, home), gbs(machine, 0, home));
        assert_same(latency(machine, d, home), latency(machine, 0, home));
    }
    weir_machine_destroy(machine);
}

static uint32_t nvlinks(const weir_machine *machine, uint32_t a, uint32_t b)
{
    uint32_t count = 0;
    for (uint32_t h = 0; h < weir_machine_hop_count(machine); h++) {
        const weir_hop *hop = weir_machine_hop(machine, h);
        if (hop->kind == WEIR_HOP_NVLINK &&
            ((hop->a == a && hop->b == b) || (hop->a == b && hop->b == a)))
            count += hop->count;
    }
    return count;
}

/* "nvidia-smi topo -m" of a DGX-1V; GUM numbers its GPUs 4 to 7 in another order. */
static void dgx1v_is_the_real_one(void **state)
{
    (void)state;
    static const uint8_t gums[8] = {0, 1, 2, 3, 6, 7, 4, 5};
    static const char smi[8][9] = {"01122000", "10210200", "12020010", "21200001",
                                   "20000112", "02001021", "00101202", "00012120"};
    weir_machine *machine = open_machine("dgx1v");
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < 8; b++)
            assert_int_equal(nvlinks(machine, gums[a], gums[b]), smi[a][b] - '0');
    weir_machine_destroy(machine);
}

/* GUM, sections I and IV-A, in its own numbers. */
static void dgx1v_as_gum_tells(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("dgx1v");
    for (uint32_t a = 0; a < 8; a++) {
        uint32_t links = 0;
        for (uint32_t b = 0; b < 8; b++) {
            uint32_t joined = nvlinks(machine, a, b);
            links += joined;
            assert_int_equal(weir_machine_pair(machine, a, b)->reaches, joined || a == b);
            assert_int_equal(weir_machine_pair(machine, a, b)->atomics, joined || a == b);
            if (joined)
                assert_same(gbs(machine, a, b), 25.0 * joined);
        }
        assert_int_equal(links, 6);
        int between = nvlinks(machine, 0, a) && nvlinks(machine, a, 7);
        assert_int_equal(between, a == 1 || a == 6);
    }
    assert_int_equal(nvlinks(machine, 2, 3), nvlinks(machine, 4, 5));
    assert_true(gbs(machine, 0, 3) > gbs(machine, 0, 7));
    weir_machine_destroy(machine);
}

/* The figures of an H200 node: 397 GB/s between any two, 55 to the host, 1.3 and 1.7 us. */
static void nvswitch8_has_measured_figures(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("nvswitch8");
    assert_int_equal(weir_machine_device_count(machine), 8);
    for (uint32_t a = 0; a < 8; a++) {
        assert_string_equal(weir_machine_node(machine, a)->name, "NVIDIA H200");
        assert_int_equal(weir_machine_node(machine, a)->units, 132);
        assert_same(weir_machine_node(machine, a)->memory_gbs, 3970);
        for (uint32_t b = 0; b < 8; b++) {
            assert_true(weir_machine_pair(machine, a, b)->reaches);
            assert_true(weir_machine_pair(machine, a, b)->atomics);
            if (a != b) {
                assert_float_equal(gbs(machine, a, b), 397, 1e-3);
                assert_float_equal(latency(machine, a, b), 1.3, 1e-6);
            }
        }
    }
    assert_float_equal(gbs(machine, 0, 8), 55, 1e-3);
    assert_float_equal(latency(machine, 0, 8), 1.7, 1e-6);
    weir_machine_destroy(machine);
}

static void hetero2_differs(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("hetero2");
    assert_int_equal(weir_machine_device_count(machine), 2);
    assert_int_equal(weir_machine_host_count(machine), 1);
    assert_int_equal(weir_machine_node(machine, 0)->units, 13);
    assert_int_equal(weir_machine_node(machine, 1)->units, 15);
    assert_string_equal(weir_machine_node(machine, 0)->name, "Quadro M4000");
    assert_string_equal(weir_machine_node(machine, 1)->name, "Tesla K40c");
    assert_int_equal(weir_machine_node(machine, 2)->units, 6);
    weir_machine_destroy(machine);
}

static void nopeer_box_reaches_nobody(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("pcie4-nopeer");
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++) {
            weir_cost cost;
            OK(weir_machine_cost(machine, a, b, &cost));
            assert_int_equal(weir_machine_pair(machine, a, b)->reaches, a == b);
            assert_int_equal(cost.staged, a != b);
        }
    weir_machine_destroy(machine);
}

/* ---- what opens ------------------------------------------------------------------------------ */

static void refuse(const char *text, weir_status status, const char *sentence)
{
    weir_machine *machine = (weir_machine *)&machine;
    STATUS(weir_machine_open(text, &machine), status);
    assert_null(machine);
    assert_detail(sentence);
}

static void neither_file_nor_spec(void **state)
{
    (void)state;
    refuse("", WEIR_ERR_INVALID, "no machine is named");
    refuse(NULL, WEIR_ERR_INVALID, "no machine is named");
    refuse("m61", WEIR_ERR_INVALID,
           "machine 'm61': no file, no shipped machine (there are m60, dgx1v, nvswitch8, hetero2, "
           "pcie4-nopeer), and no spec, which begins with a number, such as 8*nvswitch");
}

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    refuse("/dev", WEIR_ERR_IO, "/dev: is a directory");
    refuse("./m60", WEIR_ERR_IO, "./m60: No such file or directory");
    refuse("8.json", WEIR_ERR_IO, "8.json: No such file or directory");
    refuse("/dev/null", WEIR_ERR_FORMAT, "/dev/null: empty");
    refuse("/dev/zero", WEIR_ERR_FORMAT, "/dev/zero: more than 4 MiB is no machine");
}

/* An empty file of this test's own. */
static const char *new_path(char path[40])
{
    strcpy(path, "/tmp/weir-machine-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return path;
}

static void file_too_large(void **state)
{
    (void)state;
    char path[40], sentence[100];
    new_path(path);
    assert_int_equal(truncate(path, (off_t)1 << 40), 0);
    snprintf(sentence, sizeof sentence, "%s: more than 4 MiB is no machine", path);
    refuse(path, WEIR_ERR_FORMAT, sentence);
    unlink(path);
}

static void file_without_permission(void **state)
{
    (void)state;
    char path[40], sentence[100];
    uid_t user = geteuid();
    new_path(path);
    assert_int_equal(chmod(path, 0), 0);
    if (user == 0 && seteuid(65534) != 0) { /* root reads everything */
        unlink(path);
        skip();
    }
    snprintf(sentence, sizeof sentence, "%s: Permission denied", path);
    weir_machine *machine = NULL;
    weir_status status = weir_machine_open(path, &machine);
    assert_int_equal(seteuid(user), 0);
    unlink(path);
    assert_int_equal(status, WEIR_ERR_IO);
    assert_null(machine);
    assert_detail(sentence);
}

/* A file and a pipe give the machine that was written; what exists is a file, whatever its name. */
static void files_and_pipes_open(void **state)
{
    (void)state;
    char path[40], name[40], source[64];
    int ends[2];
    weir_machine *machine = open_machine("hetero2"), *again, *piped;
    char *text = json_of(machine);
    FILE *file = fopen(new_path(path), "w");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
    again = open_machine(path);
    assert_machines_equal(machine, again);
    snprintf(source, sizeof source, "file %s", path);
    assert_string_equal(again->source, source);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    piped = open_machine(name);
    assert_machines_equal(machine, piped);
    close(ends[0]);
    unlink(path);
    free(text);
    weir_machine_destroy(machine);
    weir_machine_destroy(again);
    weir_machine_destroy(piped);
}

/* ---- the object ------------------------------------------------------------------------------ */

static void out_of_range_is_null(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("hetero2");
    weir_cost cost;
    assert_null(weir_machine_node(machine, 3));
    assert_null(weir_machine_hop(machine, 2));
    assert_non_null(weir_machine_pair(machine, 2, 0));
    assert_null(weir_machine_pair(machine, 3, 0));
    assert_null(weir_machine_pair(machine, 0, 3));
    STATUS(weir_machine_cost(machine, 0, 3, &cost), WEIR_ERR_INVALID);
    assert_null(weir_hop_kind_text((weir_hop_kind)4));
    assert_null(weir_hop_kind_text((weir_hop_kind)-1));
    weir_machine_destroy(machine);
    weir_machine_destroy(NULL);
}

static void copies_are_equal(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("m60"), *copy;
    OK(weir__machine_copy(machine, &copy));
    assert_machines_equal(machine, copy);
    assert_string_equal(machine->source, copy->source);
    weir_machine_destroy(machine);
    assert_int_equal(weir_machine_device_count(copy), 8); /* nothing shared */
    weir_machine_destroy(copy);
}

static void making_checks_its_limits(void **state)
{
    (void)state;
    weir_machine *machine;
    STATUS(weir__machine_create("m", "gpu", 65, 1, 0, &machine), WEIR_ERR_INVALID);
    STATUS(weir__machine_create("m", "gpu", 1, 0, 0, &machine), WEIR_ERR_INVALID);
    STATUS(weir__machine_create("m", "gpu", 0, 1, 0, &machine), WEIR_ERR_INVALID);
    STATUS(weir__machine_create("m", "gpu", 1, 1, UINT32_MAX, &machine), WEIR_ERR_INVALID);
    assert_null(machine);
    OK(weir__machine_create("m", "gpu", 64, 1, 191, &machine));
    STATUS(weir__machine_add_hop(machine, (weir_hop){.a = 3, .b = 3}), WEIR_ERR_INVALID);
    STATUS(weir__machine_add_hop(machine, (weir_hop){.a = 3, .b = 256}), WEIR_ERR_INVALID);
    for (uint32_t h = 0; h < WEIR_MACHINE_HOPS_MAX; h++)
        OK(weir__machine_add_hop(machine, (weir_hop){.a = 255, .b = h % 255}));
    assert_int_equal(weir_machine_hop(machine, 1)->a, 1);
    assert_int_equal(weir_machine_hop(machine, 1)->b, 255);
    STATUS(weir__machine_add_hop(machine, (weir_hop){.a = 0, .b = 1}), WEIR_ERR_INVALID);
    weir_machine_destroy(machine);
}

/* ---- the graph ------------------------------------------------------------------------------- */

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void dot_draws_every_node_and_hop(void **state)
{
    (void)state;
    const char *const *names;
    size_t count = weir_machine_shipped(&names, NULL);
    for (size_t i = 0; i < count; i++) {
        weir_machine *machine = open_machine(names[i]);
        char *text = NULL;
        OK(weir_machine_dot(machine, &text));
        assert_int_equal(strncmp(text, "graph \"", 7), 0);
        assert_string_equal(text + strlen(text) - 2, "}\n");
        assert_int_equal(count_of(text, "shape=box,"), weir_machine_device_count(machine));
        assert_int_equal(count_of(text, "shape=box3d,"), weir_machine_host_count(machine));
        assert_int_equal(count_of(text, "shape="), weir_machine_node_count(machine));
        assert_int_equal(count_of(text, " -- "), weir_machine_hop_count(machine));
        free(text);
        weir_machine_destroy(machine);
    }
}

static void dot_labels_and_quotes(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("nvswitch8");
    char *text = NULL;
    strcpy(machine->node[0].name, "a \"b\\c\"\n");
    OK(weir_machine_dot(machine, &text));
    assert_non_null(strstr(text, "\"switch0\" -- \"gpu0\" [label=\"NVLink4 x18 397 GB/s\""));
    assert_non_null(strstr(text, "\"numa0\" -- \"gpu0\" [label=\"PCIe5 x16 55 GB/s\""));
    assert_non_null(strstr(text, "\"numa0\" -- \"numa1\" [label=\"socket x2 32 GB/s\""));
    assert_non_null(strstr(text, "gpu0\\na \\\"b\\\\c\\\"?\\n132 units\""));
    free(text);
    weir_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_names_open),
        cmocka_unit_test(m60_quadruplets),
        cmocka_unit_test(m60_order_of_distances),
        cmocka_unit_test(dgx1v_is_the_real_one),
        cmocka_unit_test(dgx1v_as_gum_tells),
        cmocka_unit_test(nvswitch8_has_measured_figures),
        cmocka_unit_test(hetero2_differs),
        cmocka_unit_test(nopeer_box_reaches_nobody),
        cmocka_unit_test(neither_file_nor_spec),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(file_too_large),
        cmocka_unit_test(file_without_permission),
        cmocka_unit_test(files_and_pipes_open),
        cmocka_unit_test(out_of_range_is_null),
        cmocka_unit_test(copies_are_equal),
        cmocka_unit_test(making_checks_its_limits),
        cmocka_unit_test(dot_draws_every_node_and_hop),
        cmocka_unit_test(dot_labels_and_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
