# shellcheck shell=sh
# What the tests of the templates' preprocessor text share; sourced, not run. No GPU and no nvcc is needed, since names and
# refusals are the preprocessor's. preprocess takes options of the compiler; files lie in ROOM, which is removed at the end.

TOP=$(cd "$(dirname "$0")/../.." && pwd)
CC=${CC:-cc} # may be several words: "ccache cc"
if [ ! -f "$TOP/worklist/steps_cuda_tmpl.cuh" ] || ! command -v "${CC%% *}" >/dev/null; then
    echo 'no sources or no compiler here'
    exit 77
fi
ROOM=$(mktemp -d "${TMPDIR:-/tmp}/weir-templates.XXXXXX") || exit 1
trap 'rm -rf "$ROOM"' EXIT
: >"$ROOM/cuda_runtime.h"
ln -s "$TOP" "$ROOM/weir" # programs include <weir/...>
PASSED=0
FAILED=0

preprocess() {
    # shellcheck disable=SC2086 # words
    $CC -E -P -DWEIR_CUDA=1 -I"$TOP" -I"$ROOM" "$@"
}

passed() {
    PASSED=$((PASSED + 1))
}

failed() {
    FAILED=$((FAILED + 1))
    echo "$@"
}

finish() {
    echo "$PASSED passed, $FAILED failed, 0 skipped"
    [ "$FAILED" -eq 0 ]
}
