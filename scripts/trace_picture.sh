#!/bin/sh
# A picture of a trace (weir ... --trace FILE): a row for each track, a bar for each span, one colour for each name.
#
#   scripts/trace_picture.sh TRACE.json PICTURE [FROM TO]     FROM, TO: milliseconds of the trace; default: all of it
#
# Environment: FORMAT (svg; or png), TRACKS (a pattern of awk that names of tracks match; default: all but queues of the home
# device), TITLE. Needs gnuplot. What it reads is what runtime/trace_write.c writes: an event on each line.
set -eu
if [ $# -ne 2 ] && [ $# -ne 4 ]; then
    echo 'usage: scripts/trace_picture.sh TRACE.json PICTURE [FROM TO]' >&2
    exit 2
fi
trace=$1 picture=$2 from=${3:-0} to=${4:-0}
format=${FORMAT:-svg}
if ! command -v gnuplot >/dev/null 2>&1; then
    echo 'trace_picture: gnuplot is not installed' >&2
    exit 1
fi
case $format in
svg) terminal='svg font "sans,12" background "white"' ;;
png) terminal='pngcairo font "sans,10" background "white"' ;;
*) echo "trace_picture: FORMAT=$format: choose svg or png" >&2 && exit 2 ;;
esac
if ! grep -q '"traceEvents":\[' "$trace"; then
    echo "trace_picture: $trace is no trace of weir" >&2
    exit 2
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Rows from top to bottom in the order of processes and tracks; spans inside of spans are drawn lower.
TRACKS=${TRACKS:-} TITLE=${TITLE:-} awk -v from="$from" -v to="$to" -v dir="$tmp" -v terminal="$terminal" '
    function member(name, text) {
        text = $0
        if (!match(text, "\"" name "\":")) return ""
        text = substr(text, RSTART + RLENGTH)
        if (substr(text, 1, 1) == "\"") { text = substr(text, 2); sub(/".*/, "", text); return text }
        sub(/[,}].*/, "", text)
        return text
    }
    # What stands between quotes of gnuplot.
    function tame(text) { gsub(/[`"\\{}]/, "\047", text); return text }
    /"ph":"M"/ {
        text = $0; sub(/.*"args":\{"name":"/, "", text); sub(/".*/, "", text)
        if (/"name":"process_name"/) process[member("pid")] = text
        if (/"name":"thread_name"/) track[member("pid") " " member("tid")] = text
        if (/"name":"thread_sort_index"/) {
            text = $0; sub(/.*"sort_index":/, "", text)
            order[member("pid") " " member("tid")] = text + 0
        }
        next
    }
    /"ph":"X"/ {
        begin = member("ts") / 1000; end = begin + member("dur") / 1000
        if (end < from || (to > 0 && begin > to)) next
        spans++
        key[spans] = member("pid") " " member("tid"); name[spans] = member("name")
        first[spans] = begin; last[spans] = end; inner[spans] = (/"cat":"link"/ && name[spans] != "message")
        used[key[spans]] = 1
        latest = end > latest ? end : latest
    }
    END {
        for (k in used) {
            split(k, part, " ")
            whole = process[part[1]] ": " track[k]
            if (ENVIRON["TRACKS"] != "" ? whole !~ ENVIRON["TRACKS"] : whole ~ /^home: queue/) { delete used[k]; continue }
            sorted[++rows] = sprintf("%06d %012d %s", part[1], order[k], k); title[k] = whole
        }
        for (i = 2; i <= rows; i++)
            for (j = i; j > 1 && sorted[j] < sorted[j - 1]; j--) { swap = sorted[j]; sorted[j] = sorted[j - 1]; sorted[j - 1] = swap }
        for (i = 1; i <= rows; i++) { split(sorted[i], part, " "); row[part[3] " " part[4]] = rows - i + 1 }
        colours = split("#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #7f7f7f #bcbd22 #17becf #aec7e8 #ffbb78", colour, " ")
        for (s = 1; s <= spans; s++) {
            if (!(key[s] in used)) continue
            if (!(name[s] in shade)) { shade[name[s]] = colour[shades++ % colours + 1]; shown[shades] = name[s] }
            y = row[key[s]]; low = inner[s] ? y - 0.35 : y - 0.4; high = inner[s] ? y + 0.05 : y + 0.4
            printf "%.6f %.6f %.3f %.3f %d\n", first[s], last[s], low, high, strtonum_of(substr(shade[name[s]], 2)) > dir "/spans"
            drawn++
        }
        if (!drawn) { print "trace_picture: no span is in the picture" > "/dev/stderr"; exit 1 }
        script = dir "/script"
        keys = int((shades + 4) / 5)
        printf "set terminal %s size 1200,%d\n", terminal, 110 + 26 * rows + 18 * keys > script
        if (ENVIRON["TITLE"] != "") printf "set title \"%s\" noenhanced\n", tame(ENVIRON["TITLE"]) > script
        printf "set xlabel \"ms\"\nset xrange [%.6f:%.6f]\nset yrange [0.4:%.1f]\n", from, (to > 0 ? to : latest), rows + 0.6 > script
        printf "set ytics noenhanced scale 0 (" > script
        for (k in used) printf "%s\"%s\" %d", (put++ ? ", " : ""), tame(title[k]), row[k] > script
        printf ")\nset grid xtics\nset key below noenhanced maxcols 5 width -2\n" > script
        printf "plot \"%s/spans\" using 1:3:1:2:3:4:5 with boxxyerror fs solid 0.9 noborder lc rgb variable notitle", dir > script
        for (i = 1; i <= shades; i++)
            printf ", NaN with boxes fs solid 0.9 lc rgb \"%s\" title \"%s\"", shade[shown[i]], tame(shown[i]) > script
        print "" > script
    }
    # A number in hexadecimal digits; not every awk has strtonum.
    function strtonum_of(text, i, value) {
        for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
        return value
    }' "$trace"
{
    printf 'set output "%s/picture"\n' "$tmp"
    cat "$tmp/script"
} >"$tmp/all"
# The terminal is set before the output.
sed -n '2p' "$tmp/all" >"$tmp/run"
sed -n '1p' "$tmp/all" >>"$tmp/run"
sed '1,2d' "$tmp/all" >>"$tmp/run"
gnuplot "$tmp/run"
mv "$tmp/picture" "$picture"
