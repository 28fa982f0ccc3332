#!/bin/sh
# --partition 2d:RxC and --wire: the same answers on every grid as in one dimension, what was picked and sent is said, and what does not go
# together is refused.
. "$(dirname "$0")/common.sh"

# ---- every grid of 1, 2, 3, 4, 6 and 8 devices ----
for graph in "rmat:10,8 --undirected" rmat:9,6 grid:40x25,0.8; do
    # shellcheck disable=SC2086 # words
    expect_ok bfs $graph --source 1 --devices host:1 -o want.out
    turn=0
    for grid in 1x1 1x2 2x1 1x3 3x1 1x4 4x1 2x2 1x6 2x3 3x2 6x1 1x8 2x4 4x2 8x1; do
        for wire in list bitmap auto; do
            turn=$((turn + 1))
            [ $((turn % 4)) != 0 ] && [ $((turn % STRIDE)) = 0 ] || continue
            parents=
            [ $((turn % 2)) = 0 ] || parents=--parents
            # shellcheck disable=SC2086 # words
            expect_ok bfs $graph --source 1 --devices "host:$((${grid%x*} * ${grid#*x}))" --partition 2d:$grid \
                --wire $wire $parents --verify -o got.out
            has "verified: ok"
            has "direction down, partition 2d:$grid, wire $wire"
            same want.out got.out "$graph 2d:$grid $wire"
        done
    done
done
expect_ok bfs rmat:10 --undirected --devices host:4 --partition 2d:2x2 --sources 3 --trials 2 --direction down --verify
expect_ok bfs rmat:10 --devices host:2x3 --partition 2d:2x1 --output-parents parents.out --verify
expect_ok bfs chain:1 --devices host:4 --partition 2d:2x2 --verify

# ---- by a certificate ----
expect_ok bfs rmat:10 --undirected --devices host:4 --partition 2d:2x2 --parents --verify --verify-by certificate

# ---- what levels told, in documents and added up ----
expect_ok bfs uniform:13,8 --undirected --devices host:8 --partition 2d:2x4 --json - --source 1
if [ -n "$TOOL" ]; then
    is choices.partition '"2d:2x4"'
    is choices.wire '"auto"'
    is choices.direction '"down"'
    is trials.0.levels.0.frontier 1
    at_least 3 trials.0.levels.2.frontier
    # (R - 1) + (C - 1) partners.
    is trials.0.levels.2.expand_partners 1
    is trials.0.levels.2.fold_partners 3
    at_least 1 trials.0.levels.2.expand_bytes
    present trials.0.levels.0.compute_ms trials.0.levels.2.expand_ms trials.0.levels.2.fold_ms \
        trials.0.levels.2.update_ms trials.0.levels.2.pairs.0.items trials.0.levels.2.pairs.0.wire
fi
if [ "$TOOL" = python3 ]; then
    # A part has 1024 vertices: with bitmaps no pair takes more than an eighth of that in bytes, and none is of devices that share neither
    # a column nor a row.
    cat >pairs.py <<'EOF'
import json, sys
levels = json.load(open(sys.argv[1]))["trials"][0]["levels"]
for level in levels:
    total = {"expand": 0, "fold": 0}
    for pair in level["pairs"]:
        total[pair["phase"]] += pair["bytes"]
        assert pair["bytes"] <= 1024 // 8, pair
        assert pair["bytes"] == (4 * pair["items"] if pair["wire"] == "list" else 128), pair
        column, row = pair["from"] // 2 == pair["to"] // 2, pair["from"] % 2 == pair["to"] % 2
        assert column != row and pair["phase"] == ("expand" if column else "fold"), pair
    assert total["expand"] == level["expand_bytes"] and total["fold"] == level["fold_bytes"], level
assert {pair["wire"] for level in levels for pair in level["pairs"]} == {"list", "bitmap"}
EOF
    if python3 pairs.py "$OUT"; then pass; else fail "pairs of levels that cannot be"; fi
fi
expect_ok bfs uniform:13,8 --undirected --devices host:8 --partition 2d:2x4 --stats --source 1
has "a device tells at most 1 of its column and 3 of its row"
for phase in expand compute fold update parents; do has "$phase "; done

