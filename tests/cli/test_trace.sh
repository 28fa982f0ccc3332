#!/bin/sh
# --trace and --dot: files that viewers read, spans that add up to the phases of the statistics, and what is refused.
. "$(dirname "$0")/common.sh"

# sum FILE CATEGORY NAME [PID]: milliseconds of the spans; a line of the file has one event.
sum() {
    awk -v cat="\"cat\":\"$2\"" -v name="\"name\":\"$3\"" -v pid="${4:+\"pid\":$4,}" '
        index($0, cat) && index($0, name) && (pid == "" || index($0, pid)) {
            ms = $0; sub(/.*"dur":/, "", ms); sub(/[^0-9.].*/, "", ms); us += ms; seen++
        }
        END { if (!seen) print "none"; else printf "%.6f\n", us / 1000 }' "$1"
}

# near WHAT GOT WANT: within 1 percent, or 2 microseconds.
near() {
    if awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; d = d < 0 ? -d : d; exit !(a != "none" && (d <= b / 100 || d <= 0.002)) }'; then
        pass
    else
        fail "$LAST: $1: $2 ms in the trace, $3 ms by the statistics"
    fi
}

# holds WHAT COMMAND...: the command succeeds.
holds() {
    what=$1
    shift
    if "$@"; then
        pass
    else
        fail "$LAST: $what"
    fi
}

# is_json FILE: where there is a reader.
is_json() {
    if ! command -v python3 >/dev/null 2>&1; then
        skip "no python3 to read $1"
    elif python3 -c 'import json, sys; json.load(open(sys.argv[1]))["traceEvents"][0]' "$1"; then
        pass
    else
        fail "$LAST: $1 is no trace"
    fi
}

# ---- supersteps: the statistics have the device that took longest ----
for verb in bfs sssp pr cc; do
    expect_ok $verb rmat:12 --devices host:2 --trace t.json --dot t.dot --json r.json
    is_json t.json
    tr -s '\n ' ' ' <r.json | sed 's/\([]"{}:,[]\) */\1/g; s/ *\([]{}:,[]\)/\1/g' | sed 's/.*"phases":\[//; s/\].*//; s/},{/}\n{/g' >phases
    holds 'no phases in its document' grep -q '"ms"' phases
    while read -r line; do
        name=$(echo "$line" | sed 's/.*"name":"\([^"]*\)".*/\1/')
        want=$(echo "$line" | sed 's/.*"ms":\([0-9.e+-]*\).*/\1/')
        one=$(sum t.json phase "$name" 1) two=$(sum t.json phase "$name" 2)
        [ "$one" != none ] || one=0
        [ "$two" != none ] || two=0
        near "$name" "$(printf '%s\n%s\n' "$one" "$two" | sort -g | tail -1)" "$want"
    done <phases
    holds 't.dot is no graph' grep -q '^digraph weir {' t.dot
done

# ---- through the worklist: the sum over all workers ----
for kernel in fused discrete; do
    expect_ok sssp rmat:12 --devices host:3 --direction push --kernel $kernel --trace t.json --dot t.dot --json r.json
    is_json t.json
    for phase in process receive wait; do
        want=$(tr -d '\n ' <r.json | sed 's/.*"phase_ms":{\([^}]*\)}.*/\1/; s/.*"'$phase'":\([0-9.e+-]*\).*/\1/')
        got=$(sum t.json phase $phase)
        [ "$got" != none ] || got=0
        near $phase "$got" "$want"
    done
    holds 't.dot lacks a link' grep -q '"[^"]*host:0[^"]*" -> "[^"]*host:1[^"]*" \[label=' t.dot
done

# ---- benchmarks: a span for each trial, as long as its figure; links with traffic and times ----
expect_ok bench copy --devices host:2 --bytes 1MB --trials 3 --trace t.json --json r.json --output /dev/null
is_json t.json
holds 'no trial in the trace' [ "$(sum t.json run copy)" != none ]
expect_ok bench links --devices host:2 --bytes 64KB --trials 2 --dot t.dot --output /dev/null
holds 't.dot lacks a link' grep -q \
    '"sender (host:0)" -> "receiver (host:1)" \[label="[0-9]* packets, .*stalled [0-9.]* ms, starved [0-9.]* ms' t.dot

# ---- the same trace twice where time is virtual ----
for i in 1 2; do
    expect_ok bench copy --machine m60 --bytes 64KB --trace t$i.json --output /dev/null
done
holds 'two traces in virtual time differ' cmp -s t1.json t2.json

# ---- filters; standard output ----
expect_ok pbf --devices host:2 --elements 100000 --trace t.json --dot t.dot
is_json t.json
holds 't.dot lacks the router' grep -q 'label="to devices' t.dot
expect_ok bfs rmat:8 --devices host:1 --trace -
cp "$OUT" t.json
is_json t.json

# ---- what is refused, before anything runs ----
refuse 2 "--trace no/t.json: cannot be written: " bfs rmat:8 --trace no/t.json
refuse 2 "--dot no/t.dot: cannot be written: " bench copy --dot no/t.dot
refuse 2 "--trace and --dot both write to t.json" bfs rmat:8 --trace t.json --dot t.json
refuse 2 "--json and --trace both write to standard output" cc rmat:8 --json - --trace -
refuse 2 "--from measures nothing, so leave --trace out" bench --from x.json --trace t.json
refuse 2 "--trace" gen rmat:8 --trace t.json --output g.gr
for file in no t.none; do
    holds "$file is there" [ ! -e $file ]
done

finish
