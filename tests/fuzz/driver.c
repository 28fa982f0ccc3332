/** @file driver.c  Runs a harness where there is no libFuzzer: seeds, and what a seeded generator makes
 *  of them, until the time is over.
 *
 *     HARNESS [-seconds=N] [-seed=N] [-keep=PREFIX] [-words=FILE] SEED...
 *
 * A SEED is a file or a folder of files. It knows nothing of the code it runs through, so it finds less
 * than libFuzzer does. The input that ends the program is kept as PREFIX and a number; given as the
 * only SEED with -seconds=0 it is run again. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX   (1u << 14)
#define SEEDS_MAX   4096
#define WORDS_MAX   512
#define INPUT_LIMIT 20 /* seconds one input may take */
#define LEAK_LOOKS  1000

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes seeds[SEEDS_MAX], words[WORDS_MAX];
static size_t seed_count, word_count;
static uint64_t random_state;
static const char *keep = "";
static uint8_t input[INPUT_MAX];
static struct bytes running; /* what the harness works on */

/* ---- keeping what ends the program ---------------------------------------------------------- */

static void keep_input(const char *what)
{
    char path[4200];
    if (!running.data)
        return;
    snprintf(path, sizeof path, "%s%s-%016llx", keep, what,
             (unsigned long long)weir__fuzz_hash(running.data, running.size));
    FILE *file = fopen(path, "wb");
    if (file && fwrite(running.data, 1, running.size, file) == running.size && fclose(file) == 0)
        dprintf(STDERR_FILENO, "the input of %zu bytes is kept in %s\n", running.size, path);
    running.data = NULL;
}

static void on_report(void)
{
    keep_input("crash");
}

/* The program ends here: what is not safe in a handler is no matter. */
static void on_signal(int signal_number)
{
    int late = signal_number == SIGALRM;
    if (late)
        dprintf(STDERR_FILENO, "FAULT: an input took more than %d s\n", INPUT_LIMIT);
    keep_input(late ? "timeout" : "crash");
    _exit(1);
}

/* ---- leaks: looked for where an input took more than it gave back, as that takes long ----------- */

/* gcc has the function, and no header for it. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static long long taken; /* atomic: graphs are built by threads */

static void on_malloc(const volatile void *data, size_t size)
{
    (void)data;
    (void)size;
    __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
}

static void on_free(const volatile void *data)
{
    (void)data;
    __atomic_fetch_sub(&taken, 1, __ATOMIC_RELAXED);
}

static void look_for_leaks(long long taken_before)
{
    static int looks; /* what the harness keeps for itself is no leak, nor is it much */
    if (__atomic_load_n(&taken, __ATOMIC_RELAXED) == taken_before || looks++ > LEAK_LOOKS)
        return;
    if (!__lsan_do_recoverable_leak_check())
        return;
    keep_input("leak");
    _exit(1);
}

static void run(const uint8_t *data, size_t size)
{
    long long before = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    uint8_t *copy = malloc(size ? size : 1); /* of its own size, so that reading past it is seen */
    FUZZ_CHECK(copy, "no memory for the input");
    memcpy(copy, data, size);
    running = (struct bytes){copy, size};
    alarm(INPUT_LIMIT);
    (void)LLVMFuzzerTestOneInput(copy, size);
    alarm(0);
    free(copy);
    running.data = (uint8_t *)data;
    look_for_leaks(before);
    running.data = NULL;
}

/* ---- seeds and words ------------------------------------------------------------------------ */

static void add(struct bytes *list, size_t *count, size_t most, const void *data, size_t size)
{
    if (*count == most)
        return;
    list[*count].data = malloc(size ? size : 1);
    FUZZ_CHECK(list[*count].data, "no memory for the seeds");
    memcpy(list[*count].data, data, size);
    list[(*count)++].size = size;
}

static void take_seed(const char *path)
{
    DIR *folder = opendir(path);
    if (folder) {
        for (struct dirent *entry; (entry = readdir(folder));) {
            char below[4200];
            snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
            if (entry->d_name[0] != '.')
                take_seed(below);
        }
        closedir(folder);
        return;
    }
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file, "%s cannot be read", path);
    size_t size = fread(input, 1, sizeof input, file);
    fclose(file);
    add(seeds, &seed_count, SEEDS_MAX, input, size);
}

/* A word a line in quotes, as libFuzzer takes them: "p sp", "\x1f\x8b". */
static void take_words(const char *path)
{
    char line[256], word[256];
    FILE *file = fopen(path, "r");
    FUZZ_CHECK(file, "%s cannot be read", path);
    while (fgets(line, sizeof line, file)) {
        size_t size = 0;
        const char *end = strrchr(line, '"');
        for (const char *at = line + 1; line[0] == '"' && at < end; at++) {
            unsigned byte = (unsigned char)*at;
            if (*at == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &byte) == 1)
                at += 3;
            else if (*at == '\\')
                byte = (unsigned char)*++at;
            word[size++] = (char)byte;
        }
        if (size > 0)
            add(words, &word_count, WORDS_MAX, word, size);
    }
    fclose(file);
}

