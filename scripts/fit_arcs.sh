#!/bin/sh
# What looking along an arc takes each device: found from searches that go down in every level, put into the file of a machine as arc_ns, by
# which --balance frontier shares levels out.
#
#   weir topo --measure --devices SPEC --format json -o FILE
#   scripts/fit_arcs.sh FILE DEVICE...     one device spec for each device of the file, in its order: host:1 host:1, or cuda:0 cuda:1
#   WEIR_MACHINE=FILE weir bfs ... --balance frontier
#
# Runs of several sizes are fitted by ms = fixed + arc_ns * arcs, least squares of the relative error: each counts alike. Printed in
# Markdown: both, and the error, the mean and the largest of |fitted - measured| / measured.
# Environment: BUILD (build), GRAPHS (rmat:16 rmat:17 rmat:18 uniform:17, a blank between; on GPUs rmat:20 to rmat:23), SOURCES (4), TRIALS (5).
set -eu
if [ $# -lt 2 ]; then
    echo "usage: scripts/fit_arcs.sh FILE DEVICE..." >&2
    exit 2
fi
weir=${BUILD:-build}/weir
graphs=${GRAPHS:-rmat:16 rmat:17 rmat:18 uniform:17} sources=${SOURCES:-4} trials=${TRIALS:-5}
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

echo '| device | runs | arc_ns | fixed, ms | mean error | largest error |'
echo '|---|---|---|---|---|---|'
: >"$folder/all"
for device in "$@"; do
    : >"$folder/runs"
    for graph in $graphs; do
        "$weir" bfs "$graph" --undirected --devices "$device" --direction down --sources "$sources" --trials "$trials" \
            --json "$folder/json" >/dev/null
        # Of each run: milliseconds of its kernels, and arcs that it looked at. The fastest of a source's runs counts, which others on the machine held up least.
        tr -d ' \n' <"$folder/json" | sed 's/.*"trials":\[//; s/"summary".*//' | grep -o '"source":[0-9]*,\|"kernel_ms":[0-9.e+-]*\|"atoms":[0-9]*' |
            sed 's/"//g; s/,$//' | awk -F: '$1 == "source" { s = $2 } $1 == "kernel_ms" { ms = $2 } $1 == "atoms" { print s, $2, ms }' |
            sort -k 1,1n -k 3,3g | awk '$1 != last { print $2, $3; last = $1 }' \
            >>"$folder/runs"
    done
    # Weights of 1 / ms^2: the sum of ((fixed + arc * x) / y - 1)^2 is least. Nothing takes less than no time.
    awk '$1 > 0 { x[n] = $1; y[n++] = $2 }
        END {
            for (i = 0; i < n; i++) {
                w = 1 / (y[i] * y[i])
                s += w; sx += w * x[i]; sy += w * y[i]; sxx += w * x[i] * x[i]; sxy += w * x[i] * y[i]
            }
            det = s * sxx - sx * sx
            arc = n > 1 && det > 0 ? (s * sxy - sx * sy) / det : 0
            fixed = s ? (sy - arc * sx) / s : 0
            if (fixed < 0 || arc <= 0) { fixed = 0; arc = sxx ? sxy / sxx : 0 }
            for (i = 0; i < n; i++) {
                error = (fixed + arc * x[i]) / y[i] - 1
                if (error < 0) error = -error
                mean += error / n
                if (error > most) most = error
            }
            printf "%d %.6g %.6g %.1f %.1f\n", n, arc * 1e6, fixed, 100 * mean, 100 * most
        }' "$folder/runs" >"$folder/fit"
    read -r runs arc fixed mean most <"$folder/fit"
    echo "| $device | $runs | $arc | $fixed | $mean % | $most % |"
    echo "$arc" >>"$folder/all"
done

# One node a line, as weir topo writes them.
awk 'NR == FNR { arc[NR] = $1; next }
    /"devices": \[/ { on = 1; print; next }
    on && /^  \]/ { on = 0 }
    on {
        sub(/, "arc_ns": [0-9.e+-]*/, "")
        match($0, /}[,]?$/)
        $0 = substr($0, 1, RSTART - 1) ", \"arc_ns\": " arc[++node] substr($0, RSTART)
    }
    { print }' "$folder/all" "$file" >"$folder/new"
cat "$folder/new" >"$file"
