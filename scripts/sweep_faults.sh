#!/bin/sh
# Lets the n-th allocation, mapping or thread of the command from main() on fail, for one n after the other and commands of
# every verb, and looks at what comes of it. What must hold for each: it ends within a time limit; it either
# gives what an unharmed run gives (times and what depends on them left out) with status 0, or status 1 and one
# sentence on stderr that names memory or threads; no file is left that was not asked for, none that is not
# complete; no crash, and of a build with AddressSanitizer no report and no leak.
#
#   scripts/sweep_faults.sh [NAME...]      only commands with one of these texts in their line
#   scripts/sweep_faults.sh --list         the commands
#
#   WEIR_FAULTS   quick (the default): the first call of those that the same functions made, called by the same
#                 functions; full: every call, but for commands that take long
#
# Environment besides: BUILD (build), WEIR_SWEEP_JOBS (runs at a time; the number of cores),
# WEIR_FAULTS_SECONDS (after which what is left counts as skipped; quick 80, with a sanitizer 1200, full none).
#
# One failure again: the command that stands below the failures; with FAULTS_TRACE=1 it says who called. FAULTS_SHOW:
# how many failures of a command are shown (8).
set -eu
BUILD=${BUILD:-build}
case ${WEIR_FAULTS:-quick} in quick | full) ;; *) echo "sweep_faults: WEIR_FAULTS=$WEIR_FAULTS: quick or full" >&2 && exit 2 ;; esac
if ! command -v python3 >/dev/null 2>&1; then
    echo 'sweep_faults: no python3 here, skipped'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
for file in "$BUILD/weir" "$BUILD/lib/libfaults.so"; do
    [ -f "$file" ] || { echo "sweep_faults: $file is not built: make check-faults" >&2 && exit 2; }
done
BUILD=$(cd "$BUILD" && pwd)
export BUILD

exec python3 - "$@" <<'END'
import collections
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

BUILD = os.environ["BUILD"]
FULL = os.environ.get("WEIR_FAULTS", "quick") == "full"
SANITIZED = os.path.basename(BUILD) in ("address", "undefined", "both", "thread")
SECONDS = float(os.environ.get("WEIR_FAULTS_SECONDS", "inf" if FULL else "1200" if SANITIZED else "80"))
JOBS = int(os.environ.get("WEIR_SWEEP_JOBS", os.cpu_count() or 1))
KINDS = ["alloc", "map", "thread"]
# struct notes of tests/faults/faults.c
HEADER, WAYS_MAX, HWLOC = struct.Struct("4Q"), 1 << 20, 2
ON = "--devices host:2"

