#!/bin/sh
# weir partition: what it counts, the file that it writes, and files that --partition file: refuses.
. "$(dirname "$0")/common.sh"

# ---- a graph that is cut by hand: 0 1 2 | 3 4 5 ----
printf '0 1\n0 3\n1 3\n1 4\n2 0\n3 0\n4 5\n5 2\n5 0\n' >six.el
expect_ok partition six.el --parts 2 --partition block --format csv
cat >six.csv <<END
part,vertices,arcs,cut_arcs,halo
0,3,5,3,2
1,3,4,3,2
END
same six.csv "$OUT" "the table of six.el"
expect_ok partition six.el --parts 2 --partition block
has "six.el: 6 vertices, 9 arcs"
has "partition block, 2 parts, in "
has "imbalance 1.0000 of the vertices, 1.1111 of the arcs"
expect_ok partition six.el --parts 2 --partition block --json -
is schema 1
is command '"partition"'
is graph.vertices 6
is graph.arcs 9
is choices.partition '"block"'
is choices.partition_file null
is parts.0.halo 2
is parts.1.cut_arcs 3
is summary.parts 2
is summary.cut_arcs 6
is summary.halo 4
is summary.vertex_imbalance 1
present summary.arc_imbalance summary.cut_share summary.ms
expect_ok partition six.el --undirected --parts 2 --partition block --format csv
has "0,3,9,5,3"

# ---- sums agree with a count of one's own over the file that is written ----
expect_ok gen rmat:9,4 -o g.el
grep -v '^#' g.el | awk '$1 != $2' >arcs
METIS=1
run partition grid:6x6 --parts 2 --partition metis
if [ "$RC" -ne 0 ]; then
    METIS=0
    skip "--partition metis: $(cat "$ERR")"
fi
for partition in auto block edge random metis; do
    for parts in 1 3 8 64; do
        [ $partition$METIS = metis0 ] && continue
        expect_ok partition g.el --parts $parts --partition $partition -o g.part --json g.json
        awk -v parts=$parts 'FNR == NR { owner[n++] = $1; vertices[$1]++; next }
            { p = owner[$1]; arcs[p]++ }
            owner[$2] != p { cut[p]++; if (!far[p, $2]++) halo[p]++ }
            END { print "part,vertices,arcs,cut_arcs,halo"
                  for (p = 0; p < parts; p++) print p "," vertices[p] + 0 "," arcs[p] + 0 "," cut[p] + 0 "," halo[p] + 0 }' \
            g.part arcs >want.csv
        expect_ok partition g.el --partition file:g.part --parts $parts --format csv
        same want.csv "$OUT" "$partition, $parts parts"
        expect_ok partition g.el --parts $parts --partition $partition --format csv
        same want.csv "$OUT" "$partition, $parts parts, as it is made"
    done
done
# With --parts there are as many as it says, without as many as the file has numbers.
printf '0\n0\n0\n1\n1\n1\n\n \n' >two.part
expect_ok partition six.el --parts 4 --partition file:two.part --json -
is summary.parts 4
is summary.vertex_imbalance 2
is parts.1.vertices 3
is parts.3.vertices 0
expect_ok partition six.el --partition file:two.part --format csv
same six.csv "$OUT" "blank lines at the end of a file"
expect_ok partition g.el --parts 3 --partition random --seed 5 -o -
cp "$OUT" five.part
expect_ok partition g.el --parts 3 --partition random --seed 5 -o again.part
same five.part again.part "--seed 5"
expect_ok partition g.el --parts 3 --partition random --seed 6 -o six.part
if cmp -s five.part six.part; then fail "--seed 6 gives what --seed 5 gives"; else pass; fi
export INPUT=g.el
expect_ok partition - --parts 3 --partition random --seed 5 -o again.part
same five.part again.part "GRAPH by standard input"
INPUT=five.part
expect_ok bfs g.el --devices host:3 --partition file:- --verify
has "partition file ("
unset INPUT
gzip -k five.part
expect_ok cc g.el --devices host:4 --partition file:five.part.gz --verify
has "used     3 of 4 devices: the partition has fewer parts than there are devices"
expect_ok pr g.el --devices host:3 --partition file:five.part --verify --json -
is choices.partition '"file"'
is choices.partition_file '"five.part"'

# ---- no device is opened, and no configuration of one matters ----
export WEIR_POOL_BYTES=1KiB
expect_ok partition g.el --parts 3
unset WEIR_POOL_BYTES

# ---- wrong files ----
wrong() {
    printf '%b' "$2" >wrong.part
    refuse 2 "$1" bfs six.el --devices host:3 --partition file:wrong.part -o levels.out
    refuse 2 "$1" partition six.el --partition file:wrong.part --parts 3 -o other.part
}
wrong 'wrong.part:5: the file ends here, and six.el has 6 vertices' '0\n1\n2\n0\n1\n'
wrong 'wrong.part:7: a line too many: six.el has 6 vertices' '0\n1\n2\n0\n1\n2\n0\n'
wrong 'wrong.part:3: part 3, and there may be 3, which are counted from 0' '0\n1\n3\n0\n1\n2\n'
wrong "wrong.part:2: 'one' is no part" '0\none\n2\n0\n1\n2\n'
wrong 'wrong.part:4: the part -1 is negative' '0\n1\n2\n-1\n1\n2\n'
wrong 'wrong.part:1: ' '0 1\n1\n2\n0\n1\n2\n'
wrong 'wrong.part: the file is empty, and six.el has 6 vertices' ''
wrong 'wrong.part:9: a line too many' '0\n1\n2\n0\n1\n2\n\n\n0\n'
printf '\050\265\057\375\003\300\227\247\226\221\236' >window.part # zstd with a window of more than a GiB
refuse 1 "window.part: unpacking it takes more than the 1024 MiB that are allowed" partition six.el --partition file:window.part --parts 3
refuse 2 "--partition file:no-such.part: No such file" bfs no-such.el --devices host:2 --partition file:no-such.part
refuse 2 "the path behind file: is missing" bfs six.el --partition file:
refuse 2 "is a directory" bfs six.el --devices host:2 --partition file:/
refuse 2 "both standard input" bfs - --devices host:2 --partition file:-
refuse 2 "--seed: nothing here depends on it" bfs six.el --devices host:2 --partition file:five.part --seed 3
refuse 2 "--seed: nothing here depends on it" partition six.el --parts 2 --seed 3

# ---- files that would be lost, and standard output twice ----
printf '0\n0\n0\n1\n1\n1\n' >six.part
ln six.part hard.part
refuse 2 "that is the file of --partition, which would be lost" partition six.el --partition file:six.part -o hard.part
refuse 2 "that is the file of --partition, which would be lost" bfs six.el --devices host:2 --partition file:six.part -o ./six.part
refuse 2 "that is the graph, which would be lost" partition six.el --parts 2 -o ./six.el
refuse 2 "both write to" partition six.el --parts 2 -o - --json -
refuse 2 "--format is of standard output, which --output - takes" partition six.el --parts 2 -o - --format csv
refuse 2 "cannot be written" partition six.el --parts 2 -o no-such-folder/x
refuse 2 "--partition 2d:2x2 cuts arcs, not vertices: it is for weir bfs, pr and cc" partition six.el --parts 4 --partition 2d:2x2
expect_ok partition chain:1 --parts 64
finish
