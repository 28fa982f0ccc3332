/** @file machine_text.c  Printing into a string. */
#include "topology/machine_text.h"

#include "runtime/text.h"

#include <locale.h>

weir_status weir__machine_text(const weir_machine *machine,
                               void (*put)(FILE *out, const weir_machine *machine), char **text_out)
{
    weir__text text = {.file = NULL};
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    FILE *out = plain ? weir__text_open(&text) : NULL;
    if (out) {
        locale_t before = uselocale(plain);
        put(out, machine);
        uselocale(before);
    }
    if (plain)
        freelocale(plain);
    if (!(*text_out = weir__text_close(&text, NULL)))
        return weir__fail(WEIR_ERR_NOMEM, "no memory for the text of machine %s", machine->name);
    return WEIR_OK;
}
