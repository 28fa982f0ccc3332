#!/bin/sh
# What WEIR_REQUIRE counts as failed: tests skipped for want of devices that it says are there, and no others.
HERE=$(cd "$(dirname "$0")" && pwd)
RUN=$HERE/../../scripts/run_tests.sh
if [ ! -x "$RUN" ]; then
    echo 'no scripts/run_tests.sh here'
    exit 77
fi
ROOM=$(mktemp -d "${TMPDIR:-/tmp}/weir-require.XXXXXX") || exit 1
trap 'rm -rf "$ROOM"' EXIT
PASSED=0
FAILED=0

# program NAME PASSED REASON...: what a cmocka program prints whose tests passed, but for one that was skipped for
# each reason.
program() {
    name=$1 passed=$2
    shift 2
    {
        echo '#!/bin/sh'
        echo "echo '[==========] tests: Running $((passed + $#)) test(s).' >&2"
        for reason; do echo "echo '$reason'"; done
        echo "echo '[  PASSED  ] $passed test(s).' >&2"
        [ $# -eq 0 ] || echo "echo '[  SKIPPED ] $# test(s), listed below:' >&2"
    } >"$ROOM/$name"
    chmod +x "$ROOM/$name"
}

# expect REQUIRE STATUS LAST_LINE PROGRAM...
expect() {
    require=$1 status=$2 line=$3
    shift 3
    (cd "$ROOM" && env -u WEIR_TEST_LEAVE_OUT BUILD=. WEIR_TEST_JOBS=1 WEIR_REQUIRE="$require" "$RUN" "$@") >"$ROOM/out" 2>&1
    got=$?
    if [ "$got" = "$status" ] && [ "$(tail -n 1 "$ROOM/out")" = "$line" ]; then
        PASSED=$((PASSED + 1))
    else
        FAILED=$((FAILED + 1))
        echo "FAIL: WEIR_REQUIRE=$require of $*: status $got instead of $status, or not '$line':"
        sed 's/^/  /' "$ROOM/out"
    fi
}

program plain 3
program devices 2 'skipped: needs cuda:1' 'skipped: needs cuda:2' 'skipped: needs cuda:4'
program data 1 'no folder of graphs: set WEIR_DATA'
program other 1 'skipped: needs sycl:1'
expect '' 0 '3 passed, 0 failed, 0 skipped' plain
expect '' 0 '2 passed, 0 failed, 3 skipped' devices
expect cuda:1 1 '2 passed, 1 failed, 2 skipped' devices
expect cuda:2 1 '2 passed, 2 failed, 1 skipped' devices
expect cuda:4 1 '2 passed, 3 failed, 0 skipped' devices
expect cuda:8 0 '4 passed, 0 failed, 1 skipped' plain data
expect cuda:8 0 '1 passed, 0 failed, 1 skipped' other
expect sycl:1 1 '1 passed, 1 failed, 0 skipped' other
expect sycl:1 0 '2 passed, 0 failed, 3 skipped' devices
expect cuda 2 'run_tests: WEIR_REQUIRE=cuda does not say a kind and a number of devices, such as cuda:1' plain
expect cuda:x 2 'run_tests: WEIR_REQUIRE=cuda:x does not say a kind and a number of devices, such as cuda:1' plain
expect cuda:1x 2 'run_tests: WEIR_REQUIRE=cuda:1x does not say a kind and a number of devices, such as cuda:1' plain

# The tests themselves say what they need: no machine has as many GPUs.
SKIPS=$(cd "$HERE/../.." && for b in "${BUILD:-build}" bin; do ls "$b/tests/runtime/test_skip" tests/runtime/test_skip; done 2>/dev/null | head -n 1)
if [ -n "$SKIPS" ]; then
    SKIPS=$(cd "$HERE/../.." && realpath "$SKIPS")
    expect cuda:63 0 '1 passed, 0 failed, 3 skipped' "$SKIPS"
    expect cuda:64 1 '1 passed, 3 failed, 0 skipped' "$SKIPS"
else
    FAILED=$((FAILED + 1))
    echo 'FAIL: test_skip is not built'
fi

echo "$PASSED passed, $FAILED failed, 0 skipped"
[ "$FAILED" -eq 0 ]
