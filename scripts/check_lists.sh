#!/bin/sh
# Lists in pages and tests are those of the sources, no more and no less:
#   the files that know CUDA, in docs/porting-a-backend.md, "Beyond the table": a port meets no others;
#   the slots of struct weir__backend, in "The table" of the same page;
#   the public calls of runtime and router that return a status, in tests/router/test_missing.c, and those of the worklist and of
#   supersteps, in tests/worklist/test_null.c: each refuses NULL.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=docs/porting-a-backend.md
status=0

same() { # WHAT: $work/listed and $work/there
    sort -u "$work/listed" >"$work/one"
    sort -u "$work/there" >"$work/two"
    if [ ! -s "$work/two" ] || ! diff "$work/one" "$work/two" >"$work/differ"; then
        echo "$1 differ:"
        cat "$work/differ"
        status=1
    fi
}
# A header, or another source, on one line and without its comments.
code() {
    tr '\n' ' ' <"$1" | sed 's@/\*\([^*]\|\*\**[^*/]\)*\*\**/@@g'
}
section() { # HEADING: the first column of the table below it
    sed -n "/^## $1/,/^## /p" "$page" | grep '^| `' | sed 's/^| \([^|]*\) |.*/\1/' | tr -d '`,' | tr ' ' '\n'
}

section 'Beyond the table' | grep '/' >"$work/listed"
find runtime topology router worklist algorithms -name '*.[ch]' ! -path 'runtime/cuda/*' | sort | while read -r file; do
    code "$file" | grep -qE '(WEIR_DEVICE_CUDA|WEIR_CUDA|__CUDACC__)([^_A-Za-z]|$)|[a-z0-9#]_cuda([^_A-Za-z0-9]|$)|weir__(cuda|nvml)_|[.>]cuda([^_A-Za-z]|$)' &&
        echo "$file"
done >"$work/there" || :
same "$page, \"Beyond the table\", and the files that know CUDA by name"

section 'The table' >"$work/listed"
code runtime/backend.h | sed 's/.*struct weir__backend {\([^}]*\)}.*/\1/' | tr ';' '\n' |
    sed -n 's/^[^(]*(\*\([a-z_]*\))(.*/\1/p; t; s/^.*[ *]\([a-z_]*\) *$/\1/p' | grep . >"$work/there"
same "$page, \"The table\", and the slots of struct weir__backend"

same_calls() { # TEST HEADER...: the calls that the test makes with NULL are those of the headers that return a status
    test=$1
    shift
    code "$test" | grep -oE '(MISSING|MAKES_NONE)\( *weir_[a-z_]+' | grep -oE 'weir_[a-z_]+' >"$work/listed"
    for header; do
        # weir_error_set() and weir_work_fail() give the status back that they are given; their sentence may be NULL.
        code "$header" | grep -oE 'weir_status weir_[a-z_]+\(' | grep -oE 'weir_[a-z_]+\(' | tr -d '(' |
            grep -vxE 'weir_error_set|weir_work_fail'
    done >"$work/there"
    same "$test and the public calls that return a status"
}
same_calls tests/router/test_missing.c runtime/runtime.h router/router.h router/channel.h router/collective.h router/process.h
same_calls tests/worklist/test_null.c worklist/worklist.h worklist/steps.h
exit "$status"
