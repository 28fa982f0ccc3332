/** @file color_push_host.c  A colouring through the worklist on host devices, and the operator for the engine. */
#include "algorithms/color/color_push_op.h"

#define WEIR_OPERATOR color_push
#include "worklist/engine_host_tmpl.h"
