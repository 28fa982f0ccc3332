/** @file forms.c  Which options belong to which form, and which form runs.
 *
 * If an option was given and the form did not read it, the caller would believe a measurement of something else. So each
 * form names the options that it reads, and every other option is refused by name. A new option is a row of `rows`, and a
 * new form is a row of an algorithm below; no other place has to change. */
#include "algorithms/common/forms.h"
#include "runtime/support.h"

#include <stdio.h>

/* ---- the options ----------------------------------------------------------------------------- */

/* An option has two bits where a form may read one value of it and not the other values. */
enum {
    READS_ROUTE = 1u << 0, /* every route but staged */
    READS_ROUTE_STAGED = 1u << 1,
    READS_ORDER = 1u << 2, /* every order but soft */
    READS_ORDER_SOFT = 1u << 3,
    READS_DELTA = 1u << 4,
    READS_KERNEL = 1u << 5,
    READS_WORKER = 1u << 6,
    READS_FETCH = 1u << 7,
    READS_MAPPING = 1u << 8,
    READS_GROUP = 1u << 9,
    READS_DIRECTION = 1u << 10,
    READS_PARENTS = 1u << 11,
    READS_ITERATIONS = 1u << 12,
    READS_PARTITION = 1u << 13,
    READS_SOURCE = 1u << 14,
    READS_QUEUES = 1u << 15,
    READS_BANDS = 1u << 16,
    READS_HUBS = 1u << 17,
    READS_BINS = 1u << 18,
    READS_MEMORY = 1u << 19,
    READS_WIRE_LIST = 1u << 20,
    READS_WIRE = 1u << 21, /* bitmap */
    READS_BALANCE_FRONTIER = 1u << 22,
    READS_BALANCE_OWNERSHIP = 1u << 23,
    READS_BALANCE_BOTH = 1u << 24,
    READS_BALANCE = READS_BALANCE_FRONTIER | READS_BALANCE_OWNERSHIP | READS_BALANCE_BOTH,
    READS_ROUTES = READS_ROUTE | READS_ROUTE_STAGED,
    READS_WORKLIST = READS_ROUTES | READS_ORDER | READS_ORDER_SOFT | READS_DELTA | READS_KERNEL |
                     READS_WORKER | READS_FETCH | READS_MAPPING | READS_GROUP | READS_QUEUES
};

static int route(const struct weir__asked *asked)
{
    return asked->options->route && asked->options->route != WEIR_ROUTE_STAGED;
}

static int route_staged(const struct weir__asked *asked)
{
    return asked->options->route == WEIR_ROUTE_STAGED;
}

static int order(const struct weir__asked *asked)
{
    return asked->options->order && asked->options->order != WEIR_ORDER_SOFT;
}

static int order_soft(const struct weir__asked *asked)
{
    return asked->options->order == WEIR_ORDER_SOFT;
}

static int wire_list(const struct weir__asked *asked)
{
    return asked->options->wire == WEIR_WIRE_LIST;
}

static int wire(const struct weir__asked *asked)
{
    return asked->options->wire && asked->options->wire != WEIR_WIRE_LIST;
}

static int balance_frontier(const struct weir__asked *asked)
{
    return asked->options->balance == WEIR_BALANCE_FRONTIER;
}

static int balance_ownership(const struct weir__asked *asked)
{
    return asked->options->balance == WEIR_BALANCE_OWNERSHIP;
}

static int balance_both(const struct weir__asked *asked)
{
    return asked->options->balance == WEIR_BALANCE_BOTH;
}

#define GIVEN(name, member)                          \
    static int name(const struct weir__asked *asked) \
    {                                                \
        return asked->member != 0;                   \
    }
GIVEN(delta, options->delta)
GIVEN(kernel, options->kernel)
GIVEN(worker, options->worker)
GIVEN(fetch, options->fetch)
GIVEN(mapping, options->mapping)
GIVEN(group, options->group)
GIVEN(queues, options->queues)
GIVEN(direction, options->direction)
GIVEN(parents, options->parents)
GIVEN(memory, options->memory)
GIVEN(iterations, iterations)
GIVEN(bands, bands)
GIVEN(hubs, hubs)
GIVEN(bins, bins)
GIVEN(partition, partition)
GIVEN(source, source)

#define VALUE(name, text)                                    \
    static const char *name(const struct weir__asked *asked) \
    {                                                        \
        return text;                                         \
    }
VALUE(route_value, weir_route_kind_text(asked->options->route))
VALUE(order_value, weir_order_kind_text(asked->options->order))
VALUE(wire_value, weir_wire_text(asked->options->wire))
VALUE(balance_value, weir_balance_text(asked->options->balance))

