#!/bin/sh
# Documents of every verb against docs/json.md, both ways: a member that is not on the page, or not of its
# type, and a line of the page that no document has.
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.sh"

PAGE=$HERE/../../docs/json.md
if [ "$TOOL" != python3 ] || [ ! -f "$PAGE" ]; then
    skip "no python3, or no docs/json.md"
    finish
fi
cat >page.py <<'EOF'
import json, re, sys
page, machines, files = sys.argv[1], sys.argv[2], sys.argv[3:]
VERBS = "bfs sssp pr cc color spmv spmm pbf plan gen convert partition info bench graph500".split()
TYPES = {"integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
         "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
         "text": lambda v: isinstance(v, str), "boolean": lambda v: isinstance(v, bool),
         "object": lambda v: isinstance(v, dict)}
# What host devices do not show: they are all used, and their runs count bytes. Links of cc carry no items. Where memory
# is short, test_no_memory.sh looks.
UNSEEN = {("choices.why_devices", "value"), ("runs[].why.balance", "value"), ("trials[].stats.gbytes_per_s", "null"), ("shape.failed", "value"),
          ("shape.components", "null"), ("shape.largest_component", "null"),
          # Of a run that failed a validation, which test_graph500.sh looks at.
          ("runs[]", "absent"), ("nedge", "absent"), ("bfs", "absent"),
          # What cuSPARSE took needs a GPU.
          ("compared[].why_not", "null"), ("compared[].median_ms", "value"), ("compared[].min_ms", "value"),
          ("compared[].agrees", "value")}
EMPTY = {("cc", "trials[].links[]"), ("color", "trials[].links[]")}
wrong = []
rows = {}   # (verb, path): type and what may take its place
for line in open(page):
    cells = re.match(r"\| `([^`]+)` \| ([a-z0-9 ]+) \| ([a-z ]+) \| (.*)\|$", line)
    if line.startswith("| `") and not cells:
        wrong.append("not a line of a table: " + line.strip())
    if not cells:
        continue
    path, of, kind, meaning = cells.groups()
    kind, *instead = kind.split(" or ")
    verbs = VERBS if of == "all" else of.split()
    if kind not in TYPES or set(instead) - {"null", "absent"} or set(verbs) - set(VERBS):
        wrong.append("unknown type or verb: " + line.strip())
        continue
    for verb in verbs:
        if (verb, path) in rows:
            wrong.append(f"{verb} {path}: twice on the page")
        rows[verb, path] = (kind, instead, line)
seen = {}   # line of the page: which of "value", "null", "absent" were seen

def look(verb, path, value, name):
    row = rows.get((verb, path))
    if not row:
        wrong.append(f"{name}: {path} of {verb} is not on the page")
        return
    kind, instead, line = row
    if value is None:
        seen.setdefault(line, set()).add("null")
        if "null" not in instead:
            wrong.append(f"{name}: {path} of {verb} is null")
        return
    seen.setdefault(line, set()).add("value")
    seen.setdefault((verb, path), set()).add("value")
    if not TYPES[kind](value):
        wrong.append(f"{name}: {path} of {verb} is {value!r}, not of type {kind}")
    if path == "machine":
        return
    if isinstance(value, dict):
        walk(verb, path + ".", value, name)

# Members of an object: those that are there, and those that should be.
def walk(verb, prefix, at, name):
    for member, value in at.items():
        path = prefix + member
        if isinstance(value, list):
            if (verb, path + "[]") not in rows:
                wrong.append(f"{name}: {path}[] of {verb} is not on the page")
            for one in value:
                look(verb, path + "[]", one, name)
        else:
            look(verb, path, value, name)
    for of, path in rows:
        if of != verb or not path.startswith(prefix):
            continue
        member = path[len(prefix):].removesuffix("[]")
        if re.fullmatch(r"\w+", member) and member not in at:
            kind, instead, line = rows[of, path]
            seen.setdefault(line, set()).add("absent")
            if "absent" not in instead:
                wrong.append(f"{name}: {path} of {verb} is not there")

# The document of a machine: its members stand by name in the table of machines.md.
known = set(re.findall(r"`(\w+)`", "".join(
    line for line in open(machines) if re.match(r"\| (machine|device, host|hop|pair|overheads)[ ,]", line))))
def walk_machine(at, name):
    for member, value in at.items():
        if member not in known:
            wrong.append(f"{name}: {member} of a machine is not in machines.md")
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                walk_machine(one, name)

for name in files:
    document = json.load(open(name))
    if document.get("kind") == "machine":
        walk_machine(document, name)
        continue
    if "machine" in document:
        walk_machine(document["machine"], name)
    walk(document["command"], "", document, name)
for (verb, path), (kind, instead, line) in rows.items():
    if "value" not in seen.get((verb, path), ()) and (path, "value") not in UNSEEN and (verb, path) not in EMPTY \
            and not ("null" in instead and "value" in seen.get(line, ())):
        wrong.append(f"{path} of {verb} is on the page, but in no document")
    for what in instead:
        if what not in seen.get(line, ()) and (path, what) not in UNSEEN:
            wrong.append(f"{path} of {verb} is never {what}")
print("\n".join(dict.fromkeys(wrong)))
sys.exit(bool(wrong))
EOF

COUNT=0
# document ARGUMENTS: one more.
document() {
    COUNT=$((COUNT + 1))
    expect_ok "$@" --json $COUNT.json
}
printf '0 1\n1 2\n2 3\n0 4\n6 0\n' >path.el
printf '0 1 0.5\n1 2 0.25\n' >reals.el
printf '0 1 5\n1 0 7\n' >whole.el
for direction in push pull switch; do
    document bfs path.el --source 0 --devices host:2 --partition random --direction $direction
