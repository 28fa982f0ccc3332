#!/bin/sh
# C code in the documentation compiles. Checked are blocks of ```c right under a line <!-- compile -->, each
# by itself, with warnings as errors. Messages name the line of the page.
#
#   scripts/check_snippets.sh PAGE...
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || { echo 'check_snippets: name at least one page' >&2 && exit 2; }
failed=0 passed=0
for page; do
    rm -f "$work"/*.c
    awk -v page="$page" -v out="$work" '
        /^```/ && file { close(file); file = ""; next }
        /^```c$/ && marked { file = sprintf("%s/%05d.c", out, NR); print "#line " NR + 1 " \"" page "\"" >file; next }
        file { print >file }
        { marked = /^<!-- compile -->$/ }' "$page"
    for block in "$work"/*.c; do
        [ -f "$block" ] || { echo "check_snippets: $page has no block to compile" >&2 && exit 1; }
        if ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Wno-unused-function -Werror -I. -fsyntax-only "$block"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
