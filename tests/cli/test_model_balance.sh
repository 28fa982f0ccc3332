#!/bin/sh
# scripts/model_balance.sh: what it reckons of graphs whose levels are known, by hand.
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.sh"
MODEL=$HERE/../../scripts/model_balance.sh
if [ ! -f "$MODEL" ]; then
    skip "no model_balance.sh"
    finish
fi
mkdir bin && ln -s "$WEIR" bin/weir

# model GRAPH: its table on stdout.
model() {
    BUILD=bin ARC_NS=1000 FAR_NS=500 LEVEL_US=10 BARRIER_US=1 sh "$MODEL" "$1" >"$OUT" 2>"$ERR" && return
    fail "the model of $1 fails"
    show
}
# A chain of 8: levels 0 and 7 have one arc, the other six have two, each of one block. Of m devices 8 * (10 + m) and 14 arcs of 1 us.
model chain:8
has '| `chain:8` | 1 | 0.09 | 0.09 | 0.09 | 0.09 | 0.09 | 0 of 8 |'
has '| `chain:8` | 8 | 0.16 | 0.16 | 0.09 | 0.09 | 0.09 | 8 of 8 |'
# A star of 801 from its hub: 800 arcs in the first block, then 800 in all. On 8 devices 18 + 800 and 18 + 101 or so;
# shared out the first takes 18 + 16 + 100 + 700 * 0.5 / 8, and by one device 10 + 800.
model star:801
has '| `star:801` | 1 | 1.62 |'
has '| `star:801` | 8 | 0.94 | 0.30 | 0.93 | 0.30 | 0.30 | 0 of 2 |'
RC=0
sh "$MODEL" >"$OUT" 2>"$ERR" || RC=$?
[ "$RC" -eq 2 ] && grep -q 'model_balance.sh GRAPH' "$ERR" && pass || fail "no graph should be bad usage, with a line that says how"
RC=0
BUILD=bin sh "$MODEL" no-such-file >"$OUT" 2>"$ERR" || RC=$?
[ "$RC" -eq 1 ] && grep -q no-such-file "$ERR" && pass || fail "a file that is not there should be named"
finish
