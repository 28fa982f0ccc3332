/** @file steps_host_tmpl.h  A body of steps.h for host devices, and its weir_steps_program.
 *
 * A .c file includes the body, defines WEIR_STEPS to its name, and includes this. */
#include "worklist/steps.h"

#define WEIR_STEPS_PASTE__(a, b, c)     a##b##c
#define WEIR_STEPS_PASTE_(a, b, c)      WEIR_STEPS_PASTE__(a, b, c)
#define WEIR_STEPS_TEXT__(x)            #x
#define WEIR_STEPS_TEXT_(x)             WEIR_STEPS_TEXT__(x)
#define WEIR_STEPS_NAME(prefix, suffix) WEIR_STEPS_PASTE_(prefix, WEIR_STEPS, suffix)

static void WEIR_STEPS_NAME(, _host)(const void *data, uint32_t worker, uint32_t workers)
{
    const struct WEIR_STEPS_NAME(, _args) *args = data;
    struct WEIR_STEPS_NAME(, _shared) shared;
    uint64_t share[WEIR_STEPS_SHARE] = {0};
    struct weir_steps_block block = {
        .block = worker, .blocks = workers, .threads = 1, .share = share};
    weir_steps_begin(&args->member, &block);
    WEIR_STEPS_NAME(, _body)(args, &shared, &block);
}

#if WEIR_CUDA
int WEIR_STEPS_NAME(weir__, _cuda)(void *stream, uint32_t workers, const void *args);
int WEIR_STEPS_NAME(weir__, _load)(void);
#define WEIR_STEPS_CUDA(suffix) WEIR_STEPS_NAME(weir__, suffix)
#else
#define WEIR_STEPS_CUDA(suffix) NULL
#endif

extern const weir_steps_program WEIR_STEPS_NAME(weir__, _program);
const weir_steps_program WEIR_STEPS_NAME(weir__, _program) = {
    .name = WEIR_STEPS_TEXT_(WEIR_STEPS),
    .kernel = {WEIR_STEPS_TEXT_(WEIR_STEPS), WEIR_STEPS_NAME(, _host), WEIR_STEPS_CUDA(_cuda)},
    .load = WEIR_STEPS_CUDA(_load),
    .args_bytes = sizeof(struct WEIR_STEPS_NAME(, _args)),
};
