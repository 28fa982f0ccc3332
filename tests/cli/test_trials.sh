#!/bin/sh
# Many trials: the memory they take does not grow with them, and the document is whole or not there.
. "$(dirname "$0")/common.sh"

if ! command -v python3 >/dev/null 2>&1; then
    skip "no python3 to look at the memory with"
    finish
fi
printf '0 1\n1 2\n2 3\n0 4\n6 0\n' >path.el
# Sanitizers keep memory for themselves.
MOST=48 # 9000 took 110
if grep -q -e __asan_init -e __tsan_init "$WEIR"; then MOST=4096; fi
cat >memory.py <<'EOF'
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
if used > int(sys.argv[1]):
    print(f"{used} MiB, more than {sys.argv[1]}", file=sys.stderr)
    status = 9
sys.exit(status)
EOF
cat >rows.py <<'EOF'
import json, re, sys
text = open(sys.argv[1]).read()
document = json.loads(text)
trials = document["trials"]
ms = sorted(trial["ms"] for trial in trials)
assert len(trials) == int(sys.argv[2]), len(trials)
assert list(document)[-3:] == ["trials", "summary", "verified"], list(document)
assert document["summary"]["min_ms"] == ms[0] and document["summary"]["max_ms"] == ms[-1]
assert all(trial["ms"] >= trial.get("kernel_ms", 0) for trial in trials)
middle = len(ms) // 2
assert document["summary"]["median_ms"] == (ms[(len(ms) - 1) // 2] + ms[middle]) / 2
assert len({tuple(trial) for trial in trials}) == 1, "rows have different members"
for i, trial in enumerate(trials):
    links = trial.get("links", [])
    assert sum(link["items"] for link in links) == trial.get("items_sent", 0), i
# As if it had been written at once, but for how numbers are spelled.
def layout(text):
    return re.sub(r"-?\d[-+.e\d]*", "0", text)
if len(trials) < 100:
    assert layout(text) == layout(json.dumps(document, indent=2) + "\n"), "another layout"
EOF

# many COUNT ARGUMENTS: within the memory, valid, and all of them.
many() {
    count=$1
    shift
    LAST="weir $*"
    timeout 250 python3 memory.py $MOST "$WEIR" "$@" --json - >"$OUT" 2>"$ERR"
    RC=$?
    if [ "$RC" -eq 0 ] && [ ! -s "$ERR" ] && python3 rows.py "$OUT" "$count" 2>"$ERR"; then
        pass
    else
        fail "$count trials should take $MOST MiB and be a document"
        show
    fi
}
# Some 1900 are in memory, the others in a file.
many 9000 bfs path.el --devices host:1 --trials 9000
many 60 bfs path.el --devices host:2 --direction push --partition random --sources 3 --trials 20 --verify
many 1700 pbf --elements 10 --devices host:16 --trials 1700
many 1 sssp path.el --devices host:2 --direction push

LAST="weir bfs --trials 2500 as text"
timeout 250 python3 memory.py $MOST "$WEIR" bfs path.el --devices host:1 --trials 2500 >"$OUT" 2>"$ERR"
RC=$?
if [ "$RC" -eq 0 ] && [ "$(wc -l <"$OUT")" -eq 2511 ] && grep -q "summary  2500 runs" "$OUT"; then
    pass
else
    fail "2500 trials should be 2500 lines"
    show
fi

# ---- no room for them: before the first, in a sentence ----
mkdir empty
for what in "bfs path.el" "pbf --elements 10"; do
    export TMPDIR="$ROOM/no-such-folder"
    # shellcheck disable=SC2086 # words
    refuse 1 "results wait in a file in $ROOM/no-such-folder until all are there: No such file" \
        $what --devices host:1 --trials 100000 --json report.json
    unset TMPDIR
done
ls -A >"$ROOM/.before"
(ulimit -f 200 && TMPDIR=$ROOM/empty exec "$WEIR" bfs path.el --devices host:1 --trials 4000 --json report.json) >"$OUT" 2>"$ERR"
RC=$?
ls -A >"$ROOM/.after"
LAST="weir bfs --trials 4000, ulimit -f 200"
if [ "$RC" -eq 1 ] && grep -q "results wait in a file in $ROOM/empty until all are there: File too large" "$ERR" &&
    cmp -s "$ROOM/.before" "$ROOM/.after" && [ -z "$(ls -A empty)" ] && [ ! -s "$OUT" ]; then
    pass
else
    fail "a file that may not grow should be refused in a sentence, and nothing be left"
    show
fi

# ---- a run that fails or is stopped midway leaves no document ----
refuse 1 "time limit" bfs grid:1000x1000 --source 0 --devices host:2 --trials 1000 --time-limit 0.001 --json -
# shellcheck disable=SC2034 # show, of common.sh, prints it
LAST="weir bfs --trials 1000000, then SIGTERM"
timeout 60 "$WEIR" bfs path.el --devices host:1 --trials 1000000 --json - >"$OUT" 2>"$ERR" &
CHILD=$!
sleep 1
pkill -TERM -P $CHILD 2>/dev/null || kill -TERM $CHILD
wait $CHILD
RC=$?
if [ "$RC" -eq 1 ] && [ ! -s "$OUT" ] && [ "$(cat "$ERR")" = "weir: stopped by SIGTERM" ]; then
    pass
else
    fail "what is stopped midway should print no part of a document"
    show
fi

# ---- warm-ups: of each short run, where there is more than one ----
# The first, the trials, and what the document says of each. A run of this graph takes far less than 20 ms, but where other programs have the cores.
for trials in 3 1; do
    run bfs path.el --devices host:1 --trials "$trials" --trace trace.json --json report.json
    did=$(grep -o '"name": *"breadth-first search"' trace.json | wc -l)
    warm=$(grep -c '"warmed_up": true' report.json)
    told=$(grep -c '"warmed_up": ' report.json)
    least=1 first=1
    [ "$trials" -ne 1 ] || least=0 first=0
    if [ "$RC" -eq 0 ] && [ "$told" -eq "$trials" ] && [ "$warm" -ge "$least" ] && [ "$did" -eq $((first + trials + warm)) ]; then
        pass
    else
        fail "$did runs for $trials trials, $warm of $told with a warm-up" && show
    fi
done

finish
