#!/bin/sh
# Everything that can be wrong with files, devices and outputs: one sentence, the right status, and
# nothing left behind.
. "$(dirname "$0")/common.sh"

# bad STATUS TEXT GRAPH: refused by those that run over it, with two outputs asked for, and by info.
bad() {
    for verb in bfs pr cc; do
        refuse "$1" "$2" $verb "$3" --devices host:2 -o values.txt --json report.json
    done
    refuse "$1" "$2" info "$3" --json report.json
}

# ---- files ----
bad 2 no-such-file.mtx no-such-file.mtx
: >empty.mtx
bad 2 empty.mtx empty.mtx
: >empty.el
bad 2 empty.el empty.el
mkdir folder
bad 2 folder folder
head -c 3000 /dev/urandom >noise.gr
bad 2 noise.gr noise.gr

banner='%%MatrixMarket matrix coordinate pattern general'
mtx() {
    name=$1
    shift
    { printf '%s\n' "$banner"; printf '%s\n' "$@"; } >"$name"
}
mtx more.mtx '4 4 9' '1 2' '2 3'
bad 2 more.mtx more.mtx
mtx range.mtx '4 4 2' '1 2' '2 5'
bad 2 range.mtx:4 range.mtx
mtx zero.mtx '4 4 1' '0 2'
bad 2 zero.mtx:3 zero.mtx
mtx negative.mtx '-4 -4 1' '1 2'
bad 2 negative.mtx:2 negative.mtx
mtx absurd.mtx '1099511627776 1099511627776 1' '1 2'
bad 2 absurd.mtx:2 absurd.mtx
mtx absurd-arcs.mtx '4 4 1099511627776' '1 2'
bad 2 absurd-arcs.mtx absurd-arcs.mtx
mtx words.mtx '4 4 1' 'one two'
bad 2 words.mtx:3 words.mtx
printf '0 1\n1 -2\n' >negative.el
bad 2 negative.el:2 negative.el
printf '0 1\n1 1099511627776\n' >absurd.el
bad 2 absurd.el:2 absurd.el
printf 'p sp 1099511627776 1\na 1 2 3\n' >absurd.dimacs
bad 2 absurd.dimacs:1 absurd.dimacs
printf 'p sp 4 5\na 1 2 3\n' >more.dimacs
bad 2 more.dimacs more.dimacs
printf 'p sp 4 1\na 1 9 3\n' >range.dimacs
bad 2 range.dimacs:2 range.dimacs
bad 2 rmat rmat:99
bad 2 rmat rmat:x
bad 2 grid grid:0x5
bad 2 grid grid:4x4,7

# A Galois header (version 1, no edge data) that promises 2^40 vertices and arcs, then just 2 and 9.
printf '\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >head.gr
{ cat head.gr; printf '\0\0\0\0\0\001\0\0\0\0\0\0\0\001\0\0'; } >huge.gr
bad 2 huge.gr huge.gr
{ cat head.gr; printf '\002\0\0\0\0\0\0\0\011\0\0\0\0\0\0\0\011\0\0\0\0\0\0\0'; } >short.gr
bad 2 short.gr short.gr
bad 2 head.gr head.gr

# ---- truncated files ----
run gen rmat:8,8 -o whole.mtx.gz
if [ "$RC" -eq 0 ]; then
    for suffix in mtx mtx.gz mtx.xz gr sg sg.zst wsg el el.xz dimacs; do
        run gen rmat:8,8 -o whole.$suffix
        size=$(wc -c <whole.$suffix)
        head -c $((size / 2)) whole.$suffix >cut.$suffix
        bad 2 cut.$suffix cut.$suffix
    done
else
    skip "truncated files: $(cat "$ERR")"
fi

printf '# Nodes: 64 Edges: 128\n0 1\n1 2\n' >snap.el
bad 2 "promises 128 edges but holds 2" snap.el

printf '# Nodes: 64 Edges: 1\n0 1\n1 2\n' >snap.el
bad 2 "snap.el: promises 1 edges but holds 2" snap.el

# ---- read as something else once: a METIS graph, a fraction, a weight that is not 0 ----
printf '4 4\n2 4\n1 3\n2 4\n1 3\n' >cycle.graph
expect_ok info cycle.graph
has METIS
expect_ok info edges:cycle.graph
has "edge list"
printf '3 2\n2\n1 3\n3 2\n' >loop.graph
bad 2 "loop.graph:4: vertex 3 is its own neighbour" loop.graph
printf '\001\002\003' >short.sg
bad 2 "short.sg: the GAP graph is cut short" short.sg
bad 2 "short.sg: 0 edges of 12 bytes, and 3 bytes more" graph500:short.sg
refuse 2 "that is the graph" bfs metis:cycle.graph -o cycle.graph
# What is written has to be found by its name.
for name in edges:list.el metis:path.graph gap:path.sg.gz rmat:4.el; do
    refuse 2 ": ./$name can" gen chain:4 -o $name
    expect_ok gen chain:4 --undirected -o ./$name
    expect_ok info ./$name
