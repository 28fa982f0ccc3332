/** @file cusparse.c  The same product by NVIDIA's cuSPARSE, which is looked for when it is asked for (--compare).
 *
 * The few functions that are needed are declared here, as its generic interface has them since version 12, so that nothing of it is needed to build. It has
 * the whole matrix on the first device, x and y there, and is timed as products are: by the device's clock, from the first kernel to the end of
 * the last one, behind a run that warms up. Its preparation is not timed. */
#include "algorithms/cli/compared.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Enumerations of cuSPARSE and of CUDA's types are ints with these values. */
enum {
    OK_ = 0,
    NOT_TRANSPOSED = 0,
    INDEX_32 = 2,
    BASE_ZERO = 0,
    ORDER_ROW = 2,
    TYPE_F32 = 0,
    TYPE_F64 = 1
};

/* X(member, arguments): name is cusparse and the member; all return an int. SpMV and SpMM have the same arguments but for the second operation. */
#define FUNCTIONS(X)                                                                            \
    X(Create, (void **handle))                                                                  \
    X(Destroy, (void *handle))                                                                  \
    X(SetStream, (void *handle, void *stream))                                                  \
    X(CreateCsr,                                                                                \
      (void **matrix, int64_t rows, int64_t columns, int64_t nonzeros, void *offsets,           \
       void *indices, void *values, int offset_type, int index_type, int base, int type))       \
    X(DestroySpMat, (void *matrix))                                                             \
    X(CreateDnVec, (void **vector, int64_t size, void *values, int type))                       \
    X(DestroyDnVec, (void *vector))                                                             \
    X(CreateDnMat, (void **matrix, int64_t rows, int64_t columns, int64_t stride, void *values, \
                    int type, int order))                                                       \
    X(DestroyDnMat, (void *matrix))                                                             \
    X(SpMV_bufferSize, (void *handle, int how, const void *alpha, void *matrix, void *x,        \
                        const void *beta, void *y, int type, int algorithm, size_t *bytes))     \
    X(SpMV, (void *handle, int how, const void *alpha, void *matrix, void *x, const void *beta, \
             void *y, int type, int algorithm, void *buffer))                                   \
    X(SpMM_bufferSize,                                                                          \
      (void *handle, int how, int how_x, const void *alpha, void *matrix, void *x,              \
       const void *beta, void *y, int type, int algorithm, size_t *bytes))                      \
    X(SpMM, (void *handle, int how, int how_x, const void *alpha, void *matrix, void *x,        \
             const void *beta, void *y, int type, int algorithm, void *buffer))

struct api {
    void *library;
#define MEMBER(name, arguments) int(*name) arguments;
    FUNCTIONS(MEMBER)
    /* Prepare a matrix for many products; there since 12.4. */
    int (*prepare_vector)(void *handle, int how, const void *alpha, void *matrix, void *x,
                          const void *beta, void *y, int type, int algorithm, void *buffer);
    int (*prepare_dense)(void *handle, int how, int how_x, const void *alpha, void *matrix, void *x,
                         const void *beta, void *y, int type, int algorithm, void *buffer);
};

/* Names of rows, with numbers of algorithms: its default, and those that it has for CSR. */
static const struct {
    const char *name;
    int vector, dense;
} algorithms[] = {{"cusparse", 0, 0}, {"cusparse-alg2", 3, 6}};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static int find(void *library, const char *name, void *function_out)
{
    void *function = dlsym(library, name);
    memcpy(function_out, &function, sizeof function);
    return function != NULL;
}

