#!/bin/sh
# weir pbf: right on any devices under either schedule, what it reports, and what it refuses.
. "$(dirname "$0")/common.sh"

# value FILE PATH: one member, PATH as a.b.0.c, in JSON's own spelling; needs python3.
value() {
    python3 -c '
import json, sys
at = json.load(open(sys.argv[1]))
for step in sys.argv[2].split("."):
    at = at[int(step)] if isinstance(at, list) else at[step]
print(json.dumps(at))' "$1" "$2" 2>&1
}

# is PATH WANT: the member of the last standard output.
is() {
    got=$(value "$OUT" "$1")
    if [ "$got" = "$2" ]; then
        pass
    else
        fail "$LAST: $1 should be $2, not $got"
    fi
}

# ---- results ----
for devices in host:1 host:3 host:1x1,host:1x3; do
    for schedule in dynamic static; do
        for selectivity in 0 0.1 1; do
            expect_ok pbf --elements 200001 --selectivity $selectivity --devices $devices \
                --schedule $schedule --packet 16KiB --seed 5 --verify
            has "verified: ok"
        done
    done
done
for elements in 0 1 2 5; do
    expect_ok pbf --elements $elements --devices host:4 --verify
    has "verified: ok"
    expect_ok pbf --elements $elements --devices host:4 --schedule static --verify
    has "verified: ok"
done
expect_ok pbf --elements 50000 --devices host:2 --work 3 --trials 3 --time-limit 50 --verify
has "summary  3 runs"
has "host:0"
has "host:1"
has "GB/s"
expect_ok pbf --elements 1000 --devices host:64 --packet 4 --verify
has "host:63"
has "packets of 4 bytes"
for selectivity in 1e-3 .5 1.E-1 2.5e-01 1e0 0e9 1e-300; do
    expect_ok pbf --elements 20000 --selectivity $selectivity --devices host:2 --verify
    has "verified: ok"
done
expect_ok pbf --elements 3 --devices host:1
has "3 elements, 12 bytes;"
expect_ok pbf --elements 2560 --devices host:1 --packet 2KiB
has "2560 elements, 10.0 KiB;"
has "packets of 2.0 KiB"
expect_ok pbf --elements 524288 --devices host:1
has "524288 elements, 2.0 MiB;"

# ---- the document ----
expect_ok pbf --elements 40000 --selectivity 1 --devices host:4 --schedule static --packet 4KiB --trials 2 --json -
if command -v python3 >/dev/null 2>&1; then
    is schema 1
    is command '"pbf"'
    is array.elements 40000
    is devices.3.label '"host:3"'
    is choices.schedule '"static"'
    is choices.packet_bytes 4096
    is choices.selectivity 1.0
    is trials.1.kept 40000
    for device in 0 1 2 3; do # static shares are equal
        is trials.0.devices.$device.elements 10000
        is trials.0.devices.$device.kept 10000
        is trials.0.devices.$device.packets 10
    done
    is verified null
    expect_ok pbf --elements 300000 --devices host:3 --packet 4KiB --verify --json -
    is choices.schedule '"dynamic"'
    is verified true
    total=0 # dynamic shares add up, whoever was faster
    for device in 0 1 2; do
        total=$((total + $(value "$OUT" trials.0.devices.$device.elements)))
    done
    if [ $total -eq 300000 ]; then pass; else fail "shares add up to $total"; fi
else
    skip "no python3 to read JSON with"
fi
expect_ok pbf --elements 1000 --devices host:1 --json report.json
has "GB/s"
if [ -s report.json ]; then pass; else fail "--json FILE writes no file"; fi

# ---- what is refused ----
refuse 2 "one argument too many" pbf x.mtx
refuse 2 '--elements: "many" is not a whole number' pbf --elements many
refuse 2 '"4294967297" is not a whole number from 0 to 4294967296' pbf --elements 4294967297
for selectivity in -1 1.1 2 x "" . 0.5x nan -nan inf 1e400 1e1 1e 1e- e1 +0.5 0x1p-2 " 0.5" "0.5 " -1e-3; do
    refuse 2 "is not a number from 0 to 1" pbf --selectivity="$selectivity"
done
refuse 2 "is not a number of bytes from 4" pbf --packet 3
refuse 2 "is not a number of bytes from 4" pbf --packet 2GiB
refuse 2 "whole elements" pbf --packet 1002 --devices host:1
refuse 2 "--schedule fast: unknown; choose one of: dynamic, static" pbf --schedule fast
refuse 2 '--trials: "0"' pbf --trials 0
refuse 2 '--work: "-1"' pbf --work -1
refuse 2 "--source: pbf has no such option" pbf --source 1
refuse 2 "--elements: bfs has no such option" bfs grid:4x4 --elements 4
refuse 2 "did you mean --packet" pbf --packets 4KiB
refuse 2 "nowhere/report.json" pbf --elements 10 --devices host:1 --json nowhere/report.json
refuse 2 "host:0" pbf --devices host:0
export WEIR_POOL_BYTES=64MiB
refuse 1 "no memory for a result that may be as long as the array of 10000000 elements" \
    pbf --elements 10000000 --devices host:1
refuse 1 "WEIR_POOL_BYTES" pbf --elements 100000000 --devices host:1
unset WEIR_POOL_BYTES
refuse 1 "time limit of 10 ms" pbf --elements 1000000 --work 1000000 --packet 256 --devices host:2 \
    --time-limit 0.01 --json report2.json

# ---- a signal ----
timeout -s INT 1 "$WEIR" pbf --elements 1000000 --work 1000000 --packet 256 --devices host:2 \
    --json report3.json >"$OUT" 2>"$ERR" </dev/null
if [ "$(cat "$ERR")" = "weir: stopped by SIGINT" ] && [ ! -e report3.json ]; then
    pass
else
    fail "a signal should stop a run"
    LAST="weir pbf with SIGINT"
    show
fi
finish
