/** @file cuda_runtime.h  The same as the C interface: there is no CUDA C++ without nvcc. */
#ifndef WEIR_TESTS_STANDIN_CUDA_RUNTIME_H
#define WEIR_TESTS_STANDIN_CUDA_RUNTIME_H

#include <cuda_runtime_api.h>

#endif
