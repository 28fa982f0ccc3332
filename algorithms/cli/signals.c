/** @file signals.c  SIGINT, SIGTERM and SIGHUP, taken by a thread instead of a handler.
 *
 * The signals are blocked everywhere and one thread waits for them, so that what happens next may
 * use locks and ordinary calls. While a run is watched the thread cancels it (again and again, as
 * the first call may come before the run has begun) and leaves the rest to the main thread, which
 * then returns through its own clean-up. Outside a run, after a second signal, or when the main
 * thread does not get away in time, it removes the temporaries and ends the program with status 1:
 * whatever runs, the program ends within a second.
 */
#include "algorithms/cli/cli.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 50, GRACE_STEPS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*cancel)(void *user); /* `lock` guards this and its user; NULL: nothing runs */
static void *cancel_user;
static int caught; /* `lock` guards this */

static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
/* `telling` guards this. Either the main thread or the signals' thread prints the message, once. */
static int told;
static sigset_t signals; /* written before the thread starts */

static int tell(int signal)
{
    pthread_mutex_lock(&telling);
    if (!told)
        (void)weir__cli_fail(EXIT_RUN, "stopped by SIG%s", sigabbrev_np(signal));
    told = 1;
    pthread_mutex_unlock(&telling);
    return EXIT_RUN;
}

/* Whether a line can be written to stderr without waiting. That is not so when stderr is a full pipe, or while the
 * main thread writes, which a full pipe may hold up. */
static int can_tell(void)
{
    struct pollfd standard = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (ftrylockfile(stderr))
        return 0;
    funlockfile(stderr);
    return poll(&standard, 1, 0) == 1;
}

static void leave(int signal)
{
    weir__replace_remove_all();
    if (can_tell())
        (void)tell(signal);
    _exit(EXIT_RUN);
}

/* @return whether there is a run to cancel. */
static int cancel_watched(int signal)
{
    pthread_mutex_lock(&lock);
    int running = cancel != NULL;
    if (running) {
        caught = signal;
        cancel(cancel_user);
    }
    pthread_mutex_unlock(&lock);
    return running;
}

static void *wait_for_signals(void *user)
{
    struct timespec step = {0, STEP_MS * 1000000L};
    int signal = 0;
    (void)user;
    while (sigwait(&signals, &signal) != 0)
        continue;
    if (!cancel_watched(signal))
        leave(signal);
    for (int i = 0; i < GRACE_STEPS; i++) {
        if (sigtimedwait(&signals, NULL, &step) > 0)
            break;
        (void)cancel_watched(signal);
    }
    leave(signal);
    return NULL;
}

int weir__cli_signals_start(void)
{
    pthread_t thread;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    int error = pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (!error)
        error = pthread_create(&thread, NULL, wait_for_signals, NULL);
    if (error)
        return weir__cli_fail(EXIT_RUN, "no thread for signals: %s", strerror(error));
    (void)pthread_detach(thread);
    return EXIT_DONE;
}

void weir__cli_signals_watch(void (*stop)(void *user), void *user)
{
    pthread_mutex_lock(&lock);
    cancel = stop;
    cancel_user = user;
    pthread_mutex_unlock(&lock);
}

int weir__cli_signals_unwatch(void)
{
    pthread_mutex_lock(&lock);
    int signal = caught;
    cancel = NULL;
    pthread_mutex_unlock(&lock);
    return signal ? tell(signal) : EXIT_DONE;
}
