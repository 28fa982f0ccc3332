#!/bin/sh
# Writes the table of README.md: runs every row of it in one go (bench_suite.sh), each verified in full in that very
# call, and names the commit, the devices and the options. Rows that weir loses are rows like others. The status is 1 if
# a row is wrong or fails.
#
#   scripts/readme_table.sh [OPTIONS]
#
#   --into FILE      put the table between the two marks in FILE, which is README.md as a rule (standard output)
#   --devices "D.."  device specs, a column each; on the second and further ones all devices are forced to take part,
#                    by --partition edge (cuda:0)
#   --data DIR       where USA-road.NE.mtx.xz or NE.gr lies; without it there are no rows of roads (../shared/data)
#   --work DIR       where graphs and documents are kept (weir-table in TMPDIR or /tmp)
#   --trials N       runs of a row after a warm-up (10)
#   --budget S       seconds for everything; rows that would begin later say that they were not run (290)
#   --limit S        seconds a call may take (150)
#   --large          rmat:25 too, which takes minutes to make
#   --small          small graphs in place of the table's, to try the script where there is no GPU
#   --list           say which rows of bench_suite.sh it runs, and run none
#   --commit TEXT    what to name (git's, or what bundle.sh has left)
#
# One GPU takes about four minutes, each further column two.
# Works in a bundle: BUILD=bin scripts/readme_table.sh --devices "cuda:0 cuda:0-1" --into table.md
# FILE may be empty or missing: then it gets marks, too.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/document.sh"
into='' devices=cuda:0 data=${WEIR_DATA:-../shared/data} work=${TMPDIR:-/tmp}/weir-table
trials=10 budget=290 limit=150 large='' small='' list='' commit=''
first_mark='<!-- table: written by scripts/readme_table.sh -->'
last_mark='<!-- end of the table -->'

usage() {
    echo "readme_table: $1; the first lines of $0 say how it is called" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
    --large) large=1 && shift && continue ;;
    --small) small=1 && shift && continue ;;
    --list) list=1 && shift && continue ;;
    --into | --devices | --data | --work | --trials | --budget | --limit | --commit) [ $# -gt 1 ] || usage "$1 needs a value" ;;
    *) usage "$1: unknown option" ;;
    esac
    case $1 in
    --into) into=$2 ;;
    --devices) devices=$2 ;;
    --data) data=$2 ;;
    --work) work=$2 ;;
    --trials) trials=$2 ;;
    --budget) budget=$2 ;;
    --limit) limit=$2 ;;
    --commit) commit=$2 ;;
    esac
    shift 2
done
[ -n "$devices" ] || usage "--devices needs a spec"
if [ -s "$into" ] && ! { grep -qxF "$first_mark" "$into" && grep -qxF "$last_mark" "$into"; }; then
    usage "$into has not both marks, $first_mark and $last_mark"
fi
begun=$(date +%s)
if [ -z "$commit" ] && [ -f "$here/../commit" ]; then commit=$(cat "$here/../commit"); fi
[ -n "$commit" ] || commit=$(git -C "$here" describe --always --dirty 2>/dev/null) || commit=unknown

# ---- rows: NAME|what it is called|the row with 16 sources|the best of others ----

