# The main part of scripts/model_2d.sh fit, hold and machine: reads documents of weir bfs --json, which have a member a line, and puts
# the trial of each that took least beside the model: others use the cores of a host too.

function text_of(line) { sub(/^[^:]*: */, "", line); sub(/,$/, "", line); gsub(/"/, "", line); return line }

# What a document holds: name, grid, wire, levels; real[level, member], and real["all"], milliseconds of all kernels.
function document_read(file, line, level, trial, on, key, n, best, most_levels, seeded) {
    delete real; delete times
    name = grid = wire = source = undirected = ""
    trial = level = -1; on = most_levels = best = 0
    while ((getline line < file) > 0) {
        if (line ~ /^ *"name": "rmat:/ && name == "") name = text_of(line)
        if (line ~ /"partition": /) grid = text_of(line)
        if (line ~ /"undirected": /) undirected = text_of(line)
        if (line ~ /"wire": / && wire == "") wire = text_of(line)
        if (line ~ /"trials": \[/) on = 1
        if (!on) continue
        if (line ~ /^ *"source": /) {
            trial++; level = -1
            if (source != "" && text_of(line) != source) refuse(file ": more than one source, which the model cannot add up")
            source = text_of(line)
        }
        if (line ~ /^ *"kernel_ms": / && level < 0) {
            times[trial] = text_of(line) + 0
            if (trial == 0 || times[trial] < times[best]) best = trial
        }
        if (line ~ /"frontier": /) level++
        if (level < 0 || !match(line, /"[a-z_]+": /)) continue
        key = substr(line, RSTART + 1, RLENGTH - 4)
        if (key !~ /^(frontier|(expand|compute|fold|update)_ms|(expand|fold)_bytes)$/) continue
        if (key ~ /_ms$/) times[trial, level, key] = text_of(line) + 0
        else real[level, key] = text_of(line) + 0
        if (level + 1 > most_levels) most_levels = level + 1
    }
    close(file)
    if (name == "" || undirected != "true") refuse(file ": no document of weir bfs rmat:SCALE --undirected --json")
    if (grid !~ /^2d:/ || most_levels < 2) refuse(file ": no search in two dimensions with levels")
    grid_text(substr(grid, 4))
    key = name
    if (split(name, seeded, ",") == 3) sub(/,[0-9]+$/, "", key) # the third is a seed here
    graph_text(key)
    for (level = 0; level < most_levels; level++)
        for (n = 1; n <= 4; n++) real[level, phase[n]] = times[best, level, phase[n] "_ms"]
    real["all"] = times[best]
    levels = most_levels
    graph_make(part[1], part[2], 0)
    levels_make(class_of(real[1, "frontier"]), real[1, "frontier"], grid_columns)
}

# The least time of so many that one device does alone, of the levels with a good part of the most; waiting for others only adds to it.
function least_ratio(much, spent, l, top, best) {
    best = -1
    for (l in much) top = most(top, much[l])
    for (l in much)
        if (much[l] > 0 && much[l] >= top / 4 && (best < 0 || spent[l] / much[l] < best)) best = spent[l] / much[l]
    return best < 0 ? 0 : best
}

# How many nanoseconds phase `which` takes of level l if figure `name` is one and the others are none.
function amount(l, name, which) {
    fig[name] = 1
    level_cost(l, grid_rows, grid_columns, wire)
    fig[name] = 0
    return ms[which] ? (ms[which] - fig["barrier_us"] / 1e3) * 1e6 : 0
}

# A level of few takes its barrier. Arcs and vertices by least squares over levels; bytes and items by the least ratio.
function fit(file, l, n, least_ms, spent, aa, av, vv, at, vt, a, v, det, moved, bytes_of, taken, items_of) {
    document_read(file)
    least_ms = 1e9
    for (l = 0; l < levels; l++)
        for (n = 1; n <= 4; n++)
            if (real[l, phase[n]] > 0) least_ms = least(least_ms, real[l, phase[n]])
    fig["barrier_us"] = least_ms * 1e3
    fig["cores"] = ENVIRON["CORES"]
    for (l = 0; l < levels && l < depth; l++) {
        a = amount(l, "arc_ns", "compute")
        v = amount(l, "vertex_ns", "compute")
        spent = most(0, real[l, "compute"] - least_ms) * 1e6
        aa += a * a; av += a * v; vv += v * v; at += a * spent; vt += v * spent
        for (n = 1; n <= 3; n += 2) {
            bytes_of[l, n] = amount(l, "byte_ns", phase[n])
            moved[l, n] = most(0, real[l, phase[n]] - least_ms) * 1e6
        }
        items_of[l] = amount(l, "item_ns", "update")
        taken[l] = most(0, real[l, "update"] - least_ms) * 1e6
    }
    det = aa * vv - av * av
    a = det ? (at * vv - vt * av) / det : 0
    v = det ? (vt * aa - at * av) / det : 0
    # One of the two explains the times best alone where the other would be negative.
    if (v < 0 || !det) { v = 0; a = aa ? at / aa : 0 }
    if (a < 0) { a = 0; v = vt / vv }
    printf "# %s, grid %dx%d\n", name, grid_rows, grid_columns
    printf "arc_ns %.4f\nvertex_ns %.4f\nitem_ns %.4f\nbyte_ns %.4f\n", a, v, least_ratio(items_of, taken), least_ratio(bytes_of, moved)
    printf "stage_ns 0\nmessage_us 0\nbarrier_us %.4f\ncores %d\n", least_ms * 1e3, ENVIRON["CORES"]
}

function hold(file, l, said, sum_said, share) {
    document_read(file)
    printf "\n**%s, %dx%d, wire %s**\n\n| level | frontier | model | bytes | model | ms | model |\n|---|---|---|---|---|---|---|\n", name, grid_rows, grid_columns, wire
    for (l = 0; l < levels || l < depth; l++) {
        said["ms"] = said["bytes"] = said["frontier"] = 0
        if (l < depth) {
            level_cost(l, grid_rows, grid_columns, wire)
            said["ms"] = ms["all"]; said["bytes"] = bytes["expand"] + bytes["fold"]; said["frontier"] = frontier[l]
        }
        share = real[l, "expand_bytes"] + real[l, "fold_bytes"]
        sum_real_bytes += share; sum_said_bytes += said["bytes"]; sum_said += said["ms"]
        printf "| %d | %.0f | %.0f | %.0f | %.0f | %.3f | %.3f |\n", l, real[l, "frontier"], said["frontier"], share, said["bytes"],
            real[l, "expand"] + real[l, "compute"] + real[l, "fold"] + real[l, "update"], said["ms"]
    }
    printf "| all | | | %.0f | %.0f, %s | %.3f | %.3f, %s |\n", sum_real_bytes, sum_said_bytes, error_of(sum_said_bytes, sum_real_bytes),
        real["all"], sum_said, error_of(sum_said, real["all"])
    sum_real_bytes = sum_said_bytes = 0
}

# What stands behind a key of a line.
function member_of(line, key) {
    if (!match(line, "\"" key "\": *\"?[^,\"}]*")) return ""
    line = substr(line, RSTART, RLENGTH)
    sub(/^"[a-z_]*": *"?/, "", line)
    return line
}

# Bytes and messages between devices, means over the pairs of a machine that was measured, as weir topo --format json writes it: a pair a line.
function machine(file, line, on, from, to, count, ns, us, push) {
    while ((getline line < file) > 0) {
        if (line ~ /"devices": \[/) on = 1
        if (line ~ /"hosts": \[/) on = 0
        if (on && line ~ /"label": /) device[member_of(line, "label")] = 1
        if (line ~ /"push_us": /) push = member_of(line, "push_us")
        if (line !~ /"from": /) continue
        from = member_of(line, "from"); to = member_of(line, "to")
        if (!(from in device) || !(to in device) || from == to) continue
        if (member_of(line, "bandwidth_gbs") + 0 <= 0) refuse(file ": nobody has measured what goes from " from " to " to)
        count++
        ns += 1 / member_of(line, "bandwidth_gbs")
        us += member_of(line, "latency_us")
    }
    if (!count) refuse(file ": no two devices of a machine that weir topo --measure --format json has measured")
    printf "byte_ns %.4f\nmessage_us %.4f\n", ns / count, us / count + push
}

BEGIN {
    if (ENVIRON["VERB"] == "machine") { machine(ARGV[1]); exit }
    split("expand compute fold update", phase, " ")
    if (ENVIRON["VERB"] == "fit") {
        if (ENVIRON["CORES"] !~ /^[0-9]+$/ || ENVIRON["CORES"] + 0 > 1e6) refuse("CORES should be a whole number")
        fit(ARGV[ARGC - 1])
        exit
    }
    while ((getline < ARGV[1]) > 0) figure_line(ARGV[1])
    figures_check(ARGV[1])
    for (f = 2; f < ARGC; f++) hold(ARGV[f])
}
