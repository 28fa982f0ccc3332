#!/bin/sh
# weir info: degrees, components and diameters of graphs that are known, and how they would run.
. "$(dirname "$0")/common.sh"

# known GRAPH COMPONENTS LARGEST DIAMETER [OPTION...]: the bounds hold, and are no wider than twice.
known() {
    graph=$1 components=$2 largest=$3 diameter=$4
    shift 4
    expect_ok info "$graph" --devices host:2 --json - "$@"
    is shape.components "$components"
    is shape.largest_component "$largest"
    is shape.failed null
    least=$(value "$OUT" shape.diameter.at_least)
    most=$(value "$OUT" shape.diameter.at_most)
    searches=$(value "$OUT" shape.diameter.searches)
    if [ "$least" -le "$diameter" ] && [ "$diameter" -le "$most" ] && [ "$most" -le $((2 * least)) ] && [ "$searches" -le 4 ]; then
        pass
    else
        fail "$LAST: a diameter of $diameter is not within $least .. $most by $searches searches"
    fi
}
# exact GRAPH ...: as known, and the lower bound is the diameter.
exact() {
    known "$@"
    is shape.diameter.at_least "$4"
}
exact chain:1 1 1 0
exact chain:2 1 2 1
is shape.diameter.at_most 1 # no way has more hops than there are other vertices
exact chain:100 1 100 99
exact chain:101 1 101 100
exact star:50 1 50 2
exact complete:9 1 9 1
exact grid:30x20 1 600 48
exact tree:15 1 15 6
exact mesh:10x1 1 10 9
exact grid:20x20,0 400 1 0
# Two chains, a triangle with a tail, and a vertex alone; arcs one way, so that nothing is reached by going along them.
cat >several.el <<END
1 0
1 2
3 2
4 5
6 7
7 8
8 6
6 9
11 11
END
exact several.el 5 4 3
has '"duplicates_dropped": 0'
is graph.loops_dropped 1
is graph.isolated 2
is graph.symmetric false
exact several.el 5 4 3 --undirected
is graph.symmetric true
# Directed along a ring: weakly one component.
awk 'BEGIN { for (v = 0; v < 12; v++) print v, (v + 1) % 12 }' >ring.el
exact ring.el 1 12 6

# ---- degrees ----
expect_ok info star:50 --brief --json -
is graph.degrees.0.out 0
is graph.degrees.1.from 1
is graph.degrees.1.to 1
is graph.degrees.1.out 49
is graph.degrees.1.in 49
is graph.degrees.5.out 0
is graph.degrees.6.from 32
is graph.degrees.6.to 63
is graph.degrees.6.out 1
is graph.degrees.7 "not there"
is graph.in_degree_max 49
is shape "not there"
is runs "not there"
printf '0 1 3\n0 2 4\n0 1 2\n1 1 9\n3 1 6\n0 4 5\n' >out.el
expect_ok info out.el --brief --json -
is graph.loops_dropped 1
is graph.duplicates_dropped 1
is graph.degree_max 3
is graph.in_degree_max 2
is graph.in_degree_max_vertex 1
is graph.degrees.0.out 3
is graph.degrees.0.in 2
is graph.degrees.1.out 1
is graph.degrees.1.in 2
is graph.degrees.2.out 1
is graph.degrees.2.in 1
is graph.weights.kind '"integers"'
is graph.weights.min 2
is graph.weights.max 6
is graph.weights.mean 4.25
expect_ok info out.el --undirected --brief
has "dropped          1 self loops, 2 duplicate arcs" # both directions of one arc
has "weights          integers, 2 to 6, mean 4.25"
has "vertices by degree        out and in"
if grep -q -e components -e diameter -e "how it would run" "$OUT"; then fail "--brief leaves nothing out" && show; else pass; fi
expect_ok info out.el --devices host:1
has "vertices by degree               out           in"
has "components       1, the largest of 5 vertices, 100 %"
has "diameter         at least 3, at most 4: hops in the largest component with arcs taken both ways ("
printf '%%%%MatrixMarket matrix coordinate pattern general\n0 0 0\n' >none.mtx
expect_ok info none.mtx --devices host:2
has "components       0"
expect_ok info none.mtx --devices host:2 --json -
is shape.components 0
is shape.diameter null
is runs "[]"

# ---- how it would run: what a run then says that it picked ----
for what in rmat:9/host:3 grid:40x40/host:1 chain:200/host:3 star:100/host:2; do
    graph=${what%/*} devices=${what#*/}
    expect_ok info $graph --devices $devices --json info.json
    has "how it would run, and why:"
    i=0
    for verb in bfs sssp pr cc color; do
        cp info.json "$OUT"
        is runs.$i.algorithm "\"$verb\""
        is runs.$i.failed null
        used=$(value "$OUT" runs.$i.devices_used)
        direction=$(value "$OUT" runs.$i.direction)
        partition=$(value "$OUT" runs.$i.partition)
        order=$(value "$OUT" runs.$i.order)
        delta=$(value "$OUT" runs.$i.delta)
        kernel=$(value "$OUT" runs.$i.kernel)
        worker=$(value "$OUT" runs.$i.worker)
        mapping=$(value "$OUT" runs.$i.mapping)
        weights=$(value "$OUT" runs.$i.weights)
        few=$(value "$OUT" runs.$i.why.devices)
        is_not runs.$i.why.form null
        run $verb $graph --devices $devices --json -
        is choices.devices_used "$used"
        is choices.direction "$direction"
        is choices.partition "$partition"
        [ $verb = cc ] || is choices.order "$order"
        is choices.kernel "$kernel"
        # Long runs double the width, and say which one they ended with; those over rmat:9 and star:100 are short.
        [ $verb != sssp ] || [ "${graph#rmat}${graph#star}" = "$graph$graph" ] || is choices.delta "$delta"
        is choices.worker "$worker"
        is choices.mapping "$mapping"
        [ $verb != sssp ] || is choices.weights "$weights"
        is choices.why_devices "$few"
        i=$((i + 1))
    done
done
expect_ok info grid:40x40 --devices host:3 --weights random:1-9:3
has "weights random:1-9:3"
has "an arc weighs "
# What an algorithm cannot do is said, and the others go on.
printf '0 1 3\n1 2 -4\n' >negative.el
expect_ok info negative.el --devices host:1
has "sssp     cannot run: negative.el:2: a weight below 0; shortest paths need weights of 0 and more"
has "cc       connected components whose rows"
expect_ok info negative.el --devices host:1 --json -
is runs.1.failed '"negative.el:2: a weight below 0; shortest paths need weights of 0 and more"'
is runs.1.form "not there"
export WEIR_POOL_BYTES=1MiB
expect_ok info rmat:14 --devices host:2
has "connected components of arcs that are streamed"
has "bfs      breadth-first search in step: direction switch, partition edge, memory host"
has "memory     all of it together does not fit on the devices"
expect_ok info rmat:16 --devices host:1
has "bfs      cannot run: breadth-first search of rmat:16: host:0 needs"
unset WEIR_POOL_BYTES

# ---- options ----
for option in "--devices host:2" "--weights unit" "--brief" "--undirected"; do
    # shellcheck disable=SC2086 # words
    refuse 2 "${option%% *} is of a graph, which --config does without" info --config $option
done
for option in "--devices host:2" "--weights unit"; do
    # shellcheck disable=SC2086 # words
    refuse 2 "${option%% *} is of runs, which --brief leaves out" info chain:3 --brief $option
done
refuse 2 "nonsense" info no-such.el --devices nonsense # before the graph is looked at
finish
