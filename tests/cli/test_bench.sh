#!/bin/sh
# weir bench: figures measured, written, read back and compared. No test here depends on how fast
# anything is: real devices are asked for well-formed results, simulated ones for exact ones.
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/common.sh"

SMALL="--bytes 64KiB --trials 3 --warmups 1"
if command -v python3 >/dev/null 2>&1 && python3 -c 'import json' 2>/dev/null; then
    TOOL=python3
elif command -v jq >/dev/null 2>&1; then
    TOOL=jq
else
    TOOL=
fi

# whole FILE: it is one JSON document.
whole() {
    if [ "$TOOL" = python3 ]; then
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" 2>"$ERR"
    else
        [ -z "$TOOL" ] || [ "$(jq -s length "$1" 2>"$ERR")" = 1 ]
    fi
}

# ---- names ----
expect_ok bench list
cp "$OUT" list
for name in access memory atomics packets indirect broadcast copy pairs ring alltoall contention flags launch \
    links linkpackets hops hostcost collectives gather; do
    has "  $name "
done
refuse 2 "did you mean broadcast" bench brodcast
refuse 2 "did you mean links" bench lonks
refuse 2 "did you mean all" bench alll
refuse 2 "bench: zzz: unknown benchmark; see weir bench list" bench zzz
refuse 2 "NAME is missing" bench
refuse 2 "--devices: bench list takes no options" bench list --devices host:2
for option in "machine m60" "bytes 1MiB" "trials 1" "warmups 0" "format table" "json x" "output x" "compare x" \
    "from x" "factor 2"; do
    # shellcheck disable=SC2086 # words
    refuse 2 "--${option% *}: bench list takes no options" bench list --$option
done
for name in launch flags hostcost; do refuse 2 "--bytes: bench $name " bench $name --bytes 1MiB --devices host:2; done
refuse 2 "both write to standard output" bench pairs --format table --json - --machine m60
for option in "devices host:1" "machine m60" "bytes 1MiB" "trials 1" "warmups 0"; do
    # shellcheck disable=SC2086 # words
    refuse 2 "--from measures nothing, so leave --${option% *} out" bench --from x.json --$option
done

# ---- host devices: everything runs or says why not ----
# shellcheck disable=SC2086 # words of a command
expect_ok bench all --devices host:2 $SMALL --json all.json
cp "$OUT" all.txt
while read -r name _; do
    grep -q "^$name: " all.txt || fail "bench all shows nothing of $name"
done <list
has "verified"
has "from \\ to"
whole all.json || fail "--json FILE is no JSON"
# shellcheck disable=SC2086 # as above
expect_ok bench packets --devices host:2 $SMALL --json -
cp "$OUT" alone.json
whole alone.json || fail "--json - should be one document"
grep -q '"machine_label": "host1"' alone.json || fail "devices should be joined with the machine's labels"
grep -q '"command": "bench"' alone.json || fail "--json - lacks its command"
if [ "$TOOL" = python3 ]; then
    if python3 - alone.json <<'EOF'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == 1 and d["simulated"] is False and len(d["devices"]) == 2
assert d["machine"]["name"] and d["version"] and d["options"]["bytes"] == 65536
t = d["tables"]
assert [x["name"] for x in t] == ["packets"] and t[0]["skipped"] is None and t[0]["rows"]
for r in t[0]["rows"]:
    assert 0 < r["low"] <= r["median"] <= r["high"] and r["trials"] == 3 and r["verified"] is True
    assert r["series"] and r["from"] and r["to"] and isinstance(r["x"], int)
EOF
    then pass; else fail "the document is not as it should be"; fi
fi
# shellcheck disable=SC2086 # as above
expect_ok bench pairs --devices host:1 $SMALL

# ---- read back: the same table, CSV, the same document ----
expect_ok bench --from all.json
sed 1,3d "$OUT" >from.txt
sed 1,2d all.txt >want.txt
same want.txt from.txt "--from as a table"
expect_ok bench --from all.json --format json -o again.json
same all.json again.json "--from as a document"
run bench --from all.json --format csv -o all.csv
if [ "$RC" -eq 0 ] && ! grep -qv '^# [a-z]* skipped: ' "$ERR"; then pass; else fail "CSV of everything" && show; fi
expect_ok bench packets --from all.json --format csv
head -n 1 all.csv >head.csv
head -n 1 "$OUT" >got.csv
same head.csv got.csv "the header of CSV"
if [ "$TOOL" = python3 ]; then
    if python3 - all.csv all.json <<'EOF'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