done
document bfs path.el --source 5 --devices host:1 --direction push
document bfs path.el --source 0 --devices host:2 --partition random --kernel live --queues 3
document bfs path.el --undirected --parents --verify --trials 3 --devices host:2
document bfs path.el --sources 2 --seed 18446744073709551615 --partition random --devices host:4 --time-limit 60
document bfs path.el --source 0 --devices host:4 --partition 2d:2x2
document bfs path.el --source 0 --devices host:2 --partition random --direction down --balance frontier
document bfs path.el --source 0 --devices host:2 --partition random --direction down --balance both
document bfs path.el --sources 3 --batch --trials 2 --devices host:2 --partition random
document sssp whole.el --devices host:2 --partition random --direction push --order fifo --route ring --verify
document sssp path.el --devices host:2 --direction switch --order soft
document sssp whole.el --devices host:2 --partition random --parents --verify
document sssp path.el --devices host:2 --partition random --direction switch --balance frontier
document pr path.el --devices host:2 --partition block --balance frontier
document sssp path.el --devices host:2 --partition random --balance ownership
document sssp reals.el --devices host:2 --partition random --direction push
for tolerance in 1e-6 1e-10; do
    document pr path.el --devices host:2 --partition random --direction pull --tolerance $tolerance --verify
    document pr path.el --devices host:2 --partition random --direction push --tolerance $tolerance
done
document cc path.el --devices host:2 --stream on --verify
document cc path.el --devices host:2 --stream off --route ring
document color path.el --devices host:2 --permute 3 --verify
document color path.el --devices host:2 --trials 2 --verify --verify-by certificate
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 3 0\n' >arcless.mtx
for verb in bfs sssp pr cc color; do document $verb arcless.mtx --devices host:1; done
document spmv path.el --devices host:2 --trials 2 --verify --compare
document spmv path.el --devices host:1 --transpose --beta 2
document spmm path.el --devices host:2 --columns 3 --verify --compare
document spmm path.el --devices host:1
document pbf --elements 1000 --devices host:2 --trials 2
document pbf --elements 1000 --devices host:1 --schedule static --packet 64 --work 3 --verify
document graph500 --scale 5 --roots 3 --sssp --devices host:2
document graph500 --scale 5 --roots 1 --sssp --devices host:1
document graph500 --scale 5 --roots 2 --devices host:1
document gen path.el -o made.gr
document convert path.el made.gr --undirected --weights random:1-9
document partition path.el --parts 3 --partition random --undirected -o path.part
document partition path.el --partition file:path.part
for verb in bfs sssp pr cc color; do document $verb path.el --devices host:3 --partition file:path.part; done
document info path.el --devices host:2
document info rmat:9 --devices host:2
document info reals.el --brief
WEIR_POOL_BYTES=1MiB document info rmat:14 --devices host:2 # arcs of components are streamed
printf '0 1 -1\n' >negative.el
document info negative.el --devices host:1
printf '%%%%MatrixMarket matrix coordinate pattern general\n0 0 0\n' >empty.mtx
document info empty.mtx --devices host:1
document plan rmat:7 spmm --devices host:2
document plan path.el --devices host:2
document plan --vertices 1000 --arcs 5000 --devices cuda:0-1
document plan path.el --devices host:2 --parents # of searches alone
document plan path.el --devices host:2 --sources 2 --batch --verify
WEIR_POOL_BYTES=1MiB document plan --vertices 100000 --arcs 500000 bfs --devices cuda:0
WEIR_POOL_BYTES=1MiB document plan rmat:14 cc --devices host:1 # streamed
document info reals.el
document info whole.el --undirected
document info --config
document bench copy --devices host:1 --bytes 4KiB --trials 1 --warmups 0
document bench launch --devices host:1
document bench all --machine m60 --bytes 4KiB
# More memory than a device may have: what asks for it fails, the others run.
COUNT=$((COUNT + 1))
WEIR_POOL_BYTES=16MiB run bench all --devices host:1 --bytes 16MiB --trials 1 --warmups 0 --json $COUNT.json
if [ "$RC" -eq 1 ] && grep -q "benchmarks failed" "$ERR"; then pass; else fail "some benchmarks should fail" && show; fi
COUNT=$((COUNT + 1))
expect_ok bench --from $((COUNT - 1)).json --json $COUNT.json
expect_ok topo --machine m60 --format json -o topo.json
expect_ok topo --devices host:2 --format json -o topo2.json

# shellcheck disable=SC2046 # names without blanks
if python3 page.py "$PAGE" "$HERE/../../docs/machines.md" $(seq -f '%g.json' $COUNT) topo.json topo2.json >said 2>&1; then
    pass
else
    fail "documents and docs/json.md differ"
    head -40 said
fi
# The test itself: a line too many, and one too few, are found.
# shellcheck disable=SC2016 # nothing is to be expanded
{ cat "$PAGE"; echo '| `trials[].nothing` | bfs | text | |'; } >more.md
python3 page.py more.md "$HERE/../../docs/machines.md" 1.json topo.json >said
if grep -q "trials\[\].nothing of bfs is not there" said; then pass; else fail "a member that no document has should be found"; fi
# shellcheck disable=SC2016 # as above
grep -v '`trials\[\].reached`' "$PAGE" >fewer.md
python3 page.py fewer.md "$HERE/../../docs/machines.md" 1.json topo.json >said
if grep -q "trials\[\].reached of bfs is not on the page" said; then pass; else fail "a member that is not on the page should be found"; fi
finish
