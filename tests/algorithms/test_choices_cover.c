/** @file test_choices_cover.c  The rows that test_choices runs hold every pair, or every triple. */
#include "tests/lib/cover.h"
#include "tests/lib/support.h"

#include <stdlib.h>
#include <string.h>

static const struct cover_shape like_the_choices = {9, {3, 5, 4, 5, 5, 2, 3, 4, 8}};
static const struct cover_shape shapes[] = {
    {1, {1}},
    {1, {7}},
    {2, {1, 1}},
    {2, {4, 6}},
    {3, {2, 2, 2}},
    {4, {1, 9, 1, 2}},
    {5, {3, 1, 4, 1, 5}},
    {12, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}},
};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* Rows that hold the values a, b and c of the factors f, g and h. */
static uint32_t having(const struct cover_shape *shape, const uint8_t *rows, uint32_t count,
                       const uint32_t factor[3], const uint32_t value[3])
{
    uint32_t found = 0;
    for (uint32_t r = 0; r < count; r++) {
        const uint8_t *row = rows + (size_t)r * shape->factors;
        found +=
            row[factor[0]] == value[0] && row[factor[1]] == value[1] && row[factor[2]] == value[2];
    }
    return found;
}

/* Triples of values that no row has; with f == g and g == h these are pairs and single values. */
static uint32_t lacking_at(const struct cover_shape *shape, const uint8_t *rows, uint32_t count,
                           const uint32_t factor[3])
{
    uint32_t lacking = 0, value[3];
    for (value[0] = 0; value[0] < shape->values[factor[0]]; value[0]++)
        for (value[1] = 0; value[1] < shape->values[factor[1]]; value[1]++)
            for (value[2] = 0; value[2] < shape->values[factor[2]]; value[2]++)
                if ((factor[0] != factor[1] || value[0] == value[1]) &&
                    (factor[1] != factor[2] || value[1] == value[2]))
                    lacking += having(shape, rows, count, factor, value) == 0;
    return lacking;
}

static uint32_t lacking(const struct cover_shape *shape, uint32_t strength, const uint8_t *rows,
                        uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t f = 0; f < shape->factors; f++)
        for (uint32_t g = f; g < shape->factors; g++)
            for (uint32_t h = g; h < shape->factors; h++)
                if ((f == g) == (strength < 2) && (g == h) == (strength < 3))
                    sum += lacking_at(shape, rows, count, (const uint32_t[]){f, g, h});
    return sum;
}

static void every_tuple_occurs(void **state)
{
    (void)state;
    for (uint32_t strength = 1; strength <= 3; strength++)
        for (size_t i = 0; i <= SHAPES; i++) {
            struct cover_shape shape = i < SHAPES ? shapes[i] : like_the_choices;
            uint8_t *rows;
            uint32_t count = cover_make(&shape, strength, i, &rows);
            uint32_t able = strength < shape.factors ? strength : shape.factors;
            assert_true(count > 0);
            for (uint32_t r = 0; r < count; r++)
                for (uint32_t f = 0; f < shape.factors; f++)
                    assert_true(rows[(size_t)r * shape.factors + f] < shape.values[f]);
            if (lacking(&shape, able, rows, count) != 0)
                fail_msg("shape %zu: not every tuple of %u is in the %u rows", i, able, count);
            free(rows);
        }
}

/* Few: near the product of the two (three) longest factors, which no array can go below. */
static void rows_are_few(void **state)
{
    static const uint32_t least[] = {0, 8, 40, 200};
    (void)state;
    for (uint32_t strength = 1; strength <= 3; strength++) {
        uint8_t *rows;
        uint32_t count = cover_make(&like_the_choices, strength, 1, &rows);
        assert_in_range(count, least[strength], 2 * least[strength]);
        free(rows);
    }
}

static void the_same_for_the_same_seed(void **state)
{
    (void)state;
    uint8_t *a, *b, *c;
    uint32_t count = cover_make(&like_the_choices, 2, 7, &a);
    assert_int_equal(cover_make(&like_the_choices, 2, 7, &b), count);
    uint32_t other = cover_make(&like_the_choices, 2, 8, &c);
    assert_memory_equal(a, b, (size_t)count * like_the_choices.factors);
    assert_true(other != count || memcmp(a, c, (size_t)count * like_the_choices.factors) != 0);
    free(a);
    free(b);
    free(c);
}

/* The count above would see a pair that is not there. */
static void a_missing_pair_is_seen(void **state)
{
    static const struct cover_shape shape = {2, {4, 6}};
    (void)state;
    uint8_t *rows;
    uint32_t count = cover_make(&shape, 2, 1, &rows);
    assert_int_equal(count, 24);
    assert_int_equal(lacking(&shape, 2, rows, count - 1), 1);
    assert_int_equal(lacking(&shape, 1, rows, count - 1), 0);
    free(rows);
}

static void the_product_is_whole(void **state)
{
    static const struct cover_shape shape = {3, {3, 1, 4}};
    uint8_t rows[12 * 3];
    (void)state;
    assert_int_equal(cover_product(&shape), 12);
    for (uint32_t i = 0; i < 12; i++)
        cover_product_row(&shape, i, rows + (size_t)i * 3);
    assert_int_equal(lacking(&shape, 3, rows, 12), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tuple_occurs),         cmocka_unit_test(rows_are_few),
        cmocka_unit_test(the_same_for_the_same_seed), cmocka_unit_test(a_missing_pair_is_seen),
        cmocka_unit_test(the_product_is_whole),
    };
    return cmocka_run_group_tests_name("covering arrays", tests, NULL, NULL);
}
