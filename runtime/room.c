/** @file room.c  How much memory there is left before the system ends somebody for it.
 *
 * A container is a control group, often one within others, each with limits of its own, and which files
 * tell of them depends on the version of the control groups and on where they are mounted. The mount
 * shows groups from some group on, its root; /proc/self/cgroup names ours from the topmost that we may see. */
#include "runtime/room.h"
#include "runtime/internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define PATH_ROOM 4096

static _Atomic(const char *) pretended; /* relaxed: a test sets it before what it tests begins */

/* ---- files ------------------------------------------------------------------------------------ */

/* The number behind `key` in a file of lines; UINT64_MAX when there is none. */
static uint64_t number_in(const char *path, const char *key)
{
    char line[256];
    uint64_t value = UINT64_MAX;
    FILE *file = fopen(path, "re");
    while (file && value == UINT64_MAX && fgets(line, sizeof line, file)) {
        size_t length = strlen(key);
        if (strncmp(line, key, length) != 0)
            continue;
        const char *at = line + length + strspn(line + length, " \t");
        if (*at >= '0' && *at <= '9') /* "max" is no limit */
            value = strtoull(at, NULL, 10);
    }
    if (file)
        fclose(file);
    return value;
}

static uint64_t number_of(const char *folder, const char *name, const char *key)
{
    char path[3 * PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return number_in(path, key);
}

static uint64_t number_or_0(uint64_t value)
{
    return value == UINT64_MAX ? 0 : value;
}

static void bound(struct weir__room *room, uint64_t bytes, const char *owner)
{
    if (bytes >= room->bytes)
        return;
    room->bytes = bytes;
    snprintf(room->owner, sizeof room->owner, "%s", owner);
}

static void bound_all(struct weir__room *room, uint64_t bytes)
{
    room->all = bytes < room->all ? bytes : room->all;
}

/* ---- control groups ---------------------------------------------------------------------------- */

struct version {
    const char *type; /* of the mount */
    const char *
        control; /* among the mount's options and in our line of /proc/self/cgroup; "": version 2 */
    const char *limit[2], *used, *cache;
};

static const struct version versions[] = {
    {.type = "cgroup2",
     .control = "",
     .limit = {"memory.max", "memory.high"},
     .used = "memory.current",
     .cache = "inactive_file"},
    {.type = "cgroup",
     .control = "memory",
     .limit = {"memory.limit_in_bytes", NULL},
     .used = "memory.usage_in_bytes",
     .cache = "total_inactive_file"},
};

/* One group: its limits less what it uses, but for what it can give back at once. */
static void look_at_group(const struct version *version, const char *folder, const char *name,
                          struct weir__room *room)
{
    char owner[sizeof room->owner];
    uint64_t limit = UINT64_MAX, used = number_of(folder, version->used, "");
    uint64_t cache = number_or_0(number_of(folder, "memory.stat", version->cache));
    for (size_t i = 0; i < 2 && version->limit[i]; i++) {
        uint64_t one = number_of(folder, version->limit[i], "");
        limit = one < limit ? one : limit;
    }
    if (*version->control) { /* of groups above that the mount does not show */
        uint64_t above = number_of(folder, "memory.stat", "hierarchical_memory_limit");
        limit = above < limit ? above : limit;
    }
    bound_all(room, limit);
    if (limit == UINT64_MAX || used == UINT64_MAX)
        return;
    used -= cache < used ? cache : used;
    snprintf(owner, sizeof owner, "the control group %.100s", *name ? name : "/");
    bound(room, used < limit ? limit - used : 0, owner);
}

/* Whether a list of words between commas has this one. */
static int lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (!at[length] || strchr(",\n", at[length])))
            return 1;
    return 0;
}

/* Our group: a line "ID:CONTROLLERS:PATH", without controllers in version 2. */
static int find_group(const char *root, const struct version *version, char group[PATH_ROOM])
{
    char path[PATH_ROOM], line[PATH_ROOM];
    int found = 0;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *controls = strchr(line, ':'), *name = controls ? strchr(controls + 1, ':') : NULL;
        if (!name)
            continue;
        *name++ = 0;
        name[strcspn(name, "\n")] = 0;
        found = *version->control ? lists(controls + 1, version->control) : !controls[1];
        if (found)
            snprintf(group, PATH_ROOM, "%s", name);
    }
    if (file)
        fclose(file);
    return found;
}