want = [(t, r) for t in json.load(open(sys.argv[2]))["tables"] for r in t["rows"]]
assert len(rows) == len(want) > 0
for got, (t, r) in zip(rows, want):
    assert None not in got and None not in got.values()
    assert (got["benchmark"], got["title"], got["series"]) == (t["name"], t["title"], r["series"])
    assert (got["from"], got["to"], got["unit"]) == (r["from"], r["to"], t["unit"])
    assert float(got["median"]) == r["median"] and float(got["x"] or 0) == (r["x"] if t["x"] else 0)
EOF
    then pass; else fail "CSV and JSON differ"; fi
fi
refuse 2 "leave --devices out" bench --from all.json --devices host:1
refuse 2 "leave --trials out" bench --from all.json --trials 3
refuse 2 "it has no figures of pairs" bench pairs --from alone.json

# ---- a simulated machine: the same bytes every time, in the paper's order ----
expect_ok bench broadcast --machine m60 --bytes 4MiB --trials 2 --json first.json
cp "$OUT" first.txt
has "simulated: times are virtual"
expect_ok bench broadcast --machine m60 --bytes 4MiB --trials 2 --json second.json
same first.txt "$OUT" "the table of a second simulation"
same first.json second.json "the document of a second simulation"
expect_ok bench broadcast --from first.json --format csv
# Fields before the title hold no comma; what is wanted stands behind it: the last six.
best() {
    awk -F, -v want="$1" '$0 ~ "," want "," && $(NF - 4) > most { most = $(NF - 4) } END { print most + 0 }' "$OUT"
}
separate=$(best '"*separate transfers"*') whole=$(best '"ring, whole"') packets=$(best '"ring, packets"')
if awk -v s="$separate" -v w="$whole" -v p="$packets" 'BEGIN { exit !(0 < s && s < w && w < p) }'; then
    pass
else
    fail "separate transfers $separate < ring $whole < ring in packets $packets"
fi

# ---- comparing ----
expect_ok bench broadcast --machine m60 --bytes 4MiB --trials 2 --compare first.json
has " 0 slower than 1.1 times, 0 within spread, 0 only there, 0 only now"
expect_ok bench --from first.json --compare second.json --factor 1
awk '/"(median|low|high)":/ && !done[$1]++ { sub(/: [0-9.e+]*/, sprintf(": %g", 1000000)) } { print }' \
    first.json >faster.json
whole faster.json || fail "the doctored file is no JSON"
run bench --from first.json --compare faster.json
if [ "$RC" -eq 1 ] && grep -q "1 of .* got slower than 1.1 times" "$ERR" && grep -q " slower  *GB/s" "$OUT"; then
    pass
else
    fail "a slower figure should give status 1"
    show
