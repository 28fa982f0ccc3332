#!/bin/sh
# Progress of long stages: seen on a terminal, never in a pipe; and in each of them a signal and --time-limit end the command soon,
# with one sentence and status 1, and leave no file and no process behind.
. "$(dirname "$0")/common.sh"

if ! command -v python3 >/dev/null 2>&1; then
    skip "no python3 to make a terminal with"
    finish
fi
# A limit here only tells soon from never: a machine may have other work. With a sanitizer stages take as long with less.
SCALE=22 SIDE=2000 RAYS=10000000
if grep -q -e __asan_init -e __tsan_init -e __ubsan_handle "$WEIR"; then
    SCALE=18 SIDE=500 RAYS=2000000
fi
cat >watch.py <<'END'
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios, time
LATE = 20

# watch.py WHERE PATTERN THEN ARGUMENTS: runs the command with standard error in a terminal or pipe (WHERE) and waits for the
# pattern there. THEN is a signal to send, "end" to let it end, or "close" to end what it reads. Standard output is a pipe.
where, pattern, then, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
if where == "pipe":
    ours, theirs = os.pipe()
else:
    ours, theirs = pty.openpty()
    columns = int(where.split(":")[1]) if ":" in where else 120
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
# A graph that comes by a pipe in two parts, the second of them when the pattern was seen.
inside, outside = os.pipe()
os.write(outside, b"0 1\n1 2\n")
# On one core stages are long everywhere.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
child = subprocess.Popen(command, stdin=inside, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True)
os.close(theirs)
os.close(inside)
said, sent, began = b"", None, time.monotonic()
while True:
    ready, _, _ = select.select([ours], [], [], 0.1)
    more = b""
    if ready:
        try:
            more = os.read(ours, 65536)
        except OSError: # a terminal whose other end is closed
            pass
        if not more:
            break
    said += more
    if sent is None and re.search(pattern.encode(), said):
        sent = time.monotonic()
        if then == "close":
            os.write(outside, b"2 3\n")
            os.close(outside)
        elif then != "end":
            child.send_signal(getattr(signal, then))
    if where == "pipe" and then == "close" and time.monotonic() - began > 1.5 and sent is None:
        sent = time.monotonic() # long enough to have said something
        os.write(outside, b"2 3\n")
        os.close(outside)
    if time.monotonic() - (sent or began) > (LATE if sent else 150):
        child.kill()
        print("it does not end", said[-300:])
        sys.exit(3)
out = child.stdout.read()
status = child.wait()
print(status, "seen" if sent else "not seen")
sys.stdout.flush()
# What a terminal shows in the end: each carriage return with an erasure takes the line away.
text = said.replace(b"\r\n", b"\n")
open(".lines", "wb").write(text)
open(".left", "wb").write(b"\n".join(line.split(b"\r\x1b[K")[-1] for line in text.split(b"\n")))
open(".out", "wb").write(out)
END
# watch WHERE PATTERN THEN ARGUMENTS
watch() {
    where=$1 pattern=$2 then=$3
    shift 3
    LAST="weir $* ($where, $pattern, $then)"
    ls -A >"$ROOM/.before"
    python3 watch.py "$where" "$pattern" "$then" "$WEIR" "$@" >"$ROOM/.said" 2>&1
    ls -A >"$ROOM/.after"
}
# judge SAID LEFT: what watch.py said and what is left to be seen; no new file.
judge() {
    if [ "$(cat .said)" = "$1" ] && [ "$(cat .left)" = "$2" ] && cmp -s .before .after; then
        pass
    else
        fail "$LAST: should give '$1' and leave '$2'"
        cat .said .left
        diff .before .after
    fi
}
touch .said .left .lines .out .before .after

# ---- seen on a terminal, not in a pipe, not in the way of anything ----
watch terminal 'loading -: reading, 8 bytes' close info - --brief --json -
judge "0 seen" ""
if python3 -c 'import json; assert json.load(open(".out"))["graph"]["arcs"] == 3'; then pass; else fail "$LAST: the document"; fi
watch terminal:30 'loading -: reading' close info - --brief
judge "0 seen" ""
# No line is wider than the terminal: it could not be erased.
if python3 -c 'import re; assert all(len(line) < 30 for line in re.split(rb"\r\x1b\[K|\n", open(".lines", "rb").read()))'; then
    pass
else
    fail "$LAST: lines are wider than the terminal"
fi
watch pipe 'loading' close info - --brief
judge "0 seen" "" # nothing was said, though it took long
if [ -s .lines ]; then fail "$LAST: a pipe got progress"; else pass; fi
watch terminal '.' end info chain:10 --brief # which takes no time
judge "0 not seen" ""
if [ -s .lines ]; then fail "$LAST: a short command showed progress"; else pass; fi

