#!/bin/sh
# weir convert: every format into every other and back, what is refused, and that no file is left half written.
. "$(dirname "$0")/common.sh"

# ---- round trips: a graph comes back as it was, with and without weights, whatever it went through ----
expect_ok gen rmat:7,4 -o plain.el
expect_ok gen rmat:7,4 --weights random:0-1000:3 -o whole.el
for graph in plain whole; do
    last=$graph.el
    for suffix in mtx gr el txt mtx.gz gr.xz el.zst gr.gz el.xz; do
        expect_ok convert $last $graph.$suffix
        has "$graph.$suffix: $last, 128 vertices, "
        last=$graph.$suffix
    done
    expect_ok convert $last $graph.back.el
    same $graph.el $graph.back.el "$graph through all formats"
done
expect_ok convert whole.gr whole.dimacs.gz
expect_ok convert whole.dimacs.gz whole.back.el
same whole.el whole.back.el "weights through DIMACS"
printf '0 1 0.5\n1 2 -0.25\n2 0 1e-300\n' >reals.txt
expect_ok convert reals.txt reals.mtx.zst
expect_ok convert reals.mtx.zst reals.back.mtx
expect_ok convert reals.txt reals.mtx
same reals.mtx reals.back.mtx "numbers of 64 bits"
refuse 2 "reals.gr: this format holds whole weights of 32 bits" convert reals.txt reals.gr
refuse 2 "reals.dimacs" convert reals.txt reals.dimacs

# ---- options; gen is the same by another name ----
printf '0 1 5\n1 2 7\n2 2 1\n1 2 9\n' >small.el
expect_ok convert small.el small.mtx
printf '%%%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 5\n2 3 7\n' >want.mtx
same want.mtx small.mtx "loops and duplicates go"
expect_ok convert small.el small.mtx --undirected --weights unit
printf '%%%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 2 1\n2 1 1\n2 3 1\n3 2 1\n' >want.mtx
same want.mtx small.mtx "--undirected --weights unit"
expect_ok convert plain.el a.mtx --weights random:1-9:4
expect_ok gen plain.gr -o b.mtx --weights random:1-9:4
same a.mtx b.mtx "weights do not depend on the format"
expect_ok convert grid:5x5 grid.el
expect_ok gen grid:5x5 -o grid2.el
same grid.el grid2.el "IN may be a generator"
export INPUT=whole.gr
expect_ok convert - in.el
same whole.el in.el "IN may be standard input"
refuse 2 "whole.gr: that is the graph, which would be lost" convert - whole.gr
unset INPUT
{ "$WEIR" convert whole.gr /dev/stdout 2>"$ERR" </dev/null; } | cat >"$OUT"
LAST="weir convert whole.gr /dev/stdout | cat"
if cmp -s whole.el "$OUT" && grep -q '^/dev/stdout: whole.gr, 128 vertices' "$ERR"; then
    pass
else
    fail "the graph alone should be on standard output"
    show
fi
# The same into a file that the shell opened: what is there stays, and what follows comes behind it.
for out in - /dev/stdout; do
    {
        echo "# before"
        "$WEIR" convert whole.gr $out 2>"$ERR" </dev/null
        echo "# behind"
    } >streamed.el
    { echo "# before" && cat whole.el && echo "# behind"; } >want.el
    LAST="weir convert whole.gr $out >streamed.el"
    if grep -q "^$out: whole.gr, 128 vertices" "$ERR"; then pass; else fail "the report should be on standard error" && show; fi
    same want.el streamed.el "$LAST"
    "$WEIR" gen whole.gr -o $out >streamed.el 2>"$ERR" </dev/null
    same whole.el streamed.el "weir gen whole.gr -o $out >streamed.el"
    "$WEIR" convert whole.gr $out --json - >streamed.el 2>"$ERR" </dev/null
    if grep -q "^weir: $out and --json both write to standard output\$" "$ERR" && [ ! -s streamed.el ]; then pass; else fail "two to standard output" && show; fi
