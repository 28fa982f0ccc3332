#!/bin/sh
# A structure that begins with its size (docs/abi.md) begins as its initialiser says: a variable of such a type that is
# declared without a value has a size by chance. The types are those of the public headers whose first member is `size`.
#
#   scripts/check_sized.sh [FILE...]      all sources of the tree, unless some are named
set -eu
types=$(cat runtime/runtime.h topology/topology.h router/router.h router/channel.h router/collective.h worklist/*.h algorithms/algorithms.h algorithms/matrix.h algorithms/rows.h |
    awk '/^typedef struct weir_[a-z_]+ \{$/ { type = $3; next }
         type && /^    size_t size;/ && !/set by the library/ { print type }
         !/^    (\/\*\*| \*)/ { type = "" }' | tr '\n' ' ')
[ -n "$types" ] || { echo 'check_sized: no header has a structure with a size' && exit 1; }
# Paths of the tree have no blanks.
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(find runtime topology router worklist algorithms examples tests \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | sort)
# Members of structures have no values of their own: what stands between the braces of one is left out. A constant that
# is filled in by the names of its members, and a policy that a call gives, have an = behind the name.
awk -v types="$types" '
    BEGIN { count = split(types, list, " "); for (i = 1; i <= count; i++) sized[list[i]] = 1 }
    FNR == 1 { depth = 0; head = "" }
    {
        text = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", text); sub(/\/\/.*/, "", text); gsub(/\/\*[^*]*\*\//, "", text); sub(/\/\*.*/, "", text)
        if (text ~ /^ *\*/) text = ""
    }
    text ~ /^[ \t]+(static )?weir_[a-z_]+ [a-z_]+(\[[^]]*\])?(, [a-z_]+(\[[^]]*\])?)*;/ && (depth == 0 || !within[depth]) {
        type = text; sub(/^[ \t]+(static )?/, "", type); sub(/ .*/, "", type)
        if (type in sized) { print FILENAME ":" FNR ": a " type " has no initialiser"; bad = 1 }
    }
    {
        while (match(text, /[{};]/)) {
            mark = substr(text, RSTART, 1); head = head substr(text, 1, RSTART - 1); text = substr(text, RSTART + 1)
            if (mark == "{") within[++depth] = head ~ /(^|[^a-z_])(struct|union)[^()=]*$/
            if (mark == "}" && depth > 0) depth--
            head = ""
        }
        head = head text
        if (head ~ /^[ \t]*#/) head = ""
    }
    END { exit bad }' "$@"
