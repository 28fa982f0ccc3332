/** @file pr_push_host.c  PageRank by residuals on host devices, and the operator for the engine. */
#include "algorithms/pr/pr_push_op.h"

#include "worklist/engine_host_tmpl.h"