done
bad 2 "rmat:4: No such file or directory (to be read as METIS; a file of the whole name is ./metis:rmat:4)" metis:rmat:4
printf '%%%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n' >fraction.mtx
bad 2 "fraction.mtx:3: '1.5' is no integer" fraction.mtx
printf '0 1 1\n1 2 1e-400\n' >small.el
bad 2 "small.el:2: the weight 1e-400 is too small" small.el
printf 'p sp 2 1\ncfoo\na 1 2 3\n' >comment.dimacs
bad 2 "comment.dimacs:2: 'cfoo' begins no DIMACS line" comment.dimacs
for option in "--tolerance 1e-400" "--damping 1e-400" "--damping +.5" "--damping 0x1p-2"; do
    # shellcheck disable=SC2086 # an option and its value
    refuse 2 "${option#* }" pr grid:3x3 $option
done
refuse 2 "1e-400" gen grid:3x3,1e-400 -o keep.el

# ---- read for what they are ----
printf '3 2 4294967296\n3 2 42946\n4 1 0\n' >dropped.el
expect_ok info dropped.el
has "integers, 0 to 42946"
awk 'BEGIN { printf "0 1 0."; while (i++ < 600) printf "1"; print "" }' >long.el
expect_ok info long.el
has "numbers, 0.1111111111111111 to"
printf '0 1 5e-324\n1 2 1e-310\n' >least.el
expect_ok sssp least.el --source 0 --devices host:2 --verify

# ---- sources ----
printf '0 1\n1 2\n' >three.el
refuse 2 "--source 99: the graph has 3 vertices (0 to 2)" bfs three.el --source 99 \
    --devices host:1 -o levels.txt
refuse 2 "(0 to 2)" bfs three.el --source 3 --devices host:1
refuse 2 "(0 to 2)" bfs three.el --source 18446744073709551615 --devices host:1
refuse 2 "--sources 3: the graph has only 2 vertices with out-arcs" bfs three.el --sources 3 --devices host:1
printf '0 1\n' >one-tail.el
refuse 2 "--sources 2: the graph has only 1 vertex with out-arcs" bfs one-tail.el --sources 2 --devices host:1
refuse 2 "--source 1: the graph has 1 vertex (0 to 0)" bfs chain:1 --source 1 --devices host:1

# ---- no vertices: nothing to start from, to rank or to join ----
printf '%s\n0 0 0\n' "$banner" >none.mtx
for verb in bfs pr cc; do
    run $verb none.mtx --devices host:2 -o values.txt
    if [ "$RC" -eq 2 ] && [ "$(wc -l <"$ERR")" -eq 1 ] && grep -q none.mtx "$ERR" && [ ! -e values.txt ]; then
        pass
    else
        fail "a graph without vertices should be refused"
        show
    fi
done

# ---- devices, before the graph is looked at ----
for devices in host:0 host: host:x host:-1 host:65 host:1x0 gpu "host:2," ",host:2"; do
    refuse 2 "device spec" bfs three.el --devices "$devices" -o levels.txt
done
refuse 2 "is empty" bfs three.el --devices ""
run bfs three.el --devices cuda
if [ "$RC" -eq 0 ]; then
    skip "--devices cuda without a GPU: there is one"
else
    refuse 1 "no CUDA device" bfs three.el --devices cuda -o levels.txt --json report.json
    refuse 1 "no CUDA device" bfs three.el --devices cuda:0 -o levels.txt
fi

# ---- outputs, before devices and graph are looked at ----
unwritable() {
    refuse 2 "cannot be written" bfs no-such-file --devices nothing "$1" "$2"
}
for option in --output --json; do
    unwritable $option no-such-folder/file
    unwritable $option three.el/file
    unwritable $option folder
    unwritable $option folder/
    unwritable $option new-folder/
done
ln -s loop loop
unwritable --output loop
refuse 2 "cannot be written" bfs three.el -o levels.txt --json no-such-folder/file
refuse 2 "cannot be written" gen grid:3x3 -o no-such-folder/g.mtx
mkdir folder.mtx
refuse 2 "cannot be written" gen grid:3x3 -o folder.mtx
if [ "$(id -u)" -ne 0 ]; then
    echo old >fixed
    chmod 444 fixed
    unwritable --output fixed
else
    skip "a read-only file: root may write it"
