#!/bin/sh
# C code in the documentation compiles. Checked are blocks of ```c right under a line <!-- compile -->, each
# by itself, with warnings as errors. Blocks under a line <!-- from FILE --> must stand in that file, which is
# compiled elsewhere, line by line. Messages name the line of the page.
#
#   scripts/check_snippets.sh PAGE...
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/include"
ln -s "$PWD" "$work/include/weir" # as in a build, where programs write <weir/...>
[ $# -gt 0 ] || { echo 'check_snippets: name at least one page' >&2 && exit 2; }
failed=0 passed=0
for page; do
    rm -f "$work"/*.c "$work"/*.from
    awk -v page="$page" -v out="$work" '
        /^```/ && file { close(file); file = ""; next }
        /^```c$/ && marked { file = sprintf("%s/%05d.c", out, NR); print "#line " NR + 1 " \"" page "\"" >file; next }
        /^```c$/ && source { file = sprintf("%s/%05d.from", out, NR); print source >file; next }
        file { print >file }
        { marked = /^<!-- compile -->$/; source = /^<!-- from .* -->$/ ? $3 : "" }' "$page"
    for block in "$work"/*.from; do
        [ -f "$block" ] || continue
        source=$(head -n 1 "$block")
        if awk -v block="$block" '
            BEGIN { getline line <block; while ((getline line <block) > 0) want = want "\n" line }
            { have = have "\n" $0 }
            END { exit index(have "\n", want "\n") == 0 }' "$source"; then
            passed=$((passed + 1))
        else
            echo "$page:$(basename "$block" .from | sed 's/^0*//'): this is not in $source as it stands here" >&2
            failed=$((failed + 1))
        fi
    done
    [ -n "$(find "$work" -maxdepth 1 -name '*.c' -o -name '*.from')" ] ||
        { echo "check_snippets: $page has no block to check" >&2 && exit 1; }
    for block in "$work"/*.c; do
        [ -f "$block" ] || continue
        if ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wno-unused-function -Werror -I. -I"$work/include" -fsyntax-only "$block"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
