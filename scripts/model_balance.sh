#!/bin/sh
# What --balance would save on a machine of up to 8 devices, reckoned from the levels of a search: the shape of Figure 10 of GUM, and what other
# numbers of devices than one and all could win. docs/stealing.md, "Reckoned".
#
#   scripts/model_balance.sh GRAPH...    files or generators, searched along edges in both directions
#
# The vertices are cut in 8 blocks of equal numbers, which 4, 2 and 1 devices have two, four and eight of. A level of m devices takes z + p * m (z of one) and what the
# one with the most arcs takes; frontier: all arcs in equal shares, those of others over links, and two barriers more, if that is less; ownership: by one
# device, if that is less; both: whichever is least; any: of 1, 2, 4 and 8 devices too, GUM's choice. Milliseconds of the whole search, and levels that one device would do.
# Environment: BUILD (build), SOURCE (0), ARC_NS (0.5: an arc, of a V100), FAR_NS (0.2: 5 bytes at 25 GB/s), LEVEL_US (z, 4), BARRIER_US (p, 3).
# Exit status: 0; 1 if a search fails; 2 bad usage.
set -eu
weir=${BUILD:-build}/weir
[ $# -gt 0 ] || { sed -n '5p' "$0" | sed 's/^# *//' >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo '| graph | devices | off | frontier | ownership | both | any | levels by one, of |'
echo '|---|---|---|---|---|---|---|---|'
for graph in "$@"; do
    case $graph in
    *:*) "$weir" gen "$graph" --undirected -o "$folder/graph.el" >"$folder/text" || exit 1 ;;
    *) "$weir" convert "$graph" "$folder/graph.el" --undirected >"$folder/text" || exit 1 ;;
    esac
    "$weir" bfs "$folder/graph.el" --undirected --source "${SOURCE:-0}" --output "$folder/levels" >"$folder/text" || exit 1
    awk -v graph="$graph" -v arc="${ARC_NS:-0.5}" -v far="${FAR_NS:-0.2}" -v z="${LEVEL_US:-4}" -v p="${BARRIER_US:-3}" '
        function least(a, b) { return a < b ? a : b }
        FNR == NR { level[FNR - 1] = $1; if ($1 > last) last = $1; vertices = FNR; next }
        /^[#%]/ { next }
        level[$1] >= 0 { arcs[level[$1], int($1 * 8 / vertices)]++ }
        # Microseconds of a level where m devices take part; shared: in equal shares. Behind it `all` is the arcs of the level.
        function takes(l, m, shared,    d, b, its, most, moved) {
            all = most = moved = 0
            for (b = 0; b < 8; b++) all += arcs[l, b]
            for (d = 0; d < m; d++) {
                its = 0
                for (b = d * 8 / m; b < (d + 1) * 8 / m; b++) its += arcs[l, b]
                if (its > most) most = its
                if (its > all / m) moved += its - all / m
            }
            return z + (m > 1 ? p * m : 0) + (shared ? 2 * p * m + (all * arc + moved * far) / m / 1000 : most * arc / 1000)
        }
        END {
            for (m = 1; m <= 8; m *= 2) {
                off = frontier = ownership = both = any = alone = 0
                for (l = 0; l <= last; l++) {
                    one = takes(l, 1, 0)
                    as_is = takes(l, m, 0)
                    shared = m > 1 ? least(as_is, takes(l, m, 1)) : as_is
                    best = least(one, shared)
                    for (k = 2; k < m; k *= 2) best = least(best, least(takes(l, k, 0), takes(l, k, 1)))
                    off += as_is; frontier += shared; ownership += least(one, as_is); both += least(one, shared); any += best
                    alone += one < shared
                }
                printf "| `%s` | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %d of %d |\n", graph, m, off / 1000, frontier / 1000, ownership / 1000, both / 1000, any / 1000, alone, last + 1
            }
        }' "$folder/levels" "$folder/graph.el"
done
