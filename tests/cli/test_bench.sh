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
for name in access memory atomics packets indirect broadcast copy pairs ring alltoall contention flags launch; do
    has "  $name "
done
refuse 2 "did you mean broadcast" bench brodcast
refuse 2 "bench: zzz: unknown benchmark; see weir bench list" bench zzz
refuse 2 "NAME is missing" bench
refuse 2 "takes no options" bench list --devices host:2

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
expect_ok bench --from all.json --format csv -o all.csv
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
expect_ok bench broadcast --machine m60 --bytes 16MiB --trials 2 --json first.json
cp "$OUT" first.txt
has "simulated: times are virtual"
expect_ok bench broadcast --machine m60 --bytes 16MiB --trials 2 --json second.json
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
expect_ok bench broadcast --machine m60 --bytes 16MiB --trials 2 --compare first.json
has " 0 slower than 1.1 times, 0 only there, 0 only now"
expect_ok bench --from first.json --compare second.json --factor 1
awk '/"(median|low|high)":/ && !done[$1]++ { sub(/: [0-9.e+]*/, sprintf(": %g", 1000000)) } { print }' \
    first.json >faster.json
whole faster.json || fail "the doctored file is no JSON"
run bench --from first.json --compare faster.json
if [ "$RC" -eq 1 ] && grep -q "1 of .* got slower than 1.1 times" "$ERR" && grep -q " slower  GB/s" "$OUT"; then
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
run bench --from ten.json --compare first.json
if [ "$RC" -eq 2 ] && grep -q "no figure" "$ERR"; then pass; else fail "nothing to compare" && show; fi
run bench --from twenty.json --compare ten.json --json -
if [ "$RC" -eq 1 ] && whole "$OUT"; then pass; else fail "--json - --compare" && show; fi

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
edit missing.json '6s/"to": "", //'
bad 'missing.json:6: "to" is missing' missing.json
edit long.json '3s/launch/launchlaunchlaunchlaunch/'
bad 'long.json:3: "name" is longer than 23 bytes' long.json
edit trials.json '5s/"trials": 3/"trials": -1/'
bad 'trials.json:5: "trials" is not a count' trials.json
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
for value in 0 x 1.5 64XB KiB 1e9 "" -1 2TiB 99999999999999999999; do
    refuse 2 "--bytes: \"$value\"" bench pairs --bytes="$value"
done
for value in 0 -1 x; do
    refuse 2 "\"$value\"" bench pairs --trials="$value"
    refuse 2 "\"$value\"" bench pairs --warmups="$value"
done
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
        if [ "$RC" -eq 0 ] && [ ! -s "$ERR" ] && grep -q '</svg>' "pictures/$name.svg" && grep -q "$name:" "pictures/$name.svg"; then
            pass
        else
            fail "a picture of $name"
            show
        fi
    done
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
