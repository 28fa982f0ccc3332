#!/bin/sh
# The library defines global names that start with weir_ only. Names that nvcc, C++ and the
# sanitizers generate are not ours: _Z..., __cuda..., __nv..., fatbin..., DW.ref..., __odr_asan...
set -eu
lib=$1
# A file, not a pipe: a failing nm must fail the check.
names=$(mktemp)
trap 'rm -f "$names"' EXIT
nm -g --defined-only "$lib" >"$names"
awk '
    /:$/ { member = substr($0, 1, length($0) - 1); next }
    NF < 3 { next }
    { seen++ }
    $3 ~ /^weir_/ || $3 ~ /^(__odr_asan|DW\.ref\.|__x86\.)/ { next }
    member ~ /\.cu\.o$/ && $3 ~ /^(_Z|__cuda|__nv|__fatbin|fatbin)/ { next }
    { print member ": " $3 " does not start with weir_"; bad = 1 }
    END {
        if (!seen) { print "the library defines no global name"; bad = 1 }
        exit bad
    }' "$names"
