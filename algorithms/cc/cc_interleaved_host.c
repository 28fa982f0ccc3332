/** @file cc_interleaved_host.c  Connected components in step, with interleaved names, on host devices, and the program of both kinds. */
#include "algorithms/cc/cc_interleaved_body.h"

#include "worklist/steps_host_tmpl.h"
