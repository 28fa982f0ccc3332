#!/bin/sh
# The width of a step of soft order: what a run finds by itself against the best of a sweep of fixed ones.
#
#   scripts/sweep_width.sh GRAPH[@OPTIONS]... -- DEVICES...
#       for each graph and set of devices: shortest paths by push with the width left to weir, then with each of WIDTHS; a
#       table in Markdown of the width, the median ms and the arcs looked at for each arc of both, and the ratio of the
#       times. A fixed width is run no further than two widths behind one that took SLOW times the best so far.
#       OPTIONS are of weir, with commas for blanks: rmat:16@--undirected
#
# The run with the width left to weir is verified in full. Environment: BUILD (build), VERB (sssp), WIDTHS (powers of two from 8 to
# 131072), TRIALS (5), LIMIT (seconds of a run; 60), SLOW (1.5).
set -eu
# shellcheck source=scripts/document.sh
. "$(dirname "$0")/document.sh"
# shellcheck source=scripts/sweep.sh
. "$(dirname "$0")/sweep.sh"
weir=${BUILD:-build}/weir
of=${VERB:-sssp} trials=${TRIALS:-5} limit=${LIMIT:-60} slow_at=${SLOW:-1.5}
widths=${WIDTHS:-8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072}

usage() {
    echo 'usage: scripts/sweep_width.sh GRAPH[@OPTIONS]... -- DEVICES...' >&2
    exit 2
}

# said KEY SECTION: what the document says there.
said() { member "$1" "$2" "$json"; }

# seen: arcs looked at for each arc of a vertex reached, in the first trial.
seen() {
    awk -v a="$(said atoms trials)" -v b="$(said arcs_reached trials)" 'BEGIN { printf "%.2f", b ? a / b : 0 }'
}

# less A B: whether A < B.
less() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

# row GRAPH DEVICES OPTIONS...
row() {
    name=${1##*/} spec=$2 best='' best_width='' best_seen='' slow=0
    run "$of" "$@" --order soft --verify || return 0
    own=$(said median_kernel_ms summary) own_width=$(said delta choices) own_seen=$(seen)
    for width in $widths; do
        run "$of" "$@" --order "soft:$width" || continue
        ms=$(said median_kernel_ms summary)
        if [ -z "$best" ] || less "$ms" "$best"; then
            best=$ms best_width=$width best_seen=$(seen) slow=0
        elif less "$(awk -v b="$best" -v l="$slow_at" 'BEGIN { print b * l }')" "$ms"; then
            slow=$((slow + 1))
        fi
        [ "$slow" -lt 2 ] || break
    done
    [ -n "$best" ] || return 0
    printf '| %s | %s | %s | %.3g | %s | %s | %.3g | %s | %.2f |\n' "$name" "$spec" "$own_width" "$own" "$own_seen" \
        "$best_width" "$best" "$best_seen" "$(awk -v a="$own" -v b="$best" 'BEGIN { print a / b }')"
}

[ $# -gt 0 ] || usage
echo '| graph | devices | width found | ms | arcs for each arc | best width | ms | arcs for each arc | found / best |'
echo '|---|---|---|---|---|---|---|---|---|'
for_each row "$@"
[ "$failed" -eq 0 ]
