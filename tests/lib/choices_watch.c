/** @file choices_watch.c  What hangs is named before it ends the program. */
#include "tests/lib/choices.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char watched[512];
static size_t watched_bytes;

/* Nothing but what a signal handler may do. */
static void expired(int number)
{
    static const char said[] = "not done in time: ";
    ssize_t ignored = write(2, said, sizeof said - 1);
    ignored = write(2, watched, watched_bytes);
    ignored = write(2, "\n", 1);
    (void)ignored;
    (void)number;
    _exit(1);
}

void choice_watch(const char *text, unsigned seconds)
{
    struct sigaction action = {.sa_handler = expired};
    watched_bytes = (size_t)snprintf(watched, sizeof watched, "%s", text);
    if (watched_bytes >= sizeof watched)
        watched_bytes = sizeof watched - 1;
    sigaction(SIGALRM, &action, NULL);
#ifdef __SANITIZE_THREAD__
    seconds *= 10;
#endif
    alarm(seconds);
}

void choice_watch_end(void)
{
    alarm(0);
}
