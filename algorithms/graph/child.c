/** @file child.c  A helper program fed and heard through poll(), never trusted, never left behind.
 */
#include "algorithms/graph/child.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLICE_MS     50 /* how long a child that died with its pipe held open stays unnoticed */
#define COMPLAINT    400
#define NOTHING_LEFT (-1)
#define DRAIN        256 /* reads that empty a pipe, unless somebody keeps filling it */

enum { INPUT, OUTPUT, ERRORS, STREAMS };

struct child {
    const char *path;
    pid_t pid;         /* 0: none is running */
    int ours[STREAMS]; /* our ends; -1 when closed */
    int theirs[STREAMS];
    struct iovec *piece;
    size_t pieces;
    char *answer;
    size_t room, have;
    int too_much;
    char complaint[COMPLAINT + 1];
    size_t complained;
    uint64_t timeout_ms, deadline_ns;
};

extern char **environ;

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Our descriptors must not be 0, 1 or 2, or placing one of the child's would overwrite another. */
static int lift(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return higher;
}

/* Standard input is a socket: writing to a child that has gone must not raise SIGPIPE here. */
static weir_status open_streams(struct child *c)
{
    int pair[2];
    for (int i = 0; i < STREAMS; i++) {
        int failed = i == INPUT ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)
                                : pipe2(pair, O_CLOEXEC);
        if (failed)
            return weir__fail(WEIR_ERR_CHILD, "%s: no pipe to it: %s", c->path, strerror(errno));
        c->ours[i] = lift(pair[0]);
        c->theirs[i] = lift(pair[1]);
        if (c->ours[i] < 0 || c->theirs[i] < 0 || fcntl(c->ours[i], F_SETFL, O_NONBLOCK) != 0)
            return weir__fail(WEIR_ERR_CHILD, "%s: no pipe to it: %s", c->path, strerror(errno));
    }
    return WEIR_OK;
}

static int spawn(struct child *c, posix_spawn_file_actions_t *actions,
                 posix_spawnattr_t *attributes)
{
    char *arguments[] = {(char *)c->path, NULL};
    sigset_t none, standard;
    int error = 0;
    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    sigaddset(&standard, SIGINT);
    sigaddset(&standard, SIGTERM);
    for (int i = 0; i < STREAMS && !error; i++)
        error = posix_spawn_file_actions_adddup2(actions, c->theirs[i], i);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (!error) /* whoever opened files without O_CLOEXEC keeps them to himself */
        error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
    if (!error)
        error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error)
        error = posix_spawnattr_setsigdefault(attributes, &standard);
    if (!error)
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error ? error : posix_spawn(&c->pid, c->path, actions, attributes, arguments, environ);
}

