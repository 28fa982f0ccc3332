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
# shellcheck disable=SC2034 # tests use it: the command with wrong results, or what else is asked for; no program where it is not built
WRONG=$BUILD/tests/cli/weir-wrong
[ -x "$WRONG" ] || WRONG=$(cd "$(dirname "$0")" && pwd -P)/weir-wrong
ROOM=$(mktemp -d "${TMPDIR:-/tmp}/weir-cli.XXXXXX") || exit 1
trap 'cd /; rm -rf "$ROOM"' EXIT
trap 'exit 1' INT TERM
cd "$ROOM" || exit 1

PASSED=0
FAILED=0
SKIPPED=0
# shellcheck disable=SC2034 # tests use it
STRIDE=${WEIR_TEST_STRIDE:-1} # of many combinations every so many-th is tried, as tests/lib/share.h has it
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

unset INPUT # of whoever runs the tests

# run ARGUMENTS: the program, at most 60 seconds; RC, OUT and ERR hold what came of it.
# INPUT is what it has as standard input.
run() {
    LAST="weir $*"
    timeout 60 "$WEIR" "$@" >"$OUT" 2>"$ERR" <"${INPUT:-/dev/null}"
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

# nth N WORD...: word N mod how many there are, into NTH. Loops take every pair of two choices by it, where every
# combination of three would take too long.
nth() {
    n=$1
    shift
    shift $((n % $#))
    # shellcheck disable=SC2034 # tests read it
    NTH=$1
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

# ---- JSON, read with TOOL, which is empty where there is none ----
if command -v python3 >/dev/null 2>&1 && python3 -c 'import json' 2>/dev/null; then
    TOOL=python3
elif command -v jq >/dev/null 2>&1; then
    TOOL=jq
else
    TOOL=
fi

# members FILE: a line for each member of a document, its path as a.b.0.c, a tab, its value in JSON's own
# spelling, whole numbers without a fraction.
members() {
    if [ "$TOOL" = python3 ]; then
        python3 -c '
import json, sys
def walk(at, path):
    if isinstance(at, float) and at.is_integer():
        at = int(at)
    if path:
        print(path, json.dumps(at), sep="\t")
    below = at.items() if isinstance(at, dict) else enumerate(at) if isinstance(at, list) else ()
    for step, value in below:
        walk(value, f"{path}.{step}" if path else str(step))
walk(json.load(open(sys.argv[1])), "")' "$1"
    else
        jq -r 'paths as $p | ($p | map(tostring) | join(".")) + "\t" + (getpath($p) | tojson)' "$1"
    fi
}

# value FILE PATH: one member. A document is read once, since its reader starts slowly.
value() {
    if ! cmp -s "$1" "$ROOM/.read"; then
        members "$1" >"$ROOM/.members" 2>&1 || echo "not JSON: $(tail -1 "$ROOM/.members")"
        cp "$1" "$ROOM/.read"
    fi
    awk -v path="$2" '
        index($0, path "\t") == 1 { print substr($0, length(path) + 2); found = 1; exit }
        END { if (!found) print "not there" }' "$ROOM/.members"
}

# has_member FILE PATH: a document has it.
has_member() {
    [ "$(value "$1" "$2")" != 'not there' ]
}

# is PATH WANT: the member of the last standard output.
is() {
    got=$(value "$OUT" "$1")
    if [ "$got" = "$2" ]; then
        pass
    else
        fail "$LAST: $1 should be $2, not $got"
    fi
}

# is_not PATH VALUE: a member is there and something else.
is_not() {
    got=$(value "$OUT" "$1")
    case $got in
    "$2" | null) fail "$LAST: $1 is $got" ;;
    [0-9]* | '"'* | true | false) pass ;;
    *) fail "$LAST: $1 is $got" ;;
    esac
}

# at_least NUMBER PATH: a member is a whole number, not smaller.
at_least() {
    got=$(value "$OUT" "$2")
    if [ "$got" -ge "$1" ] 2>/dev/null; then
        pass
    else
        fail "$LAST: $2 should be at least $1, not $got"
    fi
}

# present PATH...: members that are numbers, texts or truth values.
present() {
    for path in "$@"; do
        got=$(value "$OUT" "$path")
        case $got in
        [0-9]* | '"'* | true | false) pass ;;
        *) fail "$LAST: $path is $got" ;;
        esac
    done
}

# The folder starts with the files that `refuse` compares, so that they are not new ones.
touch "$OUT" "$ERR" "$ROOM/.before" "$ROOM/.after" "$ROOM/.read" "$ROOM/.members"

finish() {
    echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
    [ "$FAILED" -eq 0 ]
    exit
}
