/** @file test_config.c  Tunables: defaults, environment, calls, ranges, sentences. */
#include "tests/lib/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tests decide what the environment says. */
static int clear_environment(void **state)
{
    const weir_config_entry *entries;
    size_t count = weir_config_entries(&entries);
    (void)state;
    for (size_t i = 0; i < count; i++)
        unsetenv(entries[i].environment);
    return 0;
}

static uint64_t number_of(const weir_config *config, const char *name)
{
    uint64_t value;
    OK(weir_config_number(config, name, &value));
    return value;
}

static const char *text_of(const weir_config *config, const char *name)
{
    const char *text;
    OK(weir_config_string(config, name, &text));
    return text;
}

static void the_table_is_complete_and_consistent(void **state)
{
    const weir_config_entry *entries;
    size_t count = weir_config_entries(&entries);
    (void)state;
    assert_int_equal(weir_config_entries(NULL), count);
    assert_true(count >= 11);
    for (size_t i = 0; i < count; i++) {
        const weir_config_entry *e = &entries[i];
        assert_int_equal(strncmp(e->environment, "WEIR_", 5), 0);
        assert_int_equal(strlen(e->environment), strlen(e->name) + 5);
        for (size_t c = 0; e->name[c]; c++)
            assert_int_equal(e->environment[5 + c],
                             e->name[c] == '_' ? '_' : e->name[c] - 'a' + 'A');
        assert_non_null(strstr("bytes count milliseconds choice word path", e->type));
        assert_true(strlen(e->help) > 10);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(entries[j].name, e->name);
    }
}

static void defaults_are_those_of_the_table(void **state)
{
    weir_config *config;
    (void)state;
    OK(weir_config_create(&config));
    assert_int_equal(number_of(config, "pool_bytes"), 0);
    assert_int_equal(number_of(config, "cache_bytes"), 0);
    assert_int_equal(number_of(config, "events"), 1024);
    assert_int_equal(number_of(config, "host_threads"), 1);
    assert_int_equal(number_of(config, "peer"), 0);
    assert_string_equal(text_of(config, "peer"), "probe");
    assert_string_equal(text_of(config, "transport"), "auto");
    assert_int_equal(number_of(config, "packet_bytes"), 0);
    assert_int_equal(number_of(config, "link_buffers"), 4);
    assert_int_equal(number_of(config, "queue_items"), 0);
    assert_int_equal(number_of(config, "spill_bytes"), 4ull << 30);
    assert_int_equal(number_of(config, "metis_timeout"), 300000);
    assert_string_equal(text_of(config, "metis_helper"), "");
    weir_config_destroy(config);
}

static void every_default_can_be_set_from_its_text(void **state)
{
    const weir_config_entry *entries;
    size_t count = weir_config_entries(&entries);
    weir_config *config;
    (void)state;
    OK(weir_config_create(&config));
    for (size_t i = 0; i < count; i++)
        OK(weir_config_set(config, entries[i].name, entries[i].default_text));
    weir_config_destroy(config);
}

static void the_environment_overrides_and_calls_override_it(void **state)
{
    weir_config *config;
    (void)state;
    setenv("WEIR_POOL_BYTES", "64MiB", 1);
    setenv("WEIR_LINK_BUFFERS", "7", 1);
    setenv("WEIR_PEER", "off", 1);
    setenv("WEIR_METIS_TIMEOUT", "2min", 1);
    setenv("WEIR_METIS_HELPER", "/opt/a b/weir-metis", 1);
    setenv("WEIR_EVENTS", "", 1); /* empty: as if it were not there */
    OK(weir_config_create(&config));
    assert_int_equal(number_of(config, "pool_bytes"), 64 << 20);
    assert_int_equal(number_of(config, "link_buffers"), 7);
    assert_int_equal(number_of(config, "peer"), 1);
    assert_string_equal(text_of(config, "peer"), "off");
    assert_int_equal(number_of(config, "metis_timeout"), 120000);
    assert_string_equal(text_of(config, "metis_helper"), "/opt/a b/weir-metis");
    assert_int_equal(number_of(config, "events"), 1024);
    OK(weir_config_set(config, "link_buffers", "2"));
    OK(weir_config_set(config, "peer", "probe"));
    assert_int_equal(number_of(config, "link_buffers"), 2);
    assert_int_equal(number_of(config, "peer"), 0);
    weir_config_destroy(config);
}