fi
expect_ok bench --from faster.json --compare first.json
expect_ok bench --from first.json --compare faster.json --factor 1000000
# Where smaller is better, a larger figure is slower.
result() {
    cat <<EOF
{"schema": 1, "command": "bench", "version": "0 (test)", "machine": {"name": "$4"}, "devices": [],
"options": {}, "simulated": false, "tables": [
{"name": "launch", "title": "a, \"b\"", "unit": "$2", "x": "", "larger_is_better": false, "skipped": null,
"rows": [
{"series": "$3", "from": "", "to": "", "x": 0, "median": $1, "low": $1, "high": $1, "trials": 3, "verified": false},
{"series": "both", "from": "", "to": "", "x": 0, "median": 1, "low": 1, "high": 1, "trials": 3, "verified": false}
]}]}
EOF
}
result 10 us launch here >ten.json
result 20 us launch here >twenty.json
refuse_slower() {
    run bench --from twenty.json --compare ten.json "$@"
    if [ "$RC" -eq 1 ] && grep -q "0.500: launch: launch" "$ERR"; then pass; else fail "20 us after 10 us" && show; fi
}
refuse_slower
refuse_slower --factor 1.9
expect_ok bench --from twenty.json --compare ten.json --factor 2
expect_ok bench --from ten.json --compare twenty.json
has "2.000"
result 10 us other there >other.json
expect_ok bench --from ten.json --compare other.json
has "another machine: there there, here here"
has "only now: launch: launch"
has "only there: launch: other"
result 10 ms launch here >unit.json
run bench --from ten.json --compare unit.json
if [ "$RC" -eq 2 ] && grep -q "launch is there in ms" "$ERR"; then pass; else fail "units should match" && show; fi
# compared STATUS TEXT ARGUMENTS: a comparison with that status, and TEXT in what it prints.
compared() {
    want=$1
    text=$2
    shift 2
    run "$@"
    cat "$OUT" "$ERR" >both.txt
    if [ "$RC" -eq "$want" ] && grep -qF -e "$text" both.txt; then
        pass
    else
        fail "should give status $want and say: $text"
        show
    fi
}
# figures NAME LARGER ROW...: a result of one benchmark; ROW is "series median low high".
figures() {
    file=$1
    printf '{"schema": 1, "command": "bench", "version": "0", "machine": {"name": "m"}, "devices": [],\n' >"$file"
    printf '"options": {"bytes": null}, "simulated": false, "tables": [\n' >>"$file"
    printf '{"name": "packets", "title": "t", "unit": "GB/s", "x": "packet bytes", "larger_is_better": %s,\n' "$2" >>"$file"
    printf '"skipped": null, "rows": [\n' >>"$file"
    shift 2
    comma=
    for row; do
        # shellcheck disable=SC2086 # words of a row
        set -- $row
        printf '%s{"series": "%s", "from": "a", "to": "", "x": 65536, "median": %s, "low": %s, "high": %s, "trials": 3, "verified": true}\n' "$comma" "$1" "$2" "$3" "$4" >>"$file"
        comma=,
    done
    printf ']}]}\n' >>"$file"
}
figures old.json true "one 10 9 11" "two 10 9 11"
# A figure that is nothing now is slower, whatever its spread.
figures zero.json true "one 0 0 11" "two 10 9 11"
compared 1 "1 of 2 figures got slower than 1.1 times; the worst, -: packets: one, a, packet bytes 65536" bench --from zero.json --compare old.json
compared 1 "1 of 2 figures got slower" bench --from zero.json --compare old.json --factor 1000000
compared 0 "0 slower" bench --from old.json --compare zero.json
# Where the best trial now is as good as the worst one then, nothing is known.
figures overlap.json true "one 8 7 9" "two 10 9 11"
compared 0 "0.800  within spread  GB/s   packets: one" bench --from overlap.json --compare old.json
has " 0 slower than 1.1 times, 1 within spread"
figures worse.json true "one 8 7 8.9" "two 10 9 11"
compared 1 "0.800  slower" bench --from worse.json --compare old.json
figures slow.json false "one 8 7 9" "two 10 9 11"
figures slower.json false "one 10 9.5 11" "two 10 9 11"
compared 1 "0.800  slower" bench --from slower.json --compare slow.json
figures slower.json false "one 10 9 11" "two 10 9 11"
compared 0 "0.800  within spread" bench --from slower.json --compare slow.json
# What a benchmark that ran in the same way no longer finds is a failure.
figures less.json true "two 10 9 11"
compared 1 "1 figures of old.json are missing now; the first: packets: one, a, packet bytes 65536" bench --from less.json --compare old.json
has "only there: packets: one, a, packet bytes 65536"
compared 0 "only now: packets: one" bench --from old.json --compare less.json
sed 's/"bytes": null/"bytes": 4096/' less.json >other-bytes.json
compared 0 "note: --bytes differs" bench --from other-bytes.json --compare old.json
sed 's/"skipped": null, "rows": \[/"skipped": "no", "rows": [], "more": [/' less.json >skipped.json
figures both.json true "one 10 9 11"
sed 's/"packets"/"copy"/; 1,2d; $d' both.json >table
sed '$d' old.json >two.json
{ printf ']},\n' && cat table && printf ']}]}\n'; } >>two.json
compared 0 "not compared, only there: copy" bench --from old.json --compare two.json
compared 0 "not compared, only now: copy" bench --from two.json --compare old.json
compared 0 "not compared, only there: copy" bench packets --from two.json --compare two.json
# A ratio of any size stays readable.
figures tiny.json true "one 1e-9 1e-9 1e-9" "two 10 9 11"
figures huge.json true "one 1e15 1e15 1e15" "two 10 9 11"
compared 0 " 1e+24 " bench --from huge.json --compare tiny.json
compared 1 " 1e-24 " bench --from tiny.json --compare huge.json
run bench --from ten.json --compare first.json
if [ "$RC" -eq 2 ] && grep -q "no figure" "$ERR"; then pass; else fail "nothing to compare" && show; fi
run bench --from twenty.json --compare ten.json --json -
if [ "$RC" -eq 1 ] && whole "$OUT"; then pass; else fail "--json - --compare" && show; fi