# * a product: iterations times a published time of one; + our own near-far kernel of examples/14_engine_cost.
rmat='BFS `rmat:22 --undirected`, 128 M arcs|bfs16-rmat22|4.13'
rows="bfs-rmat22|$rmat
sssp-rmat22|SSSP \`rmat:22 --undirected\`||14.3
pr-rmat22|PageRank \`rmat:22 --undirected\` to 1e-6||33 *
cc-rmat22|components of \`rmat:22 --undirected\`||3.45
bfs-NE|BFS USA-road NE, 3.87 M arcs|bfs16-NE|23.6
sssp-NE|SSSP USA-road NE|sssp16-NE|45.3
cc-NE|components of USA-road NE||
bfs-mesh|BFS triangulated mesh, 1 M vertices, 6 M arcs|bfs16-mesh|
sssp-mesh|SSSP triangulated mesh|sssp16-mesh|
cc-mesh|components of the mesh||
bfs-grid|BFS \`grid:4900x4900,0.65\`, 62 M arcs||215
cc-grid|components of the grid||1.72
pr-grid|PageRank of the grid to 1e-6||117 *
sssp-grid|SSSP of the grid||51.2 +"
if [ -n "$large" ]; then
    rows="$rows
bfs-rmat25|BFS \`rmat:25 --undirected\`, 1.05 G arcs||
cc-rmat25|components of \`rmat:25 --undirected\`||"
fi
if [ ! -f "$data/USA-road.NE.mtx.xz" ] && [ ! -f "$data/NE.gr" ]; then
    rows=$(echo "$rows" | grep -v -e '-NE|')
fi
if [ -n "$small" ]; then # figures of others are of the other graphs
    rows=$(echo "$rows" | grep -v -e '-NE|' -e rmat25 | sed -e 's/|[^|]*$/|/' -e 's/, 1 M vertices//; s/, [0-9.]* [MG] arcs//' \
        -e 's/rmat22/rmat:12/g; s/rmat:22/rmat:12/; s/\(-\)grid|/\1grid:60x60,0.65|/; s/4900x4900/60x60/' \
        -e 's/\(-\)mesh|/\1mesh:40x40|/g')
fi

# ---- runs ----

documents=$work/documents lines=$work/lines
rm -rf "$documents" "$lines" "$lines.failed"
mkdir -p "$documents"

# run_rows SPEC OPTIONS NAME...: what bench_suite prints is progress here, and says which rows failed.
run_rows() {
    spec=$1 options=$2
    shift 2
    left=$((begun + budget - $(date +%s)))
    {
        "$here/bench_suite.sh" --devices "$spec" --work "$work" --data "$data" --trials "$trials" --verify all --limit "$limit" \
            --budget "$left" --options "$options" --json "$documents" "$@" || : >"$lines.failed"
    } | tee -a "$lines" >&2
}

names=$(echo "$rows" | cut -d'|' -f1)
sources=$(echo "$rows" | cut -d'|' -f3 | grep . || true)
first=${devices%% *}
# A row that the suite does not know would be found out when all others have run.
known=$("$here/bench_suite.sh" --list | tr -s ' ' '\n')
for name in $names $sources; do
    case $name in *-rmat:* | *-grid:* | *-mesh:*) continue ;; esac # --small: any generator is a graph
    echo "$known" | grep -qxF "$name" || usage "bench_suite.sh has no row $name"
done
if [ -n "$list" ]; then
    printf '%s\n' $names $sources
    exit
fi
# shellcheck disable=SC2086 # names, separated by blanks
run_rows "$first" '' $names
# Before the columns that take longest, which a budget may cut.
# shellcheck disable=SC2086 # as above
run_rows "$first" '' $sources
for spec in $devices; do
    # shellcheck disable=SC2086 # as above
    [ "$spec" = "$first" ] || run_rows "$spec" '--partition edge' $names
done

# ---- the table ----

short() { # a time with three digits
    awk -v x="$1" 'BEGIN { printf x < 1 ? "%.3f" : x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x }'
}

document_of() { # NAME SPEC
    echo "$documents/$1.$(echo "$2" | tr ':,' '__').json"
}

# cell NAME SPEC KEY: "call (kernels)" by two members of the summary.
cell() {
    file=$(document_of "$1" "$2")
    if [ ! -s "$file" ]; then
        grep -qF -e "| $1 | $2 | - | failed" -e "| $1 | - | - | no graph" "$lines" && echo '**failed**' || echo 'not run'
    elif [ "$(member verified summary "$file")" != true ]; then
        echo '**wrong**'
    else
        echo "$(short "$(member "$3_ms" summary "$file")") ($(short "$(member "$3_kernel_ms" summary "$file")"))"
    fi
}

# before NAME SPEC: the cold run, and what preparing took, as two cells.
before() {
    file=$(document_of "$1" "$2")
    [ -s "$file" ] || { echo '| ' && return; }
    for key in opening partition placing copying; do
        short "$(member "${key}_ms" prepared "$file")"
        [ "$key" = copying ] || printf ', '
    done >"$work/prepared"
    echo "$(short "$(member ms cold "$file")") | $(cat "$work/prepared")"
}

print_head() {
    head='| work | '"$first" rule='|---|---|'
    for spec in $devices; do
        [ "$spec" = "$first" ] || { head="$head | $spec, forced" && rule="$rule---|"; }
    done
    echo "$head | 16 sources | cold | prepared | best other |"
    echo "$rule---|---|---|---|"
}

print_rows() {
    echo "$rows" | while IFS='|' read -r name text many other; do
        line="| $text"
        for spec in $devices; do line="$line | $(cell "$name" "$spec" median)"; done
        [ -z "$many" ] && line="$line | " || line="$line | $(cell "$many" "$first" warm_median)"
        echo "$line | $(before "$name" "$first") | $other |"
    done
}

print_notes() {
    any=$(find "$documents" -name '*.json' | sort | head -n 1)
    cat <<END

Written by \`scripts/readme_table.sh\` on $(date -u +%Y-%m-%d) at commit $commit$([ -z "$any" ] || echo " on $(member name devices "$any")"). Milliseconds,
the median of $trials runs, short ones each behind a warm-up of its own: a caller's time, from the call to its return with the result in device memory, and in
brackets the part of the kernels. Every run was verified in full in the same call, but where a cell says otherwise. Searches start
at the vertex with the largest out-degree (roads: 1000, grid: 4903); *16 sources*: those that \`--sources 16\` draws with seed
1, a verified run from each, the median over them; empty where they were not run. *Forced*: all devices take part (\`--partition edge\`); left to itself a run takes those that
pay. *Cold*: the first run of the object, a caller's time. *Prepared*: opening, partition, placing, copying in, on the first column's devices,
from a \`.gr\` file. *Best other*: times of kernels by programs of others, on any number of GPUs, as
published or measured before; * a product, the iterations times a published time of one, not a run; + our own simple near-far kernel
(\`examples/14_engine_cost\`). Weights are random, 1 to 255. A row:

    weir VERB GRAPH --devices $first --trials $trials --verify
END
}

table=$work/table.md
{
    echo "$first_mark"
    print_head
    print_rows
    print_notes
    echo "$last_mark"
} >"$table"
# Exactly what is asked for: a file keeps all but what lies between its marks.
if [ -z "$into" ]; then
    cat "$table"
elif [ ! -s "$into" ]; then
    cp "$table" "$into"
else
    awk -v first="$first_mark" -v last="$last_mark" -v table="$table" '
        $0 == first { while ((getline line <table) > 0) print line; inside = 1 }
        !inside { print }
        $0 == last { inside = 0 }' "$into" >"$work/into" && cp "$work/into" "$into"
fi
[ ! -e "$lines.failed" ]
