/** @file example.h  What the examples share: giving up, opening the devices, taking memory. */
#ifndef WEIR_EXAMPLES_EXAMPLE_H
#define WEIR_EXAMPLES_EXAMPLE_H

#include <weir/runtime/runtime.h>

#include <stdio.h>
#include <stdlib.h>

/* Exit statuses of an example. */
enum { RIGHT = 0, WRONG = 1, USAGE = 2, SKIPPED = 77 };

/* A program may give up where a library may not. */
#define TRY(call)                                                                        \
    do {                                                                                 \
        weir_status status_ = (call);                                                    \
        if (status_) {                                                                   \
            fprintf(stderr, "%s: %s\n", weir_status_text(status_), weir_error_detail()); \
            exit(WRONG);                                                                 \
        }                                                                                \
    } while (0)

/* The devices that the program's first argument names, or those of `spec` if there is none. */
static inline weir_context *open_devices(int argc, char **argv, const char *spec)
{
    weir_context *context;
    if (argc > 2) {
        fprintf(stderr, "usage: %s [DEVICES]\n", argv[0]);
        exit(USAGE);
    }
    if (weir_context_create(argc > 1 ? argv[1] : spec, NULL, &context)) {
        fprintf(stderr, "%s\n", weir_error_detail());
        exit(USAGE);
    }
    return context;
}

/* The i-th device, from the first again behind the last: an example of four endpoints runs on one
 * device too, since a device may have several. */
static inline weir_device *device_in_turn(const weir_context *context, uint32_t i)
{
    return weir_context_device(context, i % weir_context_device_count(context));
}

/* For examples whose kernels have a host form alone: their CUDA form would need nvcc. */
static inline void need_host_devices(const weir_context *context)
{
    for (uint32_t i = 0; i < weir_context_device_count(context); i++) {
        weir_device_info info = WEIR_DEVICE_INFO_INIT;
        weir_device_info_get(weir_context_device(context, i), &info);
        if (info.kind == WEIR_DEVICE_HOST)
            continue;
        fprintf(stderr, "the kernel of this example has no CUDA form: %s cannot run it\n",
                info.label);
        exit(SKIPPED);
    }
}

/* Memory of a device; all of it is the device's, whatever reads or writes it. */
static inline void *alloc_on(weir_device *device, size_t bytes)
{
    void *data;
    TRY(weir_device_alloc(device, bytes, &data));
    return data;
}

#endif
