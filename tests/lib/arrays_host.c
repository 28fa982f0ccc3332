/** @file arrays_host.c  The body of arrays.h on host devices. */
#include "tests/lib/arrays_body.h"

#define WEIR_STEPS arrays
#define WEIR_STEPS_EPILOGUE
#include "worklist/steps_host_tmpl.h"
