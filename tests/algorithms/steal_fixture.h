/** @file steal_fixture.h  Two host devices whose machine says what work takes them, for tests of what is shared out. */
#ifndef WEIR_TESTS_ALGORITHMS_STEAL_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_STEAL_FIXTURE_H

#include "tests/algorithms/graph_fixture.h"
#include "tests/lib/support.h"

/** @param[in] name    of the file of the machine, which is written.
 *  @param[in] a, b    further members of the devices of that name, each with ", " in front of it.
 *  @param[in] gbs     that the link between them carries.
 *  @param[in] arcs    lists of fewer are not shared out. */
static inline weir_context *open_two(const char *name, const char *a, const char *b,
                                     const char *gbs, const char *arcs)
{
    char setting[128];
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "{\"schema\": 1, \"kind\": \"machine\", \"name\": \"two\", \"devices\": [{\"label\": "
        "\"a\"%s}, {\"label\": \"b\"%s}], \"hosts\": [{\"label\": \"numa0\"}], \"hops\": ["
        "{\"kind\": \"memory\", \"a\": \"a\", \"b\": \"numa0\", \"bandwidth_gbs\": 10}, "
        "{\"kind\": \"memory\", \"a\": \"b\", \"b\": \"numa0\", \"bandwidth_gbs\": 10}], "
        "\"pairs\": ["
        "{\"from\": \"a\", \"to\": \"b\", \"reaches\": true, \"atomics\": true, \"bandwidth_gbs\": "
        "%s}, "
        "{\"from\": \"b\", \"to\": \"a\", \"reaches\": true, \"atomics\": true, \"bandwidth_gbs\": "
        "%s}]}\n",
        a, b, gbs, gbs);
    assert_int_equal(fclose(file), 0);
    snprintf(setting, sizeof setting, "machine=%s", path);
    return open_with_or_skip("host:2", (const char *[]){arcs, setting, NULL});
}

#endif
