# Draws the runs of soak_random.sh: one a line, "VARIABLE=VALUE ... | VERB GRAPH OPTIONS". Variables: seed, runs, size (of graphs: 1 is for two
# cores), made (a folder with the files that soak_random.sh makes), devices (specs, parted by blanks), first (of the tunables; 1: the smallest
# values alone). With names=VERB it prints the options of that verb that it draws, and those that it leaves alone.

# Park and Miller's generator: the same numbers in every awk, since 16807 * 2^31 is exact in a double.
function next_number() { return state = (state * 16807) % 2147483647 }
function below(n) { return int(next_number() / 2147483647 * n) }
function one_of(list, n, part) { n = split(list, part, " "); return part[1 + below(n)] }
function chance(percent) { return below(100) < percent }
# An option with one of these values, as often as that.
function draw(percent, name, values) { if (chance(percent)) line = line " --" name " " one_of(values) }
function flag(percent, name) { if (chance(percent)) line = line " --" name }
function tunable(percent, name, values) { if (chance(percent)) settings = settings name "=" one_of(values) " " }

# Through queues and packets of a few items PageRank goes round between a hub and its leaves a hundred times: no large stars there.
function graph(s) {
    s = size
    return one_of("rmat:" 6 + below(4 + s) "," 1 + below(20) " grid:" 1 + below(60 * s) "x" 1 + below(60 * s) ",0." 1 + below(9) \
        " mesh:" 1 + below(40 * s) "x" 1 + below(40 * s) ",shuffle," 1 + below(9) " uniform:" 5 + below(5 + s) "," 1 + below(8) \
        " smallworld:" 20 + below(3000 * s) ",8,.2 tree:" 1 + below(5000 * s) "," 1 + below(5) " chain:" 1 + below(1500 * s) \
        " star:" 2 + below((verb == "pr" ? 1000 : 20000) * s) " complete:" 2 + below(90 * s) " " made "/loops.el " made "/once.el " made "/hubs.el " made "/tail.el " made \
        "/instar.el " made "/weights.mtx " made "/apart.el")
}

function shared() {
    flag(40, "undirected")
    draw(40, "partition", "auto edge block random")
    draw(20, "trials", "1 2 3")
    draw(20, "seed", "1 2 77")
    draw(30, "memory", "auto device host")
    draw(40, "verify-by", "auto reference certificate")
}

# What runs through the worklist. A kernel that stays has one order; lanes that take items by themselves, no mapping.
function worklist(orders, kernel, worker) {
    kernel = chance(60) ? one_of("auto fused discrete live") : ""
    worker = chance(50) ? one_of("auto thread warp block") : ""
    if (kernel) line = line " --kernel " kernel
    if (kernel == "live") draw(50, "queues", "1 2 7")
    else draw(60, "order", orders)
    if (worker) line = line " --worker " worker
    if (worker == "warp") draw(50, "mapping", "auto thread warp group:1 group:4 group:32 merge")
    else if (worker != "thread") draw(50, "mapping", "auto thread warp block group:2 group:16 group:256 group:1024 merge")
    draw(40, "fetch", "1 2 5 33 1000")
    draw(40, "route", "auto direct ring tree staged")
}

function way(orders) {
    if (chance(60)) {
        line = line " --direction push"
        worklist(orders)
    } else if (chance(60)) line = line " --direction " one_of(verb == "bfs" ? "switch pull down auto" : "switch pull auto")
    else if (chance(50)) worklist(orders)
}

# A grid and its devices, which are drawn together: host devices, so that it runs everywhere.
function grid(rows, columns) {
    rows = 1 + below(3)
    columns = 1 + below(3)
    sub(/ --partition [^ ]*/, "", line)
    sub(/ --memory [^ ]*/, "", line)
    line = line " --partition 2d:" rows "x" columns
    its_devices = "host:" rows * columns
}

function two() {
    grid()
    flag(40, "parents")
    draw(40, "direction", "down auto")
    draw(70, "wire", "list bitmap auto")
}

# Levels are shared out, or done by one device, where they go top-down, in step, on several devices: host devices, so that it runs everywhere. Through the
# worklist one device does all. PageRank that is pushed is in step then.
function balance(values) {
    if (line ~ /--(direction pull|memory host)/ || chance(40)) {
        draw(10, "balance", "off auto")
        return
    }
    if (line !~ /^pr / && line ~ /--(direction push|route|order|kernel|queues|worker|fetch|mapping)/) values = "ownership"
    # Without a partition a small graph is searched on one device.
    sub(/ --partition auto/, "", line)
    if (line !~ /--partition/) line = line " --partition " one_of("edge block random")
    line = line " --balance " one_of(values)
    its_devices = "host:" 2 + below(7)
}

