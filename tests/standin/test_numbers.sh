#!/bin/sh
# The stand-in's headers give names the numbers that CUDA's own give them. Skipped without CUDA's headers or a compiler.
set -eu
here=tests/standin/include
nvcc=$(command -v "${NVCC:-nvcc}" 2>/dev/null) || { echo 'no nvcc here' && exit 77; }
command -v "${CC:-cc}" >/dev/null && [ -d "$here" ] || { echo 'no compiler, or no sources here' && exit 77; }
cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
{
    printf '#include <cuda_runtime_api.h>\n#include <cuda.h>\n'
    cat "$here"/cuda.h "$here"/cuda_runtime_api.h | awk '
        $2 == "=" && /^ *(cuda|CUDA)/ { name = $1; number = $3 }
        $1 == "#define" && $2 ~ /^(cuda|CU_)/ && $3 ~ /^0x/ { name = $2; number = $3 }
        name { sub(/,$/, "", number); printf "_Static_assert(%s == %s, \"%s\");\n", name, number, name; name = "" }'
} >"${TMPDIR:-/tmp}/numbers.$$.c"
trap 'rm -f "${TMPDIR:-/tmp}/numbers.$$.c"' EXIT
count=$(grep -c _Static_assert "${TMPDIR:-/tmp}/numbers.$$.c")
[ "$count" -ge 60 ] || { echo "only $count numbers were found" && exit 1; }
"${CC:-cc}" -std=c11 -fsyntax-only -isystem "$cuda" "${TMPDIR:-/tmp}/numbers.$$.c"
echo "$count numbers are those of $cuda"
