#!/bin/sh
# weir plan: every array of a run by device, of graphs and of numbers; what a run then uses; what is refused.
. "$(dirname "$0")/common.sh"

# ---- a graph at hand ----
expect_ok plan rmat:12 --undirected --devices host:2
for verb in bfs sssp pr cc color; do
    grep -qx "$verb" "$OUT" || fail "$verb should have a plan"
done
has "host:1: "
has "out-arcs"
has "out-arcs with weights"
has "it fits"
expect_ok plan rmat:12 cc --devices host:1
for verb in bfs sssp pr; do
    grep -qx "$verb" "$OUT" && fail "$verb was not asked for"
done
has "parent"
expect_ok plan rmat:12 bfs --direction push --order soft --partition random --devices host:2
has "halo"
has "buckets"

# ---- a partition that a file has, over as many devices as it has parts ----
awk 'BEGIN { for (v = 0; v < 1024; v++) print v % 2 }' >parts
expect_ok plan rmat:10 bfs --partition file:parts --devices host:3
has "host:1: "
grep -q "host:2: " "$OUT" && fail "the file has two parts"
refuse 2 "no-such-parts" plan rmat:10 bfs --partition file:no-such-parts
printf 'x\n' >broken
refuse 2 "broken" plan rmat:10 bfs --partition file:broken --devices host:2

# ---- numbers ----
expect_ok plan --vertices 268435456 --arcs 8589934592 --devices cuda:0-1
has "how much it has is not known"
has "whether it fits is not known"
expect_ok plan --vertices 256000000 --arcs 666000000 bfs --machine nvswitch8
has "of 131.25 GiB"
has "it fits on the devices; how much memory the host has is not known"
expect_ok plan --vertices 256000000 --arcs 666000000 bfs --machine nvswitch8 --json far.json
grep -q '"fits": null' far.json || fail "whether the host has enough is not known"
expect_ok plan --vertices 4000000000 --arcs 80000000000 pr --undirected --memory device --machine 2*nvswitch
has "it does not fit: cuda:0 has too little; "
has " such devices would hold it"
WEIR_POOL_BYTES=40GiB expect_ok plan --vertices 268435456 --arcs 8589934592 bfs --devices cuda:0-1
has "of 40.00 GiB"

WEIR_POOL_BYTES=400GiB expect_ok plan --vertices 1000 --arcs 6000 bfs --machine nvswitch8
has "of 140." # what the card has
# On a machine whose GPUs do not all reach each other searches take what they take where none does.
expect_ok plan --vertices 1000000 --arcs 6000000 bfs --machine nvswitch8
cp "$OUT" reaches.txt
WEIR_PEER=off expect_ok plan --vertices 1000000 --arcs 6000000 bfs --machine nvswitch8
cmp -s "$OUT" reaches.txt && fail "without peer access other arrays should be taken"
expect_ok plan --vertices 1000000 --arcs 6000000 bfs --machine dgx1v
cp "$OUT" reaches.txt
WEIR_PEER=off expect_ok plan --vertices 1000000 --arcs 6000000 bfs --machine dgx1v
same "$OUT" reaches.txt "a plan for GPUs of which some do not reach each other"
expect_ok plan --vertices 1000000 --arcs 6000000 bfs --devices cuda:0-1
cp "$OUT" reaches.txt
WEIR_PEER=off expect_ok plan --vertices 1000000 --arcs 6000000 bfs --devices cuda:0-1
cmp -s "$OUT" reaches.txt && fail "without peer access other arrays should be taken"

# ---- trees, and searches from many sources at a time ----
bytes_of() { sed -n 's/^ *"bytes": \([0-9]*\),$/\1/p' "$1" | head -1; }
for verb in bfs sssp; do
    expect_ok plan rmat:14 $verb --devices host:1 --direction switch --json plain.json
    expect_ok plan rmat:14 $verb --devices host:1 --parents --json tree.json
    if [ "$(bytes_of tree.json)" -gt "$(bytes_of plain.json)" ]; then pass; else fail "a tree takes memory"; fi
