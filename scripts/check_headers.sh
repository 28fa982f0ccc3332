#!/bin/sh
# Does every header compile alone? Those named on the command line are public: strict C11, and
# C++17 where there is a C++ compiler. All others of the tree: C11 with the flags of the library, and where CUDA is not
# installed with the headers of its stand-in.
set -eu
cc=${CC:-cc}
warn='-Wall -Wextra -Wpedantic -Werror -fsyntax-only'
cuda=tests/standin/include
if nvcc=$(command -v "${NVCC:-nvcc}" 2>/dev/null); then
    cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")/include
fi
private='-D_GNU_SOURCE -DWEIR_CUDA=1'
checked=0 bad=0

# As in a build, where programs write <weir/...>.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
ln -s "$PWD" "$tree/weir"

alone() { # HEADER COMPILER FLAGS...
    header=$1
    shift
    checked=$((checked + 1))
    printf '#include "%s"\ntypedef int weir_not_empty;\n' "$header" | "$@" -I. -I"$tree" - || {
        echo "$header does not compile alone: $*" >&2
        bad=$((bad + 1))
    }
}

cxx=
for candidate in "${CXX:-}" g++ c++ clang++; do
    [ -z "$cxx" ] && [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && cxx=$candidate
done
[ -n "$cxx" ] || echo 'check-headers: no C++ compiler, C++17 is not checked'

# shellcheck disable=SC2086 # the compiler and the warnings are lists of words
for header; do
    alone "$header" $cc -x c -std=c11 $warn
    [ -z "$cxx" ] || alone "$header" $cxx -x c++ -std=c++17 $warn
done

for header in $(find runtime topology router worklist algorithms examples tests -name '*.h' | sort); do
    case " $* $header" in *" $header "* | *_tmpl.h) continue ;; esac
    # shellcheck disable=SC2086
    alone "$header" $cc -x c -std=c11 $private -isystem "$cuda" $warn
done
echo "check-headers: $checked compilations, $bad failed"
[ "$bad" -eq 0 ]
