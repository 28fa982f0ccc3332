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
for verb in bfs sssp pr cc color; do
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

# ---- benchmarks: each trial of each row has its span, which its figure is made of ----

# trials TRACE DOCUMENT TRIALS WARMUPS: for each row of the document, of three trials, "ok" or what is wrong. Figures are time by
# times, or times by time: low, median and high have the same factor to the spans by length. The factor is put out, too.
trials() {
    awk -v trials="$3" -v warmups="$4" '
        function text(line, key) { sub(".*\"" key "\": *\"", "", line); sub(/".*/, "", line); return line }
        function number(line, key) { sub(".*\"" key "\": *", "", line); sub(/[^-+0-9.e].*/, "", line); return line + 0 }
        function far(a, b) { return a <= 0 || b <= 0 || a / b > 1.004 || b / a > 1.004 }
        NR == FNR && /"name":"thread_name"/ {
            name = $0
            if (sub(/.*"name":"trials of /, "", name)) { sub(/".*/, "", name); of[number($0, "tid")] = name }
            next
        }
        NR == FNR && /"cat":"trial"/ {
            span[++spans] = $0
            next
        }
        NR == FNR { next }
        !sorted { # of three trials: the shortest, the longest, and what is left
            for (i = 1; i <= spans; i++) {
                key = of[number(span[i], "tid")] SUBSEP number(span[i], "row")
                if (number(span[i], "trial") == 0) { warm[key]++; continue }
                us = number(span[i], "dur")
                if (!count[key]++ || us < least[key]) least[key] = us
                if (us > most[key]) most[key] = us
                all[key] += us
                called[key] = text(span[i], "name")
            }
            sorted = 1
        }
        /"tables"/ { inside = 1 }
        !inside { next }
        /"name":/ { table = text($0, "name"); row = 0 }
        /"larger_is_better":/ { rate = /true/ }
        /"series":/ { series = text($0, "series") }
        /"median":/ { median = number($0, "median") }
        /"low":/ { low = number($0, "low") }
        /"high":/ { high = number($0, "high") }
        /"verified":/ {
            key = table SUBSEP row++
            middle = all[key] - least[key] - most[key]
            if (count[key] != trials || warm[key] != warmups) wrong = count[key] + 0 " trials and " warm[key] + 0 " warm-ups"
            else if (called[key] != series) wrong = "it is called " called[key]
            else if (rate && (far(high * least[key], median * middle) || far(low * most[key], median * middle)))
                wrong = low ", " median ", " high " in spans of " most[key] ", " middle ", " least[key] " us"
            else if (!rate && (far(low / least[key], median / middle) || far(high / most[key], median / middle)))
                wrong = low ", " median ", " high " in spans of " least[key] ", " middle ", " most[key] " us"
            else { print "ok", table, rate ? median * middle * 1000 : middle / median; next }
            print table ", row " row - 1 ", " series ": " wrong
        }' "$1" "$2"
}

expect_ok bench all --devices host:2 --bytes 64KB --trials 3 --warmups 1 --trace t.json --json r.json --output /dev/null
is_json t.json
trials t.json r.json 3 1 >rows
for name in $("$WEIR" bench list | awk '{ print $1 }'); do
    [ "$name" != flags ] || continue # of GPUs only
    holds "no row of $name has its trials" grep -q "^ok $name " rows
done
if grep -v '^ok ' rows; then fail "$LAST: trials are not what figures say"; else pass; fi
for name in broadcast pairs; do # 10^9 bytes a second in microseconds are as many bytes as were sent
    holds "figures of $name times their spans are not 64000 bytes" \
        awk -v name=$name '$2 == name && ($3 < 63360 || $3 > 64640) { bad = 1 } END { exit bad }' rows
done
expect_ok bench links --devices host:2 --bytes 64KB --trials 2 --dot t.dot --output /dev/null
holds 't.dot lacks a link' grep -q \
    '"sender (host:0)" -> "receiver (host:1)" \[label="[0-9]* packets, .*stalled [0-9.]* ms, starved [0-9.]* ms' t.dot

expect_ok bench channels --devices host:2 --trials 1 --warmups 0 --dot t.dot --output /dev/null
holds 't.dot lacks a channel' grep -q '"host:0" -> "host:1" \[label="channels.n[0-9]* packets"\]' t.dot

# ---- the same trace twice where time is virtual ----
for i in 1 2; do
    expect_ok bench copy --machine m60 --bytes 64KB --trace t$i.json --output /dev/null
done
holds 'two traces in virtual time differ' cmp -s t1.json t2.json
expect_ok bench broadcast --machine m60 --bytes 64KB --trials 3 --warmups 0 --trace t.json --json r.json --output /dev/null
trials t.json r.json 3 0 >rows
holds 'no trial in virtual time' grep -q '^ok broadcast ' rows
if grep -v '^ok ' rows; then fail "$LAST: trials are not what figures say"; else pass; fi

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
