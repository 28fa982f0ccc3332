#!/bin/sh
# The JSON documents: valid, complete, alone on standard output, exact.
. "$(dirname "$0")/common.sh"

printf '0 1\n1 2\n2 3\n0 4\n6 0\n' >path.el
expect_ok bfs path.el --source 0 --devices host:2 --direction push --partition edge --json -
if [ -z "$TOOL" ]; then
    skip "neither python3 nor jq to read JSON with"
    finish
fi

# ---- bfs ----
is schema 1
is command '"bfs"'
is graph.name '"path.el"'
is graph.vertices 7
is graph.arcs 5
is devices.0.label '"host:0"'
is devices.1.label '"host:1"'
is choices.partition '"edge"'
# What was picked is said, never that it was left to be picked.
for choice in order kernel worker mapping; do is_not choices.$choice '"auto"'; done
is choices.balance '"off"'
is choices.wire '"list"'
is choices.undirected false
is choices.seed 1
is trials.0.source 0
is trials.0.reached 5
is trials.0.max_level 3
is trials.0.sum_levels 7
is trials.0.direction '"push"'
is trials.0.steps 0
is trials.0.devices_used 2
is trials.0.stats.least_items 5
is trials.0.stats.phases '[]'
is trials.0.gteps_edges "not there"
is choices.direction '"push"'
is choices.devices_used 2
is choices.why_devices null
is choices.parents false
is verified null
present devices.0.name choices.route choices.order choices.delta choices.kernel choices.worker \
    choices.fetch choices.mapping choices.cut trials.0.ms trials.0.kernel_ms trials.0.gteps \
    trials.0.items_processed trials.0.items_sent trials.0.items_spilled trials.0.rounds \
    trials.0.gteps_seen summary.gteps_seen_harmonic_mean trials.0.stats.bytes \
    summary.min_ms summary.median_ms summary.max_ms summary.gteps_harmonic_mean

expect_ok bfs path.el --devices host:3 --route ring --order soft:2 --partition random --seed 9 \
    --undirected --verify --json -
is verified true
is choices.route '"ring"'
is choices.order '"soft"'
is choices.partition '"random"'
is choices.undirected true
is choices.seed 9
is graph.arcs 10

for route in tree staged; do
    expect_ok bfs path.el --devices host:3 --route $route --json -
    is choices.route "\"$route\""
done

# ---- what the devices did ----
expect_ok bfs rmat:8 --devices host:3 --route direct --partition random --json -
present trials.0.stats.processed_per_least trials.0.stats.processed trials.0.stats.stale trials.0.stats.overwork trials.0.stats.atoms \
    trials.0.stats.atoms_per_arc trials.0.stats.spilled trials.0.stats.deferred trials.0.stats.rounds trials.0.stats.narrow_rounds trials.0.stats.woven trials.0.stats.paced \
    trials.0.stats.raises
for phase in process receive order wait; do
    present trials.0.stats.phase_ms.$phase trials.0.stats.phase_percent.$phase
done
is trials.0.stats.produced "$(value "$OUT" trials.0.stats.consumed)"
is trials.0.stats.processed "$(value "$OUT" trials.0.items_processed)"
is trials.0.stats.sent "$(value "$OUT" trials.0.items_sent)"
is trials.0.stats.rounds "$(value "$OUT" trials.0.rounds)"
reached=$(value "$OUT" trials.0.reached)
arcs=$(value "$OUT" trials.0.stats.arcs_reached)
# Every vertex is processed at least once, with all of its arcs.
at_least "$reached" trials.0.stats.processed
at_least "$arcs" trials.0.stats.atoms
# links_sum: items on all links; a link that carried none is not listed.
links_sum() {
    sum=0
    at=0
    while items=$(value "$OUT" trials.0.links.$at.items) && [ "$items" -gt 0 ] 2>/dev/null; do
        sum=$((sum + items))
        at=$((at + 1))
    done
    echo $sum
}
is trials.0.items_sent "$(links_sum)"
at_least 1 trials.0.items_sent
# bytes_of BYTES: of each item that was sent, over whatever route.
bytes_of() {
    at_least 1 trials.0.items_sent
    is trials.0.stats.bytes_sent $(($1 * $(value "$OUT" trials.0.items_sent)))
}
bytes_of 8
for kernel in fused discrete; do
    for route in direct ring tree staged; do
        expect_ok bfs rmat:8 --devices host:3 --route $route --kernel $kernel --json -
        bytes_of 8
    done
