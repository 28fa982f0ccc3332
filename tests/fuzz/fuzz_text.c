/** @file fuzz_text.c  A word or number as options, tunables and specs take it. The first byte of an input
 *  says what it is meant for, the rest is the text. */
#include "tests/fuzz/fuzz.h"

#include "algorithms/cli/cli.h"
#include "algorithms/graph/load.h"
#include "runtime/backend.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t four_gpus(void)
{
    return 4;
}

static void device_spec(const char *text)
{
    struct weir__spec_item items[WEIR_DEVICES_MAX];
    uint32_t count;
    static const weir__backend cuda = {.name = "cuda", .count = four_gpus};
    static const weir__backend *const backends[] = {&cuda, &weir__host_backend, NULL};
    weir_status status = weir__spec_parse(text, backends, items, &count);
    if (status) {
        weir__fuzz_refused(status, NULL);
        return;
    }
    FUZZ_CHECK(count >= 1 && count <= WEIR_DEVICES_MAX, "%u devices", count);
    for (uint32_t i = 0; i < count; i++)
        FUZZ_CHECK(items[i].ops->made ? items[i].threads <= 256 : items[i].ordinal < 4,
                   "device %u: GPU %u, %u threads", i, items[i].ordinal, items[i].threads);
}

/* Whether a number in the text asks for a graph that is made and takes long. */
static int is_work(const char *text)
{
    for (const char *at = text; *at; at += *at != '\0') {
        char *end;
        double value = strtod(at, &end);
        if (end > at && fabs(value) > 10 && fabs(value) < 1e9)
            return 1;
        at = end > at ? end - 1 : at;
    }
    return 0;
}

static void generator(const char *text)
{
    weir_graph *graph = NULL;
    if (!weir__generator_known(text) || is_work(text))
        return;
    weir_status status = weir_graph_open(text, NULL, &graph);
    if (status)
        weir__fuzz_refused(status, NULL);
    FUZZ_CHECK(!status == (graph != NULL), "status %d and a graph do not agree", status);
    weir_graph_destroy(graph);
}

static void weights(const char *text)
{
    weir_weights weights;
    weir_status status = weir_weights_parse(text, &weights);
    if (status)
        weir__fuzz_refused(status, NULL);
    else
        FUZZ_CHECK(weights.low <= weights.high && weights.high > 0, "weights from %u to %u",
                   weights.low, weights.high);
}

/* Whether the text holds a digit other than 0 in front of its exponent. */
static int is_zero(const char *text)
{
    return !text[strcspn(text, "123456789eE")] || strchr("eE", text[strcspn(text, "123456789eE")]);
}

/* Whatever weir reads as a number, strtod reads as the same one. */
static void real(const char *text)
{
    static locale_t c_locale;
    double value = 0;
    char *end;
    const char *stop = weir__parse_real(text, &value);
    if (!stop || *stop)
        return;
    if (!c_locale)
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double wanted = strtod_l(text, &end, c_locale);
    FUZZ_CHECK(!*end, "'%s': strtod stops at '%s'", text, end);
    if (wanted == 0 && !is_zero(text))
        FUZZ_CHECK(isnan(value), "'%s' is read as %g", text, value);
    else
        FUZZ_CHECK(value == wanted, "'%s' is read as %.17g, not %.17g", text, value, wanted);
}

static int only(const char *text, const char *characters)
{
    return !text[strspn(text, characters)];
}

static void whole(const char *text)
{
    uint64_t a = 0, b = 0;
    int refused = weir__cli_number(text, &a);
    FUZZ_CHECK(refused == (weir__parse_u64(text, &b) != WEIR_OK), "'%s': option and tunable differ",
               text);
    FUZZ_CHECK(refused || (a == b && only(text, "0123456789")), "'%s' is read as %llu", text,
               (unsigned long long)a);
}

/* What an option takes for bytes, a tunable takes as well, and for as many. */
static void bytes(const char *text)
{
    uint64_t a, b;
    if (weir__cli_bytes(text, &a) || *text == '.' ||
        (strchr(text, '.') && only(text, "0123456789.")))
        return;
    FUZZ_CHECK(!weir__parse_bytes(text, &b) && a == b, "'%s': an option takes %llu bytes", text,
               (unsigned long long)a);
}

static void times(const char *text)
{
    uint64_t ms;
    if (!weir__cli_seconds(text, &ms))
        FUZZ_CHECK(only(text, "0123456789."), "'%s' is taken for seconds", text);
    if (!weir__parse_ms(text, &ms))
        FUZZ_CHECK(strchr("0123456789", *text), "'%s' is taken for a time", text);
}

static void choices(const char *text)
{
    int position;
    uint32_t parameter;
    weir__cli_request request = {.partition = PARTITION_AUTO};
    weir_partition_kind kind;
    weir__fuzz_listen();
    int code = weir__cli_choose_order(text, &position, &parameter);
    weir__fuzz_answered(code, weir__fuzz_heard());
    weir__fuzz_listen();
    code = weir__cli_choose_mapping(text, &position, &parameter);
    weir__fuzz_answered(code, weir__fuzz_heard());
    FUZZ_CHECK(code || parameter <= 1024, "groups of %u", parameter);
    weir_status status = weir_partition_kind_parse(text, &kind);
    if (status)
        weir__fuzz_refused(status, NULL);
    weir__fuzz_listen();
    code = weir__cli_choose_partition(text, &request);
    weir__fuzz_answered(code, weir__fuzz_heard());
    /* auto is the command's own, and file:PATH as help writes it is a path to both. */
    FUZZ_CHECK(strcmp(text, "auto") == 0 || !code == !status, "'%s' is a partition to one of two",
               text);
    FUZZ_CHECK(code || status || (weir_partition_kind)request.partition == kind,
               "'%s' is another kind", text);
}

/* NAME=VALUE of every tunable. */
static void tunable(const char *text)
{
    weir_config *config;
    const char *equals = strchr(text, '=');
    char name[40];
    if (!equals || (size_t)(equals - text) >= sizeof name || weir_config_create(&config))
        return;
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    weir_status status = weir_config_set(config, name, equals + 1);
    if (status)
        weir__fuzz_refused(status, NULL);
    weir_config_destroy(config);
}

static const struct {
    char letter;
    void (*take)(const char *text);
} parsers[] = {{'d', device_spec}, {'g', generator}, {'w', weights}, {'r', real},   {'n', whole},
               {'b', bytes},       {'t', times},     {'c', choices}, {'v', tunable}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = weir__fuzz_text(data, size);
    for (size_t i = 0; i < sizeof parsers / sizeof *parsers && size > 0; i++)
        if (parsers[i].letter == *text)
            parsers[i].take(text + 1);
    free(text);
    return 0;
}
