#!/bin/sh
# Three models, looked through completely by spin: how devices agree that a run is over (docs/termination.md), a
# ring of a channel (docs/memory-model.md), and live kernels with their queue (both). Each protocol must hold, and must break where a part of it is left out.
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

# look MODEL SWITCHES: generates the verifier and runs it; its report is in the file out. With POLLING it
# looks for fair cycles, else for failed assertions and states that are stuck. Not optimised: the
# searches are over before an optimiser is.
look() {
    model=$1
    shift
    build='-DSAFETY' run=
    case $* in *POLLING*) build='-DNP -DNFAIR=3' run='-l -f' ;; esac
    # shellcheck disable=SC2086 # several switches each
    spin "-P$cc -E -x c" -a "$@" "$dir/$model.pml" >out 2>&1 &&
        $cc -O0 -w -DMEMLIM=1000 $build -o pan pan.c >>out 2>&1 &&
        ./pan -m10000 -w20 $run >>out 2>&1
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

# Every so many-th where time is short (tests/README.md): what protocols need does not change with the rest of the tree, and
# a verifier takes longer to compile than to run. Of models that hold more are looked through than of those that break.
stride=${WEIR_TEST_STRIDE:-1}
holding=0 breaking=0

holds() { # MODEL WHAT SWITCHES
    model=$1 what=$2 yes=no
    shift 2
    holding=$((holding + 1))
    [ $((holding % ((stride + 1) / 2))) -eq 0 ] || return 0
    look "$model" "$@" && grep -q 'errors: 0$' out && ! grep -q 'Search not completed' out && yes=yes
    verdict $yes "$model: $what" "$*"
}

breaks() { # MODEL WHAT HOW SWITCHES
    model=$1 what=$2 how=$3 yes=no
    shift 3
    breaking=$((breaking + 1))
    [ $((breaking % stride)) -eq 0 ] || return 0
    look "$model" "$@" && grep -q "^pan:1: .*$how" out && yes=yes
    verdict $yes "$model: without $what: $how" "$*"
}

