/** @file wrong_labels.c  The command with one wrong label of a component: what --verify must find.
 *
 * Linked as wrong_levels.c is, with --wrap=weir_cc_labels. WEIR_TEST_WRONG names the vertex whose label is
 * another vertex. */
#include "algorithms/algorithms.h"

#include <stdlib.h>

weir_status __real_weir_cc_labels(weir_cc *cc, uint32_t *labels_out);
weir_status __wrap_weir_cc_labels(weir_cc *cc, uint32_t *labels_out);

weir_status __wrap_weir_cc_labels(weir_cc *cc, uint32_t *labels_out)
{
    const char *wrong = getenv("WEIR_TEST_WRONG");
    weir_status status = __real_weir_cc_labels(cc, labels_out);
    if (!status && wrong) {
        uint32_t *label = &labels_out[strtoul(wrong, NULL, 10)];
        *label = *label == 0;
    }
    return status;
}
