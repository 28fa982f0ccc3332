/** @file replace.h  Files that appear complete or not at all. Not installed. */
#ifndef WEIR_ALGORITHMS_GRAPH_REPLACE_H
#define WEIR_ALGORITHMS_GRAPH_REPLACE_H

/** A file being written: under another name beside its target, or, where the target is a pipe, a
 *  terminal or a device, in place. */
typedef struct weir__replace {
    int descriptor;  /**< to write to; whoever opened it closes it before the commit */
    char *target;    /**< the path without symbolic links; NULL when written in place */
    char *temporary; /**< the other name; NULL when written in place */
} weir__replace;

/** Whether a path leads to something that is written as it is: a pipe or device, or standard output, whatever that is. */
int weir__replace_streams(const char *path);
/** Open @p path for writing. A target that exists is left alone until the commit, and keeps its
 *  permissions; a link leads to what it stands for, there or not. @return 0, or an errno value; then there is nothing to drop. */
int weir__replace_open(weir__replace *file, const char *path);
/** Give the file its name. @return 0, or an errno value; then drop it. */
int weir__replace_commit(weir__replace *file);
/** Remove what was not committed and free the names; after a commit it frees them only. */
void weir__replace_drop(weir__replace *file);
/** Remove the temporaries of all files that are open: the last act of a program that a signal ends.
 *  Nothing can be opened or committed after it. Any thread. */
void weir__replace_remove_all(void);

#endif
