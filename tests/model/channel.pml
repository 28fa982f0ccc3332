/* One ring of a channel (router/channel.h, docs/memory-model.md "Channels").
 *
 * A sender puts up to PACKETS packets of 0 to WORDS words, then closes; a receiver takes them, holds some, and releases
 * them in order. Every word of a packet is the packet's ordinal, which no program knows: what is read must be that of the
 * packet that is expected. Stores are posted: they arrive later, in any order; but a release waits until what its end
 * stored before has arrived. A read happens at once; where an acquire or a release is left out, it happens too early or too late.
 *
 * Ordinals only grow, so no state comes twice: "each call returns" is "no state is stuck". A look that finds nothing is
 * the wait that it belongs to.
 *
 * Sizes are given with -D, and one name for each choice:
 *   SLOTS RANGE PACKETS WORDS   slots; numbers count modulo RANGE, a multiple of SLOTS and more; packets; words of one
 *   HOLD LOT                    most that is taken and not released; packets that the sender is told of at once
 *   WOVEN     each word has its packet's number; else a mark is released behind the packet
 *   CLOSES    the receiver may close at any time
 *   STOPS     each end may go away at any time, in a packet too; then, or before, the program stops the channel
 * and one for each part of the protocol that can be left out (test_model.sh has what comes of it):
 *   MARK_RELAXED MARK_EARLY CREDIT_RELAXED CREDIT_LATE NO_CREDIT NO_WIPE ZERO_IS_NUMBER NEVER_ZERO NO_ROOM_MADE FORGETS
 *   NO_CLOSED NO_STOP_ROOM NO_STOP_PACKET NO_STOP_WORD */
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef RANGE
#define RANGE 4
#endif
#ifndef PACKETS
#define PACKETS 6
#endif
#ifndef WORDS
#define WORDS 1
#endif
#ifndef HOLD
#define HOLD SLOTS
#endif
#ifndef LOT
#define LOT 1
#endif
#define NO_MORE 255

#ifdef WOVEN
#define woven true
#else
#define woven false
#endif
#ifdef CLOSES
#define closes true
#else
#define closes false
#endif
#ifdef STOPS
#define stops true
#else
#define stops false
#endif

/* ---- what both ends share ------------------------------------------------------------------------ */

/* Of each slot the head (the mark of a plain packet, word 0 of a woven one: number and words of the packet), then
 * the words; of a plain packet these have no number. */
#define CELLS (SLOTS * (1 + WORDS))
#define HEAD(packet) (((packet) % SLOTS) * (1 + WORDS))
byte number[CELLS], value[CELLS];
byte credit;
bool closed; /* the credit says so */
bool stop;

/* Stores on their way: the sender's into slots, the receiver's that wipe a word, its credit. */
bool posted[CELLS], wiping[CELLS], told;
byte posted_number[CELLS], posted_value[CELLS], told_credit;
bool told_closed;
byte senders, receivers; /* how many into slots */

byte sent; /* ordinal of the last packet that was begun */

/* Whatever is posted arrives. */
active proctype wire()
{
    byte c;
end:
    do
    :: atomic { senders + receivers > 0 ->
        do
        :: c < CELLS && posted[c] ->
            number[c] = posted_number[c]; value[c] = posted_value[c];
            posted[c] = false; posted_number[c] = 0; posted_value[c] = 0;
            senders--; break
        :: c < CELLS && wiping[c] ->
            number[c] = 0; value[c] = 0;
            wiping[c] = false;
            receivers--; break
        :: c < CELLS -> c++
        :: c == CELLS -> break /* none this time */
        od;
        c = 0 }
    :: atomic { told ->
        credit = told_credit; closed = told_closed;
        told = false; told_credit = 0; told_closed = false }
    od
}

#define POST(cell, number_, value_)                                                               \
    assert(!posted[cell]);                                                                        \
    posted[cell] = true; posted_number[cell] = number_; posted_value[cell] = value_;              \
    senders++

active proctype program()
{
end:
    stops -> stop = true
}

/* ---- numbers ------------------------------------------------------------------------------------- */

#define SUM(a, b) (((a) + (b)) % RANGE)
#define LESS(a, b) (((a) + RANGE - (b)) % RANGE)

/* Wiped words have number 0, so that no word of a packet may. A head is not wiped: it keeps the number of the packet
 * before, from which the next one's in its slot differs. */
#define NOT_ZERO(n) ((n) == 0 -> 1 : (n))
#ifdef ZERO_IS_NUMBER
#define OF_WORDS(packet) SUM(packet, 1)
#else
#define OF_WORDS(packet) NOT_ZERO(SUM(packet, 1))
#endif
#ifdef NEVER_ZERO
#define OF_HEAD(packet) NOT_ZERO(SUM(packet, 1))
#else
#define OF_HEAD(packet) SUM(packet, 1)
#endif

/* ---- sender -------------------------------------------------------------------------------------- */

#ifdef MARK_RELAXED
#define MAY_MARK (!posted[HEAD(next)]) /* stores into one word arrive in order */
#else
#define MAY_MARK (senders == 0)
#endif
#ifdef NO_CREDIT /* there is always room for one */
#define LIMIT SUM(next, 1)
#define ROOM  (senders == 0)
#else
#define LIMIT SUM(credit, SLOTS)
#define ROOM  (LIMIT != next)
#endif
#ifdef NO_CLOSED
#define IS_CLOSED false
#else
#define IS_CLOSED closed
#endif
#ifdef NO_STOP_ROOM
#define STOPS_ROOM false
#else
#define STOPS_ROOM stop
#endif