bulk='-DBULK -DLEVELS=1'
# shellcheck disable=SC2086
{
    holds termination 'two devices, two priorities' -DITEMS=5
    holds termination 'two devices, three priorities' -DITEMS=4 -DLEVELS=3 -DROOM=2 -DSEEDS=2
    holds termination 'two devices, generations' -DITEMS=5 $bulk
    holds termination 'three devices, two priorities' -DN=3 -DCOARSE -DITEMS=3
    holds termination 'three devices, no order' -DN=3 -DCOARSE -DLEVELS=1 -DITEMS=4
    holds termination 'three devices, generations' -DN=3 -DCOARSE $bulk -DITEMS=3
    holds termination 'a ring of three devices' -DN=3 -DCOARSE -DRING -DITEMS=3
    holds termination 'polling, under weak fairness' -DPOLLING -DITEMS=3
    holds termination 'two devices that report idle while they hold items' -DHOLDING_IS_IDLE -DITEMS=4
    holds termination 'three devices that do' -DN=3 -DCOARSE -DHOLDING_IS_IDLE -DITEMS=3
    holds termination 'two devices that send before they process' -DCHOKED -DITEMS=6 -DSEEDS=2 -DLEVELS=1
    holds termination 'a ring of three that do' -DN=3 -DCOARSE -DRING -DCHOKED -DITEMS=3 -DLEVELS=1
    holds termination 'two devices that do, generations' -DCHOKED -DITEMS=5 -DSEEDS=2 $bulk
    holds termination 'two devices, generations without tags, commands first' $bulk -DNO_TAG -DCOMMAND_FIRST -DITEMS=4
}
# shellcheck disable=SC2086
{
    breaks termination 'an odd turn before taking in' 'assertion violated' -DNO_ODD
    breaks termination 'an odd turn before a command' 'assertion violated' -DNO_ODD_FOR_COMMAND
    breaks termination 'the odd turn before the tail' 'assertion violated' -DODD_UNORDERED
    breaks termination 'the odd turn before the fields' 'assertion violated' -DODD_AFTER_FIELDS
    breaks termination 'a second pass' 'assertion violated' -DNO_SECOND_PASS
    breaks termination 'a look at the epoch' 'assertion violated' -DNO_EPOCH
    breaks termination 'a look at the epoch, generations' 'assertion violated' -DNO_EPOCH $bulk
    breaks termination 'tags, generations' 'assertion violated' -DNO_TAG $bulk
    breaks termination 'tags, generations, commands first' 'assertion violated' -DN=3 -DCOARSE -DNO_TAG -DCOMMAND_FIRST $bulk
    breaks termination 'a report after each command' 'invalid end state' -DNO_NEW_REPORT
    breaks termination 'taking in while choked' 'invalid end state' -DCHOKED -DDEAF -DITEMS=6 -DSEEDS=2 -DLEVELS=1
    breaks termination 'a report after each command, polling' 'non-progress cycle' -DNO_NEW_REPORT -DPOLLING
}
plain='-DWORDS=1' woven='-DWOVEN -DWORDS=2'
# A quarter of eight slots is a lot, as in a ring of the usual size.
usual='-DWORDS=0 -DSLOTS=8 -DRANGE=16 -DPACKETS=18 -DLOT=2'
# shellcheck disable=SC2086
{
    holds channel 'plain packets, two slots' $plain -DPACKETS=9
    holds channel 'woven packets, two slots' $woven -DPACKETS=9
    holds channel 'plain packets, one slot' $plain -DSLOTS=1 -DRANGE=2 -DPACKETS=9
    holds channel 'woven packets, one slot' $woven -DSLOTS=1 -DRANGE=2 -DPACKETS=9
    holds channel 'plain packets, four slots, lots of two' $plain -DSLOTS=4 -DRANGE=8 -DPACKETS=10 -DLOT=2
    holds channel 'woven packets, two slots, lots of two' $woven -DPACKETS=9 -DLOT=2
    holds channel 'packets of nothing, a usual ring' $usual
    holds channel 'woven packets, four slots, lots of four' -DWOVEN -DSLOTS=4 -DRANGE=8 -DPACKETS=10 -DLOT=4
    holds channel 'plain packets of several words' -DWORDS=2 -DPACKETS=7 -DLOT=2
    holds channel 'plain packets, the receiver closes' $plain -DCLOSES -DLOT=2
    holds channel 'woven packets, the receiver closes' $woven -DCLOSES -DLOT=2
    holds channel 'plain packets, ends go away' $plain -DSTOPS -DCLOSES -DLOT=2
    holds channel 'woven packets, ends go away' $woven -DSTOPS -DCLOSES -DLOT=2
}
# shellcheck disable=SC2086
{
    breaks channel 'a mark that is released' 'assertion violated' $plain -DMARK_RELAXED
    breaks channel 'a mark that is acquired' 'assertion violated' $plain -DMARK_EARLY
    breaks channel 'a credit that the sender waits for, plain' 'assertion violated' $plain -DNO_CREDIT -DSLOTS=1
    breaks channel 'a credit that the sender waits for, woven' 'invalid end state' $woven -DNO_CREDIT
    breaks channel 'reads before the credit' 'assertion violated' $plain -DCREDIT_LATE
    breaks channel 'wipes before the credit' 'invalid end state' $woven -DCREDIT_RELAXED
    breaks channel 'wipes' 'assertion violated' $woven -DNO_WIPE
    breaks channel 'a number that wiped words have alone' 'assertion violated' $woven -DZERO_IS_NUMBER
    breaks channel 'numbers of heads that all differ' 'assertion violated' $woven -DNEVER_ZERO -DSLOTS=1
    breaks channel 'room made by a receiver that waits' 'invalid end state' $plain -DNO_ROOM_MADE -DLOT=2
    breaks channel 'room made, woven' 'invalid end state' $woven -DNO_ROOM_MADE -DLOT=2
    breaks channel 'room made, in a usual ring' 'invalid end state' $usual -DNO_ROOM_MADE
    breaks channel 'what was published, in the next kernel' 'invalid end state' $plain -DFORGETS -DLOT=2
    breaks channel 'a look whether the receiver closed' 'invalid end state' $plain -DCLOSES -DNO_CLOSED
    breaks channel 'the stop word in a wait for room' 'invalid end state' $plain -DSTOPS -DNO_STOP_ROOM
    breaks channel 'the stop word in a wait for a packet' 'invalid end state' $plain -DSTOPS -DNO_STOP_PACKET
    breaks channel 'the stop word in a wait for a word' 'invalid end state' $woven -DSTOPS -DNO_STOP_WORD
}
{
    holds live 'three workers, one slot' -DWORKERS=3 -DITEMS=3
    holds live 'two workers, two slots' -DSLOTS=2 -DITEMS=5
    holds live 'three workers, two slots, two seeds' -DSLOTS=2 -DWORKERS=3 -DITEMS=3 -DSEEDS=2
    holds live 'two devices' -DN=2 -DWORKERS=1 -DSLOTS=2 -DITEMS=5
    holds live 'two devices, two workers each' -DN=2 -DITEMS=2
    holds live 'three devices' -DN=3 -DWORKERS=1 -DITEMS=3
}
{
    breaks live 'a count before an item is seen' 'assertion violated' -DCOUNT_LATE -DN=2 -DWORKERS=1
    breaks live 'a count off after all that came out' 'assertion violated' -DOFF_EARLY -DN=2 -DWORKERS=1
    breaks live 'what was consumed first' 'assertion violated' -DPRODUCED_FIRST -DN=2 -DWORKERS=1
    breaks live 'two looks' 'assertion violated' -DPAIRS -DN=3 -DWORKERS=1 -DITEMS=3
    breaks live 'a count, by votes,' 'assertion violated' -DVOTES -DN=2 -DWORKERS=1
    breaks live 'a swap that compares' 'assertion violated' -DNO_SWAP -DSLOTS=2 -DITEMS=5
    breaks live 'the element before its mark' 'assertion violated' -DMARK_EARLY
    breaks live 'a wait for the mark of a slot' 'invalid end state' -DNO_WAIT -DSLOTS=2 -DITEMS=5
    breaks live 'the copy before the slot is free' 'assertion violated' -DFREE_EARLY
}
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
