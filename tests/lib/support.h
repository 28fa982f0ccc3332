/** @file support.h  What the tests of runtime, topology and router share.
 *
 * Only the main test thread asserts: cmocka leaves a failed test by longjmp. Threads of a test
 * record what they saw, and the test looks at it after they were joined. */
#ifndef WEIR_TESTS_LIB_SUPPORT_H
#define WEIR_TESTS_LIB_SUPPORT_H

#include "runtime/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants those four before it. */
#include <cmocka.h>

/** The same body for every backend; it finds its device spec in *state. */
#define ON_BACKEND(f, spec)                          \
    {                                                \
#f "[" spec "]", f, NULL, NULL, (void *)spec \
    }
/** Only specs that weir_context_create() takes. */
#define ON_EACH_KIND(f)                                                          \
    ON_BACKEND(f, "host:1"), ON_BACKEND(f, "host:4"), ON_BACKEND(f, "host:2x3"), \
        ON_BACKEND(f, "cuda:0"), ON_BACKEND(f, "cuda:0-1"), ON_BACKEND(f, "cuda:0,host:1")
#define ON_EACH_BACKEND(f) ON_EACH_KIND(f), ON_BACKEND(f, "strict:2")

/** Longest that a test waits for what must come: far beyond what any machine needs. */
#define LONG_MS 60000

/** Fail the test, with the library's sentence, unless @p call returns WEIR_OK. */
#define OK(call)             check_status((call), WEIR_OK, #call, __FILE__, __LINE__)
#define STATUS(call, wanted) check_status((call), (wanted), #call, __FILE__, __LINE__)
/** The last failure's sentence is exactly @p text. */
#define assert_detail(text)     assert_string_equal(weir_error_detail(), text)
#define assert_detail_has(part) check_detail_has((part), __FILE__, __LINE__)
/** The call is refused, and its sentence ends with the argument that is missing. */
#define MISSING(call, name)             \
    do {                                \
        STATUS(call, WEIR_ERR_INVALID); \
        assert_detail_has(name);        \
        assert_detail_has(" is NULL");  \
    } while (0)

/** The same of a call that makes a handle: it leaves none. */
#define MAKES_NONE(call, name, handle) \
    do {                               \
        (handle) = (void *)&(handle);  \
        MISSING(call, name);           \
        assert_null(handle);           \
    } while (0)

void check_status(weir_status got, weir_status wanted, const char *call, const char *file,
                  int line);
void check_detail_has(const char *part, const char *file, int line);

/** A context for the spec in *state ("strict:2" too, see strict.h); skips the test where the machine has no such device. To be
 *  called by the test itself: cmocka takes a skip in a fixture for an error. */
weir_context *open_or_skip(void **state);
/** The same with tunables: "name=value" strings, the last one NULL. */
weir_context *open_with_or_skip(const char *spec, const char *const *settings);
/** The same for a test that comes upon the spec by itself, and so has it whatever is left out. */
weir_context *open_any_with_or_skip(const char *spec, const char *const *settings);

/** All devices of a context: those of its spec, then its home. */
uint32_t all_devices(const weir_context *context);
weir_device *any_device(const weir_context *context, uint32_t index);

/** Fail unless all devices of a context, its home too, have given back the memory of their pools. */
void assert_no_memory_is_left(const weir_context *context);

/** A queue that fails the test if it cannot be had; the same for device memory and events. */
weir_queue *new_queue(weir_device *device);
void *new_memory(weir_device *device, size_t bytes);
weir_event *new_event(weir_device *device);
weir_future *new_future(weir_context *context);

/** Byte @p i of the pattern with this seed. */
unsigned char pattern_byte(uint64_t seed, size_t i);
/** How many of @p bytes in host memory are those of the pattern from byte @p offset on, before the first that is
 *  not. */
size_t pattern_length(const unsigned char *host, size_t offset, size_t bytes, uint64_t seed);
/** The calls below, and new_memory(), are not for while a queue is held back: taking and giving
 *  back page-locked memory may wait for all streams of a GPU. */

/** Write the pattern into device memory, through the host, and wait. */
void put_pattern(weir_device *device, void *data, size_t bytes, uint64_t seed);
/** Fail unless device memory holds the pattern. */
void assert_pattern(weir_device *device, const void *data, size_t bytes, uint64_t seed);
/** Fail unless each of the bytes is @p value. */
void assert_filled(weir_device *device, const void *data, size_t bytes, unsigned char value);

/** A generator of random numbers with its whole state in one word (splitmix64). */
uint64_t next_random(uint64_t *state);

#endif
