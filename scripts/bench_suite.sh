#!/bin/sh
# Times the traversal suite on the graphs of docs/benchmarks.md and prints a row of a Markdown table for each
# run as it ends. Each row is the median of some runs after a warm-up, verified in full in the same call
# where the serial reference can do that in time ("no": it cannot).
#
#   scripts/bench_suite.sh [OPTIONS] [ROW...]
#
#   ROW              what to run, as VERB-GRAPH with shell patterns: bfs-rmat22 'pr-*' '*-grid'; all rows of
#                    the table when none is given. --list names them
#   --devices "D.."  device specs, each row on all of them; "cuda:0 cuda:0-1 cuda:0-3"
#   --work DIR       where graphs are kept as .gr files, made when they are first needed; the table's
#                    largest takes 4.4 GB, rmat26 9 GB (default: weir-suite in TMPDIR or /tmp)
#   --data DIR       where USA-road.NE.mtx.xz lies, or NE.gr (../shared/data)
#   --trials N       runs of a row (10)
#   --verify WHICH   usual, all (however long it takes), none
#   --limit S        seconds a call may take (280)
#   --budget S       seconds for all rows together; those that would begin later are not run (a day)
#   --json DIR       keep every document there
#   --options "O.."  more options of weir, for all rows
#   --list           name the rows and end
#
# Graphs are symmetric, as the table's are. Weights of sssp are random:1-255:1, which are the same for a
# generated graph and for its file. pr runs to its default tolerance of 1e-6; "us a step" is one
# iteration. A number behind the verb is one run from each of so many sources, bfs64-rmat26: GTEPS are harmonic means, and
# edges are half the arcs. No row is a run of Graph500: none has parents that are validated, nor a construction that is timed.
# mesh is a grid of 1000x1000 whose cells have a diagonal each.
# Needs a shell, awk and bin/weir alone (and document.sh beside it), so it works in a bundle: BUILD=bin scripts/bench_suite.sh.
set -eu
. "$(dirname "$0")/document.sh"
weir=${BUILD:-build}/weir
devices="cuda:0 cuda:0-1 cuda:0-3" work=${TMPDIR:-/tmp}/weir-suite data=${WEIR_DATA:-../shared/data}
trials=10 verify=usual limit=280 budget=86400 begun=$(date +%s) json='' options='' list=''
# In step with the columns of `row` below. Of those behind the blank line none is in the table.
rows="bfs-rmat22 bfs-rmat25 bfs-NE bfs-grid sssp-rmat22 sssp-rmat25 sssp-NE sssp-grid pr-rmat22 pr-grid
    pr-rmat25 cc-rmat22 cc-rmat25 cc-grid"
more="bfs64-rmat26 pr-NE cc-NE bfs-rmat22b sssp-rmat22b pr-rmat22b cc-rmat22b bfs-mesh sssp-mesh pr-mesh cc-mesh
    bfs16-rmat22 sssp16-rmat22 bfs16-NE sssp16-NE bfs16-mesh sssp16-mesh bfs16-grid bfs-gridb sssp-gridb pr-gridb cc-gridb"

usage() {
    echo "bench_suite: $1; the first lines of $0 say how it is called" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
    --list) list=1 && shift && continue ;;
    --devices | --work | --data | --trials | --verify | --limit | --budget | --json | --options) [ $# -gt 1 ] || usage "$1 needs a value" ;;
    --*) usage "$1: unknown option" ;;
    *) break ;;
    esac
    case $1 in
    --devices) devices=$2 ;;
    --work) work=$2 ;;
    --data) data=$2 ;;
    --trials) trials=$2 ;;
    --verify) verify=$2 ;;
    --limit) limit=$2 ;;
    --budget) budget=$2 ;;
    --json) json=$2 ;;
    --options) options=$2 ;;
    esac
    shift 2
done
case $verify in usual | all | none) ;; *) usage "--verify $verify: usual, all or none" ;; esac
if [ -n "$list" ]; then
    # shellcheck disable=SC2086 # names, separated by blanks
    printf '%s\n' $rows "" $more
    exit 0
fi
[ -x "$weir" ] || usage "there is no $weir; set BUILD"
mkdir -p "$work"
document=$(mktemp "$work/.json.XXXXXX")
log=$(mktemp "$work/.log.XXXXXX")
trap 'rm -f "$document" "$log"' EXIT
trap 'exit 130' INT TERM
[ -z "$json" ] || mkdir -p "$json"

# ---- graphs ----

# text_of GRAPH: what weir gen makes it from.
text_of() {
    case $1 in
    rmat22) echo rmat:22 ;;
    rmat25) echo rmat:25 ;;
    rmat26) echo rmat:26 ;;
    rmat22b) echo rmat:22,16,7 ;;
    grid) echo grid:4900x4900,0.65 ;;
    gridb) echo grid:4900x4900,0.7,3 ;;
    NE) [ -f "$data/USA-road.NE.mtx.xz" ] && echo "$data/USA-road.NE.mtx.xz" || echo "$data/NE.gr" ;;
    mesh) echo mesh:1000x1000 ;;
    rmat:* | grid:* | mesh:*) echo "$1" ;; # for tests of this script: any generator is a graph
    *) return 1 ;;
    esac
}

