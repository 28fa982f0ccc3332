/** @file cc_cells_cuda.cu  Connected components in two dimensions on GPUs. */
#include "algorithms/cc/cc_cells_round.h"

#define WEIR_STEPS cc_cells
#define WEIR_STEPS_NO_RESET
#define WEIR_STEPS_THREADS  512
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"