done
expect_ok sssp rmat:8 --devices host:3 --direction push --json -
bytes_of 8
expect_ok pr rmat:8 --devices host:2 --direction push --json -
bytes_of 16
expect_ok bfs rmat:8 --devices host:2 --partition edge --direction switch --json -
at_least 1 trials.0.stats.bytes_sent
expect_ok bfs rmat:8 --devices host:3 --route direct --partition random --json -
present trials.0.links.5.from trials.0.links.5.to
expect_ok bfs rmat:8 --devices host:1 --direction push --json -
is trials.0.links '[]'
is trials.0.items_sent 0

# ---- sources: different vertices with out-arcs, the same for the same seed ----
expect_ok bfs rmat:8,4 --sources 20 --trials 2 --devices host:1 --json -
is trials.39.max_level "$(value "$OUT" trials.38.max_level)"
: >sources
for i in 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38; do
    value "$OUT" trials.$i.source >>sources
done
[ "$(sort -u sources | wc -l)" -eq 20 ] || fail "--sources 20 should be 20 different vertices"
first=$(value "$OUT" trials.0.source)
expect_ok bfs rmat:8,4 --sources 20 --trials 2 --devices host:2 --json -
is trials.0.source "$first"

# ---- a lone vertex: nothing reached, no division by zero ----
expect_ok bfs path.el --source 5 --devices host:1 --json -
is trials.0.reached 1
is trials.0.gteps 0
is summary.gteps_harmonic_mean 0
is trials.0.stats.atoms 0
is trials.0.stats.atoms_per_arc null
is trials.0.stats.overwork 1

# ---- sssp ----
printf '0 1 2\n1 2 3\n0 2 9\n2 3 1\n3 0 1\n5 4 7\n' >weights.el
expect_ok sssp weights.el --source 0 --devices host:2 --direction push --verify --json -
is schema 1
is command '"sssp"'
is graph.vertices 6
is graph.arcs 6
is choices.weights '"file"'
is trials.0.source 0
is trials.0.reached 4
is trials.0.max_distance 6
is trials.0.sum_distances 13
is trials.0.stats.arcs_reached 5
is verified true
present trials.0.ms trials.0.gteps trials.0.items_processed trials.0.items_sent \
    trials.0.stats.overwork trials.0.stats.phase_ms.wait summary.gteps_harmonic_mean
for choice in order kernel worker mapping; do is_not choices.$choice '"auto"'; done
printf '0 1 0.5\n1 2 0.125\n' >fractions.el
expect_ok sssp fractions.el --source 0 --devices host:1 --json -
is trials.0.max_distance 0.625
is trials.0.sum_distances 1.125
expect_ok sssp path.el --devices host:1 --json -
is choices.weights '"random:1-255:1"'
expect_ok sssp path.el --devices host:1 --weights random:3-9:18446744073709551615 --json -
is choices.weights '"random:3-9:18446744073709551615"'
expect_ok sssp path.el --source 0 --devices host:1 --weights unit --json -
is choices.weights '"unit"'
is trials.0.max_distance 3
is trials.0.sum_distances 7
expect_ok sssp path.el --source 5 --devices host:1 --json -
is trials.0.reached 1
is trials.0.max_distance 0
is trials.0.sum_distances 0
is trials.0.gteps 0

