/** @file only.c  Which of the other folders' tests are run on the stand-in.
 *
 * STANDIN_ONLY is a pattern of their names. NCCL brings a CUDA of its own, which looks for GPUs: its tests are
 * skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka.h wants those four before it. */
#include <cmocka.h>

__attribute__((constructor)) static void choose(void)
{
    const char *pattern = getenv("STANDIN_ONLY");
    if (pattern && *pattern)
        cmocka_set_test_filter(pattern);
    cmocka_set_skip_filter("nccl_*");
}
