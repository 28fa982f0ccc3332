#!/bin/sh
# What a level of a breadth-first search in two dimensions costs, from the figures of a machine: docs/two-dimensions.md, "What it would cost".
#
#   scripts/model_2d.sh levels FIGURES rmat:SCALE,FACTOR[,DEGREE] RxC [WIRE]   the levels of a search from a vertex of DEGREE arcs (the largest)
#   scripts/model_2d.sh fit DOCUMENT [CORES]           the figures of a machine, from a document of weir bfs --partition 2d:RxC --json
#   scripts/model_2d.sh machine FILE                   byte_ns and message_us, from a file of weir topo --measure --format json
#   scripts/model_2d.sh hold FIGURES DOCUMENT...       documents beside what the model says of them
#   scripts/model_2d.sh scaling FIGURES [PICTURE]      the grids of FIGURES, beside what is published of them; the picture is by gnuplot
#
# FIGURES: lines `NAME VALUE`; of a name that stands twice the last one counts; # begins a comment. Nanoseconds of one device for each: arc_ns, arc looked at;
# vertex_ns, vertex of its column's frontier; item_ns, item that comes in; byte_ns, byte to another device; stage_ns, byte between device and host where
# messages go through hosts. Microseconds: message_us, to start a message; barrier_us, of a phase. cores: of the host, which its devices share; 0: each has its
# own. Of `scaling` also grids and what is published, as in docs/recorded/two-dimensions-k20x.txt.
#
# Documents are of rmat: with --undirected and of one source; of their trials the one that took least counts. Exit status: 0; 1: gnuplot is not there or
# fails; 2: bad usage or input.
set -eu
here=$(dirname "$0")
usage() {
    sed -n '4,8s/^# *//p' "$0" >&2
    exit 2
}
[ $# -ge 2 ] || usage
verb=$1
shift
readable() {
    for file in "$@"; do
        [ -r "$file" ] && [ -f "$file" ] || { echo "model_2d: $file: there is no such file to read" >&2; exit 2; }
    done
}
model() {
    program=$1
    shift
    awk -f "$here/model_2d.awk" -f "$here/model_2d_$program.awk" "$@"
}
case $verb in
levels)
    [ $# -ge 3 ] && [ $# -le 4 ] || usage
    readable "$1"
    VERB=levels GRAPH=$2 GRID=$3 WIRE=${4:-auto} model scaling "$1"
    ;;
fit)
    [ $# -le 2 ] || usage
    readable "$1"
    VERB=fit CORES=${2:-0} model hold "$1"
    ;;
machine)
    [ $# -eq 1 ] || usage
    readable "$1"
    VERB=machine model hold "$1"
    ;;
hold)
    [ $# -ge 2 ] || usage
    readable "$@"
    VERB=hold model hold "$@"
    ;;
scaling)
    [ $# -le 2 ] || usage
    readable "$1"
    if [ $# -eq 1 ]; then
        VERB=scaling CURVE='' model scaling "$1"
        exit
    fi
    command -v gnuplot >/dev/null 2>&1 || { echo 'model_2d: gnuplot is not installed' >&2; exit 1; }
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    VERB=scaling CURVE=$tmp model scaling "$1"
    gnuplot - <<END
set terminal svg size 1000,420 font "sans,12" background "white"
set output "$tmp/picture"
set multiplot layout 1,2
set logscale x 2
set xrange [0.7:6000]
set xtics ("1" 1, "4" 4, "16" 16, "64" 64, "256" 256, "1024" 1024, "4096" 4096)
set grid
set key left top
set xlabel "GPUs"
set logscale y
set ylabel "GTEPS"
plot "$tmp/list" using 1:2 with lines lw 2 lc rgb "#1f77b4" title "model, lists", \
     "$tmp/auto" using 1:2 with lines lw 2 lc rgb "#d62728" title "model, bitmaps", \
     "$tmp/list.published" using 1:2 with points pt 7 lc rgb "#1f77b4" title "published, lists", \
     "$tmp/auto.published" using 1:2 with points pt 7 lc rgb "#d62728" title "published, bitmaps"
unset logscale y
set yrange [0:*]
set ylabel "ms"
plot "$tmp/list" using 1:3 with lines lw 2 lc rgb "#2ca02c" title "computing", \
     "$tmp/list" using 1:4 with lines lw 2 lc rgb "#1f77b4" title "transfers, lists", \
     "$tmp/auto" using 1:4 with lines lw 2 lc rgb "#d62728" title "transfers, bitmaps"
END
    mv "$tmp/picture" "$2"
    ;;
*) usage ;;
esac
