/** @file fuzz_result.c  A result of weir bench --json, read back for --from and --compare.
 *
 * What is accepted can be printed, is as fast as itself, and is the same after it was written and read
 * again. */
#include "tests/fuzz/fuzz.h"

#include "algorithms/cli/result.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char *written(const weir__cli_result *result)
{
    json_t *document = weir__cli_result_json(result);
    FUZZ_CHECK(document, "no document");
    char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    FUZZ_CHECK(text, "no text of the document");
    json_decref(document);
    return text;
}

static void check_prints(const weir__cli_result *result)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    FUZZ_CHECK(file, "no stream in memory");
    weir__cli_result_table(result, file);
    weir__cli_result_csv(result, file);
    weir__fuzz_listen();
    weir__cli_outcome outcome;
    int code = weir__cli_result_compare(result, result, 1, file, &outcome);
    const char *heard = weir__fuzz_heard();
    fclose(file);
    FUZZ_CHECK(code == EXIT_DONE || *heard, "status %d in silence", code);
    FUZZ_CHECK(code != EXIT_DONE || outcome.code == EXIT_DONE || *outcome.sentence,
               "outcome %d in silence", outcome.code);
    for (size_t i = 0; i < bytes; i++)
        FUZZ_CHECK((unsigned char)text[i] >= ' ' || text[i] == '\n', "byte %d is printed", text[i]);
    free(text);
}

static void check_written(const weir__cli_result *result)
{
    char *text = written(result), *again;
    weir__cli_result back;
    weir__fuzz_listen();
    int code = weir__cli_result_read("from", weir__fuzz_file(text, strlen(text)), &back);
    const char *heard = weir__fuzz_heard();
    FUZZ_CHECK(!code, "what was written is refused: %s", heard);
    again = written(&back);
    FUZZ_CHECK(strcmp(text, again) == 0, "another result came back: %s", again);
    weir__cli_result_free(&back);
    free(text);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir__cli_result result;
    weir__fuzz_listen();
    int code = weir__cli_result_read("from", weir__fuzz_file(data, size), &result);
    weir__fuzz_answered(code, weir__fuzz_heard());
    if (code)
        return 0;
    check_prints(&result);
    check_written(&result);
    weir__cli_result_free(&result);
    return 0;
}