done
expect_ok plan rmat:14 bfs --sources 64 --batch --devices host:1 --json batch.json
has "from 64 sources at a time"
has "frontiers"
grep -q '"batch": 64' batch.json || fail "the document should have the sources of a batch"
grep -q '"batch": null' plain.json || fail "a single run is no batch"
expect_ok plan rmat:14 bfs --sources 500 --batch --verify --devices host:1 --json levels.json
has "from 64 sources at a time, whose levels are all kept"
LEVELS=$(($(bytes_of levels.json) - $(bytes_of batch.json)))
[ "$LEVELS" -ge $((4 * 64 * 16384)) ] || fail "64 times 16384 levels should be $LEVELS bytes more"
# A run has what it says: the levels that are verified too.
NEED=$(bytes_of levels.json)
WEIR_POOL_BYTES=$((NEED / 100 * 103 + 17000000)) expect_ok bfs rmat:14 --sources 64 --batch --verify --devices host:1
WEIR_POOL_BYTES=$((NEED / 3)) refuse 1 "needs" bfs rmat:14 --sources 64 --batch --verify --devices host:1 --memory device
expect_ok plan rmat:10 --sources 3 --batch --devices host:2
has "from 3 sources at a time"
has "cannot be planned: --batch: sssp has no such option"
refuse 2 "--batch: sssp has no such option" plan rmat:10 sssp --sources 3 --batch
refuse 2 "--batch says how --sources are searched: give that too" plan rmat:10 bfs --batch
refuse 2 "--sources: runs one after the other take no more" plan rmat:10 bfs --sources 4
refuse 2 "--verify: runs one after the other take no more" plan rmat:10 bfs --verify
refuse 2 "--parents has no effect on breadth-first search of a batch" plan rmat:10 bfs --sources 2 --batch --parents
refuse 2 "--parents has no effect on connected components" plan rmat:10 cc --parents

# ---- colourings in an order that is drawn ----
for direction in pull push; do
    expect_ok plan rmat:14 color --devices host:1 --direction $direction --json plain.json
    expect_ok plan rmat:14 color --devices host:1 --direction $direction --permute 7 --json drawn.json
    has "order "
    ORDER=$(($(bytes_of drawn.json) - $(bytes_of plain.json)))
    [ "$ORDER" -eq $((4 * 16384)) ] || fail "an order of 16384 vertices should be $ORDER bytes, --direction $direction"
done

# ---- routes and queues: what a run refuses to take is what the plan has ----
for option in "--route ring" "--route staged" "--kernel discrete --route ring" "--kernel live --queues 1000"; do
    expect_ok plan rmat:14 bfs --direction push --partition edge $option --devices host:3
    PLANNED=$(sed -n 's/^ *host:0: \(.*\) MiB of .*/\1/p' "$OUT")
    WEIR_POOL_BYTES=1MiB refuse 1 "host:0 needs " bfs rmat:14 --direction push --partition edge $option --devices host:3 --memory device
    TAKEN=$(sed -n 's/.*host:0 needs \([0-9.]*\) MiB .*/\1/p' "$ERR")
    awk "BEGIN { exit !(0$TAKEN > 0 && 0$PLANNED < 1.03 * 0$TAKEN && 0$TAKEN < 1.03 * 0$PLANNED) }" ||
        fail "$option: planned $PLANNED MiB, and a run would take $TAKEN"
done
# What lets a run of direction auto go through the worklist does so in a plan.
for option in "--worker warp" "--mapping merge" "--fetch 7"; do
    expect_ok plan rmat:12 bfs --partition edge $option --devices host:3 --json plan.json
    grep -q '"rings of items"' plan.json || fail "$option: a run goes through the worklist"
