#!/bin/sh
# Runs verified commands with choices, graphs and tunables that are drawn at random, the smallest queues and packets above all: what only
# a few combinations out of a great many show is found here.
#
#   scripts/soak_random.sh [-s SEED] [-n RUNS] [-z SIZE] [-1] [DEVICES...]
#
#   -s SEED  of what is drawn (1)          -z SIZE  of graphs: 1 for two cores, 300 on GPUs (1)
#   -n RUNS  how many (200)                -1       tunables at their smallest values in each run
#   DEVICES  device specs; host:1 host:2 host:3 host:5 host:2x2 when none is given
#   -o VERB  only the names of the options of VERB that are drawn or left alone
#
# A run passes if it ends with status 0 and says that it was verified. It is refused if it ends with status 2 and one sentence, or says that items do not fit
# where the memory behind the queues was bounded. All else is printed with its
# environment and command, to be repeated as it stands. Environment: BUILD (build), WEIR_SOAK_LIMIT (seconds of a run; 60), WEIR_SOAK_JOBS (runs at a
# time; 1). Exit status: 0; 1 if a run failed, or more than half were refused; 2 bad usage.
set -eu
here=$(dirname "$0")
usage() {
    echo 'usage: scripts/soak_random.sh [-s SEED] [-n RUNS] [-z SIZE] [-1] [-o VERB] [DEVICES...]' >&2
    exit 2
}
seed=1 runs=200 size=1 smallest=0
while getopts s:n:z:o:1 option; do
    case $option in
    s) seed=$OPTARG ;;
    n) runs=$OPTARG ;;
    z) size=$OPTARG ;;
    1) smallest=1 ;;
    o)
        awk -v names_of="$OPTARG" -f "$here/soak_draw.awk"
        exit
        ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
case $seed$runs$size in *[!0-9]*) usage ;; esac
[ $# -gt 0 ] || set -- host:1 host:2 host:3 host:5 host:2x2
weir=${BUILD:-build}/weir limit=${WEIR_SOAK_LIMIT:-60} jobs=${WEIR_SOAK_JOBS:-1}
[ -x "$weir" ] || {
    echo "soak_random: $weir is not built" >&2
    exit 1
}
made=${TMPDIR:-/tmp}/weir-soak-$$
mkdir "$made"
trap 'rm -rf "$made"' EXIT
trap 'exit 130' INT TERM

# Graphs on which usual assumptions break: nothing but loops; one arc a great many times; vertices that everybody is joined to; weights
# at both ends of their range; vertices far apart that nobody reaches.
"$here/make_hubs.sh" "$made" $((4000 * size)) >/dev/null
seq $((100 * size)) | sed 's/.*/& &/' >"$made/loops.el"
awk -v n=$((3000 * size)) 'BEGIN { for (i = 0; i < n; i++) print 3, 1, i % 7 }' >"$made/once.el"
awk -v n=$((300 * size)) 'BEGIN { print "%%MatrixMarket matrix coordinate integer general"; print n, n, 2 * (n - 1)
    for (i = 1; i < n; i++) { print i, i + 1, i % 3 ? 0 : 4294967295; print i, i * 7 % n + 1, i % 2 ? 4294967295 : 1 } }' >"$made/weights.mtx"
awk -v n=$((500 * size)) 'BEGIN { for (i = 0; i < n; i++) if (i % 5 == 0) { print i, i + 1; print i + 1, i + 2 } print n * 3, n * 3 + 1 }' >"$made/apart.el"

# one NUMBER LINE: a run; a letter for what became of it goes into the file of that number.
one() {
    log=$made/log-$1 settings=${2%%|*} arguments=${2#*| } status=0
    # shellcheck disable=SC2086 # settings and arguments are words
    env $settings timeout -k 5 "$limit" "$weir" $arguments >"$log.out" 2>"$log.err" </dev/null || status=$?
    if [ "$status" -eq 0 ] && grep -q '^verified: ok' "$log.out"; then
        echo p >"$log"
    elif [ "$status" -eq 2 ] && [ "$(grep -c . "$log.err")" -eq 1 ]; then
        echo r >"$log"
    elif [ "$status" -eq 1 ] && grep -q 'more work items than its queues' "$log.err" && [ "${settings#*WEIR_SPILL_BYTES}" != "$settings" ]; then
        echo r >"$log"
    else
        echo f >"$log"
        echo "failed with status $status: env $settings$weir $arguments"
        { head -n 5 "$log.err"; grep '^verified' "$log.out" || :; } | sed 's/^/    /'
        rm -f "$log.out" "$log.err"
        return
    fi
    rm -f "$log.out" "$log.err"
}

awk -v seed="$seed" -v runs="$runs" -v size="$size" -v made="$made" -v devices="$*" -v first="$smallest" -f "$here/soak_draw.awk" >"$made/lines"
# Every so many runs, from one on: nobody waits for the slowest of a round.
each() {
    number=0
    while read -r line; do
        number=$((number + 1))
        [ $((number % jobs)) -ne "$1" ] || one "$number" "$line"
    done <"$made/lines"
}
worker=0
while [ "$worker" -lt "$jobs" ]; do
    each "$worker" &
    worker=$((worker + 1))
done
wait
passed=$(cat "$made"/log-* | grep -c p || :)
refused=$(cat "$made"/log-* | grep -c r || :)
failed=$((runs - passed - refused))
echo "seed $seed, size $size, $*: $runs runs, $refused refused"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ] && [ $((refused * 2)) -le "$runs" ]
