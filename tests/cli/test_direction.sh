#!/bin/sh
# --direction, --parents and --partition auto: the same answers whoever looks at an arc first; what was
# picked is said, and what does not go together is refused.
. "$(dirname "$0")/common.sh"

# ---- every direction of every verb, on devices that go in step ----
for verb in bfs sssp; do
    case $verb in bfs) others="pull switch down" ;; *) others=switch ;; esac
    for graph in rmat:9,8 grid:40x25,0.8 grid:300x2; do
        for directed in "" --undirected; do
            # shellcheck disable=SC2086 # empty is no word
            expect_ok $verb $graph $directed --source 1 --devices host:1 --direction push --verify -o want.out
            for direction in auto push $others; do
                for devices in host:1 host:2 host:3 host:2x3; do
                    # Others have push and all choices of auto.
                    case $direction$devices in auto*:[123] | push*:[12]) continue ;; esac
                    # shellcheck disable=SC2086 # as above
                    expect_ok $verb $graph $directed --source 1 --devices $devices --direction $direction \
                        --verify -o got.out
                    has "verified: ok"
                    [ $direction = auto ] || has "direction $direction, partition edge"
                    same want.out got.out "$verb $graph $directed $devices $direction"
                done
            done
        done
    done
    expect_ok partition rmat:9,8 --parts 3 --partition random --seed 9 -o cut.part
    for partition in block edge random file:cut.part; do
        for direction in $others; do
            expect_ok $verb rmat:9,8 --devices host:3 --direction $direction --partition $partition --verify
            has "partition ${partition%:*}"
        done
    done
    expect_ok $verb rmat:9 --sources 5 --trials 2 --devices host:2 --direction switch --verify
    has "summary  10 runs"
done

# ---- the tree ----
for graph in rmat:9,8 grid:40x25,0.8 grid:300x2; do
    for direction in pull switch down; do
        for devices in host:1 host:2 host:3 host:2x3; do
            for directed in "" --undirected; do
                case $direction$devices$directed in pullhost:[13]* | *x3) continue ;; esac
                # shellcheck disable=SC2086 # empty is no word
                expect_ok bfs $graph $directed --source 1 --devices $devices --direction $direction --parents \
                    --verify -o levels.out --output-parents parents.out
                has "with parents"
                has "verified: ok"
                # A parent is one level nearer: told from the two files alone.
                if paste levels.out parents.out | awk '
                        { level[NR - 1] = $1; parent[NR - 1] = $2 }
                        END { if (NR < 2 || parent[1] != 1) exit 1
                              for (v = 0; v < NR; v++) {
                                  if (v == 1) continue
                                  if (level[v] == -1 && parent[v] != -1) exit 1
                                  if (level[v] != -1 && level[parent[v]] != level[v] - 1) exit 1
                              } }'; then
                    pass
                else
                    fail "$LAST: parents that are none"
                fi
            done
        done
    done
done
printf '0 1\n1 2\n2 3\n0 4\n6 0\n' >path.el
printf '0\n0\n1\n2\n0\n-1\n-1\n' >parents.want
expect_ok bfs path.el --source 0 --devices host:2 --output-parents - # which implies --parents
same parents.want "$OUT" "--output-parents -"
expect_ok bfs path.el --source 0 --devices host:2 --parents --trials 3 --verify
refuse 2 "both write to" bfs path.el --output-parents a -o a
refuse 2 "both write to" bfs path.el --output-parents a --json ./a
refuse 2 "cannot be written" bfs path.el --output-parents no-such-folder/file
refuse 2 "--parents has no effect on breadth-first search through the worklist: leave it out" bfs path.el --parents --direction push
refuse 2 "--output-parents has no effect on breadth-first search through the worklist" bfs path.el --output-parents x --direction push
# Before anything is loaded: there is no such file.
for option in "route ring" "order fifo" "kernel fused" "worker warp" "fetch 3" "mapping warp"; do
    # shellcheck disable=SC2086 # words
    refuse 2 "--${option% *} has no effect on breadth-first search in step, and --parents has none on" bfs none.el --parents --$option
done
refuse 2 "and --output-parents has none on breadth-first search through the worklist" bfs none.el --output-parents x --order bulk

# ---- the tree of shortest paths ----
for graph in rmat:9,8 grid:40x25,0.8; do
    for devices in host:1 host:2 host:3 host:2x3; do
        for directed in "" --undirected; do
            case $devices$directed in *x3) continue ;; esac
            # shellcheck disable=SC2086 # empty is no word
            expect_ok sssp $graph $directed --source 1 --devices $devices --parents --weights random:1-20:3 \
                --verify -o distances.out --output-parents parents.out
            has "with parents"
            has "direction switch"
            has "verified: ok"
            # The arc from a parent makes the difference: told from the two files and the graph.
            # shellcheck disable=SC2086 # as above
            expect_ok gen $graph $directed --weights random:1-20:3 -o arcs.el
            if awk '
                    FILENAME == ARGV[1] { distance[FNR - 1] = $1; n = FNR; next }
                    FILENAME == ARGV[2] { parent[FNR - 1] = $1; next }
                    /^[0-9]/ { weight[$1 " " $2] = $3 }
                    END { if (n < 2 || parent[1] != 1) exit 1
                          for (v = 0; v < n; v++) {
                              if (v == 1) continue
                              if ((distance[v] == "inf") != (parent[v] == -1)) exit 1
                              if (parent[v] == -1) continue
                              arc = parent[v] " " v
                              if (!(arc in weight) || distance[parent[v]] + weight[arc] != distance[v]) exit 1
                          } }' distances.out parents.out arcs.el; then
                pass
            else
                fail "$LAST: parents that are none"
            fi
        done
    done
