/** @file cc_host.c  Connected components in step on host devices, and the program of both kinds. */
#include "algorithms/cc/cc_body.h"

#define WEIR_STEPS cc
#define WEIR_STEPS_NO_RESET
#include "worklist/steps_host_tmpl.h"
