#!/bin/sh
# Writes graphs with vertices of a great many arcs, as edge lists: a star, an in-star, two hubs that share all
# their neighbours, both ways, and a chain to a hub whose neighbours lead to fewer vertices: a search of it is narrow first and
# wide later. What holds only for usual degrees breaks on them.
#
#   scripts/make_hubs.sh FOLDER [LEAVES]     LEAVES of a star; 2100000 (the hubs have a quarter)
#
# Prints the names of the files.
set -eu
folder=${1:?usage: scripts/make_hubs.sh FOLDER [LEAVES]} leaves=${2:-2100000}
case $leaves in '' | *[!0-9]*) echo 'usage: scripts/make_hubs.sh FOLDER [LEAVES]' >&2 && exit 2 ;; esac
seq "$leaves" | sed 's/^/0 /' >"$folder/star.el"
seq "$leaves" | sed 's/$/ 0/' >"$folder/instar.el"
seq 2 $((leaves / 4 + 1)) | awk '{ print 0, $1; print 1, $1; print $1, 0; print $1, 1 }' >"$folder/hubs.el"
chain=$((leaves / 8 + 1))
[ "$chain" -le 500 ] || chain=500 # each of its vertices is a level
awk -v chain="$chain" -v leaves=$((leaves / 8 + 1)) 'BEGIN {
    for (v = 0; v < chain; v++) print v, v + 1
    for (i = 1; i <= leaves; i++) { print chain, chain + i; for (j = 0; j < 2; j++) print chain + i, chain + leaves + 1 + (2 * i + j) % (int(leaves / 2) + 1) }
}' >"$folder/tail.el"
printf '%s\n' "$folder/star.el" "$folder/instar.el" "$folder/hubs.el" "$folder/tail.el"
