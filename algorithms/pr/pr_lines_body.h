/** @file pr_lines_body.h  The body of pr_pull.h for arcs in host memory, a kernel of its own: the link to it carries less in requests of
 * less than a line of 128 bytes. Where arcs lie in the device's memory, to bring lanes and lines together costs 5 % on graphs of short
 * rows, and gains nothing. */
#ifndef WEIR_ALGORITHMS_PR_PR_LINES_BODY_H
#define WEIR_ALGORITHMS_PR_PR_LINES_BODY_H

#define PR_LINES 1
#include "algorithms/pr/pr_pull.h"

#define pr_lines_args   pr_pull_args
#define pr_lines_shared pr_pull_shared
#define pr_lines_body   pr_pull_body

#define WEIR_STEPS pr_lines
#define WEIR_STEPS_NO_RESET

#endif
