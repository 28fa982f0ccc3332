/* How devices agree that a run is over, or that the threshold may rise (docs/termination.md).
 *
 * N devices; device 0 coordinates too. Items are made and consumed by chance, ITEMS of them at most.
 * What a device writes into the coordinator's memory is posted: it arrives later, word by word.
 *
 * No state comes twice: items are finite, and the coordinator looks again only after a turn arrived.
 * So "the run always ends" means here that no state but the end is stuck. With POLLING the coordinator
 * looks whenever it has nothing to do; then it means that no fair run is a cycle.
 *
 * Sizes are given with -D, and one name for each choice:
 *   N ITEMS SEEDS KIDS ROOM LEVELS   devices; items; those at the start; the most one makes; slots of a
 *                                    lane; priorities (1 with BULK)
 *   BULK      generation by generation, not by priority
 *   RING      items travel by the next device, not straight to their own
 *   COARSE    the fields of a report arrive together: smaller, for three devices
 *   POLLING   see above; two devices, not with BULK
 *   CHOKED    a device that holds items processes nothing until they are sent
 * and one for each part of the protocol that can be left out (test_model.sh has what comes of it):
 *   NO_ODD NO_ODD_FOR_COMMAND ODD_UNORDERED ODD_AFTER_FIELDS NO_SECOND_PASS NO_EPOCH NO_NEW_REPORT
 *   NO_TAG COMMAND_FIRST HOLDING_IS_IDLE DEAF (CHOKED: nor does it take anything in) */
#ifndef N
#define N 2
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef SEEDS
#define SEEDS 1
#endif
#ifndef KIDS
#define KIDS 2
#endif
#ifndef ROOM
#define ROOM 1
#endif
#ifndef LEVELS
#define LEVELS 2
#endif

#include "words.pml"
#include "device.pml"

/* ---- what must hold when a command is given --------------------------------------------------- */

/* Nothing is near, held, in a lane, or deferred though the present threshold lets it through. */
inline assert_quiet()
{
    d_step {
        a = 0;
        do
        :: a < N ->
            assert(near[a] == 0);
            assert(holding[a] == 0);
            b = 0;
            do
            :: b < N -> assert(empty(LANE(a, b))); b++
            :: else -> break
            od;
            b = 0;
            do
            :: b < LEVELS && b < threshold[0] && !bulk -> assert(FAR(a, b) == 0); b++
            :: else -> break
            od;
            assert(epoch[a] == epoch[0]); /* it has taken the last command */
            a++
        :: else -> break
        od;
        a = 0; b = 0
    }
}

/* Nothing is deferred either, and nothing was lost. */
inline assert_over()
{
    d_step {
        a = 0; b = 0;
        do
        :: a < N -> assert(deferred[a] == 0); b = b + produced[a] - consumed[a]; a++
        :: else -> break
        od;
        assert(b == 0);
        a = 0; b = 0
    }
}

/* ---- device 0 --------------------------------------------------------------------------------- */

#ifdef POLLING
#define MAY_LOOK empty(LANE(1, 0))
#else
#define MAY_LOOK changed
#endif

inline add_rest(j)
{
    sum = sum - said_deferred[j];
    all_deferred = all_deferred + said_deferred[j];
    if
    :: said_far_min[j] < lowest -> lowest = said_far_min[j]
    :: else
    fi
}

proctype coordinator()
{
    byte n, to, p, tag, m, j, a, b, all_deferred, lowest;
    byte seen[N];
    short sum;
    do
    ROUNDS(0)
    :: atomic {
           idle[0] && MAY_LOOK ->
           changed = false;
           find_far_min(0);
           lowest = m; m = 0;
           sum = produced[0] - consumed[0] - deferred[0];
           all_deferred = deferred[0];
           j = 1 }
       do /* the first pass */
       :: j < N ->
           atomic {
               seen[j] = turn[j];
               if
               :: seen[j] % 2 == 1 -> goto give_up
               :: else
               fi }
#ifndef COARSE
           sum = sum + said_produced[j];
           sum = sum - said_consumed[j];
#endif
           atomic {
#ifdef COARSE
               sum = sum + said_produced[j] - said_consumed[j];
#endif
#ifndef NO_EPOCH
               if
               :: said_epoch[j] != epoch[0] -> goto give_up
               :: else
               fi;
#endif
               add_rest(j);
               j++ }
       :: else -> break
       od;
       if
       :: sum != 0 -> goto give_up
       :: else
       fi;
#ifndef NO_SECOND_PASS
       j = 1;
       do /* the second pass */
       :: j < N ->
           atomic {
               if
               :: seen[j] != turn[j] -> goto give_up
               :: else
               fi;
               j++ }
       :: else -> break
       od;
#endif
       if
       :: all_deferred == 0 ->
           atomic { assert_quiet(); assert_over(); j = 1 }
           do
           :: j < N -> atomic { command_epoch[j] = DONE; j++ }
           :: else -> break
           od;
           goto over
       :: else ->
           atomic {
               assert_quiet();
               assert(lowest < LEVELS);
               command_threshold = lowest + 1;
               j = 1 }
           do /* the devices learn of it one by one */
           :: j < N -> atomic { command_epoch[j] = epoch[0] + 1; j++ }
           :: else -> break
           od;
           atomic { leave_idle(0); take_epoch(0, epoch[0] + 1) }
       fi;
give_up:
       atomic {
           sum = 0; all_deferred = 0; lowest = 0; j = 0;
           do
           :: j < N -> seen[j] = 0; j++
           :: else -> break
           od;
           j = 0 }
    od;
over:
    skip
}

init
{
    byte i, s, at;
    atomic {
        do
        :: i < N -> threshold[i] = 1; last_turn[i] = 1; turn[i] = 1; i++
        :: else -> break
        od;
        do
        :: s < SEEDS -> select(at : 0 .. N - 1); near[at]++; produced[at]++; left--; s++
        :: else -> break
        od;
        run coordinator();
        i = 1;
        do
        :: i < N -> run device(i); run wire(i); i++
        :: else -> break
        od;
        i = 0; s = 0; at = 0
    }
}
