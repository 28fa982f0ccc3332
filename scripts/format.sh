#!/bin/sh
# clang-format over all sources: "write" changes them, "check" names those that would change.
# Versions format differently, so a check by another major version than 14 says nothing.
set -eu
mode=${1:-check}
case $mode in write | check) ;; *) echo 'usage: scripts/format.sh write|check' >&2 && exit 2 ;; esac
tool=
for candidate in clang-format-14 clang-format; do
    [ -z "$tool" ] && command -v "$candidate" >/dev/null 2>&1 && tool=$candidate
done
if [ -z "$tool" ]; then
    echo "$mode-format: clang-format is not installed (package clang-format)"
    [ "$mode" = check ] && exit 0 || exit 1
fi
major=$("$tool" --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$mode" = check ] && [ "$major" != 14 ]; then
    echo "check-format: this is clang-format $major, the sources are formatted with 14; not checked"
    exit 0
fi

sources() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cu' '*.cuh'
    else
        find runtime topology router worklist algorithms examples tests \
            \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \)
    fi | sort -u
}

bad=0
for file in $(sources); do
    [ -f "$file" ] || continue # deleted, but not yet in git
    if [ "$mode" = write ]; then
        "$tool" -i "$file"
    elif ! "$tool" "$file" | cmp -s - "$file"; then
        echo "$file is not formatted; run make format"
        bad=1
    fi
done
exit "$bad"
