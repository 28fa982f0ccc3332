/** @file test_steal.c  Who does how much of a step (algorithms/common/steal.h): against all ways to share in whole parts where devices
 * are three, against GLPK where the system has it, and by prices that prove that nothing is less; whole units, and cuts of lists. */
#include "algorithms/common/steal_step.h"
#include "tests/lib/support.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static uint32_t next(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

/* ---- what is right ------------------------------------------------------------------------------ */

static double longest_of(const struct steal *s, double share[STEAL_DEVICES][STEAL_DEVICES])
{
    double most = 0;
    for (uint32_t j = 0; j < s->count; j++) {
        double takes = 0;
        for (uint32_t i = 0; i < s->count; i++)
            takes += s->cost[i][j] * share[i][j];
        most = takes > most ? takes : most;
    }
    return most;
}

/* All is done, nothing less than nothing, in the time that is said; and no shares take less, which prices prove. */
static void assert_best(struct steal *s)
{
    double all = 0, prices = 0, bound = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        double done = 0, least = 0;
        for (uint32_t j = 0; j < s->count; j++) {
            const double priced = s->cost[i][j] * s->price[j];
            assert_true(s->share[i][j] >= 0);
            done += s->share[i][j];
            least = j == 0 || priced < least ? priced : least;
        }
        assert_true(done <= s->work[i] * (1 + 1e-9) && done >= s->work[i] * (1 - 1e-9));
        assert_true(s->price[i] >= -1e-9);
        prices += s->price[i];
        bound += s->work[i] * least;
        all += s->work[i];
    }
    const double longest = longest_of(s, s->share);
    assert_true(prices > 1 - 1e-9 && prices < 1 + 1e-9);
    assert_true(longest <= s->longest * (1 + 1e-9));
    if (s->longest > bound * (1 + 1e-8) || s->longest < bound * (1 - 1e-8))
        fail_msg("%u devices, %u steps: %.12g, but the bound is %.12g", s->count, s->steps,
                 s->longest, bound);
    assert_true(all == 0 || s->longest > 0);
}

/* @param[in] kind  0: links alike; 1: of several widths; 2: no order in anything, and workers of other speeds. */
static void draw(struct steal *s, uint32_t count, uint32_t kind)
{
    memset(s, 0xAA, sizeof *s);
    s->count = count;
    for (uint32_t i = 0; i < count; i++) {
        s->work[i] = next(4) ? next(1000000) : next(3) ? 0 : 1e9 + next(1000);
        for (uint32_t j = 0; j < count; j++)
            s->cost[i][j] = kind == 0   ? (i == j ? 1 : 1.25)
                            : kind == 1 ? 0.1 + (i == j ? 0 : 0.02 * (1 << next(4)))
                                        : 0.05 + next(1000) / 300.;
    }
}

static void prices_prove_the_best(void **state)
{
    struct steal *s = malloc(sizeof *s);
    uint32_t most = 0;
    (void)state;
    assert_non_null(s);
    seed = 1;
    for (uint32_t i = 0; i < 6000; i++) {
        draw(s, 1 + i % STEAL_DEVICES, i / STEAL_DEVICES % 3);
        steal_solve(s, 0, 1);
        assert_best(s);
        most = s->steps > most ? s->steps : most;
    }
    assert_true(most > STEAL_DEVICES && most < STEAL_STEEPEST);
    free(s);
}

/* Ties in everything: equal work, equal costs, and costs that make it all the same who does it. */
static void ties(void **state)
{
    struct steal *s = malloc(sizeof *s);
    (void)state;
    assert_non_null(s);
    for (uint32_t n = 1; n <= STEAL_DEVICES; n++)
        for (uint32_t loaded = 0; loaded <= n; loaded++)
            for (uint32_t k = 0; k < 3; k++) {
                memset(s, 0, sizeof *s);
                s->count = n;
                for (uint32_t i = 0; i < n; i++)
                    s->work[i] = i < loaded ? 4096 : 0;
                for (uint32_t i = 0; i < n * n; i++)
                    s->cost[i / n][i % n] = i / n == i % n ? 1 : 1 + 0.5 * k;
                steal_solve(s, 0, 1);
                assert_best(s);
                if (k == 0)
                    assert_true(s->longest > 4096. * loaded / n - 1e-6 &&
                                s->longest < 4096. * loaded / n + 1e-6);
            }
    free(s);
}

