/** @file test_text.c  Texts in memory: whole, or none; and what is UTF-8. */
#include "tests/lib/support.h"

#include "runtime/internal.h"
#include "runtime/text.h"

#include <stdlib.h>
#include <string.h>

#define LINES 2000

static char *print_lines(size_t *bytes_out)
{
    weir__text text;
    FILE *file = weir__text_open(&text);
    for (int i = 0; file && i < LINES; i++)
        fprintf(file, "line %d\n", i);
    return weir__text_close(&text, bytes_out);
}

static void a_text_is_what_was_printed(void **state)
{
    size_t bytes, length = 0;
    char *text = print_lines(&bytes), line[32];
    (void)state;
    assert_non_null(text);
    assert_int_equal(strlen(text), bytes);
    for (int i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "line %d\n", i);
        assert_memory_equal(text + length, line, strlen(line));
        length += strlen(line);
    }
    assert_int_equal(length, bytes);
    free(text);
}

static void a_text_of_nothing_is_empty(void **state)
{
    weir__text text;
    size_t bytes = 1;
    (void)state;
    assert_non_null(weir__text_open(&text));
    char *empty = weir__text_close(&text, &bytes);
    assert_string_equal(empty, "");
    assert_int_equal(bytes, 0);
    free(empty);
}

/* Wherever it could not grow, also when it could a moment later: there is no text with a hole. */
static void a_text_that_cannot_grow_is_none(void **state)
{
    uint64_t n = 0;
    (void)state;
    for (int struck = 1; struck;) {
        size_t bytes = 1;
        weir__fault_arm(WEIR__FAULT_ALLOC, ++n);
        char *text = print_lines(&bytes);
        struck = weir__fault_struck(WEIR__FAULT_ALLOC);
        weir__fault_arm(WEIR__FAULT_ALLOC, 0);
        assert_int_equal(text == NULL, struck);
        assert_int_equal(bytes == 0, struck);
        free(text);
    }
    assert_true(n > 3);
}

static void utf8_is_told_from_other_bytes(void **state)
{
    static const char *const good[] = {"", "plain", "\xc3\xa4", "\xe2\x82\xac!",
                                       "\xf0\x9f\x98\x80"};
    static const char *const bad[] = {"\xff",         "\xc3",         "a\xe2\x82",
                                      "\xc0\x80",     "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                      "\xe0\x80\x80", "\xa4 behind"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(weir__utf8_is(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(weir__utf8_is(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_what_was_printed),
        cmocka_unit_test(a_text_of_nothing_is_empty),
        cmocka_unit_test(a_text_that_cannot_grow_is_none),
        cmocka_unit_test(utf8_is_told_from_other_bytes),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