# ---- one benchmark fails: the others run, and what failed is told ----
# Address space is what can be made scarce here; sanitizers need all of it, so they are left out.
scarce() {
    # shellcheck disable=SC3045 # where it is unknown the test is skipped
    (ulimit -v 300000 2>/dev/null && exec timeout 60 "$WEIR" "$@") >"$OUT" 2>"$ERR" </dev/null
    RC=$?
    LAST="weir $* with little memory"
}
scarce bench launch --devices host:1 --trials 1
if [ "$RC" -ne 0 ]; then
    skip "no memory limits here"
else
    scarce bench all --devices host:2 --bytes 128MiB --trials 1 --json failed.json
    if [ "$RC" -eq 1 ] && grep -q "benchmarks failed" "$ERR" && [ "$(wc -l <"$ERR")" -eq 1 ]; then pass; else fail "bench all with little memory" && show; fi
    has "  failed: "
    has "launch, back to back"
    while read -r name _; do
        grep -q "^$name: ." "$OUT" || fail "a failed $name should keep its title"
    done <list
    whole failed.json || fail "a result with failures is no JSON"
    grep -q '"failed": ".*memory' failed.json || fail "the document should say what failed"
    expect_ok bench --from failed.json
    has "  failed: "
    expect_ok bench --from failed.json --format json
    same failed.json "$OUT" "a document with failures"
    run bench --from failed.json --format csv
    if [ "$RC" -eq 0 ] && grep -q '^# [a-z]* failed: ' "$ERR" && ! grep -q '^#' "$OUT"; then pass; else fail "failures beside CSV" && show; fi
    scarce bench copy --devices host:2 --bytes 128MiB --trials 1
    if [ "$RC" -eq 1 ] && [ ! -s "$OUT" ] && [ "$(wc -l <"$ERR")" -eq 1 ]; then pass; else fail "one benchmark that fails" && show; fi
fi

# ---- skipped ones: their title, and a sentence beside CSV ----
run bench all --machine '2*nvswitch' --bytes 64KiB --format csv
if [ "$RC" -eq 0 ] && grep -q '^# atomics skipped: .' "$ERR"; then pass; else fail "skipped beside CSV" && show; fi
sed 's/"title": "t"/"title": ""/; s/"skipped": null, "rows": \[/"skipped": "why", "rows": [], "more": [/' old.json >untitled.json
expect_ok bench --from untitled.json
title=$(sed -n 's/^  packets  *//p' list)
has "packets: $title"
has "  skipped: why"

# ---- what is in a file never drives a terminal ----
# \u001b is an escape character, \u009b one in a byte, \u0007 a bell; the letter behind them stays.
sed 's/"one"/"\\u001b[31mone\\u0007\\u009bz\\u00e9"/; s/"title": "t"/"title": "a\\nb\\u007f"/; s/"name": "m"/"name": "m\\u001b]0;x"/' old.json >wild.json
expect_ok bench --from wild.json
has "?[31mone??z"
has "packets: a?b?"
has "machine  m?]0;x"
if LC_ALL=C tr -d '\n\040-\176\200-\377' <"$OUT" | grep -q .; then fail "a control character in a table"; else pass; fi
expect_ok bench --from wild.json --format csv
[ "$(wc -l <"$OUT")" -eq 3 ] || fail "a title should not break a line"
if LC_ALL=C tr -d '\n\040-\176\200-\377' <"$OUT" | grep -q .; then fail "a control character in CSV"; else pass; fi
compared 0 "only there: packets: one, a" bench --from wild.json --compare old.json --factor 2

