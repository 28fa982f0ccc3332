#!/bin/sh
# Colourings in step and through the worklist: times, colours, and work, as in Table 4 of Atos. A table in Markdown.
#
#   scripts/bench_color.sh [DEVICES...]    device specs; host:1x4 when none is given. On GPUs: cuda:0 cuda:0-1
#
# For each graph, spec and form: the median of the kernels' milliseconds; colours, and those of a serial greedy colouring; colours that were
# taken, beside the vertices (the paper's workload ratio; vertices without arcs take none); arcs that were looked at, beside those of the
# graph; time and work once more with an order that is drawn. Each result is verified. Through the worklist a colour that is taken is two
# items, one to take and one to check; on several devices there are more, to tell them.
# Environment: BUILD (build), GRAPHS (rmat:16 grid:500x500, a blank between), TRIALS (5).
set -eu
# shellcheck source=scripts/document.sh
. "$(dirname "$0")/document.sh"
weir=${BUILD:-build}/weir
graphs=${GRAPHS:-rmat:16 grid:500x500} trials=${TRIALS:-5}
[ $# -gt 0 ] || set -- host:1x4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
json=$folder/json

# last MEMBER: of the last trial.
last() {
    tr -d ' \n' <"$json" | grep -o "\"$1\":[0-9.e+-]*" | tail -n 1 | sed 's/.*://'
}

# The median of the kernels' times; the first is that of the cold run.
kernel_ms() {
    tr -d ' \n' <"$json" | sed 's/.*"trials":\[//; s/"summary".*//' | grep -o '"kernel_ms":[0-9.e+-]*' | sed 's/.*://' |
        sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# color OPTIONS...: "MS COLORS GREEDY PROCESSED ATOMS"
color() {
    if ! "$weir" color "$graph" --undirected --devices "$devices" --trials "$trials" --verify --verify-by reference --json "$json" "$@" >/dev/null; then
        echo "bench_color.sh: $graph on $devices $* is wrong" >&2
        exit 1
    fi
    echo "$(kernel_ms) $(last colors) $(last greedy_colors) $(last processed) $(last atoms)"
}

echo '| graph | devices | form | ms | colours | greedy | work | looks by arcs | permuted: ms | work |'
echo '|---|---|---|---|---|---|---|---|---|---|'
for graph in $graphs; do
    for devices in "$@"; do
        for form in pull push live soft bulk discrete; do
            case $form in
            pull | push) way="--direction $form" ;;
            live | discrete) way="--kernel $form" ;;
            *) way="--order $form" ;;
            esac
            # shellcheck disable=SC2086 # an option and its value
            plain=$(color $way)
            # shellcheck disable=SC2086
            drawn=$(color $way --permute 1)
            echo "$plain $drawn" | awk -v graph="$graph" -v devices="$devices" -v form="$form" -v n="$(member vertices graph "$json")" \
                -v arcs="$(member arcs graph "$json")" '{
                    half = form == "pull" ? 1 : 2
                    printf "| %s | %s | %s | %.3f | %d | %d | %.3f | %.3f | %.3f | %.3f |\n", graph, devices,
                        form == "pull" ? "in step" : form == "push" ? "worklist" : "worklist, " form,
                        $1, $2, $3, $4 / half / n, $5 / arcs, $6, $9 / half / n
                }'
        done
    done
done
