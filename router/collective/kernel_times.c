/** @file kernel_times.c  What a call takes that is one kernel for each rank, by channels or by NCCL: nothing of it can be rehearsed, so
 * it was measured (docs/benchmarks.md, "Collectives by auto"), for two, three and four GPUs behind NVSwitch. */
#include "router/collective/internal.h"

#include <stdlib.h>
#include <string.h>

#define RANKS_LAST 4u
#define TABLES     4u
#define POINTS     9
#define POINTS_GBS 394.0 /* of the links between those GPUs */
/* A communicator that can be cancelled makes a thread for each group of calls; a blocking one does not. */
#define NCCL_THREAD_US 80

/* All bytes that go to or come from a rank. */
static const double point_bytes[POINTS] = {1 << 10,  1 << 16,  1 << 18,   1 << 20, 4 << 20,
                                           16 << 20, 64 << 20, 256 << 20, 1 << 30};

typedef const double curves[WEIR_COLLECTIVE_COUNT][POINTS];

/* Microseconds of a call, of tables[0]: two ranks on H100 (664e9c6, mean of two runs); [1]: two on H200; [2], [3]: three and four on H200
 * (c61c030). NCCL's are those of a communicator that blocks. Not measured as they stand here: 1 GiB on two H200, which is in proportion to
 * H100's, and by three, in proportion to four; and eight starts that scattered, which have their neighbours' time: broadcast of three and
 * four and all-to-all of four by channels, all-to-all of four by NCCL (1 KiB), reduce-scatter of three by channels (64 and 256 KiB) and
 * by NCCL, reduce of four by NCCL (256 KiB). Of two H200 there were two runs: below 4 MiB this is the lesser time, above it the mean. So are
 * reduces of 4 and 16 MiB of four by NCCL, which took 29.5 and 51, 90 and 147 in two runs. */
static curves channels_points[TABLES] = {
    {[WEIR_COLLECTIVE_BROADCAST] = {11.3, 11.7, 12.5, 14.9, 23.6, 59, 197, 733.5, 2878},
     [WEIR_COLLECTIVE_ALL_GATHER] = {10.6, 11.3, 11.4, 12.3, 17.3, 36.9, 109, 394.5, 1537},
     [WEIR_COLLECTIVE_REDUCE] = {11.5, 12.5, 13.5, 15.7, 24.2, 62.5, 208, 785.2, 3094},
     [WEIR_COLLECTIVE_ALL_REDUCE] = {11.6, 12.2, 12.7, 15.1, 23.6, 63.9, 214, 805.7, 3174},
     [WEIR_COLLECTIVE_REDUCE_SCATTER] = {11.4, 12.6, 13.4, 14.7, 19.5, 40.4, 117, 416.6, 1609},
     [WEIR_COLLECTIVE_ALL_TO_ALL] = {11.7, 13, 13.3, 14.4, 19.3, 41.1, 116, 417.9, 1617},
     [WEIR_COLLECTIVE_GATHER] = {11.6, 12.8, 13.3, 14.2, 19, 38.2, 107, 378.2, 1458},
     [WEIR_COLLECTIVE_SCATTER] = {11.2, 12.3, 12.8, 14.3, 18.9, 37.5, 111, 394, 1536}},
    {[WEIR_COLLECTIVE_BROADCAST] = {10.6, 10.1, 10.9, 13, 21.1, 56.9, 194, 733, 2876},
     [WEIR_COLLECTIVE_ALL_GATHER] = {8.8, 9.3, 9.5, 10.5, 14.9, 35.3, 108, 391, 1524},
     [WEIR_COLLECTIVE_REDUCE] = {9.3, 10.3, 11.2, 13.2, 21.6, 60.5, 206, 785, 3092},
     [WEIR_COLLECTIVE_ALL_REDUCE] = {9.4, 10, 10.5, 13, 21.3, 61.8, 212, 807, 3179},
     [WEIR_COLLECTIVE_REDUCE_SCATTER] = {9.6, 10.3, 11.3, 12.4, 16.9, 37.9, 114, 414, 1600},
     [WEIR_COLLECTIVE_ALL_TO_ALL] = {9.6, 10.5, 11.3, 12.2, 16.4, 38.7, 116, 417, 1615},
     [WEIR_COLLECTIVE_GATHER] = {9.6, 10.4, 11, 12.2, 16.1, 36.1, 145, 378, 1457},
     [WEIR_COLLECTIVE_SCATTER] = {9.1, 9.9, 10.8, 12.2, 16, 35.1, 105, 374, 1459}},
    {[WEIR_COLLECTIVE_BROADCAST] = {13, 12.6, 13, 14.8, 24.3, 61.9, 200, 747, 2928},
     [WEIR_COLLECTIVE_ALL_GATHER] = {12.7, 12.5, 12.8, 13.3, 19.4, 49.2, 157, 589, 2313},
     [WEIR_COLLECTIVE_REDUCE] = {13, 12.6, 13.2, 15.9, 27.3, 79.6, 271, 1042, 4129},
     [WEIR_COLLECTIVE_ALL_REDUCE] = {12.4, 12.9, 13.3, 16.6, 31.4, 87.1, 298, 1128, 4425},
     [WEIR_COLLECTIVE_REDUCE_SCATTER] = {12.9, 13.5, 13.5, 15.2, 22.6, 54.7, 175, 689, 2642},
     [WEIR_COLLECTIVE_ALL_TO_ALL] = {13.7, 13.5, 13.8, 14.3, 21, 53.2, 180, 691, 2701},
     [WEIR_COLLECTIVE_GATHER] = {12.7, 13, 12.9, 13.3, 18.5, 44.8, 153, 503, 1964},
     [WEIR_COLLECTIVE_SCATTER] = {12.5, 12.5, 12.8, 13.7, 19, 45.5, 164, 508, 1982}},
    {[WEIR_COLLECTIVE_BROADCAST] = {16.5, 15.8, 16.3, 17.1, 25.4, 67.2, 206, 758, 2971},
     [WEIR_COLLECTIVE_ALL_GATHER] = {16.9, 16.8, 16.8, 17, 20.5, 51.4, 160, 593, 2329},
     [WEIR_COLLECTIVE_REDUCE] = {17, 17.1, 17.9, 19, 32.7, 90.3, 305, 1171, 4640},
     [WEIR_COLLECTIVE_ALL_REDUCE] = {16.7, 16.6, 17.1, 19.2, 36.5, 104, 350, 1305, 5119},
     [WEIR_COLLECTIVE_REDUCE_SCATTER] = {17.1, 17.3, 17.3, 18.3, 27.3, 65.9, 184, 650, 2492},
     [WEIR_COLLECTIVE_ALL_TO_ALL] = {17.2, 16.8, 17.6, 17.4, 24.3, 57.3, 174, 634, 2478},
     [WEIR_COLLECTIVE_GATHER] = {17.4, 17, 17.3, 17.5, 20.7, 50, 154, 558, 2179},
     [WEIR_COLLECTIVE_SCATTER] = {16.5, 17.2, 17.9, 18, 21.7, 50.3, 163, 555, 2165}}};
