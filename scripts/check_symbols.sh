#!/bin/sh
# The archive defines global names that start with weir_ only. Names that nvcc, C++ and the sanitizers generate are not
# ours: _Z..., __cuda..., __nv..., fatbin..., DW.ref..., __odr_asan... Nor are the weak, hidden ones of NVTX's header. The shared library exports what the public headers
# declare, each call in a version's node (libweir.map), and nothing else.
#
#   scripts/check_symbols.sh ARCHIVE SHARED HEADER...
set -eu
archive=$1
shared=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A file, not a pipe: a failing nm must fail the check.
nm -g --defined-only "$archive" >"$work/names"
awk '
    /:$/ { member = substr($0, 1, length($0) - 1); next }
    NF < 3 { next }
    { seen++ }
    $3 ~ /^weir_/ || $3 ~ /^(__odr_asan|DW\.ref\.|__x86\.)/ { next }
    member == "trace.o" && $3 ~ /^(nvtx|InitializeInjectionNvtx2)/ { next }
    member ~ /\.cu\.o$/ && $3 ~ /^(_Z|__cuda|__nv|__fatbin|fatbin)/ { next }
    { print member ": " $3 " does not start with weir_"; bad = 1 }
    END {
        if (!seen) { print "the archive defines no global name"; bad = 1 }
        exit bad
    }' "$work/names"

# The version nodes are symbols too, absolute ones; a sanitizer brings names of its own.
nm -D --defined-only "$shared" >"$work/dynamic"
awk '$2 == "A" || $3 ~ /^(__odr_asan|__asan|__ubsan|__tsan|__sanitizer)/ { next }
    { split($3, name, "@"); node = name[3] ? name[3] : name[2] }
    node !~ /^WEIR_[0-9]+\.[0-9]+$/ { print $3 " is in no version of libweir.map" >"/dev/stderr"; bad = 1 }
    { print name[1] }
    END { exit bad }' "$work/dynamic" | sort >"$work/exported"

# A declaration is a statement outside of braces that begins with no static and has a name before a parenthesis.
for header; do
    printf '#include "%s"\n' "$header"
done | ${CC:-cc} -E -P -x c -std=c11 -I. - >"$work/text"
tr '\n' ' ' <"$work/text" | sed 's/[{};]/&\n/g' | awk '
    depth == 0 && /;$/ && !/(^| )(static|typedef) / && match($0, /weir_[a-z0-9][a-z0-9_]* *\(/) {
        name = substr($0, RSTART, RLENGTH); sub(/ *\($/, "", name); print name
    }
    /\{$/ && !/extern "C" *\{$/ { depth++ }
    /\}$/ { depth-- }' | sort -u >"$work/declared"
[ -s "$work/declared" ] || { echo 'the public headers declare nothing' && exit 1; }
comm -3 "$work/declared" "$work/exported" |
    sed 's/^\t\(.*\)/\1 is exported, and no public header declares it/; t; s/$/ is declared in a public header and not exported/' >"$work/wrong"
cat "$work/wrong"
[ ! -s "$work/wrong" ] || exit 1
echo "check-symbols: $(wc -l <"$work/exported") calls"
