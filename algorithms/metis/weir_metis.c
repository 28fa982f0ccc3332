/** @file weir_metis.c  The weir-metis program: METIS k-way partitioning for weir, in its own
 * process.
 *
 * Reads one request from standard input and writes one reply to standard output, both as laid down
 * in algorithms/graph/metis_helper.h. Not for people. Everything read is checked: METIS itself
 * checks nothing and walks off its arrays. One sentence to standard error and exit status 1 tell
 * of a request that cannot be met; what METIS returns goes into the reply. */
#include "algorithms/graph/metis_helper.h"

#include <errno.h>
#include <metis.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

_Static_assert(IDXTYPEWIDTH == 32, "the request holds 32-bit indices");

struct job {
    struct weir__metis_request request;
    idx_t *rows, *targets, *weights, *part;
};

static int complain(const char *sentence)
{
    fprintf(stderr, "weir-metis: %s\n", sentence);
    return 0;
}

static int read_all(void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        ssize_t got = read(STDIN_FILENO, at, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return complain("the request is cut short");
        at += got;
        bytes -= (size_t)got;
    }
    return 1;
}

static int write_all(int fd, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t put = write(fd, at, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return complain("the reply cannot be written");
        at += put;
        bytes -= (size_t)put;
    }
    return 1;
}

static int read_job(struct job *job)
{
    struct weir__metis_request *r = &job->request;
    if (!read_all(r, sizeof *r))
        return 0;
    if (r->magic != WEIR__METIS_MAGIC)
        return complain("standard input is no request; this program is started by weir");
    if (r->vertices == 0 || r->vertices >= INT32_MAX || r->arcs >= INT32_MAX || r->parts == 0 ||
        r->parts > WEIR__METIS_PARTS || r->parts > r->vertices)
        return complain("the sizes of the request are out of range");
    size_t n = (size_t)r->vertices, m = (size_t)r->arcs;
    job->rows = malloc((n + 1) * sizeof *job->rows);
    job->targets = malloc((m + 1) * sizeof *job->targets);
    job->weights = malloc(n * sizeof *job->weights);
    job->part = malloc(n * sizeof *job->part);
    if (!job->rows || !job->targets || !job->weights || !job->part)
        return complain("no memory for the graph");
    return read_all(job->rows, (n + 1) * sizeof *job->rows) &&
           read_all(job->targets, m * sizeof *job->targets) &&
           read_all(job->weights, n * sizeof *job->weights);
}

static int check_job(const struct job *job)
{
    idx_t n = (idx_t)job->request.vertices, m = (idx_t)job->request.arcs;
    int64_t sum = 0;
    if (job->rows[0] != 0 || job->rows[n] != m)
        return complain("the rows do not cover the arcs");
    for (idx_t v = 0; v < n; v++) {
        if (job->rows[v + 1] < job->rows[v] || job->rows[v + 1] > m)
            return complain("the rows do not ascend");
        if (job->weights[v] < 0)
            return complain("a vertex weight is negative");
        sum += job->weights[v];
    }
    if (sum > INT32_MAX)
        return complain("the vertex weights are too large together");
    for (idx_t v = 0; v < n; v++)
        for (idx_t i = job->rows[v]; i < job->rows[v + 1]; i++)
            if (job->targets[i] < 0 || job->targets[i] >= n || job->targets[i] == v)
                return complain("an arc leads out of the graph or to its own vertex");
    return 1;
}

static int partition(struct job *job, struct weir__metis_reply *reply)
{
    idx_t n = (idx_t)job->request.vertices, parts = (idx_t)job->request.parts, constraints = 1;
    idx_t cut = 0, options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(job->request.seed & INT32_MAX);
    options[METIS_OPTION_NUMBERING] = 0;
    memset(job->part, 0, (size_t)n * sizeof *job->part);
    int code = parts == 1
                   ? METIS_OK
                   : METIS_PartGraphKway(&n, &constraints, job->rows, job->targets, job->weights,
                                         NULL, NULL, &parts, NULL, NULL, options, &cut, job->part);
    *reply = (struct weir__metis_reply){WEIR__METIS_MAGIC, code, cut};
    for (idx_t v = 0; v < n && code == METIS_OK; v++)
        if (job->part[v] < 0 || job->part[v] >= parts)
            return complain("METIS named a part that does not exist");
    return 1;
}

static int answer(int fd, const struct job *job, const struct weir__metis_reply *reply)
{
    size_t n = (size_t)job->request.vertices;
    uint8_t *owner = malloc(n);
    if (!owner)
        return complain("no memory for the reply");
    for (size_t v = 0; v < n; v++)
        owner[v] = (uint8_t)job->part[v];
    int done =
        write_all(fd, reply, sizeof *reply) && (reply->code != METIS_OK || write_all(fd, owner, n));
    free(owner);
    return done;
}

int main(void)
{
    struct job job = {0};
    struct weir__metis_reply reply = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody is left to hear the answer */
    /* METIS prints its complaints to standard output: keep that for the reply alone. */
    int reply_fd = dup(STDOUT_FILENO);
    if (reply_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        complain("no standard output");
        return 1;
    }
    int done = read_job(&job) && check_job(&job) && partition(&job, &reply) &&
               answer(reply_fd, &job, &reply);
    free(job.part);
    free(job.weights);
    free(job.targets);
    free(job.rows);
    return done ? 0 : 1;
}