static const struct row {
    unsigned bit, other;       /* other: the bit of the option's other values; 0: it has one bit */
    const char *name, *option; /* in the API, and as the command spells it */
    int (*given)(const struct weir__asked *asked);
    const char *(*value)(const struct weir__asked *asked); /* NULL where there is no other bit */
} rows[] = {
    {READS_ROUTE, READS_ROUTE_STAGED, "route", "--route", route, route_value},
    {READS_ROUTE_STAGED, READS_ROUTE, "route", "--route", route_staged, route_value},
    {READS_ORDER, READS_ORDER_SOFT, "order", "--order", order, order_value},
    {READS_ORDER_SOFT, READS_ORDER, "order", "--order", order_soft, order_value},
    {READS_DELTA, 0, "delta", "--order soft:DELTA", delta, NULL},
    {READS_KERNEL, 0, "kernel", "--kernel", kernel, NULL},
    {READS_WORKER, 0, "worker", "--worker", worker, NULL},
    {READS_FETCH, 0, "fetch", "--fetch", fetch, NULL},
    {READS_MAPPING, 0, "mapping", "--mapping", mapping, NULL},
    {READS_GROUP, 0, "group", "--mapping group:N", group, NULL},
    {READS_QUEUES, 0, "queues", "--queues", queues, NULL},
    {READS_DIRECTION, 0, "direction", "--direction", direction, NULL},
    {READS_PARENTS, 0, "parents", "--parents", parents, NULL},
    {READS_ITERATIONS, 0, "iterations", "--iterations", iterations, NULL},
    {READS_BANDS, 0, "bands", "--bands", bands, NULL},
    {READS_HUBS, 0, "hubs", "--hubs", hubs, NULL},
    {READS_BINS, 0, "bins", "--bins", bins, NULL},
    {READS_PARTITION, 0, "partition", "--partition", partition, NULL},
    {READS_SOURCE, 0, "source", "--stream", source, NULL},
    {READS_MEMORY, 0, "memory", "--memory", memory, NULL},
    {READS_WIRE_LIST, READS_WIRE, "wire", "--wire", wire_list, wire_value},
    {READS_WIRE, READS_WIRE_LIST, "wire", "--wire", wire, wire_value},
    {READS_BALANCE_FRONTIER, READS_BALANCE, "balance", "--balance", balance_frontier,
     balance_value},
    {READS_BALANCE_OWNERSHIP, READS_BALANCE, "balance", "--balance", balance_ownership,
     balance_value},
    {READS_BALANCE_BOTH, READS_BALANCE, "balance", "--balance", balance_both, balance_value},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* ---- the forms ------------------------------------------------------------------------------- */

enum {
    AUTO = 1u << WEIR_DIRECTION_AUTO,
    PUSH = 1u << WEIR_DIRECTION_PUSH,
    PULL = 1u << WEIR_DIRECTION_PULL,
    SWITCH = 1u << WEIR_DIRECTION_SWITCH,
    DOWN = 1u << WEIR_DIRECTION_DOWN
};

const struct weir__forms weir__bfs_forms = {
    .algorithm = "breadth-first search",
    .form = {{.name = "breadth-first search in step",
              .reads = READS_DIRECTION | READS_PARTITION | READS_PARENTS | READS_MEMORY |
                       READS_WIRE_LIST | READS_WIRE | READS_BALANCE,
              .directions = PULL | SWITCH | DOWN,
              .usual = WEIR_DIRECTION_SWITCH},
             {.name = "breadth-first search through the worklist",
              .reads = READS_DIRECTION | READS_PARTITION | READS_WORKLIST | READS_MEMORY |
                       READS_WIRE_LIST | READS_BALANCE_OWNERSHIP,
              .directions = PUSH,
              .usual = WEIR_DIRECTION_PUSH,
              .anywhere = 1}}};

const struct weir__forms weir__bfs_2d_forms = {
    .algorithm = "breadth-first search in two dimensions",
    .form = {[WEIR__FORM_STEP] = {.name = "breadth-first search in two dimensions",
                                  .reads = READS_DIRECTION | READS_PARTITION | READS_PARENTS |
                                           READS_WIRE_LIST | READS_WIRE,
                                  .directions = DOWN,
                                  .usual = WEIR_DIRECTION_DOWN}},
    .no_direction = "a search in two dimensions goes down in every level: direction down"};

const struct weir__forms weir__bfs_batch_forms = {
    .algorithm = "breadth-first search of a batch of sources",
    .form = {[WEIR__FORM_STEP] = {.name = "breadth-first search of a batch of sources",
                                  .reads = READS_DIRECTION | READS_PARTITION | READS_MEMORY |
                                           READS_WIRE_LIST,
                                  .directions = PULL | SWITCH,
                                  .usual = WEIR_DIRECTION_SWITCH}},
    .no_direction = "a batch of sources is searched in step: direction pull or switch"};

const struct weir__forms weir__sssp_forms = {
    .algorithm = "shortest paths",
    .form = {{.name = "shortest paths in step",
              .reads = READS_DIRECTION | READS_PARTITION | READS_ORDER_SOFT | READS_DELTA |
                       READS_PARENTS | READS_MEMORY | READS_WIRE_LIST | READS_BALANCE_FRONTIER,
              .directions = SWITCH,
              .usual = WEIR_DIRECTION_SWITCH},
             {.name = "shortest paths through the worklist",
              .reads = READS_DIRECTION | READS_PARTITION | READS_WORKLIST | READS_MEMORY |
                       READS_WIRE_LIST | READS_BALANCE_OWNERSHIP,
              .directions = PUSH,
              .usual = WEIR_DIRECTION_PUSH,
              .anywhere = 1}},
    .no_direction = "shortest paths cannot pull alone, nor go down: direction push or switch"};

const struct weir__forms weir__pr_frontier_forms = {
    .algorithm = "PageRank pushed in step",
    .form = {[WEIR__FORM_STEP] = {.name = "PageRank pushed in step",
                                  .reads = READS_DIRECTION | READS_PARTITION | READS_MEMORY |
                                           READS_BALANCE_FRONTIER,
                                  .directions = PUSH,
                                  .usual = WEIR_DIRECTION_PUSH}},
    .no_direction = "balance frontier shares out arcs that PageRank pushes: direction push"};

const struct weir__forms weir__pr_forms = {
    .algorithm = "PageRank",
    .frontier = &weir__pr_frontier_forms,
    .form = {{.name = "PageRank in step",
              .reads = READS_DIRECTION | READS_PARTITION | READS_ITERATIONS | READS_BANDS |
                       READS_HUBS | READS_BINS | READS_MEMORY,
              .directions = PULL,
              .usual = WEIR_DIRECTION_PULL},
             {.name = "PageRank through the worklist",
              .reads = READS_DIRECTION | READS_PARTITION | READS_WORKLIST | READS_MEMORY,
              .directions = PUSH,
              .usual = WEIR_DIRECTION_PUSH,
              .anywhere = 1}},
    .no_direction = "PageRank looks at all arcs in every step: direction push or pull, there is "
                    "nothing to switch"};

const struct weir__forms weir__pr_2d_forms = {
    .algorithm = "PageRank in two dimensions",
    .form = {[WEIR__FORM_STEP] = {.name = "PageRank in two dimensions",
                                  .reads = READS_DIRECTION | READS_PARTITION | READS_ITERATIONS,
                                  .directions = PULL,
                                  .usual = WEIR_DIRECTION_PULL}},
    .no_direction = "PageRank in two dimensions adds up rows: direction pull"};

/* Where rows lie on the devices, results are merged over the links that the machine has; so `staged` would have no effect. */
const struct weir__forms weir__cc_forms = {
    .algorithm = "connected components",
    .form = {{.name = "connected components whose rows lie on the devices",
              .reads = READS_SOURCE | READS_PARTITION | READS_ROUTE | READS_MEMORY,
              .usual = WEIR_DIRECTION_PULL,
              .source = WEIR_CC_RESIDENT},
             {.name = "connected components of arcs that are streamed",
              .reads = READS_SOURCE | READS_ROUTES,
              .usual = WEIR_DIRECTION_PUSH,
              .source = WEIR_CC_STREAMED,
              .anywhere = 1}}};

const struct weir__forms weir__cc_2d_forms = {
    .algorithm = "connected components in two dimensions",
    .form = {[WEIR__FORM_RESIDENT] = {.name = "connected components in two dimensions",
                                      .reads = READS_SOURCE | READS_PARTITION,
                                      .usual = WEIR_DIRECTION_PULL,
                                      .source = WEIR_CC_RESIDENT}},
    .no_direction =
        "components in two dimensions have their arcs on the devices, and not streamed"};

const struct weir__forms weir__color_forms = {
    .algorithm = "a colouring",
    .form = {{.name = "a colouring in step",
              .reads = READS_DIRECTION | READS_PARTITION | READS_MEMORY,
              .directions = PULL,
              .usual = WEIR_DIRECTION_PULL},
             {.name = "a colouring through the worklist",
              .reads = READS_DIRECTION | READS_PARTITION | READS_WORKLIST | READS_MEMORY,
              .directions = PUSH,
              .usual = WEIR_DIRECTION_PUSH,
              .anywhere = 1}},
    .no_direction = "a colouring looks at all arcs of a vertex: direction pull, in step, or push, "
                    "through the worklist"};

const struct weir__forms weir__traversal_forms = {
    .algorithm = "a traversal",
    .form = {[WEIR__FORM_PUSH] = {.name = "a traversal through the worklist",
                                  .reads = READS_DIRECTION | READS_PARTITION | READS_WORKLIST,
                                  .directions = PUSH,
                                  .usual = WEIR_DIRECTION_PUSH,
                                  .anywhere = 1}},
    .no_direction = "operators run through the worklist: direction push"};

const char *weir_direction_text(weir_direction direction)
{
    static const char *const names[] = {"auto", "push", "pull", "switch", "down"};
    return (unsigned)direction < sizeof names / sizeof *names ? names[direction] : NULL;
}

const char *weir_wire_text(weir_wire wire)
{
    static const char *const names[] = {"auto", "list", "bitmap"};
    return (unsigned)wire < sizeof names / sizeof *names ? names[wire] : NULL;
}

const char *weir_balance_text(weir_balance balance)
{
    static const char *const names[] = {"off", "frontier", "ownership", "both", "auto"};
    return (unsigned)balance < sizeof names / sizeof *names ? names[balance] : NULL;
}

/* ---- what is refused ------------------------------------------------------------------------- */

static weir_status no_such(const char *option, int value)
{
    return weir__fail(WEIR_ERR_INVALID, "%s %d: there is none", option, value);
}

static weir_status check_values(const struct weir__asked *asked)
{
    const weir_run_options *options = asked->options;
    if (!weir_direction_text(options->direction))
        return no_such("direction", (int)options->direction);
    if (!weir_route_kind_text(options->route))
        return no_such("route", (int)options->route);
    if (!weir_order_kind_text(options->order))
        return no_such("order", (int)options->order);
    if (!weir_kernel_kind_text(options->kernel))
        return no_such("kernel", (int)options->kernel);
    if (!weir_worker_kind_text(options->worker))
        return no_such("worker", (int)options->worker);
    if (!weir_mapping_kind_text(options->mapping))
        return no_such("mapping", (int)options->mapping);
    if (!weir_memory_text(options->memory))
        return no_such("memory", (int)options->memory);
    if (!weir_wire_text(options->wire))
        return no_such("wire", (int)options->wire);
    if (!weir_balance_text(options->balance))
        return no_such("balance", (int)options->balance);
    if ((unsigned)asked->source > WEIR_CC_STREAMED)
        return no_such("source", (int)asked->source);
    return WEIR_OK;
}

/* The first option that was given and has none of the bits; NULL: each has one. */
static const struct row *unread(const struct weir__asked *asked, unsigned bits)
{
    for (int i = 0; i < ROWS; i++)
        if (rows[i].given(asked) && !(rows[i].bit & bits))
            return &rows[i];
    return NULL;
}

enum { NAME_ROOM = 48 };

/* What a sentence calls the option. The value is added where the form reads other values of the option. */
static const char *name_of(const struct row *row, const struct weir__asked *asked, unsigned reads,
                           char room[NAME_ROOM])
{
    const char *name = asked->command ? row->option : row->name;
    const int tree = row->bit == READS_PARENTS && asked->parents;
    const int valued = (row->other & reads) != 0;
    snprintf(room, NAME_ROOM, "%s%s%s", tree ? asked->parents : name, valued ? " " : "",
             valued ? row->value(asked) : "");
    return room;
}

static weir_status refuse(const struct row *row, const struct weir__asked *asked, unsigned reads,
                          const char *whom)
{
    char name[NAME_ROOM];
    return weir__fail(WEIR_ERR_UNSUPPORTED, "%s has no effect on %s: leave it out",
                      name_of(row, asked, reads, name), whom);
}

/* Say which options no one form reads together. */
static weir_status refuse_together(const struct weir__forms *forms, const struct weir__asked *asked)
{
    const struct weir__form *step = &forms->form[WEIR__FORM_STEP];
    const struct weir__form *push = &forms->form[WEIR__FORM_PUSH];
    const struct row *alone = unread(asked, step->reads | push->reads);
    char first[NAME_ROOM], second[NAME_ROOM];
    if (alone)
        return refuse(alone, asked, step->reads | push->reads, forms->algorithm);
    return weir__fail(WEIR_ERR_UNSUPPORTED,
                      "%s has no effect on %s, and %s has none on %s: leave one of them out",
                      name_of(unread(asked, step->reads), asked, step->reads, first), step->name,
                      name_of(unread(asked, push->reads), asked, push->reads, second), push->name);
}

/* Whether the direction and the source that were given, if any was, are those of this form. */
static int fits(const struct weir__form *form, const struct weir__asked *asked)
{
    const unsigned direction = 1u << asked->options->direction;
    if (!form->name)
        return 0;
    if (asked->source != WEIR_CC_AUTO && form->source != WEIR_CC_AUTO &&
        asked->source != form->source)
        return 0;
    return !(form->reads & READS_DIRECTION) || direction == AUTO || (form->directions & direction);
}

/* A balance is for later where no form has it, and not what has no effect. */
static weir_status check_balance(const struct weir__forms *forms, const struct weir__asked *asked)
{
    const unsigned bit = balance_frontier(asked)    ? READS_BALANCE_FRONTIER
                         : balance_ownership(asked) ? READS_BALANCE_OWNERSHIP
                         : balance_both(asked)      ? READS_BALANCE_BOTH
                                                    : 0;
    unsigned reads = 0;
    for (int i = 0; i < WEIR__FORM_COUNT; i++)
        reads |= forms->form[i].reads;
    return !bit || (reads & bit)
               ? WEIR_OK
               : weir__fail(WEIR_ERR_UNSUPPORTED, "%s %s is not built yet of %s: leave it out",
                            asked->command ? "--balance" : "balance",
                            weir_balance_text(asked->options->balance), forms->algorithm);
}

/* Those that balance stands for. */
static const struct weir__forms *balanced(const struct weir__forms *forms,
                                          const struct weir__asked *asked)
{
    return forms->frontier && balance_frontier(asked) ? forms->frontier : forms;
}

weir_status weir__forms_check(const struct weir__forms *forms, const struct weir__asked *asked,
                              unsigned *left_out)
{
    const struct weir__form *last = NULL;
    unsigned left = 0, count = 0;
    weir_status status = check_values(asked);
    forms = balanced(forms, asked);
    if (status || (status = check_balance(forms, asked)))
        return status;
    for (int i = 0; i < WEIR__FORM_COUNT; i++) {
        const struct weir__form *form = &forms->form[i];
        if (!fits(form, asked))
            continue;
        last = form;
        count++;
        if (!unread(asked, form->reads))
            left |= 1u << i;
    }
    if (!count)
        return weir__fail(WEIR_ERR_UNSUPPORTED, "%s", forms->no_direction);
    if (!left)
        return count == 1 ? refuse(unread(asked, last->reads), asked, last->reads, last->name)
                          : refuse_together(forms, asked);
    if (left_out)
        *left_out = left;
    return WEIR_OK;
}

/* ---- which form runs ------------------------------------------------------------------------- */

/* A tree is what leaves a run no other form. @param[in] status  why the form that keeps one cannot run. */
static weir_status refuse_tree(const struct weir__asked *asked, weir_status status)
{
    char why[WEIR__WHY_ROOM];
    if (!asked->options->parents || status != WEIR_ERR_UNSUPPORTED)
        return status;
    snprintf(why, sizeof why, "%s", weir_error_detail());
    return weir__fail(status, "parents are kept in step alone, and %s", why);
}

weir_status weir__form_choose(const struct weir__forms *forms, const struct weir__asked *asked,
                              const struct weir__form_case *what, int *form_out,
                              weir_direction *direction_out, char why_out[WEIR__WHY_ROOM])
{
    unsigned left;
    weir_status status = weir__forms_check(forms, asked, &left);
    if (status)
        return status;
    forms = balanced(forms, asked);
    int form = left >> what->usual & 1u ? what->usual : !what->usual;
    /* Direction and source ask for a form by name, and other options can leave one alone. */
    const char *why = left >> !form & 1u                           ? what->why
                      : asked->options->direction || asked->source ? ""
                                                                   : "only this form reads the "
                                                                     "options that were given";
    snprintf(why_out, WEIR__WHY_ROOM, "%s", why);
    if (!forms->form[form].anywhere && (status = what->possible(what->user))) {
        form = !form;
        if (!(left >> form & 1u) || !forms->form[form].anywhere)
            return refuse_tree(asked, status);
        snprintf(why_out, WEIR__WHY_ROOM, "%s", weir_error_detail());
    }
    *form_out = form;
    if (direction_out)
        *direction_out =
            asked->options->direction ? asked->options->direction : forms->form[form].usual;
    return WEIR_OK;
}
