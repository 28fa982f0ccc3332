/** @file launch.c  What the program puts into streams: copies, fills, kernels, calls, words. */
#include "tests/standin/internal.h"

#include "runtime/cuda/clock.h"
#include "runtime/sync.h"

#include "runtime/cuda/push.h"

#include <cuda.h>
#include <string.h>

static cudaError_t put(cudaStream_t stream, standin__op *op)
{
    return standin__end(op ? standin__put(stream, op) : cudaErrorMemoryAllocation);
}

static standin__op *copying(enum standin__kind kind, void *to, const void *from, size_t bytes)
{
    standin__op *op = standin__op_new(kind, 0);
    if (op) {
        op->to = to;
        op->from = from;
        op->bytes = bytes;
    }
    return op;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    cudaError_t error = standin__begin(STANDIN_cudaMemcpyAsync);
    (void)kind;
    return error ? error : put(stream, copying(STANDIN__COPY, to, from, bytes));
}

cudaError_t cudaMemsetAsync(void *data, int value, size_t bytes, cudaStream_t stream)
{
    cudaError_t error = standin__begin(STANDIN_cudaMemsetAsync);
    if (error)
        return error;
    standin__op *op = copying(STANDIN__FILL, data, NULL, bytes);
    if (op)
        op->value = (uint32_t)value;
    return put(stream, op);
}

/* Of the default stream, which the streams of weir do not wait for: at once. */
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t error = standin__begin(STANDIN_cudaMemcpy);
    (void)kind;
    if (error)
        return error;
    standin__enter();
    error = standin__state(standin__here());
    standin__leave();
    if (!error)
        memmove(to, from, bytes);
    return standin__end(error);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    cudaError_t error = standin__begin(STANDIN_cudaLaunchHostFunc);
    if (error)
        return error;
    standin__op *op = standin__op_new(STANDIN__CALL, 0);
    if (op) {
        op->function = function;
        op->to = user;
    }
    return put(stream, op);
}

/* A kernel is refused where another device is current, as by CUDA. */
static cudaError_t may_launch(const standin__stream *stream)
{
    cudaError_t error = standin__begin(STANDIN_cudaLaunchKernel);
    if (error)
        return error;
    standin__enter();
    if (standin__here() != stream->device)
        error = cudaErrorInvalidResourceHandle;
    standin__leave();
    return standin__end(error);
}

int standin__launch(void *stream, standin__form form, uint32_t workers, const void *args,
                    size_t args_bytes)
{
    cudaError_t error = may_launch(stream);
    if (error)
        return (int)error;
    standin__op *op = standin__op_new(STANDIN__KERNEL, args_bytes);
    if (op) {
        op->form = form;
        op->value = workers;
        if (args_bytes)
            memcpy(op->args, args, args_bytes);
    }
    return (int)put(stream, op);
}

/* ---- the library's copies by a kernel (runtime/cuda/push.cu) ------------------------------------------ */

cudaError_t weir__cuda_push_load(void)
{
    return cudaSuccess;
}

cudaError_t weir__cuda_push_start(cudaStream_t stream, unsigned units, void *destination,
                                  const void *source, size_t bytes)
{
    cudaError_t error = may_launch(stream);
    (void)units;
    return error ? error : put(stream, copying(STANDIN__PUSH, destination, source, bytes));
}

/* ---- the clock of kernels (runtime/cuda/clock.cu) ------------------------------------------------------ */

struct clock_args {
    struct weir__clock_words *words;
    uint64_t patience_ns;
};

static void clock_host(const void *data, uint32_t worker, uint32_t workers)
{
    const struct clock_args *args = data;
    const uint64_t until = weir_clock_ns() + args->patience_ns;
    (void)worker;
    (void)workers;
    weir_store_release_sys_u32(&args->words->answered, 1);
    while (!weir_load_acquire_sys_u32(&args->words->asked))
        if (weir_clock_ns() > until)
            return;
    args->words->ns = weir_clock_ns();
    weir_store_release_sys_u32(&args->words->answered, 2);
}

cudaError_t weir__cuda_clock_start(cudaStream_t stream, struct weir__clock_words *words,
                                   uint64_t patience_ns)
{
    const struct clock_args args = {words, patience_ns};
    return (cudaError_t)standin__launch(stream, clock_host, 1, &args, sizeof args);
}

/* ---- words of memory --------------------------------------------------------------------------------- */

static CUresult put_word(CUstream stream, standin__op *op, CUdeviceptr word, uint32_t value)
{
    if (op) {
        op->to = (void *)(uintptr_t)word;
        op->from = op->to;
        op->value = value;
    }
    return (CUresult)put(stream, op);
}

/* Only what weir uses: at least this, by the difference of the two. */
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr word, cuuint32_t value, unsigned flags)
{
    cudaError_t error = standin__begin(STANDIN_cuStreamWaitValue32);
    if (error)
        return (CUresult)error;
    if (flags != CU_STREAM_WAIT_VALUE_GEQ)
        return CUDA_ERROR_INVALID_VALUE;
    return put_word(stream, standin__op_new(STANDIN__WAIT_WORD, 0), word, value);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr word, cuuint32_t value, unsigned flags)
{
    cudaError_t error = standin__begin(STANDIN_cuStreamWriteValue32);
    if (error)
        return (CUresult)error;
    if (flags != CU_STREAM_WRITE_VALUE_DEFAULT)
        return CUDA_ERROR_INVALID_VALUE;
    return put_word(stream, standin__op_new(STANDIN__WRITE_WORD, 0), word, value);
}