# ---- a signal in each stage ----
for verb in "info - --brief" "convert - out.mtx" "partition - --parts 2 -o parts" "plan - bfs --devices host:2" \
    "bfs - --devices host:2 -o levels"; do
    # shellcheck disable=SC2086 # words of a command
    watch terminal ': reading, ' SIGINT $verb
    judge "1 seen" "weir: stopped by SIGINT"
done
watch terminal ': drawing arcs, ' SIGTERM gen "rmat:$SCALE" -o out.gr
judge "1 seen" "weir: stopped by SIGTERM"
watch terminal ': (dealing out arcs|sorting rows), ' SIGINT gen "uniform:$SCALE" -o out.gr
judge "1 seen" "weir: stopped by SIGINT"
watch terminal 'writing out.mtx.xz: writing a graph, ' SIGINT gen "grid:${SIDE}x$SIDE" -o out.mtx.xz
judge "1 seen" "weir: stopped by SIGINT"
watch terminal 'the reference: finding paths by the reference, ' SIGHUP sssp "grid:${SIDE}x$SIDE" --devices host:2 --verify -o out
judge "1 seen" "weir: stopped by SIGHUP"
watch terminal 'preparing bfs: ' SIGINT bfs "uniform:$SCALE" --devices host:2 -o out
judge "1 seen" "weir: stopped by SIGINT"
watch terminal 'writing out: writing values, ' SIGINT bfs "star:$RAYS" --devices host:2 -o out
judge "1 seen" "weir: stopped by SIGINT"

# ---- METIS: what is left of it ----
cat >helper <<'END'
#!/bin/sh
sleep 1000 &
echo $! >"$HELPER_PID"
wait
END
chmod +x helper
gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        case $(sed -n 's/^State:[^A-Z]*//p' "/proc/$(cat "$1")/status" 2>/dev/null) in
        "" | Z* | X*) return 0 ;;
        esac
        sleep 0.2
    done
    return 1
}
HELPER_PID=$ROOM/pid
export HELPER_PID
touch pid
WEIR_METIS_HELPER=$ROOM/helper
export WEIR_METIS_HELPER
watch terminal 'partitioning: partitioning with METIS' SIGINT partition grid:30x30 --parts 2 --partition metis -o parts
judge "1 seen" "weir: stopped by SIGINT"
if gone pid; then pass; else fail "$LAST: METIS's child is left"; fi
LAST="weir partition, with a limit"
refuse 1 "the time limit of 500 ms is over while partitioning with METIS" partition grid:30x30 --parts 2 --partition metis \
    --time-limit 0.5 -o parts
if gone pid; then pass; else fail "$LAST: METIS's child is left"; fi
refuse 1 "the time limit of 500 ms is over while partitioning with METIS" bfs grid:30x30 --devices host:2 --partition metis \
    --time-limit 0.5 -o levels
unset WEIR_METIS_HELPER

# ---- the limit in other stages ----
mkfifo never
for verb in "info never --brief" "convert never out.mtx" "partition never --parts 2 -o parts" \
    "plan never bfs --devices host:2" "cc never --devices host:2 -o labels" "partition grid:9x9 --partition file:never --parts 2"; do
    # shellcheck disable=SC2086 # words of a command
    refuse 1 "the time limit of 200 ms is over while reading" $verb --time-limit 0.2
done
refuse 1 "the time limit of 200 ms is over while writing a graph" gen grid:9x9 -o never --time-limit 0.2
refuse 1 "the time limit of 100 ms is over while " gen rmat:21 -o out.gr --time-limit 0.1
refuse 1 "the time limit of 100 ms is over while " info rmat:21 --brief --time-limit 0.1
# Nobody reads what is written, so the library's own looks do not come about.
cat >full.py <<'END'
import os, subprocess, sys
reader, writer = os.pipe()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE)
_, said = child.communicate(timeout=60)
print(child.returncode, said.decode().strip())
END
LAST="weir bfs -o - into a full pipe, with a limit"
if grep -q __tsan_init "$WEIR"; then
    skip "ThreadSanitizer's own _exit() waits for standard output"
elif [ "$(python3 full.py "$WEIR" bfs grid:300x300 --devices host:1 -o - --time-limit 5)" = \
    "1 weir: the time limit of 5000 ms is over while writing values" ]; then
    pass
else
    fail "$LAST"
fi
# Each stage has all of the time: a limit that none reaches changes nothing.
expect_ok bfs grid:300x300 --devices host:2 --partition random --verify --time-limit 60 -o levels
refuse 2 "time-limit is of a graph" info --config --time-limit 1
finish
