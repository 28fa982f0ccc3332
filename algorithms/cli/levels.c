/** @file levels.c  What the levels of a search in two dimensions told: kept for each trial, shown in documents level by level and pair by
 *  pair, and added up in the text. */
#include "algorithms/cli/traversal.h"

#include <jansson.h>

/* Most pairs share neither a column nor a row. Those are not kept. */
static int keep_pairs(weir__cli_trials *trials, weir__cli_level *kept, uint64_t level,
                      const weir__cli_algorithm *algorithm, void *object, uint32_t devices)
{
    int code = EXIT_DONE;
    kept->first_pair = trials->pairs.count;
    for (uint32_t i = 0; i < devices * devices && !code; i++) {
        weir__cli_pair pair = {i / devices, i % devices, WEIR_RUN_PAIR_INIT};
        weir_status status = algorithm->level_pair(object, level, pair.from, pair.to, &pair.told);
        if (status)
            return weir__cli_fail_status(status);
        if (pair.told.bytes)
            code = weir__cli_records_add(&trials->pairs, &pair);
    }
    kept->pair_count = (uint32_t)(trials->pairs.count - kept->first_pair);
    return code;
}

int weir__cli_trials_levels(weir__cli_trials *trials, weir__cli_trial *trial,
                            const weir__cli_algorithm *algorithm, void *object, int pairs)
{
    const uint64_t known = algorithm->levels_known ? algorithm->levels_known(object) : 0;
    int code = EXIT_DONE;
    trial->first_level = trials->levels.count;
    for (uint64_t level = 0; level < known && !code; level++) {
        weir__cli_level kept = {.told = WEIR_RUN_LEVEL_INIT};
        weir_status status = algorithm->level(object, level, &kept.told);
        if (status)
            return weir__cli_fail_status(status);
        if (pairs)
            code = keep_pairs(trials, &kept, level, algorithm, object, trial->stats.devices);
        if (!code)
            code = weir__cli_records_add(&trials->levels, &kept);
    }
    trial->level_count = trials->levels.count - trial->first_level;
    return code;
}

int weir__cli_levels_sum(const weir__cli_trials *trials, const weir__cli_trial *trial,
                         weir_run_level *sum_out)
{
    weir_run_level sum = WEIR_RUN_LEVEL_INIT;
    for (uint64_t i = 0; i < trial->level_count; i++) {
        weir__cli_level kept;
        int code = weir__cli_records_get(&trials->levels, trial->first_level + i, &kept);
        if (code)
            return code;
        const weir_run_level *told = &kept.told;
        sum.expand_bytes += told->expand_bytes;
        sum.fold_bytes += told->fold_bytes;
        if (told->expand_partners > sum.expand_partners)
            sum.expand_partners = told->expand_partners;
        if (told->fold_partners > sum.fold_partners)
            sum.fold_partners = told->fold_partners;
    }
    *sum_out = sum;
    return EXIT_DONE;
}

/* ---- documents ------------------------------------------------------------------------------- */

static json_t *pair_json(const weir__cli_pair *pair)
{
    return json_pack(
        "{s:o, s:o, s:s, s:o, s:o, s:s}", "from", weir__cli_json_integer(pair->from), "to",
        weir__cli_json_integer(pair->to), "phase", pair->told.fold ? "fold" : "expand", "items",
        weir__cli_json_integer(pair->told.items), "bytes", weir__cli_json_integer(pair->told.bytes),
        "wire", weir_wire_text(pair->told.wire));
}

/* @return NULL: no memory, or what was kept cannot be read. */
static json_t *pairs_json(const weir__cli_trials *trials, const weir__cli_level *level)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < level->pair_count; i++) {
        weir__cli_pair pair;
        if (weir__cli_records_get(&trials->pairs, level->first_pair + i, &pair) ||
            json_array_append_new(rows, pair_json(&pair))) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

static json_t *level_json(const weir__cli_trials *trials, const weir__cli_level *level)
{
    const weir_run_level *told = &level->told;
    return json_pack("{s:o, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "frontier",
                     weir__cli_json_integer(told->frontier), "expand_ms", told->expand_ms,
                     "compute_ms", told->compute_ms, "fold_ms", told->fold_ms, "update_ms",
                     told->update_ms, "expand_bytes", weir__cli_json_integer(told->expand_bytes),
                     "fold_bytes", weir__cli_json_integer(told->fold_bytes), "expand_partners",
                     weir__cli_json_integer(told->expand_partners), "fold_partners",
                     weir__cli_json_integer(told->fold_partners), "pairs",
                     pairs_json(trials, level));
}

json_t *weir__cli_levels_json(const weir__cli_trials *trials, const weir__cli_trial *trial)
{
    json_t *rows = json_array();
    for (uint64_t i = 0; i < trial->level_count; i++) {
        weir__cli_level level;
        if (weir__cli_records_get(&trials->levels, trial->first_level + i, &level) ||
            json_array_append_new(rows, level_json(trials, &level))) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}
