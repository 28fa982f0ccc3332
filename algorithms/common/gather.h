/** @file gather.h  Results that lie on devices by number, brought to the host by vertex. Not installed.
 *
 * If all devices are GPUs and the first one reaches the memory of the others, nothing is done value by value on the host:
 * the first GPU reads the values of a stretch of vertices wherever they lie and writes them side by side, and while that
 * stretch is copied to the host it does the next one. Copies go straight if the caller's memory is page-locked
 * (weir_memory_register()), else through page-locked pieces. Everywhere else values come to the host part after part and
 * are put in order there, on all cores.
 *
 * Maps take 4 bytes a row of each device's memory, the order 4 bytes a vertex of the first GPU's; they are made when they
 * are first wanted, and creates count maps on host devices in what they need (need.h). Two stretches of at most 16 MiB are
 * taken for a call; without room for these the way is that through the host, whose memory all creates count.
 *
 * Values of 4 bytes can become 8 on the way (values_form): numbers the vertices that have them, whole numbers doubles. */
#ifndef WEIR_ALGORITHMS_COMMON_GATHER_H
#define WEIR_ALGORITHMS_COMMON_GATHER_H

#include "algorithms/algorithms.h"
#include "algorithms/common/values_op.h"
#include "algorithms/rows.h"
#include "runtime/support.h"

/** Names of what a gather on devices takes; where there is no room it goes another way. */
#define WEIR__GATHER_ORDER "numbers by vertex"
#define WEIR__GATHER_STAGE "values in order"

/** Which vertex stands where. Belongs to a placement or to rows, which set all but the last four; those are made
 *  on first use, by any thread. */
struct weir__numbering {
    weir_context *context;
    uint64_t vertices;
    uint32_t parts;
    uint32_t begin[WEIR_DEVICES_MAX]; /* number of the part's first row */
    uint32_t owned[WEIR_DEVICES_MAX]; /* rows of the part */
    uint32_t numbers;                 /* of all parts, with gaps */
    const uint32_t *number;           /* by vertex; host memory */
    const uint32_t *vertex; /* by number, UINT32_MAX for gaps; host memory; NULL: no gaps */
    pthread_mutex_t lock;   /* guards what follows, and a gather on the devices */
    uint32_t *map[WEIR_DEVICES_MAX]; /* device memory: vertex by row */
    uint32_t *order;                 /* memory of device 0: number by vertex */
    weir_queue *queue;               /* of device 0 */
    void *counted; /* where devices only count: two stretches, of the widest values */
    uint64_t counted_bytes;
};

/** @param[in] fields  as they are to be, but for the last four. @retval WEIR_ERR_NOMEM */
weir_status weir__numbering_create(const struct weir__numbering *fields,
                                   struct weir__numbering **numbering_out);
/** NULL is fine. */
void weir__numbering_destroy(struct weir__numbering *numbering);
/** The vertex of each row of a part, UINT32_MAX for none, in the memory of its device; the numbering's.
 *  @retval WEIR_ERR_NOMEM  the device or the host has no memory for the map. */
weir_status weir__numbering_map(struct weir__numbering *numbering, uint32_t part,
                                const uint32_t **map_out);

/** What is said of values of a kind that lie at @p data on device @p part; weir_values.scale is 1.
 *  @retval WEIR_ERR_INVALID  no such part.  @retval WEIR_ERR_NOMEM  as weir__numbering_map(). */
weir_status weir__numbering_values(struct weir__numbering *numbering, uint32_t part,
                                   const void *data, weir_value_kind kind, weir_values *values_out);

/** Bring values to the host and into the order of vertices.
 *  @param[in] values  for each part an array in its device's memory of one value a row.
 *  @retval WEIR_ERR_NOMEM, WEIR_ERR_DEVICE  @par Blocks  yes. */
weir_status weir__gather(struct weir__numbering *numbering, const void *const *values,
                         size_t value_bytes, void *values_out);
/** The same of values of 4 bytes, which become 8. @param[in] numbering  with `vertex`, for vertices.
 *  @param[in] form  not VALUES_AS_THEY_ARE. */
weir_status weir__gather_wide(struct weir__numbering *numbering, const void *const *values,
                              enum values_form form, void *values_out);
/** In a context that only counts: take what weir__gather(), or weir__gather_wide(), would take of the devices, if anything, and
 *  was not taken yet. Elsewhere nothing happens.
 *  @param[in] value_bytes  0: there are no values; 4 where the form is another than VALUES_AS_THEY_ARE. */
weir_status weir__gather_count(struct weir__numbering *numbering, size_t value_bytes,
                               enum values_form form);
/** The same on the devices, whatever their kind, for values of 4 and 8 bytes where the first device reaches the others.
 *  @retval WEIR_ERR_UNSUPPORTED  they do not, or values have another width.
 *  @retval WEIR_ERR_NOMEM        the first device has no memory for the order, or for two stretches. */
weir_status weir__gather_on_devices(struct weir__numbering *numbering, const void *const *values,
                                    size_t value_bytes, enum values_form form, void *values_out);
/** weir__gather_wide() of rows; as weir_rows_gather(). */
weir_status weir__rows_gather_wide(const weir_rows *rows, const void *const *values,
                                   enum values_form form, void *values_out);

/** values_out[v] = values[number[v]] for @p count v, on all cores. */
void weir__permute(const uint32_t *number, uint64_t count, const void *values, size_t value_bytes,
                   void *values_out);
/** Values of 4 bytes that fill the front half of an array become 8 bytes each, in place, on all cores.
 *  @param[in] numbering  whose numbers they are; NULL where the form is none of vertices. */
void weir__widen(const struct weir__numbering *numbering, uint64_t count, enum values_form form,
                 void *values);

#endif
