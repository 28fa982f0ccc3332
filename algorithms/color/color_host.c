/** @file color_host.c  A colouring in step on host devices, and the program of both kinds. */
#include "algorithms/color/color_body.h"

#define WEIR_STEPS color
#include "worklist/steps_host_tmpl.h"
