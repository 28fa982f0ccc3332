/** @file pr_cells_cuda.cu  PageRank in two dimensions on GPUs. */
#include "algorithms/pr/pr_cells.h"

#define WEIR_STEPS pr_cells
#define WEIR_STEPS_NO_RESET
#define WEIR_STEPS_THREADS  512
#define WEIR_STEPS_PER_UNIT 2
#include "worklist/steps_cuda_tmpl.cuh"
