/** @file machine_text.c  Printing into a string. */
#include "topology/machine_text.h"

#include <locale.h>
#include <stdlib.h>

weir_status weir__machine_text(const weir_machine *machine,
                               void (*put)(FILE *out, const weir_machine *machine), char **text_out)
{
    char *text = NULL;
    size_t bytes = 0;
    int failed = 1;
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    FILE *out = plain ? open_memstream(&text, &bytes) : NULL;
    *text_out = NULL;
    if (out) {
        locale_t before = uselocale(plain);
        put(out, machine);
        uselocale(before);
        failed = ferror(out) != 0;
        failed |= fclose(out) != 0;
    }
    if (plain)
        freelocale(plain);
    if (failed) {
        free(text);
        return weir__fail(WEIR_ERR_NOMEM, "no memory for the text of machine %s", machine->name);
    }
    *text_out = text;
    return WEIR_OK;
}