/* Who is overloaded gives, and nobody else: with links alike no arc moves twice. */
static void two_devices(void **state)
{
    struct steal s = {.count = 2, .work = {1000, 0}, .cost = {{1, 1.5}, {1.5, 1}}};
    (void)state;
    steal_solve(&s, 0, 1); /* x + 1.5 (1000 - x): 600 and 400 */
    assert_true(s.share[0][0] > 599.999 && s.share[0][0] < 600.001);
    assert_true(s.longest > 599.999 && s.longest < 600.001);
    assert_true(s.share[1][0] == 0 && s.share[1][1] == 0);
}

/* ---- brute force -------------------------------------------------------------------------------- */

enum { PARTS = 12 };

/* All ways to share what each of three devices has in PARTS equal parts. */
static double least_in_parts(const struct steal *s)
{
    double least = 0, share[STEAL_DEVICES][STEAL_DEVICES];
    uint32_t at[3][2];
    int first = 1;
#define EACH(i)                                       \
    for (at[i][0] = 0; at[i][0] <= PARTS; at[i][0]++) \
        for (at[i][1] = 0; at[i][0] + at[i][1] <= PARTS; at[i][1]++)
    EACH(0)
    EACH(1)
    EACH(2)
    {
        for (uint32_t i = 0; i < 3; i++) {
            const double part = s->work[i] / PARTS;
            share[i][0] = part * at[i][0];
            share[i][1] = part * at[i][1];
            share[i][2] = part * (PARTS - at[i][0] - at[i][1]);
        }
        const double longest = longest_of(s, share);
        least = first || longest < least ? longest : least;
        first = 0;
    }
    return least;
}

static void brute_force_of_three(void **state)
{
    (void)state;
    seed = 7;
    for (uint32_t i = 0; i < 12; i++) {
        struct steal s;
        double part = 0;
        draw(&s, 3, i % 3);
        steal_solve(&s, 0, 1);
        const double least = least_in_parts(&s);
        /* Rounding the best shares to whole parts moves less than a part of each device's work to any of them. */
        for (uint32_t k = 0; k < 9; k++) {
            const double one = s.cost[k / 3][k % 3] * s.work[k / 3] / PARTS;
            part += one;
        }
        assert_true(s.longest <= least * (1 + 1e-9));
        assert_true(s.longest >= least - part);
    }
}

/* ---- GLPK --------------------------------------------------------------------------------------- */

/* Those of its calls that are needed, as glpk.h has them. */
struct glpk {
    void *handle;
    void *(*create)(void);
    void (*erase)(void *);
    int (*add_rows)(void *, int), (*add_cols)(void *, int);
    void (*row_bounds)(void *, int, int, double, double),
        (*col_bounds)(void *, int, int, double, double);
    void (*objective)(void *, int, double);
    void (*matrix)(void *, int, const int *, const int *, const double *);
    int (*simplex)(void *, const void *), (*quiet)(int);
    double (*value)(void *);
};
enum { GLP_LO = 2, GLP_UP = 3, GLP_FX = 5 };

static void find(struct glpk *g, const char *name, void *function)
{
    void *symbol = dlsym(g->handle, name);
    assert_non_null(symbol);
    memcpy(function, &symbol, sizeof symbol);
}

static int glpk_open(struct glpk *g)
{
    if (!(g->handle = dlopen("libglpk.so.40", RTLD_NOW | RTLD_LOCAL)))
        return 0;
    find(g, "glp_create_prob", &g->create);
    find(g, "glp_delete_prob", &g->erase);
    find(g, "glp_add_rows", &g->add_rows);
    find(g, "glp_add_cols", &g->add_cols);
    find(g, "glp_set_row_bnds", &g->row_bounds);
    find(g, "glp_set_col_bnds", &g->col_bounds);
    find(g, "glp_set_obj_coef", &g->objective);
    find(g, "glp_load_matrix", &g->matrix);
    find(g, "glp_simplex", &g->simplex);
    find(g, "glp_term_out", &g->quiet);
    find(g, "glp_get_obj_val", &g->value);
    return 1;
}

/* Columns: shares, owner by owner, and the time. Rows: what each owner has, and when each worker is through. */
static double glpk_least(const struct glpk *g, const struct steal *s)
{
    const int n = (int)s->count;
    int row[2 * 64 + 8 + 1], column[2 * 64 + 8 + 1], at = 0;
    double value[2 * 64 + 8 + 1];
    void *p = g->create();
    g->add_rows(p, 2 * n);
    g->add_cols(p, n * n + 1);
    for (int i = 0; i < n; i++) {
        g->row_bounds(p, 1 + i, GLP_FX, s->work[i], s->work[i]);
        g->row_bounds(p, 1 + n + i, GLP_UP, 0, 0);
        for (int j = 0; j < n; j++) {
            g->col_bounds(p, 1 + i * n + j, GLP_LO, 0, 0);
            row[++at] = 1 + i;
            column[at] = 1 + i * n + j;
            value[at] = 1;
            row[++at] = 1 + n + j;
            column[at] = 1 + i * n + j;
            value[at] = s->cost[i][j];
        }
        row[++at] = 1 + n + i;
        column[at] = n * n + 1;
        value[at] = -1;
    }
    g->col_bounds(p, n * n + 1, GLP_LO, 0, 0);
    g->objective(p, n * n + 1, 1);
    g->matrix(p, at, row, column, value);
    assert_int_equal(g->simplex(p, NULL), 0);
    const double least = g->value(p);
    g->erase(p);
    return least;
}

