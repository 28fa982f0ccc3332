#!/bin/sh
# The table of README.md is written by a script: every row is there and verified, the rest of the file stays, what is
# wrong is said, and time that is over is.
. "$(dirname "$0")/common.sh"
case $0 in /*) here=$(dirname "$0") ;; *) here=$OLDPWD/$(dirname "$0") ;; esac
script=$here/../../scripts/readme_table.sh
[ -f "$script" ] || { echo "there is no $script"; exit 77; }
mkdir build
ln -s "$WEIR" build/weir

# table STATUS OPTIONS: the script with small graphs.
table() {
    want=$1
    shift
    LAST="readme_table.sh $*"
    BUILD=$ROOM/build timeout 100 sh "$script" --small --trials 2 --work "$ROOM/work" --data "$ROOM" --commit abc "$@" >"$OUT" 2>"$ERR" </dev/null
    RC=$?
    if [ "$RC" -eq "$want" ]; then pass; else fail "$LAST should end with $want" && show; fi
}

count() { # PATTERN NUMBER FILE: so many lines have it
    have=$(grep -c -e "$1" "$3")
    if [ "$have" -eq "$2" ]; then pass; else fail "$have lines, not $2, of $3 have: $1" && show; fi
}

first='<!-- table: written by scripts/readme_table.sh -->' last='<!-- end of the table -->'
printf 'before\n\n%s\nold\n%s\n\nafter\n' "$first" "$last" >page.md
table 0 --devices "host:1 host:2" --into page.md
count '^before$' 1 page.md
count '^after$' 1 page.md
count '^old$' 0 page.md
count '^| .*host:1 | host:2, forced | 16 sources | cold | prepared | best other |$' 1 page.md
cell='[0-9.]* ([0-9.]*)'
# Eleven rows with both columns and four times of preparing, four of them with sources.
count "^| [^|]* | $cell | $cell | [^|]* | [0-9.]* | [0-9.]*, [0-9.]*, [0-9.]*, [0-9.]* | *|\$" 11 page.md
count "^| [^|]* | $cell | $cell | $cell | " 3 page.md
count 'at commit abc on host device' 1 page.md
# The suite has all rows of the real table, and one that it does not have is told before anything runs.
rows() { # STATUS
    LAST="readme_table.sh --list"
    sh "$ROOM/scripts/readme_table.sh" --large --data "$ROOM" --list >"$OUT" 2>"$ERR"
    RC=$?
    if [ "$RC" -eq "$1" ]; then pass; else fail "$LAST should end with $1, not $RC" && show; fi
}
mkdir "$ROOM/scripts" && cp "$(dirname "$script")"/*.sh "$ROOM/scripts/"
: >"$ROOM/USA-road.NE.mtx.xz"
rows 0
count '^\(bfs\|sssp\|pr\|cc\)[0-9]*-[A-Za-z0-9]*$' 21 "$OUT"
sed -i 's/ bfs16-mesh / /' "$ROOM/scripts/bench_suite.sh"
rows 2
count 'bench_suite.sh has no row bfs16-mesh' 1 "$ERR"
# Again over itself, and into a file that is not there yet.
table 0 --devices host:1 --into page.md
count '^| BFS ' 3 page.md
count "$last" 1 page.md
table 0 --devices host:1 --into new.md
count "$first" 1 new.md
# Time that is over is said for every row.
table 0 --devices host:1 --budget 1
count ' | not run | ' 11 "$OUT"
# Devices that are not there are said, too, beside the columns of those that are.
table 1 --devices "host:1 cuda:63"
count "| $cell | \*\*failed\*\* |" 11 "$OUT"
count ' | not run | ' 0 "$OUT"
# What does not verify ends with 1 and shows no time.
if [ -x "$WRONG" ]; then
    ln -sf "$WRONG" build/weir
    export WEIR_TEST_WRONG=5:0.5
    table 1 --devices host:1
    unset WEIR_TEST_WRONG
    count '^| BFS .* | \*\*wrong\*\* | \*\*wrong\*\* | ' 2 "$OUT"
    count '^| PageRank .* | \*\*wrong\*\* | ' 2 "$OUT"
else
    skip "weir-wrong is not built"
fi
# Nothing is run for a file that it could not write into, or an option that it does not have.
echo text >unmarked.md
table 2 --into unmarked.md
count '^text$' 1 unmarked.md
table 2 --colour
table 2 --devices ''
finish
