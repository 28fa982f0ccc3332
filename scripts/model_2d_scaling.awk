# The main part of scripts/model_2d.sh levels and scaling.

function figures_read(file, line) {
    while ((getline < file) > 0) {
        if (figure_line(file)) continue
        if ($1 == "grid") {
            # grid RxC SCALE FACTOR
            if (NF != 4) refuse(file ": grid should have RxC, a scale and a factor")
            grid_text($2); graph_text("rmat:" $3 "," $4)
            grids++
            at_rows[grids] = grid_rows; at_columns[grids] = grid_columns; at_scale[grids] = part[1]; at_factor[grids] = part[2]
        } else {
            # published RxC SCALE FACTOR WIRE WHAT VALUE USE WHERE...
            if (NF < 9 || $5 !~ /^(list|auto)$/ || $6 !~ /^(gteps|compute_ms|transfer_ms|transfer_share|update_share|speedup)$/ ||
                $7 !~ /^[<>]?[0-9]+(\.[0-9]+)?$/ || $8 !~ /^(fit|test)$/) refuse(file ": this line of published is not one: " $0)
            grid_text($2); graph_text("rmat:" $3 "," $4)
            points++
            p_rows[points] = grid_rows; p_columns[points] = grid_columns; p_scale[points] = part[1]; p_factor[points] = part[2]
            p_wire[points] = $5; p_what[points] = $6; p_value[points] = $7; p_use[points] = $8
            $1 = $2 = $3 = $4 = $5 = $6 = $7 = $8 = ""
            sub(/^ +/, ""); p_where[points] = $0
        }
    }
    close(file)
    figures_check(file)
}

# Means over sources, of which each vertex that has an arc is one as likely as others, of a search over a grid: got["compute_ms"],
# got["update_ms"], got["transfer_ms"], and got["gteps"]: edges of the list over the mean time, which is the harmonic mean.
function search(rows, columns, scale, factor, wire, k, l, all, weight, key, sum, w) {
    key = rows " " columns " " scale " " factor
    if (!(key in known)) {
        known[key] = 1
        if (made != scale " " factor) graph_make(scale, factor, 1)
        made = scale " " factor
        for (k = 0; k <= classes; k++) all += source_weight(k)
        for (k = 0; k <= classes; k++) {
            weight = source_weight(k) / all
            if (weight < 0.02) continue
            levels_make(k, row[k] < 1e-6 ? 1 : row[k] / (1 - exp(-row[k])), columns)
            sum += weight
            for (l = 0; l < depth; l++)
                for (w = 1; w <= 2; w++) {
                    level_cost(l, rows, columns, wires[w])
                    mean[key, wires[w], "update"] += weight * ms["update"]
                    mean[key, wires[w], "compute"] += weight * (ms["compute"] + ms["update"])
                    mean[key, wires[w], "transfer"] += weight * (ms["expand"] + ms["fold"])
                }
        }
        whole[key] = sum
    }
    got["update_ms"] = mean[key, wire, "update"] / whole[key]
    got["compute_ms"] = mean[key, wire, "compute"] / whole[key]
    got["transfer_ms"] = mean[key, wire, "transfer"] / whole[key]
    got["ms"] = got["compute_ms"] + got["transfer_ms"]
    got["transfer_share"] = 100 * got["transfer_ms"] / got["ms"]
    got["update_share"] = 100 * got["update_ms"] / got["ms"]
    got["gteps"] = factor * 2 ^ scale / got["ms"] / 1e6
}
function source_weight(k) { return size[k] * (row[k] < 1e-6 ? row[k] : 1 - exp(-row[k])) }

function scaling(p, g, w, value, bound, error, alone) {
    print "| GPUs | grid | scale | wire | what | published | model | error | where |\n|---|---|---|---|---|---|---|---|---|"
    for (p = 1; p <= points; p++) {
        if (p_what[p] == "speedup") { search(1, 1, p_scale[p], p_factor[p], p_wire[p]); alone = got["ms"] }
        search(p_rows[p], p_columns[p], p_scale[p], p_factor[p], p_wire[p])
        value = p_what[p] == "speedup" ? alone / got["ms"] : got[p_what[p]]
        bound = p_value[p] ~ /^[<>]/ ? substr(p_value[p], 1, 1) : ""
        if (bound) error = (bound == "<") == (value < substr(p_value[p], 2) + 0) ? "holds" : "fails"
        else error = error_of(value, p_value[p])
        if (p_use[p] == "fit") error = error " (fitted)"
        printf "| %d | %d x %d | %d | %s | %s | %s | %.3g | %s | %s |\n", p_rows[p] * p_columns[p], p_rows[p], p_columns[p],
            p_scale[p], p_wire[p], p_what[p], p_value[p], value, error, p_where[p]
        if (ENVIRON["CURVE"] && p_what[p] == "gteps")
            print p_rows[p] * p_columns[p], p_value[p] > (ENVIRON["CURVE"] "/" p_wire[p] ".published")
    }
    print "\n| GPUs | grid | scale | computing, ms | transfers with lists, ms | GTEPS with lists | transfers, ms | GTEPS |\n|---|---|---|---|---|---|---|---|"
    for (g = 1; g <= grids; g++) {
        printf "| %d | %d x %d | %d |", at_rows[g] * at_columns[g], at_rows[g], at_columns[g], at_scale[g]
        for (w = 1; w <= 2; w++) {
            search(at_rows[g], at_columns[g], at_scale[g], at_factor[g], wires[w])
            if (w == 1) printf " %.1f |", got["compute_ms"]
            printf " %.1f | %.4g |", got["transfer_ms"], got["gteps"]
            if (ENVIRON["CURVE"])
                print at_rows[g] * at_columns[g], got["gteps"], got["compute_ms"], got["transfer_ms"] > (ENVIRON["CURVE"] "/" wires[w])
        }
        print ""
    }
}

function levels_print(l, wire, sum) {
    wire = ENVIRON["WIRE"]
    if (wire !~ /^(list|bitmap|auto)$/) refuse(wire ": the wire is list, bitmap or auto")
    grid_text(ENVIRON["GRID"])
    graph_text(ENVIRON["GRAPH"])
    graph_make(part[1], part[2], 0)
    l = part[3] ? class_of(part[3]) : 0
    levels_make(l, part[3] ? part[3] : row[l], grid_columns)
    print "| level | frontier | arcs | met | expand, bytes | fold, bytes | expand, ms | compute, ms | fold, ms | update, ms |\n|---|---|---|---|---|---|---|---|---|---|"
    for (l = 0; l < depth; l++) {
        level_cost(l, grid_rows, grid_columns, wire)
        printf "| %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.3f | %.3f | %.3f | %.3f |\n", l, frontier[l], arcs[l], met[l],
            bytes["expand"], bytes["fold"], ms["expand"], ms["compute"], ms["fold"], ms["update"]
        sum += ms["all"]
    }
    printf "reached %.0f, %.3f ms\n", reached, sum
}

BEGIN {
    split("list auto", wires, " ")
    figures_read(ARGV[ARGC - 1])
    if (ENVIRON["VERB"] == "levels") { levels_print(); exit }
    if (!grids) refuse(ARGV[ARGC - 1] ": no grid to scale over")
    scaling()
}