static const char *load(struct api *api)
{
    static const char *const names[] = {"libcusparse.so.13", "libcusparse.so.12", "libcusparse.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !api->library; i++)
        api->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!api->library)
        return "cuSPARSE (libcusparse.so.13 or .12) is not found";
#define FIND(name, arguments)                              \
    if (!find(api->library, "cusparse" #name, &api->name)) \
        return "the cuSPARSE that was found lacks cusparse" #name;
    FUNCTIONS(FIND)
    find(api->library, "cusparseSpMV_preprocess", &api->prepare_vector);
    find(api->library, "cusparseSpMM_preprocess", &api->prepare_dense);
    return NULL;
}

/* ---- on the device ------------------------------------------------------------------------------------- */

struct placed {
    const struct weir__cli_comparing *of;
    const weir_matrix *matrix;
    weir_device *device;
    weir_queue *queue;
    weir_stamp *start, *stop;
    void *taken[6];
    size_t taken_count, value_bytes;
    void *offsets, *indices, *values, *x, *y;
    uint64_t y_bytes;
    void *handle, *csr, *dense_x, *dense_y;
    double alpha, beta;
    float alpha_f32, beta_f32;
};

static weir_status take(struct placed *p, uint64_t bytes, void **data_out)
{
    const weir_status status = weir_device_alloc(p->device, bytes, data_out);
    if (!status)
        p->taken[p->taken_count++] = *data_out;
    return status;
}

/* By way of memory that the device reaches. */
static weir_status copy_in(struct placed *p, void *to, const void *from, uint64_t bytes)
{
    enum { PIECE = 64 << 20 };
    weir_device *home = weir_context_home(p->of->context);
    void *piece;
    weir_status status = weir_device_alloc(home, PIECE, &piece);
    for (uint64_t at = 0; at < bytes && !status; at += PIECE) {
        const uint64_t some = bytes - at < PIECE ? bytes - at : PIECE;
        memcpy(piece, (const char *)from + at, some);
        if (!(status = weir_queue_copy(p->queue, p->device, (char *)to + at, home, piece, some)))
            status = weir_queue_sync(p->queue);
    }
    if (piece)
        weir_device_free(home, piece);
    return status;
}

static weir_status bring(struct placed *p, const void *from, uint64_t bytes, void **data_out)
{
    const weir_status status = take(p, bytes, data_out);
    return status ? status : copy_in(p, *data_out, from, bytes);
}

static weir_status place(struct placed *p)
{
    const weir_matrix *m = p->matrix;
    const uint64_t k = p->of->columns;
    const void *values = m->f64 ? (const void *)m->f64 : m->f32;
    int32_t *offsets = malloc((m->rows + 1) * sizeof *offsets);
    weir_status status;
    if (!offsets)
        return weir_error_set(WEIR_ERR_NOMEM, "no memory for row offsets of 32 bits");
    for (uint64_t row = 0; row <= m->rows; row++)
        offsets[row] = (int32_t)m->offsets[row];
    p->y_bytes = m->rows * k * p->value_bytes;
    if (!(status = weir_queue_create(p->device, 0, &p->queue)) &&
        !(status = weir_stamp_create(p->device, &p->start)) &&
        !(status = weir_stamp_create(p->device, &p->stop)) &&
        !(status = bring(p, offsets, (m->rows + 1) * sizeof *offsets, &p->offsets)) &&
        !(status = bring(p, m->indices, m->nonzeros * sizeof *m->indices, &p->indices)) &&
        !(status = bring(p, values, m->nonzeros * p->value_bytes, &p->values)) &&
        !(status = bring(p, p->of->x, m->columns * k * p->value_bytes, &p->x)))
        status = take(p, p->y_bytes, &p->y);
    free(offsets);
    return status;
}

/* ---- its objects ----------------------------------------------------------------------------------------- */

static int describe(const struct api *api, struct placed *p)
{
    const weir_matrix *m = p->matrix;
    const int type = m->f64 ? TYPE_F64 : TYPE_F32;
    const int64_t k = p->of->columns, rows = (int64_t)m->rows, columns = (int64_t)m->columns;
    int bad = api->Create(&p->handle);
    if (!bad)
        bad = api->SetStream(p->handle, weir_queue_native(p->queue));
    if (!bad)
        bad = api->CreateCsr(&p->csr, rows, columns, (int64_t)m->nonzeros, p->offsets, p->indices,
                             p->values, INDEX_32, INDEX_32, BASE_ZERO, type);
    if (!bad && k == 1)
        bad = api->CreateDnVec(&p->dense_x, columns, p->x, type);
    if (!bad && k == 1)
        bad = api->CreateDnVec(&p->dense_y, rows, p->y, type);
    if (!bad && k > 1)
        bad = api->CreateDnMat(&p->dense_x, columns, k, k, p->x, type, ORDER_ROW);
    if (!bad && k > 1)
        bad = api->CreateDnMat(&p->dense_y, rows, k, k, p->y, type, ORDER_ROW);
    return bad;
}

static void undescribe(const struct api *api, struct placed *p)
{
    const int vector = p->of->columns == 1;
    if (p->dense_x)
        (vector ? api->DestroyDnVec : api->DestroyDnMat)(p->dense_x);
    if (p->dense_y)
        (vector ? api->DestroyDnVec : api->DestroyDnMat)(p->dense_y);
    if (p->csr)
        api->DestroySpMat(p->csr);
    if (p->handle)
        api->Destroy(p->handle);
}

struct run {
    const struct api *api;
    struct placed *p;
    int algorithm, type;
    const void *alpha, *beta;
    void *buffer;
};

static int measure_buffer(const struct run *r, size_t *bytes_out)
{
    const struct placed *p = r->p;
    return p->of->columns == 1
               ? r->api->SpMV_bufferSize(p->handle, NOT_TRANSPOSED, r->alpha, p->csr, p->dense_x,
                                         r->beta, p->dense_y, r->type, r->algorithm, bytes_out)
               : r->api->SpMM_bufferSize(p->handle, NOT_TRANSPOSED, NOT_TRANSPOSED, r->alpha,
                                         p->csr, p->dense_x, r->beta, p->dense_y, r->type,
                                         r->algorithm, bytes_out);
}

static int prepare(const struct run *r)
{
    const struct placed *p = r->p;
    if (p->of->columns == 1 && r->api->prepare_vector)
        return r->api->prepare_vector(p->handle, NOT_TRANSPOSED, r->alpha, p->csr, p->dense_x,
                                      r->beta, p->dense_y, r->type, r->algorithm, r->buffer);
    if (p->of->columns > 1 && r->api->prepare_dense)
        return r->api->prepare_dense(p->handle, NOT_TRANSPOSED, NOT_TRANSPOSED, r->alpha, p->csr,
                                     p->dense_x, r->beta, p->dense_y, r->type, r->algorithm,
                                     r->buffer);
    return OK_;
}

static int multiply(const struct run *r)
{
    const struct placed *p = r->p;
    return p->of->columns == 1
               ? r->api->SpMV(p->handle, NOT_TRANSPOSED, r->alpha, p->csr, p->dense_x, r->beta,
                              p->dense_y, r->type, r->algorithm, r->buffer)
               : r->api->SpMM(p->handle, NOT_TRANSPOSED, NOT_TRANSPOSED, r->alpha, p->csr,
                              p->dense_x, r->beta, p->dense_y, r->type, r->algorithm, r->buffer);
}

/* ---- a row -------------------------------------------------------------------------------------------------- */

static weir_status reset_y(struct placed *p)
{
    return p->of->y ? copy_in(p, p->y, p->of->y, p->y_bytes)
                    : weir_queue_fill(p->queue, p->y, 0, p->y_bytes);
}

static weir_status time_one(const struct run *r, double *ms_out)
{
    struct placed *p = r->p;
    weir_status status = reset_y(p);
    if (status || (status = weir_queue_sync(p->queue)) ||
        (status = weir_queue_stamp(p->queue, p->start)))
        return status;
    if (multiply(r))
        return weir_error_set(WEIR_ERR_DEVICE, "cuSPARSE says that its product failed");
    if ((status = weir_queue_stamp(p->queue, p->stop)) || (status = weir_queue_sync(p->queue)))
        return status;
    return weir_stamp_elapsed(p->start, p->stop, ms_out);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static weir_status time_all(const struct run *r, uint64_t trials, weir__cli_rival *rival)
{
    double *ms = calloc(trials, sizeof *ms), warm_up;
    weir_status status = WEIR_OK;
    if (!ms)
        return weir_error_set(WEIR_ERR_NOMEM, "no memory for times");
    status = time_one(r, &warm_up);
    for (uint64_t i = 0; i < trials && !status; i++)
        status = time_one(r, &ms[i]);
    qsort(ms, trials, sizeof *ms, by_value);
    rival->min_ms = ms[0];
    rival->median_ms = (ms[(trials - 1) / 2] + ms[trials / 2]) / 2;
    free(ms);
    return status;
}

static weir_status judge(struct placed *p, weir__cli_rival *rival)
{
    weir_device *home = weir_context_home(p->of->context);
    weir_product_case of = WEIR_PRODUCT_CASE_INIT;
    void *result;
    weir_status status = weir_device_alloc(home, p->y_bytes, &result);
    if (status)
        return status;
    of.matrix = p->matrix;
    of.columns = p->of->columns;
    of.alpha = p->alpha;
    of.beta = p->beta;
    of.x = p->of->x;
    of.y = p->of->y;
    if (!(status = weir_queue_copy(p->queue, home, result, p->device, p->y, p->y_bytes)) &&
        !(status = weir_queue_sync(p->queue))) {
        status = weir_product_compare(&of, p->of->expected, p->of->bound, result);
        rival->agrees = !status;
        if (status == WEIR_ERR_VERIFY)
            status = WEIR_OK;
    }
    weir_device_free(home, result);
    return status;
}

static weir_status run_one(struct run *r, weir__cli_rival *rival)
{
    struct placed *p = r->p;
    size_t bytes = 0;
    weir_status status;
    if (measure_buffer(r, &bytes))
        return weir_error_set(WEIR_ERR_UNSUPPORTED, "cuSPARSE does not have this product");
    if ((status = weir_device_alloc(p->device, bytes, &r->buffer)))
        return status;
    if (prepare(r))
        status = weir_error_set(WEIR_ERR_UNSUPPORTED, "cuSPARSE cannot prepare this product");
    if (!status && !(status = time_all(r, p->of->trials, rival)) && p->of->expected)
        status = judge(p, rival);
    weir_device_free(p->device, r->buffer);
    return status;
}

static void run_rows(const struct api *api, struct placed *p, weir__cli_rival *rivals)
{
    const int wide = p->matrix->f64 != NULL;
    for (int i = 0; i < ALGORITHMS; i++) {
        struct run r = {.api = api,
                        .p = p,
                        .type = wide ? TYPE_F64 : TYPE_F32,
                        .algorithm =
                            p->of->columns == 1 ? algorithms[i].vector : algorithms[i].dense,
                        .alpha = wide ? (const void *)&p->alpha : &p->alpha_f32,
                        .beta = wide ? (const void *)&p->beta : &p->beta_f32};
        if (run_one(&r, &rivals[i])) {
            snprintf(rivals[i].room, sizeof rivals[i].room, "%s", weir_error_detail());
            rivals[i].why_not = rivals[i].room;
        }
    }
}

static void refuse_all(weir__cli_rival *rivals, const char *why)
{
    for (int i = 0; i < ALGORITHMS; i++) {
        snprintf(rivals[i].room, sizeof rivals[i].room, "%s", why);
        rivals[i].why_not = rivals[i].room;
    }
}

static const char *cannot(const struct weir__cli_comparing *of)
{
    weir_device_info info = WEIR_DEVICE_INFO_INIT;
    weir_device_info_get(weir_context_device(of->context, 0), &info);
    if (info.kind == WEIR_DEVICE_HOST)
        return "cuSPARSE needs a GPU, and the first device is none";
    if (of->matrix->nonzeros > INT32_MAX || of->matrix->rows > INT32_MAX ||
        of->matrix->columns > INT32_MAX)
        return "cuSPARSE is asked with numbers of 32 bits, and these are larger";
    return of->matrix->nonzeros ? NULL : "there are no nonzeros";
}

size_t weir__cli_compare_products(const struct weir__cli_comparing *of,
                                  weir__cli_rival rivals[RIVALS_MAX])
{
    struct api api = {.library = NULL};
    struct placed p = {.of = of,
                       .matrix = of->matrix,
                       .device = weir_context_device(of->context, 0),
                       .value_bytes = of->matrix->f64 ? sizeof(double) : sizeof(float),
                       .alpha = of->alpha,
                       .beta = of->beta,
                       .alpha_f32 = (float)of->alpha,
                       .beta_f32 = (float)of->beta};
    const char *why = cannot(of);
    for (int i = 0; i < ALGORITHMS; i++)
        rivals[i] = (weir__cli_rival){.name = algorithms[i].name, .agrees = -1};
    if (!why)
        why = load(&api);
    if (!why && place(&p))
        why = weir_error_detail();
    if (!why && describe(&api, &p))
        why = "cuSPARSE cannot describe this matrix";
    if (why)
        refuse_all(rivals, why);
    else
        run_rows(&api, &p, rivals);
    if (api.library && p.handle)
        undescribe(&api, &p);
    weir_queue_destroy(p.queue);
    weir_stamp_destroy(p.start);
    weir_stamp_destroy(p.stop);
    for (size_t i = 0; i < p.taken_count; i++)
        weir_device_free(p.device, p.taken[i]);
    return ALGORITHMS; /* the library stays loaded: it may have threads */
}
