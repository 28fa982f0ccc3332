/** @file engine_narrow_cuda_tmpl.cuh  The kernel of one operator for narrow rounds on GPUs, behind C launchers.
 *
 * A .cu file beside the one that includes engine_cuda_tmpl.cuh includes the operator's header, defines
 * WEIR_OPERATOR to its name, and includes this; for operators that opt in (worklist/operator.h). In a file of
 * its own, since a compiler that sees both gives registers to the one at the other's expense. */
#define BLOCKS_PER_UNIT \
    1 /* which gives a thread all the registers that it wants: spilled ones are slow after a barrier */
#include "worklist/engine/launch_tmpl.cuh"
#if !OP(narrow)
#error \
    "this operator has no narrow rounds: its header defines NAME_narrow to 1 (worklist/operator.h) or this file goes"
#endif

static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_UNIT)
    OP(narrow_kernel)(const __grid_constant__ struct OP(args) args)
{
    OP(narrow_engine)(&args, OP(block_here)(), blockIdx.x, gridDim.x, 0);
}

/* The same where there are other workers. */
static __global__ void __launch_bounds__(THREADS, BLOCKS_PER_UNIT)
    OP(narrow_kernel_of_several)(const __grid_constant__ struct OP(args) args)
{
    OP(narrow_engine)(&args, OP(block_here)(), blockIdx.x, gridDim.x, 1);
}

extern "C" int NARROW_LAUNCHER(narrow)(void *stream, const void *data);
extern "C" int NARROW_LAUNCHER(narrow_load)(void);

extern "C" int NARROW_LAUNCHER(narrow)(void *stream, const void *data)
{
    static struct OP(launched) one = {(void *)OP(narrow_kernel), {0}};
    static struct OP(launched) several = {(void *)OP(narrow_kernel_of_several), {0}};
    const struct OP(args) *args = (const struct OP(args) *)data;
    return OP(launch_resident)(args->work.workers > 1 ? &several : &one, stream, data);
}

extern "C" int NARROW_LAUNCHER(narrow_load)(void)
{
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, OP(narrow_kernel));
    return (int)(error ? error : cudaFuncGetAttributes(&attributes, OP(narrow_kernel_of_several)));
}
