# The model of docs/two-dimensions.md, "What it would cost": what a level of a search in two dimensions holds, and how long its phases
# take on a machine. Functions alone; scripts/model_2d.sh puts a main part behind them.
#
# An R-MAT graph of scale S has classes of vertices: those whose number, before labels are shuffled, has k ones among its S bits. Two vertices
# have an arc with a probability that only the ones of both and those in common decide, so that all expectations are sums over classes:
#
#     size[k]          vertices of class k
#     many[k, j, i]    vertices of class j that have i ones in common with one of class k
#     pair[k, j, i]    probability that it has an arc to one of them; copies[k, j, i]: how many it has, copies of an arc counted
#     row[k]           arcs of a row of class k: different ones, or with all copies where `multi` is set
#
# Each pair of vertices is joined or not without regard to others. So a vertex of class k is not reached by a set that has the share F[j] of
# each class j with probability prod (1 - F[j] * pair[i])^many[i], over classes j and numbers i of ones in common, and one of C columns has no arc of
# that set to it with F[j] / C in place of F[j]. That who is found early has more neighbours in common than others of its class is left out.

function choose(n, k, i, value) {
    value = 1
    for (i = 1; i <= k; i++) value *= (n - k + i) / i
    return value
}

# Undirected R-MAT of 2^scale vertices. @param multi  copies of an arc are kept, as the paper does; weir keeps one.
function graph_make(scale, factor, multi, k, j, both, rate, once, count) {
    delete size; delete row
    classes = scale; vertices = 2 ^ scale; edges = factor * vertices
    for (k = 0; k <= scale; k++) {
        size[k] = choose(scale, k)
        for (j = 0; j <= scale; j++) {
            for (both = 0; both <= k && both <= j; both++) {
                if (k + j - both > scale) continue
                rate = 2 * edges * 0.57 ^ (scale - k - j + both) * 0.19 ^ (k + j - 2 * both) * 0.05 ^ both
                once = rate < 1e-6 ? rate : 1 - exp(-rate)
                count = choose(k, both) * choose(scale - k, j - both)
                many[k, j, both] = count; pair[k, j, both] = once; copies[k, j, both] = rate
                row[k] += count * (multi ? rate : once)
            }
        }
    }
}

# The class whose rows are nearest to that many arcs.
function class_of(degree, k, best) {
    best = 0
    for (k = 1; k <= classes; k++)
        if ((log(row[k]) - log(degree)) ^ 2 < (log(row[best]) - log(degree)) ^ 2) best = k
    return best
}

# Minus the logarithm of the probability that a vertex of class k has no arc to a set with the share F[j] of each class into pull, and into
# pull_column of the set that one of so many columns has.
function pull_make(k, columns, j, both, share) {
    pull = pull_column = 0
    for (j = 0; j <= classes; j++) {
        if (!F[j]) continue
        for (both = most(0, k + j - classes); both <= k && both <= j; both++) {
            share = F[j] * pair[k, j, both]
            if (share < 1e-6) {
                pull += many[k, j, both] * share
                pull_column += many[k, j, both] * share / columns
                continue
            }
            pull += many[k, j, both] * (share > 1 - 1e-9 ? copies[k, j, both] : -log(1 - share))
            if (columns > 1) pull_column -= many[k, j, both] * log(1 - share / columns)
        }
    }
}

# The levels of a search whose source is of class `from`, from 0 on until less than half a vertex is found: frontier[l], arcs[l] of that
# frontier, met[l]: what devices of `columns` columns meet for the first time of others of their row, all devices together.
# @param degree  of the source
function levels_make(from, degree, columns, k, l, more, gone, now) {
    delete frontier; delete arcs; delete met
    for (k = 0; k <= classes; k++) { F[k] = 0; left[k] = kept[k] = 1 }
    F[from] = 1 / size[from]
    left[from] = 1 - F[from]
    frontier[0] = 1
    reached = 1
    arcs[0] = degree
    more = degree / row[from]
    for (l = 0; l < 1000; l++) {
        frontier[l + 1] = met[l] = arcs[l + 1] = 0
        for (k = 0; k <= classes; k++) {
            pull_make(k, columns)
            gone = least(exp(-more * pull), left[k])
            now[k] = size[k] * (left[k] - gone)
            left[k] = gone
            frontier[l + 1] += now[k]
            arcs[l + 1] += now[k] * row[k]
            if (columns > 1) {
                gone = least(exp(-more * pull_column), kept[k])
                met[l] += size[k] * (columns - 1) * (kept[k] - gone)
                kept[k] = gone
            }
        }
        more = 1
        for (k = 0; k <= classes; k++) F[k] = least(1, F[k] + now[k] / size[k])
        reached += frontier[l + 1]
        if (frontier[l + 1] < 0.5) break
    }
    depth = l + 1
}

# How many of `all` get one of `items` that fall anywhere.
function hit(all, items) { return all <= 1 ? all : all * (1 - (1 - 1 / all) ^ (items < 1 ? 1 : items)) }
function least(a, b) { return a < b ? a : b }
function most(a, b) { return a > b ? a : b }

