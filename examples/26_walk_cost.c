/** @file 26_walk_cost.c  What a walk costs: y = A x by every schedule of worklist/schedule.h, tile by tile, beside the same loop
 *  written by hand, in one run; and which schedule is the fastest for matrices of all sizes.
 *
 *     build/examples/26_walk_cost [DEVICES [NONZEROS [TRIALS]]]     say "cuda:0 67108864"
 *     build/examples/26_walk_cost DEVICES pick [NONZEROS [TRIALS]]
 *
 * DEVICES is "host:1x2" if left out; one device is used. NONZEROS, 65536 if left out, is about how many nonzeros each of
 * five matrices has: rows alike, rows by a power law, a band, one long row, and rows of which most are empty. TRIALS runs
 * (5) of either form by turns, behind one of each that warms up. A line has the medians in milliseconds, their ratio, and that of
 * the least. Every result is checked against sums of double precision.
 *
 * "pick" has matrices from 64 nonzeros on, each four times as large as the last, up to NONZEROS; a line has the medians of thread,
 * group and merge, the fastest of them, what weir_schedule_pick() takes (worklist/pick.h), and how much longer that takes. The
 * limits of worklist/pick.h are made of these lines.
 *
 * The loops are in 26_walk_cost_op.h, 26_walk_cost.cu is their CUDA form. */
#if defined __GNUC__ && !defined __clang__
/* Where in a line of the instruction cache a loop happens to lie is worth a sixth of its time: here they all begin one. */
#pragma GCC optimize("align-loops=64")
#endif
#include "examples/26_walk_cost_op.h"
#include <weir/worklist/pick.h>
#include "examples/example.h"

#include <math.h>
#include <string.h>

enum { TRIALS_MOST = 100 };

/* Kept apart, and each in one piece, so that the compiler sees each form alone. */
#define FORM(form, schedule)                                                  \
    static __attribute__((noinline, flatten)) void form##_##schedule##_alone( \
        const struct cost_args *args, const struct cost_place *place)         \
    {                                                                         \
        form##_##schedule(args, place);                                       \
    }
#define BOTH(schedule, text) FORM(hand, schedule) FORM(walk, schedule)
COST_SCHEDULES(BOTH)
#undef BOTH
#undef FORM

typedef void form_fn(const struct cost_args *args, const struct cost_place *place);
#define ROW(schedule, text) {#schedule, text, {walk_##schedule##_alone, hand_##schedule##_alone}},
static const struct {
    const char *name, *text;
    form_fn *form[2]; /* by the walk, by hand */
} schedules[COST_COUNT] = {COST_SCHEDULES(ROW)};
#undef ROW

static void cost_host(const void *args, uint32_t worker, uint32_t workers)
{
    const struct cost_args *a = args;
    uint32_t scratch[COST_TILES];
    const struct cost_place place = {worker, workers, worker * WEIR_LANES + weir_lane(),
                                     workers * WEIR_LANES, scratch};
    schedules[a->schedule].form[a->by_hand](a, &place);
}

#if WEIR_CUDA
static const weir_kernel kernel = {.name = "cost", .host = cost_host, .cuda = cost_cuda};
#else
static const weir_kernel kernel = {.name = "cost", .host = cost_host};
#endif

/* ---- matrices ---------------------------------------------------------------------------------- */

static uint64_t state = 1;
static uint32_t draw(uint32_t below)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)((state >> 32) * below >> 32);
}

enum { UNIFORM, POWER, BANDED, ONE_LONG, MOSTLY_EMPTY, MATRICES };
static const char *const matrix_name[MATRICES] = {"uniform, 16 a row", "power law, 16 a row",
                                                  "band, 5 a row", "one row has half",
                                                  "3 of 4 rows empty"};

