# shellcheck shell=sh
# What the tests of the command share; sourced, not run. Each test runs in a folder of its own that
# is removed at the end; WEIR is the program, found before the folder is left.

BUILD=${BUILD:-build}
case $BUILD in
/*) ;;
*) BUILD=$PWD/$BUILD ;;
esac
WEIR=$BUILD/weir
if [ ! -x "$WEIR" ]; then
    echo "$WEIR is not built"
    exit 77
fi
ROOM=$(mktemp -d "${TMPDIR:-/tmp}/weir-cli.XXXXXX") || exit 1
trap 'cd /; rm -rf "$ROOM"' EXIT
trap 'exit 1' INT TERM
cd "$ROOM" || exit 1

PASSED=0
FAILED=0
SKIPPED=0
OUT=$ROOM/.stdout
ERR=$ROOM/.stderr
RC=0

pass() {
    PASSED=$((PASSED + 1))
}

fail() {
    FAILED=$((FAILED + 1))
    echo "FAIL: $*"
}

skip() {
    SKIPPED=$((SKIPPED + 1))
    echo "skip: $*"
}

# run ARGUMENTS: the program, at most 60 seconds; RC, OUT and ERR hold what came of it.
run() {
    LAST="weir $*"
    timeout 60 "$WEIR" "$@" >"$OUT" 2>"$ERR" </dev/null
    RC=$?
}

show() {
    echo "  $LAST: status $RC"
    sed -n '1,5s/^/  stdout: /p' "$OUT"
    sed -n '1,5s/^/  stderr: /p' "$ERR"
}

# expect_ok ARGUMENTS: status 0 and nothing on stderr.
expect_ok() {
    run "$@"
    if [ "$RC" -eq 0 ] && [ ! -s "$ERR" ]; then
        pass
        return 0
    fi
    fail "should succeed in silence"
    show
    return 1
}

# refuse STATUS TEXT ARGUMENTS: that status, one line on stderr that starts with "weir: " and holds
# TEXT, nothing on stdout, and no new file in the folder.
refuse() {
    want=$1
    text=$2
    shift 2
    ls -A >"$ROOM/.before"
    run "$@"
    ls -A >"$ROOM/.after"
    why=
    [ "$RC" -eq "$want" ] || why="status should be $want"
    [ "$(wc -l <"$ERR")" -eq 1 ] || why="stderr should be one line"
    grep -q '^weir: ' "$ERR" || why="stderr should start with weir:"
    grep -qF -e "$text" "$ERR" || why="stderr should hold: $text"
    [ -s "$OUT" ] && why="stdout should be empty"
    cmp -s "$ROOM/.before" "$ROOM/.after" || why="a file was left behind"
    if [ -z "$why" ]; then
        pass
        return 0
    fi
    fail "$why"
    show
    return 1
}

# has TEXT: the last stdout holds it.
has() {
    if grep -qF -e "$1" "$OUT"; then
        pass
    else
        fail "stdout should hold: $1"
        show
    fi
}

# same A B WHAT: two files are equal.
same() {
    if cmp -s "$1" "$2"; then
        pass
    else
        fail "$3 differs"
        diff "$1" "$2" | head -5
    fi
}

# The folder starts with the files that `refuse` compares, so that they are not new ones.
touch "$OUT" "$ERR" "$ROOM/.before" "$ROOM/.after"

finish() {
    echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
    [ "$FAILED" -eq 0 ]
    exit
}
