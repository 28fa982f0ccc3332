/** @file sssp_step_report.c  Shortest paths in step: what a run did, from the words of its devices. */
#include "algorithms/sssp/step.h"

static void report_phases(const struct sssp_step_words *const *words, uint32_t parts,
                          weir_run_stats *stats)
{
    static const char *const names[SSSP_STEP_KINDS] = {"light push", "exchange", "heavy pull",
                                                       "heavy push", "absorb"};
    for (int kind = 0; kind < SSSP_STEP_KINDS; kind++) {
        weir_run_phase *phase = &stats->phase[kind];
        *phase = (weir_run_phase){names[kind], 0, words[0]->steps[kind]};
        stats->steps += phase->steps;
        for (uint32_t p = 0; p < parts; p++) {
            double ms = (double)words[p]->ns[kind] / 1e6;
            phase->ms = phase->ms < ms ? ms : phase->ms;
        }
    }
}

void weir__sssp_step_report(const struct sssp_step_words *const *words, uint32_t parts,
                            uint64_t items, weir_run_stats *stats)
{
    uint64_t values = 0;
    report_phases(words, parts, stats);
    stats->direction = WEIR_DIRECTION_SWITCH;
    stats->work.ms = stats->kernel_ms;
    stats->work.kernel = WEIR_KERNEL_FUSED;
    stats->work.order = WEIR_ORDER_SOFT;
    stats->work.rounds = stats->steps * parts;
    for (uint32_t p = 0; p < parts; p++) {
        stats->work.processed += words[p]->rows;
        stats->work.atoms += words[p]->pushed + words[p]->pulled;
        values += words[p]->values * (parts - 1);
    }
    stats->work.sent = items + values;
    /* Of an arc its weight, its target and that one's distance; of a row two offsets, its distance, what was
     * done of it and its cursor. */
    stats->bytes = stats->work.atoms * 12 + stats->work.processed * (16 + 4 + 4 + 4);
    stats->bytes_sent = items * 8 + values * 4;
}
