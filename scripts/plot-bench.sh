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
"$weir" bench --from "$result" --format csv >"$tmp/csv" # what was skipped is said on stderr
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
# (Texts come by the environment: awk would read backslashes in values of -v.)
MACHINE=$machine awk -F '\t' -v dir="$tmp" '
    # Between double quotes gnuplot would run what stands in back quotes.
    function tame(text) { gsub(/`/, "\047", text); return text }
    # The name of a file that is made of what may stand in one.
    function file_of(name) {
        gsub(/[^A-Za-z0-9_-]/, "_", name)
        return dir "/" (taken[name]++ ? name "-" benches "-" taken[name] : name)
    }
    function escaped(text) { gsub(/[\\"]/, "\\\\&", text); return text }
    function quoted(text) { return "\"" escaped(text) "\"" }
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
        text = wrapped(escaped(name ": " title[name] extra), most) "\\n" wrapped(escaped(machine), most)
        return "set title \"" text "\" noenhanced\n"
    }
    function ends_of(i) { return from[i] (from[i] == "" || to[i] == "" ? "" : " to ") to[i] }
    function legend(i) { return series[i] (ends_of(i) == "" ? "" : ", " ends_of(i)) }
    # Ends that all figures of a benchmark have in common stand in the title.
    function common_ends(name, i, text, n) {
        for (i = 1; i <= rows; i++) if (bench[i] == name) {
            if (n++ && ends_of(i) != text) return ""
            text = ends_of(i)
        }
        return text
    }
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
        script = script "plot DATA using 1:2:3 with image pixels, DATA using 1:2:4:($3 > STATS_min + 0.55 * " \
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
    # Tics at powers of two with their names, no more than fit side by side; counts have all of them.
    function x_axis(name, least, most, i, size, text, steps, skip) {
        least = 1e300
        for (i = 1; i <= rows; i++) if (bench[i] == name && number(x[i]) in on_curve) {
            if (number(x[i]) < least) least = number(x[i])
            if (number(x[i]) > most) most = number(x[i])
        }
        if (axis[name] !~ /bytes/) {
            if (most > 64 || least != int(least)) return name_positive[name] ? "set logscale x 2\n" : ""
            for (i = least; i <= most; i++) text = text (text == "" ? "" : ", ") i
            return "set xtics (" text ")\nset xrange [" least - 0.3 ":" most + 0.3 "]\n"
        }
        if (least <= 0) return ""
        for (size = 1; size < least; size *= 2) continue
        for (steps = 1; size * 2 ^ steps <= most; steps++) continue
        skip = steps > 12 ? int((steps + 11) / 12) : 1
        for (i = 0; i < steps; i += skip)
            text = text (i ? ", " : "") quoted(size_text(size * 2 ^ i)) " " size * 2 ^ i
        return "set logscale x 2\nset xtics (" text ")\nset xrange [" least / 1.15 ":" most * 1.15 "]\n"
    }
    # Gnuplot takes the letters of a key for as wide as those of the titles, which are larger.
    function longest(name, ends, i, text, most) {
        for (i = 1; i <= rows; i++) if (bench[i] == name) {
            text = ends == "" ? legend(i) : series[i]
            if (length(text) > most) most = length(text)
        }
        return most
    }
    # 1, 2, 5, 10, ... between two figures, for a logarithmic axis.
    function decades(least, most, unit, text, i) {
        for (unit = 1; unit > least; unit /= 10) continue
        for (; unit <= most; unit *= 10)
            for (i = 1; i <= 5; i += i == 1 ? 1 : 3)
                if (i * unit >= least && i * unit <= most) text = text (text == "" ? "" : ", ") i * unit
        return text
    }
    function curves(name, file, i, n, keys, known, points, shared, level, at, script, plots, ends, text, color, rights) {
        count_points(name, points, shared)
        split("", on_curve)
        for (i in shared) if (i != "") on_curve[number(i)]
        ends = common_ends(name)
        script = title_of(name, ends == "" ? "" : ", " ends, 92)
        script = script "set xlabel " quoted(axis[name]) "\nset ylabel \"" unit[name] ", " better[name] " is better\"\n" \
            "set grid\nset key below Left reverse horizontal maxcols 2 width -" int(0.35 * longest(name, ends)) " noenhanced font \",11\" title \" \\nwhiskers: lowest and highest trial\" font \",11\"\n" x_axis(name)
        script = script (wide(name, 20) ? "set logscale y\nset ytics (" decades(bottom[name] / 1.4, high[name] * 1.4) ")\nset yrange [" bottom[name] / 1.4 ":" high[name] * 1.4 "]\n" : "set yrange [0:" high[name] * 1.08 "]\n")
        for (i = 1; i <= rows; i++) if (bench[i] == name) {
            if (!(legend(i) in known)) { known[legend(i)] = n + 0; texts[n + 0] = ends == "" ? legend(i) : series[i]; keys[n++] = legend(i) }
            level[legend(i)] = median[i]; at[legend(i)] = x[i]
            print x[i] "\t" median[i] "\t" lows[i] "\t" highs[i] > (file "." known[legend(i)] ".dat")
        }
        for (i = 0; i < n; i++) {
            close(file "." i ".dat")
            plots = plots (i ? ", " : "")
            color = " linecolor rgb \"" colors[i % 8] "\""
            text = " title " quoted(texts[i])
            if (points[keys[i]] > 1)
                plots = plots "BASE.\"." i ".dat\" using 1:2:3:4 with yerrorlines linewidth 2" color \
                    " dashtype " (i < 8 ? 1 : 2) " pointtype " shapes[i % 9] " pointsize 1.1" text
            else if (at[keys[i]] in shared) # a figure alone among the others
                plots = plots "BASE.\"." i ".dat\" using 1:2:3:4 with yerrorbars linewidth 2" color " pointtype " shapes[i % 9] " pointsize 1.5" text
            else {
                # Patterns that differ show both where two levels are one.
                plots = plots level[keys[i]] " with lines linewidth 2" color " dashtype " dashes[rights % 4] \
                    " title " quoted(texts[i] ": " short(level[keys[i]]))
                rights++
            }
        }
        print script "set rmargin 4\n" "plot " plots > (file ".gp")
        n = int((n + 1) / 2) + 2
        print (n > 12 ? 50 * n : 600) > (file ".height")
    }

    # ---- bars: one for each figure ----
    function bars(name, file, i, n, script, first, label, room) {
        for (i = 1; i <= rows; i++) if (bench[i] == name && !drawn[i]) {
            if (length(legend(i) at_x(i)) > label) label = length(legend(i) at_x(i))
            print n++ + 0 "\t" median[i] "\t" lows[i] "\t" highs[i] "\t\"" plain(legend(i) at_x(i)) "\"\t" short(median[i]) > (file ".dat")
        }
        # Letters that fit to both sides of the middle of the bars, which begin behind the labels.
        room = int((1030 - 10 * label) / 8)
        if (room < 24) room = 24
        first = wide(name, 100) ? bottom[name] / 2 : 0
        script = title_of(name, "", room)
        script = script "set xlabel \"" wrapped(unit[name] ", " better[name] " is better" (first > 0 ? " (log scale)" : "") "; whiskers: lowest and highest trial", room) "\"\n" \
            "set yrange [" n - 0.4 ":-0.6]\nset ytics nomirror noenhanced\nset grid x\nunset key\nset style fill solid 0.8\n" \
            (first > 0 ? "set logscale x\nset xrange [" first ":" high[name] * 8 "]\n" : "set xrange [0:" high[name] * 1.15 "]\n")
        print script "plot DATA using 2:1:(" first "):2:($1-0.38):($1+0.38):ytic(5) with boxxyerror linecolor rgb \"#6baed6\"," \
            " DATA using 2:1:3:4 with xerrorbars linecolor rgb \"#333333\" pointtype 0," \
            " DATA using 4:1:6 with labels left offset 0.6,0 noenhanced" > (file ".gp")
        print (n > 14 ? 200 + 28 * n : 600) > (file ".height")
    }
    function size_text(size) {
        if (size % 1073741824 == 0) return size / 1073741824 " GiB"
        if (size % 1048576 == 0) return size / 1048576 " MiB"
        if (size % 1000000000 == 0) return size / 1000000000 " GB"
        if (size % 1000000 == 0) return size / 1000000 " MB"
        if (size % 1024 == 0) return size / 1024 " KiB"
        return size " B"
    }
    function at_x(i) {
        if (axis[bench[i]] == "") return ""
        return ", " (axis[bench[i]] ~ /bytes/ ? size_text(number(x[i])) : axis[bench[i]] " " x[i])
    }
    function plain(text) { gsub(/"/, "", text); return text }

    BEGIN {
        machine = tame(ENVIRON["MACHINE"])
        # Shapes are open, so that equal figures show each other.
        split("6 4 8 10 12 14 1 2 3", shape_list, " ")
        for (i = 1; i <= 9; i++) shapes[i - 1] = shape_list[i]
        split("#9400d3 #009e73 #0072b2 #d55e00 #000000 #56b4e9 #b58900 #e51e10", color_list, " ")
        for (i = 1; i <= 8; i++) colors[i - 1] = color_list[i]
        split("(24,8);(5,5);(16,6,4,6);(2,6)", dash_list, ";")
        for (i = 1; i <= 4; i++) dashes[i - 1] = dash_list[i]
    }
    {
        $0 = tame($0)
        rows++
        bench[rows] = $1; title[$1] = $2; unit[$1] = $3; better[$1] = $4; axis[$1] = $5
        series[rows] = $6; from[rows] = $7; to[rows] = $8; x[rows] = $9
        median[rows] = number($10); lows[rows] = number($11); highs[rows] = number($12)
        group[rows] = $1 "\t" base($6)
        if (!($1 in low) || median[rows] < low[$1]) low[$1] = median[rows]
        if (lows[rows] > 0 && (!($1 in bottom) || lows[rows] < bottom[$1])) bottom[$1] = lows[rows]
        if (!($1 in high) || highs[rows] > high[$1]) high[$1] = highs[rows]
        if (!($1 in name_positive)) { name_positive[$1] = 1; names[++benches] = $1 }
        if (number($9) <= 0) name_positive[$1] = 0
    }
    END {
        for (b = 1; b <= benches; b++) {
            name = names[b]; left = 0; maps = 0; file = file_of(name)
            # The ways to broadcast are to be compared with each other, not sizes.
            split("", points); split("", shared)
            if (axis[name] != "" && name != "broadcast" && count_points(name, points, shared)) { curves(name, file); continue }
            for (i = 1; i <= rows; i++) if (bench[i] == name && !drawn[i]) {
                if (!is_matrix(group[i])) { left++; continue }
                heat_map(group[i], file (maps++ ? "-" maps : ""))
                for (j = i; j <= rows; j++) if (group[j] == group[i]) drawn[j] = 1
            }
            if (left) bars(name, file (maps ? "-rest" : ""))
        }
    }' "$tmp/tsv"

for program in "$tmp"/*.gp; do
    [ -e "$program" ] || { echo "plot-bench: $result has no figures to draw" >&2 && exit 1; }
    base=${program%.gp}
    name=${base##*/}
    size=$terminal
    [ ! -e "$base.height" ] || size=$(echo "$terminal" | sed "s/1000,600/1000,$(cat "$base.height")/")
    {
        echo "set terminal $size noenhanced"
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
