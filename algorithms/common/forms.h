/** @file forms.h  The forms that each algorithm has, the options that each form reads, and which form runs. The API
 * and the command refuse options by this one list. Not installed. */
#ifndef WEIR_ALGORITHMS_COMMON_FORMS_H
#define WEIR_ALGORITHMS_COMMON_FORMS_H

#include "algorithms/algorithms.h"

/** Where a form stands in weir__forms.form. */
enum { WEIR__FORM_STEP = 0, WEIR__FORM_PUSH, WEIR__FORM_COUNT };
/** Of connected components the rows are these. */
enum { WEIR__FORM_RESIDENT = WEIR__FORM_STEP, WEIR__FORM_STREAMED = WEIR__FORM_PUSH };

/** A form: what sentences call it, and what it reads. */
struct weir__form {
    const char *name;      /**< "breadth-first search in step"; NULL: there is no such form */
    unsigned reads;        /**< a bit for each row of the table of options that the form looks at */
    unsigned directions;   /**< a bit for each weir_direction that asks for it */
    weir_direction usual;  /**< of those, what auto becomes when this form is taken */
    weir_cc_source source; /**< the source that asks for it; WEIR_CC_AUTO: none does */
    int anywhere;          /**< every set of devices can run it */
};

/** An algorithm and its forms. */
struct weir__forms {
    const char *algorithm; /**< "breadth-first search" */
    struct weir__form form[WEIR__FORM_COUNT];
    const char *no_direction; /**< the sentence on a direction that no form has */
    /** What stands for these where balance frontier is asked for; NULL: these. weir__forms_check() and
     *  weir__form_choose() go by it themselves. */
    const struct weir__forms *frontier;
};

extern const struct weir__forms weir__bfs_forms, weir__sssp_forms, weir__pr_forms, weir__cc_forms,
    weir__color_forms;
/** Of a search over a partition in two dimensions: in step, down. */
extern const struct weir__forms weir__bfs_2d_forms;
/** The same of PageRank: pull. */
extern const struct weir__forms weir__pr_2d_forms;
/** Of PageRank with balance frontier: in step, push. */
extern const struct weir__forms weir__pr_frontier_forms;
/** The same of connected components: of cells that lie on the devices. */
extern const struct weir__forms weir__cc_2d_forms;
/** Of a batch of sources: in step alone. */
extern const struct weir__forms weir__bfs_batch_forms;
/** Of operators of users: through the worklist alone. */
extern const struct weir__forms weir__traversal_forms;

/** What was asked for. Zero in a member, as in a field of the options, is "not given". All other members of
 *  weir_pr_config are read by both forms of PageRank. */
struct weir__asked {
    const weir_run_options *options;
    uint32_t iterations;   /**< of weir_pr_config */
    uint32_t bands;        /**< the same */
    uint32_t hubs;         /**< the same */
    uint32_t bins;         /**< the same */
    weir_cc_source source; /**< of weir_cc_create() */
    /** The command's --partition. A partition that a call passes says on how many devices to run, too, so every
     *  form reads that one. */
    int partition;
    int command;         /**< sentences name options as the command spells them */
    const char *parents; /**< the option that asks for a tree; NULL: "parents" */
};

/** Refuse what cannot be run, whatever the devices can: values that an option does not have, options that the form
 *  that was asked for does not read, and options that no one form reads together.
 *  @param[out] left_out  a bit for each form that is left, 1u << WEIR__FORM_STEP and its like; may be NULL.
 *  @retval WEIR_ERR_INVALID      no such value.
 *  @retval WEIR_ERR_UNSUPPORTED  an option would have no effect; the detail names it. */
weir_status weir__forms_check(const struct weir__forms *forms, const struct weir__asked *asked,
                              unsigned *left_out);

/** What decides between the forms that the options leave. */
struct weir__form_case {
    int usual;       /**< the form that is taken if it is left and possible */
    const char *why; /**< that one, as a sentence */
    weir_status (*possible)(const void *user); /**< whether the devices can run the form in step */
    const void *user;
};

/** Room for why a form runs. */
enum { WEIR__WHY_ROOM = 256 };

/** Pick the form that runs, after weir__forms_check().
 *  @param[out] form_out       WEIR__FORM_STEP and its like.
 *  @param[out] direction_out  the direction that this form takes; may be NULL.
 *  @param[out] why_out        why this form; "": it was asked for.
 *  @retval WEIR_ERR_UNSUPPORTED  as above, or what @c possible returned where no other form is left. */
weir_status weir__form_choose(const struct weir__forms *forms, const struct weir__asked *asked,
                              const struct weir__form_case *what, int *form_out,
                              weir_direction *direction_out, char why_out[WEIR__WHY_ROOM]);

#endif
