/** @file machine_spec.c  Machines in a word: "8*nvswitch", "2x4*pcie-tree", "2*pcie,hetero".
 *
 *     SPEC    = [SOCKETS "x"] COUNT "*" FABRIC {"," OPTION}
 *     FABRIC  = "nvswitch" | "nvlink" | "pcie" | "pcie-tree" | "host"
 *     OPTION  = "hetero" | "nopeer" | "gen:" N | "links:" N | "gbs:" F | "latency:" F
 *
 * COUNT is the number of devices of each socket. No blanks; each option at most once, and only
 * where the fabric has a use for it. The first error is reported with its column, from 1. */
#include "topology/machine_spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define FIGURE_MOST 1000000 /* GB/s or microseconds: far above what there is */

struct cursor {
    const char *text; /* whole, for messages */
    const char *at;
};

static int column(const struct cursor *c, const char *at)
{
    return (int)(at - c->text) + 1;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '-')
        length++;
    return length;
}

/* Digits into *value_out, which stops growing above 10^9: no spec needs as much. */
static int number(struct cursor *c, uint32_t *value_out)
{
    uint32_t value = 0;
    const char *start = c->at;
    for (; isdigit((unsigned char)*c->at); c->at++)
        if (value < 100000000)
            value = value * 10 + (uint32_t)(*c->at - '0');
    *value_out = value;
    return c->at != start;
}

/* 12 or 12.5, at most 15 digits: exact whatever the locale's decimal point is. */
static int figure(struct cursor *c, double *value_out)
{
    double value = 0, scale = 1;
    uint32_t digits = 0, point = 0;
    for (; isdigit((unsigned char)*c->at) || (*c->at == '.' && !point && digits); c->at++) {
        if (*c->at == '.') {
            point = 1;
            continue;
        }
        value = value * 10 + (*c->at - '0');
        scale *= point ? 10 : 1;
        digits++;
    }
    *value_out = value / scale;
    return digits > 0 && digits <= 15 && c->at[-1] != '.';
}

static weir_status bad_count(const struct cursor *c, const char *at, const char *what)
{
    return weir__fail(WEIR_ERR_INVALID, "%s: a number of %s from 1 to %d is expected at column %d",
                      c->text, what, WEIR_DEVICES_MAX, column(c, at));
}

/* [SOCKETS "x"] COUNT "*" */
static weir_status counts(struct cursor *c, struct weir__spec *spec)
{
    const char *first = c->at, *second = c->at;
    uint32_t value;
    spec->sockets = 1;
    if (!number(c, &value))
        return bad_count(c, first, "devices");
    if (*c->at == 'x') {
        if (value < 1 || value > WEIR_DEVICES_MAX)
            return bad_count(c, first, "sockets");
        spec->sockets = value;
        second = ++c->at;
        if (!number(c, &value))
            return bad_count(c, second, "devices");
    }
    if (value < 1 || value > WEIR_DEVICES_MAX)
        return bad_count(c, second, "devices");
    if (spec->sockets * value > WEIR_DEVICES_MAX) /* 64 * 64 at most: cannot overflow */
        return weir__fail(WEIR_ERR_INVALID, "%s: %u sockets of %u devices are more than %d devices",
                          c->text, spec->sockets, value, WEIR_DEVICES_MAX);
    spec->devices = value;
    if (*c->at != '*')
        return weir__fail(WEIR_ERR_INVALID, "%s: '*' and a fabric are expected at column %d",
                          c->text, column(c, c->at));
    c->at++;
    return WEIR_OK;
}

static weir_status fabric(struct cursor *c, struct weir__spec *spec)
{
    char known[80] = "";
    size_t length = word_length(c->at), used = 0;
    for (uint32_t f = 0; f < WEIR__FABRICS; f++) {
        const struct weir__fabric *candidate = &weir__fabrics[f];
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", f ? ", " : "",
                                 candidate->name);
        if (strlen(candidate->name) != length || memcmp(candidate->name, c->at, length) != 0)
            continue;
        spec->fabric = candidate;
        spec->generation = candidate->generation;
        spec->links = candidate->links;
        c->at += length;
        return WEIR_OK;
    }
    return weir__fail(WEIR_ERR_INVALID, "%s: unknown fabric '%.*s' at column %d; there are %s",
                      c->text, (int)(length < 40 ? length : 40), c->at, column(c, c->at), known);
}

