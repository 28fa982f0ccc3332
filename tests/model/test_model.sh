#!/bin/sh
# How devices agree that a run is over: a model, looked through completely by spin (docs/termination.md).
# The protocol must hold, and must break where a part of it is left out.
dir=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
for tool in spin "${cc%% *}"; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "the model needs $tool, which is not installed"
        exit 77
    fi
done
room=$(mktemp -d "${TMPDIR:-/tmp}/weir-model.XXXXXX") || exit 1
trap 'cd /; rm -rf "$room"' EXIT
trap 'exit 1' INT TERM
cd "$room" || exit 1
passed=0
failed=0

# look SWITCHES: generates the verifier and runs it; its report is in the file out. With POLLING it
# looks for fair cycles, else for failed assertions and states that are stuck. Not optimised: the
# searches are over before an optimiser is.
look() {
    build='-DSAFETY' run=
    case $* in *POLLING*) build='-DNP -DNFAIR=3' run='-l -f' ;; esac
    # shellcheck disable=SC2086 # several switches each
    spin "-P$cc -E -x c" -a "$@" "$dir/termination.pml" >out 2>&1 &&
        $cc -O0 -w -DMEMLIM=1000 $build -o pan pan.c >>out 2>&1 &&
        ./pan -m10000 $run >>out 2>&1
}

verdict() { # YES WHAT SWITCHES
    if [ "$1" = yes ]; then
        passed=$((passed + 1))
        echo "ok   $2: $(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' out) states"
    else
        failed=$((failed + 1))
        echo "FAIL $2 ($3)"
        grep -E 'rror|pan:|states, stored|not completed|memory' out
    fi
}

holds() { # WHAT SWITCHES
    what=$1 yes=no
    shift
    look "$@" && grep -q 'errors: 0$' out && ! grep -q 'Search not completed' out && yes=yes
    verdict $yes "$what" "$*"
}

breaks() { # WHAT HOW SWITCHES
    what=$1 how=$2 yes=no
    shift 2
    look "$@" && grep -q "^pan:1: .*$how" out && yes=yes
    verdict $yes "without $what: $how" "$*"
}

bulk='-DBULK -DLEVELS=1'
# shellcheck disable=SC2086
{
    holds 'two devices, two priorities' -DITEMS=5
    holds 'two devices, three priorities' -DITEMS=4 -DLEVELS=3 -DROOM=2 -DSEEDS=2
    holds 'two devices, generations' -DITEMS=5 $bulk
    holds 'three devices, two priorities' -DN=3 -DCOARSE -DITEMS=3
    holds 'three devices, no order' -DN=3 -DCOARSE -DLEVELS=1 -DITEMS=4
    holds 'three devices, generations' -DN=3 -DCOARSE $bulk -DITEMS=3
    holds 'a ring of three devices' -DN=3 -DCOARSE -DRING -DITEMS=3
    holds 'polling, under weak fairness' -DPOLLING -DITEMS=3
    holds 'two devices that report idle while they hold items' -DHOLDING_IS_IDLE -DITEMS=4
    holds 'three devices that do' -DN=3 -DCOARSE -DHOLDING_IS_IDLE -DITEMS=3
    holds 'two devices that send before they process' -DCHOKED -DITEMS=6 -DSEEDS=2 -DLEVELS=1
    holds 'a ring of three that do' -DN=3 -DCOARSE -DRING -DCHOKED -DITEMS=3 -DLEVELS=1
    holds 'two devices that do, generations' -DCHOKED -DITEMS=5 -DSEEDS=2 $bulk
    holds 'two devices, generations without tags, commands first' $bulk -DNO_TAG -DCOMMAND_FIRST -DITEMS=4
}
# shellcheck disable=SC2086
{
    breaks 'an odd turn before taking in' 'assertion violated' -DNO_ODD
    breaks 'an odd turn before a command' 'assertion violated' -DNO_ODD_FOR_COMMAND
    breaks 'the odd turn before the tail' 'assertion violated' -DODD_UNORDERED
    breaks 'the odd turn before the fields' 'assertion violated' -DODD_AFTER_FIELDS
    breaks 'a second pass' 'assertion violated' -DNO_SECOND_PASS
    breaks 'a look at the epoch' 'assertion violated' -DNO_EPOCH
    breaks 'a look at the epoch, generations' 'assertion violated' -DNO_EPOCH $bulk
    breaks 'tags, generations' 'assertion violated' -DNO_TAG $bulk
    breaks 'tags, generations, commands first' 'assertion violated' -DN=3 -DCOARSE -DNO_TAG -DCOMMAND_FIRST $bulk
    breaks 'a report after each command' 'invalid end state' -DNO_NEW_REPORT
    breaks 'taking in while choked' 'invalid end state' -DCHOKED -DDEAF -DITEMS=6 -DSEEDS=2 -DLEVELS=1
    breaks 'a report after each command, polling' 'non-progress cycle' -DNO_NEW_REPORT -DPOLLING
}
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