# What is compared of standard output and of each file: "exact"; "numbers": all but numbers; "ranks": numbers
# to the tolerance they were computed to. "slow": left out of a quick sweep, and in a full one each way once.
Case = collections.namedtuple("Case", "line out files slow", defaults=("exact", {}, False))
CASES = [
    Case("version"),
    Case("help"),
    Case("help bench"),
    Case("bench list"),
    Case("info --config"),
    Case("info --config --json -"),
    Case("info rmat:6 --brief"),
    Case("info small.mtx.gz --brief --json facts.json", files={"facts.json": "exact"}),
    Case("info small.gr.xz --brief --undirected"),
    Case("info small.el --brief"),
    Case("info many.el --brief --undirected"),  # dealt out while it is read
    Case("gen rmat:6 -o new.mtx", "numbers", files={"new.mtx": "exact"}),
    Case("gen grid:8x8,0.9 -o new.gr.gz", "numbers", files={"new.gr.gz": "exact"}),
    Case("gen small.mtx.gz -o new.el.xz", "numbers", files={"new.el.xz": "exact"}),
    Case("convert small.gr.xz new.mtx.zst --json -", "numbers", {"new.mtx.zst": "exact"}),
    Case("partition rmat:6 --parts 3 --partition random -o new.part", "numbers", {"new.part": "exact"}),
    Case("partition small.el --parts 2 --json -", "numbers"),
    Case(f"bfs rmat:6 {ON} --partition file:small.part", "numbers"),
    Case("topo --machine m60 --format json"),
    Case("topo --machine m60 --format dot"),
    Case("topo --machine m60"),
    Case("topo --machine machine.json --route ring -o table.txt", files={"table.txt": "exact"}),
    Case(f"topo {ON} --format json -o topo.json", files={"topo.json": "numbers"}),
    Case(f"topo {ON}", "numbers"),
    Case(f"bfs small.mtx.gz {ON} --output levels --output-parents parents --verify", "numbers",
         {"levels": "exact", "parents": "numbers"}),
    Case(f"bfs rmat:6 {ON} --direction push --partition metis --json -", "numbers"),
    Case(f"bfs rmat:6 {ON} --sources 2 --trials 2 --stats", "numbers"),
    Case(f"bfs rmat:6 {ON} --sources 3 --batch --trials 2 --output levels --verify --json run.json", "numbers",
         {"levels": "exact", "run.json": "numbers"}),
    Case(f"sssp rmat:6 {ON} --output distances --json run.json", "numbers",
         {"distances": "exact", "run.json": "numbers"}),
    Case(f"sssp rmat:6 {ON} --direction push --order soft --route ring --verify --stats", "numbers"),
    Case(f"pr rmat:6 {ON} --output ranks --verify", "numbers", {"ranks": "ranks"}),
    Case(f"pr rmat:6 {ON} --direction push --route tree --json -", "numbers"),
    Case(f"cc rmat:6 {ON} --stream off --output labels --verify --json run.json", "numbers",
         {"labels": "exact", "run.json": "numbers"}),
    Case(f"cc rmat:6 {ON} --stream on --route ring", "numbers"),
    Case(f"color rmat:6 {ON} --permute 3 --output colors --verify --json run.json", "numbers",
         {"colors": "numbers", "run.json": "numbers"}),
    Case(f"color rmat:6 {ON} --verify --verify-by certificate", "numbers"),
    Case(f"sssp rmat:6 {ON} --memory host --output distances --verify", "numbers", {"distances": "exact"}),
    Case(f"bfs rmat:6 {ON} --parents --verify --verify-by certificate", "numbers"),
    Case(f"sssp rmat:6 {ON} --weights random:0-1 --verify --verify-by certificate", "numbers"),
    Case(f"sssp rmat:6 {ON} --output-parents parents --verify", "numbers", {"parents": "numbers"}),
    Case(f"pr rmat:6 {ON} --verify --verify-by certificate", "numbers"),
    Case(f"cc rmat:6 {ON} --stream off --verify --verify-by certificate", "numbers"),
    Case(f"spmv small.mtx.gz {ON} --verify -o y.mtx --json run.json", "numbers", {"y.mtx": "exact", "run.json": "numbers"}),
    Case(f"spmv powerlaw:300,9 {ON} --schedule bins --beta 1 --values f64 --verify", "numbers"),
    Case(f"spmm banded:300,3 {ON} --columns 3 --transpose --schedule merge --verify", "numbers"),
    Case(f"spmm random:40x9000,40 {ON} --columns 16 --vector cut --verify", "numbers"), # halos are packed
    Case(f"plan powerlaw:300,9 spmv {ON} --vector cut --json -", "numbers"),
    Case(f"pbf --elements 10000 {ON} --verify --json run.json", "numbers", {"run.json": "numbers"}),
    Case(f"bench links {ON} --bytes 64 --trials 1 --warmups 0 --format csv", "numbers"),
    Case(f"bench hops {ON} --bytes 64 --trials 1 --warmups 0 --json -", "numbers"),
    Case(f"bench linkpackets {ON} --bytes 64 --trials 1 --warmups 0", "numbers", slow=True),
    Case(f"bench hostcost {ON} --trials 1 --warmups 0", "numbers", slow=True),
    Case(f"bench collectives {ON} --bytes 64 --trials 1 --warmups 0 --format json -o new.json", "numbers",
         {"new.json": "numbers"}),
    Case(f"bench memory {ON} --bytes 4KiB --trials 1 --json new.json", "numbers", {"new.json": "numbers"}),
    Case(f"bench access {ON} --bytes 64 --trials 1 --warmups 0", "numbers"),
    Case(f"bench launch {ON} --trials 1 --warmups 0", "numbers"),
] + [Case(f"bench {name} {ON} --bytes 64 --trials 1 --warmups 0", "numbers", slow=True) for name in
     "atomics packets indirect broadcast copy pairs ring alltoall contention".split()] + [
    Case(f"bench flags {ON} --trials 1 --warmups 0", "numbers", slow=True),
    Case("bench broadcast --machine hetero2 --bytes 64KiB --format csv"),
    Case("bench --from old.json"),
    Case("bench --from old.json --compare old.json --format csv"),
    Case(f"bench all {ON} --bytes 64 --trials 1 --warmups 0 --json new.json", "numbers", {"new.json": "numbers"}, True),
    Case("topo --machine hetero2 --measure", slow=True),
]
# Made once, by unharmed runs.
INPUTS = ["partition rmat:6 --parts 2 --partition random -o small.part", "gen rmat:6 -o small.mtx.gz", "gen rmat:6 -o small.gr.xz", "gen rmat:6 -o small.el", "gen uniform:13,18 -o many.el",
          "topo --machine m60 --format json -o machine.json",
          "bench pairs --devices host:2 --bytes 4KiB --trials 1 --json old.json"]
