/** @file fuzz_command.c  A command line, one argument a line, up to where a verb would begin to run. */
#include "tests/fuzz/fuzz.h"

#include "algorithms/cli/verify_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 40

/* What no option lets through, whatever the verb. */
static void check_request(const weir__cli_request *request)
{
    if (request->verb == &weir__cli_algorithm_pr.verb) {
        const weir_pr_config config = weir__cli_pr_config(request);
        FUZZ_CHECK(config.damping >= 0 && config.damping < 1, "damping %g", config.damping);
        FUZZ_CHECK(config.tolerance > 0 && isfinite(config.tolerance), "tolerance %g",
                   config.tolerance);
    }
    FUZZ_CHECK(request->selectivity >= 0 && request->selectivity <= 1, "selectivity %g",
               request->selectivity);
    FUZZ_CHECK(request->factor == 0 || request->factor >= 1, "factor %g", request->factor);
    FUZZ_CHECK(request->trials > 0, "no trials");
    FUZZ_CHECK((request->group & (request->group - 1)) == 0, "groups of %u", request->group);
    FUZZ_CHECK(request->weights.low <= request->weights.high, "weights from %u to %u",
               request->weights.low, request->weights.high);
}

static int answer(int count, char **arguments)
{
    const weir__cli_verb *verb = weir__cli_verb_find(arguments[0]);
    weir__cli_request request;
    if (!verb)
        return weir__cli_verb_refuse(arguments[0]);
    int code = weir__cli_parse(verb, count - 1, arguments + 1, &request);
    if (!code)
        check_request(&request);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = weir__fuzz_text(data, size), *arguments[ARGUMENTS_MAX + 1], *at = text;
    int count = 0;
    while (count < ARGUMENTS_MAX) {
        arguments[count++] = at;
        at += strcspn(at, "\n");
        if (!*at)
            break;
        *at++ = '\0';
    }
    arguments[count] = NULL;
    weir__fuzz_listen();
    int code = answer(count, arguments);
    weir__fuzz_answered(code, weir__fuzz_heard());
    free(text);
    return 0;
}
