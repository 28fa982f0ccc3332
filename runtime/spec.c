/** @file spec.c  Device specs: "host:4", "cuda:0-3", "cuda:0,host:1x2" (grammar in runtime.h). */
#include "runtime/backend.h"

#include <ctype.h>
#include <string.h>

struct cursor {
    const char *spec; /* whole, for messages */
    const char *at;
};

static weir_status bad(const struct cursor *c, const char *why)
{
    return weir__fail(WEIR_ERR_INVALID, "device spec '%s': %s at character %d", c->spec, why,
                      (int)(c->at - c->spec) + 1);
}

/* A decimal number below 2^31; false if there is none. */
static int number(struct cursor *c, uint32_t *value_out)
{
    uint64_t value = 0;
    if (!isdigit((unsigned char)*c->at))
        return 0;
    for (; isdigit((unsigned char)*c->at); c->at++)
        if (value < INT32_MAX)
            value = value * 10 + (uint64_t)(*c->at - '0');
    *value_out = value < INT32_MAX ? (uint32_t)value : INT32_MAX;
    return 1;
}

static int word(struct cursor *c, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(c->at, text, length) != 0 || isalnum((unsigned char)c->at[length]))
        return 0;
    c->at += length;
    return 1;
}

static weir_status add(const struct cursor *c, struct weir__spec_item *items, uint32_t *count,
                       struct weir__spec_item item)
{
    if (*count == WEIR_DEVICES_MAX)
        return weir__fail(WEIR_ERR_INVALID, "device spec '%s': more than %d devices", c->spec,
                          WEIR_DEVICES_MAX);
    for (uint32_t i = 0; item.cuda && i < *count; i++)
        if (items[i].cuda && items[i].ordinal == item.ordinal)
            return weir__fail(WEIR_ERR_INVALID, "device spec '%s': cuda:%u is named twice", c->spec,
                              item.ordinal);
    items[(*count)++] = item;
    return WEIR_OK;
}

static weir_status host_item(struct cursor *c, struct weir__spec_item *items, uint32_t *count)
{
    uint32_t devices = 1, threads = 0;
    weir_status status = WEIR_OK;
    if (*c->at == ':') {
        c->at++;
        if (!number(c, &devices))
            return bad(c, "a number of host devices is expected");
        if (devices == 0)
            return weir__fail(WEIR_ERR_INVALID, "device spec '%s': host:0 has no device", c->spec);
        if (*c->at == 'x') {
            c->at++;
            if (!number(c, &threads) || threads == 0 || threads > 256)
                return bad(c, "a number of threads from 1 to 256 is expected");
        }
    }
    for (uint32_t i = 0; i < devices && !status; i++)
        status = add(c, items, count, (struct weir__spec_item){0, 0, threads});
    return status;
}

static weir_status cuda_range(struct cursor *c, uint32_t gpus, struct weir__spec_item *items,
                              uint32_t *count)
{
    uint32_t first, last;
    weir_status status = WEIR_OK;
    if (!number(c, &first))
        return bad(c, "the number of a GPU is expected");
    last = first;
    if (*c->at == '-') {
        c->at++;
        if (!number(c, &last))
            return bad(c, "the number of a GPU is expected");
        if (last < first)
            return bad(c, "a range that runs backwards ends");
    }
    if (last >= gpus)
        return weir__fail(WEIR_ERR_NODEV, "cuda:%u does not exist: there %s %u GPU%s", last,
                          gpus == 1 ? "is" : "are", gpus, gpus == 1 ? "" : "s");
    for (uint32_t i = first; i <= last && !status; i++)
        status = add(c, items, count, (struct weir__spec_item){1, i, 0});
    return status;
}

static weir_status cuda_item(struct cursor *c, uint32_t gpus, struct weir__spec_item *items,
                             uint32_t *count)
{
    weir_status status = WEIR_OK;
    if (gpus == 0)
        return WEIR_ERR_NODEV; /* the backend said why */
    if (*c->at == ':') {
        c->at++;
        return cuda_range(c, gpus, items, count);
    }
    for (uint32_t i = 0; i < gpus && !status; i++)
        status = add(c, items, count, (struct weir__spec_item){1, i, 0});
    return status;
}

weir_status weir__spec_parse(const char *spec, uint32_t (*gpus)(void),
                             struct weir__spec_item *items, uint32_t *count_out)
{
    struct cursor c = {spec, spec};
    weir_status status;
    int after_cuda = 0;
    *count_out = 0;
    for (;;) {
        if (word(&c, "host")) {
            after_cuda = 0;
            status = host_item(&c, items, count_out);
        } else if (word(&c, "cuda")) {
            after_cuda = *c.at == ':';
            status = cuda_item(&c, gpus(), items, count_out);
        } else if (after_cuda && isdigit((unsigned char)*c.at)) {
            status = cuda_range(&c, gpus(), items, count_out);
        } else {
            status = bad(&c, "'host' or 'cuda' is expected");
        }
        if (status)
            return status;
        if (*c.at == '\0')
            return WEIR_OK;
        if (*c.at != ',')
            return bad(&c, "',' or the end is expected");
        c.at++;
    }
}
