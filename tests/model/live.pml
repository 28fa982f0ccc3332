/* Live kernels: a queue that many push into and pop from (worklist/engine/live_queue.h), and how a run without rounds is over
 * (worklist/engine/live.h).
 *
 * N devices with WORKERS workers each, a ring of SLOTS slots a device. Each item may make up to two, for any device, as long
 * as there are fewer than ITEMS; the first SEEDS lie in the overflow of device 0. What goes to another device is pushed into
 * its ring: channels have marks as queues have. What finds no room goes into the overflow, a set. Each access to a
 * word is a step of its own. Checked: each item is processed once; when worker 0 of device 0 says that the run is over, all
 * items that were made are processed; and every run ends. A worker that finds nothing waits until there is something; the one
 * that looks whether the run is over looks again once a count has changed. So no state comes twice, and "every run ends" is
 * "no state is stuck".
 *
 * One name for each part of the protocol that can be left out (test_model.sh has what comes of it):
 *   COUNT_LATE      an item is counted as produced after it can be seen
 *   OFF_EARLY       an item is counted as consumed before what it makes is counted
 *   PRODUCED_FIRST  what was produced is added up before what was consumed
 *   PAIRS           the difference is added up, device by device
 *   VOTES           a worker that finds nothing votes for the end and leaves, and all votes end the run
 *   NO_SWAP         a pop moves the head without looking whether it is where it was
 *   MARK_EARLY      a mark is set before the element is stored
 *   NO_WAIT         a push does not wait for the mark of its slot
 *   FREE_EARLY      a pop frees its slot before it has copied the element
 *
 * Not covered: memory orders (docs/memory-model.md), batches of several items, chunks, credits of channels. */
#ifndef N
#define N 1
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef SEEDS
#define SEEDS 1
#endif

byte head[N], tail[N], used[N]
byte mark[N * SLOTS] /* of slot s: 2 g: free for turn g; 2 g + 1: its element is there */
byte slot[N * SLOTS]
byte overflow[N] /* a bit for each item */
byte produced[N], consumed[N]
byte made = SEEDS
byte processed /* a bit for each item */
bool done
byte votes

#define AT(d, ticket)  ((d) * SLOTS + (ticket) % SLOTS)
#define TURN(ticket)   (2 * ((ticket) / SLOTS))
#define THERE(d)       (mark[AT(d, head[d])] == TURN(head[d]) + 1 || overflow[d])
#if N == 1
#define CONSUMED (consumed[0])
#elif N == 2
#define CONSUMED (consumed[0] + consumed[1])
#else
#define CONSUMED (consumed[0] + consumed[1] + consumed[2])
#endif
/* Nothing is in a queue, and nobody is at an item that may make more. */
#define ALL_PROCESSED  (processed == (1 << made) - 1 && CONSUMED == made)

inline count_new()
{
    produced[d]++
}

inline push() /* item `child` of device d, into the ring of device `to` */
{
#ifndef COUNT_LATE
    count_new()
#endif
    if
    :: atomic { used[to] < SLOTS -> used[to]++ }
        atomic { ticket = tail[to]; tail[to]++ }
#ifndef NO_WAIT
        mark[AT(to, ticket)] == TURN(ticket)
#endif
#ifdef MARK_EARLY
        mark[AT(to, ticket)] = TURN(ticket) + 1
        slot[AT(to, ticket)] = child
#else
        slot[AT(to, ticket)] = child
        mark[AT(to, ticket)] = TURN(ticket) + 1
#endif
    :: atomic { used[to] >= SLOTS -> overflow[to] = overflow[to] | (1 << child) }
    fi
#ifdef COUNT_LATE
    count_new()
#endif
    ticket = 0
}

inline process() /* `item` */
{
    atomic {
        assert(!(processed & (1 << item)))
        processed = processed | (1 << item)
    }
#ifdef OFF_EARLY
    consumed[d]++
#endif
    kids = 0
    do
    :: kids < 2 && made < ITEMS -> atomic {
            child = made
            made++
            kids++
            if
            :: to = 0
            :: N > 1 -> to = N - 1
            :: N > 2 -> to = 1
            fi
        }
        push()
    :: true -> break
    od
    child = 0
    to = 0
    kids = 0
#ifndef OFF_EARLY
    consumed[d]++
#endif
}

inline pop() /* an item of device d, if there is one */
{
    won = false
    ticket = head[d]
    if
    :: mark[AT(d, ticket)] == TURN(ticket) + 1 ->
#ifdef NO_SWAP
        head[d] = ticket + 1
        won = true
#else
        atomic {
            if
            :: head[d] == ticket -> head[d]++; won = true
            :: else
            fi
        }
#endif
        if
        :: won ->
#ifdef FREE_EARLY
            mark[AT(d, ticket)] = TURN(ticket) + 2
            used[d]--
            item = slot[AT(d, ticket)]
#else
            item = slot[AT(d, ticket)]
            mark[AT(d, ticket)] = TURN(ticket) + 2
            used[d]--
#endif
        :: else
        fi
    :: atomic { overflow[d] ->
            item = 0
            do
            :: overflow[d] & (1 << item) -> break
            :: else -> item++
            od
            overflow[d] = overflow[d] & ~(1 << item)
            won = true
        }
    :: mark[AT(d, ticket)] != TURN(ticket) + 1 && !overflow[d]
    fi
    ticket = 0
}

/* Two looks, one word after the other. `sum` is what was consumed less what was produced, and 100. */
inline look()
{
    sum = 100 - SEEDS
    i = 0
#ifdef PAIRS
    do
    :: i < N -> sum = sum + consumed[i]; sum = sum - produced[i]; i++
    :: else -> break
    od
#else
#ifdef PRODUCED_FIRST
    do
    :: i < N -> sum = sum - produced[i]; i++
    :: else -> break
    od
    i = 0
    do
    :: i < N -> sum = sum + consumed[i]; i++
    :: else -> break
    od
#else
    do
    :: i < N -> sum = sum + consumed[i]; i++
    :: else -> break
    od
    i = 0
    do
    :: i < N -> sum = sum - produced[i]; i++
    :: else -> break
    od
#endif
#endif
    i = 0
    if
    :: sum == 100 ->
        assert(ALL_PROCESSED)
        done = true
    :: else
    fi
    sum = 0
}

/* What all counts add up to: they only grow, so it is another number if one has changed. */
#if N == 1
#define COUNTS (produced[0] + CONSUMED)
#elif N == 2
#define COUNTS (produced[0] + produced[1] + CONSUMED)
#else
#define COUNTS (produced[0] + produced[1] + produced[2] + CONSUMED)
#endif

proctype worker(byte d; bool coordinates)
{
    byte item, child, to, kids, ticket, sum, i, seen = 255
    bool won
    do
    :: done -> break
    :: THERE(d) -> pop()
        if
        :: won -> process()
        :: else
        fi
        item = 0
        won = false
#ifdef VOTES
    :: !THERE(d) -> atomic {
            votes++
            if
            :: votes == N * WORKERS -> assert(ALL_PROCESSED); done = true
            :: else
            fi
        }
        done
#else
    :: coordinates && !done && !THERE(d) && seen != COUNTS -> seen = COUNTS
        look()
#endif
    od
}

init {
    byte i, w
    atomic {
        overflow[0] = (1 << SEEDS) - 1
        do
        :: i < N ->
            w = 0
            do
            :: w < WORKERS -> run worker(i, i == 0 && w == 0); w++
            :: else -> break
            od
            i++
        :: else -> break
        od
    }
}