INPUT_FILES = ["small.part", "small.mtx.gz", "small.gr.xz", "small.el", "many.el", "machine.json", "old.json"]

# Numbers of a document that are results and not how a run came to them.
RESULTS = {"schema", "vertices", "arcs", "reached", "max_level", "sum_levels", "max_distance", "sum_distances",
           "components", "largest_component", "source", "seed", "elements", "kept"}
NUMBER = re.compile(r"-?\b\d[\d.]*(e[-+]?\d+)?\b|\b(inf|nan)\b")
REPORT = re.compile(r"(Address|Leak|Undefined\w*|Thread)Sanitizer|: runtime error: ")
NAMED = re.compile(r"memory|thread")
LIMIT_S = 120 if SANITIZED else 20


# ---- what is compared --------------------------------------------------------------------------------
def words(text):
    """A text without its numbers, and without the blanks that align them."""
    return re.sub(r"[ -]+", " ", NUMBER.sub("#", text))


def shape(value, key=""):
    """A document without the numbers that are no results. Links that nothing went over are not listed."""
    if isinstance(value, dict):
        return {name: shape(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(member)) for member in value}) if key == "links" else \
            [shape(member) for member in value]
    if isinstance(value, str):
        return words(value)
    return value if isinstance(value, bool) or key in RESULTS else "#"


def facts(data, how):
    """What must be the same in every run; ValueError where it is no such document at all."""
    if how == "exact":
        return data
    text = data.decode("utf-8")
    if how == "ranks":
        return [float(line) for line in text.split()]
    return shape(json.loads(text)) if text.startswith("{") else words(text)


def same(one, other, how):
    if how == "ranks":
        return len(one) == len(other) and all(abs(a - b) <= 1e-5 for a, b in zip(one, other))
    return one == other


def first_difference(found, wanted):
    """Where two texts or documents differ first, for people."""
    def lines(value):
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace").splitlines()
        return value.splitlines() if isinstance(value, str) else json.dumps(value, indent=0).splitlines()
    for one, other in itertools.zip_longest(lines(found), lines(wanted)):
        if one != other:
            return f"{one!r} instead of {other!r}"
    return "line ends"


def difference(name, data, wanted, how):
    """A sentence on what differs, or None. With nothing to compare with (None), whether it is whole."""
    try:
        found = facts(data, how)
    except ValueError as error:
        return f"{name} is no whole document: {error}: {data[:200]!r}"
    return None if wanted is None or same(found, wanted, how) else f"{name} has {first_difference(found, wanted)}"


# ---- one run ---------------------------------------------------------------------------------------------
Run = collections.namedtuple("Run", "code out err files calls struck ways")


def environment(folder, kind, number):
    env = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "FAULTS_"))}
    if "FAULTS_TRACE" in os.environ:
        env["FAULTS_TRACE"] = os.environ["FAULTS_TRACE"]
    env.update(WEIR_EVENTS="16", FAULTS_KIND=kind, FAULTS_AT=str(number), FAULTS_PROGRAM="weir", FAULTS_FILE=folder + ".notes",
               LD_PRELOAD=os.path.join(BUILD, "lib/libfaults.so"), PATH=BUILD + ":" + env.get("PATH", ""),
               ASAN_OPTIONS="verify_asan_link_order=0:exitcode=99:detect_leaks=1:allocator_may_return_null=1",
               LSAN_OPTIONS="print_suppressions=0:suppressions=" + os.path.join(room, "known_leaks"))
    return env


