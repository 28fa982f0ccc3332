/** @file plain.h  Lines that are nothing but the numbers of an arc, or of METIS's row of a vertex, many at a time. Not installed.
 *
 * Nearly all lines of a text are such lines. What they hold is taken here without a look at anything else; the first line
 * that has any other byte, or a number that its format refuses, ends this and is left to the loader, which knows all
 * rules and the sentence of each. So no rule stands in two places, but for what a plain line is. */
#ifndef WEIR_ALGORITHMS_GRAPH_PLAIN_H
#define WEIR_ALGORITHMS_GRAPH_PLAIN_H

#include <stdint.h>
#include <string.h>

/** What a plain line of a format is: [LETTER] SOURCE TARGET [WEIGHT], with blanks or tabs between them. Of METIS text it is a comment, or a
 *  row: some numbers, then TARGET [WEIGHT] as often as one likes; the number of the line, comments not counted, is SOURCE. */
typedef struct weir__plain_form {
    int rows; /**< METIS text; of what follows `weighted` and `high` count, which are weights of edges and the last vertex */
    uint32_t first;     /**< numbers of a row in front of its targets */
    char letter;        /**< a word of its own in front of the numbers; 0: none */
    int commas;         /**< one comma may stand between two numbers */
    int weighted;       /**< there is a third number */
    int integers;       /**< it has neither point nor exponent */
    uint64_t low, high; /**< the first id and the last; high is below 2^32 */
} weir__plain_form;

/** Where arcs of another source begin. */
struct weir__run {
    uint32_t source, begin; /**< begin: the first of them, counted from the first arc of all */
};

/** Arcs that are dealt out as they come (deal.h). */
typedef struct weir__early weir__early;

/** Arcs of plain lines, and what loaders want to know of them. */
typedef struct weir__plain {
    uint64_t lines;              /**< that were taken */
    uint64_t bytes;              /**< of them */
    uint64_t rows;               /**< those that are rows of METIS */
    uint64_t balance;            /**< of their arcs, as weir__metis_balance() has it */
    uint64_t count, room;        /**< arcs; the arrays have memory for room */
    uint32_t *sources, *targets; /**< ids less the form's low */
    struct weir__run *runs;      /**< memory for one more than room */
    uint64_t run_count;          /**< of them, once they were found */
    weir__early *deal_to; /**< who took the arcs, but not their memory yet (deal.h); NULL: nobody */
    double *weights;      /**< if the form has some and one is a fraction */
    uint32_t *integers;   /**< they, if none is: in the memory of `weights` */
    int fractions;        /**< some weight is no integer of 32 bits, or is -0 */
    int tangled; /**< some arc is not above the one before: arcs do not ascend by source, then target */
    uint64_t highest; /**< of all sources and targets */
    uint64_t loops;
    uint64_t
        negative; /**< line of the first weight below 0 of an arc that is no loop, from 1; 0: none */
} weir__plain;

/** Take plain lines at the beginning of a text, as many as there is room for. Eight bytes behind @p end may be read; the
 *  byte before @p end or the one at it ends a line, and a zero follows somewhere behind that.
 *  @param[in] before  rows of METIS text in front of it. @param[out] plain_out  the arrays and room are set.
 *  @return the first byte that was not taken. */
const char *weir__plain_take(const weir__plain_form *form, uint64_t before, const char *text,
                             const char *end, weir__plain *plain_out);

/** Take lines of numbers of up to eight digits with one blank or tab between them at the beginning of a text, as many as there is room for, behind
 *  those that `plain` has: on processors that can take many at a time; on others none. What is behind the last 64 bytes is left.
 *  @return the first byte that was not taken. */
const char *weir__plain_stretches(const weir__plain_form *form, const char *text, const char *end,
                                  weir__plain *plain);

/** How many ways there are on this processor to take lines: one by one; many at a time, in registers of 32 bytes; the same of 64. The last one is taken. */
int weir__plain_ways(void);
/** Take no other than the first so many; 0: all. For tests. */
void weir__plain_pretend(int most);