# ---- files that are no results: file, line and cause ----
# bad TEXT FILE: refused as an old result and as a new one, before anything is measured.
bad() {
    refuse 2 "$1" bench pairs --compare "$2" --devices nothing --json out.json
    refuse 2 "$1" bench --from "$2" --json out.json
}
bad "no-such.json: cannot be read" no-such.json
mkdir folder
bad "folder: cannot be read" folder
: >empty.json
bad "empty.json:" empty.json
head -n 5 ten.json >cut.json
bad "cut.json:" cut.json
edit() {
    sed "$2" ten.json >"$1"
}
edit schema.json 's/"schema": 1/"schema": 2/'
bad 'schema.json:1: "schema" is not 1' schema.json
edit command.json 's/"bench"/"bfs"/'
bad 'command.json:1: not a result of weir bench --json: "command" is "bfs"' command.json
echo '[1, 2]' >array.json
bad 'array.json:1: not a result' array.json
edit median.json '5s/"median": 10/"median": "ten"/'
bad 'median.json:5: "median" is not a number' median.json
edit range.json '6s/"low": 1/"low": 2/'
bad 'range.json:6: "median" is not between' range.json
edit below.json '6s/"low": 1/"low": -1/'
bad 'below.json:6: "low" is -1, not from 0 to 1e+15' below.json
edit above.json '6s/"high": 1/"high": 2e15/'
bad 'above.json:6: "high" is 2e+15' above.json
edit infinite.json '6s/"high": 1/"high": 1e999/'
bad 'infinite.json:6: ' infinite.json
edit twin.json '6s/both/launch/'
bad 'twin.json:6: a second row for "launch"' twin.json
edit nocommand.json '1s/"command": "bench", //'
bad 'nocommand.json:1: not a result of weir bench --json: no "command"' nocommand.json
{ printf '\357\273\277' && cat ten.json; } >mark.json
bad 'mark.json:1: starts with a byte order mark' mark.json
edit missing.json '6s/"to": "", //'
bad 'missing.json:6: "to" is missing' missing.json
edit long.json '3s/launch/launchlaunchlaunchlaunch/'
bad 'long.json:3: "name" is longer than 23 bytes' long.json
edit trials.json '5s/"trials": 3/"trials": -1/'
bad 'trials.json:5: "trials" is not a count' trials.json
# Two that look alike once they are fit to be shown could not be told apart, nor read back.
edit alike.json '5s/"series": "[a-z]*"/"series": "s\\u0001"/; 6s/"series": "[a-z]*"/"series": "s?"/'
bad 'alike.json:6: a second row for "s?"' alike.json
edit digits.json '5s/"x": 65536/"x": 1.0000000000000002/; 6s/"x": 65536/"x": 1/; 5,6s/"series": "[a-z]*"/"series": "s"/'
bad 'digits.json:6: a second row for "s"' digits.json
# The largest count comes back as it was.
edit most.json '5s/"trials": 3/"trials": 4294967295/'
expect_ok bench --from most.json --format json -o most-again.json
grep -q '"trials": 4294967295' most-again.json || fail "the largest count of trials should come back"
expect_ok bench --from most-again.json
edit rows.json '4s/"rows": \[/"rows": [7,/'
bad 'rows.json:4: a row is not an object' rows.json
edit tables.json '2s/"tables": \[/"tables": {}, "x": [/'
bad 'tables.json:2: "tables" is not an array' tables.json
edit twice.json '1s/"schema": 1/"schema": 1, "schema": 1/'
bad 'twice.json:1: ' twice.json
expect_ok topo --machine m60 --format json -o machine.json
bad "machine.json:" machine.json

# ---- options ----
refuse 2 "--factor belongs to --compare" bench pairs --factor 2
for value in 0.5 0 x 1x "" -1 nan; do
    refuse 2 "--factor: \"$value\"" bench pairs --compare ten.json --factor="$value"
done
for value in 0 1 63 x 1.5 64XB KiB 1e9 "" -1 2TiB 99999999999999999999; do
    refuse 2 "--bytes: \"$value\"" bench pairs --bytes="$value"
done
for value in 0 -1 x; do
    refuse 2 "\"$value\"" bench pairs --trials="$value"
done
refuse 2 "\"-1\"" bench pairs --warmups=-1
for warmups in 0 1; do
    expect_ok bench launch --devices host:1 --trials 1 --warmups $warmups --json warmups.json
    grep -q "\"warmups\": $warmups" warmups.json || fail "the document should say --warmups $warmups"
