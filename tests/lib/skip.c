/** @file skip.c  How many devices of which kind a test would need. */
#include "tests/lib/skip.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h wants those four before it. */
#include <cmocka.h>

/* Devices that one item of a spec needs: NAME needs one, NAME:3 four, NAME:2-5 six. */
static unsigned long item_needs(const char *item, size_t name)
{
    unsigned long last = 0;
    if (item[name] == ':') {
        char *end;
        last = strtoul(item + name + 1, &end, 10);
        if (*end == '-')
            last = strtoul(end + 1, NULL, 10);
    }
    return last + 1;
}

static size_t name_length(const char *item)
{
    size_t length = 0;
    while (isalnum((unsigned char)item[length]))
        length++;
    return length;
}

/* The most that any item of this name needs; 0 if an earlier item has the same name. */
static unsigned long spec_needs(const char *spec, const char *item, size_t name)
{
    unsigned long most = 0;
    for (const char *other = spec; other;
         other = strchr(other, ',') ? strchr(other, ',') + 1 : NULL)
        if (name_length(other) == name && strncmp(other, item, name) == 0) {
            unsigned long needs = item_needs(other, name);
            if (other < item)
                return 0;
            most = most < needs ? needs : most;
        }
    return most;
}

void skip_without(const char *spec)
{
    for (const char *item = spec; item; item = strchr(item, ',') ? strchr(item, ',') + 1 : NULL) {
        size_t name = name_length(item);
        unsigned long needs = spec_needs(spec, item, name);
        if (needs && strncmp(item, "host", name) != 0)
            printf("skipped: needs %.*s:%lu\n", (int)name, item, needs);
    }
    fflush(stdout);
    skip();
}

static int is_left_out(const char *spec)
{
    size_t length = strlen(spec);
    const char *at = getenv("WEIR_TEST_LEAVE_OUT");
    while (at && *at) {
        size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, spec, length) == 0)
            return 1;
        at += word + (at[word] == ' ');
    }
    return 0;
}

void skip_if_left_out(const char *spec)
{
    if (!is_left_out(spec))
        return;
    printf("skipped: %s is left out (WEIR_TEST_LEAVE_OUT)\n", spec);
    fflush(stdout);
    skip();
}
