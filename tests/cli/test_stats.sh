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

for verb in bfs sssp; do
    expect_ok $verb rmat:7 --source 1 --devices host:3 --partition random --route direct --stats
    for row in "items produced" "items processed .*overwork [0-9]" "atoms .* for each arc" "items sent" "items spilled" \
        "items deferred" "rounds" "process, ms" "receive, ms" "order, ms" "wait, ms"; do
        lines "^  $row" 1
    done
    has "work from source 1"
    has "% of the devices' time"
    has "items, from \\ to"
    sane "$OUT"
    expect_ok $verb rmat:7 --source 1 --devices host:3 --order bulk --stats
    has "generations"
    sane "$OUT"

    # ---- a table a source, of its last run ----
    expect_ok $verb rmat:7 --sources 3 --trials 2 --devices host:2 --stats
    lines "work from source" 3
    lines ", in its last run" 3
    lines "^  items produced" 3
    expect_ok $verb rmat:7 --devices host:2
    lines "work from source" 0

    # ---- one device has no links; many have too many for a matrix ----
    expect_ok $verb rmat:7 --source 1 --devices host:1 --stats
    lines "from .. to" 0
    lines "links carried" 0
    expect_ok $verb rmat:7 --source 1 --devices host:8 --partition random --route direct --stats
    has "from \\ to"
    expect_ok $verb rmat:7 --source 1 --devices host:9 --partition random --route direct --stats
    lines "from .. to" 0
    has " links carried items; the busiest of them:"
    lines "^    host:[0-8] to host:[0-8] .* items$" 8
    expect_ok $verb rmat:7 --source 1 --devices host:9 --route ring --stats
    has " links carried items"

    # ---- a lone vertex: nothing to divide by ----
    printf '0 1\n3 0\n' >few.el
    expect_ok $verb few.el --source 1 --devices host:2 --stats
    has "overwork 1.000"
    has "- for each arc of a vertex reached"
    sane "$OUT"

    # ---- standard output is a document or a result: the table is beside it ----
    run $verb few.el --source 0 --devices host:1 -o - --stats
    if [ "$RC" -eq 0 ] && grep -q "work from source 0" "$ERR" && [ "$(wc -l <"$OUT")" -eq 4 ]; then
        pass
    else
        fail "the table should be on standard error"
        show
    fi
    run $verb few.el --source 0 --devices host:1 --json - --stats
    if [ "$RC" -eq 0 ] && grep -q "work from source 0" "$ERR" && [ "$(head -c 1 "$OUT")" = "{" ]; then
        pass
    else
        fail "the table should be on standard error"
        show
    fi
done
finish
