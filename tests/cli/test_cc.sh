#!/bin/sh
# Connected components: right labels on every number of devices, partition and way of streaming.
. "$(dirname "$0")/common.sh"

# ---- known answers: arcs join both ways, lone vertices are components ----
printf '5 1\n5 2\n4 3\n7 7\n9 8\n8 10\n' >few.el
printf '0\n1\n1\n3\n3\n1\n6\n7\n8\n8\n8\n' >few.want
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n6 6 3\n6 1\n2 1\n4 3\n' >pairs.mtx
printf '0\n0\n2\n2\n4\n0\n' >pairs.want
awk 'BEGIN { for (v = 999; v > 0; v--) print v, v - 1; print 1001, 1000 }' >chain.el
awk 'BEGIN { for (v = 0; v < 1002; v++) print v < 1000 ? 0 : 1000 }' >chain.want
awk 'BEGIN { for (v = 0; v < 999; v += 2) { print v, v + 1; print (v + 2) % 1000, v + 1 } }' >zigzag.el
awk 'BEGIN { for (v = 0; v < 1000; v++) print 0 }' >zigzag.want
for devices in host:1 host:2 host:3 host:8 host:2x3; do
    for stream in auto on; do # auto is off: they fit
        for graph in few.el pairs.mtx chain.el zigzag.el; do
            expect_ok cc $graph --devices $devices --stream $stream --verify -o got.out
            has "verified: ok"
            case $stream in on) has "stream on" ;; *) has "stream off" ;; esac
            same ${graph%.*}.want got.out "$graph on $devices, stream $stream"
        done
    done
done
expect_ok cc few.el --devices host:2 -o -
same few.want "$OUT" "-o -"
expect_ok cc few.el --devices host:2
if awk '/ components / { getline; exit !($6 == 6 && $7 == 3) }' "$OUT"; then
    pass
else
    fail "6 components, the largest of 3, should be shown"
    show
fi

# ---- every choice gives the same labels ----
METIS=1
run cc grid:6x6 --devices host:2 --partition metis
if [ "$RC" -ne 0 ]; then
    METIS=0
    skip "--partition metis: $(cat "$ERR")"
fi
for graph in rmat:9,2 grid:40x25,0.45 grid:60x60,0.6 rmat:10; do
    expect_ok cc $graph --devices host:1 --verify -o want.out
    for devices in host:2 host:3 host:8; do
        expect_ok partition $graph --parts "${devices#host:}" --partition random --seed 9 -o cut.part
        for partition in block edge random file:cut.part metis; do
            case $partition$METIS$devices in metis0* | metis1host:[28]) continue ;; esac # METIS takes its time
            expect_ok cc $graph --devices $devices --partition $partition --stream off --verify -o got.out
            same want.out got.out "$graph $devices $partition"
        done
    done
    expect_ok cc $graph --devices host:3 --stream on --verify -o got.out
    same want.out got.out "$graph stream on"
    expect_ok cc $graph --devices host:2 --undirected --verify -o got.out
    same want.out got.out "$graph --undirected"
done
for route in direct ring tree staged; do
    expect_ok cc rmat:9,2 --devices host:3 --stream on --route $route --verify
    has "verified: ok"
    has "choices  stream on, route $route"
done
# What was picked: arcs that are streamed are of no part.
expect_ok cc rmat:6 --devices host:2 --stream on --json -
is choices.partition null
is choices.route null
is choices.stream '"on"'
expect_ok cc rmat:6 --devices host:2 --route ring --json -
is choices.partition '"edge"'
is choices.route '"ring"'
is choices.stream '"off"'
expect_ok cc rmat:8 --devices host:2 --trials 3 --verify
has "summary  3 runs"
expect_ok cc rmat:8 --devices host:64 --verify

# ---- refused ----
G=grid:4x4
for option in source sources order kernel worker fetch mapping direction balance wire parents output-parents; do
    refuse 2 "--$option: cc has no such option" cc $G --$option 1
done
refuse 2 "cc is exact and has no tolerance" cc $G --tolerance 1e-3
refuse 2 "--iterations: cc ends by itself" cc $G --iterations 3
refuse 2 "--stream sometimes: unknown; choose one of: auto, off, on" cc $G --stream sometimes
refuse 2 "--stream: bfs has no such option" bfs $G --stream on
expect_ok cc rmat:6 --devices host:2 --route staged --verify # which streamed arcs alone read
has "choices  stream on, route staged"
refuse 2 "--route staged has no effect on connected components whose rows lie on the devices" cc none.el \
    --stream off --route staged
refuse 2 "and --partition has none on connected components of arcs that are streamed" cc none.el \
    --partition block --route staged
for partition in block edge random file:cut.part metis; do # nothing is loaded for it
    refuse 2 "--partition has no effect on connected components of arcs that are streamed: leave it out" cc none.el \
        --stream on --partition $partition
done
refuse 2 "cc: GRAPH is missing" cc --verify
refuse 2 no-such-file cc no-such-file.mtx --devices host:1 -o no.out
finish