# make_mesh WxH FILE: a grid whose cells have a diagonal each, one way or the other, as arcs of one direction.
make_mesh() {
    awk -v size="$1" 'BEGIN {
        split(size, side, "x"); w = side[1]; h = side[2]; draw = 1
        for (y = 0; y < h; y++)
            for (x = 0; x < w; x++) {
                v = y * w + x
                if (x + 1 < w) print v, v + 1
                if (y + 1 < h) print v, v + w
                draw = (draw * 48271) % 2147483647 # MINSTD: the same mesh with every awk
                if (x + 1 < w && y + 1 < h) print (draw % 2 ? v " " v + w + 1 : v + 1 " " v + w)
            }
    }' >"$2"
}

# make_graph GRAPH: its file, made when there is none; it appears when it is complete.
make_graph() {
    text=$(text_of "$1") || usage "$1: unknown graph"
    file=$work/$(echo "$1" | tr ':,' '__').gr
    case $text in rmat:* | mesh:*) undirected=--undirected ;; *) undirected= ;; esac
    [ ! -f "$file" ] || return 0
    case $text in mesh:*)
        make_mesh "${text#mesh:}" "$file.el"
        text=$file.el
        ;;
    esac
    # shellcheck disable=SC2086 # empty is no word
    "$weir" gen "$text" $undirected -o "$file" >"$log" 2>&1 && rm -f "$file.el"
}

# ---- what a document says ----

said() { member "$1" "$2" "$document"; }

# row_of NAME SPEC: a line of the table from the document.
row_of() {
    awk -v name="$1" -v spec="$2" -v ms="$(said median_ms summary)" -v low="$(said min_ms summary)" \
        -v kernels="$(said median_kernel_ms summary)" -v high="$(said max_ms summary)" -v direction="$(said direction choices)" \
        -v used="$(said devices_used choices)" -v steps="$(said steps trials)" \
        -v gteps="$(said gteps_harmonic_mean summary)" -v seen="$(said gteps_seen_harmonic_mean summary)" \
        -v verified="$(said verified summary)" 'BEGIN {
            if (direction == "null") direction = "-"
            each = steps > 0 && name !~ /^[a-z]*[0-9]/ ? sprintf("%.2f", 1000 * kernels / steps) : "-"
            edges = name ~ /^bfs/ ? sprintf("%.4g", gteps / 2) : "-"
            verified = verified == "true" ? "yes" : verified == "null" ? "no" : "WRONG"
            printf "| %s | %s | %s | %.3f | %.3f | %.3f | %.3f | %s | %d | %s | %.4g | %.4g | %s | %s |\n", name, spec, used, ms,
                low, high, kernels, direction, steps, each, gteps, seen, edges, verified }'
}

# ---- runs ----

# options_of VERB GRAPH: where it starts and how often it runs.
options_of() {
    case $1-$2 in
    *[0-9]-*) echo "--sources ${1#"${1%%[0-9]*}"}" ;;
    bfs-NE | sssp-NE) echo "--source 1000 --trials $trials" ;;
    bfs-grid | sssp-grid) echo "--source 4903 --trials $trials" ;;
    *) echo "--trials $trials" ;;
    esac
}

# verify_of VERB GRAPH: the serial reference of pr makes two hundred iterations, that of bfs a pass a source.
verify_of() {
    case $verify-$1-$2 in
    none-* | usual-pr-rmat2[56] | usual-*[0-9]-*) ;;
    *) echo --verify ;;
    esac
}

failed=0
run_row() { # VERB GRAPH
    name=$1-$2
    if ! make_graph "$2"; then
        echo "| $name | - | - | no graph: $(head -n 1 "$log") | | | | | | | | | | |"
        failed=1
        return
    fi
    for spec in $devices; do
        left=$((begun + budget - $(date +%s)))
        if [ "$left" -lt 5 ]; then
            echo "| $name | $spec | - | not run: $budget s are over | | | | | | | | | | |"
            continue
        fi
        [ "$left" -lt "$limit" ] || left=$limit
        # shellcheck disable=SC2046,SC2086 # options, separated by blanks
        if timeout -k 10 "$left" "$weir" "${1%%[0-9]*}" "$file" --devices "$spec" $(options_of "$1" "$2") \
            $(verify_of "$1" "$2") $options --json "$document" >"$log" 2>&1 </dev/null; then
            row_of "$name" "$spec"
        else
            status=$?
            failed=1
            why=$(tail -n 1 "$log")
            [ "$status" != 124 ] || why="not done after $left s"
            echo "| $name | $spec | - | failed ($status): $why | | | | | | | | | | |"
        fi
        [ -z "$json" ] || ! [ -s "$document" ] || cp "$document" "$json/$name.$(echo "$spec" | tr ':,' '__').json"
        : >"$document"
    done
}

# chosen PATTERN: names of rows that match it, in their order; a name of another graph as it is.
chosen() {
    found=
    for name in $rows $more; do
        # shellcheck disable=SC2254 # a pattern is wanted
        case $name in $1) echo "$name" && found=1 ;; esac
    done
    [ -n "$found" ] || case $1 in *-rmat:* | *-grid:* | *-mesh:*) echo "$1" ;; *) usage "$1: no such row; --list names them" ;; esac
}

# shellcheck disable=SC2086 # rows, separated by blanks
[ $# -gt 0 ] || set -- $rows
names=
for pattern; do
    names="$names $(chosen "$pattern")" || exit 2
done
"$weir" version | head -n 1
echo
echo '| row | devices | used | median ms | min | max | kernels | direction | steps | us a step | GTEPS | GTEPS seen | edges | verified |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|'
for name in $names; do
    run_row "${name%%-*}" "${name#*-}"
done
exit "$failed"
