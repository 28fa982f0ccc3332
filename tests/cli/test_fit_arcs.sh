#!/bin/sh
# scripts/fit_arcs.sh: what work takes a device comes into the file of a machine, with its error; what is refused.
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.sh"
FIT=$HERE/../../scripts/fit_arcs.sh
if [ ! -f "$FIT" ]; then
    skip "no fit_arcs.sh"
    finish
fi
mkdir bin && ln -s "$WEIR" bin/weir

# fit ARGUMENTS: its tables on stdout, of few and small graphs.
fit() {
    RC=0
    BUILD=bin GRAPHS="${SOME-rmat:13 rmat:14 uniform:13 uniform:14}" SEEDS=1 TRIALS=2 sh "$FIT" "$@" >"$OUT" 2>"$ERR" || RC=$?
}

expect_ok topo --machine '2*host' --format json
cp "$OUT" machine.json
fit machine.json host:1 host:1
[ "$RC" -eq 0 ] && pass || { fail "a fit fails"; show; }
[ "$(grep -c '^| host:1 | [0-9]* | [0-9.e-]* | [0-9.]* % | [0-9.]* % | [0-9.e-]* | [0-9.e-]* | [0-9.e-]* | [0-9.]* | [0-9.]* % | [0-9.]* % |$' "$OUT")" -eq 2 ] &&
    pass || { fail "each device should have a row with both errors"; show; }
has '| host:1 | arcs, expected finds |'
# What is made least is never more with three rates than with one.
awk -F '|' '/^\| host:1 \| [0-9]+ \|/ { if ($11 + 0 > $5 + 0.05) wrong = 1 } END { exit wrong }' "$OUT" && pass || { fail "three rates should fit better than one"; show; }
[ "$(grep -c '_ns": [0-9.e-]*}' machine.json)" -eq 2 ] && pass || fail "the file should have the rates"
expect_ok topo --machine machine.json --format json
cmp -s "$OUT" machine.json && pass || fail "weir should write the file as the script does"
# Again: in their place, not beside them.
cp machine.json before.json
fit machine.json host:1 host:1
sed 's/, "[a-z]*_ns": [0-9.e-]*//g' before.json >one && sed 's/, "[a-z]*_ns": [0-9.e-]*//g' machine.json >other
cmp -s one other && pass || fail "a second fit should change the rates alone"
expect_ok topo --machine machine.json

fit
[ "$RC" -eq 2 ] && grep -q 'usage: scripts/fit_arcs.sh' "$ERR" && pass || { fail "no file should be bad usage"; show; }
fit machine.json host:1
[ "$RC" -eq 2 ] && grep -q 'has 2 devices, and 1 were given' "$ERR" && pass || { fail "devices should be as many as those of the file"; show; }
echo '{}' >empty.json
fit empty.json host:1
[ "$RC" -eq 2 ] && grep -q 'is no machine' "$ERR" && pass || { fail "a file of something else should be refused"; show; }
cp machine.json before.json
SOME=rmat:8 fit machine.json host:1 host:1
[ "$RC" -eq 1 ] && grep -q 'give larger GRAPHS' "$ERR" && pass || { fail "graphs without wide levels should be refused"; show; }
SOME=no-such-file fit machine.json host:1 host:1
[ "$RC" -ne 0 ] && grep -q no-such-file "$ERR" && pass || { fail "a graph that is not there should be named"; show; }
cmp -s before.json machine.json && pass || fail "a fit that fails should leave the file as it was"
finish