/* A blank in a path of mountinfo is "\040". */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at; to++) {
        unsigned code;
        if (*at == '\\' && sscanf(at, "\\%3o", &code) == 1) {
            *to = (char)code;
            at += 4;
        } else {
            *to = *at++;
        }
    }
    *to = 0;
}

/* The mount: "ID PARENT DEVICE ROOT POINT OPTIONS [FIELDS] - TYPE SOURCE OPTIONS". */
static int find_mount(const char *root, const struct version *version, char top[PATH_ROOM],
                      char point[PATH_ROOM])
{
    char path[PATH_ROOM], line[2 * PATH_ROOM], type[32], options[1024];
    int found = 0;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *rest = strstr(line, " - ");
        found = rest && sscanf(rest, " - %31s %*s %1023s", type, options) == 2 &&
                strcmp(type, version->type) == 0 &&
                (!*version->control || lists(options, version->control)) &&
                sscanf(line, "%*s %*s %*s %4095s %4095s", top, point) == 2;
    }
    if (file)
        fclose(file);
    if (found) {
        unescape(top);
        unescape(point);
    }
    return found;
}

/* What of a group's name lies under the mount's root: "" where the mount shows another part of the tree, as in a
 * container that sees its own group as the root. */
static const char *under(const char *group, const char *top)
{
    size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);
    if (strncmp(group, top, length) != 0 || (group[length] && group[length] != '/'))
        return "";
    return strcmp(group + length, "/") == 0 ? "" : group + length;
}