# ---- what a plan says ----
expect_ok plan rmat:10 bfs --devices host:4 --partition 2d:2x2
has "arcs of a cell"
expect_ok plan rmat:10 --devices host:4 --partition 2d:2x2
has "cannot be planned: --partition 2d:2x2 is for breadth-first search, PageRank and components, not for shortest paths"
refuse 2 "is a grid of 4 devices, and there are 3" plan rmat:8 bfs --devices host:3 --partition 2d:2x2
expect_ok plan --vertices 65536 --arcs 955654 bfs --devices host:4 --partition 2d:2x2
has "arcs of a cell"
expect_ok plan --vertices 65536 --arcs 955654 bfs --machine nvswitch8 --partition 2d:2x4
has "arcs of a cell"
refuse 2 "is a grid of 4 devices, and there are 3" \
    plan --vertices 65536 --arcs 955654 bfs --devices host:3 --partition 2d:2x2

# ---- lists take larger inboxes; a run has what its plan says, within 3 % ----
most_of() { awk '$1 == "\"bytes\":" && seen { if ($2 + 0 > most) most = $2 + 0; seen = 0 } /"label"/ { seen = 1 } END { print most + 0 }' "$1"; }
for wire in auto list; do
    expect_ok plan rmat:16 bfs --devices host:4 --partition 2d:2x2 --wire $wire --json $wire.json
    NEED=$(most_of $wire.json)
    WEIR_POOL_BYTES=$((NEED * 103 / 100)) expect_ok bfs rmat:16 --devices host:4 --partition 2d:2x2 --wire $wire
    WEIR_POOL_BYTES=$((NEED * 97 / 100)) refuse 1 "needs" bfs rmat:16 --devices host:4 --partition 2d:2x2 --wire $wire
done
# 16384 numbers of 4 bytes from each of the two that send, in place of bits.
MORE=$(($(most_of list.json) - $(most_of auto.json)))
[ "$MORE" -ge 100000 ] || fail "inboxes of lists should be $MORE bytes more"

