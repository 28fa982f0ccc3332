#!/bin/sh
# PageRank: right ranks on every number of devices, partition and direction; damping, dangling, tolerance.
. "$(dirname "$0")/common.sh"

# close GOT WANT WITHIN WHAT: as many lines, each number that close.
close() {
    if paste "$1" "$2" | awk -v within="$3" 'NF != 2 { exit 1 }
            { d = $1 - $2; if (d < 0) d = -d; if (!(d <= within)) exit 1 }'; then
        pass
    else
        fail "$4 differs: $LAST"
        paste "$1" "$2" | head -5
    fi
}

# ---- known answers: two vertices, the second dangling; a circle; a star that closes ----
printf '0 1\n' >two.el
printf '0.350877192982456\n0.649122807017544\n' >two.want   # .5 / 1.425, and the rest
printf '0.075\n0.13875\n' >two.ignore
printf '0 1\n1 2\n2 3\n3 0\n' >circle.el
printf '.25\n.25\n.25\n.25\n' >circle.want
awk 'BEGIN { for (v = 1; v <= 40; v++) { print 0, v; print v, 0 } }' >star.el
awk -v OFMT=%.17g 'BEGIN {
    d = .85; n = 41; c = ((1 - d) / n + d * 40 * (1 - d) / n) / (1 - d * d)
    print c; for (v = 1; v <= 40; v++) print (1 - d) / n + d * c / 40 }' >star.want
for devices in host:1 host:2 host:3 host:8; do
    for graph in two circle star; do
        expect_ok pr $graph.el --devices $devices --tolerance 1e-12 --verify -o got.out
        has "verified: ok"
        close got.out $graph.want 1e-11 "$graph.el on $devices"
    done
    expect_ok pr two.el --devices $devices --tolerance 1e-12 --dangling ignore --verify -o got.out
    close got.out two.ignore 1e-11 "two.el --dangling ignore on $devices"
    expect_ok pr star.el --devices $devices --damping 0 --verify -o got.out
    awk -v OFMT=%.17g '{ print 1 / 41 }' star.want >even.want
    close got.out even.want 1e-15 "star.el --damping 0 on $devices"
done
# Ranks have all their digits: every line reads back as the same double.
expect_ok pr star.el --devices host:1 -o -
if [ "$(head -1 "$OUT" | tr -d '0.\n' | wc -c)" -ge 13 ]; then pass; else fail "17 digits: $(head -1 "$OUT")"; fi

# ---- directions, partitions, devices: the same ranks, each verified in full ----
awk 'BEGIN { for (v = 0; v < 300; v++) print v, (v * v + 7) % 311 }' >holes.el # some dangle
METIS=1
run pr grid:6x6 --devices host:2 --partition metis
if [ "$RC" -ne 0 ]; then
    METIS=0
    skip "--partition metis: $(cat "$ERR")"
fi
for graph in rmat:9,8 grid:40x25,0.8 holes.el; do
    expect_ok pr $graph --devices host:1 --tolerance 1e-10 --verify -o want.out
    expect_ok partition $graph --parts 2 --partition random --seed 9 -o cut.part
    for direction in push pull; do
        for devices in host:1 host:2 host:3 host:2x3; do
            for partition in auto block random file:cut.part metis; do # auto is edge; on one device all are one
                case $partition$METIS$devices in metis0* | metis1host:2* | [bfmr]*host:1) continue ;; esac
                expect_ok pr $graph --direction $direction --devices $devices --partition $partition \
                    --tolerance 1e-10 --verify -o got.out
                has "direction $direction"
                has "verified: ok (ranks differ"
                close got.out want.out 2e-9 "$graph $direction $devices $partition"
            done
        done
        for dangling in spread ignore; do
            expect_ok pr $graph --undirected --direction $direction --devices host:2 --dangling $dangling --verify
            has "dangling $dangling"
            expect_ok pr $graph --direction $direction --devices host:2 --dangling $dangling --damping .5 \
                --tolerance 1e-9 --verify
            has "damping 0.5"
        done
    done
done
for order in fifo soft bulk; do
    for kernel in fused discrete; do
        expect_ok pr rmat:8,8 --direction push --devices host:3 --order $order --kernel $kernel --verify
        has "verified: ok"
    done
done
for route in ring tree staged; do
    expect_ok pr rmat:8,8 --direction push --devices host:3 --route $route --verify
    has "verified: ok"
