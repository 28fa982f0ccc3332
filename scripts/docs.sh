#!/bin/sh
# HTML reference of the public headers; a warning of doxygen is an error.
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
for header in runtime/runtime.h topology/topology.h router/router.h worklist/worklist.h \
    algorithms/algorithms.h runtime/dialect.h worklist/operator.h; do
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
EXTRACT_ALL = YES
MACRO_EXPANSION = YES
FULL_PATH_NAMES = YES
STRIP_FROM_PATH = .
AUTOLINK_SUPPORT = YES
WARN_IF_INCOMPLETE_DOC = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
GENERATE_LATEX = NO
QUIET = YES
END
echo "docs: $out/html/index.html"