# Bytes that a pair carries of so many rows. @param wire  list, bitmap or auto
function wire_bytes(items, wire) {
    if (wire == "bitmap" || (wire == "auto" && items > stretch / 32)) return stretch / 8
    return 4 * items
}

# What one core does at a time takes longer where `devices` that have something to do share the cores of a host.
function in_turn(devices) { return fig["cores"] ? most(1, devices / fig["cores"]) : 1 }

# Milliseconds of a phase: its barrier, messages that one device sends, and nanoseconds of what the device that has most does.
function phase_ms(messages, ns) { return fig["barrier_us"] / 1e3 + messages * fig["message_us"] / 1e3 + ns / 1e6 }

# Milliseconds of the phases of level l on a grid into ms[phase], and bytes of all devices into bytes[phase].
function level_cost(l, rows, columns, wire, senders, active, pairs, items, each, near) {
    stretch = 1024 * int((vertices / (rows * columns) + 1023) / 1024) # parts of weir begin at multiples of 1024
    ms["expand"] = ms["fold"] = ms["update"] = bytes["expand"] = bytes["fold"] = 0
    if (rows > 1) {
        senders = hit(rows * columns, frontier[l])
        each = wire_bytes(frontier[l] / senders, wire)
        bytes["expand"] = senders * (rows - 1) * each
        near = least(rows - 1, senders)
        # What goes to the others of the column leaves the device once, and theirs comes in.
        ms["expand"] = phase_ms(near, in_turn(senders) * (near * each * fig["byte_ns"] + (1 + near) * each * fig["stage_ns"]))
    }
    active = hit(columns, frontier[l])
    ms["compute"] = phase_ms(0, in_turn(rows * active) * \
        (arcs[l] / (rows * active) * fig["arc_ns"] + frontier[l] / active * fig["vertex_ns"]))
    if (columns > 1 && met[l] >= 0.5) {
        pairs = hit(rows * active * (columns - 1), met[l])
        items = met[l] / pairs
        each = wire_bytes(items, wire)
        bytes["fold"] = pairs * each
        near = least(columns - 1, pairs)
        ms["fold"] = phase_ms(near, in_turn(rows * active) * near * each * (fig["byte_ns"] + 2 * fig["stage_ns"]))
        ms["update"] = phase_ms(0, in_turn(rows * columns) * near * items * fig["item_ns"])
    }
    ms["all"] = ms["expand"] + ms["compute"] + ms["fold"] + ms["update"]
}

# ---- input ----
function refuse(text) {
    print "model_2d: " text > "/dev/stderr"
    exit 2
}

# A line of figures into fig. @return whether it is one; `grid` and `published` lines are of scripts/model_2d_scaling.awk
function figure_line(file) {
    sub(/#.*/, "")
    if (!NF) return 1
    if ($1 == "grid" || $1 == "published") return 0
    if ($1 !~ /^(arc_ns|vertex_ns|item_ns|byte_ns|stage_ns|message_us|barrier_us|cores)$/) refuse(file ": there is no figure named " $1)
    if (NF != 2 || $2 !~ /^[0-9]+(\.[0-9]+)?$/ || $2 + 0 > 1e9)
        refuse(file ": " $1 " should be one number, 0 or more")
    fig[$1] = $2 + 0
    return 1
}

# A machine without a rate would be one that computes in no time.
function figures_check(file) { if (!("arc_ns" in fig)) refuse(file ": there is no arc_ns among its figures") }

# "rmat:18,16[,9]", with 16 for a factor that is left out as the command has it, into part[1] to part[3].
function graph_text(text, n) {
    if (text !~ /^rmat:[0-9]+(,[0-9]+(,[0-9]+)?)?$/) refuse(text ": the model knows rmat:SCALE[,FACTOR] alone")
    delete part
    n = split(substr(text, 6), part, ",")
    if (n < 2) part[2] = 16
    if (n < 3) part[3] = 0
    if (part[1] < 1 || part[1] > 40) refuse(text ": a scale should be 1 to 40")
    if (part[2] < 1 || part[2] > 4096) refuse(text ": a factor should be 1 to 4096")
    if (n == 3 && (part[3] < 1 || part[3] > 2 ^ part[1])) refuse(text ": a vertex has 1 arc to as many as there are vertices")
}

# "2x4" into grid_rows and grid_columns.
function grid_text(text, n) {
    if (text !~ /^[1-9][0-9]*x[1-9][0-9]*$/ || split(text, side, "x") != 2 || side[1] * side[2] > 1048576)
        refuse(text ": a grid is RxC, of at most 1048576 devices")
    grid_rows = side[1] + 0
    grid_columns = side[2] + 0
}

# How far it is from what was measured or published.
function error_of(said, true) { return true ? sprintf("%+.0f %%", 100 * (said / true - 1)) : "" }
