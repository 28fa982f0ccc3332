/* What devices share: the words in the coordinator's memory, the commands, the lanes. */

#define DONE 255 /* the epoch that says it is over */
#ifdef BULK
#define bulk true
#else
#define bulk false
#endif

/* ---- status words of each device, in the coordinator's memory ------------------------------------ */

mtype = { PRODUCED, CONSUMED, REST, TURN };
byte turn[N]; /* odd: the device has something to do */
byte said_produced[N], said_consumed[N], said_deferred[N], said_far_min[N], said_epoch[N];
bool changed = false; /* a turn arrived since the coordinator last began to look */

/* Words on their way, and the value; of REST epoch, deferred and far_min. */
#define POSTED_MAX 6
chan posted[N] = [POSTED_MAX] of { mtype, byte, byte, byte };
/* The odd turn, when nothing orders it before the fields that follow; 0: none. Other words of the device
 * may overtake it, but no release and no later turn. */
#ifdef ODD_AFTER_FIELDS
byte late[N];
#define LATE(i) late[i]
#else
#define LATE(i) 0
#endif
/* What device i releases is not seen before all that it wrote until then has arrived. */
#define ALL_ARRIVED(i) (empty(posted[i]) && LATE(i) == 0)

inline post_odd(i)
{
#ifdef ODD_AFTER_FIELDS
    if
    :: empty(posted[i]) -> late[i] = last_turn[i]
    :: nempty(posted[i]) -> posted[i]!TURN, last_turn[i], 0, 0
    fi
#else
    posted[i]!TURN, last_turn[i], 0, 0
#endif
}

inline post_report(i, least)
{
    posted[i]!PRODUCED, produced[i], 0, 0;
    posted[i]!CONSUMED, consumed[i], 0, 0;
    posted[i]!REST, epoch[i], deferred[i], least;
    posted[i]!TURN, last_turn[i], 0, 0
}

#ifdef COARSE
#define THEN ;
#else
#define THEN ; x = 0 } :: atomic {
#endif

/* Posted words arrive, in order. */
proctype wire(byte i)
{
    byte x, y, z;
end:
    do
    :: atomic {
        posted[i]?PRODUCED, x, _, _ -> said_produced[i] = x THEN
        posted[i]?CONSUMED, x, _, _ -> said_consumed[i] = x THEN
        posted[i]?REST, x, y, z ->
        said_epoch[i] = x; said_deferred[i] = y; said_far_min[i] = z;
        x = 0; y = 0; z = 0 }
    :: atomic {
        LATE(i) == 0 && posted[i]?[TURN, _, _, _] ->
        posted[i]?TURN, x, _, _;
        turn[i] = x; changed = true;
        x = 0 }
#ifdef ODD_AFTER_FIELDS
    :: atomic { late[i] != 0 -> turn[i] = late[i]; late[i] = 0; changed = true }
#endif
    od
}

/* ---- commands, in each device's memory ------------------------------------------------------------ */

byte command_epoch[N];
byte command_threshold; /* one word for all: none is given before all have taken the last one */

/* ---- lanes ------------------------------------------------------------------------------------------- */

/* An item in a lane: the device it is for, its priority, and with BULK the epoch of the sender. It is
 * there when the tail was published; how late the receiver looks is the receiver's choice. */
chan lane[N * N] = [ROOM] of { byte, byte, byte };
#define LANE(from, to) lane[(from) * N + (to)]
#ifdef BULK
#define TAG(i) epoch[i]
#else
#define TAG(i) 0
#endif
#ifdef RING
#define HOP(from, to) (((from) + 1) % N)
#else
#define HOP(from, to) (to)
#endif
