#!/bin/sh
# Shortest paths: right distances on every number of devices, partition and route; weights.
. "$(dirname "$0")/common.sh"

# ---- known answers: whole numbers, fractions, out of reach, an arc of weight 0 ----
printf '0 1 4\n0 2 1\n2 1 2\n1 3 5\n2 3 9\n3 4 0\n6 0 1\n' >whole.el
printf '0\n3\n1\n8\n8\ninf\ninf\n' >whole.want
printf '0 1 0.5\n1 2 0.1\n0 2 0.75\n2 3 1e300\n' >fractions.el
printf '0\n0.5\n0.59999999999999998\n1.0000000000000001e+300\n' >fractions.want
printf '%%%%MatrixMarket matrix coordinate integer symmetric\n4 4 4\n2 1 7\n3 2 7\n4 3 7\n4 1 30\n' >ring.mtx
printf '21\n14\n7\n0\n' >ring.want
for devices in host:1 host:2 host:3 host:8; do
    for name in whole.el fractions.el ring.mtx; do
        source=0
        [ "$name" = ring.mtx ] && source=3
        expect_ok sssp "$name" --source "$source" --devices "$devices" --verify -o got.out
        has "verified: ok"
        has "weights file"
        same "${name%.*}.want" got.out "$name on $devices"
    done
done
printf '1\n4\n2\n9\n9\ninf\n0\n' >from6.want
expect_ok sssp whole.el --source 6 --devices host:2 -o from6.out
same from6.want from6.out "whole.el from 6"
expect_ok sssp whole.el --source 0 --devices host:2 -o -
same whole.want "$OUT" "-o -"

# ---- weights ----
expect_ok sssp whole.el --source 0 --weights unit --devices host:2 --verify -o unit.out
has "weights unit"
expect_ok bfs whole.el --source 0 --devices host:2 -o levels.out
sed 's/^-1$/inf/' levels.out >levels.want
same levels.want unit.out "distances of weight 1, which are levels,"
expect_ok sssp whole.el --source 0 --weights random:5-5 --devices host:1 -o fives.out
has "weights random:5-5:1"
awk '{ print $1 == "inf" ? $1 : 5 * $1 }' unit.out >fives.want
same fives.want fives.out "distances of weight 5"
G=grid:30x20,0.8
expect_ok sssp "$G" --source 4 --devices host:2 --verify -o default.out
has "weights random:1-255:1"
expect_ok sssp "$G" --source 4 --weights random:1-255 --devices host:1 -o same.out
same default.out same.out "random:1-255"
expect_ok sssp "$G" --source 4 --weights random:1-255:2 --devices host:1 -o other.out
if cmp -s default.out other.out; then fail "another seed should be other weights"; else pass; fi
# One definition whatever the order of loading: a file of the same graph, its lines turned round.
expect_ok gen "$G" -o grid.el
sort -r grid.el | grep -v '^#' >turned.el
for name in grid.el turned.el; do
    expect_ok sssp "$name" --source 4 --devices host:3 -o same.out
    same default.out same.out "$name with random weights"
done
# Equal for both directions of an edge: from a to b is as far as from b to a.
forth=$(sed -n 301p default.out)
expect_ok sssp "$G" --source 300 --devices host:2 -o back.out
[ "$forth" != inf ] || fail "vertex 300 should be reached"
if [ "$(sed -n 5p back.out)" = "$forth" ]; then pass; else fail "4 to 300 is $forth, not so back"; fi
refuse 2 weights sssp "$G" --weights file --devices host:1 -o no.out
for weights in "" x random: random:1 random:9-3 random:1-x random:1-4294967296 random:1-2: random:1-2:x units file:; do
    refuse 2 "--weights: " sssp "$G" --weights "$weights" --devices host:1 -o no.out
done
# ---- floats: the same on any number of devices, by any form, told as they are read again ----
expect_ok sssp "$G" --source 4 --weights random:0.25-1f:7 --devices host:1 --verify -o floats.out
has "weights random:0.25-1f:7"
for devices in host:2 host:3 host:4 host:8; do
    for form in "--direction push --order fifo" "--direction push --order soft" "--kernel live" "--direction switch" "--direction switch --parents"; do
        # shellcheck disable=SC2086 # several words
        expect_ok sssp "$G" --source 4 --weights random:0.25-1f:7 --devices "$devices" $form --verify -o same.out
        same floats.out same.out "floats on $devices, $form"
    done
done
expect_ok gen "$G" --weights random:0.25-1f:7 -o floats.el
expect_ok sssp floats.el --source 4 --devices host:2 --verify -o same.out
same floats.out same.out "floats out of a file"
expect_ok sssp "$G" --source 4 --weights random:0.1-0.7f --devices host:2 --verify -o want.out
named=$(sed -n 's/.*weights \(random:[^ ,]*\).*/\1/p' "$OUT")
expect_ok sssp "$G" --source 4 --weights "$named" --devices host:2 --verify -o same.out
same want.out same.out "floats of $named"
refuse 2 "LO is above HI" sssp "$G" --weights random:2-1f
refuse 2 "weights are not negative" sssp "$G" --weights random:-1-1f
refuse 2 "that is no range of numbers" sssp "$G" --weights random:nan-1f
refuse 2 "HI is no number of single precision above 0" sssp "$G" --weights random:0-1e39f
refuse 2 "weights whose sums fit 32 bits" sssp fractions.el --direction switch --devices host:2
for verb in bfs cc pr color; do
    refuse 2 "$verb has no weights" "$verb" "$G" --weights random:0-1f
done
refuse 2 "value W is missing" sssp "$G" --weights
refuse 2 "bfs has no weights" bfs "$G" --weights unit
printf '0 1 2\n1 2 -3\n' >negative.el
refuse 2 "negative" sssp negative.el --devices host:2 -o no.out
expect_ok sssp negative.el --source 0 --weights unit --devices host:2 --verify
refuse 2 "(0 to 6)" sssp whole.el --source 7 --devices host:1
refuse 2 no-such-file sssp no-such-file.mtx --devices host:1 -o no.out

# ---- every choice gives the same distances ----
METIS=1
run sssp grid:6x6 --devices host:2 --partition metis
if [ "$RC" -ne 0 ]; then
    METIS=0
    skip "--partition metis: $(cat "$ERR")"
fi
N=0
for graph in rmat:8,8 grid:30x20,0.8; do
    expect_ok sssp "$graph" --source 1 --devices host:1 --verify -o want.out
    for devices in host:2 host:3 host:8 host:4; do
        N=$((N + 1))
        expect_ok partition "$graph" --parts "${devices#host:}" --partition random --seed 9 -o cut.part
        for partition in block edge random file:cut.part metis; do
            N=$((N + 1))
            nth $N direct ring tree staged
            [ "$partition$METIS" = metis0 ] && continue
            run sssp "$graph" --source 1 --devices "$devices" --partition "$partition" --route "$NTH" --verify -o got.out
            if [ "$RC" -eq 0 ] && grep -q 'verified: ok' "$OUT" && cmp -s want.out got.out; then
                pass
            else
                fail "$graph $devices $partition $NTH"
                show
            fi
        done
    done
    for order in fifo soft soft:1 soft:700 bulk; do
        expect_ok sssp "$graph" --source 1 --devices host:4 --order "$order" --verify -o got.out
        same want.out got.out "$graph --order $order"
    done
done
expect_ok sssp rmat:8 --sources 4 --trials 2 --devices host:2 --verify
has "summary  8 runs"
has "max distance"
expect_ok sssp rmat:8 --devices host:64 --partition random --verify
finish