done
refuse 2 "--worker: a plan of spmv has no such option" plan rmat:10 spmv --worker warp
refuse 2 "--damping: bfs has no such option" plan rmat:10 bfs --damping 0.1
refuse 2 "--damping: a plan of spmv has no such option" plan rmat:10 spmv --damping 0.1
refuse 2 "--iterations has no effect on" plan rmat:10 pr --iterations 3 --direction push
expect_ok plan rmat:10 pr --iterations 3 --devices host:2
expect_ok plan rmat:10 cc --route staged --devices host:3
grep -qx "  streamed" "$OUT" || fail "labels that come together by way of the host are of arcs that are streamed"
refuse 2 "--route: a plan of spmv has no such option" plan rmat:10 spmv --route ring
refuse 2 "--queues has no effect on breadth-first search" plan rmat:10 bfs --direction pull --queues 3

# ---- what else of a verb's own options takes memory ----
expect_ok plan rmat:12 pr --devices host:2 --json plain.json
expect_ok plan rmat:12 pr --devices host:2 --tolerance 1e-9 --json doubles.json
[ "$(bytes_of doubles.json)" -gt "$(bytes_of plain.json)" ] || fail "ranks in doubles should take more"
expect_ok plan rmat:12 pr --devices host:2 --damping 0.1 --json damped.json
[ "$(bytes_of damped.json)" -eq "$(bytes_of doubles.json)" ] || fail "at a small damping ranks should be doubles"
expect_ok plan rmat:12 pr --devices host:2 --bands 7 --json bands.json
[ "$(bytes_of bands.json)" -gt "$(bytes_of plain.json)" ] || fail "bands should take memory"
expect_ok plan rmat:12 pr --devices host:2 --bins 16 --json bins.json
[ "$(bytes_of bins.json)" -gt "$(bytes_of plain.json)" ] || fail "bins should take memory"
expect_ok plan rmat:12 pr --devices host:2 --hubs 9
refuse 2 "--bands has no effect on" plan rmat:12 pr --direction push --bands 7
expect_ok plan rmat:12 cc --devices host:2 --stream on
grep -qx "  streamed" "$OUT" || fail "streams where that is asked for"
WEIR_POOL_BYTES=1MiB expect_ok plan rmat:16 cc --devices host:1 --stream off --memory device
has "it does not fit"
refuse 2 "--bins: bfs has no such option" plan rmat:10 --stream on --bins 3 --devices host:2
refuse 2 "--bins: cc has no such option" plan rmat:10 cc --bins 3
refuse 2 "--bins: a plan of spmv has no such option" plan rmat:10 spmv --bins 3
expect_ok plan rmat:10 --permute 7 --devices host:2
has "cannot be planned: --permute: bfs has no such option"
has "order "
refuse 2 "--permute: pr has no such option" plan rmat:10 pr --permute 7
refuse 2 "--permute: a plan of spmv has no such option" plan rmat:10 spmv --permute 7
refuse 2 "--permute" plan rmat:10 color --permute 0

# ---- what a run uses: the bound just above the plan is enough, a tenth of it is refused with the same numbers ----
expect_ok plan rmat:18 bfs --devices host:1 --json plan.json
NEED=$(sed -n 's/^ *"bytes": \([0-9]*\),$/\1/p' plan.json | head -1)
[ "$NEED" -gt 40000000 ] || fail "rmat:18 should take more than $NEED bytes"
WEIR_POOL_BYTES=$((NEED / 100 * 103 + 17000000)) expect_ok bfs rmat:18 --devices host:1
WEIR_POOL_BYTES=$((NEED / 10)) refuse 1 "needs" bfs rmat:18 --devices host:1 --memory device
grep -q "breadth-first search of rmat:18: host:0 needs .* (.*out-arcs .*), and its pool has .* (WEIR_POOL_BYTES): " "$ERR" ||
    fail "the refusal should have the numbers"
grep -q " such devices would hold it" "$ERR" || fail "the refusal should say what would fit"

