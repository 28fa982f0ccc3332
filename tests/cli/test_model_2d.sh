#!/bin/sh
# scripts/model_2d.sh: its tables are those of docs/two-dimensions.md, what it says of levels is what a search counts, figures that times are made of are
# found in them again, and bad input is refused.
. "$(dirname "$0")/common.sh"
case $0 in /*) here=$(dirname "$0") ;; *) here=$OLDPWD/$(dirname "$0") ;; esac
here=$(cd "$here/../.." && pwd)
[ -f "$here/scripts/model_2d.sh" ] || { echo "there is no scripts/model_2d.sh"; exit 77; }

# model STATUS ARGUMENTS
model() {
    want=$1
    shift
    LAST="model_2d.sh $*"
    timeout 100 sh "$here/scripts/model_2d.sh" "$@" >"$OUT" 2>"$ERR" </dev/null
    RC=$?
    if [ "$RC" -eq "$want" ]; then pass; else fail "$LAST should end with $want" && show; fi
}

# ---- the tables of the document ----
recorded=$here/docs/recorded/two-dimensions-k20x.txt
model 0 scaling "$recorded"
grep '^|' "$OUT" >table
[ "$(wc -l <table)" -ge 28 ] || fail "the table of the paper's grids has few rows"
while read -r row; do
    if grep -qxF -e "$row" "$here/docs/two-dimensions.md"; then pass; else fail "docs/two-dimensions.md has no row: $row"; fi
done <table
if command -v gnuplot >/dev/null 2>&1; then
    printf 'arc_ns 1\ngrid 1x1 8 16\ngrid 1x2 9 16\npublished 1x1 8 16 list gteps 1 fit it\npublished 1x1 8 16 auto gteps <2 test it\n' >small
    model 0 scaling small picture.svg
    if grep -q '</svg>' picture.svg; then pass; else fail "no picture"; fi
else
    skip "no gnuplot"
fi

# ---- levels and bytes, against a search ----
printf 'arc_ns 1\n' >plain
for grid in 1x1 2x2 3x2 2x4 1x5; do
    for wire in list auto; do
        expect_ok bfs rmat:14 --undirected --devices "host:$((${grid%x*} * ${grid#*x}))" --partition 2d:$grid --wire $wire --json run.json
        model 0 hold plain run.json
        # Frontiers of more than a thousand vertices within 5 %, and bytes of the whole search.
        awk -F'|' '
            function off(said, true) { return said < 0.95 * true || said > 1.05 * true }
            $2 + 0 == $2 && $3 > 1000 { many++; if (off($4 + 0, $3 + 0)) bad = 1 }
            $2 ~ /all/ && off($6 + 0, $5 + 0) { bad = 1 }
            END { exit bad || many < 2 }' "$OUT" && pass || { fail "of $grid, $wire the model is not within 5 %" && cat "$OUT"; }
    done
done

expect_ok bfs rmat:12,8,99999 --undirected --devices host:2 --partition 2d:2x1 --json run.json
model 0 hold plain run.json
has "**rmat:12,8,99999, 2x1, wire auto**"

# ---- times that are made of figures have these in them ----
printf 'arc_ns 2000\nvertex_ns 30000\nbarrier_us 1000\n' >made
expect_ok bfs rmat:13 --undirected --devices host:1 --partition 2d:1x1 --json run.json
degree=$(sed -n 's/^ *"frontier": \([0-9]*\),/\1/p' run.json | sed -n 2p)
model 0 levels made "rmat:13,16,$degree" 1x1
grep '^| [0-9]' "$OUT" >"$ROOM/compute"
awk 'NR == FNR { split($0, cell, "|"); ms[NR - 1] = cell[9]; last = NR - 1; next }
    /"frontier": / { level++ }
    /"compute_ms": / { sub(/[0-9.e-]+,/, level - 1 <= last ? ms[level - 1] + 0 "," : "1.0,") }
    { print }' compute run.json >set.json
model 0 fit set.json
awk '$1 == "arc_ns" { a = $2 } $1 == "vertex_ns" { v = $2 }
    END { exit !(a > 1900 && a < 2100 && v > 28500 && v < 31500) }' "$OUT" && pass || { fail "the figures are not found" && show; }
# Four devices on two cores take twice as long as on four.
model 0 levels made rmat:12 2x2 list
alone=$(sed -n 's/^reached .*, \([0-9.]*\) ms/\1/p' "$OUT")
sed 's/barrier_us.*/cores 2/' made >shared
sed 's/barrier_us.*/cores 4/' made >apart
model 0 levels shared rmat:12 2x2 list
two=$(sed -n 's/^reached .*, \([0-9.]*\) ms/\1/p' "$OUT")
model 0 levels apart rmat:12 2x2 list
four=$(sed -n 's/^reached .*, \([0-9.]*\) ms/\1/p' "$OUT")
if awk "BEGIN { exit !($two > 1.9 * $four && $two < 2.01 * $four && $alone > $four) }"; then pass; else fail "cores: $alone $two $four"; fi

