#!/bin/sh
# Pages name only what exists.
#
# Of what a page has in `backquotes`, a file must be in the tree, whether it is given by its name, its path or a pattern
# (rows*.c), and a name with an underscore must stand in a source, the Makefile or a script. A name that begins with
# weir_ or WEIR_ must stand there wherever the page has it, in blocks of code too. In sources, a file that is named with
# its folder (worklist/steps.h) must be in the tree. Left out are names of a reader's own: those with capitals in them
# (FILE.c, NAME_op) and those of the list below. CHANGELOG.md speaks of the past too, so only its weir_ names count.
# The table of transports in docs/router.md has the rows of WEIR_TRANSPORT_MAP, in their order.
# And the other way round: a source stands in the README of its folder, by its name, a pattern or the name of its pair (a.h
# for a.c). What lies in a folder without a README stands in that of the folder above, or the folder itself stands in its table.
#
#   scripts/check_names.sh [PAGE...]     the pages that are named, or all pages and sources of the tree
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What a reader would call files of their own, and what a build makes.
own=' program.c user.c check.sh bundle/check.sh build/docs/html '
folders='(runtime|topology|router|worklist|algorithms|tests|examples|scripts|docs)'
status=0

find . \( -path ./build -o -path ./shared -o -path ./.git \) -prune -o -type f -print | sed 's|^\./||' >"$work/files"
if [ $# -eq 0 ]; then
    grep -E '\.(c|h|cu|cuh)$' "$work/files" |
        xargs grep -noE "(^|[^A-Za-z0-9_/.-])$folders/[a-z0-9_/*-]*[a-z0-9_*]\\.(c|h|cu|cuh|sh|md)\\b" |
        sed 's/:\([0-9]*\):[^a-z]*/:\1:/' | sort -u | while IFS=: read -r source line name; do
            # The name may be a pattern.
            # shellcheck disable=SC2086
            ls $name >/dev/null 2>&1 || echo "$source:$line: there is no file $name"
        done >"$work/wrong"
    [ ! -s "$work/wrong" ] || { cat "$work/wrong" && status=1; }
    grep -E '^(runtime|topology|router|worklist|algorithms|scripts)/.*\.(c|h|cu|cuh|sh|map)$' "$work/files" |
        while read -r source; do
            folder=${source%/*}
            while [ ! -f "$folder/README.md" ]; do folder=${folder%/*}; done
            echo "$folder/README.md $source"
        done | sort | awk '
            $1 != page { # its words in backquotes, as patterns of the end of a path
                page = $1; words = 0
                while ((getline line <page) > 0) {
                    count = split(line, part, "`")
                    for (i = 2; i <= count; i += 2) {
                        named = split(part[i], word, /[ ,;:()]+/)
                        for (j = 1; j <= named; j++) {
                            shape = word[j]
                            sub(/\.(c|h|cu|cuh)$/, ".*", shape); sub(/^\.\.\//, "", shape)
                            gsub(/\./, "\\.", shape); gsub(/\*/, "[^/]*", shape)
                            if (word[j] !~ /^[a-z0-9_.\/*-]+$/) continue
                            if (word[j] ~ /[.*]/) want[++words] = "/" shape "$"
                            # A folder counts in a table, and the own one nowhere.
                            else if (line ~ /^\|/ && index(page, word[j]) != 1) want[++words] = "/" shape
                        }
                    }
                }
                close(page)
            }
            { for (i = 1; i <= words; i++) if ("/" $2 ~ want[i]) next; print page ": " $2 " is not there" }' >"$work/wrong"
    [ ! -s "$work/wrong" ] || { cat "$work/wrong" && status=1; }
    sed -n '/define WEIR_TRANSPORT_MAP/,/[^\\]$/s/^ *X([A-Z]*, \([a-z]*\),.*/\1/p' router/router.h >"$work/rows"
    # The page's backquotes, not the shell's.
    # shellcheck disable=SC2016
    sed -n '/^## 8. Transports/,/^## 9/s/^| `\([a-z]*\)` |.*/\1/p' docs/router.md >"$work/listed"
    if [ ! -s "$work/rows" ] || ! diff "$work/rows" "$work/listed" >"$work/wrong"; then
        echo 'docs/router.md, section 8, and WEIR_TRANSPORT_MAP differ:' && cat "$work/wrong" && status=1
    fi
    # Paths of the tree have no blanks.
    # shellcheck disable=SC2046
    set -- $(grep '\.md$' "$work/files")
fi
grep -E '\.(c|h|cu|cuh|sh|map|py|pml)$|^Makefile$|^\.ci/run$' "$work/files" |
    xargs grep -ohE '[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]+' | sort -u >"$work/names"
# Names of files, such as test_rows, are names too.
sed -n 's|.*/\([A-Za-z0-9]*_[A-Za-z0-9_]*\)\.[a-z]*$|\1|p' "$work/files" >>"$work/names"

awk -v own="$own" -v folders="$folders" -v files="$work/files" -v names="$work/names" '
    BEGIN {
        while ((getline line <files) > 0) tree["/" line] = 1
        while ((getline line <names) > 0) known[line] = 1
    }
    function complain(text) { print FILENAME ":" FNR ": " text; bad = 1 }
    function looks_like_file(word) {
        if (word ~ /(^|[^A-Z])[A-Z][A-Z]|^[-*]/) return 0
        return word ~ /^[A-Za-z0-9_.\/*-]*[a-z0-9_*]\.(c|h|cu|cuh|sh|py|md|svg|map|[*])$/ ||
               word ~ /^test_[a-z0-9_]+[*]?$/ || word ~ "^(build/[a-z0-9/]*)?" folders "/[a-z0-9_*/]+$"
    }
    # Whether a path ends with the name, or has it as a folder, or is the source of the program of that name.
    function is_file(name, want, line) {
        if (index(own, " " name " ")) return 1
        sub(/^build\/((host|cuda)\/)?/, "", name)
        sub(/^weir\//, "", name) # as programs include it
        while (sub(/^\.\.?\//, "", name)) continue
        want = name
        sub(/\/$/, "", want)
        if (want !~ /\.[a-z*]+$/) want = want ".*"
        gsub(/\./, "\\.", want)
        gsub(/\*/, "[^/]*", want)
        want = "/" want "$"
        for (line in tree)
            if (line ~ want || (name !~ /\./ && index(line, "/" name (name ~ /\/$/ ? "" : "/")))) return 1
        return 0
    }
    function is_name(name, line) {
        if (name in known) return 1
        if (name ~ /_$/) # the beginning of several, as in weir_bfs_*
            for (line in known) if (index(line, name) == 1) return 1
        return 0
    }
    function check_files(text, word, count, j) {
        count = split(text, word, /[ ,;:()|"=<>]+/)
        for (j = 1; j <= count; j++)
            if (looks_like_file(word[j]) && !is_file(word[j])) complain("there is no file " word[j])
    }
    # Everything in a text that has this shape is a name that exists.
    function check_names(text, shape, name) {
        while (match(text, "(^|[^A-Za-z0-9_])" shape)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/^[^A-Za-z]/, "", name)
            if (name ~ /^[a-z].*[A-Z]/ || (name ~ /_$/ && text ~ /^</)) continue
            if (!is_name(name)) complain("nothing is called " name)
        }
    }
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced; next }
    { check_names($0, "(weir|WEIR)_[A-Za-z0-9_]+") }
    FILENAME !~ /CHANGELOG/ && !fenced {
        count = split($0, part, "`")
        for (i = 2; i <= count; i += 2) {
            check_files(part[i])
            gsub(/(weir|WEIR)_[A-Za-z0-9_]+/, "", part[i]) # done above
            check_names(part[i], "[a-z][a-z0-9]*_[A-Za-z0-9_]*")
        }
    }
    END { exit bad }' "$@" || status=1
exit "$status"