done
expect_ok bench launch --devices host:1 --trials 1 --json warmups.json
grep -q '"warmups": null' warmups.json || fail "without --warmups the document should say null"
expect_ok bench packets --machine '2*nvswitch' --bytes 1MB --trials 2 --json megabyte.json
grep -q '"bytes": 1000000' megabyte.json || fail "--bytes 1MB should be 1000000"
expect_ok bench packets --machine '2*nvswitch' --bytes 0.5M --trials 2 --json half.json
grep -q '"bytes": 524288' half.json || fail "--bytes 0.5M should be 524288"
refuse 2 "--format dot: unknown; choose one of: table, json, csv" bench pairs --format dot
refuse 2 "both write to" bench pairs --json - --format csv
refuse 2 "both write to" bench pairs --json - -o -
refuse 2 "both write to" bench pairs --json a -o a
refuse 2 "cannot be written" bench pairs --devices nothing --json no-such-folder/x
refuse 2 "device spec" bench pairs --devices nothing
# What cannot be written after the run is a failure of the run, told by its cause.
if [ -c /dev/full ]; then
    refuse 1 "No space left on device" bench --from all.json -o /dev/full
    refuse 1 "No space left on device" bench copy --from all.json --format csv -o /dev/full
    refuse 1 "No space left on device" bench --from all.json --json /dev/full
    for format in table csv json; do
        "$WEIR" bench --from all.json --format $format >/dev/full 2>"$ERR"
        RC=$?
        LAST="weir bench --format $format >/dev/full"
        : >"$OUT"
        if [ "$RC" -eq 1 ] && grep -q "standard output cannot be written: No space left on device" "$ERR"; then pass; else fail "a full disk" && show; fi
    done
fi
"$WEIR" bench --from all.json >&- 2>"$ERR"
RC=$?
LAST="weir bench >&-"
if [ "$RC" -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ]; then pass; else fail "a closed standard output" && show; fi
refuse 2 "--verify: bench has no such option" bench pairs --verify

# ---- pictures ----
PLOT=$here/../../scripts/plot-bench.sh
export BUILD
if [ ! -f "$PLOT" ]; then
    skip "no scripts/plot-bench.sh here"
else
    # shellcheck disable=SC2034 # show, of common.sh, prints it
    LAST="plot-bench.sh without gnuplot"
    PATH=/nonexistent /bin/sh "$PLOT" all.json pictures >"$OUT" 2>"$ERR"
    RC=$?
    if [ "$RC" -eq 1 ] && grep -q "gnuplot is not installed" "$ERR" && [ ! -e pictures ]; then pass; else fail "it should say so" && show; fi
fi
if [ -f "$PLOT" ] && command -v gnuplot >/dev/null 2>&1; then
    # shellcheck disable=SC2034 # as above
    LAST="plot-bench.sh all.json pictures"
    sh "$PLOT" all.json pictures >"$OUT" 2>"$ERR"
    RC=$?
    for name in pairs copy packets atomics access broadcast; do
        if [ "$RC" -eq 0 ] && ! grep -qv '^# ' "$ERR" && grep -q '</svg>' "pictures/$name.svg" && grep -q "$name:" "pictures/$name.svg"; then
            pass
        else
            fail "a picture of $name"
            show
        fi
    done
    # Texts that awk, the shell or gnuplot would read, and a name that is a path.
    sed 's|"one"|"\\u001b`touch broken`\\\\n\\"%s{/_x}"|; s|"name": "m"|"name": "$(touch broken)`touch broken`\\\\\\""|; s|"packets"|"../../x"|' old.json >wild.json
    # shellcheck disable=SC2034 # as above
    LAST="plot-bench.sh wild.json wild"
    sh "$PLOT" wild.json wild >"$OUT" 2>"$ERR"
    RC=$?
    if [ "$RC" -eq 0 ] && [ ! -s "$ERR" ] && [ ! -e broken ] && [ "$(ls wild)" = ______x.svg ]; then pass; else fail "texts that are no program" && show; fi
else
    skip "no gnuplot"
fi

# ---- a signal: status 1, at once, nothing left ----
echo old >kept.json
ls -A >"$ROOM/.before"
timeout 60 "$WEIR" bench all --devices host:2 --trials 1000000 --json kept.json >"$OUT" 2>"$ERR" &
CHILD=$!
tries=0
while [ -z "$(find . -name '.weir-*')" ] && [ "$tries" -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
sleep 0.5
pkill -INT -P $CHILD 2>/dev/null || kill -INT $CHILD
wait $CHILD
RC=$?
ls -A >"$ROOM/.after"
# shellcheck disable=SC2034 # show, of common.sh, prints it
LAST="weir bench all, then SIGINT"
if [ "$RC" -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ] && grep -q "stopped by SIGINT" "$ERR" &&
    cmp -s "$ROOM/.before" "$ROOM/.after" && [ "$(cat kept.json)" = old ]; then
    pass
else
    fail "a signal should give status 1 and leave nothing behind"
    show
fi
finish