def start(line, folder, env):
    """Runs a command in a folder, at most LIMIT_S; its process group ends with it."""
    with subprocess.Popen([os.path.join(BUILD, "weir")] + shlex.split(line), cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return None, out, err
    return process.returncode, out, err


def run(line, kind, number):
    """One run whose call of this number fails, or none (0): then its calls are recorded."""
    folder = tempfile.mkdtemp(dir=room)
    try:
        for name in INPUT_FILES:
            if os.path.exists(os.path.join(room, name)):
                os.link(os.path.join(room, name), os.path.join(folder, name))
        with open(folder + ".notes", "wb") as notes:
            notes.truncate(HEADER.size + 8 * WAYS_MAX)
        code, out, err = start(line, folder, environment(folder, kind, number))
        files = {}
        for name in sorted(os.listdir(folder)):
            if name not in INPUT_FILES:
                with open(os.path.join(folder, name), "rb") as file:
                    files[name] = file.read()
        with open(folder + ".notes", "rb") as notes:
            header = HEADER.unpack(notes.read(HEADER.size))
            calls = header[KINDS.index(kind)]
            kept = 0 if number else min(calls, WAYS_MAX)
            ways = struct.unpack(f"{kept}Q", notes.read(8 * kept))
        return Run(code, out, err.decode("utf-8", "replace"), files, calls, header[3], ways)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(folder + ".notes"):
            os.unlink(folder + ".notes")


# ---- judging ---------------------------------------------------------------------------------------------
Wanted = collections.namedtuple("Wanted", "out err files")


def wanted_of(case):
    """What an unharmed run gives."""
    done = run(case.line, "alloc", 0)
    if done.code != 0 or sorted(done.files) != sorted(case.files):
        sys.exit(f"sweep_faults: weir {case.line}: unharmed, it ends with status {done.code} and files "
                 f"{sorted(done.files)}: {done.err.strip()[-2000:]}")
    return Wanted(facts(done.out, case.out), words(done.err),
                  {name: facts(data, case.files[name]) for name, data in done.files.items()})


def outcome(case, done, wanted):
    """What is wrong with one run, as a sentence, or None."""
    if done.code is None:
        return f"not done after {LIMIT_S} s"
    left = sorted(set(done.files) - set(case.files))
    if left:
        return f"status {done.code}, and {left[0]} is left"
    if done.struck == HWLOC:
        return of_hwloc(case, done)
    if REPORT.search(done.err):
        return "a sanitizer's report: " + done.err[:6000]
    if done.code < 0:
        return f"ended by signal {-done.code} ({done.err.strip()[-200:]})"
    for name, data in done.files.items():
        # A benchmark among others that fails is told of in its place in a document that is whole.
        wrong = difference(name, data, None if one_of_many(done) else wanted.files[name], case.files[name])
        if wrong:
            return f"status {done.code}, but {wrong}"
    if done.code == 0:
        return succeeded(case, done, wanted)
    return failed(done)


def one_of_many(done):
    return done.code == 1 and done.err.endswith(" benchmarks failed\n")


def of_hwloc(case, done):
    """hwloc may crash, and what it says of the system's nodes may be incomplete; files may not. The dynamic loader, by which
    it looks for its plugins, ends the process with status 127 and two words."""
    if done.code == 127 and done.err.strip() == "out of memory":
        return None
    if done.code not in (0, 1, 99, -signal.SIGABRT, -signal.SIGSEGV) or (done.code == 99 and "libhwloc" not in done.err):
        return f"without memory for hwloc: status {done.code}: {done.err[-2000:]}"
    missing = [name for name in case.files if done.code == 0 and not done.files.get(name)]
    return f"status 0 without {missing[0]}" if missing else None


def succeeded(case, done, wanted):
    missing = sorted(set(case.files) - set(done.files))
    if missing:
        return f"status 0 without {missing[0]}"
    wrong = difference("standard output", done.out, wanted.out, case.out)
    if wrong:
        return f"status 0, but {wrong}"
    return None if words(done.err) == wanted.err else f"status 0, but stderr says {done.err.strip()!r}"


def failed(done):
    lines = done.err.splitlines()
    if done.code != 1:
        return f"status {done.code}: {done.err.strip()!r}"
    if not done.struck:
        return f"nothing was made to fail, but status 1: {done.err.strip()!r}"
    told = done.err + (done.out.decode("utf-8", "replace") if one_of_many(done) else "")
    if len(lines) != 1 or not lines[0].startswith("weir: ") or not NAMED.search(told):
        return f"status 1, but not one sentence on memory or threads: {done.err.strip()!r}"
    return None


# ---- the sweep -------------------------------------------------------------------------------------------
def numbers(case, kind):
    """Which calls are to fail; those that go a way for the first time come first."""
    recorded = run(case.line, kind, 0)
    first = {}
    for number, way in enumerate(recorded.ways, 1):
        if way % 2 == 0 or way not in hwloc_ways:
            first.setdefault(way, number)
    hwloc_ways.update(way for way in first if way % 2)
    chosen = list(first.values())
    if not FULL or case.slow:
        return chosen
    return chosen + sorted(set(range(1, recorded.calls + 1)) - set(chosen))


def attempt(work):
    case, wanted, kind, number, limit = work
    if time.monotonic() > limit:
        return None
    wrong = outcome(case, run(case.line, kind, number), wanted)
    return (kind, number, wrong)


def again(kind, number, line):
    """The command that fails in the same way, to be typed in the root of the tree."""
    return f"FAULTS_KIND={kind} FAULTS_AT={number} scripts/sweep_faults.sh --once {shlex.quote(line)}"


def sweep(case, pool, share):
    """Sweeps one command within its share of the time; returns (passed, failed, skipped) and prints its line."""
    begin = time.monotonic()
    wanted = wanted_of(case)
    planned = [(case, wanted, kind, number, min(deadline, begin + share))
               for kind in KINDS for number in numbers(case, kind)]
    results = list(pool.map(attempt, planned))
    wrong = [result for result in results if result and result[2]]
    skipped = results.count(None)
    print(f"{'FAIL' if wrong else 'ok  '} {len(results) - skipped - len(wrong):5} of {len(results):5} failures"
          f" {time.monotonic() - begin:6.1f} s  weir {case.line}" + (f" ({skipped} skipped)" if skipped else ""), flush=True)
    for kind, number, text in wrong[:int(os.environ.get("FAULTS_SHOW", "8"))]:
        print(f"     {kind} {number}: {text}", flush=True)
    if wrong:
        print(f"     again: {again(*wrong[0][:2], case.line)}", flush=True)
    return len(results) - skipped - len(wrong), len(wrong), skipped


def once(line):
    """One run by hand: what it prints and what is said of it."""
    case = next(case for case in CASES if case.line == line)
    done = run(line, os.environ["FAULTS_KIND"], int(os.environ["FAULTS_AT"]))
    sys.stdout.write(done.out.decode("utf-8", "replace"))
    sys.stderr.write(done.err)
    print(f"status {done.code}: {outcome(case, done, wanted_of(case)) or 'as it should be'}")


def prepare():
    with open(os.path.join(room, "known_leaks"), "w", encoding="ascii") as file:
        # Of the dynamic linker, which the sanitizer knows only where nobody stands between.
        file.write("leak:libhwloc\nleak:ld-linux\nleak:_dl_map_object_deps\n")
    for line in INPUTS:
        code, _, err = start(line, room, dict(environment(room, "alloc", 0), LD_PRELOAD=""))
        if code != 0:
            sys.exit(f"sweep_faults: weir {line}: status {code}: {err.decode()}")


def main():
    chosen = [case for case in CASES if (FULL or not case.slow) and
              (len(sys.argv) < 2 or any(text in case.line for text in sys.argv[1:]))]
    passed = bad = skipped = 0
    with ThreadPoolExecutor(JOBS) as pool:
        for done, case in enumerate(chosen):
            # Most take less than what falls to each, so that more is left for the others.
            counts = sweep(case, pool, 4 * (deadline - time.monotonic()) / (len(chosen) - done))
            passed, bad, skipped = passed + counts[0], bad + counts[1], skipped + counts[2]
    print(f"{passed} passed, {bad} failed, {skipped} skipped")
    sys.exit(1 if bad or not passed else 0)


deadline = time.monotonic() + SECONDS
hwloc_ways = set()  # it is the same in every command: what failed in one needs not fail in the others
if sys.argv[1:] == ["--list"]:
    print("\n".join("weir " + case.line for case in CASES))
    sys.exit(0)
with tempfile.TemporaryDirectory() as room:
    prepare()
    if sys.argv[1:2] == ["--once"]:
        once(sys.argv[2])
    else:
        main()
END
