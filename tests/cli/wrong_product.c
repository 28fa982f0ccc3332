/** @file wrong_product.c  The command with one wrong element of a product: what --verify must find.
 *
 * Linked as wrong_levels.c is, with --wrap=weir_product_get_y. WEIR_TEST_WRONG names the element and what is added to it: 37:0.01. Values are of 32
 * bits. */
#include "algorithms/matrix.h"

#include <stdlib.h>

weir_status __real_weir_product_get_y(weir_product *product, void *values_out);
weir_status __wrap_weir_product_get_y(weir_product *product, void *values_out);

weir_status __wrap_weir_product_get_y(weir_product *product, void *values_out)
{
    const char *wrong = getenv("WEIR_TEST_WRONG");
    weir_status status = __real_weir_product_get_y(product, values_out);
    if (!status && wrong) {
        char *end;
        const unsigned long at = strtoul(wrong, &end, 10);
        ((float *)values_out)[at] += strtof(end + 1, NULL);
    }
    return status;
}
