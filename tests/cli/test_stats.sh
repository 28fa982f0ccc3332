#!/bin/sh
# --stats: a table for each source of what the devices did, where people or their scripts see it.
. "$(dirname "$0")/common.sh"

# lines PATTERN WANT: so many lines of the last stdout match it.
lines() {
    got=$(grep -c -e "$1" "$OUT")
    if [ "$got" -eq "$2" ]; then
        pass
    else
        fail "$LAST: $2 lines should match \"$1\", not $got"
    fi
}

sane() {
    if grep -qiE -e '-?nan|inf|(^|[ (])-[0-9]' "$1"; then
        fail "$LAST: a figure that is none"
        grep -iE -e '-?nan|inf|(^|[ (])-[0-9]' "$1" | head -3
    else
        pass
    fi
}

# four: the lines that explain a run, as often as there are tables of runs.
four() {
    lines "^  items processed  *[0-9]* .* for each vertex reached, of which there are [0-9]*$" "$1"
    lines "^  atoms (arcs seen)  *[0-9]* .* for each arc of a vertex reached, of which there are [0-9]*" "$1"
    lines "^  bytes moved  *\([0-9]* .* GB/s, .* of each device's memory\|- .* are not counted\)$" "$1"
    lines "^  time, ms  *[0-9.]*   " "$1"
    lines "^  devices  *[0-9]*   of [0-9]*" "$1"
}

# ---- every verb, every direction ----
for verb in bfs sssp pr cc color; do
    for devices in host:1 host:3; do
        for direction in auto push pull switch; do
            case $verb$direction in prswitch | sssppull | ccpush | ccpull | ccswitch | colorpush | colorpull | colorswitch) continue ;; esac
            from="--source 1 --direction $direction"
            [ $verb != pr ] || from="--direction $direction"
            case $verb in cc | color) from= ;; esac
            # shellcheck disable=SC2086 # words
            expect_ok $verb rmat:7 --devices $devices --stats $from
            four 1
            has "of ${devices#host:}"
            sane "$OUT"
            case $verb$direction in
            *push) has "process " && has "items produced" && has "bytes sent" ;;
            bfsauto | bfspull | bfsswitch) has " levels of " && has "bytes sent" ;;
            prauto | prpull) has " iterations of " && has "bytes sent" ;;
            sssppull | ssspswitch | cc* | color*) has " steps of " && has "bytes sent" ;;
            esac
        done
    done
    expect_ok $verb rmat:7 --trials 2 --devices host:2 --stats
    four 1
    lines "^work.*, in its last run" 1
    sane "$OUT"
done

# ---- bands: of a graph that is gone over at random, in a cache of a quarter of its ranks ----
export WEIR_CACHE_BYTES=16KiB
expect_ok pr uniform:14 --devices host:2 --direction pull --stats
lines "^  bands of ranks  *13$" 1
expect_ok pr uniform:14 --devices host:2 --direction pull --bands 3 --stats --verify
lines "^  bands of ranks  *3$" 1
lines "^  epochs" 0
expect_ok pr uniform:14 --devices host:2 --direction push --tolerance 1e-3 --stats
lines "bands of ranks" 0
lines "^  epochs  *[2-9]$" 1
export WEIR_CACHE_BYTES=1TiB
expect_ok pr uniform:14 --devices host:2 --direction pull --stats
lines "^  bands of ranks  *1$" 1
unset WEIR_CACHE_BYTES
lines "hubs kept" 0
expect_ok pr rmat:10 --devices host:2 --direction pull --hubs 50 --stats --verify
lines "^  hubs kept  *50$" 1
lines "bins of rows" 0
expect_ok pr rmat:10 --devices host:2 --direction pull --bins 8 --stats --verify
lines "^  bins of rows  *1[6-9]$" 1
lines ": spread [0-9.]* ms" 1

# ---- the worklist in detail ----
for verb in bfs sssp; do
    push="--direction push"
    # shellcheck disable=SC2086 # words, here and below
    expect_ok $verb rmat:7 --source 52 --devices host:3 --partition random --route direct $push --stats
    for row in "items produced" "items processed .* for each vertex reached" "atoms .* for each arc" "items sent" "items spilled" \
        "items deferred" "rounds" "narrow rounds" "items woven" "paced rounds" "process, ms" "receive, ms" "order, ms" "wait, ms"; do
        lines "^  $row" 1
    done
    has "work from source 52"
    has "process "
    has "items, from \\ to"
    sane "$OUT"
    expect_ok $verb rmat:7 --devices host:3 --order bulk --stats
    has "generations"
    sane "$OUT"

    # ---- a table a source, of its last run ----
    # shellcheck disable=SC2086
    expect_ok $verb rmat:7 $push --sources 3 --trials 2 --devices host:2 --stats
    lines "work from source" 3
    lines ", in its last run" 3
    lines "^  items produced" 3
    expect_ok $verb rmat:7 $push --devices host:2
    lines "work from source" 0

    # ---- one device has no links; many have too many for a matrix ----
    expect_ok $verb rmat:7 $push --devices host:1 --stats
    lines "from .. to" 0
    lines "links carried" 0
    expect_ok $verb rmat:7 $push --devices host:8 --partition random --route direct --stats
    has "from \\ to"
    expect_ok $verb rmat:7 $push --devices host:9 --partition random --route direct --stats
    lines "from .. to" 0
    has " links carried items; the busiest of them:"
    lines "^    host:[0-8] to host:[0-8] .* items$" 8
    expect_ok $verb rmat:7 $push --devices host:9 --route ring --stats
    has " links carried items"

    # ---- a lone vertex: nothing to divide by ----
    printf '0 1\n3 0\n' >few.el
    expect_ok $verb few.el $push --source 1 --devices host:2 --stats
    has "1.000 for each vertex reached, of which there are 1"
    has "- for each arc of a vertex reached"
    sane "$OUT"

    # ---- standard output is a document or a result: the table is beside it ----
    run $verb few.el $push --source 0 --devices host:1 -o - --stats
    if [ "$RC" -eq 0 ] && grep -q "work from source 0" "$ERR" && [ "$(wc -l <"$OUT")" -eq 4 ]; then
        pass
    else
        fail "the table should be on standard error"
        show
    fi
    run $verb few.el $push --source 0 --devices host:1 --json - --stats
    if [ "$RC" -eq 0 ] && grep -q "work from source 0" "$ERR" && [ "$(head -c 1 "$OUT")" = "{" ]; then
        pass
    else
        fail "the table should be on standard error"
        show
    fi
