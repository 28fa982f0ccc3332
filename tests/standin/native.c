/** @file native.c  Streams that a program makes by itself, on the stand-in: by the same calls of CUDA, which are C. */
#include "tests/lib/native_cuda.cu"
