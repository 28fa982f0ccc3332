#!/bin/sh
# weir graph500: lines and document as the specification has them, edges of the input as a serial count has them, statistics as its
# formulas give them, the same on any devices; a wrong result fails the run and is named.
. "$(dirname "$0")/common.sh"

# ---- the lines ----
expect_ok graph500 --scale 7 --roots 5 --devices host:2 --sssp --json report.json
{
    printf '%s\n' SCALE edgefactor NBFS graph_generation num_devices construction_time
    for figure in time nedge TEPS validate device_time device_TEPS; do
        mean=mean deviation=stddev
        case $figure in *TEPS) mean=harmonic_mean deviation=harmonic_stddev ;; esac
        for kernel in "bfs  " "sssp "; do
            if [ $figure = nedge ]; then
                [ "$kernel" = "bfs  " ] || continue
                kernel=
            fi
            for statistic in min firstquartile median thirdquartile max $mean $deviation; do
                echo "$kernel${statistic}_$figure"
            done
        done
    done
} >want.keys
sed 's/:.*//' "$OUT" >have.keys
same have.keys want.keys "the keys of the output"
if grep -qE '^bfs  harmonic_mean_TEPS:     !  [0-9.e+]+$' "$OUT" && grep -qE '^SCALE:                          7$' "$OUT" &&
    grep -qE '^edgefactor:                     16$' "$OUT" && grep -qE '^NBFS:                           5$' "$OUT"; then
    pass
else
    fail "lines should be as the reference implementation writes them" && show
fi
if grep -vqE '^[A-Za-z0-9 _]+: +(! +)?[0-9.e+-]+$' "$OUT"; then fail "each line should be a key and a number" && show; else pass; fi
expect_ok graph500 --scale 6 --roots 1 --devices host:1
has "bfs  stddev_time:               nan"
if grep -q sssp "$OUT"; then fail "sssp was not asked for"; else pass; fi
expect_ok graph500 --scale 5 --edgefactor 1 --roots 65536 --devices host:1 # from all there are
if [ "$(sed -n 's/^NBFS: *//p' "$OUT")" -lt 32 ]; then pass; else fail "there are not so many roots" && show; fi
expect_ok graph500 --scale 8 --devices host:1
has "NBFS:                           64"

# ---- figures against a count and formulas of their own ----
cat >check.py <<'END'
import json, math, sys
M = (1 << 64) - 1
def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M
    return x ^ x >> 31
GOLD = 0x9E3779B97F4A7C15
def draw(seed, i):
    return mix((mix((seed + GOLD) & M) + (i + 1) * GOLD) & M)