static void a_malformed_environment_is_refused_by_name(void **state)
{
    weir_config *config = (weir_config *)state;
    setenv("WEIR_EVENTS", "many", 1);
    STATUS(weir_config_create(&config), WEIR_ERR_INVALID);
    assert_null(config);
    assert_detail("WEIR_EVENTS=many: not a number from 16 to 65536");
    weir_context *context = (weir_context *)state;
    STATUS(weir_context_create("host:1", NULL, &context), WEIR_ERR_INVALID);
    assert_null(context);
    assert_detail_has("WEIR_EVENTS=many");
}

/* A misspelt variable would do nothing, and nobody would know. */
static void an_unknown_variable_is_refused_with_the_nearest(void **state)
{
    static const char *const known[][2] = {
        {"WEIR_LINK_BUFFER", "WEIR_LINK_BUFFERS"},
        {"WEIR_POOLBYTES", "WEIR_POOL_BYTES"},
        {"WEIR_TRANSPROT", "WEIR_TRANSPORT"},
        {"WEIR_EVENT", "WEIR_EVENTS"},
        {"WEIR_TESTS", "WEIR_EVENTS"}, /* TEST is a word of its own */
        {"WEIR_log", "WEIR_LOG"},
    };
    weir_config *config;
    char wanted[160];
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        setenv(known[i][0], "7", 1);
        snprintf(wanted, sizeof wanted, "%s: there is no such variable; the nearest is %s",
                 known[i][0], known[i][1]);
        STATUS(weir_config_create(&config), WEIR_ERR_INVALID);
        assert_null(config);
        assert_detail_has(wanted);
        setenv(known[i][0], "", 1); /* as if it were not there */
        OK(weir_config_create(&config));
        weir_config_destroy(config);
        unsetenv(known[i][0]);
    }
}

static void variables_of_tests_and_tools_are_left_alone(void **state)
{
    static const char *const others[] = {
        "WEIR_TEST_SEED", "WEIR_TEST",      "WEIR_CHECK",      "WEIR_CHECK_PART",
        "WEIR_DATA",      "WEIR_FAULTS",    "WEIR_GOLDEN",     "WEIR_ROOT",
        "WEIR_REQUIRE",   "WEIR_SOAK_RUNS", "WEIR_SWEEP_JOBS", "WEIR_DIR",
        "WEIR_HOME",      "WEIRD",          "NOT_WEIR_POOL",   "WEIR",
        "weir_pool_byte"};
    weir_config *config;
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *before = getenv(others[i]);
        if (!before)
            setenv(others[i], "1", 1);
        OK(weir_config_create(&config));
        weir_config_destroy(config);
        if (!before)
            unsetenv(others[i]);
    }
}

/* One range, whoever says it. */
static void a_link_has_as_many_buffers_as_the_tunable_says(void **state)
{
    weir_config *config;
    (void)state;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "link_buffers", "1024"));
    STATUS(weir_config_set(config, "link_buffers", "1025"), WEIR_ERR_INVALID);
    assert_detail("link_buffers=1025: not a number from 1 to 1024");
    weir_config_destroy(config);
}

struct row {
    const char *name, *value;
    uint64_t wanted;
};

static void values_are_taken_with_their_units(void **state)
{
    static const struct row rows[] = {
        {"numa", "bind", 0},
        {"numa", "off", 1},
        {"packet_bytes", "0", 0},
        {"packet_bytes", "64", 64},
        {"packet_bytes", "1GiB", 1u << 30},
        {"packet_bytes", "1.5KiB", 1536},
        {"packet_bytes", "2kb", 2000},
        {"packet_bytes", "2 k", 2048},
        {"pool_bytes", "1MiB", 1 << 20},
        {"pool_bytes", "64TiB", 1ull << 46},
        {"pool_bytes", "0", 0}, /* what the device has */
        {"spill_bytes", "0", 0},
        {"events", "16", 16},
        {"events", "65536", 65536},
        {"host_threads", "256", 256},
        {"queue_items", "2147483648", 1u << 31},
        {"metis_timeout", "1", 1},
        {"metis_timeout", "500ms", 500},
        {"metis_timeout", "1.5s", 1500},
        {"log", "debug", 3},
    };
    weir_config *config;
    (void)state;
    OK(weir_config_create(&config));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OK(weir_config_set(config, rows[i].name, rows[i].value));
        assert_int_equal(number_of(config, rows[i].name), rows[i].wanted);
    }
    weir_config_destroy(config);
}

