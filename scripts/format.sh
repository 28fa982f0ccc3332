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

# Many files a process, as many processes as cores. What a check finds is told once a file.
jobs=$(nproc 2>/dev/null || echo 1)
some() { sources | while read -r file; do [ ! -f "$file" ] || echo "$file"; done | xargs -n 32 -P "$jobs" "$@"; }
if [ "$mode" = write ]; then
    some "$tool" -i
    exit
fi
bad=$(some "$tool" --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: .*/\1/p' | sort -u)
[ -n "$bad" ] || exit 0
echo "$bad" | sed 's/$/ is not formatted; run make format/'
exit 1
