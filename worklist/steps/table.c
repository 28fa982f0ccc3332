/** @file table.c  Supersteps: what is wrong with the table of a program, in a sentence. A wrong field would overwrite
 * other arguments, and a wrong size another array, on a device where nobody looks. */
#include "worklist/host/resident.h"
#include "worklist/host/steps_table.h"
#include "runtime/internal.h"

#include <string.h>

const weir_steps_array *weir__steps_array_named(const weir_steps_program *program, const char *name)
{
    for (uint32_t i = 0; name && i < program->array_count; i++)
        if (!strcmp(program->arrays[i].name, name))
            return &program->arrays[i];
    return NULL;
}

/* Pointers in the field of an array, and in that of its outboxes. */
static size_t pointers_of(const weir_steps_array *array)
{
    return array->holding == WEIR_STEPS_PRIVATE ? 1 : WEIR_DEVICES_MAX;
}

/* What is wrong with an array by itself, to be read behind its name; NULL: nothing. */
static const char *wrong_with(const weir_steps_array *array)
{
    if (array->extent > WEIR_STEPS_COUNTED || array->holding > WEIR_STEPS_INBOXES ||
        array->first > WEIR_STEPS_COPIED)
        return "has an extent, a holding or a beginning that does not exist";
    if (!array->bytes)
        return "has elements of 0 bytes";
    if (array->extent == WEIR_STEPS_WORDS && array->bytes != 4)
        return "is a bitmap, and its elements do not have 4 bytes";
    if (array->extent == WEIR_STEPS_COUNTED && !array->count)
        return "is counted, and has no function that counts";
    if (array->holding == WEIR_STEPS_INBOXES && array->first == WEIR_STEPS_COPIED)
        return "has inboxes, which cannot be copied";
    if (array->holding == WEIR_STEPS_INBOXES && !array->outbox)
        return "has inboxes, and no field for the outboxes";
    if (array->holding != WEIR_STEPS_INBOXES && array->outbox)
        return "has a field for outboxes, and no inboxes";
    if (array->first == WEIR_STEPS_COPIED && !array->from)
        return "is a copy, and does not say of which array";
    if (array->first != WEIR_STEPS_COPIED && array->from)
        return "says what it is a copy of, and is not copied";
    if (array->written && array->first != WEIR_STEPS_FILLED)
        return "says how much of it a run writes to, and is not filled before one";
    if (array->fill && array->first != WEIR_STEPS_FILLED && array->first != WEIR_STEPS_FILLED_ONCE)
        return "says what it is filled with, and is not filled";
    return NULL;
}

static weir_status check_field(const weir_steps_program *program, const weir_steps_array *array,
                               const char *what, size_t field)
{
    const size_t begin = sizeof(struct weir_steps_member), end = program->body->args_bytes;
    const size_t bytes = pointers_of(array) * sizeof(void *);
    if (field >= begin && field <= end && bytes <= end - field && field % sizeof(void *) == 0)
        return WEIR_OK;
    return weir__fail(WEIR_ERR_INVALID,
                      "%s: array %s has its %s at byte %zu of the arguments: there are no %zu "
                      "pointers there, between the member's %zu bytes and the end at %zu",
                      program->what, array->name, what, field, pointers_of(array), begin, end);
}

/* Whether two arrays write to the same arguments. */
static int meet(size_t a, size_t a_pointers, size_t b, size_t b_pointers)
{
    return a && b && a < b + b_pointers * sizeof(void *) && b < a + a_pointers * sizeof(void *);
}

static weir_status check_pair(const weir_steps_program *program, const weir_steps_array *one,
                              const weir_steps_array *other)
{
    const size_t n = pointers_of(one), m = pointers_of(other);
    if (!strcmp(one->name, other->name))
        return weir__fail(WEIR_ERR_INVALID, "%s: two arrays have the name %s", program->what,
                          one->name);
    if (meet(one->field, n, other->field, m) || meet(one->field, n, other->outbox, m) ||
        meet(one->outbox, n, other->field, m) || meet(one->outbox, n, other->outbox, m))
        return weir__fail(WEIR_ERR_INVALID, "%s: arrays %s and %s have the same field",
                          program->what, one->name, other->name);
    return WEIR_OK;
}

static weir_status check_copy(const weir_steps_program *program, const weir_steps_array *array)
{
    const weir_steps_array *from = weir__steps_array_named(program, array->from);
    if (!from || from >= array)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: array %s is a copy of %s, which is not an array before it",
                          program->what, array->name, array->from);
    if (from->holding == WEIR_STEPS_INBOXES || from->extent != array->extent ||
        from->bytes != array->bytes || from->more != array->more || from->count != array->count)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: array %s is a copy of %s, which is of another size", program->what,
                          array->name, array->from);
    return WEIR_OK;
}

