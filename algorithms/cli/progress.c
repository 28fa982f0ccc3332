/** @file progress.c  A line of progress on a terminal.
 *
 * The main thread says what it is at, the signals' thread draws: so a call of the library that takes minutes is seen to go
 * on. Nothing is drawn where stderr is no terminal, in the first half second of a stage, and once NULL was said, which comes
 * before anything is printed: so the line is never mixed with messages and results, wherever those go. */
#include "algorithms/cli/cli.h"

#include <pthread.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 400, HIDDEN_MS = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* `lock` guards what follows. */
static const char *stage; /* the format; NULL: nothing is to be shown */
static char text[ROOM];
static struct timespec begin; /* of the stage */
static int shown;

int weir__cli_progress_wanted(void)
{
    return isatty(STDERR_FILENO);
}

/* Write to the terminal, unless it is stopped: then nobody looks. */
static void put(const char *line, size_t bytes)
{
    struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&terminal, 1, 0) == 1)
        (void)!write(STDERR_FILENO, line, bytes);
}

static void erase(void)
{
    static const char away[] = "\r\033[K";
    if (shown)
        put(away, sizeof away - 1);
    shown = 0;
}

void weir__cli_progress(const char *format, ...)
{
    va_list arguments;
    pthread_mutex_lock(&lock);
    if (!format)
        erase();
    if (format && format != stage)
        clock_gettime(CLOCK_MONOTONIC, &begin);
    stage = format;
    if (format) {
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        weir__cli_clean(text); /* a file's name may hold anything */
    }
    pthread_mutex_unlock(&lock);
}

void weir__cli_writing(const weir__cli_output *output)
{
    if (!isatty(fileno(output->file)))
        weir__cli_progress("writing %s", output->path);
}

static double ms_since(const struct timespec *from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) * 1e3 + (double)(now.tv_nsec - from->tv_nsec) / 1e6;
}

/* A count that is easily read: "312.4 M", "17.0 MiB". */
static void count_text(uint64_t count, int bytes, char room[32])
{
    static const char *const of_bytes[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    static const char *const of_others[] = {"", " k", " M", " G", " T"};
    const double step = bytes ? 1024 : 1000;
    double value = (double)count;
    int unit = 0;
    for (; value >= step && unit < 4; unit++)
        value /= step;
    snprintf(room, 32, unit ? "%.1f%s%s" : "%.0f%s%s", value, bytes ? " " : "",
             bytes ? of_bytes[unit] : of_others[unit]);
}

/* ": sorting rows, 12.0 M of 48.0 M vertices, 25 %". */
static void activity_text(const weir_activity *activity, char *room, size_t size)
{
    const int bytes = activity->unit && strcmp(activity->unit, "bytes") == 0;
    char done[32], total[32];
    size_t at = (size_t)snprintf(room, size, "%s", activity->name ? ": " : "");
    if (!activity->name)
        return;
    at += (size_t)snprintf(room + at, size - at, "%s", activity->name);
    if (!activity->unit || (!activity->done && !activity->total))
        return;
    count_text(activity->done, bytes, done);
    count_text(activity->total, bytes, total);
    at += (size_t)snprintf(room + at, size - at, ", %s%s%s", done, activity->total ? " of " : "",
                           activity->total ? total : "");
    if (!bytes)
        at += (size_t)snprintf(room + at, size - at, " %s", activity->unit);
    if (activity->total)
        snprintf(room + at, size - at, ", %.0f %%",
                 100 * (double)activity->done / (double)activity->total);
}

/* A line that is wider than the terminal could not be erased. */
static size_t columns(void)
{
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1u
                                                                               : 79;
}

void weir__cli_progress_draw(const weir_activity *activity)
{
    char line[2 * ROOM], more[200];
    pthread_mutex_lock(&lock);
    if (stage && ms_since(&begin) > HIDDEN_MS) {
        activity_text(activity, more, sizeof more);
        const size_t most = columns();
        int length = snprintf(line, sizeof line, "\r\033[K%s%s", text, more);
        if ((size_t)length > most + 4)
            length = (int)most + 4;
        put(line, (size_t)length);
        shown = 1;
    }
    pthread_mutex_unlock(&lock);
}