/** Lines that are cut into numbers: so many bytes of text at the most. */
#define WEIR__CUT_BYTES 4096u

/** What a piece of text was cut into. */
struct weir__cut {
    unsigned numbers, lines; /**< lines that end in it */
    unsigned
        bytes; /**< up to behind the last blank or end, so that no number is cut in two; 0: it could not be cut */
    uint16_t stop
        [WEIR__CUT_BYTES]; /**< of each line: numbers up to its end, from the begin of the piece */
    uint16_t end[WEIR__CUT_BYTES]; /**< and bytes */
};

/** Cut the beginning of a text, which may be within a line, into numbers of 1 to @p high, eight digits at the most, up to the first byte that is none of
 *  theirs and no blank, tab or end of a line; on processors that can, on others nothing. Eight bytes behind @p end may be read.
 *  @param[out] numbers_out  less 1. @param[in] room  for so many. */
void weir__plain_cut(const char *text, const char *end, uint64_t high, uint32_t *numbers_out,
                     uint64_t room, struct weir__cut *cut_out);

/** Part pairs that were cut, into their first numbers and their second ones, which are 1 too small.
 *  @return the highest first number. */
uint32_t weir__plain_part(const uint32_t *numbers, unsigned pairs, uint32_t *first_out,
                          uint32_t *second_out);

/** Whether an arc comes behind another one in a graph. */
static inline int weir__arc_above(uint64_t source_before, uint64_t target_before, uint64_t source,
                                  uint64_t target)
{
    return source > source_before || (source == source_before && target > target_before);
}

/** Keep a weight as the one of arc @p at, behind those of all before. */
static inline void weir__plain_weigh(double weight, uint64_t at, weir__plain *plain)
{
    const uint32_t integer = weight >= 0 && weight <= UINT32_MAX ? (uint32_t)weight : 0;
    const double again = integer;
    if (!plain->fractions && memcmp(&again, &weight, sizeof weight) == 0) {
        plain->integers[at] = integer;
        return;
    }
    for (uint64_t i = plain->fractions ? 0 : at; i-- > 0;)
        plain->weights[i] = plain->integers[i]; /* which lies there or in front */
    plain->fractions = 1;
    plain->weights[at] = weight;
}

/** The weight of an arc that was kept. */
static inline double weir__plain_weight(const weir__plain *plain, uint64_t at)
{
    return plain->fractions ? plain->weights[at] : plain->integers[at];
}

/** Keep the arc of a line behind those that there are. @return 0: an id is none of the form. */
static inline int weir__plain_keep(const weir__plain_form *form, uint64_t source, uint64_t target,
                                   double weight, weir__plain *plain)
{
    const uint64_t span = form->high - form->low, count = plain->count;
    source -= form->low; /* ids below low become far too large */
    target -= form->low;
    const uint64_t larger = source > target ? source : target;
    if (larger > span)
        return 0;
    plain->tangled |= count > 0 && !weir__arc_above(plain->sources[count - 1],
                                                    plain->targets[count - 1], source, target);
    plain->sources[count] = (uint32_t)source;
    plain->targets[count] = (uint32_t)target;
    plain->highest = larger > plain->highest ? larger : plain->highest;
    plain->loops += source == target;
    if (form->weighted) {
        weir__plain_weigh(weight, count, plain);
        if (weight < 0 && source != target && !plain->negative)
            plain->negative = count + 1;
    }
    plain->count = count + 1;
    return 1;
}

/** Find the runs of arcs that are not tangled: who takes their lines does it, while the sources are in its cache. */
void weir__plain_mark_runs(weir__plain *plain);

/** How many rows of METIS text, whole or not, begin in a text. @param[in,out] inside  0: it begins, and then ends, between two lines. */
uint64_t weir__plain_rows(const char *text, const char *end, int *inside);

#endif
