#!/bin/sh
# Traversals: right levels on every number of devices, partition and route; output files.
. "$(dirname "$0")/common.sh"

# ---- known answers ----
printf '0 1\n1 2\n2 3\n0 4\n6 0\n' >path.el
printf '0\n1\n2\n3\n1\n-1\n-1\n' >path.want
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 3\n' >line.mtx
printf '3\n2\n1\n0\n' >line.want
for devices in host:1 host:2 host:3 host:8; do
    expect_ok bfs path.el --source 0 --devices $devices --verify -o path.out
    has "verified: ok"
    same path.want path.out "path.el on $devices"
    expect_ok bfs line.mtx --source 3 --devices $devices --verify -o line.out
    same line.want line.out "line.mtx on $devices"
done
expect_ok bfs path.el --devices host:2 --direction push --partition edge
has "route    direct: "
# Levels of an arc or two are for one device, if nobody says otherwise.
expect_ok bfs path.el --devices host:2
has "used     1 of 2 devices: a level of this graph has less than a thousand arcs"
expect_ok bfs rmat:8 --devices host:2
if grep -q "^used" "$OUT"; then fail "both devices should be used" && show; else pass; fi
expect_ok bfs path.el --devices host:2 --direction push --partition edge
has "source   0, the vertex with the largest out-degree"
printf '1\n2\n3\n4\n2\n-1\n0\n' >from6.want
expect_ok bfs path.el --source 6 --devices host:2 -o from6.out
same from6.want from6.out "path.el from 6"
printf '3\n2\n1\n0\n4\n-1\n4\n' >undirected.want
expect_ok bfs path.el --source 3 --undirected --devices host:3 -o undirected.out --verify
same undirected.want undirected.out "path.el --undirected from 3"

# ---- every choice gives the same levels ----
METIS=1
run bfs grid:6x6 --devices host:2 --partition metis
if [ "$RC" -ne 0 ]; then
    METIS=0
    skip "--partition metis: $(cat "$ERR")"
fi
# Directions in step have a test of their own; a route or an order means push.
N=0
for graph in rmat:9,8 grid:40x25,0.8 path.el; do
    expect_ok bfs $graph --source 1 --devices host:1 --verify -o want.out
    for devices in host:1 host:2 host:3 host:4 host:8; do
        N=$((N + 1))
        expect_ok partition $graph --parts "${devices#host:}" --partition random --seed $N -o cut.part
        for partition in block edge random file:cut.part metis; do
            N=$((N + 1))
            nth $N direct ring tree staged
            [ $partition$METIS = metis0 ] && continue
            run bfs $graph --source 1 --devices $devices --partition $partition --route "$NTH" --verify -o got.out
            if [ "$RC" -eq 0 ] && grep -q 'verified: ok' "$OUT" && cmp -s want.out got.out; then
                pass
            else
                fail "$graph $devices $partition $NTH"
                show
            fi
        done
    done
    for order in fifo soft soft:1 soft:7 bulk; do
        expect_ok bfs $graph --source 1 --devices host:4 --order $order --verify -o got.out
        same want.out got.out "$graph --order $order"
    done
done
expect_ok bfs rmat:9 --sources 8 --trials 2 --devices host:2 --verify
has "summary  16 runs"
expect_ok bfs rmat:9 --devices host:1x3,host:1x2 --verify --undirected

# ---- a pipe, an existing file, a link, a file given by standard output ----
expect_ok bfs path.el --source 0 --devices host:1 -o /dev/stdout
same path.want "$OUT" "-o /dev/stdout"
expect_ok bfs path.el --source 0 --devices host:1 -o -
same path.want "$OUT" "-o -"
"$WEIR" bfs path.el --source 0 --devices host:1 -o /dev/stdout | cat >piped.out
same path.want piped.out "-o /dev/stdout into a pipe"
mkfifo pipe
cat pipe >fifo.out &
expect_ok bfs path.el --source 0 --devices host:1 -o pipe
wait
same path.want fifo.out "-o FIFO"
echo old >existing
chmod 640 existing
ln -s existing link
expect_ok bfs path.el --source 0 --devices host:1 -o link
same path.want existing "-o LINK"
[ "$(stat -c %a existing)" = 640 ] || fail "-o FILE changed the file's permissions"
[ -L link ] || fail "-o LINK replaced the link"

# ---- as many devices as there can be, and too few events for them ----
expect_ok bfs rmat:10 --devices host:64 --partition random --route direct --verify
expect_ok bfs rmat:10 --devices host:64 --partition random --route ring --verify
export WEIR_EVENTS=16 WEIR_LINK_BUFFERS=64
run bfs rmat:10 --devices host:8 --kernel discrete # whose links need them
if [ "$RC" -eq 2 ] && grep -q WEIR_EVENTS "$ERR"; then pass; else fail "too few events" && show; fi
unset WEIR_EVENTS WEIR_LINK_BUFFERS

# ---- gen and info agree ----
expect_ok bfs rmat:7,4 --source 0 --devices host:1 -o g.want
for suffix in mtx gr dimacs el sg wsg mtx.gz el.xz gr.zst sg.gz; do
    expect_ok gen rmat:7,4 -o g.$suffix
    expect_ok bfs g.$suffix --source 0 --devices host:2 --verify -o g.out
    same g.want g.out "g.$suffix"
    export INPUT=g.$suffix
    expect_ok bfs - --source 0 --devices host:2 --verify -o g.out
    same g.want g.out "g.$suffix by standard input"
    expect_ok info -
    has "standard input"
    unset INPUT
done
for suffix in gr sg wsg sg.gz; do # by a pipe, which hides the size
    rm -f g.out
    # shellcheck disable=SC2034 # show() prints it
    LAST="weir bfs - of a pipe"
    # shellcheck disable=SC2002 # a pipe is meant
    cat g.$suffix | "$WEIR" bfs - --source 0 --devices host:2 --verify -o g.out >"$OUT" 2>"$ERR"
    RC=$?
    if [ "$RC" -eq 0 ] && [ ! -s "$ERR" ]; then pass; else fail "g.$suffix by a pipe" && show; fi
    same g.want g.out "g.$suffix by a pipe"
done
expect_ok gen rmat:7,4 --undirected -o g.graph
expect_ok bfs rmat:7,4 --undirected --source 0 --devices host:1 -o g.want
expect_ok bfs g.graph --source 0 --devices host:2 --verify -o g.out
same g.want g.out "g.graph"
refuse 2 "every arc has its reverse" gen rmat:7,4 -o h.graph
INPUT=g.el
printf '0 1\n1 2\n' >g.el
for command in "bfs - --devices host:1" "gen -"; do
    # shellcheck disable=SC2086 # words
    run $command -o g.el
    if [ "$RC" -eq 2 ] && grep -q "that is the graph" "$ERR"; then pass; else fail "lost its standard input" && show; fi
done
unset INPUT
run info -
if [ "$RC" -eq 2 ] && grep -q "standard input: the file is empty" "$ERR"; then pass; else fail "nothing on standard input" && show; fi
expect_ok info grid:10x10
has "vertices         100"
has "arcs             360"
has "symmetric        yes"
has "weights          none"
finish
