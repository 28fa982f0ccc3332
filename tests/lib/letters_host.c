/** @file letters_host.c  The body of letters.h on host devices, and its program. */
#include "tests/lib/letters_body.h"

#define WEIR_STEPS letters
#include "worklist/steps_host_tmpl.h"
