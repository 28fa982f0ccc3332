/** @file test_room.c  How much memory there is: made-up trees of the files that tell, and this process's limits. */
#include "runtime/room.h"
#include "tests/lib/support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

static char root[64];

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/weir-room.XXXXXX");
    return !mkdtemp(root);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A file of the tree, with the folders above it. */
static void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(whole, 0777);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void put_mib(const char *path, uint64_t mib)
{
    char text[32];
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)(mib * MIB));
    put(path, text);
}

/* A group of version 2. @param[in] high, max  MiB, 0: "max". */
static void put_group(const char *folder, uint64_t high, uint64_t max, uint64_t used,
                      uint64_t cache)
{
    char path[256], text[128];
    snprintf(path, sizeof path, "%s/memory.current", folder);
    put_mib(path, used);
    snprintf(path, sizeof path, "%s/memory.max", folder);
    max ? put_mib(path, max) : put(path, "max\n");
    snprintf(path, sizeof path, "%s/memory.high", folder);
    high ? put_mib(path, high) : put(path, "max\n");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    snprintf(text, sizeof text, "anon 4096\nfile 4096\ninactive_anon 99\ninactive_file %llu\n",
             (unsigned long long)(cache * MIB));
    put(path, text);
}

/* A group of version 1; without a limit it has the largest number of pages. */
static void put_group_v1(const char *folder, uint64_t limit, uint64_t used, uint64_t cache,
                         uint64_t above)
{
    char path[256], text[160];
    snprintf(path, sizeof path, "%s/memory.usage_in_bytes", folder);
    put_mib(path, used);
    snprintf(path, sizeof path, "%s/memory.limit_in_bytes", folder);
    limit ? put_mib(path, limit) : put(path, "9223372036854771712\n");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    snprintf(text, sizeof text,
             "cache 1\nhierarchical_memory_limit %llu\ntotal_inactive_file %llu\n",
             above ? (unsigned long long)(above * MIB) : 9223372036854771712ull,
             (unsigned long long)(cache * MIB));
    put(path, text);
}

static void assert_room(uint64_t mib, const char *owner)
{
    struct weir__room room;
    weir__room_look(root, &room);
    assert_int_equal(room.bytes / MIB, mib);
    assert_string_equal(room.owner, owner);
}

#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

static void no_limit(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemTotal: 4194304 kB\nMemFree:  99 kB\nMemAvailable:    2048000 kB\n");
    assert_room(2000, "this machine");
    put("/proc/self/cgroup", "0::/\n");
    assert_room(2000, "this machine"); /* no mount is known */
    put("/proc/self/mountinfo", V2_MOUNT);
    assert_room(2000, "this machine"); /* the root has no files of memory */
    put("/proc/meminfo", "MemTotal: 4194304 kB\n");
    struct weir__room room;
    weir__room_look(root, &room);
    assert_true(room.bytes > 0); /* what is built in */
}

/* Of a group and those above it the one with the least left counts. */
static void nested_groups(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemAvailable: 2048000 kB\n");
    put("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" V2_MOUNT);
    put("/proc/self/cgroup", "0::/pod/box\n");
    put_group("/sys/fs/cgroup/pod/box", 0, 1000, 300, 0);
    put_group("/sys/fs/cgroup/pod", 0, 0, 900, 0);
    assert_room(700, "the control group /pod/box");
    put_group("/sys/fs/cgroup/pod", 0, 1200, 900, 0);
    assert_room(300, "the control group /pod");
    put_group("/sys/fs/cgroup/pod", 0, 1200, 900, 250); /* cache that goes when it is wanted */
    assert_room(550, "the control group /pod");
    put_group("/sys/fs/cgroup/pod/box", 400, 1000, 300,
              0); /* above the high mark it is slowed down to a halt */
    assert_room(100, "the control group /pod/box");
    struct weir__room room;
    weir__room_look(root, &room);
    assert_int_equal(room.all, 400 * MIB);                  /* whoever uses it */
    put_group("/sys/fs/cgroup/pod/box", 0, 1000, 1100, 50); /* over it for a moment */
    assert_room(0, "the control group /pod/box");
}

