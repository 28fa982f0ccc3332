/** @file bsp_host_tmpl.h  A body of bsp.h for host devices, and its weir_bsp_program.
 *
 * A .c file includes the body, defines WEIR_BSP to its name, and includes this. */
#include "worklist/bsp.h"

#define WEIR_BSP_PASTE__(a, b, c)     a##b##c
#define WEIR_BSP_PASTE_(a, b, c)      WEIR_BSP_PASTE__(a, b, c)
#define WEIR_BSP_TEXT__(x)            #x
#define WEIR_BSP_TEXT_(x)             WEIR_BSP_TEXT__(x)
#define WEIR_BSP_NAME(prefix, suffix) WEIR_BSP_PASTE_(prefix, WEIR_BSP, suffix)

static void WEIR_BSP_NAME(, _host)(const void *data, uint32_t worker, uint32_t workers)
{
    const struct WEIR_BSP_NAME(, _args) *args = data;
    struct WEIR_BSP_NAME(, _shared) shared;
    uint64_t share[WEIR_BSP_SHARE] = {0};
    struct weir_bsp_block block = {
        .block = worker, .blocks = workers, .threads = 1, .share = share};
    weir_bsp_begin(&args->member, &block);
    WEIR_BSP_NAME(, _body)(args, &shared, &block);
}

#if WEIR_CUDA
int WEIR_BSP_NAME(weir__, _cuda)(void *stream, uint32_t workers, const void *args);
int WEIR_BSP_NAME(weir__, _load)(void);
#define WEIR_BSP_CUDA(suffix) WEIR_BSP_NAME(weir__, suffix)
#else
#define WEIR_BSP_CUDA(suffix) NULL
#endif

extern const weir_bsp_program WEIR_BSP_NAME(weir__, _program);
const weir_bsp_program WEIR_BSP_NAME(weir__, _program) = {
    .name = WEIR_BSP_TEXT_(WEIR_BSP),
    .kernel = {WEIR_BSP_TEXT_(WEIR_BSP), WEIR_BSP_NAME(, _host), WEIR_BSP_CUDA(_cuda)},
    .load = WEIR_BSP_CUDA(_load),
    .args_bytes = sizeof(struct WEIR_BSP_NAME(, _args)),
};
