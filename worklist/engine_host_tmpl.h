/** @file engine_host_tmpl.h  The kernel of one operator for host devices, and its weir_operator.
 *
 * A .c file includes the operator's header, defines WEIR_OPERATOR to its name, and includes this;
 * it gets `const weir_operator weir__NAME_operator`. */
#include "worklist/engine/engine_tmpl.h"
#include "worklist/worklist.h"

/* Channels of packed items that find room where a warp stages them (worklist/host/sizes.c), and what they take. */
enum {
    OP(staged_fit) = WEIR_STAGE_BYTES / (STAGE_ROOM * sizeof(OP(wire))),
    OP(staged_channels) = OP(staged_fit) < STAGE_CHANNELS ? OP(staged_fit) : STAGE_CHANNELS,
    OP(stage_wires_here) = OP(staged_channels) ? OP(staged_channels) * STAGE_ROOM : 1
};

static void OP(engine_host)(const void *data, uint32_t worker, uint32_t workers)
{
    const struct OP(args) *args = (const struct OP(args) *)data;
    OP(wire) stage[OP(stage_wires_here)];
    struct OP(block) block;
    block.stage = stage;
#if OP(narrow)
    if (args->work.narrow) {
        OP(narrow_engine)(args, &block, worker, workers, args->work.workers > 1);
        return;
    }
#endif
    OP(engine)(args, &block, worker, workers, FORM_GENERAL);
}

static void OP(live_host)(const void *data, uint32_t worker, uint32_t workers)
{
    OP(wire) stage[OP(stage_wires_here)];
    struct OP(block) block;
    block.stage = stage;
    OP(live_engine)((const struct OP(args) *)data, &block, worker, workers, FORM_GENERAL);
}

#define WEIR_TMPL_CUDA_(op, name) weir__##op##_##name##_cuda
#define WEIR_TMPL_CUDA(op, name)  WEIR_TMPL_CUDA_(op, name)
#define WEIR_TMPL_TEXT_(x)        #x
#define WEIR_TMPL_TEXT(x)         WEIR_TMPL_TEXT_(x)
#if WEIR_CUDA
#define CUDA_FORM(name) WEIR_TMPL_CUDA(WEIR_OPERATOR, name)
int CUDA_FORM(fused)(void *stream, uint32_t workers, const void *args);
int CUDA_FORM(discrete)(void *stream, uint32_t workers, const void *args);
int CUDA_FORM(live)(void *stream, uint32_t workers, const void *args);
int CUDA_FORM(load)(void);
int CUDA_FORM(own_schedule)(void);
uint64_t CUDA_FORM(block_bytes)(uint32_t stage_channels);
#else
#define CUDA_FORM(name) NULL
#endif

#define WEIR_TMPL_OPERATOR_(op) weir__##op##_operator
#define WEIR_TMPL_OPERATOR(op)  WEIR_TMPL_OPERATOR_(op)
extern const weir_operator WEIR_TMPL_OPERATOR(WEIR_OPERATOR);
const weir_operator WEIR_TMPL_OPERATOR(WEIR_OPERATOR) = {
    .name = WEIR_TMPL_TEXT(WEIR_OPERATOR),
    .engine = WEIR_ENGINE_VERSION,
    .item_bytes = sizeof(OP(item)),
    .wire_bytes = sizeof(OP(wire)),
    .piece_bytes = sizeof(struct OP(piece)),
    .state_bytes = sizeof(OP(state)),
#ifdef WEIR_SCHEDULE
    .own_schedule = 1,
#endif
#if OP(narrow)
    .narrow = 1,
#endif
#if OP(seeds)
    .seeds = 1,
#endif
#if OP(folds)
    .folds = 1,
#endif
    .fused = {.name = WEIR_TMPL_TEXT(WEIR_OPERATOR) " fused",
              .host = OP(engine_host),
              .cuda = CUDA_FORM(fused)},
    .discrete = {.name = WEIR_TMPL_TEXT(WEIR_OPERATOR) " discrete",
                 .host = OP(engine_host),
                 .cuda = CUDA_FORM(discrete)},
    .live = {.name = WEIR_TMPL_TEXT(WEIR_OPERATOR) " live",
             .host = OP(live_host),
             .cuda = CUDA_FORM(live)},
    .load = CUDA_FORM(load),
    .own_schedule_cuda = CUDA_FORM(own_schedule),
    .block_bytes = sizeof(struct OP(block)) + sizeof(OP(wire)[OP(stage_wires_here)]),
    .block_bytes_cuda = CUDA_FORM(block_bytes),
};
