#!/bin/sh
# The command line: help, verbs, options and how each mistake is refused.
. "$(dirname "$0")/common.sh"

# ---- help and version ----
for arguments in "help" "--help" "-h" "help bfs" "bfs --help" "bfs -h" "help sssp" "sssp --help" \
    "help pr" "pr --help" "help cc" "cc --help" \
    "gen --help" "info --help" "convert --help" "partition --help" \
    "topo --help" "bench --help" "help gen" "help info" "help topo" "help bench" "help version" "help help" "version" "--version" "-V" "info --config"; do
    # Word splitting is wanted: each text is a command line.
    # shellcheck disable=SC2086
    expect_ok $arguments
    [ -s "$OUT" ] || fail "weir $arguments prints nothing"
done
# help_of VERB OPTIONS: those, and what all that run over graphs take.
help_of() {
    run "$1" --help
    has "weir $1 rmat:16 "
    shift
    for option in "$@" undirected devices partition route trials seed time-limit verify stats output json; do
        has "--$option"
    done
    has "default: 1"
    has "examples:"
}
worklist="direction order kernel worker fetch mapping"
# shellcheck disable=SC2086 # words
{
    help_of bfs source sources $worklist balance wire parents output-parents
    has "auto, by graph, machine and other options"
    has "GTEPS edges"
    help_of sssp source sources $worklist balance wire weights parents output-parents
    has "GTEPS seen"
    help_of pr $worklist balance tolerance damping dangling iterations bands hubs bins
    has "1 - damping"
    help_of cc stream
    has "smallest vertex"
}
run topo --help
for option in devices machine measure format route output; do has "--$option"; done
has "nvswitch8"
run bench --help
for option in devices machine bytes trials warmups format json compare factor from output; do
    has "--$option"
done
has "  broadcast "
expect_ok help
for generator in rmat:SCALE uniform:SCALE grid:WxH mesh:WxH; do has "  ${generator}["; done
for generator in chain:N star:N complete:N tree:N smallworld:N; do has "$generator"; done
for graph in uniform:7 uniform:7,3,9 mesh:9x7 mesh:9x7,shuffle mesh:9x7,shuffle,3 chain:90 star:90 complete:20 tree:90 tree:90,5 \
    smallworld:90 smallworld:90,4,.3,2; do
    expect_ok sssp $graph --devices host:2 --weights random:1-9:1 --verify
done
refuse 2 "write uniform:SCALE" info uniform:32
refuse 2 "write mesh:WxH" info mesh:3x3,mixed
refuse 2 "write smallworld:N" info smallworld:9,3
expect_ok version
has "weir 0."
expect_ok info --config
has WEIR_POOL_BYTES
has "transport takes one of:"
has "  shm          between two processes"
export WEIR_POOL_BYTES=64MiB
expect_ok info --config
has "67108864 bytes"
export WEIR_POOL_BYTES=many
refuse 2 WEIR_POOL_BYTES info --config
unset WEIR_POOL_BYTES

run
if [ "$RC" -eq 2 ] && [ ! -s "$OUT" ] && grep -q usage "$ERR"; then
    pass
else
    fail "weir alone should print usage on stderr, status 2"
    show
fi

# ---- verbs ----
refuse 2 "did you mean bfs" bsf x.mtx
refuse 2 "unknown verb; see weir help" frobnicate
for word in foo bfxy xy b; do # too little of them is right for a guess
    refuse 2 "$word: unknown verb; see weir help" $word
    refuse 2 "$word: unknown verb; see weir help" help $word
done
refuse 2 "did you mean bfs" bfx
refuse 2 "did you mean topo" help topos
refuse 2 "unknown verb" help frobnicate
refuse 2 "a verb comes first" --verify bfs
refuse 2 "too many" version 1