# ---- what a run does where rows do not fit: cc streams, unless a partition was asked for ----
WEIR_POOL_BYTES=6MiB expect_ok plan rmat:16 cc --devices host:1
has "streamed, since"
has "buffers of links"
has "it fits"
WEIR_POOL_BYTES=1MiB expect_ok plan rmat:16 cc --devices host:1
has "streamed, since"
WEIR_POOL_BYTES=6MiB expect_ok cc rmat:16 --devices host:2
WEIR_POOL_BYTES=6MiB expect_ok plan rmat:16 cc --devices host:1 --partition edge --memory device
has "it does not fit"
WEIR_POOL_BYTES=1MiB expect_ok plan --vertices 65536 --arcs 955654 cc --devices cuda:0 --partition edge
has "arcs in host memory, since all of it together does not fit on the devices"
has "it does not fit"
WEIR_POOL_BYTES=1MiB expect_ok plan --vertices 65536 --arcs 955654 cc --devices cuda:0
has "streamed, since"
WEIR_POOL_BYTES=6MiB refuse 1 "needs" cc rmat:16 --devices host:1 --partition edge --memory device

# ---- arcs in host memory: by themselves where they do not fit, or as asked; a plan and a run say the same ----
expect_ok plan rmat:14,64 bfs --devices host:1 --memory device --json device.json
grep -q "arcs in host memory" "$OUT" && fail "$LAST: should not say that arcs lie in host memory"
grep -q '"memory": "device"' device.json || fail "the document should say that arcs lie on the device"
expect_ok plan rmat:14,64 bfs --devices host:1 --memory host --json host.json
has "arcs in host memory"
grep -q '"memory": "host"' host.json || fail "the document should say that arcs lie in host memory"
WEIR_POOL_BYTES=3MiB expect_ok plan rmat:14,64 bfs --devices host:1
has "arcs in host memory, since all of it together does not fit on the devices"
has "it fits"
WEIR_POOL_BYTES=3MiB expect_ok bfs rmat:14,64 --devices host:1 --verify --json run.json
has ", memory host"
grep -q '"memory": "host"' run.json || fail "the document of a run should say where arcs lie"
WEIR_POOL_BYTES=3MiB refuse 1 "with memory host it would fit" bfs rmat:14,64 --devices host:1 --memory device
WEIR_POOL_BYTES=1MiB refuse 1 "beside arcs in host memory" bfs rmat:16 --devices host:1
expect_ok bfs rmat:10 --devices host:1 --memory auto --json run.json
grep -q "memory host" "$OUT" && fail "$LAST: should not say that arcs lie in host memory"
grep -q '"memory": "device"' run.json || fail "arcs that fit should lie on the device"
for verb in bfs sssp pr cc color; do
    expect_ok $verb rmat:10 --devices host:2 --memory host --verify
    has "memory host"
done
refuse 2 "--memory has no effect on connected components of arcs that are streamed" cc rmat:10 --stream on --memory host
refuse 2 "bins with arcs in host memory" pr rmat:10 --devices host:1 --bins 4 --memory host
refuse 2 "--memory card: unknown; choose one of: auto, device, host" bfs rmat:10 --memory card
refuse 2 "--memory" topo --memory host

# ---- one verb that cannot be planned leaves the others, if it was not asked for ----
expect_ok plan rmat:10 --order soft --devices host:2
has "cannot be planned: "
has "buckets"
expect_ok plan rmat:10 --order soft --devices host:2 --json some.json
grep -q '"cannot": "' some.json || fail "the document should say what cannot be planned"
refuse 2 "--order" plan rmat:10 cc --order soft