# ---- what does not fit, and on how many it would, with as many columns ----
WEIR_POOL_BYTES=1MiB
export WEIR_POOL_BYTES
refuse 1 "search in two dimensions of rmat:16: host:0 needs" bfs rmat:16 --devices host:4 --partition 2d:2x2
refuse 1 "such devices would hold it" bfs rmat:16 --devices host:4 --partition 2d:2x2
expect_ok bfs rmat:16 --devices host:16 --partition 2d:8x2 # equal parts they are not
enough() { sed -n 's/.* \([0-9]*\) such devices would hold it$/\1/p' "$1"; }
for grid in 2x2 4x1 1x3; do
    devices=host:$((${grid%x*} * ${grid#*x}))
    refuse 1 "such devices would hold it" bfs rmat:16 --devices $devices --partition 2d:$grid
    want=$(enough "$ERR")
    expect_ok plan rmat:16 bfs --devices $devices --partition 2d:$grid
    has "it does not fit: host:0 has too little; $want such devices would hold it"
    [ $((want % ${grid#*x})) -eq 0 ] || fail "$want devices are no grid of ${grid#*x} columns"
done
# Of so many vertices and arcs alone: parts are equal.
expect_ok plan --vertices 65536 --arcs 955654 bfs --devices host:4 --partition 2d:2x2
has "such devices would hold it"
unset WEIR_POOL_BYTES

# ---- one cell with all arcs of its column is refused before anything is taken, too ----
awk 'BEGIN { for (v = 0; v < 40000; v++) for (k = 0; k < 8; k++) print v, (8 * v + 618 * k) % 5000 }' >heads.el
WEIR_POOL_BYTES=1800KiB refuse 1 "search in two dimensions of heads.el: host:0 needs" \
    bfs heads.el --devices host:8 --partition 2d:8x1

# ---- what levels told is kept only where it is shown, and what pairs did only in documents: what is more than memory keeps waits in a file ----
TMPDIR=$ROOM/none
export TMPDIR
expect_ok bfs chain:1000 --source 0 --devices host:8 --partition 2d:8x1 --trials 40
refuse 1 "levels wait in a file in" bfs chain:1000 --source 0 --devices host:8 --partition 2d:8x1 --trials 40 --stats
expect_ok bfs chain:1000 --source 0 --devices host:8 --partition 2d:8x1 --trials 10 --stats
refuse 1 "pair figures wait in a file in" \
    bfs chain:1000 --source 0 --devices host:8 --partition 2d:8x1 --trials 10 --json -
unset TMPDIR

# ---- refused; but for the number of devices before anything is loaded ----
refuse 2 "--partition 2d:2x2 is a grid of 4 devices, and there are 3" bfs rmat:6 --devices host:3 --partition 2d:2x2
refuse 2 "--partition 2d:1x2 is a grid of 2 devices, and there is 1" bfs rmat:6 --devices host:1 --partition 2d:1x2
for verb in sssp color; do
    refuse 2 "--partition 2d:2x2 is for breadth-first search, PageRank and components, not for" $verb none.el --partition 2d:2x2
done
refuse 2 "is for breadth-first search, PageRank and components, not for breadth-first search of a batch of sources" \
    bfs none.el --partition 2d:2x2 --sources 9 --batch
for option in "route ring" "order fifo" "kernel fused" "worker warp" "fetch 3" "mapping warp" "memory host" "memory device"; do
    # shellcheck disable=SC2086 # words
    refuse 2 "--${option% *} has no effect on breadth-first search in two dimensions: leave it out" \
        bfs none.el --partition 2d:2x2 --$option
done
for direction in push pull switch; do
    refuse 2 "a search in two dimensions goes down in every level: direction down" \
        bfs none.el --partition 2d:2x2 --direction $direction
done
refuse 2 "--wire bitmap has no effect on breadth-first search through the worklist" \
    bfs none.el --direction push --wire bitmap

# ---- PageRank ----
expect_ok pr rmat:11 --devices host:1 --tolerance 1e-10 -o want.out
for grid in 1x1 1x2 2x1 3x1 2x2 1x5 3x2 1x7 2x4 8x1; do
    devices=host:$((${grid%x*} * ${grid#*x}))
    expect_ok pr rmat:11 --devices "$devices" --partition "2d:$grid" --tolerance 1e-10 --verify -o got.out
    has "direction pull, partition 2d:$grid, tolerance 1e-10"
    has "verified: ok"
    if paste want.out got.out | awk '{ d = $1 - $2; if (d < 0) d = -d; if (!(d <= 1e-9 * $1)) bad = 1 } END { exit bad || NR != 2048 }'; then
        pass
    else
        fail "ranks on a grid of $grid are others"
    fi
done
expect_ok pr rmat:11 --devices host:4 --partition 2d:2x2 --verify --verify-by certificate
has "by certificate"
expect_ok pr rmat:11 --devices host:4 --partition 2d:2x2 --dangling ignore --damping 0.5 --verify
expect_ok pr rmat:11 --devices host:4 --partition 2d:2x2 --iterations 5 --json -
is choices.partition '"2d:2x2"'
is trials.0.stats.steps 5
is trials.0.stats.phases.0.name '"gather"'
expect_ok plan rmat:11 pr --devices host:4 --partition 2d:2x2
has "arcs of a cell"
for option in "order fifo" "kernel fused" "memory host" "bands 2" "hubs 9" "bins 4"; do
    # shellcheck disable=SC2086 # words
    refuse 2 "--${option% *} has no effect on PageRank in two dimensions: leave it out" pr none.el --partition 2d:2x2 --$option
done
refuse 2 "PageRank in two dimensions adds up rows: direction pull" pr none.el --partition 2d:2x2 --direction push

# ---- components ----
for graph in rmat:11,2 grid:60x40,0.6; do
    expect_ok cc $graph --devices host:1 -o want.out
    for grid in 1x1 1x2 2x1 3x1 2x2 1x5 3x2 1x7 2x4 8x1; do
        expect_ok cc $graph --devices "host:$((${grid%x*} * ${grid#*x}))" --partition "2d:$grid" --verify -o got.out
        has "partition 2d:$grid"
        has "verified: ok"
        same want.out got.out "labels of $graph on a grid of $grid"
    done
done
expect_ok cc rmat:11 --devices host:4 --partition 2d:2x2 --verify --verify-by certificate --trials 2
has "by certificate"
expect_ok cc rmat:11 --devices host:4 --partition 2d:2x2 --stream off --json -
is choices.partition '"2d:2x2"'
is trials.0.stats.phases.0.name '"link"'
expect_ok cc rmat:11 --undirected --devices host:4 --partition 2d:2x2 --stats
for phase in link merge fold propose hook flatten label "bytes sent"; do has "$phase "; done
expect_ok plan rmat:16 cc --devices host:4 --partition 2d:2x2 --json cc.json
has "arcs of a cell"
NEED=$(most_of cc.json)
WEIR_POOL_BYTES=$((NEED * 103 / 100)) expect_ok cc rmat:16 --devices host:4 --partition 2d:2x2
WEIR_POOL_BYTES=$((NEED * 97 / 100)) refuse 1 "components in two dimensions of rmat:16: host:" cc rmat:16 --devices host:4 --partition 2d:2x2
for option in "route ring" "memory host"; do
    # shellcheck disable=SC2086 # words
    refuse 2 "--${option% *} has no effect on connected components in two dimensions: leave it out" cc none.el --partition 2d:2x2 --$option
done
refuse 2 "components in two dimensions have their arcs on the devices, and not streamed" cc none.el --partition 2d:2x2 --stream on

# ---- auto says why it makes no grid, of what has one ----
expect_ok info rmat:10 --devices host:4
[ "$(grep -c 'a grid of them (2d:RxC) has fewer partners and more barriers' "$OUT")" -eq 3 ] ||
    fail "bfs, pr and cc should say why they make no grid"

# ---- bitmaps in one dimension ----
for graph in rmat:10 grid:60x40,0.7; do
    for devices in host:2 host:3 host:8; do
        expect_ok bfs $graph --undirected --source 5 --devices host:1 --verify -o want.out
        : >"$ROOM/bytes"
        for wire in list bitmap auto; do
            expect_ok bfs $graph --undirected --source 5 --devices "$devices" --partition edge --direction down --wire $wire --verify -o got.out
            has "direction down, partition edge"
            has "% of the arcs cut), wire $wire"
            same want.out got.out "$graph $devices $wire"
            expect_ok bfs $graph --undirected --source 5 --devices "$devices" --partition edge --direction down --wire $wire --json -
            is choices.wire "\"$wire\""
            [ $wire = list ] && is trials.0.bitmaps 0
            [ $wire = bitmap ] && is_not trials.0.bitmaps 0
            value "$OUT" trials.0.stats.bytes_sent >>"$ROOM/bytes"
        done
        least=$(sort -n "$ROOM/bytes" | head -1)
        if [ "$(tail -1 "$ROOM/bytes")" -le "$least" ]; then pass; else fail "$graph $devices: bytes sent $(cat "$ROOM/bytes")"; fi
        expect_ok bfs $graph --undirected --source 5 --devices "$devices" --partition edge --wire bitmap --verify -o got.out
        has "direction switch"
        same want.out got.out "$graph $devices bitmap, both ways"
    done
done
expect_ok bfs rmat:10 --devices host:2 --json -
is choices.wire '"list"'
refuse 2 "wire bitmap is of levels that go top-down" bfs rmat:10 --devices host:2 --direction pull --wire bitmap
expect_ok bfs rmat:10 --devices host:2 --partition block --parents --wire bitmap --verify
has "verified: ok"
refuse 2 "wire bitmap does not go with balance frontier" bfs rmat:10 --devices host:2 --balance frontier --wire bitmap
refuse 2 "wire bitmap is of what devices send each other" bfs rmat:10 --devices host:1 --wire bitmap
refuse 2 "--wire bitmap has no effect on breadth-first search of a batch" bfs rmat:10 --sources 3 --batch --wire bitmap
refuse 2 "--wire bitmap has no effect on shortest paths" sssp none.el --wire bitmap
expect_ok sssp rmat:8 --devices host:2 --wire list
expect_ok sssp rmat:8 --devices host:2 --wire auto
has "wire list"
refuse 2 "--wire: pr has no such option" pr none.el --wire list
finish
