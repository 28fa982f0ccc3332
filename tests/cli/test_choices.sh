#!/bin/sh
# How work is ordered, run, taken and mapped: every value is accepted, gives right answers and is
# reported as what was picked; others are refused with status 2 and a sentence.
. "$(dirname "$0")/common.sh"

G=grid:12x9,0.9

# right OPTIONS...: a verified run of the verb, its document on standard output.
right() {
    expect_ok $verb $G --source 0 --devices host:2 --verify --json - "$@"
    tr -d ' \n' <"$OUT" >document
    grep -q '"verified":true' document || fail "$LAST: should be verified"
    grep -o '"choices":{[^}]*}' document >choices
}

# picked MEMBER VALUE: what the document says of a choice.
picked() {
    if grep -q "[{,]\"$1\":$2[,}]" choices; then
        pass
    else
        fail "$LAST: $1 should be $2: $(cat choices)"
    fi
}

# no_auto: what was picked is said, never that it was left to be picked.
no_auto() {
    picked order '"\(fifo\|soft\|bulk\)"'
    picked kernel '"\(fused\|discrete\|live\)"'
    picked worker '"\(thread\|warp\|block\)"'
    picked mapping '"\(thread\|warp\|block\|group:[0-9]*\|merge\|own\)"'
    picked fetch '[0-9]*'
    picked cut '[0-9]*'
}

for verb in bfs sssp; do
    # ---- what is left out is picked, and said ----
    right --direction push
    no_auto
    right --direction push --kernel auto --worker auto --mapping auto
    no_auto

    # ---- each value ----
    for order in fifo soft bulk; do
        right --order $order
        picked order "\"$order\""
    done
    right --order fifo
    picked delta 0
    right --order soft:7
    picked order '"soft"'
    picked delta 7
    for kernel in fused discrete live; do
        right --kernel $kernel
        picked kernel "\"$kernel\""
    done
    for worker in thread warp block; do
        right --worker $worker
        picked worker "\"$worker\""
    done
    for fetch in 1 3 4096; do
        right --fetch $fetch
        picked fetch $fetch
    done
    # Some mappings are wider than a warp, so these ask for the widest worker.
    for mapping in thread warp block merge group:1 group:2 group:8 group:32 group:1024; do
        right --worker block --mapping $mapping
        picked mapping "\"$mapping\""
    done
    expect_ok $verb $G --devices host:2 --order soft:5 --kernel discrete --worker warp --fetch 3 \
        --mapping group:4
    has "order soft:5, kernel discrete, worker warp, fetch 3, mapping group:4"

    # ---- together ----
    for kernel in fused discrete; do
        for order in fifo soft bulk; do
            for both in thread: warp:thread warp:warp block:merge block:block; do
                mapping=${both#*:}
                # shellcheck disable=SC2086 # a worker that is a thread takes none: no word
                expect_ok $verb $G --devices host:3 --kernel $kernel --order $order \
                    --worker "${both%%:*}" ${mapping:+--mapping $mapping} --fetch 2 --verify
                has "verified: ok"
            done
        done
    done

    # ---- kernel live: no rounds, so fifo alone; with queues of its own ----
    for worker in thread warp block; do
        for queues in 1 3 1024; do
            right --kernel live --worker $worker --queues $queues --fetch 5
            picked kernel '"live"'
            picked order '"fifo"'
            picked queues $queues
            grep -q '"rounds":0,' document || fail "$LAST: kernel live has no rounds"
            grep -q '"pops":[0-9]' document || fail "$LAST: pops should be told"
        done
    done
    expect_ok $verb rmat:12 --devices host:3 --kernel live --verify
    has "verified: ok"
    has "order fifo, kernel live"
    expect_ok $verb rmat:12 --devices host:3 --kernel live --stats
    for row in pops "empty pops" steals "most in a queue"; do
        has "  $row "
    done
    right --kernel fused
    picked queues null
    for order in soft soft:3 bulk; do
        refuse 2 "kernel live: order ${order%:*} goes by rounds" $verb $G --kernel live --order $order
    done
    refuse 2 "queues has no effect without kernel live" $verb $G --direction push --queues 4
    for queues in "" 0 1025 -1 x; do
        refuse 2 "--queues: \"$queues\" is not a whole number from 1 to 1024" $verb $G --kernel live --queues="$queues"
    done

    # ---- one device: the same choices, nothing to send ----
    for kernel in fused discrete; do
        expect_ok $verb $G --source 0 --devices host:1 --kernel $kernel --order bulk --verify
        has "verified: ok"
        has "kernel $kernel"
    done

    # ---- a worker that is a thread walks its tiles alone ----
    right --worker thread
    picked mapping null
    for mapping in thread warp block merge group:2; do
        refuse 2 "mapping has no effect where a worker is a thread" $verb $G --worker thread --mapping $mapping
    done

    # ---- one that is a warp has no more than 32 lanes ----
    for mapping in thread warp merge group:32; do
        right --worker warp --mapping $mapping
        picked mapping "\"$mapping\""
    done
    refuse 2 "mapping block has no effect where a worker is a warp" $verb $G --worker warp --mapping block
    for group in 64 1024; do
        refuse 2 "a group of more than 32 lanes has no effect where a worker is a warp" \
            $verb $G --worker warp --mapping group:$group
    done

    # ---- refused ----
    for group in "" 0 3 5 1023 1025 2048 -1 x 1.5 99999999999999999999; do
        refuse 2 "\"$group\" is not a power of two from 1 to 1024" $verb $G --mapping "group:$group"
    done
    for fetch in "" 0 4097 -1 x 1.5 99999999999999999999; do
        refuse 2 "--fetch: \"$fetch\" is not a whole number from 1 to 4096" $verb $G --fetch="$fetch"
    done
    refuse 2 "--mapping group: unknown; choose one of: auto, thread, warp, block, group:N, merge" \
        $verb $G --mapping group
    refuse 2 "--mapping own: unknown; choose one of: " $verb $G --mapping own
    refuse 2 "--order bulk:3: unknown; choose one of: fifo, soft, soft:DELTA, bulk" $verb $G --order bulk:3
    refuse 2 "--order near-far: unknown; choose one of: " $verb $G --order near-far
    refuse 2 "--kernel resident: unknown; choose one of: auto, fused, discrete, live" $verb $G --kernel resident
    refuse 2 "--worker grid: unknown; choose one of: auto, thread, warp, block" $verb $G --worker grid
done
finish