# ---- pr: what it starts from is nothing, and how it ended ----
printf '0 1\n1 0\n2 0\n' >ranks.el
expect_ok pr ranks.el --devices host:2 --direction pull --verify --json -
is verified true
is trials.0.verified_by '"iteration"'
is trials.0.l1_difference null
present trials.0.exact_change trials.0.l1_bound
expect_ok pr ranks.el --devices host:2 --direction pull --tolerance 1e-9 --verify --json -
is trials.0.verified_by '"reference"'
is trials.0.exact_change null
is trials.0.l1_bound null
is schema 1
is command '"pr"'
is choices.direction '"pull"'
is choices.tolerance 1e-09
is choices.damping 0.85
is choices.dangling '"spread"'
is choices.iterations 0
is choices.weights "not there"
for choice in route order kernel worker fetch mapping; do is choices.$choice null; done
is trials.0.source null
is trials.0.reached 3
is trials.0.sum_levels "not there"
at_least 1 trials.0.steps
is verified true
present trials.0.max_rank trials.0.sum_ranks trials.0.residual trials.0.ms_per_iteration trials.0.l1_difference \
    trials.0.relative_difference trials.0.verified_by trials.0.gteps_seen trials.0.stats.bytes trials.0.stats.gbytes_per_s \
    trials.0.stats.phases.0.name trials.0.stats.phases.0.ms trials.0.stats.phases.0.steps
expect_ok pr ranks.el --devices host:2 --direction pull --iterations 2 --dangling ignore --damping 0.5 --json -
is choices.iterations 2
is choices.bands 0
is trials.0.bands 1
is choices.hubs 0
is trials.0.hubs 0
is choices.dangling '"ignore"'
is choices.damping 0.5
is trials.0.steps 2
is trials.0.l1_difference null
is trials.0.verified_by null
expect_ok pr ranks.el --devices host:2 --bands 2 --json -
is choices.bands 2
is trials.0.bands 2
expect_ok pr ranks.el --devices host:2 --hubs 2 --json -
is choices.hubs 2
is trials.0.hubs 2
is choices.bins 0
is trials.0.bins 0
expect_ok pr ranks.el --devices host:2 --bins 2 --json -
is choices.bins 2
at_least 2 trials.0.bins
expect_ok pr ranks.el --devices host:2 --direction push --json -
is trials.0.steps 0
is trials.0.bands 0
is trials.0.ms_per_iteration null
present choices.route choices.order choices.kernel

# ---- cc ----
printf '1 0\n2 1\n4 3\n' >parts.el
expect_ok cc parts.el --devices host:2 --stream off --trials 2 --verify --json -
is schema 1
is command '"cc"'
is choices.stream '"off"'
is choices.direction null
is trials.1.components 2
is trials.1.largest_component 3
is trials.1.source null
is trials.1.links '[]'
is verified true
present trials.1.ms trials.1.gteps trials.1.gteps_seen trials.1.stats.phases.0.name summary.gteps_harmonic_mean

# ---- files ----
expect_ok bfs path.el --source 0 --devices host:1 --json out.json -o out.txt
has "graph    path.el"
cp out.json "$OUT"
is graph.name '"path.el"'
for name in .weir-*; do
    [ -e "$name" ] && fail "$name was left behind"
done
refuse 2 "both write to" bfs path.el --json a -o a
refuse 2 "both write to" bfs path.el --json a -o ./a
refuse 2 "both write to" bfs path.el --json - -o /dev/stdout
printf '0 1\n' >"$(printf 'na\377me\n.el')"
expect_ok bfs "$(printf 'na\377me\n.el')" --devices host:1 --json -
is graph.vertices 2

# ---- info ----
expect_ok info path.el --json -
is command '"info"'
is graph.vertices 7
is graph.arcs 5
is graph.degree_max 2
is graph.degree_max_vertex 0
is graph.isolated 1
is graph.symmetric false
is graph.weights null
expect_ok info --config --json -
is config.0.environment '"WEIR_POOL_BYTES"'
finish