# ---- options ----
G=grid:4x4
refuse 2 "bfs: GRAPH is missing; see weir help bfs" bfs
refuse 2 "sssp: GRAPH is missing; see weir help sssp" sssp
refuse 2 "GRAPH is missing" bfs --verify
refuse 2 "b.mtx: one argument too many" bfs $G b.mtx
refuse 2 "did you mean --trials" bfs $G --trails 3
refuse 2 "did you mean --verify" bfs $G --verfy
refuse 2 "--frobnicate: unknown option" bfs $G --frobnicate
refuse 2 "--frobnicate: unknown option" bfs $G --frobnicate=3
refuse 2 "-x: unknown option" bfs $G -x
refuse 2 "value V is missing" bfs $G --source
refuse 2 "value FILE is missing" bfs $G --output --verify
refuse 2 "takes no value" bfs $G --verify=yes
refuse 2 "given twice" bfs $G --source 1 --source 2
refuse 2 "given twice" bfs $G --json a -o b --json=c
refuse 2 "give only one" bfs $G --source 1 --sources 2
refuse 2 "bfs has no weights" bfs $G --weights unit
refuse 2 "--tolerance: bfs" bfs $G --tolerance 1e-3
refuse 2 "--damping: bfs" bfs $G --damping .5
refuse 2 "--dangling: bfs has no dangling mass" bfs $G --dangling ignore
refuse 2 "--iterations: bfs ends by itself" bfs $G --iterations 3
refuse 2 "--bands: bfs reads no ranks along arcs" bfs $G --bands 3
refuse 2 "--stream: bfs has no such option" bfs $G --stream on
refuse 2 "--parts: bfs" bfs $G --parts 3
refuse 2 "pr: GRAPH is missing; see weir help pr" pr
refuse 2 "cc: GRAPH is missing; see weir help cc" cc
refuse 2 "did you mean --tolerance" pr $G --tolerence 1e-3
refuse 2 "did you mean --output-parents" bfs $G --output-parent x
refuse 2 "--machine: bfs has no such option" bfs $G --machine m60
refuse 2 "--measure: bfs has no such option" bfs $G --measure
refuse 2 "--format: bfs has no such option" bfs $G --format json
refuse 2 "--tolerance: sssp is exact" sssp $G --tolerance 1e-3
refuse 2 "--parents: gen has no such option" gen $G -o x.mtx --parents
refuse 2 "--stats: gen has no such option" gen $G -o x.mtx --stats
refuse 2 "--verify: gen has no such option" gen $G -o x.mtx --verify
refuse 2 "--source: info has no such option" info $G --source 1

# ---- options that say nothing to what runs ----
refuse 2 "--undirected is of a graph" info --config --undirected
for verb in bfs sssp pr cc color; do
    refuse 2 "--seed: nothing here depends on it" $verb $G --seed 1
    refuse 2 "--seed: nothing here depends on it" $verb $G --seed 7 --partition edge --devices host:2
    expect_ok $verb $G --seed 7 --partition random --devices host:2
done
refuse 2 "for --sources and for partitions random and metis" bfs $G --seed 7 --source 1
refuse 2 "it is for partitions random and metis" pr $G --seed 7
expect_ok bfs $G --sources 2 --seed 7 --devices host:2
expect_ok pbf --elements 100 --seed 7 --devices host:1

# ---- every value that is taken stands in the help ----
for verb in bfs sssp pr cc color; do
    run $verb --help
    cp "$OUT" help.txt
    for option in partition direction route order kernel worker mapping balance wire weights dangling stream; do
        grep -q -e "--$option " help.txt || continue
        run $verb $G --$option no-such-value
        values=$(sed -n 's/.*choose one of: //p; s/.*: write \(.*\) or random.*/\1/p' "$ERR" | tr -d ,)
        [ -n "$values" ] || fail "--$option names no values"
        for value in $values; do
            if awk -v option="--$option" -v value="$value" '
                /^  (-., )?--/ { here = index($0, " " option " ") > 0 }
                here { text = text " " $0 }
                END { gsub(/[,;:.()]/, " ", text); gsub(/[:,]/, " ", value); exit !index(text " ", " " value " ") }' help.txt; then
                pass
            else
                fail "help $verb: --$option takes $value, which is not there"
            fi
        done
    done
done

# ---- numbers ----
for value in -1 1x x 1.5 0x10 "" " 1" 1e3 99999999999999999999999; do
    refuse 2 "\"$value\"" bfs $G --source="$value"
    refuse 2 "\"$value\"" bfs $G --trials="$value"
    refuse 2 "\"$value\"" bfs $G --seed="$value"
done
refuse 2 '"-1"' bfs $G --source -1
refuse 2 '"0"' bfs $G --trials 0
refuse 2 '"0"' bfs $G --sources 0
for value in 0 0.0 -1 x 1s "" . 1.2.3 1e9 99999999999 nan inf; do
    refuse 2 "\"$value\"" bfs $G --time-limit="$value"
done

# ---- choices ----
for balance in frontier ownership both; do
    [ $balance = frontier ] || refuse 2 "--balance $balance is not built yet of PageRank: leave it out" plan $G pr --balance $balance
    [ $balance = ownership ] || refuse 2 "--balance $balance has no effect on breadth-first search through the worklist: leave it out" bfs $G --devices host:2 --direction push --balance $balance
    refuse 2 "balance $balance is about several devices, and this run has one: leave it out, or give a partition over several" bfs $G --devices host:1 --balance $balance
    refuse 2 "balance $balance is about levels that go top-down, and with direction pull none does: leave it out" bfs $G --devices host:2 --partition edge --direction pull --balance $balance