done
printf '0 1 4\n0 2 1\n2 1 2\n1 3 5\n2 3 9\n3 4 1\n6 0 1\n' >paths.el
printf '0\n2\n0\n1\n3\n-1\n-1\n' >paths.want
expect_ok sssp paths.el --source 0 --devices host:2 --output-parents - # which implies --parents
same paths.want "$OUT" "--output-parents -"
expect_ok sssp paths.el --source 0 --devices host:2 --parents --trials 3 --verify
for way in reference certificate; do
    expect_ok sssp paths.el --sources 3 --devices host:2 --parents --verify --verify-by $way --json -
    [ -z "$TOOL" ] || is choices.parents true
done
expect_ok sssp paths.el --source 0 --devices host:2 --direction push --json -
[ -z "$TOOL" ] || is choices.parents false
refuse 2 "both write to" sssp paths.el --output-parents a -o a
refuse 2 "--parents has no effect on shortest paths through the worklist: leave it out" sssp paths.el --parents --direction push
refuse 2 "--parents has none on" sssp none.el --parents --route ring
refuse 2 "and --output-parents has none on shortest paths through the worklist" sssp none.el --output-parents x --order bulk
printf '0 1 0\n' >nothing.el
refuse 2 "parents of shortest paths need weights above 0, and " sssp nothing.el --devices host:2 --parents
printf '0 1 0.1\n' >tenth.el
refuse 2 "parents are kept in step alone, and that needs weights whose sums fit 32 bits as integers or as multiples of a power of two" sssp tenth.el --devices host:2 --output-parents x
if [ ! -e x ]; then pass; else fail "a tree that could not be had is left"; fi
for verb in pr cc; do refuse 2 "--parents: $verb has no such option" $verb path.el --parents; done

# ---- what was picked ----
for direction in push pull switch down; do
    parents=--parents
    [ $direction != push ] || parents=
    # shellcheck disable=SC2086 # empty is no word
    expect_ok bfs rmat:8 --undirected --devices host:2 --direction $direction $parents --json -
    [ -n "$TOOL" ] || continue
    is choices.direction "\"$direction\""
    is trials.0.direction "\"$direction\""
    [ $direction = push ] || is choices.parents true
    is choices.devices_used 2
    is choices.why_devices null
    present trials.0.gteps trials.0.gteps_seen trials.0.gteps_edges summary.gteps_harmonic_mean \
        summary.gteps_seen_harmonic_mean summary.gteps_edges_harmonic_mean
    reached=$(value "$OUT" trials.0.reached)
    is trials.0.stats.least_items "$reached"
    if [ $direction = push ]; then
        present choices.route choices.order choices.kernel choices.worker choices.mapping
        is trials.0.stats.phases '[]'
        is trials.0.steps 0
    else
        for choice in route kernel worker fetch mapping cut; do is choices.$choice null; done
        is choices.order '"bulk"'
        at_least 1 trials.0.steps
        present trials.0.stats.phases.0.name trials.0.stats.phases.0.ms trials.0.stats.phases.0.steps \
            trials.0.stats.bytes trials.0.stats.gbytes_per_s trials.0.stats.bytes_sent
    fi
done
# What the worklist alone takes makes auto push.
for option in "--route ring" "--order soft:3" "--order fifo" "--kernel discrete" "--worker warp" "--fetch 2" \
    "--mapping merge"; do
    # shellcheck disable=SC2086 # words
    expect_ok bfs rmat:8 --devices host:2 $option
    has "direction push"
    for direction in pull switch; do
        # shellcheck disable=SC2086 # words
        refuse 2 "${option%% *} has no effect on breadth-first search in step" \
            bfs rmat:8 --devices host:2 --direction $direction $option
    done
done
expect_ok bfs rmat:8 --devices host:2 --direction pull --route auto --kernel auto

# ---- partition auto: the library's choice, which host devices are all taken in ----
for verb in bfs sssp pr cc; do
    expect_ok $verb rmat:8 --devices host:3 --partition auto --verify --json -
    [ -n "$TOOL" ] || continue
    is choices.partition '"edge"'
    is choices.devices_used 3
    is verified true
done

# ---- shortest paths in step: their own soft order, integer weights ----
expect_ok sssp rmat:8 --devices host:2 --direction switch --order soft:9 --verify --json -
if [ -n "$TOOL" ]; then
    is choices.direction '"switch"'
    is choices.order '"soft"'
    is choices.delta 9
    for choice in route kernel worker fetch mapping cut; do is choices.$choice null; done
fi
expect_ok sssp rmat:8 --devices host:2 --direction switch --order soft:9
has "order soft:9"
refuse 2 "--order fifo has no effect on shortest paths in step" \
    sssp rmat:8 --devices host:2 --direction switch --order fifo
printf '0 1 0.1\n1 2 0.125\n' >fractions.el
refuse 2 "direction switch needs weights whose sums fit 32 bits as integers or as multiples of a power of two: leave it out, or take push" sssp fractions.el --devices host:2 --direction switch
refuse 2 "--direction pull: unknown; choose one of: auto, push, switch" sssp rmat:8 --direction pull

# ---- refused ----
refuse 2 "--direction up: unknown; choose one of: auto, push, pull, switch, down" bfs path.el --direction up
refuse 2 "--direction down: unknown; choose one of: auto, push, switch" sssp path.el --direction down
refuse 2 "a batch of sources is searched in step: direction pull or switch" bfs path.el --sources 2 --batch --direction down
refuse 2 "--direction: cc has no such option" cc path.el --direction pull
refuse 2 "value D is missing" bfs path.el --direction
finish
