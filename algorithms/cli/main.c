/** @file main.c  The `weir` command: finds the verb, reads its options, runs it. */
#include "algorithms/cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A standard stream that is closed would be reopened as the first file of the program, and results
 * would land in it. Something that cannot be written takes its place, so the loss is noticed. */
static void fill_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
            _exit(EXIT_RUN);
}

static int run_verb(const weir__cli_verb *verb, int count, char **arguments)
{
    weir__cli_request request;
    int code = weir__cli_parse(verb, count, arguments, &request);
    if (code)
        return code;
    if (request.help) {
        weir__cli_help_verb(verb);
        return EXIT_DONE;
    }
    weir__cli_json_start();
    return verb->run(&request);
}

static int dispatch(int count, char **arguments)
{
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    else if (name[0] == '-')
        return weir__cli_fail(EXIT_USAGE, "%s: a verb comes first; see weir help", name);
    const weir__cli_verb *verb = weir__cli_verb_find(name);
    if (!verb)
        return weir__cli_verb_refuse(name);
    return run_verb(verb, count - 2, arguments + 2);
}

/* When a reader goes away or a file may not grow any more, the write returns an error. Without this the program
 * would end at once and leave files behind. */
static void ignore_signals_of_writes(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

int main(int count, char **arguments)
{
    fill_standard_streams();
    ignore_signals_of_writes();
    if (count < 2) {
        weir__cli_help_short(stderr);
        return EXIT_USAGE;
    }
    int code = dispatch(count, arguments);
    return code ? code : weir__cli_stdout_flush();
}
