#!/bin/sh
# weir spmv and spmm: right on every number of devices by every schedule, files in and out, documents, what is refused.
. "$(dirname "$0")/common.sh"

# One device refuses to exchange anything meanwhile.
overlap_on() {
    if [ "$1" = host:1 ]; then echo auto; else echo on; fi
}

# ---- right ----
i=0
for devices in host:1 host:2 host:3 host:4 host:8 host:2x3; do
    for matrix in rmat:8 "grid:20x30 --weights random:1-9" denserow:3000 emptyrows:2000 random:40x900,5 random:900x40 \
        banded:200,3 powerlaw:500,30 blocks:200,16; do
        i=$((i + 1))
        nth $i auto rows bins thread warp block group merge
        schedule=$NTH
        nth $i f32 f64 f64
        values=$NTH
        nth $i "" --transpose "--overlap off" "--beta 0.5 --alpha -2" "--transpose --overlap $(overlap_on $devices)"
        # shellcheck disable=SC2086 # words
        expect_ok spmv $matrix --devices $devices --schedule $schedule --values $values $NTH --verify
        has "verified: ok"
        nth $i 1 2 7 32
        columns=$NTH
        [ "$columns" -eq 1 ] || [ $schedule != bins ] || schedule=rows
        # shellcheck disable=SC2086 # words
        expect_ok spmm $matrix --devices $devices --schedule $schedule --values $values --columns "$columns" --verify
        has "verified: ok"
    done
done

