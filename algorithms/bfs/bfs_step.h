/** @file bfs_step.h  Breadth-first search in step: what the kernel of every device is given, and what its
 * parts share.
 *
 * One body a device, level by level (worklist/steps.h). A level goes *top-down*, from the vertices found last
 * along their out-arcs, or *bottom-up*, from each vertex not yet found along its in-arcs until one leads to a
 * vertex that is found (Beamer, Asanovic, Patterson: "Direction-optimizing breadth-first search", SC 2012),
 * whichever looks at fewer arcs.
 *
 * Every device has a bitmap over all numbers (algorithms/rows.h) of the vertices that are found. For its own
 * vertices the bitmap is exact. For vertices of other devices it says, while levels go top-down, which of them this
 * device has sent to their owners; a level bottom-up makes it exact for them too. No bitmap of the last level is
 * needed: a vertex that is not found has found neighbours on the last level alone, or an earlier level would have
 * found it. The bitmap that a level bottom-up reads must not change meanwhile, so there are two, used in turn.
 *
 * The queue is one array that only grows, since a vertex is found once; a level is a stretch of it. An entry is a
 * *piece* of a row: at most BFS_PIECE arcs, and where they begin. The lane that puts an entry there reads the row's
 * offsets while its slot in the queue is being reserved, so the level that takes the entry need not wait for them. */
#ifndef WEIR_ALGORITHMS_BFS_BFS_STEP_H
#define WEIR_ALGORITHMS_BFS_BFS_STEP_H

#include "algorithms/common/steal_step.h"
#include "algorithms/rows.h"
#include "worklist/steps.h"

#include <assert.h>

/* A kernel of its own shares out levels (bfs_steal_body.h), and another one does so with copies of hubs' rows (bfs_hubs_body.h), so that the others need
 * not pay for it in registers. */
#ifndef BFS_STEALS
#define BFS_STEALS 0
#endif
#ifndef BFS_HUBS
#define BFS_HUBS 0
#endif

/* So has one whose finds may go as bitmaps (bfs_wire_body.h). */
#ifndef BFS_WIRES
#define BFS_WIRES 0
#endif

#define BFS_NONE  0xFFFFFFFFu
#define BFS_HERE  0xFFu /* bfs_step_args.finder: the owner found it, or nobody did */
#define BFS_PIECE 256u  /* arcs of an entry of the queue */
/* Sum 0 of a barrier counts entries in its low 32 bits, and above them how often a row took several entries. The
 * upper count is modulo 2^16 (steps/words.h). It may go round, since a level with that many entries is wide anyway. */
#define BFS_SPLIT (UINT64_C(1) << 32)
/* Entries that a worker of one lane keeps before it puts them into the queue. */
#define BFS_KEPT (WEIR_LANES == 1u ? 256u : 1u)
/* A level of so many entries is wide: its arcs are counted, and a direction is chosen for the next one. */
#define BFS_WIDE 2048u
/* The same on one GPU where rows are short: up to there a narrow level takes less time (bfs_step_narrow.h). */
#define BFS_WIDE_SHORT (1u << 14)

/* How many looks bottom-up may take the place of one top-down, where all devices are GPUs and elsewhere (bfs_step_args.gain). Looks
 * bottom-up stream through what lies side by side, and most are at the first arcs of rows. Looks top-down are random atomics, and
 * what they find is written at random: on an H200 an arc takes 18 to 35 ps top-down, and a row 13 to 30 ps bottom-up, where
 * bfs_up_cost() says 4 to 30 looks, of which rows that begin with their hubs take a sixth. On a core an atomic is nearer. */
#define BFS_UP_GAIN      8u
#define BFS_UP_GAIN_HOST 2u

#define BFS_AT_ONCE 4u /* arcs, or items, that a lane has under way in a wide level */

/* Rows are short where there are fewer arcs than this for each vertex. */
#define BFS_SHORT 8u
/* A level for which fewer entries and items than this were put and sent may be an eager one: in a larger one a barrier more is
 * little, and it may be the one from which the search goes bottom-up. */
#define BFS_EAGER_MOST (1u << 18)

/* bfs_walk.enough, of a level of which not all is in the queue: the next one has to go bottom-up. */
#define BFS_UNLISTED 0xFFu
#define BFS_THREADS  512                                                /* of a block on GPUs */
#define BFS_WARPS    (WEIR_LANES == 1u ? 1u : BFS_THREADS / WEIR_LANES) /* of a block */
/* Kinds of phases that are reported: top-down, bottom-up, switching between them, and sharing out and by one device, or folding. */
#define BFS_KINDS (BFS_STEALS ? 5u : BFS_WIRES ? 4u : 3u)

