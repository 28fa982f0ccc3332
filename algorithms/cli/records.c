/** @file records.c  Records of one size, as many as come: the first ones in memory, the rest in a file.
 *
 * The results of a million trials are more than a program should hold in memory, and what is said of a run
 * before its trials follows from the last of them. So they wait in a file, which has no name: nothing of it
 * is left, however the program ends. */
#include "algorithms/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_BYTES ((size_t)1 << 20)

/* /var/tmp goes before /tmp, which is often kept in memory itself. */
static const char *folder(void)
{
    const char *set = getenv("TMPDIR");
    return set && *set ? set : access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

static int fail(const weir__cli_records *records, int error)
{
    return weir__cli_fail(EXIT_RUN,
                          "%ss wait in a file in %s until all are there: %s; TMPDIR names another "
                          "folder",
                          records->what, folder(), strerror(error));
}

/* Not every file system can make a file without a name. There a file is made with a name, which is removed at
 * once. @return 0, or an errno value. */
static int open_nameless(weir__cli_records *records)
{
    char *name = NULL;
    int error = 0;
    records->descriptor = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (records->descriptor < 0) {
        if (asprintf(&name, "%s/weir-XXXXXX", folder()) < 0)
            return ENOMEM;
        records->descriptor = mkostemp(name, O_CLOEXEC);
        error = records->descriptor < 0 ? errno : 0;
        if (!error)
            (void)unlink(name);
        free(name);
    }
    records->opened = !error;
    return error;
}

weir__cli_records weir__cli_records_of(size_t bytes, const char *what)
{
    return (weir__cli_records){.bytes = bytes, .what = what};
}

static uint64_t memory_most(const weir__cli_records *records)
{
    return MEMORY_BYTES / records->bytes;
}

int weir__cli_records_expect(weir__cli_records *records, uint64_t count)
{
    int error = count > memory_most(records) && !records->opened ? open_nameless(records) : 0;
    return error ? fail(records, error) : EXIT_DONE;
}

/* Make room in memory for one more record. @return whether there is room. */
static int grow(weir__cli_records *records)
{
    if (records->count < records->room)
        return 1;
    uint64_t room = records->room ? 2 * records->room : 16, most = memory_most(records);
    room = room < most ? room : most;
    char *memory = realloc(records->memory, (size_t)room * records->bytes);
    if (!memory)
        return 0;
    records->memory = memory;
    records->room = room;
    return 1;
}

static off_t place_of(const weir__cli_records *records, uint64_t index)
{
    return (off_t)((index - memory_most(records)) * records->bytes);
}

static int write_record(const weir__cli_records *records, const char *record)
{
    off_t at = place_of(records, records->count);
    for (size_t left = records->bytes; left > 0;) {
        ssize_t put = pwrite(records->descriptor, record, left, at);
        if (put < 0 && errno != EINTR)
            return errno;
        if (put > 0) {
            record += put;
            at += put;
            left -= (size_t)put;
        }
    }
    return 0;
}

int weir__cli_records_add(weir__cli_records *records, const void *record)
{
    int error = 0;
    if (records->count < memory_most(records)) {
        if (!grow(records))
            return weir__cli_fail(EXIT_RUN, "no memory for %s number %llu", records->what,
                                  (unsigned long long)records->count + 1);
        memcpy(records->memory + records->count * records->bytes, record, records->bytes);
    } else {
        if (!records->opened)
            error = open_nameless(records);
        if (!error)
            error = write_record(records, record);
    }
    if (error)
        return fail(records, error);
    records->count++;
    return EXIT_DONE;
}

int weir__cli_records_get(const weir__cli_records *records, uint64_t index, void *record_out)
{
    char *to = record_out;
    if (index < memory_most(records)) {
        memcpy(to, records->memory + index * records->bytes, records->bytes);
        return EXIT_DONE;
    }
    off_t at = place_of(records, index);
    for (size_t left = records->bytes; left > 0;) {
        ssize_t got = pread(records->descriptor, to, left, at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return fail(records, got ? errno : EIO);
        if (got > 0) {
            to += got;
            at += got;
            left -= (size_t)got;
        }
    }
    return EXIT_DONE;
}

void weir__cli_records_free(weir__cli_records *records)
{
    free(records->memory);
    if (records->opened)
        (void)close(records->descriptor);
    *records = weir__cli_records_of(records->bytes, records->what);
}

int weir__cli_trials_warm_up(const weir__cli_request *request)
{
    if (request->trials > 1)
        weir__cli_progress("warming up");
    return request->trials > 1;
}

int weir__cli_trials_next(const weir__cli_request *request, const weir__cli_records *trials,
                          const char *difference)
{
    if (trials->count >= request->trials || difference)
        return 0;
    weir__cli_progress("running trial %" PRIu64 "/%" PRIu64, trials->count + 1, request->trials);
    return 1;
}
