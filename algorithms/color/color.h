/** @file color.h  The object of a colouring, and its two forms. Not installed. */
#ifndef WEIR_ALGORITHMS_COLOR_COLOR_H
#define WEIR_ALGORITHMS_COLOR_COLOR_H

#include "algorithms/common/algorithm.h"
#include "algorithms/common/forms.h"

struct weir_color {
    struct weir__algorithm head; /* first */
    struct weir__row_steps on;   /* the form in step */
    weir_color_config config;
    weir_direction direction;
    /* The form through the worklist has these of each device, in its memory; NULL: it needs none. */
    void *turn[WEIR_DEVICES_MAX], *order[WEIR_DEVICES_MAX], *heard[WEIR_DEVICES_MAX];
    int both; /* the graph is not symmetric; of this form as well */
};

/** Draw an order of 0 to count - 1, each as likely as the others, and bring it to device d; nothing in a plan.
 *  @param[in] first      tells devices apart.
 *  @param[in] order_out  memory of the device. */
weir_status weir__color_draw(const weir_color *color, uint32_t d, uint64_t first, uint32_t count,
                             void *order_out);

/** Create the form in step, or the one through the worklist. What was made the object's destructor takes back, after a failure too. */
weir_status weir__color_step_create(weir_color *color, const struct weir__making *making);
weir_status weir__color_push_create(weir_color *color, const struct weir__making *making);
/** What was picked. */
void weir__color_step_picked(const weir_color *color, weir_run_stats *stats);
/** Run. @param[out] stats  but for what both have. */
weir_status weir__color_step_run(weir_color *color, weir_run_stats *stats);
weir_status weir__color_push_run(weir_color *color, weir_run_stats *stats);
void weir__color_push_destroy(weir_color *color);

#endif
