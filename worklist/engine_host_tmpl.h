/** @file engine_host_tmpl.h  The kernels of one operator for host devices, and its weir_operator.
 *
 * A .c file includes the operator's header, defines WEIR_OPERATOR to its name, and includes this;
 * it gets `const weir_operator weir__NAME_operator`. */
#include "worklist/engine_tmpl.h"
#include "worklist/worklist.h"

static void OP(process_host)(const void *args, uint32_t worker, uint32_t workers)
{
    (void)workers;
    OP(process)((const struct OP(args) *)args, worker);
}

static void OP(receive_host)(const void *args, uint32_t worker, uint32_t workers)
{
    OP(receive)((const struct OP(args) *)args, worker, workers);
}

static void OP(release_host)(const void *args, uint32_t worker, uint32_t workers)
{
    OP(release)((const struct OP(args) *)args, worker, workers);
}

#define WEIR_TMPL_CUDA_(op, name) weir__##op##_##name##_cuda
#define WEIR_TMPL_CUDA(op, name)  WEIR_TMPL_CUDA_(op, name)
#define WEIR_TMPL_TEXT_(x)        #x
#define WEIR_TMPL_TEXT(x)         WEIR_TMPL_TEXT_(x)
#if WEIR_CUDA
#define CUDA_FORM(name) WEIR_TMPL_CUDA(WEIR_OPERATOR, name)
int CUDA_FORM(process)(void *stream, uint32_t workers, const void *args);
int CUDA_FORM(receive)(void *stream, uint32_t workers, const void *args);
int CUDA_FORM(release)(void *stream, uint32_t workers, const void *args);
#else
#define CUDA_FORM(name) NULL
#endif

#define WEIR_TMPL_OPERATOR_(op) weir__##op##_operator
#define WEIR_TMPL_OPERATOR(op)  WEIR_TMPL_OPERATOR_(op)
extern const weir_operator WEIR_TMPL_OPERATOR(WEIR_OPERATOR);
const weir_operator WEIR_TMPL_OPERATOR(WEIR_OPERATOR) = {
    .name = WEIR_TMPL_TEXT(WEIR_OPERATOR),
    .item_bytes = sizeof(OP(item)),
    .wire_bytes = sizeof(OP(wire)),
    .state_bytes = sizeof(OP(state)),
    .strand_bytes = sizeof(struct OP(strand)),
    .process = {WEIR_TMPL_TEXT(WEIR_OPERATOR) " process", OP(process_host), CUDA_FORM(process)},
    .receive = {WEIR_TMPL_TEXT(WEIR_OPERATOR) " receive", OP(receive_host), CUDA_FORM(receive)},
    .release = {WEIR_TMPL_TEXT(WEIR_OPERATOR) " release", OP(release_host), CUDA_FORM(release)},
};