# ---- what goes between devices, of a machine that was measured ----
cat >node.json <<'EOF'
  "devices": [
    {"label": "gpu0"},
    {"label": "gpu1"}
  ],
  "hosts": [
    {"label": "numa0"}
  ],
  "pairs": [
    {"from": "gpu0", "to": "gpu1", "reaches": true, "atomics": true, "bandwidth_gbs": 10, "latency_us": 1},
    {"from": "gpu1", "to": "gpu0", "reaches": true, "atomics": true, "bandwidth_gbs": 5, "latency_us": 3},
    {"from": "gpu0", "to": "numa0", "reaches": true, "atomics": true, "bandwidth_gbs": 1, "latency_us": 9}
  ],
  "overheads": {"copy_us": 9, "push_us": 0.5, "launch_us": 9}
EOF
model 0 machine node.json
has "byte_ns 0.1500"
has "message_us 2.5000"
expect_ok topo --devices host:2 --measure --format json -o node.json
model 0 machine node.json
cat plain "$OUT" >both
model 0 hold both run.json

# ---- refused ----
expect_ok topo --machine '2*nvswitch' --format json -o spec.json
wrong() { # TEXT ARGUMENTS
    text=$1
    shift
    model 2 "$@"
    if [ "$(wc -l <"$ERR")" -eq 1 ] && grep -qF -e "$text" "$ERR" && [ ! -s "$OUT" ]; then pass; else fail "should say: $text" && show; fi
}
printf 'speed 1\n' >unknown
printf 'arc_ns fast\n' >word
: >nothing
printf 'arc_ns 1\npublished 1x1 21\n' >short
expect_ok bfs rmat:8 --undirected --devices host:2 --json flat.json
expect_ok bfs rmat:8 --devices host:2 --partition 2d:1x2 --json one-way.json
expect_ok bfs uniform:8 --undirected --devices host:2 --partition 2d:1x2 --json uniform.json
expect_ok bfs rmat:8 --undirected --devices host:2 --partition 2d:1x2 --sources 3 --json sources.json
wrong "none: there is no such file" scaling none
wrong "there is no figure named speed" scaling unknown
wrong "arc_ns should be one number" scaling word
wrong "no grid to scale over" scaling plain
wrong "this line of published is not one" scaling short
wrong "there is no arc_ns" hold nothing run.json
wrong "no search in two dimensions" hold plain flat.json
wrong "no document of weir bfs rmat:" hold plain one-way.json
wrong "no document of weir bfs rmat:" fit uniform.json
wrong "more than one source" fit sources.json
wrong "nobody has measured what goes from" machine spec.json
wrong "no two devices of a machine" machine run.json
wrong "CORES should be" fit run.json two
wrong "the model knows rmat:SCALE" levels plain grid:9x9 2x2
wrong "a scale should be 1 to 40" levels plain rmat:41 2x2
wrong "a grid is RxC" levels plain rmat:8 2x0
wrong "the wire is list" levels plain rmat:8 2x2 post
wrong "a vertex has 1 arc to" levels plain rmat:4,16,99 2x2
wrong "a vertex has 1 arc to" levels plain rmat:4,16,0 2x2
model 2
model 2 hold plain
model 2 draw plain
finish
