/** @file nccl_stand_in.h  A stand-in for libnccl.so.2, over host memory: what a test can ask of it and be told. */
#ifndef WEIR_TESTS_ROUTER_NCCL_STAND_IN_H
#define WEIR_TESTS_ROUTER_NCCL_STAND_IN_H

/** What groups and aborts do from now on. */
struct stand_in_ways {
    int hang;        /**< a group is never started, until its communicators are aborted */
    int abort_waits; /**< an abort comes back when this is 0 again */
    int fail;        /**< what a group is started with, an ncclResult_t */
};

/** What happened since it was loaded. */
struct stand_in_report {
    int groups;           /**< ended by a caller */
    int aborts, destroys; /**< communicators */
    int aborts_begun;     /**< of these and those that wait */
    int blocking;         /**< communicators that were asked to be blocking */
    int used_when_gone,
        used_while;  /**< calls with a communicator that was, or while it is, aborted */
    int not_matched; /**< sends and receives without each other */
};

/** Exported by the stand-in. Any thread. */
void stand_in_set(const struct stand_in_ways *ways);
void stand_in_get(struct stand_in_report *report_out);

#endif
