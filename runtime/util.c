/** @file util.c  Small things every layer needs: memory, time, numbers in text. */
#include "runtime/backend.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>

#define HUGE_LEAST ((size_t)8 << 20)
#define PAGE       ((uintptr_t)4096)

/* Pages of 2 MiB for what is large: it is touched for the first time five times as fast, and looks at random places miss the
 * table of pages less. A wish: a system that has none, or gives none, leaves things as they are. */
static void ask_for_huge_pages(void *data, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t begin = ((uintptr_t)data + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)data + bytes) / PAGE * PAGE;
    if (data && bytes >= HUGE_LEAST)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)data, (void)bytes;
#endif
}

static weir_status take(size_t count, size_t bytes, int clear, const char *what, void *data_out)
{
    void *data = NULL;
    size_t total;
    memcpy(data_out, &data, sizeof data);
    if (__builtin_mul_overflow(count, bytes, &total))
        return weir__fail(WEIR_ERR_NOMEM, "%s: %zu x %zu bytes cannot be addressed", what, count,
                          bytes);
    if (!weir__fault_strikes(WEIR__FAULT_ALLOC))
        data = clear ? calloc(1, total ? total : 1) : malloc(total ? total : 1);
    if (!data)
        return weir__fail(WEIR_ERR_NOMEM, "%s: no %zu bytes of host memory left", what, total);
    ask_for_huge_pages(data, total);
    memcpy(data_out, &data, sizeof data);
    return WEIR_OK;
}

weir_status weir__alloc(size_t count, size_t bytes, const char *what, void *data_out)
{
    return take(count, bytes, 0, what, data_out);
}

weir_status weir__calloc(size_t count, size_t bytes, const char *what, void *data_out)
{
    return take(count, bytes, 1, what, data_out);
}

uint32_t weir__cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
    return 1;
}

uint64_t weir__stack_bytes(void)
{
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_attr_init(&attributes))
        return 0;
    (void)pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    return bytes;
}

uint64_t weir__now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct timespec weir__deadline(int64_t timeout_ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    if (timeout_ms < 0)
        return at;
    uint64_t ns = (uint64_t)at.tv_nsec + (uint64_t)(timeout_ms % 1000) * 1000000u;
    at.tv_sec += (time_t)(timeout_ms / 1000) + (time_t)(ns / 1000000000u);
    at.tv_nsec = (long)(ns % 1000000000u);
    return at;
}

void weir__cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

weir_status weir__parse_u64(const char *text, uint64_t *value_out)
{
    if (!text || !isdigit((unsigned char)*text))
        return WEIR_ERR_INVALID;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end)
        return WEIR_ERR_INVALID;
    *value_out = value;
    return WEIR_OK;
}

struct unit {
    const char *name;
    double factor;
};

/* strtod, which would take the decimal point from the program's locale. */
static double to_real(const char *text, char **end_out)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return strtod(text, end_out);
    double number = strtod_l(text, end_out, c_locale);
    freelocale(c_locale);
    return number;
}

static weir_status parse_scaled(const char *text, const struct unit *units, uint64_t *value_out)
{
    if (!text || !isdigit((unsigned char)*text))
        return WEIR_ERR_INVALID;
    if (weir__parse_u64(text, value_out) == WEIR_OK) /* exact beyond 2^53 */
        return WEIR_OK;
    char *end;
    double number = to_real(text, &end);
    if (end != text + strspn(text, "0123456789.")) /* strtod takes "0x10" and "1e3" too */
        return WEIR_ERR_INVALID;
    while (*end == ' ')
        end++;
    for (; units->name; units++) {
        if (strcasecmp(end, units->name) != 0)
            continue;
        double scaled = number * units->factor;
        if (!(scaled >= 0 && scaled < 18446744073709549568.0))
            return WEIR_ERR_INVALID;
        *value_out = (uint64_t)floor(scaled + 0.5);
        return WEIR_OK;
    }
    return WEIR_ERR_INVALID;
}

weir_status weir__parse_bytes(const char *text, uint64_t *bytes_out)
{
    static const struct unit units[] = {{"b", 1},
                                        {"k", 1024},
                                        {"kib", 1024},
                                        {"kb", 1e3},
                                        {"m", 1048576},
                                        {"mib", 1048576},
                                        {"mb", 1e6},
                                        {"g", 1073741824.0},
                                        {"gib", 1073741824.0},
                                        {"gb", 1e9},
                                        {"t", 1099511627776.0},
                                        {"tib", 1099511627776.0},
                                        {"tb", 1e12},
                                        {NULL, 0}};
    return parse_scaled(text, units, bytes_out);
}

weir_status weir__parse_ms(const char *text, uint64_t *ms_out)
{
    static const struct unit units[] = {{"ms", 1}, {"s", 1000}, {"min", 60000}, {NULL, 0}};
    return parse_scaled(text, units, ms_out);
}
