#!/bin/sh
# Every algorithm over graphs is a row, algorithms/cli/algorithm_NAME.c, and the rest of the command names none: help,
# options, reports and documents come from the rows. What is held here holds for an algorithm that is added, too.
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.sh"
SOURCES=$HERE/../../algorithms/cli
PAGE=$HERE/../../docs/json.md
SCRIPTS=$HERE/../../scripts

# check WHAT COMMAND: it succeeds, or WHAT is wrong.
check() {
    what=$1
    shift
    if "$@"; then pass; else fail "$what"; fi
}

# options_of VERB: the options in its help, one a line.
options_of() {
    run help "$1"
    sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' "$OUT" | sort
}

# has_column HEAD: the table of trials on the last stdout has it.
has_column() {
    awk -v head="$1" 'blank && /kernel ms/ { found = index(" " $0 " ", " " head " ") } { blank = $0 == "" }
        END { exit !found }' "$OUT"
}

run help
# What a verb does begins behind what is given to it, in one column.
awk '/^  weir [a-z0-9]+ / && !/--help$/ { lines++; apart += substr($0, 47, 2) ~ /^ [^ ]$/ } END { exit !lines || lines != apart }' "$OUT" && pass ||
    fail "a usage runs into its text"
ALGORITHMS=$(sed -n 's/^  weir \([a-z0-9]*\) *GRAPH \[options\].*/\1/p' "$OUT")
for name in bfs sssp pr cc color; do
    check "the help lacks $name" eval 'echo "$ALGORITHMS" | grep -qx $name'
done
for name in $ALGORITHMS; do options_of "$name" >"$name.options"; done
sort -u ./*.options >all.options

printf '0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n' >path.el
for name in $ALGORITHMS; do
    # ---- help: what all have ----
    expect_ok help "$name"
    has "usage: weir $name GRAPH [options]"
    has "  weir $name "
    for option in undirected devices partition trials seed time-limit verify verify-by stats output json help; do
        check "$name has no --$option" grep -qx "$option" "$name.options"
    done
    # ---- right on one device and on several, in a report with the columns that all have ----
    for devices in host:1 host:3; do
        expect_ok "$name" path.el --devices $devices --verify --trials 2
        has "verified: ok"
        has "GTEPS seen"
        expect_ok "$name" path.el --devices $devices --verify --verify-by certificate
        has "verified: ok by certificate"
        for column in ms "kernel ms" "GTEPS seen" "items processed"; do
            check "$name has no column $column" has_column "$column"
        done
    done
    expect_ok "$name" path.el --devices host:2 --output values.txt
    check "$name --output should write a line for each vertex" [ "$(wc -l <values.txt)" -eq 4 ]
    # ---- options: one that nobody has, and all that other algorithms have ----
    refuse 2 "unknown option; see weir help $name" "$name" path.el --frobnicate
    comm -23 all.options "$name.options" >foreign
    while read -r option; do
        refuse 2 "--$option: $name " "$name" path.el "--$option" 1
    done <foreign
    # ---- the document: the options that can be chosen are among its choices ----
    expect_ok "$name" path.el --devices host:2 --json document.json
    if [ "$TOOL" ]; then
        check "the document of $name has another command" [ "$(value document.json command)" = "\"$name\"" ]
        check "the document of $name has no trial" has_member document.json trials.0.kernel_ms
        not='source|sources|devices|time-limit|verify|verify-by|stats|output|output-parents|json|trace|dot|help'
        grep -vxE "$not" "$name.options" >chosen
        while read -r option; do
            check "the choices of $name lack $option" has_member document.json "choices.$option"
        done <chosen
    fi
    # ---- elsewhere: the page of documents, and the sweeps over graphs and over faults ----
    [ ! -f "$PAGE" ] || check "docs/json.md lacks $name" grep -q "^| .choices. |.* $name " "$PAGE"
    for sweep in sweep_data.sh sweep_faults.sh; do
        [ ! -f "$SCRIPTS/$sweep" ] || check "$sweep does not run $name" grep -qw "$name" "$SCRIPTS/$sweep"
    done
done

# ---- sources: a row for each, and no name of an algorithm beside the rows and what they alone include; but for the benchmark whose
# specification names two of them ----
if [ -d "$SOURCES" ]; then
    for row in "$SOURCES"/algorithm_*.c; do
        name=$(basename "$row" .c)
        check "$name.c is in no list" eval 'echo "$ALGORITHMS" | grep -qx "${name#algorithm_}"'
    done
    for name in $ALGORITHMS; do
        check "$name has no row" [ -f "$SOURCES/algorithm_$name.c" ]
        bit=VERB_$(echo "$name" | tr '[:lower:]' '[:upper:]')
        grep -E "\"$name\"|weir_+${name}_|algorithm_$name|$bit" "$SOURCES"/*.[ch] | grep -v VERB_GRAPH500 | sed 's/:.*//' |
            uniq | grep -vE "/(algorithm_$name\.c|verify_ranks\.[ch]|(verb|report)_graph500\.c)$" >named
        check "$name is named outside its row: $(cat named)" [ ! -s named ]
    done
else
    skip "the sources are not here"
fi
finish
