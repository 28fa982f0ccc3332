#!/bin/sh
# Section 14 of docs/operators.md against runtime/dialect.h: its table has every load, store and atomic of a device that
# operators may use, with the types that there are, and none that there is not.
HERE=$(cd "$(dirname "$0")" && pwd)
TOP=$HERE/../..
PAGE=$TOP/docs/operators.md
if [ ! -f "$PAGE" ] || [ ! -f "$TOP/runtime/dialect.h" ]; then
    echo 'no sources here'
    exit 77
fi
ROOM=$(mktemp -d "${TMPDIR:-/tmp}/weir-dialect.XXXXXX") || exit 1
trap 'rm -rf "$ROOM"' EXIT

# shellcheck disable=SC2016 # backquotes are the page's
# A row `weir_..._T(...)` | u32 u64 | stands for a function of each type.
sed -n 's/^| `\(weir_[a-z_]*_dev_\)T(.*)` | \([a-z0-9 ]*\) |.*/\1 \2/p' "$PAGE" |
    awk '{ for (i = 2; i <= NF; i++) print $1 $i }' | sort >"$ROOM/page"
# Reductions are made by a macro, by name.
grep -o 'weir_[a-z_]*_relaxed_dev_[a-z0-9]*[(,]' "$TOP/runtime/dialect.h" | tr -d '(,' | sort -u >"$ROOM/header"
count=$(grep -c . "$ROOM/header")
if [ "$count" -gt 20 ] && diff "$ROOM/page" "$ROOM/header" >"$ROOM/unlike"; then
    echo "$count passed, 0 failed, 0 skipped"
    exit 0
fi
echo "< is on the page alone, > in the header alone, of $count:"
cat "$ROOM/unlike"
echo "0 passed, 1 failed, 0 skipped"
exit 1
