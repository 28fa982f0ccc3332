/** @file test_machine_json.c  Machines as files: they come back equal, and broken ones are refused
 *  with file, line and cause. */
#include "tests/topology/machine_fixture.h"

#include <stdio.h>

#define DATA "tests/topology/data/"

/* What is written must be read to the same machine, and written again to the same text. */
static void assert_round_trip(const weir_machine *machine)
{
    weir_machine *again = NULL;
    char *text = json_of(machine), *text_again;
    OK(weir__machine_from_json("text", text, strlen(text), &again));
    assert_machines_equal(machine, again);
    text_again = json_of(again);
    assert_string_equal(text, text_again);
    free(text);
    free(text_again);
    weir_machine_destroy(again);
}

static void shipped_come_back_equal(void **state)
{
    (void)state;
    const char *const *names;
    size_t count = weir_machine_shipped(&names, NULL);
    for (size_t i = 0; i < count; i++) {
        weir_machine *machine = open_machine(names[i]);
        assert_round_trip(machine);
        weir_machine_destroy(machine);
    }
}

static void specs_come_back_equal(void **state)
{
    (void)state;
    static const char *const specs[] = {"1*host", "64x1*nvlink", "64x1*pcie-tree", "3*pcie,nopeer",
                                        "2x4*nvswitch,hetero,gbs:0.001"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        weir_machine *machine = open_machine(specs[i]);
        assert_round_trip(machine);
        weir_machine_destroy(machine);
    }
}

/* Figures without a short form, the largest numbers, text that needs escapes. */
static void odd_values_come_back_equal(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("2*nvlink");
    strcpy(machine->name, "a \"b\" \\ \n \x01 \xc3\xa4");
    strcpy(machine->node[1].name, "]},{\"hops\":[");
    strcpy(machine->node[0].bus, "0000:1b:00.0");
    machine->node[0].units = machine->node[0].copy_engines = UINT32_MAX;
    machine->node[0].memory_bytes = INT64_MAX;
    machine->node[1].arc_ns = 0.1;
    machine->node[1].entry_ns = 1.0 / 7;
    machine->node[0].find_ns = 1e6;
    machine->hop[0].latency_us = 1.0 / 3;
    machine->hop[1].bandwidth_gbs = 1e-6;
    weir__machine_pair(machine, 0, 1)->bandwidth_gbs = 123456.78901234567;
    weir__machine_pair(machine, 1, 1)->bandwidth_gbs = 0.1 + 0.2;
    weir__machine_pair(machine, 2, 2)->latency_us = 5e-324;
    weir__machine_pair(machine, 0, 2)->atomics = 1;
    machine->overheads.push_us = 1e6;
    OK(weir__machine_finish(machine));
    assert_round_trip(machine);
    weir_machine_destroy(machine);
}

/* What JSON has no way to say is written as something that can be read. */
static void broken_text_and_infinity_are_written(void **state)
{
    (void)state;
    weir_machine *machine = open_machine("2*nvlink"), *again;
    strcpy(machine->name, "a\xff"
                          "b");
    weir__machine_pair(machine, 0, 1)->bandwidth_gbs = 1.0 / 0.0;
    char *text = json_of(machine);
    OK(weir__machine_from_json("text", text, strlen(text), &again));
    assert_string_equal(weir_machine_name(again), "a?b");
    assert_same(weir_machine_pair(again, 0, 1)->bandwidth_gbs, 0);
    free(text);
    weir_machine_destroy(machine);
    weir_machine_destroy(again);
}

