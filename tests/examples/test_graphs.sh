#!/bin/sh
# The examples that take a graph: each verifies its own result, here on graphs of all shapes and on 1 to 8 host devices, with more than
# one thread too, and on GPUs where there are any. What a result says of a graph that one knows; what is refused.
BUILD=${BUILD:-build}
examples=$BUILD/examples
[ -d "$examples" ] || examples=$BUILD/../examples # in a bundle
examples=$(cd "$examples" 2>/dev/null && pwd -P) || { echo 'the examples are not built' && exit 77; }
room=$(mktemp -d "${TMPDIR:-/tmp}/weir-examples.XXXXXX") || exit 1
trap 'cd /; rm -rf "$room"' EXIT
trap 'exit 1' INT TERM
cd "$room" || exit 1
passed=0 failed=0 skipped=0

fail() {
    failed=$((failed + 1))
    echo "FAIL: $*"
    sed -n '1,5s/^/  /p' out err
}

# run PROGRAM ARGUMENTS...: rc, out and err hold what came of it.
run() {
    program=$1
    shift
    rc=0
    timeout 100 "$examples/$program" "$@" >out 2>err || rc=$?
}

# right PROGRAM DEVICES GRAPH [TEXT]: status 0, "verified" and the text on standard output.
right() {
    run "$1" "$2" "$3" 1
    if [ $rc -eq 0 ] && [ ! -s err ] && [ "$(tail -n 1 out)" = verified ] && grep -qF -e "${4:-}" out; then
        passed=$((passed + 1))
    else
        fail "$* ended with $rc${4:+ and should say so}"
    fi
}

# refuse TEXT PROGRAM ARGUMENTS...: status 2, and one line on standard error that holds the text.
refuse() {
    text=$1
    shift
    run "$@"
    if [ $rc -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$text" err; then
        passed=$((passed + 1))
    else
        fail "$* ended with $rc and should say: $text"
    fi
}

programs='15_kcore 20_triangles 21_forest 22_betweenness 23_communities 24_kcore_work 25_widest'

# Loops, arcs that are there twice, weights with ties and of 0, components of 4 and 3 vertices, and two without arcs.
printf '0 1 2\n1 0 2\n0 0 1\n1 2 2\n2 0 2\n2 3 5\n2 3 4\n4 5 0\n5 6 7\n6 4 0\n8 8 1\n' >loops.el
printf '%%%%MatrixMarket matrix coordinate pattern general\n0 0 0\n' >empty.mtx
printf '%%%%MatrixMarket matrix coordinate pattern general\n3000 3000 0\n' >lonely.mtx
graphs='rmat:10 rmat:9,2 grid:40x30 grid:50x40,0.5 mesh:20x15 star:5000 star:1 complete:40 chain:600 tree:200 smallworld:3000 loops.el empty.mtx lonely.mtx'
devices='host:1 host:2 host:3 host:8 host:2x3'
for count in 1 2; do
    spec=cuda:0
    [ $count -eq 1 ] || spec=cuda:0-1
    run 20_triangles $spec star:2 1
    if [ $rc -eq 0 ]; then
        devices="$devices $spec"
    else
        skipped=$((skipped + 1))
        echo "skipped: needs cuda:$count"
    fi
done
# Where WEIR_TEST_LEAVE_OUT names a spec, as of other tests, it is left out. Each program opens its GPUs anew, for a second: fewer graphs there.
on_gpus=' rmat:10 grid:50x40,0.5 star:5000 loops.el empty.mtx '
for spec in $devices; do
    case " ${WEIR_TEST_LEAVE_OUT:-} " in *" $spec "*)
        skipped=$((skipped + 1))
        echo "skipped: $spec is left out (WEIR_TEST_LEAVE_OUT)"
        continue
        ;;
    esac
    for graph in $graphs; do
        case $spec$on_gpus in
        cuda*" $graph "* | host*) ;;
        *) continue ;;
        esac
        for program in $programs; do
            case $graph in chain:* | grid:*0.5) [ $spec != host:8 ] || continue ;; esac # many steps of eight threads
            right $program $spec $graph
        done
    done
done

# ---- what is known of a graph ----
for spec in host:1 host:3; do
    right 20_triangles $spec complete:40 '9880 triangles of 780 edges' # 40 over 3
    right 20_triangles $spec loops.el '2 triangles of 7 edges'
    right 21_forest $spec loops.el '5 edges weigh 8,' # 2 + 2 + 4, and 0 + 0
    right 21_forest $spec star:5000 '4999 edges weigh'
    right 22_betweenness $spec star:5000 'most paths go through vertex 0: '
    right 22_betweenness $spec chain:600 'the last run had'
    right 23_communities $spec loops.el '4 communities, the largest of 4 vertices'
    right 23_communities $spec lonely.mtx '3000 communities, the largest of 1 vertices'
    right 15_kcore $spec complete:40 'the innermost core is the 39-core, of 40 vertices'
    right 24_kcore_work $spec complete:40 'the innermost core is the 39-core, of 40 vertices'
    right 25_widest $spec loops.el 'from vertex 2: 4 vertices are reached, by paths 3.8 wide' # 7, which is the widest arc of all, 4, 2 and 2
done

# ---- what is refused ----
for program in $programs; do
    refuse 'usage: ' $program host:1 star:3 1 more
    refuse 'TRIALS from 1' $program host:1 star:3 0
    refuse 'TRIALS from 1' $program host:1 star:3 2x
    refuse 'nowhere' $program host:1 nowhere.el
    refuse 'hots' $program hots:1 star:3
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