/** Entry of the queue: arcs first to first + count - 1, those of a row or a part of them. */
struct bfs_piece {
    uint64_t first;
    uint32_t row;
    uint32_t count;
};

/** What weir_steps_page.result holds behind a run, sums over the blocks. */
enum bfs_result {
    BFS_RESULT_LEVELS = 0, /* steps that found something, and the one that did not */
    BFS_RESULT_PIECES,     /* entries taken from the queue */
    BFS_RESULT_DOWN_ARCS,  /* looked at top-down */
    BFS_RESULT_UP_ARCS,    /* looked at bottom-up */
    BFS_RESULT_UP_ROWS,    /* rows looked at bottom-up */
    BFS_RESULT_UP_FIRSTS,  /* of these, found by their first arc */
    BFS_RESULT_DOWN_STEPS,
    BFS_RESULT_UP_STEPS,
    BFS_RESULT_SWITCH_STEPS, /* from one way to the other */
    BFS_RESULT_STEAL_STEPS,  /* in which a level is shared out, or what it found is sent */
    BFS_RESULT_LONE_STEPS,   /* by one device, and in which ownership moves there and back */
    BFS_RESULT_DOWN_NS,      /* by the clock of block 0 */
    BFS_RESULT_UP_NS,
    BFS_RESULT_SWITCH_NS,
    BFS_RESULT_STEAL_NS,
    BFS_RESULT_LONE_NS,
    BFS_RESULT_BITMAP,   /* which of the two bitmaps is the last; by block 0 */
    BFS_RESULT_REACHED,  /* by the epilogue, modulo 2^64: how many more own vertices were found */
    BFS_RESULT_ARCS,     /* than in the run before; how many more out-arcs these have */
    BFS_RESULT_FLUSHES,  /* additions to the queue's tail, by workers of one lane */
    BFS_RESULT_ALONE,    /* 1: the source has no arcs, and is not among them */
    BFS_RESULT_SHARED,   /* entries of the queue that several workers took a share of each */
    BFS_RESULT_EAGER,    /* eager levels */
    BFS_RESULT_UNLISTED, /* vertices that were found top-down and not put into the queue */
    BFS_RESULT_STOLEN,   /* entries read of other devices' queues */
    /* Arcs of the device that has the most, summed over the levels that went top-down: as they lay, and as they were done. */
    BFS_RESULT_MOST_OWNED,
    BFS_RESULT_MOST_DONE,
    /* Of the device that does narrow levels alone (bfs_lone.h). */
    BFS_RESULT_LONE_LEVELS,  /* that it did */
    BFS_RESULT_LONE_MOVES,   /* how often all ownership moved to it */
    BFS_RESULT_LONE_ARCS,    /* looked at in those levels */
    BFS_RESULT_LONE_BACK,    /* of any device: vertices that it took back */
    BFS_RESULT_LONE_ENTRIES, /* up to how many entries a level is narrow, in the end */
    BFS_RESULT_TOGETHER_NS, /* what a narrow level of all devices took beside its work; 0: none was timed */
    BFS_RESULT_COPIED, /* arcs looked at for other devices that were read from copies */
    BFS_RESULT_FOR,    /* by owner: arcs looked at for other devices, STEAL_DEVICES of them */
    /* Of a search whose finds may go as bitmaps, which shares nothing out: bytes sent, bitmaps among what was sent, and parents that finders
     * were asked for in the end. */
    BFS_RESULT_WIRE_BYTES = BFS_RESULT_FOR,
    BFS_RESULT_BITMAPS,
    BFS_RESULT_ASKED,
    BFS_RESULTS = BFS_RESULT_FOR + STEAL_DEVICES
};
static_assert((int)BFS_RESULTS <= (int)WEIR_STEPS_RESULTS, "a device has room for all results");

/** What a search that shares out levels knows of a device: where its arrays lie, as peers reach them. */
struct bfs_peer {
    const struct bfs_piece *queue;
    const uint32_t *targets;
    uint64_t base; /* where its arcs begin in bfs_step_args.lone_targets */
};