static void absent_members_have_defaults(void **state)
{
    (void)state;
    weir_machine *machine = open_machine(DATA "good.json");
    assert_string_equal(machine->source, "file " DATA "good.json");
    assert_string_equal(weir_machine_name(machine), "two boards");
    assert_string_equal(weir_machine_node(machine, 0)->bus, "");
    assert_string_equal(weir_machine_node(machine, 2)->name, "");
    assert_int_equal(weir_machine_hop(machine, 2)->count, 0);
    assert_true(weir_machine_hop(machine, 2)->latency_us > 0);
    assert_int_equal(weir_machine_pair(machine, 0, 1)->reaches, 1);
    assert_int_equal(weir_machine_pair(machine, 0, 1)->atomics, 0);
    assert_same(weir_machine_pair(machine, 0, 1)->bandwidth_gbs, 0);
    assert_same(weir_machine_pair(machine, 1, 0)->bandwidth_gbs, 11.5);
    assert_same(weir_machine_pair(machine, 1, 0)->latency_us, 9.25);
    assert_int_equal(weir_machine_pair(machine, 0, 2)->reaches, 1);
    assert_same(weir_machine_overheads(machine).copy_us, 2);
    assert_true(weir_machine_overheads(machine).launch_us > 0);
    weir_machine_destroy(machine);
    machine = open_machine(DATA "odd.json");
    assert_string_equal(weir_machine_name(machine), "}]\\");
    assert_int_equal(weir_machine_pair(machine, 0, 1)->reaches, 0);
    assert_int_equal(weir_machine_hop(machine, 1)->kind, WEIR_HOP_MEMORY);
    weir_machine_destroy(machine);
}

struct broken {
    const char *file; /* without .json */
    const char *rest; /* of the sentence, behind the path */
};

static const struct broken broken[] = {
    {"another-kind", ":3: kind: 'bench' is no machine"},
    {"binary", ":1: '[' or '{' expected near '?'"},
    {"comma", ":8: unexpected token near ']'"},
    {"cut", ":21: premature end of input near '\"fro'"},
    {"hop-kind",
     ":17: hops[1].kind: 'pci' is no kind of hop; there are nvlink, pcie, socket, memory"},
    {"hop-to-itself", ":17: hops[1]: a hop from 'gpu1' to itself"},
    {"huge-bandwidth", ":22: real number overflow near '1e400'"},
    {"key-twice", ":5: duplicate object key near '\"name\"'"},
    {"label-twice", ":13: switches[0].label: a second node is labelled 'gpu0'"},
    {"list", ":3: an object is expected"},
    {"missing-field", ":18: hops[2]: 'bandwidth_gbs' is missing"},
    {"nan-bandwidth", ":22: invalid token near 'NaN'"},
    {"negative-bandwidth", ":18: hops[2].bandwidth_gbs: -12.8 is not within 1e-06 .. 1e+06"},
    {"negative-entry", ":7: devices[1].entry_ns: -7 is not within 1e-06 .. 1e+06"},
    {"no-host", ":9: hosts: at least one is needed"},
    {"no-way-home",
     ":7: devices[1]: 'gpu1' has no way to the home memory 'numa0' through hosts and switches"},
    {"odd-bandwidth", ":7: hops[1].bandwidth_gbs: 0 is not within 1e-06 .. 1e+06"},
    {"odd-crlf", ":16: hops[0].count: a whole number from 0 to 4294967295 is expected"},
    {"odd-key", ":11: devices[1]: unknown key 'bus?'"},
    {"odd-label", ":12: devices[1].label: a second node is labelled 'gpu0'"},
    {"pair-of-switch", ":22: pairs[1].to: no device, nor the home memory, is labelled 'switch0'"},
    {"pair-twice", ":22: pairs[1]: the pair from 'gpu0' to 'gpu1' stands twice"},
    {"schema-2", ":2: schema: 2 is not known; this weir reads schema 1"},
    {"too-many-devices", ":5: devices: 65 devices; at most 64"},
    {"unknown-key", ":25: overheads: unknown key 'kopy_us'"},
    {"unknown-label", ":17: hops[1].a: no node is labelled 'gpu9'"},
    {"wrong-type", ":10: hosts[0].units: a whole number from 0 to 4294967295 is expected"},
    {"zero-bandwidth", ":18: hops[2].bandwidth_gbs: 0 is not within 1e-06 .. 1e+06"},
};

