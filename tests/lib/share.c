/** @file share.c  How many of a test's combinations are tried. */
#include "tests/lib/share.h"

#include <stdio.h>
#include <stdlib.h>

int test_stride(void)
{
    const char *text = getenv("WEIR_TEST_STRIDE");
    char *end;
    if (!text || !*text)
        return 1;
    long stride = strtol(text, &end, 10);
    if (*end || stride < 1 || stride > 99) {
        fprintf(stderr, "WEIR_TEST_STRIDE=%s is no number from 1 to 99\n", text);
        exit(2);
    }
    return (int)stride;
}
