#!/bin/sh
# Pictures of a result of `weir bench --json`: a heat map of figures between all pairs, curves where
# there is an axis (sizes), bars for everything else. One file a benchmark, in OUTDIR.
#
#   scripts/plot-bench.sh RESULT.json OUTDIR
#
# Environment: BUILD (build), FORMAT (svg; or png). Needs gnuplot.
set -eu
weir=${BUILD:-build}/weir
format=${FORMAT:-svg}
if [ $# -ne 2 ]; then
    echo 'usage: scripts/plot-bench.sh RESULT.json OUTDIR' >&2
    exit 2
fi
if ! command -v gnuplot >/dev/null 2>&1; then
    echo 'plot-bench: gnuplot is not installed' >&2
    exit 1
fi
case $format in
svg) terminal='svg size 1000,600 font "sans,14" background "white"' ;;
png) terminal='pngcairo size 1000,600 font "sans,11" background "white"' ;;
*) echo "plot-bench: FORMAT=$format: choose svg or png" >&2 && exit 2 ;;
esac
result=$1 out=$2
mkdir -p "$out"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$weir" bench --from "$result" --format csv >"$tmp/csv"
machine=$("$weir" bench --from "$result" | sed -n 's/^machine  //p')

# Comma-separated values with quotes to tab-separated ones without.
awk '{
    line = $0; fields = ""
    while (line != "") {
        if (substr(line, 1, 1) == "\"") {
            text = ""; line = substr(line, 2)
            while ((at = index(line, "\"")) > 0) {
                text = text substr(line, 1, at - 1)
                line = substr(line, at + 1)
                if (substr(line, 1, 1) != "\"") break
                text = text "\""; line = substr(line, 2)
            }
            line = substr(line, 2)
        } else {
            at = index(line, ",")
            text = at ? substr(line, 1, at - 1) : line
            line = at ? substr(line, at + 1) : ""
        }
        gsub(/\t/, " ", text)
        fields = fields (fields == "" ? "" : "\t") text
    }
    print fields
}' "$tmp/csv" | sed 1d >"$tmp/tsv"

