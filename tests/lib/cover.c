/** @file cover.c  Covering arrays, greedily: AETG of Cohen, Dalal, Fredman and Patton (1997).
 *
 * All values of all factors are numbered through; a tuple of them is a cell of a cube, pairs have the
 * last number twice and single values three times. Each row begins with the first tuple that is still
 * missing and takes the other factors in random order, each with the value that brings most missing
 * tuples; the best of a few such rows stays. */
#include "tests/lib/cover.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

#define TRIES 8

struct cover {
    const struct cover_shape *shape;
    uint32_t strength, values; /* values of all factors */
    uint32_t base[COVER_FACTORS_MAX + 1];
    uint8_t factor_of[COVER_VALUES_MAX];
    uint32_t missing, next; /* tuples; no cell before `next` is missing */
    uint64_t random;
    uint8_t lacks[COVER_VALUES_MAX][COVER_VALUES_MAX][COVER_VALUES_MAX];
};

/* A row as it grows: numbers of the values chosen, ascending. */
struct growing {
    uint8_t chosen[COVER_FACTORS_MAX];
    uint32_t count, gain;
};

static uint32_t below(struct cover *cover, uint32_t bound)
{
    return (uint32_t)(next_random(&cover->random) % bound);
}

/* Whether three numbers, ascending, stand for a tuple of this strength. */
static int is_tuple(const struct cover *cover, uint32_t a, uint32_t b, uint32_t c)
{
    const uint8_t *of = cover->factor_of;
    switch (cover->strength) {
    case 1:
        return a == b && b == c;
    case 2:
        return of[a] < of[b] && b == c;
    default:
        return of[a] < of[b] && of[b] < of[c];
    }
}

static void start(struct cover *cover, const struct cover_shape *shape, uint32_t strength,
                  uint64_t seed)
{
    memset(cover, 0, sizeof *cover);
    cover->shape = shape;
    cover->random = seed;
    cover->strength = strength < shape->factors ? strength : shape->factors;
    for (uint32_t f = 0; f < shape->factors; f++)
        for (uint32_t v = 0; v < shape->values[f]; v++) {
            cover->factor_of[cover->values++] = (uint8_t)f;
            cover->base[f + 1] = cover->values;
        }
    for (uint32_t a = 0; a < cover->values; a++)
        for (uint32_t b = a; b < cover->values; b++)
            for (uint32_t c = b; c < cover->values; c++) {
                cover->lacks[a][b][c] = (uint8_t)is_tuple(cover, a, b, c);
                cover->missing += cover->lacks[a][b][c];
            }
}

static uint8_t *cell(struct cover *cover, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (c < low)
        return &cover->lacks[c][low][high];
    return c < high ? &cover->lacks[low][c][high] : &cover->lacks[low][high][c];
}

/* Missing tuples of a new value with those of the row; they are missing no more if @p take is set. */
static uint32_t gain(struct cover *cover, const struct growing *row, uint32_t value, int take)
{
    uint32_t found = 0;
    uint32_t outer = cover->strength > 1 ? row->count : 1;
    for (uint32_t i = 0; i < outer; i++) {
        uint32_t inner = cover->strength > 2 ? i : 1;
        for (uint32_t j = 0; j < inner; j++) {
            uint32_t first = cover->strength > 1 ? row->chosen[i] : value;
            uint32_t high = first > value ? first : value;
            uint32_t second = cover->strength > 2 ? row->chosen[j] : high;
            uint8_t *lacks = cell(cover, value, first, second);
            found += *lacks;
            if (take)
                *lacks = 0;
        }
    }
    return found;
}

static void choose(struct cover *cover, struct growing *row, uint32_t value)
{
    row->gain += gain(cover, row, value, 0);
    row->chosen[row->count++] = (uint8_t)value;
}

/* The value of a factor that brings most; any of those that bring as much. */
static uint32_t best_value(struct cover *cover, const struct growing *row, uint32_t factor)
{
    uint32_t count = cover->shape->values[factor], turn = below(cover, count);
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = cover->base[factor] + (i + turn) % count;
        uint32_t here = gain(cover, row, value, 0);
        if (i == 0 || here > most) {
            best = value;
            most = here;
        }
    }
    return best;
}

static void grow(struct cover *cover, const uint32_t tuple[3], struct growing *row)
{
    uint32_t order[COVER_FACTORS_MAX], factors = cover->shape->factors;
    uint32_t used = 0;
    row->count = row->gain = 0;
    for (int i = 0; i < 3; i++)
        if (i == 0 || tuple[i] != tuple[i - 1]) {
            choose(cover, row, tuple[i]);
            used |= 1u << cover->factor_of[tuple[i]];
        }
    for (uint32_t f = 0; f < factors; f++) { /* a shuffle from the inside out */
        uint32_t at = below(cover, f + 1);
        order[f] = order[at];
        order[at] = f;
    }
    for (uint32_t i = 0; i < factors; i++)
        if (!(used >> order[i] & 1))
            choose(cover, row, best_value(cover, row, order[i]));
}

/* The first tuple that is missing; there is one. */
static void first_missing(struct cover *cover, uint32_t tuple[3])
{
    const uint8_t *lacks = &cover->lacks[0][0][0];
    while (!lacks[cover->next])
        cover->next++;
    tuple[2] = cover->next % COVER_VALUES_MAX;
    tuple[1] = cover->next / COVER_VALUES_MAX % COVER_VALUES_MAX;
    tuple[0] = cover->next / COVER_VALUES_MAX / COVER_VALUES_MAX;
}

static void next_row(struct cover *cover, uint8_t *out)
{
    struct growing best = {.gain = 0}, row, taken = {.count = 0};
    uint32_t tuple[3];
    first_missing(cover, tuple);
    for (int i = 0; i < TRIES; i++) {
        grow(cover, tuple, &row);
        if (row.gain > best.gain)
            best = row;
    }
    for (uint32_t i = 0; i < best.count; i++) {
        uint32_t value = best.chosen[i], factor = cover->factor_of[value];
        cover->missing -= gain(cover, &taken, value, 1);
        taken.chosen[taken.count++] = (uint8_t)value;
        out[factor] = (uint8_t)(value - cover->base[factor]);
    }
}

uint32_t cover_make(const struct cover_shape *shape, uint32_t strength, uint64_t seed,
                    uint8_t **rows_out)
{
    struct cover *cover = malloc(sizeof *cover);
    uint32_t rows = 0, room = 0;
    uint8_t *all = NULL;
    *rows_out = NULL;
    if (!cover)
        return 0;
    for (start(cover, shape, strength, seed); cover->missing > 0; rows++) {
        if (rows == room) {
            uint8_t *grown = realloc(all, (size_t)(room = 2 * room + 16) * shape->factors);
            if (!grown) {
                free(all);
                free(cover);
                return 0;
            }
            all = grown;
        }
        next_row(cover, all + (size_t)rows * shape->factors);
    }
    free(cover);
    *rows_out = all;
    return rows;
}

uint64_t cover_product(const struct cover_shape *shape)
{
    uint64_t rows = 1;
    for (uint32_t f = 0; f < shape->factors; f++)
        rows *= shape->values[f];
    return rows;
}

void cover_product_row(const struct cover_shape *shape, uint64_t index, uint8_t *row_out)
{
    for (uint32_t f = 0; f < shape->factors; f++) {
        row_out[f] = (uint8_t)(index % shape->values[f]);
        index /= shape->values[f];
    }
}