/* In a container that sees its own group as the root, and in one whose mount shows that group alone. */
static void a_container_at_the_root(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemAvailable: 2048000 kB\n");
    put("/proc/self/cgroup", "0::/\n");
    put("/proc/self/mountinfo", V2_MOUNT);
    put_group("/sys/fs/cgroup", 0, 512, 100, 10);
    assert_room(422, "the control group /");
    put("/proc/self/cgroup", "0::/docker/abc\n");
    put("/proc/self/mountinfo", "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    assert_room(422, "the control group /");
    put("/proc/self/cgroup", "0::/docker/abc/job\n");
    put_group("/sys/fs/cgroup/job", 0, 300, 100, 0);
    assert_room(200, "the control group /job");
    put("/proc/self/cgroup", "0::/../other\n"); /* outside of what this container may see */
    assert_room(422, "the control group /");
    put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/my\\040groups rw - cgroup2 cgroup2 rw\n");
    put_group("/sys/fs/my groups", 0, 256, 6, 0);
    put("/proc/self/cgroup", "0::/\n");
    assert_room(250, "the control group /");
}

static void version_1(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemAvailable: 2048000 kB\n");
    put("/proc/self/cgroup", "12:cpu,cpuacct:/other\n4:memory:/docker/abc\n1:name=systemd:/\n");
    put("/proc/self/mountinfo",
        "31 23 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put_group_v1("/sys/fs/cgroup/memory", 1024, 500, 100, 0);
    assert_room(624, "the control group /");
    put_group_v1("/sys/fs/cgroup/memory", 0, 500, 100, 700); /* a group above that is not shown */
    assert_room(300, "the control group /");
    put("/proc/self/mountinfo",
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put_group_v1("/sys/fs/cgroup/memory", 0, 1500, 0, 0);
    put_group_v1("/sys/fs/cgroup/memory/docker", 1000, 800, 0, 0);
    put_group_v1("/sys/fs/cgroup/memory/docker/abc", 1000, 500, 0, 1000);
    assert_room(200, "the control group /docker");
}

/* Version 2 is mounted beside version 1 and has no memory in it. */
static void both_versions(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemAvailable: 2048000 kB\n");
    put("/proc/self/cgroup", "4:memory:/box\n0::/box\n");
    put("/proc/self/mountinfo",
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put("/sys/fs/cgroup/unified/box/cgroup.procs", "1\n");
    put_group_v1("/sys/fs/cgroup/memory", 0, 1500, 0, 0);
    put_group_v1("/sys/fs/cgroup/memory/box", 800, 500, 60, 0);
    assert_room(360, "the control group /box");
}

static void odd_files(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemAvailable: 2048000 kB\n");
    put("/proc/self/cgroup", "\n:\n0:\n4:memory\n5:memory_like:/box\nno colon at all\n");
    put("/proc/self/mountinfo", "\n - \n1 2 3 - cgroup2\n - cgroup2 x y\n");
    assert_room(2000, "this machine");
}

/* The limits of ulimit -v and -d, less what the process has already. */
static void limits_of_the_process(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemAvailable: 2048000 kB\n");
    put("/proc/self/status", "Name:\tx\nVmSize:\t  307200 kB\nVmData:\t  102400 kB\n");
    const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    const uint64_t left[] = {1700, 1900};
    const char *const owners[] = {"the limit on address space (ulimit -v)",
                                  "the limit on data (ulimit -d)"};
    for (int i = 0; i < 2; i++) {
        struct rlimit before, limit;
        struct weir__room room;
        getrlimit(limits[i], &before);
        limit = before;
        limit.rlim_cur = 2000 * MIB;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        continue; /* a sanitizer has taken more than that, and may want more while the limit holds */
#endif
        assert_int_equal(setrlimit(limits[i], &limit), 0);
        weir__room_look(root, &room);
        assert_int_equal(setrlimit(limits[i], &before), 0);
        assert_int_equal(room.bytes / MIB, left[i]);
        assert_true(room.all <= 2000 * MIB);
        assert_string_equal(room.owner, owners[i]);
    }
}

static void needs_add_up(void **state)
{
    (void)state;
    struct weir__need need = {0, 0};
    weir__need_take(&need, 10, 100);
    weir__need_pass(&need, 500, 1);
    weir__need_take(&need, 300, 1);
    assert_int_equal(need.held, 1300);
    assert_int_equal(need.most, 1500);
    weir__need_give(&need, 1300, 1);
    weir__need_give(&need, 700, 1); /* that was there before */
    weir__need_take(&need, 2100, 1);
    assert_int_equal(need.most, 1500);
    weir__need_take(&need, 200, 1);
    assert_int_equal(need.most, 1600);
    weir__need_take(&need, UINT64_MAX, UINT64_MAX); /* not 1 */
    weir__need_take(&need, UINT64_MAX, 1);
    assert_true(need.most > INT64_MAX / 8);
    assert_int_equal(weir__need_fits(&need, "%s", "all there is"), WEIR_ERR_NOMEM);
    assert_detail_has("all there is: ");
    assert_detail_has(" MiB of memory are needed, and ");
    assert_int_equal(weir__need_fits(&(struct weir__need){0, 0}, "nothing"), WEIR_OK);
}

/* A look at the files costs more than what needs little: without one look for many, this takes a thousand. */
static void one_look_serves_many_small_needs(void **state)
{
    struct rlimit limit;
    struct weir__need small = {0, 0}, large = {0, 0};
    (void)state;
    if ((!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY) ||
        (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY)) {
        print_message("skipped: this process has limits of its own\n");
        skip();
    }
    weir__need_take(&small, 1000, 1);
    weir__need_take(&large, weir__room_left() / 16, 1);
    uint64_t before = weir__room_looks();
    for (int i = 0; i < 1000; i++)
        assert_int_equal(weir__need_fits(&small, "little"), WEIR_OK);
    assert_true(weir__room_looks() - before < 500);
    before = weir__room_looks();
    for (int i = 0; i < 3; i++)
        assert_int_equal(weir__need_fits(&large, "much"), WEIR_OK);
    assert_int_equal(weir__room_looks() - before, 3);
}

/* What a test makes up is looked at each time, as the limits of the process are. */
static void what_is_made_up_is_looked_at(void **state)
{
    struct weir__need small = {0, 0};
    (void)state;
    weir__need_take(&small, 1000, 1);
    put("/proc/meminfo", "MemAvailable: 1000000 kB\n");
    weir__room_pretend(root);
    const uint64_t before = weir__room_looks();
    for (int i = 0; i < 3; i++)
        assert_int_equal(weir__need_fits(&small, "little"), WEIR_OK);
    weir__room_pretend(NULL);
    assert_int_equal(weir__room_looks() - before, 3);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_TREE(no_limit),
        IN_A_TREE(nested_groups),
        IN_A_TREE(a_container_at_the_root),
        IN_A_TREE(version_1),
        IN_A_TREE(both_versions),
        IN_A_TREE(odd_files),
        IN_A_TREE(limits_of_the_process),
        cmocka_unit_test(needs_add_up),
        cmocka_unit_test(one_look_serves_many_small_needs),
        IN_A_TREE(what_is_made_up_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
