#!/bin/sh
# Lines of code of the examples that take a graph, without comments and blanks: a table in Markdown of kernels, host, both, and the
# serial check. It fails where a program, kernels and host together, has 200 lines or more, or where docs/programs.md says otherwise.
#
#   scripts/count_examples.sh
#
# The serial algorithm that a result is held against begins in NAME.c at "/* ---- check", and ends at "/* ---- program" or with the file.
set -eu
cd "$(dirname "$0")/../examples"
for name in 20_triangles 21_forest 22_betweenness 23_communities 15_kcore 24_kcore_work 25_widest; do
    row=$(cat "$name"_*.h "$name.cu" | awk -v name="$name" -v source="$name.c" '
        # Of a line what is no comment; comments do not nest and no text has their marks.
        function code(line, out, at) {
            for (out = ""; line != ""; line = substr(line, at + 2)) {
                at = index(line, inside ? "*/" : "/*")
                if (!at) {
                    if (!inside) out = out line
                    break
                }
                if (!inside) out = out substr(line, 1, at - 1)
                inside = !inside
            }
            return out ~ /[^ \t]/
        }
        { kernels += code($0) }
        END {
            while ((getline line < source) > 0) {
                if (line ~ /^\/\* ---- check/) check = 1
                if (line ~ /^\/\* ---- program/) check = 0
                if (check) serial += code(line); else host += code(line)
            }
            printf "| `%s` | %d | %d | %d | %d |\n", name, kernels, host, kernels + host, serial
            exit kernels + host >= 200
        }') || bad="$name has 200 lines or more"
    echo "$row"
    grep -qF "$row" ../docs/programs.md || bad="docs/programs.md has not this row of $name"
done
[ -z "${bad:-}" ] || { echo "count_examples: $bad" >&2 && exit 1; }