function bfs() {
    line = "bfs " graph()
    shared()
    if (chance(20)) { # up to two batches; most graphs have as many vertices with arcs
        line = line " --sources " (chance(30) ? 60 + below(12) : 1 + below(9)) " --batch"
        draw(40, "direction", "switch pull auto")
        return
    }
    if (chance(30)) line = line " --sources " 1 + below(3)
    if (chance(15)) { # in two dimensions
        two()
        return
    }
    if (chance(25)) {
        line = line " --parents"
        if (chance(50)) line = line " --direction " one_of("switch pull down auto")
    } else way("fifo soft soft:1 soft:3 soft:400 bulk")
    balance("frontier ownership both")
    # Bitmaps are of levels top-down: other directions and one device are refused by name.
    draw(25, "wire", "list bitmap bitmap auto")
}

function sssp() {
    line = "sssp " graph()
    shared()
    if (chance(30)) line = line " --sources " 1 + below(3)
    draw(70, "weights", "auto unit random random:0-1 random:1-255:9 random:0-4294967295 random:4294967295-4294967295 random:1-1 random:0-1f random:0.1-7.5f:3")
    # A tree is over weights above 0, whose sums fit 32 bits.
    if (line !~ /weights|\.el|\.mtx/ && chance(40)) {
        line = line " --weights " one_of("unit random random:1-255:9 random:0.5-1f") " --parents"
        if (chance(50)) line = line " --direction " one_of("switch auto")
    } else way("fifo soft soft:1 soft:50 soft:100000000 bulk")
    # Doubles go through the worklist alone, and so do weights of a file that may be such.
    if (line ~ /weights (auto|random:0-4294967295|random:4294967295)|\.el|\.mtx/) {
        if (line ~ /--direction switch/) draw(10, "balance", "off auto")
        else balance("ownership")
    } else balance(line ~ /--(direction switch|parents)/ ? "frontier" : "frontier ownership")
    draw(10, "wire", "list")
}

function pr() {
    line = "pr " graph()
    shared()
    draw(60, "tolerance", "1e-3 1e-5 1e-7")
    draw(30, "damping", "0 0.3 0.85 0.9")
    draw(30, "dangling", "spread ignore")
    if (chance(15)) { # in two dimensions
        grid()
        draw(30, "direction", "pull auto")
    } else if (chance(45)) {
        line = line " --direction push"
        worklist("fifo soft soft:5 bulk")
        draw(10, "balance", "off auto")
    } else if (chance(35)) {
        draw(60, "direction", "push auto")
        balance("frontier")
    } else {
        draw(30, "direction", "pull auto")
        if (chance(50)) line = line " --" one_of("bands hubs bins") " " one_of("1 2 5 33 64")
    }
}

function cc() {
    line = "cc " graph()
    shared()
    if (chance(20)) { # in two dimensions
        grid()
        draw(50, "stream", "auto off")
        return
    }
    draw(50, "stream", "auto on off")
    draw(40, "route", "auto direct ring tree staged")
}

# Items of colourings add up tiles, which warps do, and groups of their lanes.
function color(kernel) {
    line = "color " graph()
    shared()
    draw(40, "permute", "1 7 99")
    if (chance(60)) {
        line = line " --direction push"
        kernel = chance(60) ? one_of("auto fused discrete live") : ""
        if (kernel) line = line " --kernel " kernel
        if (kernel == "live") draw(50, "queues", "1 2 7")
        else draw(60, "order", "fifo soft soft:1 soft:4 bulk")
        draw(40, "worker", "auto warp")
        draw(40, "mapping", "auto group:1 group:4 group:32")
        draw(40, "fetch", "1 2 5 33 1000")
        draw(40, "route", "auto direct ring tree staged")
    } else draw(30, "direction", "pull auto")
}

function pbf() {
    line = "pbf --elements " one_of("1 1000 65537 " 1 + below(300000 * size))
    draw(60, "selectivity", "0 0.01 0.5 1")
    draw(60, "packet", "4 64 4KiB 100KB 1MiB")
    draw(50, "schedule", "dynamic static")
    draw(40, "work", "0 1 9")
    draw(20, "trials", "1 2 3")
    draw(20, "seed", "1 2 77")
}

