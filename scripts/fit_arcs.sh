#!/bin/sh
# What work of a level takes each device: an arc, an entry (a row, or up to 256 arcs of one) beside its arcs, a vertex that is found. It is fitted to
# searches that go down in every level and put into the file of a machine as arc_ns, entry_ns and find_ns, by which --balance frontier shares
# levels out.
#
#   weir topo --measure --devices SPEC --format json -o FILE
#   scripts/fit_arcs.sh FILE DEVICE...     one device spec for each device of the file, in its order: host:1 host:1, or cuda:0 cuda:1
#   WEIR_MACHINE=FILE weir bfs ... --balance frontier
#
# A sample is a wide level, its time the least of TRIALS runs, by a trace of them; what it has follows from the degrees of the graph and the levels
# that were found. What it finds is not known before it is over, so it is fitted by what a search expects: of its arcs as many as arcs to
# vertices not found yet are among all, and at most as many as there are such vertices. Least squares of the relative error, each sample counts
# alike, and nothing takes less than no time:
#
#   ns = fixed + arc_ns * arcs                                                                one rate
#   ns = fixed + arc_ns * arcs + entry_ns * entries + find_ns * expected finds     what the file gets
#
# Printed in Markdown: both, with their error, the root of the mean square of (fitted - measured) / measured, which is made least, and the largest
# one; then the error with other features of a level in place of some of these, or beside them.
# Environment: BUILD (build), GRAPHS (below, a blank between; on GPUs larger ones), SEEDS (1 2: each picks a source in each graph), TRIALS (15),
# WIDEST (8: of each run the levels with the most arcs).
set -eu
if [ $# -lt 2 ]; then
    echo "usage: scripts/fit_arcs.sh FILE DEVICE..." >&2
    exit 2
fi
weir=${BUILD:-build}/weir
seeds=${SEEDS:-1 2} trials=${TRIALS:-15} widest=${WIDEST:-8}
on_cores='rmat:15 rmat:16 rmat:17 rmat:17,4 uniform:15 uniform:16 uniform:16,4 uniform:14,64 smallworld:200000 mesh:512x512 grid:1500x1500'
on_gpus='rmat:18 rmat:19 rmat:20 rmat:20,4 uniform:18 uniform:19 uniform:20,4 uniform:17,64 smallworld:2000000'
file=$1
shift
if ! grep -q '"kind": "machine"' "$file"; then
    echo "fit_arcs.sh: $file is no machine of weir topo --format json" >&2
    exit 2
fi
nodes=$(awk '/"devices": \[/ { on = 1; next } on && /^  \]/ { exit } on { count++ } END { print count + 0 }' "$file")
if [ "$nodes" -ne $# ]; then
    echo "fit_arcs.sh: $file has $nodes devices, and $# were given" >&2
    exit 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# samples DEVICE SEED LEAST ENTRIES: of the widest levels of a search of the graph in the folder with so many arcs and entries or more: ns, arcs,
# entries, expected finds, finds, arcs in whole entries, squares of the arcs of entries, arcs of the largest row.
samples() {
    "$weir" bfs "$folder/graph.sg" --devices "$1" --direction down --seed "$2" --sources 1 --trials "$trials" \
        --trace "$folder/trace" -o "$folder/levels" >/dev/null
    # A span of a level has the number of the level that it found.
    sed -n 's/.*"name":"top-down".*"dur":\([0-9.]*\).*"step":\([0-9]*\).*/took \2 \1/p' "$folder/trace" >"$folder/spans"
    paste -d ' ' "$folder/levels" "$folder/degrees" | awk -v least="$3" -v some="$4" '
        $1 == "took" { if (!($2 in took) || $3 < took[$2]) took[$2] = $3; next }
        $2 > 0 { all += $2; vertices++ }
        $1 >= 0 && $2 > 0 {
            whole = int($2 / 256); rest = $2 % 256
            arcs[$1] += $2; entries[$1] += whole + (rest > 0); full[$1] += 256 * whole
            square[$1] += whole * 65536 + rest * rest; found[$1]++
            if ($2 > largest[$1]) largest[$1] = $2
        }
        END {
            left = all
            for (l = 0; l in arcs; l++) {
                left -= arcs[l]; vertices -= found[l]
                expected = arcs[l] * left / all
                if (expected > vertices) expected = vertices
                if (arcs[l] >= least && entries[l] >= some && took[l + 1] > 0)
                    print took[l + 1] * 1000, arcs[l], entries[l], expected, found[l + 1] + 0, full[l], square[l] / 256, largest[l]
            }
        }' "$folder/spans" - | sort -k 2,2gr | head -n "$widest"
}

# fit COLUMNS: of the samples by 1 and these columns. Prints how many there are, the error and the largest one in percent, and what each takes.
fit() {
    awk -v columns="$1" '
        # The least squares of the columns of a set, by elimination. @return whether none is less than 0.
        function solve(set,    i, j, k, by, m, at, last) {
            m = 0
            for (i = 0; i < terms; i++) if (int(set / 2 ^ i) % 2) at[m++] = i
            for (i = 0; i < m; i++) {
                for (j = 0; j < m; j++) row[i, j] = product[at[i], at[j]]
                row[i, m] = product[at[i], terms]
            }
            for (i = 0; i < m; i++) {
                if (!(row[i, i] > 1e-12 * product[at[i], at[i]])) return 0
                for (k = 0; k < m; k++) if (k != i) {
                    by = row[k, i] / row[i, i]
                    for (j = i; j <= m; j++) row[k, j] -= by * row[i, j]
                }
            }
            for (i = 0; i < terms; i++) now[i] = 0
            for (i = 0; i < m; i++) { last = row[i, m] / row[i, i]; if (last < 0) return 0; now[at[i]] = last }
            return 1
        }
        function of(s,    sum, i) { for (i = 0; i < terms; i++) sum += now[i] * x[s, i]; return sum - 1 }
        BEGIN { terms = split(columns, which, " ") + 1; n = 0 }
        { x[n, 0] = 1 / $1; for (i = 1; i < terms; i++) x[n, i] = $(which[i]) / $1; x[n++, terms] = 1 }
        END {
            for (s = 0; s < n; s++) for (i = 0; i < terms; i++) for (j = 0; j <= terms; j++) product[i, j] += x[s, i] * x[s, j]
            for (set = 1; set < 2 ^ terms; set++) {
                if (!solve(set)) continue
                squares = 0
                for (s = 0; s < n; s++) squares += of(s) ^ 2
                if (!some++ || squares < least) { least = squares; for (i = 0; i < terms; i++) best[i] = now[i] }
            }
            for (i = 0; i < terms; i++) now[i] = best[i]
            for (s = 0; s < n; s++) { error = of(s); if (error < 0) error = -error; if (error > most) most = error }
            printf "%d %.1f %.1f", n, 100 * sqrt(least / n), 100 * most
            for (i = 0; i < terms; i++) printf " %.6g", now[i]
            print ""
        }' "$folder/samples"
}

# with NAME COLUMNS: a row of the second table.
with() {
    name=$1
    fit "$2" >"$folder/fit"
    read -r _ error most _ <"$folder/fit"
    echo "| $device | $name | $error % | $most % |" >>"$folder/others"
}

echo '| device | levels | one rate: arc_ns | error | largest | arc_ns | entry_ns | find_ns | fixed, us | error | largest |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
: >"$folder/all"
: >"$folder/others"
for device in "$@"; do
    graphs=$on_cores least=16384 entries=2048
    case $device in
    cuda*) graphs=$on_gpus least=262144 entries=16384 ;;
    esac
    : >"$folder/samples"
    for graph in ${GRAPHS:-$graphs}; do
        "$weir" gen "$graph" --undirected -o "$folder/graph.sg" >/dev/null 2>"$folder/said" || {
            cat "$folder/said" >&2
            exit 1
        }
        # A byte, the numbers of edges and of vertices, and where each row begins.
        count=$(od -An -t d8 -j 9 -N 8 "$folder/graph.sg" | tr -d ' ')
        od -An -v -w8 -t d8 -j 17 -N $((8 * (count + 1))) "$folder/graph.sg" | awk 'NR > 1 { print $1 - last } { last = $1 }' >"$folder/degrees"
        for seed in $seeds; do
            samples "$device" "$seed" "$least" "$entries" >>"$folder/samples"
        done
    done
    if [ "$(wc -l <"$folder/samples")" -lt 4 ]; then
        echo "fit_arcs.sh: $device: fewer than 4 levels of $least arcs and $entries entries; give larger GRAPHS" >&2
        exit 1
    fi
    fit 2 >"$folder/fit"
    read -r levels error_of_one most_of_one _ one <"$folder/fit"
    fit '2 3 4' >"$folder/fit"
    read -r _ error most fixed arc entry find <"$folder/fit"
    echo "| $device | $levels | $one | $error_of_one % | $most_of_one % | $arc | $entry | $find | $(awk -v ns="$fixed" 'BEGIN { printf "%.1f", ns / 1000 }') | $error % | $most % |"
    echo "$arc $entry $find" >>"$folder/all"
    with 'arcs, entries' '2 3'
    with 'arcs, expected finds' '2 4'
    with 'all three, arcs in entries of 256' '2 3 4 6'
    with 'all three, squares of the arcs of entries' '2 3 4 7'
    with 'all three, arcs of the largest row' '2 3 4 8'
    with 'arcs, entries, finds, which nobody knows before' '2 3 5'
done
echo
echo '| device | by | error | largest |'
echo '|---|---|---|---|'
cat "$folder/others"

# One node a line, as weir topo writes them. What takes nothing is left out.
awk 'function member(name, value) { return value > 0 ? ", \"" name "\": " value : "" }
    NR == FNR { arc[NR] = $1; entry[NR] = $2; find[NR] = $3; next }
    /"devices": \[/ { on = 1; print; next }
    on && /^  \]/ { on = 0 }
    on {
        gsub(/, "(arc|entry|find)_ns": [0-9.e+-]*/, "")
        match($0, /}[,]?$/)
        node++
        $0 = substr($0, 1, RSTART - 1) member("arc_ns", arc[node]) member("entry_ns", entry[node]) member("find_ns", find[node]) substr($0, RSTART)
    }
    { print }' "$folder/all" "$file" >"$folder/new"
cat "$folder/new" >"$file"