static void what_is_malformed_or_out_of_range_changes_nothing(void **state)
{
    static const struct row rows[] = {
        {"events", "15", 0},
        {"events", "65537", 0},
        {"events", "", 0},
        {"events", " 16", 0},
        {"events", "+16", 0},
        {"events", "-16", 0},
        {"events", "16 ", 0},
        {"events", "1e3", 0},
        {"events", "16.0", 0},
        {"events", "0x20", 0},
        {"events", "18446744073709551617", 0},
        {"numa", "", 0},
        {"numa", "Copy", 0},
        {"numa", "6", 0},
        {"numa", "pigeon", 0},
        {"packet_bytes", "1073741825", 0},
        {"pool_bytes", "1", 0},
        {"pool_bytes", "1048575", 0},
        {"packet_bytes", "64.5", 0},
        {"packet_bytes", "64 parsecs", 0},
        {"packet_bytes", "KiB", 0},
        {"packet_bytes", "-1KiB", 0},
        {"packet_bytes", "99999999999999999999TiB", 0},
        {"packet_bytes", "nan", 0},
        {"metis_timeout", "0", 0},
        {"metis_timeout", "3 days", 0},
        {"peer", "", 0},
        {"peer", "Off", 0},
        {"peer", "of", 0},
        {"peer", "probe off", 0},
        {"log", "4", 0},
    };
    weir_config *config;
    (void)state;
    OK(weir_config_create(&config));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t before = number_of(config, rows[i].name);
        if (weir_config_set(config, rows[i].name, rows[i].value) != WEIR_ERR_INVALID)
            fail_msg("%s=%s was taken", rows[i].name, rows[i].value);
        assert_detail_has(rows[i].name);
        assert_int_equal(number_of(config, rows[i].name), before);
    }
    weir_config_destroy(config);
}

static void refusals_say_what_would_be_right(void **state)
{
    weir_config *config;
    (void)state;
    OK(weir_config_create(&config));
    (void)weir_config_set(config, "packet_bytes", "2GiB");
    assert_detail("packet_bytes=2GiB: not a number of bytes from 0 to 1073741824");
    (void)weir_config_set(config, "peer", "maybe");
    assert_detail("peer=maybe: choose one of: probe off");
    STATUS(weir_config_set(config, "no_such", "1"), WEIR_ERR_INVALID);
    assert_detail("no_such: no such tunable");
    STATUS(weir_config_set(config, NULL, "1"), WEIR_ERR_INVALID);
    STATUS(weir_config_set(config, "events", NULL), WEIR_ERR_INVALID);
    STATUS(weir_config_set(NULL, "events", "32"), WEIR_ERR_INVALID);
    weir_config_destroy(config);
}

static void reading_asks_for_the_right_kind(void **state)
{
    weir_config *config;
    uint64_t number = 5;
    const char *text = "x";
    (void)state;
    OK(weir_config_create(&config));
    STATUS(weir_config_number(config, "metis_helper", &number), WEIR_ERR_INVALID);
    STATUS(weir_config_number(config, "transport", &number), WEIR_ERR_INVALID);
    assert_int_equal(number, 0);
    STATUS(weir_config_string(config, "events", &text), WEIR_ERR_INVALID);
    assert_null(text);
    STATUS(weir_config_number(config, "no_such", &number), WEIR_ERR_INVALID);
    STATUS(weir_config_string(config, "no_such", &text), WEIR_ERR_INVALID);
    weir_config_destroy(config);
    weir_config_destroy(NULL);
}

static void a_context_copies_what_it_needs(void **state)
{
    weir_config *config;
    weir_context *context;
    (void)state;
    OK(weir_config_create(&config));
    OK(weir_config_set(config, "events", "77"));
    OK(weir_config_set(config, "metis_helper", "/somewhere"));
    OK(weir_context_create("host:1", config, &context));
    OK(weir_config_set(config, "events", "78"));
    weir_config_destroy(config);
    assert_int_equal(number_of(weir_context_config(context), "events"), 77);
    assert_string_equal(text_of(weir_context_config(context), "metis_helper"), "/somewhere");
    weir_context_destroy(context);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, clear_environment, clear_environment)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_table_is_complete_and_consistent),
        TEST(defaults_are_those_of_the_table),
        TEST(every_default_can_be_set_from_its_text),
        TEST(the_environment_overrides_and_calls_override_it),
        TEST(a_malformed_environment_is_refused_by_name),
        TEST(an_unknown_variable_is_refused_with_the_nearest),
        TEST(variables_of_tests_and_tools_are_left_alone),
        TEST(a_link_has_as_many_buffers_as_the_tunable_says),
        TEST(values_are_taken_with_their_units),
        TEST(what_is_malformed_or_out_of_range_changes_nothing),
        TEST(refusals_say_what_would_be_right),
        TEST(reading_asks_for_the_right_kind),
        TEST(a_context_copies_what_it_needs),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
