/** @file steps_host_tmpl.h  A body of steps.h for host devices, and its weir_steps_body.
 *
 * A .c file includes the body, defines WEIR_STEPS to its name, and includes this. With WEIR_STEPS_EPILOGUE defined,
 * in the .cu file too, there is also an epilogue, which runs on each device when its own body is through, without barriers:
 *
 *     WEIR_DEV void NAME_epilogue(const struct NAME_args *args, const struct weir_steps_block *block);
 *
 * It may read and write the device's own arrays and weir_steps_page.result. What other devices wrote into these arrays
 * before the last barrier that the body passed is there.
 *
 * With WEIR_STEPS_NO_RESET defined, in the .cu file too, the kernel has no code that resets arrays before the body:
 * for programs without such arrays that need every register. weir_steps_create() refuses a table that has some. */
#include "worklist/steps.h"
#include "worklist/steps/names.h"

#include <stddef.h>

#define WEIR_STEPS_TEXT__(x) #x
#define WEIR_STEPS_TEXT_(x)  WEIR_STEPS_TEXT__(x)

_Static_assert(offsetof(struct WEIR_STEPS_NAME(, _args), member) == 0,
               "the arguments of a body begin with struct weir_steps_member member");
_Static_assert(sizeof(struct WEIR_STEPS_NAME(, _args)) <= WEIR_STEPS_ARGS_MAX,
               "the arguments of a body have more than WEIR_STEPS_ARGS_MAX bytes");

static void WEIR_STEPS_NAME(, _host)(const void *data, uint32_t worker, uint32_t workers)
{
    const struct WEIR_STEPS_NAME(, _args) *args = data;
    struct WEIR_STEPS_NAME(, _shared) shared;
    uint64_t share[WEIR_STEPS_SHARE] = {0};
    struct weir_steps_block block = {
        .block = worker, .blocks = workers, .threads = 1, .share = share};
    weir_steps_begin(&args->member, &block);
#ifndef WEIR_STEPS_NO_RESET
    if (weir_steps_prologue(&args->member, &block))
        return;
#endif
    WEIR_STEPS_NAME(, _body)(args, &shared, &block);
}

#ifdef WEIR_STEPS_EPILOGUE
static void WEIR_STEPS_NAME(, _epilogue_host)(const void *data, uint32_t worker, uint32_t workers)
{
    uint64_t share[WEIR_STEPS_SHARE] = {0};
    const struct weir_steps_block block = {
        .block = worker, .blocks = workers, .threads = 1, .share = share};
    WEIR_STEPS_NAME(, _epilogue)((const struct WEIR_STEPS_NAME(, _args) *)data, &block);
}
#endif

#if WEIR_CUDA
int WEIR_STEPS_NAME(weir__, _cuda)(void *stream, uint32_t workers, const void *args);
int WEIR_STEPS_LOAD(void);
#ifdef WEIR_STEPS_EPILOGUE
int WEIR_STEPS_NAME(weir__, _epilogue_cuda)(void *stream, uint32_t workers, const void *args);
#endif
#define WEIR_STEPS_CUDA(name) name
#else
#define WEIR_STEPS_CUDA(name) NULL
#endif

extern const weir_steps_body WEIR_STEPS_NAME(weir__, _steps);
const weir_steps_body WEIR_STEPS_NAME(weir__, _steps) = {
    .engine = WEIR_ENGINE_VERSION,
    .name = WEIR_STEPS_TEXT_(WEIR_STEPS),
    .kernel = {.name = WEIR_STEPS_TEXT_(WEIR_STEPS),
               .host = WEIR_STEPS_NAME(, _host),
               .cuda = WEIR_STEPS_CUDA(WEIR_STEPS_NAME(weir__, _cuda))},
#ifdef WEIR_STEPS_EPILOGUE
    .epilogue = {.name = WEIR_STEPS_TEXT_(WEIR_STEPS) " epilogue",
                 .host = WEIR_STEPS_NAME(, _epilogue_host),
                 .cuda = WEIR_STEPS_CUDA(WEIR_STEPS_NAME(weir__, _epilogue_cuda))},
#endif
    .load = WEIR_STEPS_CUDA(WEIR_STEPS_LOAD),
    .args_bytes = sizeof(struct WEIR_STEPS_NAME(, _args)),
#ifdef WEIR_STEPS_NO_RESET
    .no_reset = 1,
#endif
};
