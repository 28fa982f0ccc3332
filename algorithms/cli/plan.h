/** @file plan.h  weir plan at work: what was asked for, and what was found. */
#ifndef WEIR_ALGORITHMS_CLI_PLAN_H
#define WEIR_ALGORITHMS_CLI_PLAN_H

#include "algorithms/cli/algorithm.h"
#include "algorithms/common/plan.h"
#include "algorithms/matrix.h"
#include "topology/topology.h"

enum { PLANS_MAX = 8, CANNOT_ROOM = 512 };

/** The plan of one verb. */
typedef struct weir__cli_plan_of {
    const weir__cli_verb *verb;
    const weir__cli_algorithm *algorithm; /**< NULL: a product */
    char cannot[CANNOT_ROOM];             /**< why it cannot be planned; "": it can */
    int code;                             /**< what the command exits with if none can */
    struct weir__plan *plan;              /**< owned; NULL: it cannot be planned */
    uint32_t
        lacks; /**< position of the first device that could not hold it; UINT32_MAX: none is known */
    uint32_t enough; /**< such devices would; 0: unknown */
    int host_lacks;  /**< the host has not enough left */
    uint32_t batch;  /**< sources of a run that share it; 0: runs have one */
    int streamed;    /**< arcs come in segments, since all together do not fit */
    int on_host;     /**< arcs lie in host memory */
    int by_auto;     /**< since all together do not fit on the devices */
    int known;       /**< every device that is used has a bound */
} weir__cli_plan_of;

typedef struct weir__cli_plans {
    const weir__cli_request *request;
    weir_graph *graph; /**< owned; NULL: a sketch */
    weir_graph sketch;
    weir_matrix *opened; /**< owned; NULL: no matrix is at hand */
    weir_matrix sizes;   /**< of a matrix that is not at hand */
    const weir_matrix
        *matrix; /**< one of the two; NULL: no product is planned, but graph or sketch */
    weir_product_stats picked; /**< what a product would be */
    weir_partition *partition; /**< owned, or NULL */
    weir_context
        *context; /**< owned; the machine at hand, whose devices these are; NULL: another one */
    weir_config *config;
    weir_machine *machine; /**< owned, or NULL: --machine */
    struct weir__plan_device device[WEIR_DEVICES_MAX];
    uint32_t devices;
    uint64_t host_left; /**< host memory that a run could still take; 0: it would not run here */
    uint32_t count;
    weir__cli_plan_of plan[PLANS_MAX];
} weir__cli_plans;

/** Make what @p maker makes on devices that only count, and see whether it fits (verb_plan.c). */
weir_status weir__cli_plan_make(const weir__cli_plans *plans, const struct weir__maker *maker,
                                weir__cli_plan_of *one);
/** Products (plan_product.c): whether one is asked for; refuse options of products where none is, and where one is those that
 *  it does not take; plan it, devices being there. @return an exit status; a failure was reported. */
int weir__cli_plan_is_product(const weir__cli_request *request);
int weir__cli_plan_no_product(const weir__cli_request *request);
int weir__cli_plan_check_product(weir__cli_request *request);
int weir__cli_plan_product(weir__cli_plans *plans);
/** Find the devices (plan_devices.c): those of the machine at hand; GPUs that it does not have are taken as they are
 *  called; or those of --machine. @return an exit status; a failure was reported. */
int weir__cli_plan_devices(weir__cli_plans *plans);
/** Let only those reach each other, in a context that only counts, that do so on --machine. */
void weir__cli_plan_reach(const weir__cli_plans *plans, weir_context *planned);
/** What is planned for. */
const weir_graph *weir__cli_plans_graph(const weir__cli_plans *plans);
/** Print all plans, as text or as a document (report_plan.c). */
void weir__cli_plans_text(const weir__cli_plans *plans);
struct json_t *weir__cli_plans_document(const weir__cli_plans *plans);

#endif