fi
# lost WHAT STATUS: results that cannot be written are noticed, in one line.
lost() {
    if [ "$2" -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ]; then
        pass
    else
        fail "$1 should give status 1 and one line, not $2: $(head -3 "$ERR")"
    fi
}
if [ -c /dev/full ]; then
    run bfs grid:30x30 --devices host:1 -o /dev/full
    lost "-o /dev/full" "$RC"
    run bfs grid:30x30 --devices host:1 --json /dev/full
    lost "--json /dev/full" "$RC"
    "$WEIR" bfs grid:9x9 --devices host:1 >/dev/full 2>"$ERR"
    lost "stdout on a full device" $?
    "$WEIR" bfs grid:9x9 --devices host:1 --json - >/dev/full 2>"$ERR"
    lost "--json - on a full device" $?
else
    skip "no /dev/full"
fi
"$WEIR" bfs grid:9x9 --devices host:1 -o kept.txt >&- 2>"$ERR"
lost "a closed standard output" $?

# ---- limits and signals: an old result survives, nothing else appears ----
echo old >levels.keep
ls -A >"$ROOM/.before"
"$WEIR" bfs grid:4000x500 --source 0 --devices host:2 --trials 100000 -o levels.keep \
    --json report.json >"$OUT" 2>"$ERR" &
CHILD=$!
tries=0
while ! ls .weir-* >/dev/null 2>&1 && [ $tries -lt 100 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -TERM $CHILD
wait $CHILD
RC=$?
ls -A >"$ROOM/.after"
# shellcheck disable=SC2034 # show, of common.sh, prints it
LAST="weir bfs, then SIGTERM"
if [ "$RC" -eq 1 ] && [ "$(cat "$ERR")" = "weir: stopped by SIGTERM" ] && cmp -s "$ROOM/.before" "$ROOM/.after" &&
    [ "$(cat levels.keep)" = old ]; then
    pass
else
    fail "a signal should be named, give status 1 and leave nothing behind"
    show
fi
# A file that is written has no name where the file system allows it.
is_writing() {
    # shellcheck disable=SC2010 # where links lead, not names
    [ -n "$(find . -name '.weir-*.part')" ] || ls -l "/proc/$CHILD/fd" 2>/dev/null | grep -q ' (deleted)$'
}
# Whether this folder is on such a file system.
unnamed_files() {
    python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_WRONLY)' 2>/dev/null
}
# gen_until SIGNAL: it ends weir gen while that writes its file.
gen_until() {
    ls -A >"$ROOM/.before"
    "$WEIR" gen rmat:18 -o graph.mtx.xz >"$OUT" 2>"$ERR" &
    CHILD=$!
    tries=0
    while ! is_writing && [ "$tries" -lt 400 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    if is_writing; then pass; else fail "weir gen should be writing by now"; fi
    kill "-$1" $CHILD
    wait $CHILD 2>/dev/null
    RC=$?
}
gen_until TERM
ls -A >"$ROOM/.after"
# shellcheck disable=SC2034 # as above
LAST="weir gen, then SIGTERM"
if [ "$RC" -eq 1 ] && [ "$(cat "$ERR")" = "weir: stopped by SIGTERM" ] && cmp -s "$ROOM/.before" "$ROOM/.after"; then
    pass
else
    fail "a signal should be named, give status 1 and leave nothing behind"
    show
fi

# Nothing is left either of one that cannot clean up, as after a crash or for want of memory.
gen_until KILL
if [ -z "$(find . -name '.weir-*.part')" ] && [ ! -e graph.mtx.xz ]; then
    pass
elif unnamed_files; then
    fail "a program that is killed should leave nothing behind"
else
    skip "files without a name are not to be had here"
fi
rm -f .weir-*.part

# ---- a file that may not grow: an error of the write, not a death ----
for what in "bfs grid:300x300 --source 0 --devices host:1" "gen rmat:12"; do
    ls -A >"$ROOM/.before"
    # shellcheck disable=SC2086 # words of a command
    (ulimit -f 8 && exec "$WEIR" $what -o small.mtx) >"$OUT" 2>"$ERR"
    RC=$?
    ls -A >"$ROOM/.after"
    # shellcheck disable=SC2034 # as above
    LAST="weir $what, ulimit -f 8"
    if [ "$RC" -eq 1 ] && grep -q "File too large" "$ERR" && [ "$(wc -l <"$ERR")" -eq 1 ] && cmp -s "$ROOM/.before" "$ROOM/.after"; then
        pass
    else
        fail "too large a file should be refused in a sentence"
        show
    fi
done

for option in --output-parents --output; do
    refuse 2 "cannot be written" bfs three.el --devices host:1 $option no-such-folder/file
done
for what in "pr rmat:14 --tolerance 1e-15" "cc rmat:14 --stream on"; do
    # shellcheck disable=SC2086 # words of a command
    refuse 1 "time limit" $what --devices host:2 --trials 100000 --time-limit 0.001 -o values.txt --json report.json
done
refuse 1 "time limit" bfs grid:1000x1000 --source 0 --devices host:2 --trials 1000 --time-limit 0.001 \
    -o levels.txt --json report.json
finish
