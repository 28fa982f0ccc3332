#!/bin/sh
# Writes graphs with vertices of a great many arcs, as edge lists: a star, an in-star, and two hubs that share all
# their neighbours, both ways. What holds only for usual degrees breaks on them.
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
printf '%s\n' "$folder/star.el" "$folder/instar.el" "$folder/hubs.el"