/* How long a row is. */
static uint32_t length_of(int matrix, uint32_t row, uint32_t rows)
{
    double part;
    switch (matrix) {
    case UNIFORM:
        return 8 + draw(17);
    case POWER: /* few long rows: the r-th in length has as many as r^(-2/3) of the longest */
        part = (1 + draw(1u << 24)) / (double)(1u << 24);
        part = 5.34 / pow(part, 2.0 / 3.0);
        return part < rows / 4.0 ? (uint32_t)part : rows / 4;
    case BANDED:
        return 5;
    case ONE_LONG:
        return row == rows / 3 ? rows * 8 : 8;
    default:
        return draw(4) ? 0 : 1 + draw(15);
    }
}

static const uint32_t mean_of[MATRICES] = {16, 16, 5, 16, 2};

/* One problem, in memory of the home device. */
struct problem {
    uint32_t rows, nonzeros, longest;
    uint32_t *offsets, *columns;
    float *values, *x;
    double *expected, *magnitude; /* sums, and sums of what is added without its sign */
};

static struct problem problem_of(weir_device *home, int matrix, uint32_t nonzeros)
{
    struct problem p = {.rows = nonzeros / mean_of[matrix] + 1};
    p.offsets = alloc_on(home, (p.rows + (size_t)1) * sizeof *p.offsets);
    p.offsets[0] = 0;
    for (uint32_t row = 0; row < p.rows; row++) {
        const uint32_t length = length_of(matrix, row, p.rows);
        p.longest = length > p.longest ? length : p.longest;
        p.offsets[row + 1] = p.offsets[row] + length;
    }
    p.nonzeros = p.offsets[p.rows];
    p.columns = alloc_on(home, (p.nonzeros + (size_t)1) * sizeof *p.columns);
    p.values = alloc_on(home, (p.nonzeros + (size_t)1) * sizeof *p.values);
    p.x = alloc_on(home, p.rows * sizeof *p.x);
    p.expected = alloc_on(home, p.rows * sizeof *p.expected);
    p.magnitude = alloc_on(home, p.rows * sizeof *p.magnitude);
    for (uint32_t row = 0; row < p.rows; row++)
        p.x[row] = (float)draw(1000) / 500 - 1;
    for (uint32_t row = 0; row < p.rows; row++) {
        p.expected[row] = p.magnitude[row] = 0;
        for (uint32_t i = p.offsets[row]; i < p.offsets[row + 1]; i++) {
            const uint32_t near = row + (i - p.offsets[row]);
            p.columns[i] = matrix == BANDED ? (near < p.rows ? near : p.rows - 1) : draw(p.rows);
            p.values[i] = (float)draw(1000) / 500 - 1;
            const double term = (double)p.values[i] * p.x[p.columns[i]];
            p.expected[row] += term;
            p.magnitude[row] += fabs(term);
        }
    }
    return p;
}

static void problem_free(weir_device *home, struct problem *p)
{
    weir_device_free(home, p->offsets);
    weir_device_free(home, p->columns);
    weir_device_free(home, p->values);
    weir_device_free(home, p->x);
    weir_device_free(home, p->expected);
    weir_device_free(home, p->magnitude);
}

/* ---- runs -------------------------------------------------------------------------------------- */

static void *copy_to(weir_queue *queue, weir_device *home, const void *from, size_t count)
{
    void *data = alloc_on(weir_queue_device(queue), (count + 1) * 4);
    TRY(weir_queue_copy(queue, weir_queue_device(queue), data, home, from, count * 4));
    return data;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, uint32_t count)
{
    qsort(ms, count, sizeof *ms, by_size);
    return ms[count / 2];
}

/* Rows that are further from the sum of double precision than rounding explains. */
static uint32_t wrong_rows(weir_queue *queue, weir_device *home, const struct problem *p,
                           const float *y, float *back)
{
    uint32_t wrong = 0;
    TRY(weir_queue_copy(queue, home, back, weir_queue_device(queue), y, p->rows * sizeof *y));
    TRY(weir_queue_sync(queue));
    for (uint32_t row = 0; row < p->rows; row++) {
        const double terms = (double)p->offsets[row + 1] - p->offsets[row];
        const double room = 1e-6 + 1.2e-7 * p->magnitude[row] * (4 + sqrt(terms) * 4);
        wrong += !(fabs(back[row] - p->expected[row]) <= room);
    }
    return wrong;
}

