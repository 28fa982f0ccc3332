/** @file cc_near_several_host.c  Connected components in step, of rows of few arcs, on several devices: the program of both kinds. Host devices take that of cc_host.c, but in tests. */
#include "algorithms/cc/cc_near_several_body.h"

#include "worklist/steps_host_tmpl.h"
