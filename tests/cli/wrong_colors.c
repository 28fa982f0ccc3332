/** @file wrong_colors.c  The command with one wrong colour: what --verify must find.
 *
 * Linked as wrong_levels.c is, with --wrap=weir_color_colors. WEIR_TEST_WRONG names the vertex; with a colour behind it, 37:9, that is
 * what it gets, else its next neighbour's. */
#include "algorithms/algorithms.h"

#include <stdlib.h>

weir_status __real_weir_color_colors(weir_color *color, uint32_t *colors_out);
weir_status __wrap_weir_color_colors(weir_color *color, uint32_t *colors_out);

weir_status __wrap_weir_color_colors(weir_color *color, uint32_t *colors_out)
{
    const char *wrong = getenv("WEIR_TEST_WRONG");
    weir_status status = __real_weir_color_colors(color, colors_out);
    if (!status && wrong) {
        char *end;
        const unsigned long v = strtoul(wrong, &end, 10);
        colors_out[v] = *end == ':' ? (uint32_t)strtoul(end + 1, NULL, 10) : colors_out[v + 1];
    }
    return status;
}
