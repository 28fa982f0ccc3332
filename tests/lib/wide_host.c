/** @file wide_host.c  Items of 512 bytes on host devices; more than a GPU's block has room for. */
#define WEIR_OPERATOR wide
#define WIDE_WORDS    62u
#include "tests/lib/wide_tmpl.h"

#include "worklist/engine_host_tmpl.h"
