/** @file spec.c  The backends, and device specs that name them: "host:4", "cuda:0-3", "cuda:0,host:1x2" (grammar in
 * runtime.h). */
#include "runtime/backend.h"

#include <ctype.h>
#include <stdio.h>
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
    for (uint32_t i = 0; !item.ops->made && i < *count; i++)
        if (items[i].ops == item.ops && items[i].ordinal == item.ordinal)
            return weir__fail(WEIR_ERR_INVALID, "device spec '%s': %s:%u is named twice", c->spec,
                              item.ops->name, item.ordinal);
    items[(*count)++] = item;
    return WEIR_OK;
}

/* COUNT or COUNTxTHREADS behind a name. */
static weir_status made_item(struct cursor *c, const weir__backend *ops,
                             struct weir__spec_item *items, uint32_t *count)
{
    uint32_t devices = 1, threads = 0;
    weir_status status = WEIR_OK;
    if (*c->at == ':') {
        char what[64];
        c->at++;
        snprintf(what, sizeof what, "a number of %s devices is expected", ops->name);
        if (!number(c, &devices))
            return bad(c, what);
        if (devices == 0)
            return weir__fail(WEIR_ERR_INVALID, "device spec '%s': %s:0 has no device", c->spec,
                              ops->name);
        if (*c->at == 'x') {
            c->at++;
            if (!number(c, &threads) || threads == 0 || threads > 256)
                return bad(c, "a number of threads from 1 to 256 is expected");
        }
    }
    for (uint32_t i = 0; i < devices && !status; i++)
        status = add(c, items, count, (struct weir__spec_item){ops, 0, threads});
    return status;
}

/* ORDINAL or FIRST-LAST of the `found` GPUs that there are. */
static weir_status range(struct cursor *c, const weir__backend *ops, uint32_t found,
                         struct weir__spec_item *items, uint32_t *count)
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
    if (last >= found)
        return weir__fail(WEIR_ERR_NODEV, "%s:%u does not exist: there %s %u GPU%s", ops->name,
                          last, found == 1 ? "is" : "are", found, found == 1 ? "" : "s");
    for (uint32_t i = first; i <= last && !status; i++)
        status = add(c, items, count, (struct weir__spec_item){ops, i, 0});
    return status;
}

static weir_status found_item(struct cursor *c, const weir__backend *ops,
                              struct weir__spec_item *items, uint32_t *count)
{
    uint32_t found = ops->count();
    weir_status status = WEIR_OK;
    if (found == 0)
        return WEIR_ERR_NODEV; /* the backend said why */
    if (*c->at == ':') {
        c->at++;
        return range(c, ops, found, items, count);
    }
    for (uint32_t i = 0; i < found && !status; i++)
        status = add(c, items, count, (struct weir__spec_item){ops, i, 0});
    return status;
}

static const weir__backend *named(struct cursor *c, const weir__backend *const *backends)
{
    while (*backends && !word(c, (*backends)->name))
        backends++;
    return *backends;
}

/* "'cuda' or 'host' is expected" */
static weir_status unnamed(const struct cursor *c, const weir__backend *const *backends)
{
    char names[128] = "";
    size_t at = 0;
    for (size_t i = 0; backends[i] && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", i ? " or " : "",
                               backends[i]->name);
    return weir__fail(WEIR_ERR_INVALID, "device spec '%s': %s is expected at character %d", c->spec,
                      names, (int)(c->at - c->spec) + 1);
}

weir_status weir__spec_parse(const char *spec, const weir__backend *const *backends,
                             struct weir__spec_item *items, uint32_t *count_out)
{
    struct cursor c = {spec, spec};
    const weir__backend *ops = NULL, *ranged = NULL; /* NAME:0,2 goes on with numbers */
    weir_status status;
    *count_out = 0;
    for (;;) {
        if ((ops = named(&c, backends))) {
            ranged = !ops->made && *c.at == ':' ? ops : NULL;
            status = (ops->made ? made_item : found_item)(&c, ops, items, count_out);
        } else if (ranged && isdigit((unsigned char)*c.at)) {
            status = range(&c, ranged, ranged->count(), items, count_out);
        } else {
            status = unnamed(&c, backends);
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

const char *weir__spec_usual(const weir__backend *const *backends)
{
    /* A machine without a GPU is not a failure here, so its sentence is put back. */
    struct weir__sentence before = weir__fail_keep();
    while (!(*backends)->count() && backends[1])
        backends++;
    weir__fail_restore(&before);
    return (*backends)->usual;
}

#if !WEIR_CUDA
static uint32_t none(void)
{
    weir__fail(WEIR_ERR_NODEV, "no CUDA device: weir was built without CUDA");
    return 0;
}

const weir__backend weir__cuda_backend = {
    .name = "cuda", .kind = WEIR_DEVICE_CUDA, .usual = "cuda", .count = none};
#endif

const weir__backend *const weir__backends[] = {&weir__cuda_backend, &weir__host_backend, NULL};
