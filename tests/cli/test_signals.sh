#!/bin/sh
# SIGINT, SIGTERM and SIGHUP: whatever runs, the command ends within a second, names the signal, gives status 1
# and leaves nothing behind.
. "$(dirname "$0")/common.sh"

if ! command -v python3 >/dev/null 2>&1; then
    skip "no python3 to take the time with"
    finish
fi
# The slow builds of the sanitizers are given more: what is late there is late by their checks.
LIMIT=1
if grep -q -e __asan_init -e __tsan_init -e __ubsan_handle "$WEIR"; then LIMIT=5; fi
cat >kill.py <<'EOF'
import signal, subprocess, sys, time
limit, name, delays, command = float(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]

# @return what is wrong, and whether it is only late: a machine with other work gets another chance.
def stop(delay):
    with open(".stdout", "w") as out, open(".stderr", "w") as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    time.sleep(float(delay))
    if child.poll() is not None:
        return f"after {delay} s it was over, status {child.returncode}: nothing to stop", False
    child.send_signal(getattr(signal, name))
    began = time.monotonic()
    try:
        status = child.wait(60)
    except subprocess.TimeoutExpired:
        child.kill()
        status = child.wait()
    took = time.monotonic() - began
    said = open(".stderr").read()
    right = status == 1 and said == f"weir: stopped by {name}\n"
    if right and took <= limit:
        return "", False
    return f"{name} after {delay} s: status {status} after {took:.2f} s, {said!r}", right

wrong = []
for delay in delays.split(","):
    for chance in range(3):
        what, late = stop(delay)
        if not late:
            break
    wrong += [what] if what else []
print("\n".join(wrong))
sys.exit(bool(wrong))
EOF
# stop SIGNAL DELAYS ARGUMENTS: the signal so many seconds after the start.
stop() {
    name=$1 delays=$2
    shift 2
    LAST="weir $*, then $name"
    ls -A >"$ROOM/.before"
    python3 kill.py "$LIMIT" "$name" "$delays" "$WEIR" "$@" >"$ROOM/.said"
    wrong=$?
    ls -A >"$ROOM/.after"
    if [ "$wrong" -eq 0 ] && cmp -s "$ROOM/.before" "$ROOM/.after"; then
        pass
    else
        fail "$LAST: should end within $LIMIT s and leave nothing"
        cat "$ROOM/.said"
        diff "$ROOM/.before" "$ROOM/.after"
    fi
}
touch "$ROOM/.said"

# ---- benchmarks: within a fill, a kernel of gigabytes, a copy, a verification, between trials ----
stop SIGINT 0.3,0.6,1.1 bench memory --bytes 128MiB --devices host:1 --json new.json
stop SIGTERM 0.4 bench access --bytes 64MiB --devices host:2
stop SIGINT 0.5 bench links --bytes 256MiB --devices host:2
stop SIGINT 0.5 bench hops --bytes 128MiB --devices host:2
stop SIGTERM 0.5 bench collectives --bytes 128MiB --devices host:3
stop SIGHUP 0.3 bench atomics --devices host:1 --trials 1000000
stop SIGINT 0.2 bench launch --devices host:2 --trials 1000000
stop SIGINT 0.5 bench alltoall --bytes 256MiB --machine m60
stop SIGINT 0.2,0.8 bench all --bytes 64MiB --devices host:2 -o report.txt

# ---- while a graph is made, placed, traversed, checked ----
stop SIGINT 0.3,1,2 bfs rmat:20 --devices host:2 --trials 1000 --verify -o levels.txt
stop SIGTERM 0.5,2 sssp rmat:19 --devices host:4 --direction push --trials 1000 --verify -o distances.txt
stop SIGINT 2 pr rmat:19 --devices host:2 --direction push --trials 1000 --tolerance 1e-12
stop SIGINT 2 cc rmat:19 --devices host:2 --stream on --trials 1000
stop SIGINT 0.3 info rmat:21
stop SIGTERM 0.3,2 gen rmat:19 -o graph.mtx.xz
# One packet keeps a device busy for minutes.
stop SIGINT 0.5 pbf --elements 20000000 --work 1000000 --packet 64MiB --devices host:2

# ---- while nobody reads what is written, messages included ----
cat >full.py <<'EOF'
import os, subprocess, sys, time
reader, writer = os.pipe()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=writer, stderr=writer)
time.sleep(1.5)
assert child.poll() is None, "it should wait for its reader"
child.terminate()
sys.exit(child.wait(10) != 1)
EOF
LAST="weir bfs -o -, then SIGTERM"
if python3 full.py "$WEIR" bfs grid:300x300 --devices host:1 -o -; then
    pass
else
    fail "a full pipe should not hold up a signal"
fi
finish