struct bench {
    weir_queue *queue;
    weir_device *home;
    weir_stamp *start, *stop;
    float *back;
    uint32_t trials;
};

static double run_once(struct bench *b, const struct cost_args *args)
{
    double ms;
    TRY(weir_queue_fill(b->queue, args->y, 0, args->rows * sizeof *args->y));
    TRY(weir_queue_stamp(b->queue, b->start));
    TRY(weir_queue_launch(b->queue, &kernel, args, sizeof *args));
    TRY(weir_queue_stamp(b->queue, b->stop));
    TRY(weir_queue_sync(b->queue));
    TRY(weir_stamp_elapsed(b->start, b->stop, &ms));
    return ms;
}

/* One line. @return how many rows are wrong. */
static uint32_t compare(struct bench *b, const struct problem *p, struct cost_args *args)
{
    double ms[2][TRIALS_MOST];
    uint32_t wrong = 0;
    for (uint32_t trial = 0; trial <= b->trials; trial++)
        for (args->by_hand = 0; args->by_hand < 2; args->by_hand++) {
            const double once = run_once(b, args);
            if (trial == 0)
                wrong += wrong_rows(b->queue, b->home, p, args->y, b->back);
            else
                ms[args->by_hand][trial - 1] = once;
        }
    const double walk = median(ms[0], b->trials), hand = median(ms[1], b->trials);
    printf("  %-8s %10.4f %10.4f %7.3f %7.3f   %s%s\n", schedules[args->schedule].name, hand, walk,
           walk / hand, ms[0][0] / ms[1][0], schedules[args->schedule].text,
           wrong ? ": WRONG" : "");
    return wrong;
}

/* The arrays on the device; x and y too. */
static struct cost_args args_of(struct bench *b, const struct problem *p)
{
    const struct cost_args args = {copy_to(b->queue, b->home, p->offsets, p->rows + (size_t)1),
                                   copy_to(b->queue, b->home, p->columns, p->nonzeros),
                                   copy_to(b->queue, b->home, p->values, p->nonzeros),
                                   copy_to(b->queue, b->home, p->x, p->rows),
                                   alloc_on(weir_queue_device(b->queue), p->rows * sizeof(float)),
                                   p->rows,
                                   0,
                                   0};
    b->back = alloc_on(b->home, p->rows * sizeof *b->back);
    return args;
}

static void args_free(struct bench *b, const struct cost_args *args)
{
    const void *const arrays[] = {args->offsets, args->columns, args->values, args->x, args->y};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        weir_device_free(weir_queue_device(b->queue), (void *)arrays[i]);
    weir_device_free(b->home, b->back);
}

static uint32_t compare_all(struct bench *b, int matrix, uint32_t nonzeros)
{
    struct problem p = problem_of(b->home, matrix, nonzeros);
    struct cost_args args = args_of(b, &p);
    uint32_t wrong = 0;
    printf("%s: %u rows, %u nonzeros, the longest %u\n  %-8s %10s %10s %7s %7s\n",
           matrix_name[matrix], p.rows, p.nonzeros, p.longest, "", "hand ms", "walk ms", "ratio",
           "least");
    for (args.schedule = 0; args.schedule < COST_COUNT; args.schedule++)
        wrong += compare(b, &p, &args);
    args_free(b, &args);
    problem_free(b->home, &p);
    return wrong;
}

