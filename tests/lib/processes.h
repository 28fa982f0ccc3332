/** @file processes.h  Tests of several processes: the same scene is played by each, the test itself being process 0.
 *
 * The others are this program again, spawned with the name of the scene; they check by CHECK(), which ends
 * them, and process 0 fails if one ended with anything but 0. */
#ifndef WEIR_TESTS_LIB_PROCESSES_H
#define WEIR_TESTS_LIB_PROCESSES_H

#include "router/process.h"
#include "tests/lib/support.h"

#include <sys/types.h>

/** Most processes of a test. */
#define PROCESSES_MAX 4

struct world {
    uint32_t rank, size;
    weir_context *context; /* "host:2" */
    weir_device *device, *home;
    weir_group *group;
    char path[64];
    pid_t pids[PROCESSES_MAX]; /* of the others, in process 0 */
};

struct scene {
    const char *name;
    void (*play)(struct world *world);
};

/** Say what is wrong, and end the process, or fail the test in process 0. */
#define CHECK(what) check_in_process((what), #what, __FILE__, __LINE__)
void check_in_process(int holds, const char *what, const char *file, int line);
/** CHECK() of a status, with the sentence that came with it. */
#define CHECK_OK(call) check_status_in_process((call), WEIR_OK, #call, __FILE__, __LINE__)
#define CHECK_STATUS(call, wanted) \
    check_status_in_process((call), (wanted), #call, __FILE__, __LINE__)
void check_status_in_process(weir_status got, weir_status wanted, const char *call,
                             const char *file, int line);

/** First in main(): if this program was spawned to play, play and exit. The list ends with a NULL name. */
void play_if_spawned(int argc, char **argv, const struct scene *scenes);
/** Play a scene in @p size processes; fails the test unless all end well. A process that the scene killed is
 *  expected to end so: set its pid to 0. */
void play(const struct scene *scene, uint32_t size);
/** The parts of play(), for scenes that meet others than usual. */
void world_open(struct world *world, uint32_t rank, uint32_t size);
void world_close(struct world *world);

/** An endpoint of a process, seen from here: of the own device, or remote. */
weir_endpoint *endpoint_of(const struct world *world, uint32_t process, const char *name);

#endif