static weir_status check_array(const weir_steps_program *program, uint32_t index)
{
    const weir_steps_array *array = &program->arrays[index];
    const char *wrong;
    weir_status status;
    if (!array->name || !*array->name)
        return weir__fail(WEIR_ERR_INVALID, "%s: array %u of the table has no name", program->what,
                          index);
    if ((wrong = wrong_with(array)))
        return weir__fail(WEIR_ERR_INVALID, "%s: array %s %s", program->what, array->name, wrong);
    if ((status = check_field(program, array, "field", array->field)) ||
        (array->outbox && (status = check_field(program, array, "outbox", array->outbox))))
        return status;
    if (meet(array->field, pointers_of(array), array->outbox, pointers_of(array)))
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: array %s has its inboxes and outboxes in one field", program->what,
                          array->name);
    if (array->first >= WEIR_STEPS_FILLED && program->body->no_reset)
        return weir__fail(WEIR_ERR_INVALID,
                          "%s: array %s is reset before a run, and the body was compiled with "
                          "WEIR_STEPS_NO_RESET",
                          program->what, array->name);
    for (uint32_t i = 0; i < index && !status; i++)
        status = check_pair(program, &program->arrays[i], array);
    return !status && array->from ? check_copy(program, array) : status;
}

static weir_status check_domain(const weir_steps_program *program, const weir_steps_domain *domain)
{
    if (domain->first[0])
        return weir__fail(WEIR_ERR_INVALID, "%s: the numbers begin with %u and not with 0",
                          program->what, domain->first[0]);
    for (uint32_t d = 0; d < domain->devices; d++)
        if (domain->first[d + 1] < domain->first[d] ||
            domain->owned[d] > domain->first[d + 1] - domain->first[d])
            return weir__fail(WEIR_ERR_INVALID,
                              "%s: device %u owns %u numbers from %u on, and the next device's "
                              "begin with %u",
                              program->what, d, domain->owned[d], domain->first[d],
                              domain->first[d + 1]);
    return WEIR_OK;
}

/* A word of a bitmap that others see is written by one device. */
static weir_status check_bitmaps(const weir_steps_program *program, const weir_steps_domain *domain)
{
    for (uint32_t i = 0; i < program->array_count; i++)
        for (uint32_t d = 1; d < domain->devices; d++)
            if (program->arrays[i].extent == WEIR_STEPS_WORDS &&
                program->arrays[i].holding == WEIR_STEPS_SHARED && domain->first[d] % 32)
                return weir__fail(WEIR_ERR_INVALID,
                                  "%s: array %s is a shared bitmap, and the numbers of device %u "
                                  "begin with %u, which is no multiple of 32",
                                  program->what, program->arrays[i].name, d, domain->first[d]);
    return WEIR_OK;
}

static weir_status check_phases(const weir_steps_program *program)
{
    for (uint32_t i = 0; i < program->phase_count; i++)
        if (!program->phases[i].name || program->phases[i].ns >= WEIR_STEPS_RESULTS ||
            program->phases[i].steps >= WEIR_STEPS_RESULTS)
            return weir__fail(WEIR_ERR_INVALID,
                              "%s: phase %u of the table has no name, or a result above %u",
                              program->what, i, WEIR_STEPS_RESULTS - 1u);
    return WEIR_OK;
}

static weir_status check_parts(const weir_steps_program *program)
{
    const char *missing = !program->what                             ? "what"
                          : !program->body                           ? "body"
                          : program->array_count && !program->arrays ? "arrays"
                          : program->phase_count && !program->phases ? "phases"
                                                                     : NULL;
    return missing ? weir__missing("weir_steps_program", missing) : WEIR_OK;
}

weir_status weir__steps_check(const weir_steps_program *program, const weir_steps_domain *domain)
{
    weir_status status = check_parts(program);
    if (status || (status = weir__engine_check("program", program->what, program->body->engine)))
        return status;
    const size_t bytes = program->body->args_bytes;
    if (bytes < sizeof(struct weir_steps_member) || bytes > WEIR_STEPS_ARGS_MAX)
        return weir__fail(WEIR_ERR_INVALID, "%s: arguments of %zu bytes: at least %zu, at most %u",
                          program->what, bytes, sizeof(struct weir_steps_member),
                          WEIR_STEPS_ARGS_MAX);
    if ((status = check_domain(program, domain)))
        return status;
    for (uint32_t i = 0; i < program->array_count && !status; i++)
        status = check_array(program, i);
    if (!status)
        status = check_bitmaps(program, domain);
    return status ? status : check_phases(program);
}