/** Of 32 numbers: which of them are hubs, and how many hubs have smaller numbers than these. */
struct bfs_hub_word {
    uint32_t bits, before;
};

/** A device's stretch of its queue. */
struct bfs_stretch {
    uint32_t begin, end;
};

struct bfs_step_args {
    struct weir_steps_member member;
    weir_rows_part rows;
    const uint32_t *base; /* the bitmap before a run: numbers without arcs count as found */
    uint32_t *last; /* the bitmap that the run before left, own words; before the first base */
    /* Both bitmaps of each device, as this one reaches them. Before a run the first is a copy of base. */
    uint32_t *found[2][WEIR_DEVICES_MAX];
    /* By row. The body writes the levels of found vertices, the epilogue BFS_NONE for those that only the run before
     * found; before the first run BFS_NONE. */
    uint32_t *level;
    uint32_t *parent;        /* by row, a number; written as levels are; NULL: not wanted */
    struct bfs_piece *queue; /* room for each row and each piece */
    uint32_t *tail;          /* of the queue, at 0 before; relaxed dev */
    uint64_t *
        listed; /* arcs of the vertices found in wide levels top-down so far, at 0 before; relaxed dev */
    uint64_t *taken; /* [bfs_walk.opened][from]: items taken from the inboxes; at 0 before */
    uint32_t *inbox[WEIR_DEVICES_MAX];  /* [from]: of this device, 1 or 2 words an item */
    uint32_t *outbox[WEIR_DEVICES_MAX]; /* [to]: the inbox of that device for this one */
    uint64_t unfound;                   /* vertices of all devices that have in-arcs */
    uint32_t source;                    /* a number */
    uint32_t previous; /* the source before: its level may be left over; BFS_NONE: there was none */
    uint32_t pull;     /* every level goes bottom-up */
    uint32_t down;     /* every level goes top-down */
    uint32_t gain;     /* looks bottom-up that one top-down is worth; the same on all devices */
    uint32_t eager;    /* levels may be eager (bfs_step_eager.h) */
    uint32_t lines;    /* arcs lie in host memory: warps read them in whole lines */
    uint32_t bytes;    /* rows.out_byte has the degree of every row */
    /* Of a search that shares out levels (bfs_steal.h); else NULL and 0. */
    struct bfs_peer peer[STEAL_DEVICES];
    struct steal_args steal;
    /* Of one with copies of the hubs' rows of other devices (bfs_steal_hubs.c); else NULL. By number; the arcs one behind another; and by hub
     * what becomes the place there of an arc when it is added to the place where its owner has it, modulo 2^64. */
    const struct bfs_hub_word *hub_words;
    const uint32_t *hub_targets;
    const uint64_t *hub_shifts;
    uint64_t *loads; /* and lists, by device, as block 0 knows them, for blocks that it wakes */
    /* Of a search whose narrow levels one device does (bfs_lone.h). */
    uint32_t lone;         /* that device; BFS_NONE: there is none */
    uint32_t lone_entries; /* a level of so many entries of all devices is narrow, at first */
    uint32_t lone_fixed;   /* and ever after, whatever a barrier takes */
    struct bfs_stretch *stretches; /* of that device, by owner, STEAL_DEVICES */
    /* In its memory, by number: the rows of all devices, and what it found alone. The others are told of the last two. */
    uint64_t *lone_offsets;
    uint32_t *lone_targets, *lone_level, *lone_parent;
    /* Of a search whose finds may go as bitmaps (bfs_fold.h); else NULL and 0. */
    uint32_t *met; /* [first[owner] / 32 + place]: found of others in this level, numbers */
    uint32_t
        *met_of; /* by owner: how many, also of those that are not kept; at 0 before; relaxed dev */
    uint32_t wire; /* a weir_wire */
    /* The same, if a tree is wanted. By row: the device that found it for this one, BFS_HERE before a run. Behind what comes, inbox[to] has by
     * row of device `to` the number that this one found it from. */
    uint8_t *finder;
};

/** What narrow levels came to (bfs_step_narrow.h). */
struct bfs_narrow {
    uint64_t total; /* entries of the level found last; from BFS_SPLIT on if rows took several */
    uint64_t down_arcs; /* of this thread */
    uint64_t pieces;
    uint32_t begin, end; /* the stretch taken last */
    uint32_t level;      /* its level */
    uint32_t levels;     /* done */
    uint32_t step;       /* of the block */
    uint32_t stop;       /* as of weir_steps_sync() */
};

