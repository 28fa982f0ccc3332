/** @file fuzz.c  What the harnesses share: files in memory, sentences, and how a fault is told. */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void weir__fuzz_fail(const char *format, ...)
{
    char sentence[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "FAULT: %s\n", sentence); /* stderr may be held back */
    abort();
}

uint64_t weir__fuzz_hash(const uint8_t *data, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * UINT64_C(1099511628211);
    return hash ^ hash >> 29;
}

char *weir__fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text, "no memory for the input");
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

const char *weir__fuzz_file(const void *data, size_t size)
{
    static int file = -1;
    static char path[40];
    if (file < 0) {
        file = memfd_create("weir-fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    FUZZ_CHECK(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size,
               "no file in memory: %s", strerror(errno));
    return path;
}

static char folder[64];

static void remove_folder(void)
{
    rmdir(folder);
}

const char *weir__fuzz_path(const char *name)
{
    static char path[128];
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/weir-fuzz-XXXXXX");
        FUZZ_CHECK(mkdtemp(folder), "no folder: %s", strerror(errno));
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text == 127)
            return 0;
    return 1;
}

void weir__fuzz_refused(weir_status status, const char *start)
{
    const char *detail = weir_error_detail();
    FUZZ_CHECK(status < 0, "status %d is no error", status);
    FUZZ_CHECK(*detail, "status %d (%s) without a sentence", status, weir_status_text(status));
    if (!start)
        return;
    FUZZ_CHECK(is_printable(detail), "the sentence is not printable: %s", detail);
    FUZZ_CHECK(strncmp(detail, start, strlen(start)) == 0, "'%s' does not start with '%s'", detail,
               start);
    /* Whoever passes a sentence on may put the name in front of it that it has. */
    const char *rest = detail + strlen(start);
    rest += strspn(rest, ": ");
    FUZZ_CHECK(!*start || strncmp(rest, start, strlen(start)) != 0, "'%s' names its file twice",
               detail);
}

static FILE *before;
static char *heard;
static size_t heard_bytes;

void weir__fuzz_listen(void)
{
    free(heard);
    heard = NULL;
    FILE *held = open_memstream(&heard, &heard_bytes);
    FUZZ_CHECK(held, "no stream in memory");
    before = stderr;
    stderr = held;
}

const char *weir__fuzz_heard(void)
{
    fclose(stderr);
    stderr = before;
    return heard;
}

void weir__fuzz_answered(int code, const char *text)
{
    const char *end = strchr(text, '\n');
    FUZZ_CHECK(code >= 0 && code <= 2, "the exit status is %d", code);
    FUZZ_CHECK(code || !*text, "success, and yet: %s", text);
    FUZZ_CHECK(!code || strncmp(text, "weir: ", 6) == 0, "status %d and '%s'", code, text);
    FUZZ_CHECK(!code || (end && !end[1]), "not one line: %s", text);
}
