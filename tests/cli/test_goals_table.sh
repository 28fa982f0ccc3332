#!/bin/sh
# The table of goals: rows that are asked for, each verified and held against what is to pass; what fails, is wrong or is not
# run says so.
. "$(dirname "$0")/common.sh"
case $0 in /*) here=$(dirname "$0") ;; *) here=$OLDPWD/$(dirname "$0") ;; esac
script=$here/../../scripts/goals_table.sh
[ -f "$script" ] || { echo "there is no $script"; exit 77; }
mkdir build
ln -s "$WEIR" build/weir

# table STATUS ROW...: the script with small graphs.
table() {
    want=$1
    shift
    LAST="goals_table.sh $*"
    SMALL=1 ONE=host:1 TWO=${TWO:-host:2} TRIALS=2 BUILD=$ROOM/build timeout 100 sh "$script" "$@" >"$OUT" 2>"$ERR" </dev/null
    RC=$?
    if [ "$RC" -eq "$want" ]; then pass; else fail "$LAST should end with $want, not $RC" && show; fi
}

count() { # PATTERN NUMBER: so many lines have it
    have=$(grep -c -e "$1" "$OUT")
    if [ "$have" -eq "$2" ]; then pass; else fail "$have lines, not $2, of the table have: $1" && show; fi
}

figure='[0-9.e+-]*\( \*\**\)\{0,1\}'
table 0 bfs-grid 'cc-*22' 'cc-rmat22' pr-tri
count '^| [a-z]* [A-Za-z0-9]*, [a-z]* | '"$figure"' | [0-9.]* | [0-9.]* | '"$figure"' | [0-9.]* | [0-9.]* |$' 4
count '^| bfs grid, edge | [0-9.e-]* \*\* | 20 | 14 | ' 1 # a grid of 1600 vertices takes no 14 ms
count '^| cc rmat22, edge | ' 1
TWO=none table 0 bfs-grid
count '^| bfs grid, edge | [0-9.e-]* \*\* | 20 | 14 | not run | 25 | 16 |$' 1
table 2 bfs-none
# A run that fails, and one whose result is wrong: neither is a time.
printf '#!/bin/sh\nexit 1\n' >fails
printf '#!/bin/sh\ncase " $* " in *" --verify "*) exit 1 ;; esac\nexec "%s" "$@"\n' "$WEIR" >errs
chmod +x fails errs
ln -sf "$ROOM/fails" build/weir
table 1 bfs-grid
count '^| bfs grid, edge | failed | 20 | 14 | failed | 25 | 16 |$' 1
ln -sf "$ROOM/errs" build/weir
table 1 bfs-grid
count ' not verified | 20 | 14 | [0-9.e-]* not verified | ' 1
BUDGET=1 table 0 bfs-grid
count '^| bfs grid, edge | not run | 20 | 14 | not run | 25 | 16 |$' 1
finish