/** Entries that a worker of one lane has put and that are not in the queue yet. One addition to the tail, which all workers of
 * the device share, makes places for all of them. */
struct bfs_kept {
    uint32_t count;
    uint32_t flushes; /* additions to the tail */
    uint64_t arcs;    /* of vertices found that are not in a->listed yet; counted levels */
    struct bfs_piece piece[BFS_KEPT];
};

/** What levels bottom-up came to: rows and arcs that were looked at, and vertices found by the first arc of their row. */
struct bfs_ups {
    uint64_t arcs, rows, firsts;
};

/** The rows of WEIR_LANES words of the bitmap, which a warp takes in a level bottom-up. */
struct bfs_chunk {
    uint32_t found[WEIR_LANES];     /* of each word, who was found from the list */
    uint16_t list[WEIR_LANES * 32]; /* rows that met nothing yet and have more arcs */
};

/** Words that the threads of a block share. */
struct bfs_step_shared {
#if BFS_STEALS
    struct weir_steps_member alone; /* the device as the only one: of barriers among its blocks */
    uint64_t lone_arcs;             /* looked at in narrow levels by this block */
    /* Of thread 0 of block 0 of the device that does narrow levels alone. */
    uint64_t lone_since_ns;           /* when the levels began that are not timed yet */
    uint64_t lone_levels, lone_moves; /* the results of these names so far */
    uint32_t
        lone_end; /* of its queue, when ownership had moved: what is behind it, it found alone */
    uint64_t level_ns; /* the least that a level took on the mean of some */
    uint64_t entry_ps; /* what an entry more takes; 0: not known yet */
    uint64_t together_ns,
        together; /* what a narrow level of all devices takes beside its work, and how many were timed */
    uint64_t together_entries; /* of the level that all are at */
    uint32_t lone_next;        /* up to how many entries a level is narrow from now on */
    struct steal_shared steal; /* loads: arcs of the level that was found last */
#endif
    uint64_t
        first;     /* sum 0 of the next barrier: entries put, BFS_SPLIT for each row with several */
    uint64_t arcs; /* of the vertices found */
    uint64_t found;                   /* vertices */
    struct bfs_ups ups;               /* of the run */
    uint64_t sent;                    /* items */
    uint64_t since_ns, ns[BFS_KINDS]; /* of block 0: up to when its time is booked, and as what */
    struct bfs_narrow narrow;
    struct weir_steps_inboxes inboxes;
    struct bfs_chunk chunk[BFS_WARPS];
    struct bfs_kept kept; /* of a host device */
};

/** What a device does until the next barrier. */
enum bfs_phase {
    BFS_DOWN = 0, /* a level top-down */
#if BFS_WIRES
    BFS_FOLD, /* what was found of others goes to them */
#endif
    BFS_ABSORB, /* the rest of it: what others found */
    BFS_EAGER,  /* a level top-down, of the stretch and of what others found */
    BFS_COUNT,  /* before a level top-down: the arcs of stretches of the queue */
    BFS_CUT,    /* and who takes which of them */
    BFS_GATHER, /* one device is told all that it needs to go on alone */
    BFS_SEIZE,  /* it takes over the stretches of all */
    BFS_LONE,   /* it does narrow levels, and the others wait in BFS_REJOIN */
    BFS_REJOIN, /* it tells them where the search is */
    BFS_GIVE,   /* and each takes back what it owns */
    BFS_SHARE,  /* bitmaps are made whole, for bottom-up */
    BFS_UP,     /* a level bottom-up */
    BFS_LIST,   /* what that found becomes entries, for top-down */
    BFS_END
};