done
# ---- levels that are shared out ----
expect_ok bfs star:3000 --undirected --source 0 --devices host:3 --direction down --balance frontier --stats
four 1
sane "$OUT"
lines "^  levels shared out  *[0-9]*   stall [0-9.]* % as arcs lie, [0-9.]* % as they were shared out$" 1
lines "^  arcs for others  *[0-9]*   for which [0-9]* bytes were read of their memory$" 1
lines '^  arcs, of \\ by *host:0 *host:1 *host:2$' 1
export WEIR_STEAL_ARCS=1000 WEIR_STEAL_HUBS=100 WEIR_STEAL_HUBS_PERCENT=200
expect_ok bfs star:3000 --undirected --source 0 --devices host:3 --direction down --balance frontier --stats
lines "^  arcs for others  *[1-9][0-9]*   for which [0-9]* bytes were read of their memory, and [1-9][0-9]* arcs from copies$" 1
unset WEIR_STEAL_ARCS WEIR_STEAL_HUBS WEIR_STEAL_HUBS_PERCENT
expect_ok sssp star:3000 --undirected --source 0 --devices host:3 --direction switch --balance frontier --stats
four 1
sane "$OUT"
lines "^  steps shared out  *[0-9]*   stall [0-9.]* % as arcs lie, [0-9.]* % as they were shared out$" 1
lines "^  arcs for others  *[0-9]*   for which [0-9]* bytes were read of their memory$" 1
lines '^  arcs, of \\ by *host:0 *host:1 *host:2$' 1
expect_ok pr star:3000 --devices host:3 --partition block --balance frontier --stats
four 1
sane "$OUT"
lines "^choices  direction push, .*, balance frontier, " 1
lines "^  iterations shared out  *0   stall [0-9.]* % as arcs lie, [0-9.]* % as they were shared out$" 1
lines '^  arcs, of \\ by *host:0 *host:1 *host:2$' 1
export WEIR_STEAL_ARCS=1
expect_ok pr star:3000 --devices host:3 --partition block --balance frontier --stats --verify
lines "^  iterations shared out  *[1-9][0-9]*   stall [0-9.]* % as arcs lie, [0-9.]* % as they were shared out$" 1
lines "^  arcs for others  *[1-9][0-9]*   for which [1-9][0-9]* bytes were read of their memory$" 1
unset WEIR_STEAL_ARCS
expect_ok pr star:3000 --devices host:3 --partition block --direction push --stats
lines "iterations shared out" 0
# ---- levels that one device does ----
expect_ok bfs chain:3000 --source 0 --devices host:3 --partition block --direction down --balance ownership --stats
four 1
sane "$OUT"
lines "^  levels by one device  *299[0-9]   by host:0, of [0-9]* entries at the most; ownership moved 1 times$" 1
lines "^  arcs in those  *59[0-9]*   for which [0-9]* bytes went to it and back$" 1
lines "^  ns of all together  *[0-9]*   that a narrow level of all devices takes beside its work$" 1
lines "levels shared out" 0
expect_ok bfs star:3000 --source 0 --devices host:3 --direction down --stats
lines "levels by one device" 0
lines "levels shared out" 0
for verb in bfs sssp; do
    expect_ok $verb chain:300 --source 0 --devices host:3 --partition block --direction push --balance ownership --stats
    lines "^  arcs by one device  *[0-9]*   by host:0, from which [0-9]* bytes went to those that own vertices$" 1
    lines "^  bytes moved .*least: \([0-9.]*\) GB/s, \1 of each device's memory$" 1
    lines "^choices .*, balance ownership" 1
    expect_ok $verb chain:300 --source 0 --devices host:3 --partition block --direction push --stats
    lines "arcs by one device" 0
done
# What was picked, also where it is not what was asked for: levels of short rows with direction switch are eager ones in place of that.
for asked in ownership frontier; do
    expect_ok bfs chain:300 --devices host:2 --partition edge --balance $asked
    case $asked in
    ownership) lines "^choices .*, balance ownership" 1 ;;
    frontier) lines "^choices .*, balance off" 1 ;;
    esac
done

finish