static void broken_files_name_line_and_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        weir_machine *machine = (weir_machine *)&machine;
        char path[100], sentence[300];
        snprintf(path, sizeof path, DATA "%s.json", broken[i].file);
        snprintf(sentence, sizeof sentence, "%s%s", path, broken[i].rest);
        STATUS(weir_machine_open(path, &machine), WEIR_ERR_FORMAT);
        assert_null(machine);
        assert_detail(sentence);
    }
}

/* ---- limits that take many entries ----------------------------------------------------------- */

struct text {
    char *at;
    size_t bytes;
};

static FILE *begin(struct text *text)
{
    FILE *out = open_memstream(&text->at, &text->bytes);
    assert_non_null(out);
    fputs("{\"schema\":1,\"kind\":\"machine\",\"name\":\"m\",\"devices\":[{\"label\":\"d\"}],\n"
          "\"hosts\":[{\"label\":\"h\"}],\n",
          out);
    return out;
}

static void refuse_end(struct text *text, FILE *out, const char *sentence)
{
    weir_machine *machine = (weir_machine *)&machine;
    fputs("}", out);
    assert_int_equal(fclose(out), 0);
    STATUS(weir__machine_from_json("m", text->at, text->bytes, &machine), WEIR_ERR_FORMAT);
    assert_null(machine);
    assert_detail(sentence);
    free(text->at);
}

static void too_many_hops(void **state)
{
    (void)state;
    struct text text;
    FILE *out = begin(&text);
    fputs("\"hops\":[", out);
    for (int i = 0; i <= WEIR_MACHINE_HOPS_MAX; i++)
        fprintf(out, "%s\n{\"kind\":\"pcie\",\"a\":\"d\",\"b\":\"h\",\"bandwidth_gbs\":1}",
                i ? "," : "");
    fputs("]", out);
    refuse_end(&text, out, "m:4100: hops[4096]: more than 4096 hops");
}

static void too_many_nodes(void **state)
{
    (void)state;
    struct text text;
    FILE *out = begin(&text);
    fputs("\"hops\":[],\"switches\":[", out);
    for (int i = 0; i < WEIR_MACHINE_NODES_MAX; i++)
        fprintf(out, "%s{\"label\":\"s%d\"}", i ? "," : "", i);
    fputs("]", out);
    refuse_end(&text, out, "m:1: 258 devices, hosts and switches; at most 256");
}

#define HOP "{\"kind\":\"pcie\",\"a\":\"d\",\"b\":\"h\",\"bandwidth_gbs\":1,\"latency_us\":"

/* A second is the most: a simulation's clock counts in picoseconds. */
static void times_above_a_second(void **state)
{
    (void)state;
    struct text text;
    FILE *out = begin(&text);
    fputs("\"hops\":[\n" HOP "1e6},\n" HOP "1000001}]", out);
    refuse_end(&text, out, "m:5: hops[1].latency_us: 1000001 is not within 0 .. 1e+06");
    out = begin(&text);
    fputs("\"hops\":[" HOP "1}],\n\"overheads\":\n{\"copy_us\":1e6,\n\"push_us\":2e6}", out);
    refuse_end(&text, out, "m:6: overheads.push_us: 2000000 is not within 0 .. 1e+06");
    out = begin(&text);
    fputs("\"hops\":[" HOP "1}],\n\"pairs\":[\n{\"from\":\"d\",\"to\":\"h\",\"latency_us\":1e9}]",
          out);
    refuse_end(&text, out, "m:5: pairs[0].latency_us: 1e+09 is not within 0 .. 1e+06");
}

static void overheads_of_0_are_unknown(void **state)
{
    (void)state;
    struct text text;
    weir_machine *machine;
    FILE *out = begin(&text);
    fputs("\"hops\":[" HOP "1}],\"overheads\":{\"copy_us\":0,\"push_us\":0,\"launch_us\":0}}", out);
    assert_int_equal(fclose(out), 0);
    OK(weir__machine_from_json("m", text.at, text.bytes, &machine));
    assert_same(weir_machine_overheads(machine).copy_us, 1);
    assert_same(weir_machine_overheads(machine).push_us, 3.4);
    assert_same(weir_machine_overheads(machine).launch_us, 3.4);
    weir_machine_destroy(machine);
    free(text.at);
}

