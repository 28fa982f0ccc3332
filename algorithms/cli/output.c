/** @file output.c  Result files: opened before the run, complete or not there after it. */
#include "algorithms/cli/cli.h"
#include "algorithms/graph/format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* @param[in] code  EXIT_USAGE before the run, where another file should be named; EXIT_RUN after it, and where
 *                  the name is not to blame. */
static int fail(int code, const weir__cli_output *output, int error)
{
    if (output->file == stdout)
        return weir__cli_fail(code, "standard output cannot be written: %s", strerror(error));
    return weir__cli_fail(code, "--%s %s: cannot be written: %s", output->option, output->path,
                          strerror(error));
}

static int out_of_memory(const weir__cli_output *output)
{
    return weir__cli_fail(EXIT_RUN, "--%s %s: out of memory", output->option, output->path);
}

/* Of a graph "-" is standard input, which may be a file; and its path may have a format in front. */
static int facts_of(const char *path, int is_graph, struct stat *facts_out)
{
    if (is_graph)
        (void)weir__format_named(path, &path);
    return is_graph && strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, facts_out)
                                              : stat(path, facts_out);
}

int weir__cli_output_spares(const char *option, const char *path, const weir__cli_request *request)
{
    const struct {
        const char *what, *path;
    } inputs[] = {{"graph", request->graph},
                  {"file of --compare", request->compare},
                  {"file of --machine", request->machine},
                  {"file of --partition", request->partition_file},
                  {"file of --x", request->x},
                  {"file of --y", request->y}};
    struct stat there, input;
    if (strcmp(path, "-") == 0 || stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return EXIT_DONE;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i].path && facts_of(inputs[i].path, i == 0, &input) == 0 &&
            input.st_dev == there.st_dev && input.st_ino == there.st_ino)
            return weir__cli_fail(EXIT_USAGE, "%s%s%s%s: that is the %s, which would be lost",
                                  option ? "--" : "", option ? option : "", option ? " " : "", path,
                                  inputs[i].what);
    return EXIT_DONE;
}

int weir__cli_output_open(weir__cli_output *output, const char *option, const char *path,
                          const weir__cli_request *request)
{
    struct stat there, standard;
    *output = (weir__cli_output){.option = option, .path = path};
    int exists = strcmp(path, "-") != 0 && stat(path, &there) == 0;
    int same = exists && fstat(STDOUT_FILENO, &standard) == 0 && there.st_dev == standard.st_dev &&
               there.st_ino == standard.st_ino && !S_ISCHR(there.st_mode);
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0 || same) {
        output->file = stdout;
        return EXIT_DONE;
    }
    int code = weir__cli_output_spares(option, path, request), error;
    if (code)
        return code;
    if ((error = weir__replace_open(&output->target, path)))
        return fail(error == ENOMEM ? EXIT_RUN : EXIT_USAGE, output, error);
    if (!(output->file = fdopen(output->target.descriptor, "w"))) {
        (void)close(output->target.descriptor);
        weir__replace_drop(&output->target);
        return out_of_memory(output);
    }
    return EXIT_DONE;
}

int weir__cli_output_is_stdout(const weir__cli_output *output)
{
    return output->file == stdout;
}

int weir__cli_output_differ(const weir__cli_output *a, const weir__cli_output *b)
{
    int same_file =
        a->target.target && b->target.target && strcmp(a->target.target, b->target.target) == 0;
    int both_stdout = weir__cli_output_is_stdout(a) && weir__cli_output_is_stdout(b);
    if (same_file || both_stdout)
        return weir__cli_fail(EXIT_USAGE, "--%s and --%s both write to %s", a->option, b->option,
                              both_stdout ? "standard output" : b->path);
    return EXIT_DONE;
}

int weir__cli_outputs_differ(const weir__cli_output *outputs, size_t count)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && !code; j++)
            if (outputs[i].file && outputs[j].file)
                code = weir__cli_output_differ(&outputs[i], &outputs[j]);
    return code;
}

/* ---- writing ---- */

int weir__cli_output_text(weir__cli_output *output, const char *text, size_t bytes)
{
    errno = 0;
    if (fwrite(text, 1, bytes, output->file) == bytes && fflush(output->file) == 0)
        return EXIT_DONE;
    return fail(EXIT_RUN, output, errno ? errno : EIO);
}

/* ---- closing ---- */

/* The stream has lost the cause of its earlier failure, so one more byte is written to meet the failure again. The
 * byte does no harm, since the output is incomplete anyway. */
static int find_cause(FILE *file)
{
    clearerr(file);
    errno = 0;
    return fputc('\n', file) == EOF || fflush(file) != 0 ? errno : 0;
}

/* Write everything out and close the file, which does not have its name yet. */
static int finish(weir__cli_output *output)
{
    if (!output->file)
        return EXIT_DONE;
    errno = 0;
    int failed = fflush(output->file) != 0 || ferror(output->file);
    int error = failed && !errno ? find_cause(output->file) : errno;
    if (output->file != stdout) {
        if (fclose(output->file) != 0 && !failed) {
            failed = 1;
            error = errno;
        }
        output->file = NULL;
    }
    return failed ? fail(EXIT_RUN, output, error ? error : EIO) : EXIT_DONE;
}

int weir__cli_stdout_flush(void)
{
    errno = 0;
    int failed = fflush(stdout) != 0 || ferror(stdout);
    int error = failed && !errno ? find_cause(stdout) : errno;
    return failed ? weir__cli_fail(EXIT_RUN, "standard output cannot be written: %s",
                                   strerror(error ? error : EIO))
                  : EXIT_DONE;
}

int weir__cli_output_commit(weir__cli_output *outputs, size_t count)
{
    /* Standard output goes first: when the report cannot be printed, the run has failed and leaves no files. */
    int code = weir__cli_stdout_flush(), error;
    for (size_t i = 0; i < count && !code; i++)
        code = finish(&outputs[i]);
    if (!code) /* it came when nothing was left to be stopped */
        code = weir__cli_signals_told();
    for (size_t i = 0; i < count && !code; i++)
        if ((error = weir__replace_commit(&outputs[i].target)))
            code = fail(EXIT_RUN, &outputs[i], error);
    return code;
}

void weir__cli_output_drop(weir__cli_output *output)
{
    if (output->file && output->file != stdout)
        (void)fclose(output->file);
    output->file = NULL;
    weir__replace_drop(&output->target);
}