static void as_glpk(void **state)
{
    struct glpk g = {0};
    struct steal s;
    (void)state;
    if (!glpk_open(&g)) {
        print_message("libglpk.so.40 is not here\n");
        skip();
    }
    g.quiet(0);
    seed = 3;
    for (uint32_t i = 0; i < 400; i++) {
        draw(&s, 1 + i % STEAL_DEVICES, i / STEAL_DEVICES % 3);
        steal_solve(&s, 0, 1);
        const double least = glpk_least(&g, &s);
        assert_true(s.longest <= least * (1 + 1e-6) && s.longest >= least * (1 - 1e-6));
    }
    dlclose(g.handle);
}

/* ---- whole units, and lists --------------------------------------------------------------------- */

static void units_add_up(void **state)
{
    (void)state;
    seed = 11;
    for (uint32_t i = 0; i < 2000; i++) {
        struct steal s;
        draw(&s, 1 + i % STEAL_DEVICES, i / STEAL_DEVICES % 3);
        steal_solve(&s, 0, 1);
        for (uint32_t owner = 0; owner < s.count; owner++) {
            const uint64_t has = (uint64_t)s.work[owner];
            uint64_t units[STEAL_DEVICES], sum = 0;
            steal_round(&s, owner, has, units);
            for (uint32_t j = 0; j < s.count; j++) {
                const double apart = (double)units[j] - s.share[owner][j];
                sum += units[j];
                assert_true(apart < 2 && apart > -2);
            }
            assert_int_equal(sum, has);
        }
    }
}

/* Each entry goes to one worker, and each worker gets about what it is due, of arcs or of what entries take beside them too. */
static void lists_are_cut(void **state)
{
    (void)state;
    seed = 13;
    for (uint32_t i = 0; i < 3000; i++) {
        static uint32_t arcs[5000];
        const uint32_t n = 1 + i % STEAL_DEVICES, owner = next(n);
        const uint32_t begin = next(100), entries = next(3) ? next(4900) : next(5);
        const uint32_t each = (entries + STEAL_CHUNKS - 1) / STEAL_CHUNKS;
        const uint32_t unit = next(2) ? 1 : 16, more = next(2) ? next(300) : 0;
        uint64_t chunk[STEAL_CHUNKS] = {0}, weight[STEAL_DEVICES] = {0}, all = 0, left, largest = 0;
        struct steal_cut cuts[STEAL_DEVICES];
        for (uint32_t e = 0; e < entries; e++) {
            arcs[e] = next(5) ? next(256) : 0;
            all += arcs[e];
            chunk[e / each] += arcs[e];
        }
        for (uint32_t c = 0; c < STEAL_CHUNKS; c++)
            largest = chunk[c] > largest ? chunk[c] : largest;
        largest = largest * unit + (uint64_t)more * each;
        left = all * unit + (uint64_t)more * entries;
        for (uint32_t j = 0; j + 1 < n; j++)
            left -= weight[j] = next(2) ? next((uint32_t)left + 1) : 0;
        weight[n - 1] = left;
        steal_cut_list(chunk, begin, begin + entries, each, unit, more, weight, owner, n, cuts);
        uint32_t at = begin;
        for (uint32_t k = 0; k < n; k++) {
            const struct steal_cut *cut = &cuts[(owner + k) % n];
            uint64_t its = 0;
            assert_int_equal(cut->begin, at);
            assert_true(cut->end >= cut->begin);
            at = cut->end;
            for (uint32_t e = cut->begin; e < cut->end; e++)
                its += arcs[e - begin];
            assert_int_equal(cut->units, its);
            its = its * unit + (uint64_t)more * (cut->end - cut->begin);
            assert_true(its <= weight[(owner + k) % n] + largest);
            assert_true(its + largest >= weight[(owner + k) % n]);
        }
        assert_int_equal(at, begin + entries);
    }
}

/* ---- a step --------------------------------------------------------------------------------------- */

