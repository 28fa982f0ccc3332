/** @file beats_host.c  The body of beats.h on host devices, and its program. */
#include "tests/lib/beats_body.h"

#define WEIR_BSP beats
#include "worklist/bsp_host_tmpl.h"