/* ---- mangled texts --------------------------------------------------------------------------- */

static int lines_of(const char *text, size_t bytes)
{
    int lines = 1;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return lines;
}

/* One change: a byte, a word from elsewhere, a digit, a piece cut out or doubled.
 * @return the new length. */
static size_t mangle(char *text, size_t bytes, size_t room, uint64_t *random)
{
    static const char *const words[] = {"-",    "0",   "1e400",    "null",  "{}",   "[",  "]",
                                        "\"\"", "NaN", "\"gpu0\"", "1e999", "\xff", "\n", "{"};
    size_t at = next_random(random) % bytes, length = next_random(random) % 60 + 1;
    const char *word = words[next_random(random) % (sizeof words / sizeof *words)];
    switch (next_random(random) % 6) {
    case 0:
        text[at] = (char)next_random(random);
        return bytes;
    case 1:
        length = strlen(word) < bytes - at ? strlen(word) : bytes - at;
        memcpy(text + at, word, length);
        return bytes;
    case 2:
        length = length < bytes - at ? length : bytes - at - 1;
        memmove(text + at, text + at + length, bytes - at - length);
        return bytes - length;
    case 3:
    case 4: /* the next digit */
        at += strcspn(text + at, "0123456789");
        text[at < bytes ? at : 0] = (char)('0' + next_random(random) % 10);
        return bytes;
    default:
        length = length < bytes - at ? length : bytes - at;
        length = length < room - bytes ? length : room - bytes;
        memmove(text + at + length, text + at, bytes - at);
        return bytes + length;
    }
}

/* A machine that comes back equal, or a sentence that names a line that exists. */
static int check_mangled(const char *text, size_t bytes)
{
    weir_machine *machine = (weir_machine *)&machine;
    char *exact = malloc(bytes ? bytes : 1); /* so that a sanitizer sees what is read behind it */
    int line = 0;
    assert_non_null(exact);
    memcpy(exact, text, bytes);
    weir_status status = weir__machine_from_json("m", exact, bytes, &machine);
    if (status == WEIR_OK) {
        assert_round_trip(machine);
    } else {
        assert_int_equal(status, WEIR_ERR_FORMAT);
        assert_null(machine);
        assert_int_equal(sscanf(weir_error_detail(), "m:%d: ", &line), 1);
        assert_true(line >= 1 && line <= lines_of(exact, bytes));
        assert_null(strchr(weir_error_detail(), '\n'));
    }
    weir_machine_destroy(machine);
    free(exact);
    return status == WEIR_OK;
}

static void mangled_texts(void **state)
{
    (void)state;
    weir_machine *machine = open_machine(DATA "good.json");
    char *seed = json_of(machine);
    size_t length = strlen(seed), room = length + 200;
    char *text = calloc(1, room + 1); /* always ends, for strcspn() */
    uint64_t random = 42;
    int rounds = 5000, good = 0;
    assert_non_null(text);
    for (int round = 0; round < rounds; round++) {
        size_t bytes = length;
        memcpy(text, seed, length);
        for (uint64_t times = next_random(&random) % 3 + 1; times; times--)
            bytes = mangle(text, bytes, room, &random);
        good += check_mangled(text, bytes);
    }
    assert_true(good > rounds / 50 && good < rounds / 2);
    for (size_t cut = 0; cut < length - 2; cut += 3) /* 2: the last bracket and line end */
        assert_false(check_mangled(seed, cut));
    free(text);
    free(seed);
    weir_machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_come_back_equal),
        cmocka_unit_test(specs_come_back_equal),
        cmocka_unit_test(odd_values_come_back_equal),
        cmocka_unit_test(broken_text_and_infinity_are_written),
        cmocka_unit_test(absent_members_have_defaults),
        cmocka_unit_test(broken_files_name_line_and_cause),
        cmocka_unit_test(too_many_hops),
        cmocka_unit_test(too_many_nodes),
        cmocka_unit_test(times_above_a_second),
        cmocka_unit_test(overheads_of_0_are_unknown),
        cmocka_unit_test(mangled_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