def edges(scale, factor, seed):
    n = 1 << scale
    bits = max(1, scale)
    mask, half, other = (1 << bits) - 1, max(1, bits // 2), ~seed & M
    key = [draw(other, 2 * i) & mask for i in range(4)]
    odd = [draw(other, 2 * i + 1) & mask | 1 for i in range(4)]
    def label(x):
        while True:
            for k, o in zip(key, odd):
                x = (x ^ k) * o & mask
                x ^= x >> half
            if x < n:
                return x
    for i in range(factor << scale):
        stream, word, row, column = draw(seed, i), 0, 0, 0
        for level in range(scale):
            if level % 2:
                word >>= 32
            else:
                stream = (stream + GOLD) & M
                word = mix(stream)
            toss = word & 0xFFFFFFFF
            down = toss >= 3264175144
            row = row << 1 | down
            column = column << 1 | ((toss >= 2448131358) ^ down | (toss >= 4080218931))
        yield label(row), label(column)
def statistics(x):
    n, x = len(x), sorted(x)
    mean = math.fsum(x) / n
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in x) / (n - 1)) if n > 1 else None
    middle = lambda a, b: (x[a] + x[b]) / 2
    return [x[0], middle((n - 1) // 4, n // 4), middle((n - 1) // 2, n // 2),
            middle(n - 1 - (n - 1) // 4, n - 1 - n // 4), x[-1], mean, deviation]
NAMES = ["min", "firstquartile", "median", "thirdquartile", "max"]
def near(what, have, want):
    if have is None or want is None:
        assert have is want, (what, have, want)
    else:
        assert abs(have - want) <= 1e-9 * abs(want) + 1e-300, (what, have, want)
def compare(what, have, want, harmonic=""):
    for name, value in zip(NAMES + [harmonic + "mean", harmonic + "stddev"], want):
        near((what, name), have[name], value)
document = json.load(open(sys.argv[1]))
scale, factor, seed = document["SCALE"], document["edgefactor"], document["seed"]
tuples = list(edges(scale, factor, seed))
assert document["graph"]["edges"] == len(tuples) and document["graph"]["vertices"] == 1 << scale
near_by = {}
for u, v in tuples:
    near_by.setdefault(u, set()).add(v)
    near_by.setdefault(v, set()).add(u)
roots = [run["root"] for run in document["runs"]]
assert len(set(roots)) == len(roots) == document["NBFS"]
apart = set()
for run in document["runs"]:
    assert near_by[run["root"]] - {run["root"]}, "a root without an edge to another vertex"
    reached, queue = {run["root"]}, [run["root"]]
    while queue:
        for v in near_by[queue.pop()] - reached:
            reached.add(v)
            queue.append(v)
    loops = sum(u == v for u, v in tuples if u in reached)
    halves = sum((u in reached) + (v in reached) for u, v in tuples if u != v)
    assert run["nedge"] == loops + halves / 2, (run["root"], run["nedge"], loops + halves / 2)
    apart.add(run["nedge"])
assert len(apart) >= int(sys.argv[2]), "roots should lie in several components"
compare("nedge", document["nedge"], statistics([run["nedge"] for run in document["runs"]]))
for kernel in [k for k in ("bfs", "sssp") if k in document["runs"][0]]:
    for figure in "time", "validate", "device_time":
        compare(figure, document[kernel][figure], statistics([run[kernel][figure] for run in document["runs"]]))
        assert all(run[kernel]["device_time"] <= run[kernel]["time"] for run in document["runs"])
    for figure, time in ("TEPS", "time"), ("device_TEPS", "device_time"):
        teps = [run["nedge"] / run[kernel][time] for run in document["runs"]]
        want = statistics([1 / t for t in teps])
        n, mean = len(teps), len(teps) / math.fsum(1 / t for t in teps)
        deviation = None
        if n > 1: # the specification's own formula, of Norris
            deviation = math.sqrt(math.fsum((1 / t - 1 / mean) ** 2 for t in teps)) / (n - 1) * mean ** 2
        compare(figure, document[kernel][figure],
                [1 / want[4], 1 / want[3], 1 / want[2], 1 / want[1], 1 / want[0], mean, deviation], "harmonic_")
assert document["verified"] is True
print(sorted(roots), sorted(run["nedge"] for run in document["runs"]))
END
# check COMPONENTS ARGUMENTS: the document is right, with roots of so many components at least.
check() {
    components=$1
    shift
    expect_ok graph500 "$@" --json one.json
    if python3 check.py one.json "$components" >said 2>&1; then pass; else fail "$LAST: $(tail -1 said)"; fi
}
if command -v python3 >/dev/null; then
    for devices in host:1 host:2 host:3 host:4 host:8; do
        check 1 --scale 8 --devices $devices --sssp --roots 20 --seed 3
        check 3 --scale 8 --edgefactor 1 --roots 65536 --devices $devices --sssp --seed 9223372036854775807
        mv said said.$devices
        same said.host:1 said.$devices "roots and edges on $devices"
    done
    check 1 --scale 1 --edgefactor 64 --devices host:2 --sssp
    check 1 --scale 10 --edgefactor 7 --roots 1 --devices host:2
else
    skip "no python3: no figures of their own to compare with"
fi

# ---- what is refused ----
refuse 2 "--scale is missing" graph500
refuse 2 "--scale" graph500 --scale 32
refuse 2 "--scale" graph500 --scale 0
refuse 2 "--edgefactor" graph500 --scale 5 --edgefactor 0
refuse 2 "--roots" graph500 --scale 5 --roots 0
refuse 2 "--undirected" graph500 --scale 5 --undirected
refuse 2 "rmat:4" graph500 rmat:4 --scale 5
refuse 2 "host:0" graph500 --scale 5 --devices host:0
refuse 2 "rmat:1,1,1: no vertex has an edge to another one to start from" graph500 --scale 1 --edgefactor 1
refuse 1 "a list of 2199023255552 edges: " graph500 --scale 31 --edgefactor 1024 --devices host:1

# ---- wrong results ----
WEIR=$WRONG
if [ -x "$WEIR" ]; then
    # unverified NAME VALUE SENTENCE ARGUMENTS: with that, status 1 and one sentence, no figures, and a document that says so.
    unverified() {
        name=$1 value=$2 sentence=$3
        shift 3
        rm -f wrong.json
        export "$name=$value"
        run graph500 --scale 6 --seed 2 --devices host:2 --json wrong.json "$@"
        if [ "$RC" -eq 1 ] && grep -qE "^weir: verification failed: $sentence" "$ERR" && [ "$(wc -l <"$ERR")" -eq 1 ] &&
            [ ! -s "$OUT" ]; then pass; else fail "should be told: $sentence" && show; fi
        if tr -d ' \n' <wrong.json | grep -q '"verified":false' && ! grep -q TEPS wrong.json; then
            pass
        else
            fail "the document should say false, and have no figures"
        fi
        unset "$name"
    }
    unverified WEIR_TEST_PARENT 7:63 "breadth-first search from root [0-9]+: vertex 7 at level"
    unverified WEIR_TEST_WRONG 7 "breadth-first search from root [0-9]+: vertex" --sssp
    unverified WEIR_TEST_PATH 7:70 "shortest paths from root [0-9]+: vertex 7 at distance [0-9]+ has parent 70, but a parent must be" --sssp
    expect_ok graph500 --scale 6 --seed 2 --devices host:2 --sssp --json right.json
else
    skip "weir-wrong is not built"
fi
finish