done
expect_ok pr rmat:8 --devices host:2 --trials 3 --verify
has "summary  3 runs"

# ---- every tolerance, damping and form within what an exact iteration may change ----
for graph in rmat:9,8 holes.el; do
    for direction in push pull; do
        for damping in 0 .85 .99; do
            for tolerance in 5e-3 1e-6 2e-9; do # less than 2 * .01; the last is met by doubles
                expect_ok pr $graph --direction $direction --devices host:2 --damping $damping --tolerance $tolerance --verify
                has "verified: ok (an exact iteration changes"
            done
        done
    done
done

# ---- when it stops ----
for iterations in 1 3; do
    for tolerance in 1e-6 1e-8 1e-12; do # judged by an iteration, and by the reference
        expect_ok pr rmat:8,8 --direction pull --devices host:2 --iterations $iterations --tolerance $tolerance --verify \
            --json -
        [ -z "$TOOL" ] || is trials.0.steps $iterations
        [ -z "$TOOL" ] || is verified true
    done
done
expect_ok pr rmat:8,8 --direction pull --devices host:2 --iterations 1000 --verify
expect_ok pr rmat:8,8 --direction pull --devices host:2 --iterations 100000
has "at most 100000 iterations"
for bands in 1 2 64; do
    expect_ok pr rmat:8,8 --direction pull --devices host:3 --bands $bands --verify
    has "bands $bands"
done
for hubs in 1 2 49152; do
    expect_ok pr rmat:8,8 --direction pull --devices host:3 --hubs $hubs --verify
    has "hubs $hubs"
done
for bins in 1 2 300; do
    expect_ok pr rmat:8,8 --direction pull --devices host:3 --bins $bins --verify
    has "bins $bins"
done
expect_ok pr rmat:8,8 --devices host:2 --tolerance 2.5
expect_ok pr rmat:8,8 --devices host:2 --tolerance .01
has "tolerance 0.01"

# ---- refused ----
G=grid:4x4
for value in 0 -1 x "" nan inf 1e400 0x1p-3 1e-6x 1e-999; do
    refuse 2 "--tolerance: \"$value\" is not a number above 0" pr $G --tolerance="$value" -o no.out
done
for value in 1 -0.1 1.5 x "" nan inf; do
    refuse 2 "--damping: \"$value\" is not a number from 0 to below 1" pr $G --damping="$value" -o no.out
done
for value in 0 -1 x 1.5 4294967296; do
    refuse 2 "--iterations: \"$value\"" pr $G --iterations="$value"
done
for value in 0 -1 x 1.5 65; do
    refuse 2 "--bands: \"$value\"" pr $G --bands="$value"
done
for value in 0 -1 x 1.5 49153; do
    refuse 2 "--hubs: \"$value\"" pr $G --hubs="$value"
done
for value in 0 -1 x 1.5 65536; do
    refuse 2 "--bins: \"$value\"" pr $G --bins="$value"
done
refuse 2 "--bins has no effect on PageRank through the worklist: leave it out" pr none.el --bins 3 --direction push
refuse 2 "7 bins with bands: shares are spread into bins, or read" pr $G --bins 7 --bands 2
refuse 2 "--hubs has no effect on PageRank through the worklist: leave it out" pr none.el --hubs 3 --direction push
refuse 2 "7 hubs in 2 bands: hubs are kept with one band alone" pr $G --hubs 7 --bands 2
refuse 2 "--bands has no effect on PageRank through the worklist: leave it out" pr none.el --bands 3 --direction push
refuse 2 "--dangling loop: unknown; choose one of: spread, ignore" pr $G --dangling loop
refuse 2 "--direction switch: unknown; choose one of: auto, push, pull" pr $G --direction switch
refuse 2 "--order has no effect on PageRank in step" pr $G --direction pull --order fifo
refuse 2 "--order has no effect on PageRank in step, and --iterations has none on PageRank through the worklist" pr none.el --iterations 3 --order soft
refuse 2 "--iterations has no effect on PageRank through the worklist: leave it out" pr none.el --iterations 3 --direction push
for option in source sources parents wire; do
    refuse 2 "--$option: pr has no such option" pr $G --$option 1
done
refuse 2 "pr has no weights" pr $G --weights unit
refuse 2 no-such-file pr no-such-file.mtx --devices host:1 -o no.out
finish