static curves nccl_points[TABLES] = {
    {[WEIR_COLLECTIVE_BROADCAST] = {13.3, 13.3, 13.9, 15.1, 26.1, 67, 208, 747, 2901},
     [WEIR_COLLECTIVE_ALL_GATHER] = {12.6, 13.7, 14.4, 14.7, 26.7, 57.8, 163, 554.1, 1999},
     [WEIR_COLLECTIVE_REDUCE] = {12.6, 13.3, 13.6, 14.3, 24.1, 65.5, 205, 744.1, 2893},
     [WEIR_COLLECTIVE_ALL_REDUCE] = {12.8, 13.6, 14.4, 14.6, 34, 82.2, 251, 894.8, 3249},
     [WEIR_COLLECTIVE_REDUCE_SCATTER] = {12.4, 13, 14.4, 14.8, 24.1, 55.3, 166, 572.2, 2000},
     [WEIR_COLLECTIVE_ALL_TO_ALL] = {13.6, 14.1, 15.4, 15.7, 21.6, 55.7, 142, 504.9, 1714},
     [WEIR_COLLECTIVE_GATHER] = {12.5, 12.8, 13.5, 13.9, 16, 38.5, 110, 387.1, 1454},
     [WEIR_COLLECTIVE_SCATTER] = {12.6, 12.8, 13.7, 14.6, 16.7, 41, 116, 395.5, 1471}},
    {[WEIR_COLLECTIVE_BROADCAST] = {16, 13.7, 16.2, 15.8, 24.7, 65.4, 207, 753, 2923},
     [WEIR_COLLECTIVE_ALL_GATHER] = {12.6, 13.8, 14.3, 14.8, 26, 55.3, 159, 550, 1984},
     [WEIR_COLLECTIVE_REDUCE] = {12.5, 12.9, 13.7, 14.1, 23.1, 64.3, 204, 745, 2898},
     [WEIR_COLLECTIVE_ALL_REDUCE] = {12.6, 13.3, 14.2, 14.5, 32.9, 81.2, 250, 896, 3253},
     [WEIR_COLLECTIVE_REDUCE_SCATTER] = {13, 13.2, 14, 14.6, 23.5, 52.9, 162, 567, 1980},
     [WEIR_COLLECTIVE_ALL_TO_ALL] = {13.4, 13.6, 14.6, 15.1, 20.1, 53.6, 140, 478, 1623},
     [WEIR_COLLECTIVE_GATHER] = {12.4, 12.7, 13.3, 13.3, 17.8, 37.8, 108, 385, 1445},
     [WEIR_COLLECTIVE_SCATTER] = {12.3, 12.6, 13.6, 14.5, 18.2, 39.4, 115, 393, 1462}},
    {[WEIR_COLLECTIVE_BROADCAST] = {18.7, 18.8, 20.3, 21.1, 26.3, 80, 223, 776, 2964},
     [WEIR_COLLECTIVE_ALL_GATHER] = {18.3, 18.6, 20.6, 20.8, 31, 65.6, 184, 630, 2356},
     [WEIR_COLLECTIVE_REDUCE] = {18.7, 18.4, 19.4, 20.8, 24.5, 77.4, 218, 767, 2925},
     [WEIR_COLLECTIVE_ALL_REDUCE] = {18.5, 19.1, 20.5, 21.3, 42.9, 93.7, 297, 1091, 4188},
     [WEIR_COLLECTIVE_REDUCE_SCATTER] = {18.6, 19.9, 21, 22.1, 31, 66.1, 183, 635, 2359},
     [WEIR_COLLECTIVE_ALL_TO_ALL] = {21.6, 22.2, 23.9, 24.2, 24.7, 65.9, 184, 631, 2302},
     [WEIR_COLLECTIVE_GATHER] = {17.9, 18.6, 19.2, 19.4, 19.8, 41.5, 134, 499, 1957},
     [WEIR_COLLECTIVE_SCATTER] = {18.4, 18.4, 19.8, 20.8, 21.5, 48.7, 147, 516, 1996}},
    {[WEIR_COLLECTIVE_BROADCAST] = {24.2, 23.8, 24.9, 26.4, 29.5, 91.6, 233, 787, 3006},
     [WEIR_COLLECTIVE_ALL_GATHER] = {23.5, 24, 25.8, 26.9, 36.3, 68.7, 192, 662, 2476},
     [WEIR_COLLECTIVE_REDUCE] = {23.4, 24.2, 25, 26, 40, 118, 229, 780, 2975},
     [WEIR_COLLECTIVE_ALL_REDUCE] = {24, 24.5, 26.8, 30.3, 41.6, 102, 326, 1189, 4564},
     [WEIR_COLLECTIVE_REDUCE_SCATTER] = {23.9, 25.1, 26, 28, 33.8, 63.5, 191, 664, 2467},
     [WEIR_COLLECTIVE_ALL_TO_ALL] = {29.8, 30.2, 33.1, 34.3, 35.6, 70.2, 190, 661, 2411},
     [WEIR_COLLECTIVE_GATHER] = {25.4, 24.5, 26.7, 26, 27, 43.4, 145, 549, 2153},
     [WEIR_COLLECTIVE_SCATTER] = {24.7, 26.2, 27.4, 27.6, 29.4, 54.4, 159, 568, 2197}}};

