#!/bin/sh
# Every collective by every way against `auto`: weir bench collectives, on machines in virtual time or on devices.
#
#     scripts/sweep_collectives.sh [-b BYTES] [-p PERCENT] [MACHINE...]
#     scripts/sweep_collectives.sh [-b BYTES] [-p PERCENT] --devices SPEC
#
# Prints a Markdown table for each machine: by call and message size the time of a call of `auto`'s in microseconds and the way
# that was fastest, and behind it the cells in which `auto` is more than PERCENT (5) behind. Exit status: 0 there is none; 1 there
# is one, or a benchmark failed; 2 bad usage. Default: 64MiB, and the machines that ship. WEIR names the program.
set -eu

weir=${WEIR:-build/weir} bytes=64MiB percent=5 devices=
usage() {
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
        -b) [ $# -ge 2 ] || usage; bytes=$2; shift 2 ;;
        -p) [ $# -ge 2 ] || usage; percent=$2; shift 2 ;;
        --devices) [ $# -eq 2 ] || usage; devices=$2; shift 2 ;;
        -*) usage ;;
        *) break ;;
    esac
done
[ -z "$devices" ] || [ $# -eq 0 ] || usage
[ -n "$devices" ] || [ $# -gt 0 ] || set -- m60 dgx1v nvswitch8 hetero2 pcie4-nopeer
csv=$(mktemp)
trap 'rm -f "$csv"' EXIT

# The bus bandwidth is bytes over time, times a factor of the call and of how many devices there are.
table() {
    awk -F, -v percent="$percent" -v n="$1" -v name="$2" '
        function size(x) {
            return x >= 1048576 ? x / 1048576 " MiB" : x / 1024 " KiB"
        }
        function factor(call) {
            if (call == "all-reduce") return 2 * (n - 1) / n
            return call == "broadcast" || call == "reduce" ? 1 : (n - 1) / n
        }
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "verified") last = i; next }
        {
            # The title has commas, and so has the series: columns are counted from the end.
            for (i = 1; i <= NF; i++) gsub(/"/, "", $i)
            call = $(NF - 9); way = $(NF - 8); x = $(NF - 5); gbs = $(NF - 4)
            sub(/^ /, "", way)
            if ($NF != "yes") wrong = wrong "  " call ", " way ", " x ": not verified\n"
            if (!(call in seen)) { calls[++count] = call; seen[call] = 1 }
            if (!(x in known)) { sizes[++width] = x; known[x] = 1 }
            if (way == "auto") { auto[call, x] = gbs; next }
            if (gbs > best[call, x]) { best[call, x] = gbs; by[call, x] = way }
        }
        END {
            printf "\n**%s**, %d devices, microseconds of a call by `auto` (the fastest way)\n\n| call |", name, n
            for (s = 1; s <= width; s++) printf " %s |", size(sizes[s])
            printf "\n|---|"
            for (s = 1; s <= width; s++) printf "---|"
            printf "\n"
            for (c = 1; c <= count; c++) {
                printf "| %s |", calls[c]
                for (s = 1; s <= width; s++) {
                    call = calls[c]; x = sizes[s]
                    printf " %.4g (%s) |", factor(call) * x / auto[call, x] / 1e3, by[call, x]
                    behind = 100 * (best[call, x] / auto[call, x] - 1)
                    if (behind > percent)
                        wrong = wrong sprintf("  %s of %s: %.1f %% behind %s\n", call, size(x), behind, by[call, x])
                }
                printf "\n"
            }
            if (!count || wrong) { printf "\n%s", count ? wrong : "  nothing was measured\n"; exit 1 }
        }' "$csv"
}

# @param what follows the name: how weir is told of it
run() {
    name=$1
    shift
    "$weir" bench collectives "$@" --bytes "$bytes" --format csv -o "$csv" || return 1
    count=$("$weir" topo "$@" --format json | grep -c '"label": "\(gpu\|host\)[0-9]*"' || true)
    table "$count" "$name"
}

status=0
if [ -n "$devices" ]; then
    run "$devices" --devices "$devices" || status=1
else
    for machine in "$@"; do
        run "$machine" --machine "$machine" || status=1
    done
fi
exit $status
