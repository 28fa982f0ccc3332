/** @file processes.c  Spawning the processes of a test, and waiting for them. */
#include "tests/lib/processes.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int spawned; /* this is not process 0 */

void check_in_process(int holds, const char *what, const char *file, int line)
{
    if (holds)
        return;
    if (!spawned) {
        print_error("%s does not hold\n", what);
        _fail(file, line);
    }
    fprintf(stderr, "%s:%d: process %s: %s does not hold: %s\n", file, line, getenv("WEIR_RANK"),
            what, weir_error_detail());
    _exit(1);
}

void check_status_in_process(weir_status got, weir_status wanted, const char *call,
                             const char *file, int line)
{
    if (got != wanted)
        fprintf(stderr, "%s: %s instead of %s: %s\n", call, weir_status_text(got),
                weir_status_text(wanted), weir_error_detail());
    check_in_process(got == wanted, call, file, line);
}

weir_endpoint *endpoint_of(const struct world *world, uint32_t process, const char *name)
{
    weir_endpoint *endpoint;
    if (process == world->rank)
        CHECK_OK(weir_endpoint_create(world->device, name, &endpoint));
    else
        CHECK_OK(weir_endpoint_create_remote(world->group, process, name, &endpoint));
    return endpoint;
}

void world_open(struct world *world, uint32_t rank, uint32_t size)
{
    char number[16];
    weir_config *config;
    world->rank = rank;
    world->size = size;
    CHECK_OK(weir_config_create(&config));
    CHECK_OK(weir_config_set(config, "group", world->path));
    snprintf(number, sizeof number, "%u", rank);
    CHECK_OK(weir_config_set(config, "rank", number));
    snprintf(number, sizeof number, "%u", size);
    CHECK_OK(weir_config_set(config, "size", number));
    CHECK_OK(weir_context_create("host:2", config, &world->context));
    weir_config_destroy(config);
    world->device = weir_context_device(world->context, rank % 2);
    world->home = weir_context_home(world->context);
    CHECK_OK(weir_group_create(world->context, LONG_MS, &world->group));
    CHECK(weir_group_rank(world->group) == rank && weir_group_size(world->group) == size);
}

void world_close(struct world *world)
{
    weir_group_destroy(world->group);
    weir_context_destroy(world->context);
}

void play_if_spawned(int argc, char **argv, const struct scene *scenes)
{
    struct world world = {0};
    if (argc < 2 || strcmp(argv[1], "--play") != 0)
        return;
    spawned = 1;
    if (argc != 5) /* who went on as a test would spawn more */
        exit(2);
    while (scenes->name && strcmp(scenes->name, argv[2]) != 0)
        scenes++;
    if (!scenes->name)
        exit(2);
    snprintf(world.path, sizeof world.path, "%s", getenv("WEIR_GROUP"));
    world_open(&world, (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    scenes->play(&world);
    world_close(&world);
    exit(0);
}

static pid_t spawn(const char *scene, const char *path, uint32_t rank, uint32_t size)
{
    char rank_text[16], size_text[16];
    char *argv[] = {"test", "--play", (char *)(uintptr_t)scene, rank_text, size_text, NULL};
    pid_t pid;
    snprintf(rank_text, sizeof rank_text, "%u", rank);
    snprintf(size_text, sizeof size_text, "%u", size);
    setenv("WEIR_GROUP", path, 1);
    setenv("WEIR_RANK", rank_text, 1);
    int error = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ);
    unsetenv("WEIR_GROUP");
    unsetenv("WEIR_RANK");
    assert_int_equal(error, 0);
    return pid;
}

/* @return how it ended, as waitpid() says it; -1: it did not. */
static int reap(pid_t pid)
{
    struct timespec pause = {0, 5000000};
    int how = -1;
    for (int64_t waited = 0; waited < LONG_MS; waited += 5) {
        if (waitpid(pid, &how, WNOHANG) == pid)
            return how;
        nanosleep(&pause, NULL);
    }
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, &how, 0);
    return -1;
}

void play(const struct scene *scene, uint32_t size)
{
    struct world world = {0};
    snprintf(world.path, sizeof world.path, "/tmp/weir-test.XXXXXX");
    assert_non_null(scene->name);
    assert_non_null(mkdtemp(world.path));
    for (uint32_t rank = 1; rank < size; rank++)
        world.pids[rank] = spawn(scene->name, world.path, rank, size);
    world_open(&world, 0, size);
    scene->play(&world);
    world_close(&world);
    for (uint32_t rank = 1; rank < size; rank++)
        if (world.pids[rank])
            assert_int_equal(reap(world.pids[rank]), 0);
    assert_int_equal(rmdir(world.path), 0); /* and nothing was left in it */
}
