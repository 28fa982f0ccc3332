/** @file faults.c  Preloaded into a program: the n-th allocation, mapping or thread from main() on fails.
 *
 * Below runtime/fault.c, which lets the library's own calls fail: here the C library's do, so that
 * printing, jansson and hwloc meet the failure too. scripts/sweep_faults.sh says what is to fail:
 *
 *   FAULTS_KIND     alloc, map or thread
 *   FAULTS_AT       the number, from 1, of the call that fails; 0: none, calls are recorded
 *   FAULTS_FILE     a file of at least sizeof(struct notes), shared with who looks afterwards, also where
 *                   the program did not end by itself
 *   FAULTS_PROGRAM  the name of the program that is meant, of all that inherit the environment
 *   FAULTS_TRACE    any: the call that fails prints who made it
 *
 * Nothing here allocates from main() on. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALLOC, MAP, THREAD, KINDS };
enum { FRAMES = 16, WAYS_MAX = 1 << 20 };

/* The layout is known to scripts/sweep_faults.sh. */
struct notes {
    _Atomic uint64_t calls[KINDS];
    _Atomic uint64_t struck; /* 1: the call failed; 2: hwloc's did */
    /* Of each call of the kind, when they are recorded: a hash of who made it, odd for hwloc's. */
    uint64_t way[WAYS_MAX];
};

static const char *const kinds[KINDS] = {"alloc", "map", "thread"};
static struct notes *notes; /* NULL: another program is meant */
static int armed;           /* set by the one thread that there is before main() */
static int kind, trace;
static uint64_t at;
static _Thread_local int inside __attribute__((tls_model("initial-exec")));

/* The function behind this one, in the C library or a sanitizer; the first call may come before the
 * constructor. */
#define NEXT(name)                                  \
    static _Atomic(__typeof__(&(name))) next_known; \
    __typeof__(&(name)) next = next_known;          \
    if (!next)                                      \
    next_known = next = (__typeof__(next))(uintptr_t)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
    const char *file = getenv("FAULTS_FILE"), *wanted = getenv("FAULTS_KIND");
    const char *program = getenv("FAULTS_PROGRAM"), *number = getenv("FAULTS_AT");
    void *frames[FRAMES];
    if (!file || !wanted || (program && strcmp(program, program_invocation_short_name) != 0))
        return;
    for (kind = 0; kind < KINDS && strcmp(kinds[kind], wanted) != 0; kind++) {
    }
    at = number ? strtoull(number, NULL, 10) : 0;
    trace = getenv("FAULTS_TRACE") != NULL;
    (void)backtrace(frames, FRAMES); /* loads what it needs */
    int descriptor = open(file, O_RDWR | O_CLOEXEC);
    if (descriptor < 0 || kind == KINDS)
        _exit(125);
    void *shared = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    (void)close(descriptor);
    if (shared == MAP_FAILED)
        _exit(125);
    notes = shared;
}

/* Who is among the callers. */
struct callers {
    uint64_t hash; /* a number that stands for all of them, the same in every process */
    int hwloc, sanitizer;
};

static struct callers find_callers(void *const *frames, int count)
{
    struct callers callers = {14695981039346656037u, 0, 0}; /* FNV-1a */
    for (int i = 0; i < count; i++) {
        Dl_info place = {.dli_fname = ""};
        (void)dladdr(frames[i], &place);
        callers.hwloc |= strstr(place.dli_fname, "/libhwloc") != NULL;
        /* It asks for the stack of a new thread, and must be told. */
        callers.sanitizer |= place.dli_sname && !strcmp(place.dli_sname, "pthread_getattr_np");
        uintptr_t offset = (uintptr_t)frames[i] - (uintptr_t)place.dli_fbase;
        callers.hash = (callers.hash ^ offset) * 1099511628211u;
    }
    return callers;
}

static void record(uint64_t number)
{
    void *frames[FRAMES];
    struct callers callers = find_callers(frames, backtrace(frames, FRAMES));
    if (number <= WAYS_MAX)
        notes->way[number - 1] = (callers.hash & ~(uint64_t)1) | (uint64_t)callers.hwloc;
}

/* @return whether the call may fail. */
static int strike(void)
{
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    struct callers callers = find_callers(frames, count);
    if (callers.sanitizer)
        return 0;
    atomic_store_explicit(&notes->struck, callers.hwloc ? 2 : 1, memory_order_relaxed);
    if (trace)
        backtrace_symbols_fd(frames, count, STDERR_FILENO);
    return 1;
}

/* Count a call. @return whether it fails. */
static int fails(int which)
{
    if (!armed || which != kind || inside)
        return 0;
    inside = 1; /* what follows may allocate */
    uint64_t number = atomic_fetch_add_explicit(&notes->calls[kind], 1, memory_order_relaxed) + 1;
    int failing = number == at && strike();
    if (!at)
        record(number);
    inside = 0;
    return failing;
}

static int out_of_memory(int which)
{
    if (!fails(which))
        return 0;
    errno = ENOMEM;
    return 1;
}

/* ---- in place of the C library's ------------------------------------------------------------- */

void *malloc(size_t bytes)
{
    NEXT(malloc);
    return out_of_memory(ALLOC) ? NULL : next(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    NEXT(calloc);
    return out_of_memory(ALLOC) ? NULL : next(count, bytes);
}

void *realloc(void *data, size_t bytes)
{
    NEXT(realloc);
    return out_of_memory(ALLOC) ? NULL : next(data, bytes);
}

int posix_memalign(void **data_out, size_t alignment, size_t bytes)
{
    NEXT(posix_memalign);
    return fails(ALLOC) ? ENOMEM : next(data_out, alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    NEXT(aligned_alloc);
    return out_of_memory(ALLOC) ? NULL : next(alignment, bytes);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset)
{
    NEXT(mmap);
    return out_of_memory(MAP) ? MAP_FAILED
                              : next(address, bytes, protection, flags, descriptor, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
    NEXT(pthread_create);
    return fails(THREAD) ? EAGAIN : next(thread, attributes, run, user);
}

/* ---- main() ------------------------------------------------------------------------------------ */

typedef int main_function(int count, char **arguments, char **environment);
static main_function *real_main;

static int armed_main(int count, char **arguments, char **environment)
{
    armed = notes != NULL;
    return real_main(count, arguments, environment);
}

/* What starts a program; without a prototype of its own in any header. */
int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                      void (*end)(void), void (*end_linker)(void), void *stack);

int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                      void (*end)(void), void (*end_linker)(void), void *stack)
{
    NEXT(__libc_start_main);
    real_main = main;
    return next(armed_main, count, arguments, init, end, end_linker, stack);
}