# ---- products ----
for verb in spmv "spmm --columns 5"; do
    # shellcheck disable=SC2086 # words
    for more in "" "--vector whole" "--partition 2d:1x2" "--values f64 --transpose --overlap off"; do
        expect_ok plan powerlaw:90000,20 $verb $more --devices host:2 --json product.json
        has "matrix   powerlaw:90000,20: 90000 rows, 90000 columns, "
        has "records of nonzeros"
        has "it fits"
        NEED=$(bytes_of product.json)
        # A bound just above the plan is enough, half of it is not.
        WEIR_POOL_BYTES=$((NEED / 100 * 103 + 17000000)) expect_ok ${verb%% *} powerlaw:90000,20 ${verb#spm?} $more --devices host:2
        WEIR_POOL_BYTES=$((NEED / 2)) refuse 1 "has no room for its part" ${verb%% *} powerlaw:90000,20 ${verb#spm?} $more --devices host:2
        WEIR_POOL_BYTES=$((NEED / 2)) expect_ok plan powerlaw:90000,20 $verb $more --devices host:2
        has "it does not fit: host:0 has too little"
    done
done
expect_ok plan banded:30000,3 spmv --devices cuda:0-3
has "schedule rows, x cut: 18 rows of it are others', 72 bytes exchanged meanwhile"
has "cuda:3: "
expect_ok plan random:200000x200000,60 spmv --devices cuda:0
has "schedule bins"
has "columns in bins"
expect_ok plan random:3000x5000,4 spmm --machine nvswitch8 --vector cut --partition 2d:4x2
has "x cut"
refuse 2 "--order: a plan of spmv has no such option" plan rmat:8 spmv --order soft
refuse 2 "--seed: a plan of spmm has no such option" plan rmat:8 spmm --seed 3
refuse 2 "--columns: a plan of bfs has no such option" plan rmat:8 bfs --columns 3
refuse 2 "--vector: a plan of traversals has no such option" plan rmat:8 --vector cut
refuse 2 "--columns: spmv has no such option" plan rmat:8 spmv --columns 3
refuse 2 "--schedule bins: is for one column of x, and there are 32" plan rmat:8 spmm --schedule bins
expect_ok plan rmat:8 --partition rows --devices host:3 spmv
refuse 2 "--partition rows: is of spmv and spmm alone" plan rmat:8 bfs --partition rows
refuse 2 "--partition metis: spmv is cut by rows, or 2d:RxC" plan rmat:8 spmv --partition metis
refuse 2 "a grid of 2 x 2 devices, but the product has 3" plan rmat:8 spmv --partition 2d:2x2 --devices host:3
expect_ok plan --vertices 268435456 --arcs 8589934592 spmv --devices cuda:0-3
has "268435456 rows, 268435456 columns, 8589934592 nonzeros of f32, in equal rows, columns spread evenly"
has "schedule bins, x whole"
# Octets of bins are numbered in 32 bits, so that a larger matrix has none by itself.
expect_ok plan --vertices 4000000000 --arcs 100000000000 spmv --devices cuda:0
has "schedule rows"
refuse 2 "bins of a device would have 26291029637 octets of nonzeros" plan --vertices 4000000000 --arcs 100000000000 spmv --devices cuda:0 --schedule bins
expect_ok plan --vertices 268435456 --arcs 8589934592 spmm --columns 4 --devices cuda:0-3 --json sizes.json
has "schedule rows"
grep -q '"at_hand": false' sizes.json || fail "no matrix is at hand"
# Host memory has the x and y of the command, 256 bytes a row each, and who has no nonzeros wants nothing.
expect_ok plan --vertices 1000000 --arcs 1000000 spmm --columns 64 --devices cuda:0 --json sizes.json
HOST=$(sed -n 's/^ *"host_bytes": \([0-9]*\),$/\1/p' sizes.json)
if [ "${HOST:-0}" -ge 512000000 ]; then pass; else fail "host memory should have x and y: $HOST"; fi
expect_ok plan --vertices 1 --arcs 1 spmv --devices host:4
has ": 0 rows of it are others', 0 bytes exchanged"
refuse 2 "has M nonzeros" plan --vertices 5 --arcs 5 spmv --undirected
refuse 2 "has M nonzeros" plan --vertices 5 --arcs 5 spmv --weights unit
refuse 2 "give both of them" plan --vertices 5 spmv
refuse 2 "give only one of them" plan rmat:8 spmv --vertices 5 --arcs 5

# ---- what is wrong ----
refuse 2 "--weights: bfs has no weights" plan rmat:10 bfs --weights unit
expect_ok plan rmat:10 --weights unit --devices host:1
refuse 2 "GRAPH is missing" plan
refuse 2 "give both of them" plan --vertices 5
refuse 2 "give both of them" plan rmat:10 --arcs 5
refuse 2 "give only one of them" plan rmat:10 bfs --vertices 5 --arcs 5
refuse 2 "dfs: plan takes one of bfs, sssp, pr, cc, color, or none of them for all; or spmv or spmm" plan rmat:10 dfs
refuse 2 "one argument too many" plan rmat:10 bfs cc
refuse 2 "how many GPUs" plan rmat:10 --devices cuda,host:1
refuse 2 "device spec" plan rmat:10 --devices host:0
refuse 2 "give only one" plan rmat:10 --devices host:2 --machine m60
refuse 2 "name no file" plan --vertices 5 --arcs 5 --weights file
refuse 2 "parts of --vertices and --arcs are equal" plan --vertices 5 --arcs 5 --partition random
refuse 2 "--balance ownership is not built yet of PageRank" plan rmat:10 pr --balance ownership
refuse 2 "balance ownership is about several devices" plan rmat:10 bfs --devices host:1 --balance ownership
refuse 2 "--wire has no effect on PageRank" plan rmat:10 pr --wire list
refuse 2 "wire bitmap is of what devices send each other" plan rmat:10 bfs --devices host:1 --wire bitmap
expect_ok plan rmat:10 bfs --devices host:2 --wire bitmap
refuse 2 "more than 2^32 numbers" plan --vertices 4294967294 --arcs 5 pr --devices host:2
refuse 2 "--kernel has no effect" plan rmat:10 cc --kernel fused
refuse 2 "nothing here depends on it" plan rmat:10 --seed 3
refuse 2 "--seed: nothing here depends on it" plan rmat:10 bfs --sources 4 --batch --seed 3
expect_ok plan rmat:10 bfs --sources 4 --batch --seed 3 --partition random --devices host:2
refuse 2 "--trials: plan has no such option" plan rmat:10 --trials 3
refuse 2 "no-such-file" plan no-such-file
# ---- a copy of the graph on one device ----
expect_ok plan grid:100x100 bfs --devices host:2 --partition edge --balance ownership
has "targets of all"
expect_ok plan --vertices 10000 --arcs 40000 bfs --devices host:2 --partition edge --balance both
has "targets of all"
expect_ok plan --vertices 10000 --arcs 40000 bfs --devices host:2 --partition edge --balance frontier
expect_ok plan --vertices 10000 --arcs 400000 sssp --devices host:2 --partition edge --balance frontier
if grep -qF "targets of all" "$OUT"; then fail "frontier has a copy of the graph"; else pass; fi
# Copies of hubs' rows: none unless asked for, by the degrees of a graph, of a sketch as many as there may be.
export WEIR_STEAL_HUBS=20
expect_ok plan star:1000 bfs --devices host:2 --partition block --balance frontier
grep -q '^ *targets of hubs *1 *999 ' "$OUT" && grep -q '^ *places of hubs *1 *1 ' "$OUT" && pass || { fail "the other device should have a copy of the hub"; show; }
WEIR_STEAL_HUBS_PERCENT=50 expect_ok plan star:1000 bfs --devices host:2 --partition block --balance frontier
if grep -qF "hubs" "$OUT"; then fail "half of the arcs of a part are fewer than the hub's"; else pass; fi
expect_ok plan --vertices 10000 --arcs 40000 bfs --devices host:2 --partition edge --balance frontier
grep -q '^ *targets of hubs *1 *20000 ' "$OUT" && pass || { fail "a sketch should have copies of as many arcs as a part has"; show; }
expect_ok plan star:1000 bfs --devices host:2 --partition block --balance ownership
if grep -qF "hubs" "$OUT"; then fail "ownership shares no level out"; else pass; fi
unset WEIR_STEAL_HUBS
expect_ok plan star:1000 bfs --devices host:2 --partition block --balance frontier
if grep -qF "hubs" "$OUT"; then fail "copies should be asked for"; else pass; fi

finish
