/** @file range_tmpl.h  The ranges of range.h for numbers of one width: WEIR_RANGES is the prefix, WEIR_RANGES_NUMBER the type. */
#define WEIR__R(name) WEIR_SCHEDULE_NAME(WEIR_RANGES, name)

/** Numbers from `at` on in steps, below `end`. */
typedef struct WEIR__R(range) {
    WEIR_RANGES_NUMBER at, end, step;
} WEIR__R(range);

/** The next number. @return 0: there are none. Never past what a number holds, whatever the step. */
WEIR_DEV int WEIR__R(range_next)(WEIR__R(range) * range, WEIR_RANGES_NUMBER *number)
{
    if (range->at >= range->end)
        return 0;
    *number = range->at;
    range->at = range->end - range->at > range->step ? range->at + range->step : range->end;
    return 1;
}

/** begin, begin + step, ... below end; @p step > 0. */
WEIR_DEV WEIR__R(range)
    WEIR__R(step_range)(WEIR_RANGES_NUMBER begin, WEIR_RANGES_NUMBER end, WEIR_RANGES_NUMBER step)
{
    WEIR__R(range) range = {begin, end, step};
    return range;
}

/** This lane's of begin to end - 1, dealt out in turn over the lanes of all @p workers workers of a kernel, of which this lane is of
 *  @p worker: the grid's stride. @p worker < @p workers, as a kernel is told them. */
WEIR_DEV WEIR__R(range) WEIR__R(grid_range)(WEIR_RANGES_NUMBER begin, WEIR_RANGES_NUMBER end,
                                            uint32_t worker, uint32_t workers)
{
    const WEIR_RANGES_NUMBER lane = (WEIR_RANGES_NUMBER)worker * WEIR_LANES + weir_lane();
    WEIR__R(range) range = {begin, end, (WEIR_RANGES_NUMBER)workers * WEIR_LANES};
    range.at = begin < end && lane < end - begin ? begin + lane : end;
    return range;
}

/** The same over the lanes of a warp. */
WEIR_DEV WEIR__R(range) WEIR__R(warp_range)(WEIR_RANGES_NUMBER begin, WEIR_RANGES_NUMBER end)
{
    return WEIR__R(grid_range)(begin, end, 0, 1);
}

/** The same over the lanes of a block, whatever their number. */
WEIR_DEV WEIR__R(range) WEIR__R(block_range)(WEIR_RANGES_NUMBER begin, WEIR_RANGES_NUMBER end)
{
    WEIR__R(range) range = {begin, end, weir_threads()};
    range.at = begin < end && weir_thread() < end - begin ? begin + weir_thread() : end;
    return range;
}

/** begin, begin + step, ... without an end, for kernels that run until all work is done: whoever asks says when that is. The numbers
 *  wrap round behind the last that there is. */
typedef struct WEIR__R(infinite_range) {
    WEIR_RANGES_NUMBER at, step;
} WEIR__R(infinite_range);

/** The next number. */
WEIR_DEV WEIR_RANGES_NUMBER WEIR__R(infinite_range_next)(WEIR__R(infinite_range) * range)
{
    const WEIR_RANGES_NUMBER number = range->at;
    range->at += range->step;
    return number;
}

#undef WEIR_RANGES
#undef WEIR_RANGES_NUMBER
#undef WEIR__R
