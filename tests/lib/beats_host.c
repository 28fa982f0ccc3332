/** @file beats_host.c  The body of beats.h on host devices, and its program. */
#include "tests/lib/beats_body.h"

#define WEIR_STEPS beats
#include "worklist/steps_host_tmpl.h"
