#!/bin/sh
# The .c and the .cu file of a body of supersteps must define the same of WEIR_STEPS_EPILOGUE and WEIR_STEPS_NO_RESET: the
# one calls a loader by a name that the other defines only then. No GPU and no nvcc is needed: names are the preprocessor's.
HERE=$(cd "$(dirname "$0")" && pwd)
TOP=$HERE/../..
CC=${CC:-cc}
if [ ! -f "$TOP/worklist/steps_cuda_tmpl.cuh" ] || ! command -v "$CC" >/dev/null; then
    echo 'no sources or no compiler here'
    exit 77
fi
ROOM=$(mktemp -d "${TMPDIR:-/tmp}/weir-steps.XXXXXX") || exit 1
trap 'rm -rf "$ROOM"' EXIT
: >"$ROOM/cuda_runtime.h"
ln -s "$(cd "$TOP" && pwd)" "$ROOM/weir" # programs include <weir/...>
PASSED=0
FAILED=0

# loader FILE WAY: the name of the loader in a file that says: none, epilogue, no_reset or both.
loader() {
    {
        echo '#include "tests/lib/arrays_body.h"'
        echo '#define WEIR_STEPS arrays'
        case $2 in epilogue | both) echo '#define WEIR_STEPS_EPILOGUE' ;; esac
        case $2 in no_reset | both) echo '#define WEIR_STEPS_NO_RESET' ;; esac
        case $1 in
        c) echo '#include "worklist/steps_host_tmpl.h"' ;;
        cu) echo '#include "worklist/steps_cuda_tmpl.cuh"' ;;
        esac
    } >"$ROOM/file.$1"
    case $1 in
    c) set -- "$1" -x c ;;
    cu) set -- "$1" -x c++ -D__CUDACC__ ;;
    esac
    file=$1
    shift
    "$CC" -E -P "$@" -DWEIR_CUDA=1 -I"$TOP" -I"$ROOM" "$ROOM/file.$file" | grep -o 'weir__arrays_load[A-Za-z_]*' | sort -u
}

for c in none epilogue no_reset both; do
    for cu in none epilogue no_reset both; do
        wanted=$(loader c $c)
        there=$(loader cu $cu)
        agree=no
        [ "$wanted" = "$there" ] && agree=yes
        should=no
        [ $c = $cu ] && should=yes
        if [ -n "$wanted" ] && [ -n "$there" ] && [ $agree = $should ]; then
            PASSED=$((PASSED + 1))
        else
            FAILED=$((FAILED + 1))
            echo "a .c file with $c wants $wanted, a .cu file with $cu has $there"
        fi
    done
done

echo "$PASSED passed, $FAILED failed, 0 skipped"
[ "$FAILED" -eq 0 ]
