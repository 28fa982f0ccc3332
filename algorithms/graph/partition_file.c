/** @file partition_file.c  Partitions in files: METIS's format, a line with a part's number for each vertex. */
#include "algorithms/graph/partition.h"
#include "algorithms/graph/read.h"
#include "algorithms/graph/replace.h"
#include "runtime/observe.h"
#include "runtime/support.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static weir_status refuse_end(const weir__reader *reader, const weir_graph *graph)
{
    return weir__reader_number(reader) == 0
               ? weir__fail(WEIR_ERR_FORMAT,
                            "%s: the file is empty, and %s has %" PRIu64
                            " vertices, each of which has a line",
                            weir__reader_path(reader), graph->name, graph->vertices)
               : weir__line_fail(reader,
                                 "the file ends here, and %s has %" PRIu64
                                 " vertices, each of which has a line",
                                 graph->name, graph->vertices);
}

/* Take the line of a vertex. */
static weir_status take_owner(weir__reader *reader, const char *line, uint32_t most,
                              uint64_t *part_out)
{
    weir_status status = weir__take_whole(reader, &line, "part", 0, UINT32_MAX, part_out);
    if (status || (status = weir__take_end(reader, line)) || *part_out < most)
        return status;
    return weir__line_fail(
        reader, "part %" PRIu64 ", and there may be %u, which are counted from 0", *part_out, most);
}

static weir_status read_owners(weir__reader *reader, const weir_graph *graph, uint32_t most,
                               uint8_t *owner, uint32_t *parts_out)
{
    const char *line;
    uint64_t part = 0, largest = 0;
    weir_status status = WEIR_OK;
    for (uint64_t v = 0; v < graph->vertices; v++) {
        status = weir__reader_line(reader, &line);
        if (status == WEIR_CLOSED)
            return refuse_end(reader, graph);
        if (status || (status = take_owner(reader, line, most, &part)))
            return status;
        owner[v] = (uint8_t)part;
        largest = part > largest ? part : largest;
    }
    *parts_out = (uint32_t)largest + 1;
    do /* blank lines at the end are an editor's */
        status = weir__reader_line(reader, &line);
    while (!status && *weir__skip(line) == '\0');
    return status == WEIR_CLOSED ? WEIR_OK
           : status              ? status
                                 : weir__line_fail(reader,
                                                   "a line too many: %s has %" PRIu64
                                                   " vertices, each of which has one",
                                                   graph->name, graph->vertices);
}

weir_status weir__partition_file(const weir_graph *graph, const char *path, uint32_t most,
                                 uint8_t *owner, uint32_t *parts_out)
{
    weir__reader *reader;
    weir_status status = weir__reader_open(path, &reader);
    if (!status)
        status = read_owners(reader, graph, most, owner, parts_out);
    weir__reader_close(reader);
    return weir__reader_names(status, path);
}

static weir_status print(const weir_partition *partition, FILE *file)
{
    weir_status status = WEIR_OK;
    for (uint64_t v = 0; v < partition->vertices && !(status = weir__activity_at(v)); v++)
        if (fprintf(file, "%u\n", partition->owner[v]) < 0)
            break; /* the caller finds the error of the stream */
    return status;
}

weir_status weir__partition_print(const weir_partition *partition, FILE *file)
{
    struct weir__activity outer;
    weir__activity_begin(&outer, "writing a partition", "vertices", partition->vertices);
    return weir__activity_end(&outer, print(partition, file));
}

weir_status weir_partition_write(const weir_partition *partition, const char *path)
{
    weir__replace file;
    FILE *stream;
    int error = weir__replace_open(&file, path);
    if (error)
        goto fail;
    if (!(stream = fdopen(file.descriptor, "w"))) {
        error = errno;
        (void)close(file.descriptor);
        goto drop;
    }
    errno = 0;
    const weir_status status = weir__partition_print(partition, stream);
    int failed = fflush(stream) != 0 || ferror(stream);
    error = failed ? errno ? errno : EIO : 0;
    if (fclose(stream) != 0 && !error)
        error = errno;
    if (status) {
        weir__replace_drop(&file);
        return status;
    }
    if (!error)
        error = weir__replace_commit(&file);
drop:
    weir__replace_drop(&file);
fail:
    return !error ? WEIR_OK
           : error == ENOMEM
               ? weir__fail(WEIR_ERR_NOMEM, "%s: no memory to write it", path)
               : weir__fail(WEIR_ERR_IO, "%s: cannot be written: %s", path, strerror(error));
}
