/** @file cc_near_host.c  Connected components in step, of rows of few arcs: the program of both kinds. Host devices take that of cc_host.c, but in tests. */
#include "algorithms/cc/cc_near_body.h"

#include "worklist/steps_host_tmpl.h"