# One gnuplot program and one file of data for each picture, named after the benchmark.
awk -F '\t' -v dir="$tmp" -v machine="$machine" '
    function quoted(text) { gsub(/[\\"]/, "\\\\&", text); return "\"" text "\"" }
    # A text on lines of at most so many characters.
    function wrapped(text, most, n, words, i, line, all) {
        n = split(text, words, " ")
        for (i = 1; i <= n; i++) {
            if (line != "" && length(line) + length(words[i]) >= most) { all = all line "\\n"; line = "" }
            line = line (line == "" ? "" : " ") words[i]
        }
        return all line
    }
    # The machine has a line of its own.
    function title_of(name, extra, most, text) {
        text = wrapped(name ": " title[name] extra, most) "\\n" wrapped(machine, most)
        gsub(/"/, "\\\"", text)
        return "set title \"" text "\" noenhanced\n"
    }
    function ends_of(i) { return from[i] == "" && to[i] == "" ? "" : from[i] " to " to[i] }
    function legend(i) { return series[i] (ends_of(i) == "" ? "" : ", " ends_of(i)) }
    function base(text) { sub(/, staged$/, "", text); return text }
    function number(text) { return text + 0 }
    function wide(name, most) { return low[name] > 0 && high[name] / low[name] > most }

    # ---- heat map: rows from, columns to; one picture for each series ----
    function is_matrix(key, n, ends, seen, i, count) {
        for (i = 1; i <= rows; i++) if (group[i] == key) {
            if (from[i] == "" || to[i] == "") return 0
            if (!(from[i] in seen)) { seen[from[i]]; ends++ }
            if (!(to[i] in seen)) { seen[to[i]]; ends++ }
            count += from[i] != to[i]
        }
        return ends > 2 && 2 * count >= ends * (ends - 1)
    }
    function heat_map(key, file, i, j, n, at, order, value, mark, staged, name, text, script) {
        for (i = 1; i <= rows; i++)
            if (group[i] == key && !(from[i] in at)) { at[from[i]] = n + 0; order[n++] = from[i] }
        for (i = 1; i <= rows; i++) if (group[i] == key) {
            name = bench[i]; text = base(series[i])
            if (text != series[i]) { mark[from[i], to[i]] = "*"; staged = 1 }
            if (!(to[i] in at)) { at[to[i]] = n + 0; order[n++] = to[i] }
            value[from[i], to[i]] = median[i]
        }
        script = "stats DATA using 3 nooutput\n" title_of(name, ", " text (staged ? " (* staged through home)" : ""), 84)
        script = script "set xlabel \"to\"\nset ylabel \"from\"\nset cblabel \"" unit[name] ", " \
            better[name] " is better\"\nset xrange [-0.5:" n - 0.5 "]\nset yrange [" n - 0.5 ":-0.5]\n" \
            "set palette defined (0 \"#f7fbff\", 1 \"#6baed6\", 2 \"#08519c\")\nunset key\n" \
            "set xtics rotate by 45 right out nomirror noenhanced (" tics(order, n) ")\n" \
            "set ytics out nomirror noenhanced (" tics(order, n) ")\n" \
            "if (STATS_min == STATS_max) set cbrange [0:2 * STATS_max]\n"
        # White on the dark half of the palette, black on the light one.
        script = script "plot DATA using 1:2:3 with image, DATA using 1:2:4:($3 > STATS_min + 0.55 * " \
            "(STATS_max - STATS_min) ? 0xffffff : 0x000000) with labels textcolor rgb variable " \
            "noenhanced" (n > 9 ? " font \",8\"" : "") "\n"
        print script > (file ".gp")
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++)
                if ((order[i], order[j]) in value)
                    print j "\t" i "\t" value[order[i], order[j]] "\t" short(value[order[i], order[j]]) mark[order[i], order[j]] > (file ".dat")
                else
                    print j "\t" i "\tNaN\t \"\"" > (file ".dat")
    }
    function tics(order, n, i, text) {
        for (i = 0; i < n; i++) text = text (i ? ", " : "") quoted(order[i]) " " i
        return text
    }
    function short(value) { return value >= 100 ? sprintf("%.0f", value) : value >= 10 ? sprintf("%.1f", value) : sprintf("%.3g", value) }

    # ---- curves: one for each series and pair. One figure alone, off the positions of the others
    # (one transfer beside packets), is a level line to compare with ----
    function count_points(name, points, shared, i) {
        for (i = 1; i <= rows; i++) if (bench[i] == name) points[legend(i)]++
        for (i = 1; i <= rows; i++) if (bench[i] == name && points[legend(i)] > 1) { shared[x[i]]; shared[""] = 1 }
        return shared[""] # whether there is anything to draw a curve through
    }
    function curves(name, file, i, n, keys, known, points, shared, level, at, script, plots) {
        count_points(name, points, shared)
        script = title_of(name, "", 92)
        script = script "set xlabel " quoted(axis[name]) "\nset ylabel \"" unit[name] ", " better[name] " is better\"\n" \
            "set grid\nset key below horizontal maxcols 2 noenhanced\n" (name_positive[name] ? "set logscale x 2\n" : "")
        if (axis[name] ~ /bytes/)
            script = script "set format x \"%.0b %BB\"\nset xtics font \",10\"\n"
        script = script (wide(name, 50) ? "set logscale y\n" : "set yrange [0:*]\n")
        for (i = 1; i <= rows; i++) if (bench[i] == name) {
            if (!(legend(i) in known)) { known[legend(i)] = n + 0; keys[n++] = legend(i) }
            level[legend(i)] = median[i]; at[legend(i)] = x[i]
            print x[i] "\t" median[i] "\t" lows[i] "\t" highs[i] > (file "." known[legend(i)] ".dat")
        }
        for (i = 0; i < n; i++) {
            close(file "." i ".dat")
            plots = plots (i ? ", " : "")
            if (points[keys[i]] == 1 && !(at[keys[i]] in shared)) {
                plots = plots level[keys[i]] " with lines linetype " i % 8 + 1 " linewidth 2 dashtype 3 title " quoted(keys[i])
                continue
            }
            plots = plots "BASE.\"." i ".dat\" using 1:2:3:4 with yerrorlines linetype " i % 8 + 1 \
                " linewidth 2 dashtype " (i < 8 ? 1 : 2) " pointtype " 4 + i % 12 " title " quoted(keys[i])
        }
        print script "plot " plots > (file ".gp")
        print 560 + 20 * int((n + 1) / 2) > (file ".height")
    }

    # ---- bars: one for each figure ----
    function bars(name, file, i, n, script, first) {
        for (i = 1; i <= rows; i++) if (bench[i] == name && !drawn[i])
            print n++ + 0 "\t" median[i] "\t" lows[i] "\t" highs[i] "\t\"" plain(legend(i) at_x(i)) "\"\t" short(median[i]) > (file ".dat")
        first = wide(name, 100) ? low[name] / 2 : 0
        script = title_of(name, "", 56)
        script = script "set xlabel \"" unit[name] ", " better[name] " is better" (first > 0 ? " (log scale)" : "") "\"\n" \
            "set yrange [" n - 0.4 ":-0.6]\nset ytics nomirror noenhanced\nset grid x\nunset key\nset style fill solid 0.8\n" \
            (first > 0 ? "set logscale x\nset xrange [" first ":" high[name] * 3 "]\n" : "set xrange [0:" high[name] * 1.15 "]\n")
        print script "plot DATA using 2:1:(" first "):2:($1-0.38):($1+0.38):ytic(5) with boxxyerror linecolor rgb \"#6baed6\"," \
            " DATA using 2:1:3:4 with xerrorbars linecolor rgb \"#333333\" pointtype 0," \
            " DATA using 4:1:6 with labels left offset 0.6,0 noenhanced" > (file ".gp")
        print (n > 14 ? 200 + 28 * n : 600) > (file ".height")
    }
    function at_x(i, size, unit) {
        if (axis[bench[i]] == "") return ""
        size = number(x[i])
        if (axis[bench[i]] !~ /bytes/) return ", " x[i]
        if (size % 1048576 == 0) return ", " size / 1048576 " MiB"
        if (size % 1024 == 0) return ", " size / 1024 " KiB"
        if (size % 1000000 == 0) return ", " size / 1000000 " MB"
        return ", " size " B"
    }
    function plain(text) { gsub(/"/, "", text); return text }

    {
        rows++
        bench[rows] = $1; title[$1] = $2; unit[$1] = $3; better[$1] = $4; axis[$1] = $5
        series[rows] = $6; from[rows] = $7; to[rows] = $8; x[rows] = $9
        median[rows] = number($10); lows[rows] = number($11); highs[rows] = number($12)
        group[rows] = $1 "\t" base($6)
        if (!($1 in low) || median[rows] < low[$1]) low[$1] = median[rows]
        if (!($1 in high) || highs[rows] > high[$1]) high[$1] = highs[rows]
        if (!($1 in name_positive)) { name_positive[$1] = 1; names[++benches] = $1 }
        if (number($9) <= 0) name_positive[$1] = 0
    }
    END {
        for (b = 1; b <= benches; b++) {
            name = names[b]; left = 0; maps = 0
            # The ways to broadcast are to be compared with each other, not sizes.
            split("", points); split("", shared)
            if (axis[name] != "" && name != "broadcast" && count_points(name, points, shared)) { curves(name, dir "/" name); continue }
            for (i = 1; i <= rows; i++) if (bench[i] == name && !drawn[i]) {
                if (!is_matrix(group[i])) { left++; continue }
                heat_map(group[i], dir "/" name (maps++ ? "-" maps : ""))
                for (j = i; j <= rows; j++) if (group[j] == group[i]) drawn[j] = 1
            }
            if (left) bars(name, dir "/" name (maps ? "-rest" : ""))
        }
    }' "$tmp/tsv"

for program in "$tmp"/*.gp; do
    [ -e "$program" ] || { echo "plot-bench: $result has no figures to draw" >&2 && exit 1; }
    base=${program%.gp}
    name=${base##*/}
    size=$terminal
    [ ! -e "$base.height" ] || size=$(echo "$terminal" | sed "s/1000,600/1000,$(cat "$base.height")/")
    {
        echo "set terminal $size"
        echo "set output \"$tmp/picture\""
        printf 'set datafile separator "\\t"\n'
        echo "BASE = \"$base\""
        echo "DATA = \"$base.dat\""
        cat "$program"
    } >"$base.all"
    gnuplot "$base.all"
    mv "$tmp/picture" "$out/$name.$format"
    echo "$out/$name.$format"
done