# Blocks in two dimensions: every grid of some numbers of devices.
for grid in 1x1 1x4 4x1 2x2 2x3 8x1 1x8; do
    devices=host:$((${grid%x*} * ${grid#*x}))
    for more in "" "--schedule bins --overlap off" "--schedule merge --transpose" "--beta 3 --values f64 --overlap $(overlap_on $devices)"; do
        # shellcheck disable=SC2086 # words
        expect_ok spmv random:3000x5000,7 --devices $devices --partition 2d:$grid $more --verify
        has "in a grid of ${grid%x*} x ${grid#*x}"
    done
    expect_ok spmm powerlaw:800,30 --columns 6 --devices $devices --partition 2d:$grid --verify
done

# x that is cut: the same text of y bit by bit, and fewer rows of others; small halos are cut without being asked for.
for matrix in banded:3000,4 powerlaw:900,20 random:500x700,6; do
    for devices in host:2 host:3 host:4 host:8; do
        expect_ok spmv $matrix --devices $devices --schedule rows --vector whole --verify -o whole.txt
        has "; x whole, "
        expect_ok spmv $matrix --devices $devices --schedule rows --vector cut --verify -o cut.txt
        has "; x cut, "
        same cut.txt whole.txt "y of an x that is cut"
        expect_ok spmm $matrix --devices $devices --columns 3 --vector cut --overlap off --transpose --verify
        has "verified: ok"
    done
done
expect_ok spmv random:3000x5000,7 --devices host:6 --partition 2d:3x2 --schedule bins --vector cut --verify
has "x cut"
expect_ok spmv banded:3000,4 --devices host:3
has "; x cut, 16 rows of it are others'"
expect_ok spmv random:400x400,50 --devices host:2
has "; x whole, 400 rows"
# Where all of x has no room beside the rest it is cut; where that does not help nothing is taken.
expect_ok spmv random:400000x400000,1 --devices host:4
has "; x whole, "
WEIR_POOL_BYTES=2850000 expect_ok spmv random:400000x400000,1 --devices host:4 --verify
has "; x cut, "
WEIR_POOL_BYTES=2850000 expect_ok plan random:400000x400000,1 spmv --devices host:4
has ", x cut: "
has "it fits"
WEIR_POOL_BYTES=2450000 refuse 1 "has no room for its part of random:400000x400000,1" spmv random:400000x400000,1 --devices host:4

# ---- files ----
cat >small.mtx <<'END'
%%MatrixMarket matrix coordinate real general
% a diagonal, a place that stands twice, a 0
3 4 6
1 1 2
2 3 -1
3 4 0
2 3 0.25
3 1 1e1
1 2 3
END
printf '1\n10\n100\n1000\n' >x.txt
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n10\n100\n1000\n' >x.mtx
printf '32\n-75\n10\n' >right.txt
for x in x.txt x.mtx; do
    for values in f32 f64; do
        for devices in host:1 host:3; do
            expect_ok spmv small.mtx --x $x --values $values --devices $devices -o -
            same "$OUT" right.txt "y of a known product"
        done
    done
done
expect_ok spmv small.mtx --x x.txt --devices host:2 -o y.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n32\n-75\n10\n' >right.mtx
same y.mtx right.mtx "y as MatrixMarket"
has "1 entries added to others"
expect_ok spmv small.mtx --transpose --x y.mtx --devices host:2 -o -
printf '164\n96\n56.25\n0\n' >right.txt
same "$OUT" right.txt "y of the transpose"
printf '1 2\n0 0\n0 1\n-1 0\n' >x2.txt
printf '1 1\n1 1\n1 1\n' >y2.txt
expect_ok spmm small.mtx --columns 2 --x x2.txt --y y2.txt --alpha 2 --beta 3 --values f64 --devices host:2 -o -
printf '7 11\n3 1.5\n23 43\n' >right.txt
same "$OUT" right.txt "y of two columns"
expect_ok spmm small.mtx --columns 2 --x x2.txt --devices host:1 -o y2.mtx
printf '%%%%MatrixMarket matrix array real general\n3 2\n2\n0\n10\n4\n-0.75\n20\n' >right.mtx
same y2.mtx right.mtx "y of two columns as MatrixMarket, column by column"
# shellcheck disable=SC2034 # run reads it
INPUT=small.mtx
expect_ok spmv - --x x.txt --devices host:1 -o -
printf '32\n-75\n10\n' >right.txt
same "$OUT" right.txt "a matrix from standard input"
unset INPUT
# Of symmetric files each entry off the diagonal stands for two; a skew one's has the other sign.
printf '%%%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 5\n2 1 7\n3 2 -1\n' >symmetric.mtx
printf '1\n2\n3\n' >x3.txt
expect_ok spmv symmetric.mtx --x x3.txt --devices host:2 -o -
printf '19\n4\n-2\n' >right.txt
same "$OUT" right.txt "a symmetric matrix"
printf '%%%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 7\n3 2 -1\n' >skew.mtx
expect_ok spmv skew.mtx --x x3.txt --devices host:2 -o -
printf -- '-14\n10\n-2\n' >right.txt
same "$OUT" right.txt "a skew-symmetric matrix"
printf '%%%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n' >pattern.mtx
expect_ok spmv mtx:pattern.mtx --x x3.txt --devices host:1 -o -
printf '3\n1\n' >right.txt
same "$OUT" right.txt "a pattern"
# A graph: what it drops, and what its weights are.
printf '0 1 5\n1 2 -3\n2 2 9\n' >graph.el
expect_ok spmv graph.el --x x3.txt --devices host:2 -o -
printf '10\n-9\n0\n' >right.txt
same "$OUT" right.txt "a graph with weights"
expect_ok spmv graph.el --x x3.txt --undirected --weights unit --devices host:2 -o -
printf '2\n4\n2\n' >right.txt
same "$OUT" right.txt "a graph with the reverse of each arc"
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >none.mtx
expect_ok spmv none.mtx --devices host:2 --verify -o y.txt
if [ ! -s y.txt ]; then pass; else fail "a matrix without rows has a y"; fi

# ---- what is said ----
expect_ok spmv banded:1000,1 --devices host:4 --trials 3 --verify --json -
if [ "$TOOL" = python3 ]; then
    is command '"spmv"'
    is matrix.nonzeros 2998
    is choices.schedule '"rows"'
    is choices.overlap true
    is product.flops 5996
    is product.bytes_exchanged 24
    is product.halo 6
    is product.halo_bytes 24
    is product.warmed_up 2
    is choices.vector '"cut"'
    is compared '[]'
    is verified true
else
    skip "no python3 to read JSON with"
fi
expect_ok spmv banded:100,1 --devices host:2 --compare
has "cuSPARSE needs a GPU"
expect_ok spmm banded:100,1 --devices host:2 --trials 2
has "32 columns"
has "GFLOP/s"

# What a path looks like says nothing of what is in it, nor does a mark in front.
mkdir -p d:e
printf '32\n-75\n10\n' >right.txt
cp small.mtx a:b.mtx
cp small.mtx d:e/small.mtx
{ printf '\357\273\277' && cat small.mtx; } >marked.mtx
{ printf '\357\273\277' && cat x.txt && echo; } >marked.txt
for matrix in a:b.mtx d:e/small.mtx marked.mtx mtx:marked.mtx; do
    for x in x.txt marked.txt; do
        expect_ok spmv $matrix --x $x --devices host:1 -o -
        same "$OUT" right.txt "y of $matrix"
    done
done

# ---- refused ----
refuse 2 "no matrix is named" spmv
refuse 2 "is a matrix" spmv small.mtx --weights unit
refuse 2 "reverse arcs are of graphs" spmv banded:9,1 --undirected
refuse 2 "--schedule bins: is for one column of x, and there are 32" spmm small.mtx --schedule bins
refuse 2 "--y: with --beta 0" spmv small.mtx --y x3.txt
refuse 2 "a grid of 2 x 2 devices, but the product has 3" spmv small.mtx --partition 2d:2x2 --devices host:3
refuse 2 "choose one of: rows, 2d:RxC" spmv small.mtx --partition metis
refuse 2 "--partition" spmv small.mtx --partition 2d:0x2
refuse 2 "--columns: spmv has no such option" spmv small.mtx --columns 3
refuse 2 "--schedule fast: unknown; choose one of: auto, rows, bins" spmv small.mtx --schedule fast
refuse 2 "--values f16: unknown; choose one of: f32, f64" spmv small.mtx --values f16
refuse 2 "--columns: \"0\"" spmm small.mtx --columns 0
refuse 2 "--alpha: \"x\" is not a number" spmv small.mtx --alpha x
refuse 2 "--beta: \"inf\" is not a number" spmv small.mtx --beta inf
refuse 2 "--source: spmv has no such option" spmv small.mtx --source 1
refuse 2 "did you mean --schedule" spmv small.mtx --schedul rows
refuse 2 "x3.txt: holds 3 rows of 4" spmv small.mtx --x x3.txt --devices host:1
printf '1\ninf\n3\n' >inf.txt
refuse 2 "inf.txt:2: 'inf' is no finite value" spmv symmetric.mtx --x inf.txt --devices host:1
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1e999\n' >large.mtx
refuse 2 "large.mtx:3: the value 1e999 is too large" spmv large.mtx --devices host:1
refuse 2 "x.txt:4: holds more than 3 rows" spmv symmetric.mtx --x x.txt --devices host:1
refuse 2 "4 rows and 1 columns, but 3 and 1 are wanted" spmv symmetric.mtx --x x.mtx --devices host:1
refuse 2 "that is the file of --x" spmv symmetric.mtx --x x3.txt -o x3.txt --devices host:1
refuse 2 "write banded:N,BAND[,SEED]" spmv banded:10 --devices host:1
refuse 2 "write random:ROWSxCOLUMNS" spmv random:10 --devices host:1
refuse 2 "nowhere" spmv nowhere.mtx --devices host:1
refuse 2 "overlap on: one device has all of x" spmv small.mtx --overlap on --devices host:1
refuse 2 "vector cut: one device has all of x" spmv small.mtx --vector cut --devices host:1
refuse 2 "--vector half: unknown; choose one of: auto, whole, cut" spmv small.mtx --vector half
refuse 2 "standard input, which has no x behind it" spmv - --x - --devices host:1
refuse 2 "alpha is 1e+39, which values of f32 cannot hold" spmv small.mtx --alpha 1e39 --devices host:1
refuse 2 "beta is 1e-40, which values of f32 cannot hold" spmv small.mtx --beta 1e-40 --devices host:1
expect_ok spmv small.mtx --alpha 1e39 --values f64 --devices host:1 --verify
mkfifo pipe
cat small.mtx >pipe &
refuse 2 "cannot be read twice: say mtx:" spmv pipe --devices host:1
wait
# bad FILE TEXT SENTENCE
bad() {
    printf '%%%%MatrixMarket matrix %b' "$2" >"$1"
    refuse 2 "$3" spmv "$1" --devices host:1
}
bad complex.mtx 'coordinate complex general\n1 1 1\n1 1 1 0\n' "complex.mtx:1: the field is 'complex'; pattern, integer and real are read"
bad array.mtx 'array real general\n1 1\n1\n' "the layout is 'array'; a sparse matrix is coordinate"
bad skewed.mtx 'coordinate real skew-symmetric\n2 2 1\n1 1 3\n' "skew-symmetric"
bad wide.mtx 'coordinate real symmetric\n2 3 0\n' "is not symmetric"
bad more.mtx 'coordinate real general\n2 2 1\n1 1 3\n2 2 1\n' "promises 1 entries but holds more"
bad fewer.mtx 'coordinate real general\n2 2 2\n1 1 3\n2\n' "fewer.mtx:4: "
bad cut.mtx 'coordinate real general\n2 2 3\n1 1 3\n2 2 1\n' "promises 3 entries but holds 2"
bad out.mtx 'coordinate real general\n2 9 2\n1 8 3\n8 1 1\n' "out.mtx: line 4: row 8, column 1 cannot be in a matrix of 2 x 9"
bad out2.mtx 'coordinate real general\n2 9 2\n1 8 3\n10 1 1\n' "row 10"
bad large.mtx 'coordinate real general\n1 1 1\n1 1 1e60\n' "is not finite in 32 bits"
bad sum.mtx 'coordinate real general\n1 1 2\n1 1 3e38\n1 1 3e38\n' "is not finite in 32 bits"
export WEIR_POOL_BYTES=1MiB
refuse 1 "has no room for its part of banded:100000,5" spmv banded:100000,5 --devices host:1
unset WEIR_POOL_BYTES
refuse 1 "time limit" spmv rmat:20 --devices host:1 --time-limit 0.001
finish