static int in_order(const void *left, const void *right)
{
    const struct bytes *a = left, *b = right;
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* ---- inputs from seeds ---------------------------------------------------------------------- */

static uint64_t draw(uint64_t bound)
{
    random_state += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    uint64_t x = random_state;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return bound ? (x ^ x >> 31) % bound : 0;
}

/* Replace @p cut bytes at @p at by those of @p text. */
static void put(struct bytes *made, size_t at, size_t cut, const uint8_t *text, size_t size)
{
    uint8_t copy[INPUT_MAX]; /* the text may be part of what moves */
    if (cut > made->size - at)
        cut = made->size - at;
    if (made->size - cut + size > INPUT_MAX)
        return;
    memcpy(copy, text, size);
    memmove(made->data + at + size, made->data + at + cut, made->size - at - cut);
    memcpy(made->data + at, copy, size);
    made->size += size - cut;
}

/* A number where the numbers end that programs are written with. */
static void put_number(struct bytes *made)
{
    static const char *const edges[] = {"0",
                                        "1",
                                        "-1",
                                        "255",
                                        "65536",
                                        "2147483648",
                                        "4294967293",
                                        "4294967294",
                                        "4294967295",
                                        "4294967296",
                                        "9007199254740993",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "1e308",
                                        "1e309",
                                        "5e-324",
                                        "1e-400",
                                        "0.5",
                                        "nan",
                                        "inf",
                                        "0x10"};
    static const char digits[] = "0123456789";
    size_t at = draw(made->size + 1), length = 0;
    while (at < made->size && !memchr(digits, made->data[at], 10))
        at++;
    while (at + length < made->size && memchr(digits, made->data[at + length], 10))
        length++;
    const char *edge = edges[draw(sizeof edges / sizeof *edges)];
    put(made, at, length, (const uint8_t *)edge, strlen(edge));
}

static void change(struct bytes *made)
{
    const struct bytes *other = &seeds[draw(seed_count)], *word = &words[draw(word_count)];
    size_t at = draw(made->size + 1), from = draw(other->size + 1);
    uint8_t byte = (uint8_t)draw(256);
    switch (draw(9)) {
    case 0: /* a bit */
        if (at < made->size)
            made->data[at] ^= (uint8_t)(1 << draw(8));
        break;
    case 1: /* a byte in place of another, or more */
        put(made, at, 1, &byte, 1);
        break;
    case 2:
        put(made, at, 0, &byte, 1);
        break;
    case 3: /* some bytes less */
        put(made, at, 1 + draw(8), made->data, 0);
        break;
    case 4: /* all behind it less */
        if (draw(4) == 0)
            made->size = at;
        break;
    case 5: /* a part of it twice */
        put(made, at, 0, made->data + at, draw(1 + (made->size - at < 64 ? made->size - at : 64)));
        break;
    case 6: /* a part of another */
        put(made, at, draw(16), other->data + from, draw(1 + other->size - from));
        break;
    case 7:
        if (word_count)
            put(made, at, draw(2) * word->size, word->data, word->size);
        break;
    default:
        put_number(made);
    }
}

static void make_input(struct bytes *made)
{
    const struct bytes *seed = &seeds[draw(seed_count)];
    memcpy(input, seed->data, seed->size);
    *made = (struct bytes){input, seed->size};
    for (uint64_t changes = 1 + draw(6); changes > 0; changes--)
        change(made);
}

/* ---- the run -------------------------------------------------------------------------------- */

/* The value of "-NAME=VALUE", or NULL. */
static const char *option(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 ? argument + length : NULL;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int count, char **arguments)
{
    double limit = 10, begin = seconds_now();
    uint64_t runs = 0;
    const char *text;
    for (int i = 1; i < count; i++) {
        if ((text = option(arguments[i], "-seconds=")))
            limit = strtod(text, NULL);
        else if ((text = option(arguments[i], "-seed=")))
            random_state = strtoull(text, NULL, 10);
        else if ((text = option(arguments[i], "-keep=")))
            keep = text;
        else if ((text = option(arguments[i], "-words=")))
            take_words(text);
        else
            take_seed(arguments[i]);
    }
    /* Folders list their files in any order; a seed of the generator gives the same inputs. */
    qsort(seeds, seed_count, sizeof *seeds, in_order);
    FUZZ_CHECK(seed_count > 0, "no seeds were given");
    __sanitizer_set_death_callback(on_report);
    (void)__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    signal(SIGABRT, on_signal);
    signal(SIGALRM, on_signal);
    for (; runs < seed_count; runs++)
        run(seeds[runs].data, seeds[runs].size);
    for (; seconds_now() - begin < limit; runs++) {
        struct bytes made;
        make_input(&made);
        run(made.data, made.size);
    }
    printf("%llu inputs, %zu of them seeds, in %.0f s\n", (unsigned long long)runs, seed_count,
           seconds_now() - begin);
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i].data);
    for (size_t i = 0; i < word_count; i++)
        free(words[i].data);
    return 0;
}
