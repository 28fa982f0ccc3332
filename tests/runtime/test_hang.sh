#!/bin/sh
# Of a test that does not end scripts/run_tests.sh shows where its threads stood, and of one that ends nothing.
HERE=$(cd "$(dirname "$0")" && pwd)
RUN=$HERE/../../scripts/run_tests.sh
for needed in gdb pgrep; do
    command -v $needed >/dev/null || { echo "no $needed here" && exit 77; }
done
[ -x "$RUN" ] || { echo 'no scripts/run_tests.sh here' && exit 77; }
ROOM=$(mktemp -d "${TMPDIR:-/tmp}/weir-hang.XXXXXX") || exit 1
trap 'rm -rf "$ROOM"' EXIT
gdb -nx -batch -ex 'backtrace 1' -p $$ 2>/dev/null </dev/null | grep -q '^#0 ' || { echo 'gdb may not look at processes here' && exit 77; }
PASSED=0
FAILED=0

expect() { # WHAT PATTERN COUNT
    if [ "$(grep -c "$2" "$ROOM/out")" = "$3" ]; then
        PASSED=$((PASSED + 1))
    else
        FAILED=$((FAILED + 1))
        echo "FAIL: $1: not $3 times '$2' in"
        sed 's/^/  /' "$ROOM/out"
    fi
}

printf '#!/bin/sh\necho begun\nsleep 60\n' >"$ROOM/sleeper.sh"
printf '#!/bin/sh\nsleep 1\n' >"$ROOM/ends.sh"
chmod +x "$ROOM"/*.sh
(cd "$ROOM" && env BUILD=. WEIR_TEST_JOBS=1 WEIR_REQUIRE= WEIR_TEST_TIMEOUT=10 "$RUN" sleeper.sh ends.sh) >"$ROOM/out" 2>&1
expect 'a test that hangs' '^FAIL sleeper.sh .*stopped after 10 s' 1
expect 'what it printed' '^     | begun$' 1
expect 'the process that it started' '^     | where process [0-9]* (sleep) stood' 1
expect 'calls of its thread' '^     |   thread 1:.*nanosleep' 1
expect 'a test that ends' '^ok   ends.sh' 1
expect 'the stacks of two processes' 'stood shortly before' 2
echo "$PASSED passed, $FAILED failed, 0 skipped"
[ "$FAILED" -eq 0 ]