done
cp whole.el kept.el
"$WEIR" convert kept.el - >>kept.el 2>"$ERR" </dev/null
if grep -q "which would be lost" "$ERR" && cmp -s whole.el kept.el; then pass; else fail "a graph is written behind itself" && show; fi
for verb in gen convert; do
    expect_ok help $verb
    for suffix in mtx gr dimacs graph sg wsg el txt gz xz zst; do has ".$suffix"; done
    has "- is standard output, an edge list"
done
refuse 2 "plain.el has no weights: ask for random or unit ones" convert plain.el x.el --weights file
refuse 2 "--weights: weights 'heavy'" convert plain.el x.el --weights heavy

# ---- what is reported ----
expect_ok convert whole.el json.gr --undirected --weights unit --json -
is schema 1
is command '"convert"'
is graph.name '"whole.el"'
is graph.vertices 128
is choices.undirected true
is choices.weights '"unit"'
is file.path '"json.gr"'
is file.bytes "$(wc -c <json.gr)"
present opening_ms writing_ms graph.arcs
expect_ok convert whole.el json.el.xz --json out.json
has " $(wc -c <json.el.xz) bytes, opened in "
cp out.json "$OUT"
is choices.weights null
is file.bytes "$(wc -c <json.el.xz)"
expect_ok gen rmat:6 -o json.mtx --json -
is command '"gen"'
is file.bytes "$(wc -c <json.mtx)"

# ---- refused, and nothing is lost or left ----
cp whole.gr kept.gr
ln whole.gr hard.gr
ln -s whole.gr soft.gr
mkdir folder
for name in whole.gr ./whole.gr folder/../whole.gr hard.gr soft.gr "$PWD/whole.gr"; do
    refuse 2 "$name: that is the graph, which would be lost" convert whole.gr "$name"
    refuse 2 "whole.gr: that is the graph, which would be lost" convert "$name" whole.gr
done
same whole.gr kept.gr "a graph that was named as both"
refuse 2 "that is the graph, which would be lost" convert whole.gr x.el --json hard.gr
refuse 2 "x.el and --json both write to x.el" convert whole.gr x.el --json x.el
{ "$WEIR" convert whole.gr /dev/stdout --json - 2>"$ERR" </dev/null; } | cat >"$OUT"
LAST="weir convert whole.gr /dev/stdout --json - | cat"
if [ ! -s "$OUT" ] && grep -q '^weir: /dev/stdout and --json both write to standard output$' "$ERR"; then
    pass
else
    fail "a graph and a document should not be mixed"
    show
fi
refuse 2 "convert: IN is missing; see weir help convert" convert
refuse 2 "convert: OUT is missing; see weir help convert" convert whole.gr
refuse 2 "x.gr: one argument too many" convert whole.gr x.el x.gr
refuse 2 "--output: convert has no such option" convert whole.gr -o x.el
refuse 2 "x.png: unknown suffix" convert whole.gr x.png
refuse 2 "no-such-folder/x.el: cannot be written: No such file or directory" convert whole.gr no-such-folder/x.el
refuse 2 "no-such-file.el: No such file" convert no-such-file.el x.el
printf '0 1\n1 two\n' >broken.el
echo old >there.mtx
refuse 2 "broken.el:2: " convert broken.el there.mtx
if [ "$(cat there.mtx)" = old ]; then pass; else fail "a file is gone though nothing could be written in its place"; fi
ls -A >before
(
    ulimit -f 8
    "$WEIR" convert rmat:12 there.mtx >"$OUT" 2>"$ERR" </dev/null
)
RC=$?
rm -f core*
ls -A >after
LAST="weir convert rmat:12 there.mtx, with ulimit -f 8"
if [ $RC -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ] && [ "$(cat there.mtx)" = old ] && grep -vx after after | cmp -s - before; then
    pass
else
    fail "a file that may not grow should be left as it was"
    show
fi
if [ -c /dev/full ]; then
    for more in "" "--json /dev/full"; do
        # shellcheck disable=SC2086 # words
        "$WEIR" convert whole.gr gone.el $more >/dev/full 2>"$ERR" </dev/null
        RC=$?
        LAST="weir convert whole.gr gone.el $more >/dev/full"
        if [ $RC -eq 1 ] && [ ! -e gone.el ]; then pass; else fail "$LAST: no file should be left without its report" && show; fi
    done
fi
finish