/* Above the last point on the line through the last two. */
static double curve_us(const double *us, double bytes)
{
    size_t i = 1;
    if (bytes <= point_bytes[0])
        return us[0];
    while (i + 1 < POINTS && point_bytes[i] < bytes)
        i++;
    double step = point_bytes[i] - point_bytes[i - 1];
    return us[i] + (bytes - point_bytes[i]) * (us[i] - us[i - 1]) / step;
}

/* The message of a call of @p ranks ranks whose busiest link carries @p load bytes. */
static double message_of(weir_collective what, double load, uint32_t ranks)
{
    const double n = ranks;
    if (what == WEIR_COLLECTIVE_BROADCAST || what == WEIR_COLLECTIVE_REDUCE)
        return load;
    return n / (n - 1) * load / (what == WEIR_COLLECTIVE_ALL_REDUCE ? 2 : 1);
}

static const double *table_of(curves *tables, const weir_collectives *c, weir_collective what,
                              uint32_t ranks)
{
    return ranks == 2 ? tables[c->memory_gbs > FAST_GBS][what] : tables[ranks - 1][what];
}

/* Narrower links take the bytes longer. Each rank above those that were measured takes as much more to start as the last one of those;
 * a link's bytes take as long. */
static double ranks_us(curves *tables, const weir_collectives *c, weir_collective what, double load)
{
    const uint32_t most = c->ranks < RANKS_LAST ? c->ranks : RANKS_LAST;
    const weir_collective as =
        what == WEIR_COLLECTIVE_ALL_TO_ALL_V ? WEIR_COLLECTIVE_ALL_TO_ALL : what;
    const double *us = table_of(tables, c, as, most);
    if (c->gpus && c->narrowest_gbs > 0)
        load *= POINTS_GBS / c->narrowest_gbs;
    double start_us = c->ranks > most ? us[0] - table_of(tables, c, as, most - 1)[0] : 0;
    return curve_us(us, message_of(as, load, most)) + start_us * (c->ranks - most);
}

/* Of host devices, on one machine of two cores: a launch, two meetings, and a link's bandwidth. */
double weir__channels_us(const weir_collectives *c, weir_collective what, double load)
{
    if (!c->gpus)
        return 5 + load / c->narrowest_gbs / 1e3;
    return ranks_us(channels_points, c, what, load);
}

double weir__nccl_us(const weir_collectives *c, weir_collective what, double load)
{
    const char *blocking = getenv("NCCL_COMM_BLOCKING");
    return ranks_us(nccl_points, c, what, load) +
           (blocking && strcmp(blocking, "1") == 0 ? 0 : NCCL_THREAD_US);
}