static weir_status start(struct child *c)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = ENOMEM;
    if (posix_spawn_file_actions_init(&actions) == 0) {
        if (posix_spawnattr_init(&attributes) == 0) {
            error = spawn(c, &actions, &attributes);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    for (int i = 0; i < STREAMS; i++)
        shut(&c->theirs[i]);
    if (!error)
        return WEIR_OK;
    c->pid = 0;
    return weir__fail(WEIR_ERR_CHILD, "%s: cannot be started: %s", c->path, strerror(error));
}

/* Write what the child takes now; a child that reads no more tells by its exit why. */
static void feed(struct child *c)
{
    while (c->pieces > 0) {
        ssize_t put = send(c->ours[INPUT], c->piece->iov_base, c->piece->iov_len, MSG_NOSIGNAL);
        if (put < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (put < 0)
            break;
        c->piece->iov_base = (char *)c->piece->iov_base + put;
        c->piece->iov_len -= (size_t)put;
        if (c->piece->iov_len == 0) {
            c->piece++;
            c->pieces--;
        }
    }
    shut(&c->ours[INPUT]);
}

/* Read what is there; @return whether there may be more now. */
static int hear(struct child *c)
{
    char spare;
    size_t left = c->room - c->have;
    ssize_t got = read(c->ours[OUTPUT], left ? c->answer + c->have : &spare, left ? left : 1);
    if (got > 0 && left)
        c->have += (size_t)got;
    else if (got > 0)
        c->too_much = 1;
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        shut(&c->ours[OUTPUT]);
    return got > 0 && !c->too_much;
}

/* Keep the last bytes of standard error. */
static int hear_complaint(struct child *c)
{
    char text[COMPLAINT];
    ssize_t got = read(c->ours[ERRORS], text, sizeof text);
    if (got <= 0) {
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            shut(&c->ours[ERRORS]);
        return 0;
    }
    size_t fresh = (size_t)got, keep = COMPLAINT - fresh;
    if (c->complained > keep) {
        memmove(c->complaint, c->complaint + c->complained - keep, keep);
        c->complained = keep;
    }
    memcpy(c->complaint + c->complained, text, fresh);
    c->complained += fresh;
    return 1;
}

/* Milliseconds to wait now: a slice, or less when the time limit is near; 0 when it has passed. */
static int slice(const struct child *c, int most_ms)
{
    uint64_t now = weir__now_ns();
    if (now >= c->deadline_ns)
        return 0;
    uint64_t left_ms = (c->deadline_ns - now) / 1000000 + 1;
    return left_ms < (uint64_t)most_ms ? (int)left_ms : most_ms;
}

/* Kill what is left of the child and all it started, and reap it. The group is killed first: until
 * its leader is reaped nobody else can have its number. */
static void finish(struct child *c, int *ending)
{
    pid_t got;
    kill(-c->pid, SIGKILL);
    while ((got = waitpid(c->pid, ending, 0)) < 0 && errno == EINTR)
        ;
    if (got < 0)
        *ending = NOTHING_LEFT; /* the program ignores SIGCHLD: the kernel kept no exit status */
    c->pid = 0;
}

/* @return whether the child has ended by itself; what it left in the pipes is read then. */
static int ended(struct child *c, int *ending)
{
    siginfo_t facts = {0};
    int failed = waitid(P_PID, (id_t)c->pid, &facts, WEXITED | WNOHANG | WNOWAIT) != 0;
    if (failed ? errno != ECHILD : facts.si_pid == 0)
        return 0;
    while (c->ours[OUTPUT] >= 0 && hear(c))
        ;
    for (int i = 0; i < DRAIN && c->ours[ERRORS] >= 0 && hear_complaint(c); i++)
        ;
    finish(c, ending);
    return 1;
}

static weir_status attend(struct child *c, int *ending)
{
    static const short wanted[] = {POLLOUT, POLLIN, POLLIN};
    for (;;) {
        struct pollfd fds[STREAMS];
        int wait_ms = slice(c, SLICE_MS);
        if (wait_ms == 0)
            return weir__fail(WEIR_ERR_TIMEOUT, "%s: killed at its time limit of %llu ms", c->path,
                              (unsigned long long)c->timeout_ms);
        const weir_status observed = weir__activity_went(0);
        if (observed)
            return observed;
        int open = 0;
        for (int i = 0; i < STREAMS; i++) {
            fds[i] = (struct pollfd){.fd = c->ours[i], .events = wanted[i]};
            open += c->ours[i] >= 0;
        }
        /* With all pipes closed only the exit is awaited: look for it often. */
        poll(fds, STREAMS, open ? wait_ms : slice(c, 2));
        if (c->ours[INPUT] >= 0 && fds[INPUT].revents)
            feed(c);
        if (c->ours[OUTPUT] >= 0 && fds[OUTPUT].revents)
            hear(c);
        if (c->ours[ERRORS] >= 0 && fds[ERRORS].revents)
            hear_complaint(c);
        int done = ended(c, ending);
        if (c->too_much)
            return weir__fail(WEIR_ERR_CHILD, "%s: answered more than %zu bytes", c->path, c->room);
        if (done)
            return WEIR_OK;
    }
}

/* The complaint on one line, without what cannot be printed. */
static const char *one_line(struct child *c)
{
    size_t length = c->complained;
    while (length > 0 && c->complaint[length - 1] <= ' ')
        length--;
    c->complaint[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (c->complaint[i] < ' ' || c->complaint[i] > 126)
            c->complaint[i] = ' ';
    return c->complaint;
}

static weir_status judge(struct child *c, int ending)
{
    const char *text = one_line(c), *joint = *text ? ": " : "";
    if (ending == NOTHING_LEFT)
        return WEIR_OK;
    if (WIFSIGNALED(ending))
        return weir__fail(WEIR_ERR_CHILD, "%s: killed by signal %d (%s)%s%s", c->path,
                          WTERMSIG(ending), strsignal(WTERMSIG(ending)), joint, text);
    if (WEXITSTATUS(ending) != 0)
        return weir__fail(WEIR_ERR_CHILD, "%s: ended with exit status %d%s%s", c->path,
                          WEXITSTATUS(ending), joint, text);
    return WEIR_OK;
}

weir_status weir__child_run(const char *path, struct iovec *pieces, size_t piece_count,
                            void *answer, size_t room, uint64_t timeout_ms, size_t *answer_bytes)
{
    struct child c = {.path = path,
                      .ours = {-1, -1, -1},
                      .theirs = {-1, -1, -1},
                      .piece = pieces,
                      .pieces = piece_count,
                      .answer = answer,
                      .room = room,
                      .timeout_ms = timeout_ms};
    int ending = NOTHING_LEFT;
    uint64_t limit_ns = timeout_ms < UINT64_MAX / 2000000 ? timeout_ms * 1000000 : UINT64_MAX / 2;
    weir_status status;
    c.deadline_ns = weir__now_ns() + limit_ns;
    if (!(status = open_streams(&c)) && !(status = start(&c)) && !(status = attend(&c, &ending)))
        status = judge(&c, ending);
    if (c.pid > 0)
        finish(&c, &ending);
    for (int i = 0; i < STREAMS; i++) {
        shut(&c.ours[i]);
        shut(&c.theirs[i]);
    }
    *answer_bytes = c.have;
    return status;
}
