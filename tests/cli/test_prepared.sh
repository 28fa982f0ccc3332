#!/bin/sh
# What came before the trials: the times of preparing, and the first run apart from those after it.
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null 2>&1 || { echo "python3 is not here"; exit 77; }

cat >before.py <<'EOF'
import json, statistics, sys
document = json.load(open(sys.argv[1]))
sources, trials = int(sys.argv[2]), int(sys.argv[3])
prepared, cold, summary, rows = (document[name] for name in ("prepared", "cold", "summary", "trials"))
assert sorted(prepared) == ["copying_ms", "devices_ms", "opening_ms", "partition_ms", "placing_ms", "waited_ms"], prepared
assert prepared["devices_ms"] > 0 and prepared["waited_ms"] > 0, prepared
assert all(prepared[name] > 0 for name in ("opening_ms", "partition_ms", "placing_ms")), prepared
assert prepared["copying_ms"] > 0 or document["choices"].get("stream") == "on", prepared
assert cold["ms"] >= cold["kernel_ms"] >= 0 and cold["ms"] > 0, cold
assert cold["source"] == rows[0]["source"]
assert len(rows) == sources * trials and summary["sources"] == sources, (len(rows), summary)
assert cold["trial"] == (len(rows) == 1)
if len(rows) == 1:
    assert summary["warm_median_ms"] is None and summary["warm_median_kernel_ms"] is None
    assert (cold["ms"], cold["kernel_ms"]) == (rows[0]["ms"], rows[0]["kernel_ms"])
    sys.exit()
for name in ("ms", "kernel_ms"):
    each = [statistics.median(row[name] for row in rows[s * trials : (s + 1) * trials]) for s in range(sources)]
    assert abs(summary["warm_median_" + name] - statistics.median(each)) < 1e-9, (name, each)
EOF

# before SOURCES TRIALS ARGUMENTS: the document holds together.
before() {
    sources=$1 trials=$2
    shift 2
    expect_ok "$@" --json before.json
    if python3 before.py before.json "$sources" "$trials" 2>"$ERR"; then pass; else fail "$*" && show; fi
}

# has_line PATTERN: a line of standard output that it describes.
has_line() {
    if grep -qx -e "$1" "$OUT"; then pass; else fail "stdout should have a line: $1" && show; fi
}

before 1 1 bfs rmat:10 --undirected --devices host:2
has_line "prepared in [0-9.]* ms: opening [0-9.]*, partition [0-9.]*, placing [0-9.]*, copying [0-9.]*; devices [0-9.]*, waited for [0-9.]*"
has_line "cold     [0-9.]* ms, kernels [0-9.]* ms: the first run"
before 1 4 bfs rmat:10 --undirected --devices host:2 --trials 4
has_line "cold .*: the first run, no trial"
before 16 1 bfs rmat:10 --undirected --devices host:2 --sources 16 --verify
has_line "warm     [0-9.]* ms, kernels [0-9.]* ms: median over 16 sources"
before 5 3 sssp rmat:10 --undirected --devices host:2 --sources 5 --trials 3
before 4 2 sssp rmat:10 --undirected --devices host:2 --sources 4 --trials 2 --direction push
before 1 3 pr rmat:10 --devices host:2 --trials 3
before 1 1 pr rmat:10 --devices host:2 --direction push
before 1 3 cc rmat:10 --devices host:2 --trials 3
before 1 2 cc rmat:10 --devices host:2 --trials 2 --stream on
if grep -q "^warm" "$OUT"; then fail "one source has no median over sources" && show; else pass; fi

# Opening grows with the graph, and a partition that takes a program of its own is counted as such.
if [ -x "$BUILD/weir-metis" ]; then
    expect_ok bfs rmat:12 --undirected --devices host:2 --partition metis --json metis.json
    expect_ok bfs rmat:12 --undirected --devices host:2 --partition edge --json edge.json
    if python3 -c '
import json
metis, edge = (json.load(open(name))["prepared"] for name in ("metis.json", "edge.json"))
assert metis["partition_ms"] > 2 * edge["partition_ms"], (metis, edge)' 2>"$ERR"; then
        pass
    else
        fail "metis takes longer than counting arcs" && show
    fi
else
    skip "weir-metis is not built"
fi
finish
