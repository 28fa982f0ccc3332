#!/bin/sh
# Devices that take long to begin, as GPUs do: a graph's file is read meanwhile. Answers, refusals and signals are those of devices that are there
# at once.
. "$(dirname "$0")/common.sh"
if [ ! -x "$WRONG" ]; then
    echo "weir-wrong is not built"
    exit 77
fi
expect_ok gen rmat:10 --undirected -o graph.mtx
for verb in bfs sssp cc pr; do
    expect_ok "$verb" graph.mtx --devices host:2 --output "$verb.early"
done
expect_ok info graph.mtx --devices host:2 --json info.early

expect_ok spmv graph.mtx --devices host:2 --output spmv.early
awk '!/^%/ && seen++ { print $1 - 1, $2 - 1 }' graph.mtx | sort -R >graph.el # in no order, so that no row is there before the arcs are
expect_ok spmv graph.el --devices host:2 --output list.early

WEIR=$WRONG
export WEIR_TEST_LATE_MS=150
for of in "graph.mtx spmv" "graph.el list"; do # a matrix, and a graph that is one
    expect_ok spmv "${of% *}" --devices host:2 --verify --output "${of#* }.late" --json spmv.json
    if cmp -s "${of#* }.early" "${of#* }.late"; then pass; else fail "spmv ${of% *}: late devices have another answer"; fi
    if grep -q '"devices_ms": *1[5-9][0-9]' spmv.json; then pass; else fail "spmv ${of% *}: the document should have what late devices took"; fi
done
expect_ok spmv banded:100,3 --devices host:2 --verify
for verb in bfs sssp cc pr; do
    expect_ok "$verb" graph.mtx --devices host:2 --output "$verb.late"
    if cmp -s "$verb.early" "$verb.late"; then pass; else fail "$verb: late devices have another answer"; fi
done
for verb in bfs color; do expect_ok "$verb" graph.el --undirected --devices host:2 --verify; done
expect_ok bfs rmat:10 --devices host:2 --verify
expect_ok bfs graph.mtx --devices host:2 --time-limit 20 --verify
expect_ok info graph.mtx --devices host:2 --json info.late
if cmp -s info.early info.late; then pass; else fail "info: late devices have another answer"; fi

# Whoever fails first, one sentence is told, and the devices' where both do. Nobody waits for the end of a file that has none.
refuse 2 "nosuch" bfs graph.mtx --devices nosuch:1
refuse 2 "nosuch" bfs missing.mtx --devices nosuch:1
refuse 2 "nosuch" info graph.mtx --devices nosuch:1
refuse 2 "missing.mtx" bfs missing.mtx --devices host:2
refuse 2 "missing.mtx" info missing.mtx --devices host:2
refuse 2 "nosuch" spmv graph.mtx --devices nosuch:1
refuse 2 "nosuch" spmv missing.mtx --devices nosuch:1
refuse 2 "missing.mtx" spmv missing.mtx --devices host:2
mkfifo endless
sleep 100 >endless &
holder=$!
refuse 2 "nosuch" bfs endless --devices nosuch:1
kill $holder

# A signal while they are waited for ends the command at once.
export WEIR_TEST_LATE_MS=20000
for signal in INT TERM; do
    begin=$(date +%s)
    timeout -s "$signal" 1 "$WEIR" bfs graph.mtx --devices host:2 >"$OUT" 2>"$ERR"
    if [ $(($(date +%s) - begin)) -lt 10 ] && grep -q "stopped by SIG$signal" "$ERR"; then
        pass
    else
        fail "SIG$signal should end a command that waits for its devices" && show
    fi
done
finish