/* A line of "pick". */
static uint32_t pick_for(struct bench *b, int matrix, uint32_t nonzeros,
                         const weir_pick_limits *limits)
{
    static const uint32_t schedule_of[] = {
        [WEIR_PICK_THREAD] = COST_thread,
        [WEIR_PICK_GROUP] = COST_group,
        [WEIR_PICK_MERGE] = COST_merge,
    };
    struct problem p = problem_of(b->home, matrix, nonzeros);
    struct cost_args args = args_of(b, &p);
    const int pick = weir_schedule_pick(p.rows, p.nonzeros, p.longest, limits);
    double ms[3][TRIALS_MOST];
    uint32_t wrong = 0;
    int best = 0;
    for (uint32_t trial = 0; trial <= b->trials; trial++)
        for (int i = 0; i < 3; i++) {
            args.schedule = schedule_of[i];
            const double once = run_once(b, &args);
            if (trial == 0)
                wrong += wrong_rows(b->queue, b->home, &p, args.y, b->back);
            else
                ms[i][trial - 1] = once;
        }
    for (int i = 0; i < 3; i++) {
        (void)median(ms[i], b->trials); /* puts them in order */
        best = ms[i][b->trials / 2] < ms[best][b->trials / 2] ? i : best;
    }
    const uint32_t middle = b->trials / 2;
    printf("%-20s %10u %10u %9u %10.4f %10.4f %10.4f  %-6s  %-6s %6.2f%s\n", matrix_name[matrix],
           p.rows, p.nonzeros, p.longest, ms[0][middle], ms[1][middle], ms[2][middle],
           schedules[schedule_of[best]].name, schedules[schedule_of[pick]].name,
           ms[pick][middle] / ms[best][middle], wrong ? " WRONG" : "");
    args_free(b, &args);
    problem_free(b->home, &p);
    return wrong;
}

static uint32_t pick_all(struct bench *b, uint32_t nonzeros, int cuda)
{
    const weir_pick_limits limits[] = {WEIR_PICK_LIMITS_HOST, WEIR_PICK_LIMITS_CUDA};
    uint32_t wrong = 0;
    printf("%-20s %10s %10s %9s %10s %10s %10s  %-6s  %-6s %6s\n", "", "rows", "nonzeros",
           "longest", "thread ms", "group ms", "merge ms", "best", "pick", "times");
    for (uint64_t size = 64; size <= nonzeros; size *= 4)
        for (int matrix = 0; matrix < MATRICES; matrix++)
            wrong += pick_for(b, matrix, (uint32_t)size, &limits[cuda]);
    return wrong;
}

static uint32_t number(int argc, char **argv, int at, uint32_t otherwise, uint32_t most)
{
    char *end = NULL;
    if (argc <= at)
        return otherwise;
    const unsigned long value = strtoul(argv[at], &end, 10);
    if (*end || end == argv[at] || value < 1 || value > most) {
        fprintf(stderr, "%s is not a number from 1 to %u\n", argv[at], most);
        exit(USAGE);
    }
    return (uint32_t)value;
}

int main(int argc, char **argv)
{
    const int pick = argc > 2 && !strcmp(argv[2], "pick");
    if (argc > 4 + pick) {
        fprintf(stderr, "usage: %s [DEVICES [pick] [NONZEROS [TRIALS]]]\n", argv[0]);
        return USAGE;
    }
    const uint32_t nonzeros = number(argc, argv, 2 + pick, 65536, 1u << 28);
    struct bench b = {.trials = number(argc, argv, 3 + pick, 5, TRIALS_MOST)};
    weir_context *context = open_devices(argc > 1 ? 2 : 1, argv, "host:1x2");
    weir_device *device = weir_context_device(context, 0);
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    uint32_t wrong = 0;
    weir_device_info_get(device, &info);
    b.home = weir_context_home(context);
    TRY(weir_queue_create(device, 0, &b.queue));
    TRY(weir_stamp_create(device, &b.start));
    TRY(weir_stamp_create(device, &b.stop));
    printf("%s: medians of %u runs\n", info.label, b.trials);
    if (pick)
        wrong += pick_all(&b, nonzeros, info.kind == WEIR_DEVICE_CUDA);
    for (int matrix = 0; !pick && matrix < MATRICES; matrix++)
        wrong += compare_all(&b, matrix, nonzeros);
    weir_stamp_destroy(b.start);
    weir_stamp_destroy(b.stop);
    weir_queue_destroy(b.queue);
    weir_context_destroy(context);
    return wrong ? WRONG : RIGHT;
}
