#!/bin/sh
# weir topo: machines shown, written and read back; what is wrong with them is named.
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.sh"

# ---- the machine this runs on ----
expect_ok topo --devices host:3
has "source   discovered on --devices host:3"
for label in host0 host1 host2 home; do has "$label"; done
has "NUMA node 0"
has "bandwidth, GB/s"
has "latency of the first byte, us"
has "auto      "
has "staged    "
has "pools (bytes that a run may take; what there is, less a reserve: WEIR_POOL_BYTES is 0)"
[ "$(grep -c '^  \(host:[012]\|home\) .* GiB  4 pools$' "$OUT")" -eq 4 ] || fail "host devices should share what there is"
WEIR_POOL_BYTES=1.5GiB expect_ok topo --devices host:1
has "by WEIR_POOL_BYTES"
grep -q '^  host:0 *1.5 GiB  -$' "$OUT" || fail "the bound should be the one that was set"
expect_ok topo --devices host:3
[ "$(grep -c '^  host2 ' "$OUT")" -ge 4 ] || fail "host2 should have a row in every matrix"
expect_ok topo --devices host:1
has "routes: none, there is one device"
expect_ok topo
has "hosts (NUMA nodes"
expect_ok topo --devices host:40
[ "$(awk 'length > 110' "$OUT" | wc -l)" -eq 0 ] || fail "40 devices should not make lines wider than a page"
has "host39"
# A host whose path home is measured is still one machine: the document can be read back.
expect_ok topo --devices host:2 --measure --format json -o measured.json
expect_ok topo --machine measured.json
has "source   --machine measured.json"

# ---- shipped machines and texts: written, read back, written again, the same bytes ----
for machine in m60 dgx1v nvswitch8 hetero2 pcie4-nopeer '8*nvswitch' '2x4*pcie-tree' '2*pcie,hetero'; do
    expect_ok topo --machine "$machine"
    has "source   --machine $machine"
    has "auto      "
    expect_ok topo --machine "$machine" --format json -o first.json
    expect_ok topo --machine first.json --format json -o second.json
    same first.json second.json "the document of $machine read back"
    expect_ok topo --machine "$machine" --format json
    same first.json "$OUT" "$machine on standard output"
    # Every node of the document is one of the graph.
    expect_ok topo --machine "$machine" --format dot
    has "graph"
    sed -n 's/.*"label": *"\([^"]*\)".*/\1/p' first.json >labels
    [ -s labels ] || fail "$machine: the document has no labels"
    while read -r label; do has "$label"; done <labels
done
expect_ok topo --machine m60
has "* staged through home, in packets; a whole message gets half"
has "(staged pairs count half)"
expect_ok topo --machine nvswitch8
if grep -q "staged through home, in\|staged pairs" "$OUT"; then fail "no pair is staged there"; else pass; fi
# Names come from files; labels are checked by the library.
"$WEIR" topo --machine m60 --format json | sed 's/"Tesla M60"/"Te\\u001b[31m\\u009bla"/; s/"name": "m60"/"name": "m\\u0007\\n60"/' >wild.json
expect_ok topo --machine wild.json
if LC_ALL=C tr -d '\n\040-\176' <"$OUT" | grep -q .; then fail "a control character in the table"; else pass; fi
has "Te?[31m?la"
expect_ok topo --machine dgx1v --route ring
has "ring      "
has "GB/s where all send to the next one at once"
if grep -qE '^  (auto|direct|tree|staged)  ' "$OUT"; then fail "--route ring shows other routes"; else pass; fi
for route in auto direct tree staged; do expect_ok topo --machine nvswitch8 --route $route; done
# ---- levels ----
# By hand, of one device: 4 us and 0.5 ns an arc. More devices take 3 us each more, and 8 of them an eighth of the arcs, each its own.
expect_ok topo --machine dgx1v --levels 4,3,0.5
grep -q '^ *1024 *4.512 .* 28.06 *1$' "$OUT" && pass || fail "a level of 1024 arcs deserves one device of dgx1v, and takes all 28.06 us"
grep -q '^ *65536 *36.77 *26.38 .* 2$' "$OUT" && pass || fail "a level of 65536 arcs deserves two devices of dgx1v"
grep -q '^ *67108864 *33558 .* 4222 *8$' "$OUT" && pass || fail "a level of 67108864 arcs deserves all devices of dgx1v"
PAGE=$HERE/../../docs/stealing.md
if [ -f "$PAGE" ]; then
    awk '/^ *arcs  .* best$/{ reading = 1 } reading' "$OUT" >rows
    [ "$(wc -l <rows)" -eq 10 ] && [ "$(grep -cxFf rows "$PAGE")" -eq 10 ] && pass || fail "docs/stealing.md has another table of dgx1v"
else
    skip "no docs/stealing.md"