# A matrix, or any graph; a graph's options are not a matrix's.
function product(s) {
    s = size
    if (chance(50)) {
        line = line " " one_of("banded:" 1 + below(3000 * s) "," below(9) " random:" below(900 * s) "x" 1 + below(3000 * s) ",1 powerlaw:" 1 + below(2000 * s) ",20 blocks:" \
            1 + below(900 * s) ",16 denserow:" 1 + below(5000 * s) " emptyrows:" below(20000 * s) "," 1 + below(99))
    } else {
        line = line " " graph()
        flag(40, "undirected")
        draw(40, "weights", "auto unit random random:0-1 random:1-255:9 random:1e-3-1f")
    }
    draw(40, "values", "f32 f64")
    flag(30, "transpose")
    draw(30, "alpha", "1 -2.5 0")
    draw(30, "beta", "0 1 -0.5")
    draw(40, "overlap", "auto on off")
    draw(50, "vector", "auto whole cut")
    draw(20, "trials", "1 2 3")
    draw(20, "seed", "1 2 77")
    flag(10, "compare")
    if (chance(25)) {
        s = 1 + below(3)
        its_devices = 1 + below(3)
        line = line " --partition 2d:" s "x" its_devices
        its_devices = "host:" s * its_devices
    } else draw(10, "partition", "rows")
}

function spmv() {
    line = "spmv"
    product()
    draw(70, "schedule", "auto rows bins thread warp block group merge")
}

function spmm() {
    line = "spmm"
    product()
    draw(60, "schedule", "auto rows thread warp block group merge")
    draw(70, "columns", "1 2 3 7 8 31 33 64")
}

# The smallest values are where queues overflow, packets hold an item, and buffers run out.
function settle(small) {
    settings = ""
    small = first || chance(60)
    tunable(small ? 80 : 20, "WEIR_QUEUE_ITEMS", small ? "16 17" : "16 64 1000")
    tunable(small ? 80 : 20, "WEIR_PACKET_BYTES", small ? "16 20" : "16 64 100 4096")
    tunable(small ? 60 : 20, "WEIR_LINK_BUFFERS", small ? "1" : "1 2 3")
    tunable(small ? 30 : 10, "WEIR_SPILL_BYTES", "64 65536 1GiB")
    tunable(20, "WEIR_FUSE_ITEMS", "0 1 64")
    tunable(40, "WEIR_DIRECT_ITEMS", "0 1 30 300")
    tunable(40, "WEIR_PADDED_ROWS", "0 2 2")
    # One message at a time takes a quarter of a millisecond, and PageRank sends a great many.
    tunable(20, "WEIR_LINK_MESSAGES", verb == "pr" ? "100 1000" : "1 2 100")
    tunable(20, "WEIR_LINK_BYTES", verb == "pr" ? "4096" : "16 4096")
    tunable(20, "WEIR_LINK_PATIENCE", "0 1")
    tunable(20, "WEIR_CACHE_BYTES", "4096 65536")
    tunable(15, "WEIR_HOST_THREADS", "1 2 3")
    tunable(40, "WEIR_STEAL_ARCS", "1 1000")
    tunable(20, "WEIR_STEAL_PERCENT", "100 150")
    tunable(30, "WEIR_STEAL_HUBS", "1 20 300")
    tunable(40, "WEIR_STEAL_ENTRIES", "1 20 1000000")
    tunable(10, "WEIR_TRANSPORT", "auto staged")
    tunable(10, "WEIR_PEER", "probe off")
}

function names(verb, text) {
    text["bfs"] = "source sources batch undirected devices memory partition direction parents route order kernel queues worker fetch mapping balance wire trials seed verify verify-by"
    text["sssp"] = "source sources undirected weights devices memory partition direction parents route order kernel queues worker fetch mapping balance wire trials seed verify verify-by"
    text["pr"] = "undirected devices memory partition direction tolerance damping dangling bands hubs bins route order kernel queues worker fetch mapping balance trials seed verify verify-by"
    text["cc"] = "undirected devices memory partition stream route trials seed verify verify-by"
    text["color"] = "undirected devices memory partition direction permute route order kernel queues worker fetch mapping trials seed verify verify-by"
    text["pbf"] = "elements selectivity devices packet schedule work trials seed verify"
    text["spmv"] = "undirected weights values transpose alpha beta schedule partition overlap vector devices trials seed compare verify"
    text["spmm"] = text["spmv"] " columns"
    # Left alone: what bounds a run by itself, and what only writes about it.
    text["left"] = "time-limit iterations stats x y output output-parents json trace dot help"
    print text[verb], text["left"]
}

BEGIN {
    if (names_of) {
        names(names_of)
        exit
    }
    state = (seed * 7919 + 12345) % 2147483646 + 1
    for (i = 0; i < 10; i++) next_number()
    for (i = 0; i < runs; i++) {
        verb = one_of("bfs bfs bfs sssp sssp sssp pr pr cc cc color color pbf spmv spmm")
        settle()
        its_devices = ""
        if (verb == "bfs") bfs()
        else if (verb == "sssp") sssp()
        else if (verb == "pr") pr()
        else if (verb == "cc") cc()
        else if (verb == "color") color()
        else if (verb == "spmv") spmv()
        else if (verb == "spmm") spmm()
        else pbf()
        print settings "| " line " --devices " (its_devices ? its_devices : one_of(devices)) " --verify"
    }
}
