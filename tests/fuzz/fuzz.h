/** @file fuzz.h  What the harnesses share. A harness is a file fuzz_NAME.c with one function, which takes
 *  an input, does with it what a user's file or word would go through, and ends the program by
 *  weir__fuzz_fail() where something is wrong. libFuzzer calls it, or driver.c. */
#ifndef WEIR_TESTS_FUZZ_FUZZ_H
#define WEIR_TESTS_FUZZ_FUZZ_H

#include "runtime/runtime.h"

/** One input. @return 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Say what is wrong on stderr and abort, so that the input is kept. */
void weir__fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn, cold));
/** Ends the program where @p condition is false. */
#define FUZZ_CHECK(condition, ...)        \
    do {                                  \
        if (!(condition))                 \
            weir__fuzz_fail(__VA_ARGS__); \
    } while (0)

/** A number that follows from all of the input: what an input has no room to choose. */
uint64_t weir__fuzz_hash(const uint8_t *data, size_t size);
/** A copy of the input with a zero byte behind it; the caller frees it. */
char *weir__fuzz_text(const uint8_t *data, size_t size);
/** Path of a file in memory with these bytes, until the next call. */
const char *weir__fuzz_file(const void *data, size_t size);
/** Path of a file to be written: the folder of this process, which leaves with it, and @p name. Until the
 *  next call. */
const char *weir__fuzz_path(const char *name);

/** A failed call has said why: a status that is an error, and one sentence of printable text, which
 *  starts with @p start, unless that is NULL. */
void weir__fuzz_refused(weir_status status, const char *start);

/** Hold back what is written to stderr, */
void weir__fuzz_listen(void);
/** and end that. @return what was written, until the next listening. */
const char *weir__fuzz_heard(void);
/** What the command's code @p code and the text on stderr say must agree: nothing with 0, one line that
 *  starts with "weir: " with 1 or 2. */
void weir__fuzz_answered(int code, const char *heard);

#endif
