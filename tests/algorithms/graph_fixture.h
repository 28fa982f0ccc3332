/** @file graph_fixture.h  What the tests of graphs share: files to try things on, graphs as text.
 */
#ifndef WEIR_TESTS_ALGORITHMS_GRAPH_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_GRAPH_FIXTURE_H

#include "algorithms/algorithms.h"
#include "tests/lib/skip.h"
#include "tests/lib/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants those four before it. */
#include <cmocka.h>

#include <dirent.h>
#include <lzma.h>
#include <zstd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/** A graph that is named, with weights as --weights has them. */
static inline weir_graph *weighed(const char *name, const char *weights)
{
    weir_graph *graph;
    weir_weights kind;
    OK(weir_graph_open(name, NULL, &graph));
    OK(weir_weights_parse(weights, &kind));
    OK(weir_graph_weigh(graph, &kind));
    return graph;
}

static char folder[64]; /* removed with all that is in it when the group ends */

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/weir-graph-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

/* Number of entries; removes them if asked to. */
static inline int entries(int remove_them)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[400];
        if (e->d_name[0] == '.')
            continue;
        count++;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (remove_them)
            remove(path);
    }
    if (d)
        closedir(d);
    return count;
}

static inline int remove_folder(void **state)
{
    (void)state;
    entries(1);
    return rmdir(folder);
}

/* Path of a file of the folder; one of four buffers in turn. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][400];
    static int turn;
    char *path = paths[turn++ & 3];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline const char *put_bytes(const char *name, const void *data, size_t bytes)
{
    const char *path = in_folder(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
    return path;
}

static inline const char *put_text(const char *name, const char *text)
{
    return put_bytes(name, text, strlen(text));
}

static inline const char *put_gzip(const char *name, const void *data, size_t bytes)
{
    const char *path = in_folder(name);
    gzFile f = gzopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, data, (unsigned)bytes), bytes);
    assert_int_equal(gzclose(f), Z_OK);
    return path;
}

static inline const char *put_xz(const char *name, const void *data, size_t bytes)
{
    size_t room = lzma_stream_buffer_bound(bytes), have = 0;
    uint8_t *packed = malloc(room);
    assert_non_null(packed);
    assert_int_equal(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, data, bytes, packed, &have, room),
        LZMA_OK);
    const char *path = put_bytes(name, packed, have);
    free(packed);
    return path;
}

static inline const char *put_zstd(const char *name, const void *data, size_t bytes)
{
    const size_t room = ZSTD_compressBound(bytes);
    ZSTD_CCtx *packer = ZSTD_createCCtx();
    void *packed = malloc(room);
    assert_true(packer && packed);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(packer, ZSTD_c_checksumFlag, 1)));
    const size_t have = ZSTD_compress2(packer, packed, room, data, bytes);
    assert_false(ZSTD_isError(have));
    const char *path = put_bytes(name, packed, have);
    free(packed);
    ZSTD_freeCCtx(packer);
    return path;
}

static inline weir_graph *open_graph(const char *text, int undirected)
{
    weir_graph_options options = WEIR_GRAPH_OPTIONS_INIT;
    weir_graph *graph = NULL;
    options.undirected = undirected;
    weir_status status = weir_graph_open(text, &options, &graph);
    if (status)
        fail_msg("%s: status %d: %s", text, status, weir_error_detail());
    return graph;
}

/* "4: 0>1 0>2 2>3" or, with weights, "4: 0>1/7 ...". Freed by the next call. */
static inline const char *shown(const weir_graph *graph)
{
    static char text[4096];
    int at = snprintf(text, sizeof text, "%llu:", (unsigned long long)graph->vertices);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            assert_true(at < 4000);
            at += sprintf(text + at, " %llu>%u", (unsigned long long)v, graph->targets[i]);
            if (graph->weight_kind == WEIR_WEIGHT_U32)
                at += sprintf(text + at, "/%u", graph->weights_u32[i]);
            else if (graph->weight_kind == WEIR_WEIGHT_F64)
                at += sprintf(text + at, "/%g", graph->weights_f64[i]);
        }
    }
    return text;
}

/* What every graph holds, whatever it was made from. */
static inline void assert_sound(const weir_graph *graph)
{
    assert_int_equal(graph->offsets[0], 0);
    assert_int_equal(graph->offsets[graph->vertices], graph->arcs);
    for (uint64_t v = 0; v < graph->vertices; v++) {
        if (graph->offsets[v] > graph->offsets[v + 1])
            fail_msg("row %llu ends before it begins", (unsigned long long)v);
        for (uint64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            if (graph->targets[i] >= graph->vertices || graph->targets[i] == v)
                fail_msg("arc %llu is out of the graph or a loop", (unsigned long long)i);
            if (i > graph->offsets[v] && graph->targets[i - 1] >= graph->targets[i])
                fail_msg("row %llu does not ascend", (unsigned long long)v);
        }
    }
    assert_int_equal(graph->weights_u32 != NULL, graph->weight_kind == WEIR_WEIGHT_U32);
    assert_int_equal(graph->weights_f64 != NULL, graph->weight_kind == WEIR_WEIGHT_F64);
}

/* Reading @p path fails with @p status and one sentence: the path and @p where, and somewhere behind them @p why. */
static inline void assert_file_refused(const char *path, weir_status status, const char *where,
                                       const char *why)
{
    weir_graph *graph = (weir_graph *)&graph;
    char wanted[500];
    weir_status got = weir_graph_open(path, NULL, &graph);
    const char *detail = weir_error_detail();
    snprintf(wanted, sizeof wanted, "%s%s", path, where);
    if (got != status || graph || strncmp(detail, wanted, strlen(wanted)) != 0 ||
        !strstr(detail, why) || strchr(detail, '\n'))
        fail_msg("wanted status %d, %s ... %s; got %d: %s", status, wanted, why, got, detail);
}

static inline void assert_same(const weir_graph *a, const weir_graph *b)
{
    assert_int_equal(a->vertices, b->vertices);
    assert_int_equal(a->arcs, b->arcs);
    assert_int_equal(a->weight_kind, b->weight_kind);
    assert_memory_equal(a->offsets, b->offsets, (a->vertices + 1) * sizeof *a->offsets);
    if (a->arcs == 0)
        return;
    assert_memory_equal(a->targets, b->targets, a->arcs * sizeof *a->targets);
    if (a->weights_u32)
        assert_memory_equal(a->weights_u32, b->weights_u32, a->arcs * sizeof *a->weights_u32);
    if (a->weights_f64)
        assert_memory_equal(a->weights_f64, b->weights_f64, a->arcs * sizeof *a->weights_f64);
}

#endif
