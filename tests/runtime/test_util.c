/** @file test_util.c  Numbers in text, memory with overflow checks, the parallel loop. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <locale.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *text;
    uint64_t wanted;
};
#define ROWS(table) (sizeof(table) / sizeof *(table))

static void whole_numbers(void **state)
{
    static const struct row good[] = {{"0", 0},
                                      {"7", 7},
                                      {"007", 7},
                                      {"4294967296", 4294967296u},
                                      {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "+1",
                                      "-1",
                                      "-0",
                                      "1.0",
                                      "1e3",
                                      "0x1",
                                      "a",
                                      "1a",
                                      "18446744073709551616",
                                      "99999999999999999999999"};
    uint64_t value;
    (void)state;
    for (size_t i = 0; i < ROWS(good); i++) {
        OK(weir__parse_u64(good[i].text, &value));
        assert_int_equal(value, good[i].wanted);
    }
    for (size_t i = 0; i < ROWS(bad); i++)
        if (weir__parse_u64(bad[i], &value) != WEIR_ERR_INVALID)
            fail_msg("'%s' was taken for a number", bad[i]);
    STATUS(weir__parse_u64(NULL, &value), WEIR_ERR_INVALID);
}

static void bytes(void **state)
{
    static const struct row good[] = {{"0", 0},
                                      {"4096", 4096},
                                      {"64MiB", 64u << 20},
                                      {"64mib", 64u << 20},
                                      {"1k", 1024},
                                      {"1K", 1024},
                                      {"1kB", 1000},
                                      {"1.5GiB", 3ull << 29},
                                      {"0.5k", 512},
                                      {"3 MiB", 3u << 20},
                                      {"2T", 2ull << 40},
                                      {"1tb", 1000000000000u},
                                      {"12b", 12},
                                      {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {"",
                                      "MiB",
                                      ".5k",
                                      "-1k",
                                      "+1k",
                                      " 1k",
                                      "1.5",
                                      "1 Mi B",
                                      "1kk",
                                      "1k ",
                                      "1e400k",
                                      "99999999T",
                                      "1..5k",
                                      "0x10k",
                                      "1e3k",
                                      "1,5k",
                                      "infk",
                                      "nank",
                                      "18446744073709551616"};
    uint64_t value;
    (void)state;
    for (size_t i = 0; i < ROWS(good); i++) {
        OK(weir__parse_bytes(good[i].text, &value));
        assert_int_equal(value, good[i].wanted);
    }
    for (size_t i = 0; i < ROWS(bad); i++)
        if (weir__parse_bytes(bad[i], &value) != WEIR_ERR_INVALID)
            fail_msg("'%s' was taken for a number of bytes", bad[i]);
    STATUS(weir__parse_bytes(NULL, &value), WEIR_ERR_INVALID);
}

static void milliseconds(void **state)
{
    static const struct row good[] = {{"0", 0},      {"30", 30},     {"500ms", 500},
                                      {"2s", 2000},  {"1.5s", 1500}, {"2 min", 120000},
                                      {"0.001s", 1}, {"10MS", 10}};
    static const char *const bad[] = {"", "ms", "-1s", "1h", "1 s s", "1.5", "s1", "1m"};
    uint64_t value;
    (void)state;
    for (size_t i = 0; i < ROWS(good); i++) {
        OK(weir__parse_ms(good[i].text, &value));
        assert_int_equal(value, good[i].wanted);
    }
    for (size_t i = 0; i < ROWS(bad); i++)
        if (weir__parse_ms(bad[i], &value) != WEIR_ERR_INVALID)
            fail_msg("'%s' was taken for a time", bad[i]);
}

/* A program may have set a locale in which 1.5 is one number and a rest. */
static void numbers_are_blind_to_the_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8"};
    const char *set = NULL;
    uint64_t value = 0;
    (void)state;
    for (size_t i = 0; i < ROWS(names) && !set; i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (!set)
        skip();
    weir_status bytes = weir__parse_bytes("1.5k", &value);
    setlocale(LC_NUMERIC, "C");
    OK(bytes);
    assert_int_equal(value, 1536);
}

static void memory_is_checked(void **state)
{
    unsigned char *data;
    (void)state;
    OK(weir__calloc(100, 7, "a test", &data));
    for (int i = 0; i < 700; i++)
        assert_int_equal(data[i], 0);
    free(data);
    OK(weir__alloc(0, 8, "a test", &data));
    assert_non_null(data);
    free(data);
    STATUS(weir__alloc(SIZE_MAX / 2, 3, "a table", &data), WEIR_ERR_NOMEM);
    assert_null(data);
    assert_detail_has("a table: ");
    assert_detail_has("cannot be addressed");
}

static void deadlines_lie_ahead(void **state)
{
    static const int64_t times[] = {-5, 0, 1, 999, 1000, 1999, 86400000};
    (void)state;
    for (size_t i = 0; i < ROWS(times); i++) {
        uint64_t before = weir__now_ns();
        struct timespec at = weir__deadline(times[i]);
        uint64_t after = weir__now_ns(), ns = (uint64_t)at.tv_sec * 1000000000u;
        uint64_t add = times[i] > 0 ? (uint64_t)times[i] * 1000000u : 0;
        assert_in_range(at.tv_nsec, 0, 999999999);
        assert_in_range(ns + (uint64_t)at.tv_nsec, before + add, after + add);
    }
    assert_true(weir__cores() >= 1);
}

struct cover {
    atomic_uint *hits;
    uint64_t count, chunk;
    atomic_uint wrong; /* chunks not cut as promised */
};

static void cover(void *user, uint64_t begin, uint64_t end)
{
    struct cover *c = user;
    uint64_t wanted = c->count - begin < c->chunk ? c->count : begin + c->chunk;
    if (begin % c->chunk != 0 || end != wanted || begin >= end)
        atomic_fetch_add(&c->wrong, 1);
    for (uint64_t i = begin; i < end && i < c->count; i++)
        atomic_fetch_add(&c->hits[i], 1);
}

static void the_loop_covers_every_index_once(void **state)
{
    static const uint64_t counts[] = {0, 1, 2, 63, 64, 65, 1000, 4097};
    static const uint64_t chunks[] = {1, 3, 64, 5000};
    static const uint32_t threads[] = {0, 1, 2, 7, 64, 1000};
    (void)state;
    for (size_t a = 0; a < ROWS(counts); a++)
        for (size_t b = 0; b < ROWS(chunks); b++)
            for (size_t t = 0; t < ROWS(threads); t++) {
                struct cover c = {calloc(counts[a] + 1, sizeof *c.hits), counts[a], chunks[b], 0};
                uint64_t wrong = 0;
                assert_non_null(c.hits);
                weir__parallel_for(c.count, c.chunk, threads[t], cover, &c);
                for (uint64_t i = 0; i < c.count; i++)
                    wrong += atomic_load(&c.hits[i]) != 1;
                free(c.hits);
                assert_int_equal(wrong, 0);
                assert_int_equal(atomic_load(&c.wrong), 0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(bytes),
        cmocka_unit_test(milliseconds),
        cmocka_unit_test(numbers_are_blind_to_the_locale),
        cmocka_unit_test(memory_is_checked),
        cmocka_unit_test(deadlines_lie_ahead),
        cmocka_unit_test(the_loop_covers_every_index_once),
    };
    return cmocka_run_group_tests_name("util", tests, NULL, NULL);
}
