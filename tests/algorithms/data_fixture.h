/** @file data_fixture.h  Where the real graphs with recorded answers are. */
#ifndef WEIR_TESTS_ALGORITHMS_DATA_FIXTURE_H
#define WEIR_TESTS_ALGORITHMS_DATA_FIXTURE_H

#include "tests/algorithms/graph_fixture.h"

#include <jansson.h>

static char data[4200];

static inline int is_data(const char *path)
{
    char answers[4300];
    snprintf(answers, sizeof answers, "%s/ANSWERS.json", path);
    return access(answers, R_OK) == 0;
}

/* Beside the repository: looked for from the working folder and upwards from this program. */
static inline int find_data(void)
{
    const char *named = getenv("WEIR_DATA");
    char self[4096];
    if (named && *named) {
        snprintf(data, sizeof data, "%s", named);
        return is_data(data);
    }
    strcpy(data, "../shared/data");
    if (is_data(data))
        return 1;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    for (char *slash; (slash = strrchr(self, '/'));) {
        *slash = '\0';
        snprintf(data, sizeof data, "%s/shared/data", self);
        if (is_data(data))
            return 1;
    }
    return 0;
}

/* Before anything is opened that would be left behind. */
static inline void data_or_skip(void)
{
    if (find_data())
        return;
    print_message("no folder of graphs: set WEIR_DATA\n");
    skip();
}

/* To be freed by json_decref(); after data_or_skip(). */
static inline json_t *open_answers(void)
{
    char path[4300];
    json_error_t error;
    snprintf(path, sizeof path, "%s/ANSWERS.json", data);
    json_t *root = json_load_file(path, 0, &error);
    assert_non_null(root);
    return root;
}

#endif