/** Where the search is. All threads of all blocks of a device that are awake have the same. */
struct bfs_walk {
    uint32_t phase;
    uint32_t level;      /* of the vertices in the stretch */
    uint32_t begin, end; /* the stretch of the queue */
    uint32_t current;    /* which bitmap is current */
    uint32_t wide;       /* the level is worth counting */
    uint32_t split;      /* a row of the stretch has several entries */
    /* This part of all arcs, as a negative power of two, is enough: a device that has found vertices of so many in this level lists
     * no more. 0: it lists all. Behind the level BFS_UNLISTED, if vertices may be missing in the stretch. */
    uint32_t enough;
    uint32_t opened;       /* 0, 1 in turn: how often inboxes were opened */
    uint32_t eager_levels; /* eager levels so far; of block 0 */
    uint64_t came;         /* items that all devices sent for this level */
    uint32_t awake;        /* blocks of this device that share the work */
    uint32_t arriving;     /* blocks that the next barrier waits for: those that fall asleep too */
    uint64_t entries;      /* of the stretches of all devices */
    uint64_t arcs; /* of the vertices found last, on all devices; narrow levels are estimated */
    uint64_t unfound,
        unfound_arcs; /* over all devices, of vertices with in-arcs; so are they here */
#if BFS_STEALS
    uint32_t stolen;               /* the level was shared out */
    uint32_t owner_begin;          /* of whose queue the stretch is: the number of its first row */
    const struct bfs_piece *queue; /* its queue */
    const uint32_t *targets;       /* its arcs */
    uint32_t narrow_levels;        /* that all devices did since the last wide one */
    uint32_t lone_entries;         /* up to how many entries a level is narrow */
    uint32_t lone_step;       /* at which step the others wait; of the device that goes on alone */
    struct bfs_stretch found; /* what it found last, in its queue */
#endif
#if BFS_WIRES
    uint64_t words; /* that FOLD and ABSORB go over however little was found: of bitmaps */
#endif
};

/** What a thread did in a phase. The first four count for the whole worker, and its first lane keeps them. */
struct bfs_tally {
    uint64_t put;   /* entries put, and BFS_SPLIT for each row that took several */
    uint64_t arcs;  /* out-arcs of the vertices found */
    uint64_t found; /* vertices */
    uint64_t sent;  /* items */
    uint64_t pieces, down_arcs;
    uint32_t unlisted; /* vertices found and not put into the queue; of the whole worker */
};

/* Whose stretch a level is taken from: the device's own, but for what it does for others. */
#if BFS_STEALS
#define BFS_QUEUE(a, w)   ((w)->queue)
#define BFS_TARGETS(a, w) ((w)->targets)
#define BFS_BEGIN(a, w)   ((w)->owner_begin)
#else
#define BFS_QUEUE(a, w)   ((a)->queue)
#define BFS_TARGETS(a, w) ((a)->rows.out.targets)
#define BFS_BEGIN(a, w)   ((a)->rows.begin)
#endif

WEIR_DEV int bfs_owns(const struct bfs_step_args *a, uint32_t number)
{
    return number - a->rows.begin < a->rows.owned;
}

/** Set the bit of a number. @return whether it was not set before. */
WEIR_DEV int bfs_claim(uint32_t *bitmap, uint32_t number)
{
    uint32_t bit = 1u << (number & 31u);
    return !(weir_atomic_or_relaxed_dev_u32(&bitmap[number / 32], bit) & bit);
}

WEIR_DEV int bfs_is_set(const uint32_t *bitmap, uint32_t number)
{
    return weir_load_relaxed_dev_u32(&bitmap[number / 32]) >> (number & 31u) & 1u;
}

/** Put what a worker of one lane has kept into the queue. */
WEIR_DEV void bfs_kept_flush(const struct bfs_step_args *a, struct bfs_kept *kept)
{
    if (kept->arcs)
        weir_add_relaxed_dev_u64(a->listed, kept->arcs);
    kept->arcs = 0;
    if (!kept->count)
        return;
    const uint32_t at = weir_atomic_add_relaxed_dev_u32(a->tail, kept->count);
    for (uint32_t i = 0; i < kept->count; i++)
        a->queue[at + i] = kept->piece[i];
    kept->count = 0;
    kept->flushes++;
}

/** Hand what the workers did to their block, at the end of a phase; all lanes. */
WEIR_DEV void bfs_flush(const struct bfs_step_args *a, struct bfs_step_shared *shared,
                        const struct bfs_tally *t)
{
    if (WEIR_LANES == 1u)
        bfs_kept_flush(a, &shared->kept);
    if (weir_lane())
        return;
    weir_atomic_add_block_u64(&shared->first, t->put);
    if (t->found) {
        weir_atomic_add_block_u64(&shared->arcs, t->arcs);
        weir_atomic_add_block_u64(&shared->found, t->found);
    }
    if (t->sent)
        weir_atomic_add_block_u64(&shared->sent, t->sent);
    if (t->unlisted)
        weir_add_relaxed_dev_u64(&weir_steps_mine(&a->member)->result[BFS_RESULT_UNLISTED],
                                 t->unlisted);
}

#endif
