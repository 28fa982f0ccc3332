# shellcheck shell=sh
# For scripts that run weir over graphs and devices and read its documents; sourced, not run. They set weir (the program), trials
# and limit (seconds of a run), and begin a table.

json=$(mktemp) errors=$(mktemp)
trap 'rm -f "$json" "$errors"' EXIT
failed=0

# run VERB GRAPH DEVICES OPTIONS...: push; its document in the file json. What fails is told and counted.
run() {
    verb=$1 graph=$2 devices=$3
    shift 3
    # shellcheck disable=SC2154 # by those who source this
    if "$weir" "$verb" "$graph" --devices "$devices" --direction push --trials "$trials" --time-limit "$limit" \
        --json "$json" "$@" >/dev/null 2>"$errors"; then
        return 0
    fi
    echo "$verb $graph --devices $devices $*: $(tail -n 1 "$errors")" >&2
    failed=$((failed + 1))
    return 1
}

# for_each FUNCTION GRAPH[@OPTIONS]... -- DEVICES...: FUNCTION GRAPH DEVICES OPTIONS... for each of them; what is missing ends
# the script by its usage().
for_each() {
    each=$1 graphs=
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        graphs="$graphs $1"
        shift
    done
    if [ -z "$graphs" ] || [ $# -lt 2 ]; then
        usage
    fi
    shift
    for one in $graphs; do
        one_options=
        [ "${one%%@*}" = "$one" ] || one_options=$(printf '%s' "${one#*@}" | tr , ' ')
        for one_spec in "$@"; do
            # shellcheck disable=SC2086 # several options each
            "$each" "${one%%@*}" "$one_spec" $one_options
        done
    done
}