static struct steal_cost cost[STEAL_DEVICES * STEAL_DEVICES];

/* Devices that are alike. @param[in] entry, find  what these weigh. */
static struct steal_args alike(uint32_t devices, uint32_t entry, uint32_t find)
{
    for (uint32_t d = 0; d < devices; d++) {
        struct steal_cost *own = &cost[d * STEAL_DEVICES + d];
        own->speed = STEAL_FASTEST;
        own->entry_weight = entry;
        own->find_weight = find;
    }
    return (struct steal_args){.cost = cost, .percent = 110, .devices = devices};
}

/* What an arc takes has its part of what an entry takes: of short rows it is more. And of what is found, which of no owner's arcs is more. */
static void short_rows_take_longer(void **state)
{
    (void)state;
    static struct steal_shared s = {.load = {1000, 1000, 0}, .list = {500, 10, 0}};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t j = 0; j < 2; j++)
            cost[i * STEAL_DEVICES + j] =
                (struct steal_cost){.arc = i == j ? 1 : 1.5, .entry = j ? 8 : 4, .find = j ? 6 : 2};
    struct steal_args a = alike(2, 0, 0);
    assert_true(fabs(steal_arc(&a, &s, 0, 0, 0) - 3) < 1e-12);    /* 1 + 4 * 500 / 1000 */
    assert_true(fabs(steal_arc(&a, &s, 0, 0, 1) - 5.5) < 1e-12);  /* 1.5 + 8 * 500 / 1000 */
    assert_true(fabs(steal_arc(&a, &s, 0, 1, 1) - 1.08) < 1e-12); /* 1 + 8 * 10 / 1000 */
    assert_true(fabs(steal_arc(&a, &s, STEAL_OF_FIND / 2, 1, 1) - 4.08) < 1e-12);
    assert_true(fabs(steal_arc(&a, &s, 0, 2, 0)) < 1e-12); /* it has nothing */
    assert_false(steal_pays(&a, &s, 0));                   /* as many arcs on both */
    a = alike(2, 8 * STEAL_OF_ARC, 0);
    assert_true(steal_pays(&a, &s, 0)); /* 5000 and 1080 */
    assert_true(steal_weight(&a, &s, 0, 0) == UINT64_C(5000) * STEAL_OF_ARC * STEAL_OF_FIND);
    a.least = 2001; /* which is of arcs */
    assert_false(steal_pays(&a, &s, 0));
    a = alike(2, STEAL_OF_ARC, 100 * STEAL_OF_ARC);
    assert_true(steal_pays(&a, &s, 0));              /* 1500 and 1010 */
    assert_false(steal_pays(&a, &s, STEAL_OF_FIND)); /* 101500 and 101010 */
}

/* The largest lists there may be do not go round, and of the smallest nothing is lost. */
static void lists_of_any_length_are_weighed(void **state)
{
    (void)state;
    static struct steal_shared s;
    for (int large = 0; large < 2; large++) {
        struct steal_args a = alike(STEAL_DEVICES, large ? STEAL_MOST : 0, large ? STEAL_MOST : 0);
        s.load[3] = large ? UINT64_C(1) << 39 : 1;
        s.list[3] = large ? UINT32_MAX : 1;
        a.percent = 6400;
        assert_false(steal_pays(&a, &s, STEAL_OF_FIND)); /* eight times the mean is not 64 times */
        a.percent = 800;
        assert_true(steal_pays(&a, &s, STEAL_OF_FIND));
        a.percent = 801;
        assert_false(steal_pays(&a, &s, STEAL_OF_FIND));
    }
    struct steal_args a = alike(STEAL_DEVICES, 33, 5);
    for (uint32_t d = 0; d < STEAL_DEVICES; d++)
        s.load[d] = s.list[d] = UINT64_C(1234567891); /* all alike is as late as can be asked for */
    a.percent = 100;
    assert_true(steal_pays(&a, &s, 7));
    s.load[0] += s.load[0] / 2;
    assert_true(steal_pays(&a, &s, 7));
    a.percent = 150;
    assert_false(steal_pays(&a, &s, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_prove_the_best),
        cmocka_unit_test(ties),
        cmocka_unit_test(two_devices),
        cmocka_unit_test(brute_force_of_three),
        cmocka_unit_test(as_glpk),
        cmocka_unit_test(units_add_up),
        cmocka_unit_test(lists_are_cut),
        cmocka_unit_test(short_rows_take_longer),
        cmocka_unit_test(lists_of_any_length_are_weighed),
    };
    return cmocka_run_group_tests_name("steal", tests, NULL, NULL);
}