/* Our group and all above it: what one of them has left is all there is. */
static void look_at_groups(const char *root, const struct version *version, struct weir__room *room)
{
    char group[PATH_ROOM], top[PATH_ROOM], point[PATH_ROOM], folder[3 * PATH_ROOM];
    if (!find_group(root, version, group) || !find_mount(root, version, top, point))
        return;
    const char *below = under(group, top);
    snprintf(folder, sizeof folder, "%s%s%s", root, point, strstr(below, "/..") ? "" : below);
    size_t shortest = strlen(root) + strlen(point);
    for (;;) {
        look_at_group(version, folder, folder + shortest, room);
        char *slash = strrchr(folder + shortest, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void look_at_limit(int resource, const char *root, const char *key, const char *owner,
                          struct weir__room *room)
{
    struct rlimit limit;
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/proc/self/status", root);
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return;
    uint64_t used = number_or_0(number_in(path, key)) * 1024, most = limit.rlim_cur;
    bound_all(room, most);
    bound(room, used < most ? most - used : 0, owner);
}

void weir__room_look(const char *root, struct weir__room *room_out)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    char path[PATH_ROOM];
    *room_out = (struct weir__room){UINT64_MAX, UINT64_MAX, UINT64_MAX, "this machine"};
    if (pages > 0 && size > 0)
        room_out->bytes = room_out->all = (uint64_t)pages * (uint64_t)size;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    uint64_t available_kib = number_in(path, "MemAvailable:");
    if (available_kib < UINT64_MAX / 1024)
        bound(room_out, available_kib * 1024, "this machine");
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        look_at_groups(root, &versions[i], room_out);
    room_out->memory = room_out->bytes;
    look_at_limit(RLIMIT_AS, root, "VmSize:", "the limit on address space (ulimit -v)", room_out);
    look_at_limit(RLIMIT_DATA, root, "VmData:", "the limit on data (ulimit -d)", room_out);
}

void weir__room_pretend(const char *root)
{
    atomic_store_explicit(&pretended, root, memory_order_relaxed);
}

static _Atomic uint64_t looks; /* relaxed: a count */

uint64_t weir__room_looks(void)
{
    return atomic_load_explicit(&looks, memory_order_relaxed);
}

/* The room there is here, or the one that a test makes up. */
static void look(struct weir__room *room)
{
    const char *root = atomic_load_explicit(&pretended, memory_order_relaxed);
    (void)atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
    weir__room_look(root ? root : "", room);
}

/* A look reads a dozen files, of which some make the system add up counters of all cores: half a millisecond, more
 * than the work that needs a few kilobytes. So one look serves what comes soon after it, while all that is small beside
 * what was left. Not where the process has limits of its own, which it may change, or a test makes files up. */
#define SOON_NS    10000000u
#define SMALL_PART 64

static struct {
    pthread_mutex_t lock;
    uint64_t until_ns; /* of the look */
    uint64_t bytes;    /* that may still be taken on it */
} glance = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int has_limits(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur != RLIM_INFINITY ||
           getrlimit(RLIMIT_DATA, &limit) || limit.rlim_cur != RLIM_INFINITY ||
           atomic_load_explicit(&pretended, memory_order_relaxed);
}

/* Whether the last look is enough to say that @p most fits; what is taken of it, @p arrays, the next ones lack. */
static int fits_at_a_glance(uint64_t most, uint64_t arrays)
{
    if (has_limits())
        return 0;
    pthread_mutex_lock(&glance.lock);
    const int fits = most <= glance.bytes && weir__now_ns() < glance.until_ns;
    if (fits)
        glance.bytes -= arrays;
    pthread_mutex_unlock(&glance.lock);
    return fits;
}

static void remember(const struct weir__room *room)
{
    pthread_mutex_lock(&glance.lock);
    glance.until_ns = weir__now_ns() + SOON_NS;
    glance.bytes = room->bytes / SMALL_PART;
    pthread_mutex_unlock(&glance.lock);
}

uint64_t weir__room_all(void)
{
    const char *root = atomic_load_explicit(&pretended, memory_order_relaxed);
    struct weir__room room;
    weir__room_look(root ? root : "", &room);
    return room.all;
}

uint64_t weir__room_left(void)
{
    struct weir__room room;
    look(&room);
    return room.bytes;
}

/* ---- what is needed ------------------------------------------------------------------------------ */

#define MOST ((int64_t)1 << 61)
/* Beside arrays there are page tables, the buffers of copies to devices (bounce.c), stacks of threads and small
 * things. */
#define MORE_PART 64
#define COPIES    ((uint64_t)8 << 20)
#define MORE      ((uint64_t)8 << 20)

void weir__need_take(struct weir__need *need, uint64_t count, uint64_t bytes)
{
    uint64_t total;
    if (__builtin_mul_overflow(count, bytes, &total) || total > (uint64_t)MOST)
        total = (uint64_t)MOST;
    need->held = need->held > MOST - (int64_t)total ? MOST : need->held + (int64_t)total;
    need->most = need->held > need->most ? need->held : need->most;
}

void weir__need_give(struct weir__need *need, uint64_t count, uint64_t bytes)
{
    uint64_t total;
    if (!__builtin_mul_overflow(count, bytes, &total) && total < (uint64_t)MOST)
        need->held -= (int64_t)total;
}

void weir__need_pass(struct weir__need *need, uint64_t count, uint64_t bytes)
{
    int64_t before = need->held;
    weir__need_take(need, count, bytes);
    need->held = before;
}

void weir__need_take_on(struct weir__need *need, const weir_device *device, uint64_t count,
                        uint64_t bytes)
{
    if (!weir__device_is_gpu(device))
        weir__need_take(need, count, bytes);
}

/* What was freed and is still ours, for the next malloc: arrays of up to 32 MiB. */
static void give_back(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

static unsigned long long mib(uint64_t bytes)
{
    return (unsigned long long)(bytes >> 20);
}

static _Thread_local struct weir__need_note *noted;

void weir__need_note_in(struct weir__need_note *note)
{
    noted = note;
}

weir_status weir__need_fits(const struct weir__need *need, const char *format, ...)
{
    struct weir__room room;
    char what[256];
    va_list arguments;
    const uint64_t arrays = (uint64_t)need->most;
    const uint64_t copies = arrays < COPIES ? arrays : COPIES;
    const uint64_t most = arrays ? arrays + arrays / MORE_PART + copies + MORE : 0;
    if (noted) {
        if (most >= noted->most) {
            va_start(arguments, format);
            vsnprintf(noted->what, sizeof noted->what, format, arguments);
            va_end(arguments);
            noted->most = most;
        }
        return WEIR_OK;
    }
    if (fits_at_a_glance(most, arrays))
        return WEIR_OK;
    look(&room);
    if (most > room.bytes) {
        give_back();
        look(&room);
    }
    if (most <= room.bytes) {
        remember(&room);
        return WEIR_OK;
    }
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return weir__fail(WEIR_ERR_NOMEM, "%s: %llu MiB of memory are needed, and %s has %llu MiB left",
                      what, mib(most + (1 << 20) - 1), room.owner, mib(room.bytes));
}