static weir_status ranged(struct cursor *c, const char *what, const char *option, uint32_t most,
                          const struct weir__spec *spec, uint32_t *value_out)
{
    const char *start = c->at;
    if (!most)
        return weir__fail(WEIR_ERR_INVALID, "%s: the fabric '%s' has no %s to set at column %d",
                          c->text, spec->fabric->name, what, column(c, option));
    if (number(c, value_out) && *value_out >= 1 && *value_out <= most)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID, "%s: the %s is a number from 1 to %u, at column %d",
                      c->text, what, most, column(c, start));
}

static weir_status positive(struct cursor *c, const char *unit, double *value_out)
{
    const char *start = c->at;
    if (figure(c, value_out) && *value_out >= 0.001 && *value_out <= FIGURE_MOST)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID,
                      "%s: %s from 0.001 to %d, such as 12 or 12.5, are expected at column %d",
                      c->text, unit, FIGURE_MOST, column(c, start));
}

static weir_status hetero(const struct cursor *c, struct weir__spec *spec, const char *option)
{
    if (spec->sockets * spec->devices < 2)
        return weir__fail(WEIR_ERR_INVALID, "%s: 'hetero' at column %d needs at least two devices",
                          c->text, column(c, option));
    spec->hetero = 1;
    return WEIR_OK;
}

/* The value of option number @p which, if it takes one, stands at the cursor. */
static weir_status apply(struct cursor *c, int which, const char *option, struct weir__spec *spec)
{
    switch (which) {
    case 0:
        return hetero(c, spec, option);
    case 1:
        spec->nopeer = 1;
        return WEIR_OK;
    case 2:
        return ranged(c, "generation", option, spec->fabric->generation_most, spec,
                      &spec->generation);
    case 3:
        return ranged(c, "number of links", option, spec->fabric->links_most, spec, &spec->links);
    case 4:
        return positive(c, "GB/s", &spec->gbs);
    default:
        return positive(c, "microseconds", &spec->latency_us);
    }
}

static weir_status one_option(struct cursor *c, struct weir__spec *spec, unsigned *seen)
{
    static const char *const names[] = {"hetero", "nopeer", "gen:", "links:", "gbs:", "latency:"};
    const char *option = c->at;
    size_t length = word_length(option);
    length += option[length] == ':';
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        if (strlen(names[i]) != length || memcmp(names[i], option, length) != 0)
            continue;
        if (*seen & 1u << i)
            return weir__fail(WEIR_ERR_INVALID, "%s: the option '%.*s' stands twice, at column %d",
                              c->text, (int)length, option, column(c, option));
        *seen |= 1u << i;
        c->at += length;
        return apply(c, i, option, spec);
    }
    return weir__fail(WEIR_ERR_INVALID,
                      "%s: unknown option '%.*s' at column %d; there are hetero, nopeer, gen:N, "
                      "links:N, gbs:F, latency:F",
                      c->text, (int)(length < 40 ? length : 40), option, column(c, option));
}

static weir_status options(struct cursor *c, struct weir__spec *spec)
{
    unsigned seen = 0;
    weir_status status = WEIR_OK;
    while (!status && *c->at == ',') {
        c->at++;
        status = one_option(c, spec, &seen);
    }
    if (!status && *c->at)
        return weir__fail(WEIR_ERR_INVALID, "%s: ',' or the end is expected at column %d", c->text,
                          column(c, c->at));
    return status;
}

weir_status weir__machine_from_spec(const char *text, weir_machine **machine_out)
{
    struct weir__spec spec = {0};
    struct cursor c = {text, text};
    weir_status status;
    *machine_out = NULL;
    if (strlen(text) > 120)
        return weir__fail(WEIR_ERR_INVALID, "%.40s...: a machine's spec has at most 120 characters",
                          text);
    if ((status = counts(&c, &spec)) || (status = fabric(&c, &spec)) ||
        (status = options(&c, &spec)) || (status = weir__machine_build(&spec, text, machine_out)))
        return status;
    snprintf((*machine_out)->source, sizeof(*machine_out)->source, "spec %s", text);
    return WEIR_OK;
}