fi
# The shape: wider levels deserve no fewer, and the best is the least of its row.
for machine in dgx1v nvswitch8 '4*nvswitch' hetero2; do
    expect_ok topo --machine "$machine" --levels 4,3,0.5
    awk '/^ *arcs /{ reading = 1; next }
        reading && NF { rows++; best = $NF; most = NF - 2
            for (m = 1; m <= most; m++) if ($(1 + m) + 0 < $(1 + best) + 0) wrong = 1
            if (best < before || (rows == 1 && best != 1)) wrong = 1
            before = best }
        END { exit !(rows == 9 && !wrong && before == most) }' "$OUT" && pass || { fail "$machine: levels should deserve one device first, and all in the end"; show; }
done
# What the machine says of its arcs goes before the option.
"$WEIR" topo --machine '2*nvswitch' --format json | sed 's/"units"/"arc_ns": 2, "units"/' >arcs.json
expect_ok topo --machine arcs.json --levels 1,1,0.5
grep -q '^ *1048576 *2098 ' "$OUT" && pass || { fail "arcs of 2 ns should take one device 2098 us"; show; }
# What entries and finds take is kept beside it, and nothing where it is not known.
sed 's/"arc_ns": 2/"arc_ns": 2, "entry_ns": 7.25, "find_ns": 3/' arcs.json >rates.json
expect_ok topo --machine rates.json --format json
[ "$(grep -c '"arc_ns": 2, "entry_ns": 7.25, "find_ns": 3}' "$OUT")" -ge 2 ] && pass || { fail "three rates should come back"; show; }
expect_ok topo --machine arcs.json --format json
grep -q 'entry_ns\|find_ns' "$OUT" && fail "rates that nobody knows are written" || pass
for rate in entry find; do
    sed "s/\"arc_ns\": 2/\"${rate}_ns\": 2e6/" arcs.json >wrong.json
    refuse 2 "devices[0].${rate}_ns: 2000000 is not within 1e-06 .. 1e+06" topo --machine wrong.json
done
expect_ok topo --devices host:2 --levels 0,0,1
grep -q '^ *1024 *1.024 *0.512.* 2$' "$OUT" && pass || { fail "without barriers two host devices take half"; show; }
for figures in "" 4 4,3 4,3,0 4,3,-1 -4,3,1 "4,3,1," 4,3,x 4,,1 1e7,3,1 4,3,nan 4,3,1e-7; do
    refuse 2 "is not Z,P,NS" topo --machine dgx1v --levels "$figures"
done
refuse 2 "--levels belongs to --format table" topo --machine dgx1v --levels 4,3,0.5 --format json
refuse 2 "of 2 to 8 devices, and the machine has 1" topo --devices host:1 --levels 4,3,0.5
refuse 2 "of 2 to 8 devices, and the machine has 16" topo --machine '16*nvswitch' --levels 4,3,0.5

expect_ok topo --machine hetero2 --measure
has "its simulation measured: times are virtual"
cp "$OUT" measured.txt
expect_ok topo --machine hetero2 --measure
same measured.txt "$OUT" "a simulation measured twice"

# ---- broken machines: file, line and cause ----
expect_ok topo --machine m60 --format json -o good.json
# broken NAME SED: the good file, edited; refused with the line that differs.
broken() {
    sed "$2" good.json >"$1"
    line=$(diff good.json "$1" | sed -n '1s/^\([0-9]*\).*/\1/p')
    refuse 2 "$1:${line:-?}" topo --machine "$1"
    refuse 2 "$1:${line:-?}" bench pairs --machine "$1" --json out.json
}
broken negative.json '0,/"bandwidth_gbs": [0-9.]*/s//"bandwidth_gbs": -3/'
broken kind.json '0,/"kind": "pcie"/s//"kind": "rope"/'
refuse 2 "rope" topo --machine kind.json
head -c 300 good.json >cut.json
refuse 2 "cut.json:" topo --machine cut.json
printf '{"schema": 1}\n' >empty.json
refuse 2 "empty.json:1" topo --machine empty.json
: >nothing.json
refuse 2 "nothing.json" topo --machine nothing.json
mkdir folder
refuse 2 "folder" topo --machine folder
refuse 2 "no-such-file.json" topo --machine no-such-file.json
refuse 2 "9*nvswich" topo --machine '9*nvswich'
refuse 2 "is empty" topo --machine ""

# ---- options ----
refuse 2 "give only one" topo --devices host:2 --machine m60
refuse 2 "give only one" bench pairs --devices host:2 --machine m60
refuse 2 "--route belongs to --format table" topo --machine m60 --route ring --format json
refuse 2 "--measure belongs to --format table and json" topo --machine m60 --measure --format dot
refuse 2 "--format csv: unknown; choose one of: table, json, dot" topo --format csv
refuse 2 "--route rings: unknown; choose one of: auto, direct" topo --route rings
refuse 2 "one argument too many" topo m60
refuse 2 "--bytes: topo has no such option" topo --bytes 4
refuse 2 "did you mean --machine" topo --machin m60
refuse 2 "device spec" topo --devices host:0
refuse 2 "cannot be written" topo --machine no-such-file -o no-such-folder/x
if [ -c /dev/full ]; then
    run topo --machine m60 -o /dev/full
    if [ "$RC" -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ] && grep -q "No space left" "$ERR"; then pass; else fail "-o /dev/full" && show; fi
fi
finish