active proctype sender()
{
    byte next, limit; /* room is known for packets below it */
    byte words, w;
    do
    :: atomic { true ->
        if
        :: sent < PACKETS -> select(words : 0 .. WORDS)
        :: words = NO_MORE
        :: stops -> break
        fi }
    /* Wait for room. Another kernel that goes on where this one was knows of none. */
       if
       :: atomic { limit != next }
       :: limit = next;
          if
          :: atomic { ROOM && !IS_CLOSED -> limit = LIMIT }
          :: atomic { IS_CLOSED -> break }
          :: atomic { STOPS_ROOM -> break }
          fi
       fi;
       /* Store the packet. The words of a woven one, its head with them, in any order. */
       atomic {
           sent++;
           if
           :: woven -> POST(HEAD(next), OF_HEAD(next), words)
           :: else
           fi;
           w = 0;
           do
           :: w < words && words != NO_MORE ->
               w++; POST(HEAD(next) + w, (woven -> OF_WORDS(next) : 0), sent)
           :: stops && woven && w < words && words != NO_MORE -> goto over
           :: else -> break
           od;
           w = 0 }
       if
       :: woven
       :: atomic { !woven && MAY_MARK -> POST(HEAD(next), OF_HEAD(next), words) }
       fi;
       atomic {
           next = SUM(next, 1);
           if
           :: words == NO_MORE -> break
           :: else -> words = 0
           fi }
    od;
over:
    skip
}

/* ---- receiver ------------------------------------------------------------------------------------ */

#ifdef CREDIT_RELAXED
#define MAY_TELL (!told)
#else
#define MAY_TELL (!told && receivers == 0)
#endif
#ifdef NO_STOP_PACKET
#define STOPS_PACKET false
#else
#define STOPS_PACKET stop
#endif
#ifdef NO_STOP_WORD
#define STOPS_WORD false
#else
#define STOPS_WORD stop
#endif
#define ARRIVED (number[HEAD(next)] == OF_HEAD(next))
#define HELD LESS(next, released)

inline publish()
{
    atomic { MAY_TELL -> published = released; told = true; told_credit = released }
}

/* Words of a plain packet are read where they lie. */
#define CHECK(packet, ordinal)                                                                    \
    w = 0;                                                                                        \
    do                                                                                            \
    :: w < value[HEAD(packet)] -> w++; assert(value[HEAD(packet) + w] == (ordinal))               \
    :: else -> break                                                                              \
    od;                                                                                           \
    w = 0

#ifdef NO_WIPE
#define WIPE(cell)
#else
#define WIPE(cell) wiping[cell] = true; receivers++
#endif
/* A word is read when it is there; what this end wiped it finds wiped. */
#define WORD(w_)                                                                                  \
    :: atomic { !got[w_] && w_ < value[HEAD(next)] && !wiping[HEAD(next) + 1 + w_] &&             \
                number[HEAD(next) + 1 + w_] == OF_WORDS(next) ->                                  \
                assert(value[HEAD(next) + 1 + w_] == taken + 1);                                  \
                got[w_] = true; left--; WIPE(HEAD(next) + 1 + w_) }

active proctype receiver()
{
    byte next, released, published;
    byte taken; /* ordinal of the last one */
    byte w, left;
    bool got[WORDS + 1];
#ifdef MARK_EARLY
    byte early;
#endif
    do
    :: HELD < HOLD -> /* take */
#ifdef MARK_EARLY
        early = value[HEAD(next) + 1];
#endif
        if
        :: atomic { ARRIVED }
        :: atomic { !ARRIVED ->
#ifndef NO_ROOM_MADE
            if
            :: LESS(next, published) == SLOTS && published != released -> publish()
            :: else
            fi
#endif
            }
            if
            :: atomic { ARRIVED }
            :: atomic { STOPS_PACKET -> break }
            fi
        fi;
        if
        :: atomic { value[HEAD(next)] == NO_MORE -> assert(taken + 1 == sent); break }
        :: atomic { value[HEAD(next)] != NO_MORE && !woven ->
#ifdef MARK_EARLY
            assert(value[HEAD(next)] == 0 || early == taken + 1);
#else
            CHECK(next, taken + 1)
#endif
            }
        :: atomic { value[HEAD(next)] != NO_MORE && woven -> left = value[HEAD(next)] }
            do
            WORD(0)
#if WORDS > 1
            WORD(1)
#endif
            :: atomic { left == 0 -> got[0] = false; got[WORDS / 2] = false; break }
            :: atomic { left > 0 && STOPS_WORD -> goto over }
            od
        fi;
        atomic { next = SUM(next, 1); taken++ }
    :: HELD > 0 -> /* release */
#ifndef CREDIT_LATE
        atomic {
            if
            :: woven
            :: else -> CHECK(released, taken + 1 - HELD)
            fi }
#endif
        released = SUM(released, 1);
        if
        :: LESS(released, published) >= LOT -> publish()
        :: else
        fi;
#ifdef CREDIT_LATE /* reads that come behind the release */
        atomic {
            if
            :: woven
            :: else -> CHECK(LESS(released, 1), taken - HELD)
            fi }
#endif
#ifdef FORGETS
    :: atomic { published != released -> published = released } /* another kernel goes on */
#endif
    :: closes ->
        atomic { MAY_TELL -> told = true; told_credit = released; told_closed = true };
        break
    :: stops -> break
    od;
over:
    skip
}
