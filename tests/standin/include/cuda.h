/** @file cuda.h  The part of the CUDA driver's interface that weir calls, for the stand-in. */
#ifndef WEIR_TESTS_STANDIN_CUDA_H
#define WEIR_TESTS_STANDIN_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_VERSION 13000

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

typedef uint32_t cuuint32_t;
typedef unsigned long long CUdeviceptr;
typedef struct CUstream_st *CUstream;
typedef struct CUctx_st *CUcontext;

#define CU_STREAM_WAIT_VALUE_GEQ      0x0
#define CU_STREAM_WAIT_VALUE_EQ       0x1
#define CU_STREAM_WRITE_VALUE_DEFAULT 0x0

CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr word, cuuint32_t value, unsigned flags);
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr word, cuuint32_t value, unsigned flags);

#ifdef __cplusplus
}
#endif
#endif
