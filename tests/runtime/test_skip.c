/** @file test_skip.c  Tests that no machine can run are skipped with the number of devices that they would need.
 *
 * test_require.sh looks at what is printed. */
#include "tests/lib/skip.h"
#include "tests/lib/support.h"

static void what_is_there_is_not_skipped(void **state)
{
    weir_context_destroy(open_or_skip(state));
}

static void what_is_not_there_is(void **state)
{
    weir_context *context = open_or_skip(state);
    weir_context_destroy(context);
    fail_msg("%s is here: this test wants one GPU more than a machine has", (const char *)*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BACKEND(what_is_there_is_not_skipped, "host:2"),
        ON_BACKEND(what_is_not_there_is, "cuda:63"),
        ON_BACKEND(what_is_not_there_is, "cuda:60-63"),
        ON_BACKEND(what_is_not_there_is, "host:1,cuda:63,cuda:5-7,host:1"),
    };
    return cmocka_run_group_tests_name("skips", tests, NULL, NULL);
}
