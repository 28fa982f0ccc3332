#!/bin/sh
# HTML reference of the public headers. A warning of doxygen is an error, and so is a public function, type
# or macro without a comment; members may speak for themselves.
#
#   scripts/docs.sh OUTDIR VERSION
set -eu
out=$1
version=$2
if ! command -v doxygen >/dev/null 2>&1; then
    echo 'docs: doxygen is not installed; package: doxygen' >&2
    exit 1
fi
headers=
for header in runtime/runtime.h topology/topology.h topology/bench.h router/router.h router/bench.h router/collective.h worklist/worklist.h \
    algorithms/algorithms.h algorithms/bench.h algorithms/part.h runtime/dialect.h worklist/operator.h worklist/schedule.h worklist/tiles.h worklist/range.h worklist/pick.h worklist/steps.h; do
    [ ! -f "$header" ] || headers="$headers $header"
done
mkdir -p "$out"
doxygen - <<END
PROJECT_NAME = weir
PROJECT_NUMBER = $version
OUTPUT_DIRECTORY = $out
INPUT = $headers
OPTIMIZE_OUTPUT_FOR_C = YES
JAVADOC_AUTOBRIEF = YES
EXTRACT_STATIC = YES
MACRO_EXPANSION = YES
PREDEFINED = WEIR_DEV="static inline"
FULL_PATH_NAMES = YES
STRIP_FROM_PATH = .
AUTOLINK_SUPPORT = YES
WARN_IF_UNDOCUMENTED = YES
WARN_IF_INCOMPLETE_DOC = NO
WARN_LOGFILE = $out/warnings
GENERATE_LATEX = NO
HAVE_DOT = NO
QUIET = YES
END
if grep -v -e '^$' -e 'Member .* (variable) of .* is not documented' "$out/warnings" >&2; then
    exit 1
fi
echo "docs: $out/html/index.html"
