/* What a device does between rounds. All its threads but one wait then, so its counters agree. */

byte left = ITEMS; /* items that may still be made, anywhere */
byte near[N];      /* items to process */
byte far[N * LEVELS];
byte held[N * N * LEVELS]; /* made here or passing through, but not in a lane yet */
byte holding[N];           /* how many */
byte produced[N], consumed[N], deferred[N];
byte threshold[N]; /* priorities below it are near */
byte epoch[N];
bool idle[N];      /* it has reported so */
byte last_turn[N]; /* that it has written */
#define FAR(at, prio) far[(at) * LEVELS + (prio)]
#define HELD(at, to, prio) held[((at) * N + (to)) * LEVELS + (prio)]

/* ---- items ---------------------------------------------------------------------------------------- */

inline keep(i, prio)
{
    if
    :: !bulk && prio < threshold[i] -> near[i]++
    :: else -> FAR(i, prio)++; deferred[i]++
    fi
}

inline keep_or_hold(i, to_, prio)
{
    if
    :: to_ == i -> keep(i, prio)
    :: else -> HELD(i, to_, prio)++; holding[i]++
    fi
}

/* A round of one item: rounds of more are the same with the rest of the world looking away. */
inline process(i)
{
    near[i]--; consumed[i]++; n = 0;
    do
    :: n < KIDS && left > 0 ->
        left--; produced[i]++; n++;
        select(to : 0 .. N - 1);
        select(p : 0 .. LEVELS - 1);
        keep_or_hold(i, to, p)
    :: break
    od;
    n = 0; to = 0; p = 0
}

/* ---- status --------------------------------------------------------------------------------------- */

/* Device 0 looks at its own counters when it coordinates; its words need no modelling. */
inline leave_idle(i)
{
    if
    :: idle[i] ->
        idle[i] = false;
        last_turn[i]++;
#ifndef NO_ODD
        if
        :: i > 0 -> post_odd(i)
        :: else
        fi
#endif
    :: else
    fi
}

inline find_far_min(i)
{
    m = 0;
    do
    :: m < LEVELS && FAR(i, m) == 0 -> m++
    :: else -> break
    od
}

#ifdef HOLDING_IS_IDLE
#define NOTHING_TO_DO(i) (near[i] == 0)
#else
#define NOTHING_TO_DO(i) (near[i] == 0 && holding[i] == 0)
#endif

inline report(i)
{
    idle[i] = true;
    last_turn[i]++;
    if
    :: i > 0 -> find_far_min(i); post_report(i, m); m = 0
    :: else -> changed = true
    fi
}

/* ---- lanes and commands ----------------------------------------------------------------------------- */

/* With BULK all that arrives is for the next generation. So a device that has not taken the command yet
 * must leave alone what was sent by one that has. */
#if defined(COMMAND_FIRST)
#define MAY_TAKE(i, from) (nempty(LANE(from, i)) && (i == 0 || command_epoch[i] == epoch[i]))
#elif defined(BULK) && !defined(NO_TAG)
#define MAY_TAKE(i, from) (LANE(from, i)?[_, _, eval(epoch[i])])
#else
#define MAY_TAKE(i, from) nempty(LANE(from, i))
#endif

inline take_in(i, from)
{
    leave_idle(i);
    LANE(from, i)?to, p, tag;
    assert(!bulk || tag == epoch[i]); /* else generations mix */
    keep_or_hold(i, to, p);
    to = 0; p = 0; tag = 0
}

#ifdef ODD_UNORDERED
#define MAY_RELEASE(i) true
#else
#define MAY_RELEASE(i) ALL_ARRIVED(i)
#endif

inline publish(i, to_, prio)
{
    HELD(i, to_, prio)--; holding[i]--;
    LANE(i, HOP(i, to_))!to_, prio, TAG(i)
}

inline take_epoch(i, new_epoch)
{
    epoch[i] = new_epoch;
    threshold[i] = command_threshold;
    m = 0;
    do
    :: m < LEVELS && m < threshold[i] ->
        near[i] = near[i] + FAR(i, m);
        deferred[i] = deferred[i] - FAR(i, m);
        FAR(i, m) = 0;
        m++
    :: else -> break
    od;
    m = 0
}

inline take_command(i)
{
#if defined(NO_ODD_FOR_COMMAND)
    if
    :: idle[i] -> idle[i] = false; last_turn[i]++
    :: else
    fi;
#elif defined(NO_NEW_REPORT)
    if
    :: deferred[i] > 0 -> leave_idle(i)
    :: else
    fi;
#else
    leave_idle(i);
#endif
    take_epoch(i, command_epoch[i])
}

/* ---- in any order ------------------------------------------------------------------------------------- */

/* A device that holds much processes nothing, but it takes in: here, as soon as it holds anything. */
#if defined(CHOKED)
#define MAY_PROCESS(i) (near[i] > 0 && holding[i] == 0)
#else
#define MAY_PROCESS(i) (near[i] > 0)
#endif
#if defined(CHOKED) && defined(DEAF)
#define LISTENS(i) (holding[i] == 0)
#else
#define LISTENS(i) true
#endif

#define FROM(i, from) :: atomic { i != from && LISTENS(i) && MAY_TAKE(i, from) -> take_in(i, from) }
#define SEND(i, to_, prio)                                                                   \
    :: atomic { HELD(i, to_, prio) > 0 && nfull(LANE(i, HOP(i, to_))) && MAY_RELEASE(i) ->   \
                publish(i, to_, prio) }
#if LEVELS == 1
#define SEND_TO(i, to_) SEND(i, to_, 0)
#elif LEVELS == 2
#define SEND_TO(i, to_) SEND(i, to_, 0) SEND(i, to_, 1)
#else
#define SEND_TO(i, to_) SEND(i, to_, 0) SEND(i, to_, 1) SEND(i, to_, 2)
#endif
#if N == 2
#define EACH_LANE(i) FROM(i, 0) FROM(i, 1) SEND_TO(i, 0) SEND_TO(i, 1)
#else
#define EACH_LANE(i) FROM(i, 0) FROM(i, 1) FROM(i, 2) SEND_TO(i, 0) SEND_TO(i, 1) SEND_TO(i, 2)
#endif
#define ROUNDS(i)                                                                            \
    :: atomic { MAY_PROCESS(i) -> process(i) }                                               \
    EACH_LANE(i)                                                                             \
    :: atomic { !idle[i] && NOTHING_TO_DO(i) && len(posted[i]) <= POSTED_MAX - 5 -> report(i) }

proctype device(byte i)
{
    byte n, to, p, tag, m;
    do
    ROUNDS(i)
    :: atomic {
        command_epoch[i] != epoch[i] && command_epoch[i] != DONE && nfull(posted[i]) ->
        take_command(i) }
    :: command_epoch[i] == DONE -> break
    od
}
