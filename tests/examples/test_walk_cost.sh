#!/bin/sh
# examples/26_walk_cost on a few devices: every form of every schedule is right, by one lane and by several, also where there are more
# lanes than rows; "pick" has a line for each matrix and size, and takes what worklist/pick.h says. What is refused.
BUILD=${BUILD:-build}
examples=$BUILD/examples
[ -d "$examples" ] || examples=$BUILD/../examples # in a bundle
examples=$(cd "$examples" 2>/dev/null && pwd -P) || { echo 'the examples are not built' && exit 77; }
room=$(mktemp -d "${TMPDIR:-/tmp}/weir-walk.XXXXXX") || exit 1
trap 'cd /; rm -rf "$room"' EXIT
trap 'exit 1' INT TERM
cd "$room" || exit 1
passed=0 failed=0 skipped=0

# has RC LINES TEXT ARGUMENTS...: the status, how many lines of the output have the text, and no result is wrong.
has() {
    want=$1 lines=$2 text=$3
    shift 3
    rc=0
    timeout 100 "$examples/26_walk_cost" "$@" >out 2>err || rc=$?
    if [ $rc -eq "$want" ] && [ "$(cat out err | grep -c -e "$text")" -eq "$lines" ] && ! grep -q WRONG out; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: $* ended with $rc, and should have $lines lines with: $text"
        sed -n '1,5s/^/  /p' out err
    fi
}

devices='host:1 host:1x3 host:1x16'
if timeout 100 "$examples/26_walk_cost" cuda:0 64 1 >out 2>err; then
    devices="$devices cuda:0"
else
    skipped=1
    echo 'skipped: needs cuda:1'
fi
for spec in $devices; do
    for schedule in thread team warp block group scratch merge; do
        case $schedule in
        thread) has 0 5 '^  thread ' "$spec" 3000 1 ;; # a run has all schedules: look at the others in the same output
        *) [ "$(grep -c "^  $schedule " out)" -eq 5 ] || { failed=$((failed + 1)) && echo "FAIL: $spec: no five lines of $schedule"; } ;;
        esac
    done
    has 0 5 '^  merge ' "$spec" 1 2
    has 0 15 ' \(thread\|group\|merge\) .*[0-9]\.[0-9][0-9]$' "$spec" pick 1024 3
done
# Five matrices of 64 nonzeros, all small: what is uneven goes to group.
has 0 1 '^3 of 4 rows empty .*  group   *[0-9.]*$' host:1 pick 64 1
# Past the limits of hosts are 16384 nonzeros, and 4096 of which most rows are empty.
has 0 6 '  merge   *[0-9.]*$' host:1 pick 16384 1
has 2 1 'is not a number from 1 to 268435456$' host:1 0
has 2 1 'is not a number from 1 to 268435456$' host:1 268435457
has 2 1 'x is not a number from 1 to 268435456$' host:1 pick 1x
has 2 1 'is not a number from 1 to 100$' host:1 64 101
has 2 1 '^usage:' host:1 64 1 1
has 2 1 "^device spec 'none'" none
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
