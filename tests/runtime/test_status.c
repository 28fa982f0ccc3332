/** @file test_status.c  Status codes, their texts, and the sentence of the last failure. */
#include "tests/lib/support.h"

#include "runtime/internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct {
    weir_status status;
    const char *name, *text;
} listed[] = {
#define ROW(name, value, text) {name, #name, text},
    WEIR_STATUS_MAP(ROW)
#undef ROW
};
#define LISTED (sizeof listed / sizeof *listed)

static void every_status_has_its_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < LISTED; i++)
        assert_string_equal(weir_status_text(listed[i].status), listed[i].text);
    assert_string_equal(weir_status_text(WEIR_OK), "success");
    assert_string_equal(weir_status_text(WEIR_ERR_NODEV), "no such device");
}

static void values_outside_the_list_are_unknown(void **state)
{
    static const int others[] = {4, 5, -3, 1000, -14, -1000, INT32_MIN, INT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_string_equal(weir_status_text((weir_status)others[i]), "unknown status");
}

static void values_and_texts_are_distinct(void **state)
{
    (void)state;
    for (size_t i = 0; i < LISTED; i++)
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(listed[i].status, listed[j].status);
            assert_string_not_equal(listed[i].text, listed[j].text);
        }
}

static void only_failures_are_negative(void **state)
{
    (void)state;
    assert_int_equal(WEIR_OK, 0);
    for (size_t i = 0; i < LISTED; i++)
        assert_int_equal(listed[i].status < 0, strncmp(listed[i].name, "WEIR_ERR_", 9) == 0);
}

static void version_text_follows_the_numbers(void **state)
{
    char wanted[64];
    (void)state;
    snprintf(wanted, sizeof wanted, "%d.%d.%d (host%s)", WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR,
             WEIR_VERSION_PATCH, WEIR_CUDA ? ", cuda" : "");
    assert_string_equal(weir_version_text(), wanted);
}

static void a_failure_keeps_its_sentence(void **state)
{
    (void)state;
    assert_int_equal(weir__fail(WEIR_ERR_IO, "%s:%d: %s", "a.txt", 7, "odd"), WEIR_ERR_IO);
    assert_detail("a.txt:7: odd");
    (void)weir__fail(WEIR_ERR_IO, "behind: %s", weir_error_detail());
    assert_detail("behind: a.txt:7: odd");
    weir__fail_adopt(WEIR_ERR_IO, "from elsewhere, 100% as it was");
    assert_detail("from elsewhere, 100% as it was");
}

static void a_long_sentence_is_cut(void **state)
{
    static char text[20000];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    (void)weir__fail(WEIR_ERR_IO, "%s", text);
    size_t length = strlen(weir_error_detail());
    assert_in_range(length, 4000, sizeof text - 2);
    assert_memory_equal(weir_error_detail(), text, length);
}

struct other_thread {
    char before[32], after[32];
};

static void *fail_elsewhere(void *data)
{
    struct other_thread *seen = data;
    snprintf(seen->before, sizeof seen->before, "%s", weir_error_detail());
    (void)weir__fail(WEIR_ERR_IO, "theirs");
    snprintf(seen->after, sizeof seen->after, "%s", weir_error_detail());
    return NULL;
}

static void each_thread_has_its_own_sentence(void **state)
{
    struct other_thread seen;
    pthread_t thread;
    (void)state;
    (void)weir__fail(WEIR_ERR_IO, "mine");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(seen.before, "");
    assert_string_equal(seen.after, "theirs");
    assert_detail("mine");
}

static void a_program_keeps_a_sentence_of_its_own(void **state)
{
    (void)state;
    STATUS(weir_error_set(WEIR_ERR_FORMAT, "100% of it is wrong: %s"), WEIR_ERR_FORMAT);
    assert_detail("100% of it is wrong: %s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_text),
        cmocka_unit_test(values_outside_the_list_are_unknown),
        cmocka_unit_test(values_and_texts_are_distinct),
        cmocka_unit_test(only_failures_are_negative),
        cmocka_unit_test(version_text_follows_the_numbers),
        cmocka_unit_test(a_failure_keeps_its_sentence),
        cmocka_unit_test(a_long_sentence_is_cut),
        cmocka_unit_test(a_program_keeps_a_sentence_of_its_own),
        cmocka_unit_test(each_thread_has_its_own_sentence),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
