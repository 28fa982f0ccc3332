/** @file signals.c  SIGINT, SIGTERM and SIGHUP, taken by a thread instead of a handler.
 *
 * The signals are blocked everywhere and one thread waits for them, so that what happens next may
 * use locks and ordinary calls. While a run is watched the thread cancels it (again and again, as
 * the first call may come before the run has begun), and a long call of the library it stops by the
 * main thread's observer; the rest is left to the main thread, which
 * then returns through its own clean-up. Outside of both, after a second signal, or when the main
 * thread does not get away in time, it removes the temporaries and ends the program with status 1:
 * whatever runs, the program ends within a second.
 *
 * Meanwhile the thread draws the line of progress, and keeps the time limit where the library cannot, such as in an open() that
 * waits: a call that is over its limit for long ends the program in the same way.
 */
#include "algorithms/cli/cli.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 50, GRACE_STEPS = 10, DRAW_MS = 150, LATE_MS = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*cancel)(void *user); /* `lock` guards this and its user; NULL: nothing runs */
static void *cancel_user;
static int caught; /* `lock` guards this */

static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
/* `telling` guards this. Either the main thread or the signals' thread prints the message, once. */
static int told;
/* Written before the thread starts. */
static sigset_t signals;
static weir_observer *observer; /* of the main thread */
static uint64_t limit_ms;       /* 0: none */

static int tell(int signal)
{
    pthread_mutex_lock(&telling);
    if (!told)
        (void)weir__cli_fail(EXIT_RUN, "stopped by SIG%s", sigabbrev_np(signal));
    told = 1;
    pthread_mutex_unlock(&telling);
    return EXIT_RUN;
}

static weir_activity busy_with(void)
{
    weir_activity activity = WEIR_ACTIVITY_INIT;
    (void)weir_observer_look(observer, &activity);
    return activity;
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

/* @return whether there is a run to cancel, or a call to stop. */
static int cancel_watched(int signal)
{
    pthread_mutex_lock(&lock);
    const int running = cancel != NULL || busy_with().name;
    if (running) {
        caught = signal;
        weir_observer_stop(observer);
    }
    if (cancel)
        cancel(cancel_user);
    pthread_mutex_unlock(&lock);
    return running;
}

/* Whether the main thread is in a call that should have ended by itself. */
static void keep_limit(const weir_activity *activity)
{
    if (!limit_ms || !activity->name || activity->ms < (double)(limit_ms + LATE_MS))
        return;
    weir__replace_remove_all();
    pthread_mutex_lock(&telling);
    if (!told && can_tell())
        (void)weir__cli_fail(EXIT_RUN, "the time limit of %llu ms is over while %s",
                             (unsigned long long)limit_ms, activity->name);
    _exit(EXIT_RUN);
}

/* @return a signal that came; 0: none did within the time. */
static int next_signal(int ms)
{
    const struct timespec step = {0, ms * 1000000L};
    const int signal = sigtimedwait(&signals, NULL, &step);
    return signal > 0 ? signal : 0;
}

/* Wait for a signal, and look after the main thread meanwhile. */
static int attend(void)
{
    const int drawn = weir__cli_progress_wanted();
    int signal = 0;
    while (!drawn && !limit_ms)
        if (sigwait(&signals, &signal) == 0)
            return signal;
    while (!(signal = next_signal(DRAW_MS))) {
        const weir_activity activity = busy_with();
        if (drawn)
            weir__cli_progress_draw(&activity);
        keep_limit(&activity);
    }
    return signal;
}

static void *wait_for_signals(void *user)
{
    (void)user;
    const int signal = attend();
    if (!cancel_watched(signal))
        leave(signal);
    for (int i = 0; i < GRACE_STEPS && !next_signal(STEP_MS); i++)
        (void)cancel_watched(signal);
    leave(signal);
    return NULL;
}

int weir__cli_signals_start(const weir__cli_request *request)
{
    pthread_t thread;
    const weir_status status = weir_observer_create(&observer);
    if (status)
        return weir__cli_fail_status(status);
    limit_ms = request->time_limit_ms;
    weir_observer_limit(observer, (uint32_t)limit_ms);
    (void)weir_observer_attach(observer); /* until the program ends */
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

int weir__cli_signals_told(void)
{
    pthread_mutex_lock(&lock);
    int signal = caught;
    pthread_mutex_unlock(&lock);
    return signal ? tell(signal) : EXIT_DONE;
}

int weir__cli_signals_unwatch(void)
{
    pthread_mutex_lock(&lock);
    cancel = NULL;
    pthread_mutex_unlock(&lock);
    return weir__cli_signals_told();
}