done
refuse 2 "balance frontier is about several devices, and this run has one: leave it out, or give a partition over several" sssp $G --devices host:1 --balance frontier
refuse 2 "balance frontier is for 8 devices at the most, and this run has 9: leave it out" sssp $G --devices host:9 --partition edge --balance frontier
refuse 2 "--balance frontier has no effect on shortest paths through the worklist: leave it out" sssp $G --devices host:2 --direction push --balance frontier
refuse 2 "--balance ownership has no effect on shortest paths in step: leave it out" sssp $G --devices host:2 --direction switch --balance ownership
refuse 2 "--balance both is not built yet of shortest paths: leave it out" sssp $G --balance both
refuse 2 "balance ownership is about several devices, and this run has one: leave it out, or give a partition over several" sssp $G --devices host:1 --balance ownership
refuse 2 "balance frontier is about several devices, and this run has one: leave it out, or give a partition over several" pr $G --devices host:1 --balance frontier
refuse 2 "balance frontier is for 8 devices at the most, and this run has 9: leave it out" pr $G --devices host:9 --partition edge --balance frontier
refuse 2 "balance frontier shares out arcs that PageRank pushes: direction push" pr $G --devices host:2 --direction pull --balance frontier
refuse 2 "--order has no effect on PageRank pushed in step: leave it out" pr $G --devices host:2 --order fifo --balance frontier
refuse 2 "--route has no effect on PageRank pushed in step: leave it out" pr $G --devices host:2 --route ring --balance frontier
refuse 2 "--iterations has no effect on PageRank pushed in step: leave it out" pr $G --devices host:2 --iterations 3 --balance frontier
refuse 2 "--balance frontier is not built yet of PageRank in two dimensions: leave it out" pr $G --devices host:2 --partition 2d:1x2 --balance frontier
refuse 2 "balance frontier has no effect on arcs in host memory, which no device is nearer to: leave it out" pr $G --devices host:2 --partition edge --memory host --balance frontier
refuse 2 "--balance both is not built yet of PageRank: leave it out" pr $G --devices host:2 --balance both
expect_ok pr $G --devices host:2 --partition edge --balance frontier --verify
expect_ok pr $G --devices host:2 --partition edge --direction push --balance off --verify
expect_ok sssp $G --devices host:2 --partition edge --balance ownership --verify
refuse 2 "route tree has no effect with balance ownership, where one device does all: leave one of them out" sssp $G --devices host:2 --partition edge --balance ownership --route tree
expect_ok bfs $G --devices host:2 --partition edge --direction push --balance ownership --verify
expect_ok bfs $G --devices host:2 --partition edge --balance auto --verify
refuse 2 "balance frontier has no effect on arcs in host memory, which no device is nearer to: leave it out" sssp $G --devices host:2 --partition edge --memory host --balance frontier
expect_ok sssp $G --devices host:2 --partition edge --balance frontier --verify
for grid in "" 2 2x x2 0x2 2x0 02x2 2x2x2 65x1 9x8 RxC; do
    refuse 2 "--partition 2d:$grid: 2d:RxC has R rows and C columns of devices, 1 to 64 in all" bfs $G --partition "2d:$grid"
done
for choice in partition direction route order kernel worker mapping balance wire; do
    refuse 2 "--$choice foo: unknown; choose one of: " bfs $G --$choice foo
    refuse 2 "unknown; choose one of: " bfs $G --$choice ""
done
for delta in "" 0 -1 x 4294967296; do
    refuse 2 "--order soft:$delta: " bfs $G --order "soft:$delta"
done

# ---- gen and info ----
refuse 2 "GRAPH is missing" gen -o x.mtx
refuse 2 "-o FILE is missing" gen $G
refuse 2 "unknown suffix" gen $G -o x.png
refuse 2 "unknown suffix" gen $G -o x
refuse 2 "GRAPH or --config is missing" info
refuse 2 "GRAPH is missing" partition --parts 2
refuse 2 "--parts N is missing" partition $G
for parts in 0 65 x; do
    refuse 2 "\"$parts\" is not a whole number from 1 to 64" partition $G --parts $parts
done
refuse 2 "give only one" info $G --config

# ---- forms ----
expect_ok bfs --source=3 --devices=host:2 -- $G
expect_ok bfs $G --source 3 --devices host:2 --trials 2 --time-limit 30.5
expect_ok bfs $G --devices host:1 --kernel auto --worker auto --mapping auto --balance off --wire list \
    --direction auto --partition auto
expect_ok bfs $G --devices host:1 --kernel discrete -olevels.txt
[ -f levels.txt ] || fail "-oFILE writes no file"
refuse 2 -- bfs -- --verify
finish
