#!/bin/sh
# weir bfs, sssp, pr, cc and color --verify over every real graph whose answers are recorded in ANSWERS.json, and
# comparison with those answers: of the vertices reached, the largest level or distance and their sum; of
# the ranks that are recorded and the sum of all their squares; of the number of components and the size of
# the largest. Distances are recorded where a file has weights; elsewhere sssp takes random ones, and what
# is compared is how many vertices BFS reached.
#
#   scripts/sweep_data.sh quick|full [DEVICES...]
#
#   quick    for each graph, every pair of two choices (devices, partition, route, reverse arcs or
#            not, source) at least once, two runs for a device alone, which has nothing to divide; full:
#            every combination. bfs and sssp go through the worklist for one source, as the library likes
#            for the other; pr, which has no sources, pulls to 1e-10 or pushes to 1e-6 (quick: pulls to
#            1e-6 where anything else would take minutes); cc has its arcs resident or streamed
#   DEVICES  device specs; host:1 host:2 host:3 host:4 host:8 when none is given
#
# Environment: WEIR_DATA (folder of ANSWERS.json; ../shared/data, shared/data), BUILD (build),
# WEIR_SWEEP_JOBS (runs at a time; one core each on host devices, 1 with GPUs),
# WEIR_SWEEP_VERBS ("bfs sssp pr cc color"), WEIR_SWEEP_ARGS (more options of weir), WEIR_TEST_STRIDE (1: all runs; else
# every so many-th of a graph's, beginning with another one for each graph).
set -eu
skip() {
    echo "sweep: $1, skipped"
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
}
case ${1:-} in quick | full) ;; *) echo 'usage: scripts/sweep_data.sh quick|full [DEVICES...]' >&2 && exit 2 ;; esac
if [ -z "${WEIR_DATA:-}" ]; then
    for WEIR_DATA in ../shared/data shared/data; do
        [ ! -f "$WEIR_DATA/ANSWERS.json" ] || break
    done
fi
[ -f "$WEIR_DATA/ANSWERS.json" ] || skip "no ANSWERS.json in $WEIR_DATA"
command -v python3 >/dev/null 2>&1 || skip 'no python3 here'
export WEIR_DATA

exec python3 - "$@" <<'END'
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

LIMIT_S = 300
PARTITIONS = ["block", "edge", "random", "metis"]
ROUTES = ["direct", "ring", "tree", "staged"]
DIRECTIONS = ["directed", "undirected"]
MEASURES = {"bfs": ("max_level", "sum_levels"), "sssp": ("max_distance", "sum_distances"), "pr": (),
            "cc": ("components", "largest_component"), "color": ()}
# Ranks: relative and in all, as far as the tolerance and the twelve digits of the answers go.
FINE, COARSE, DAMPING, DIGITS = 1e-10, 1e-6, .85, 1e-11
# Vertices up to which a quick sweep pushes ranks, and has them in full.
QUICK_PUSH, QUICK_FINE = 200000, 1000000

weir = os.path.join(os.environ.get("BUILD", "build"), "weir")
extra = os.environ.get("WEIR_SWEEP_ARGS", "").split()
data = os.environ["WEIR_DATA"]
verbs = os.environ.get("WEIR_SWEEP_VERBS", " ".join(MEASURES)).split()
stride_text = os.environ.get("WEIR_TEST_STRIDE") or "1"
if not re.fullmatch("[1-9][0-9]?", stride_text):
    sys.exit(f"sweep: WEIR_TEST_STRIDE={stride_text} is no number from 1 to 99")
stride = int(stride_text)
if not verbs or not set(verbs) <= set(MEASURES):
    sys.exit(f"sweep: WEIR_SWEEP_VERBS is {verbs}, and there are {list(MEASURES)}")


def alone(device):
    """Whether a spec is of one device."""
    return re.fullmatch(r"host:1(x[0-9]+)?|cuda:[0-9]+", device) is not None


def combinations(mode, devices, sources):
    """Tuples (device, partition, route, direction, index of source)."""
    if mode == "full":
        yield from itertools.product(devices, PARTITIONS, ROUTES, DIRECTIONS, range(sources))
        return
    # One run for each device and partition; the bits of their numbers spread the other choices
    # so that with four devices and more, every pair of values of two choices comes together.
    for (i, device), (j, partition) in itertools.product(enumerate(devices), enumerate(PARTITIONS)):
        if alone(device) and j not in (0, 3):
            continue
        route = ROUTES[(i + j) % 4]
        direction = DIRECTIONS[(i + j // 2) % 2]
        yield device, partition, route, direction, (i // 2 + j) % sources


def unpacked(path, folder):
    """A copy without compression, so that only the first run pays for unpacking."""
    stem, suffix = os.path.splitext(path)
    tool = {".xz": "xz", ".gz": "gzip"}.get(suffix)
    if not tool or not shutil.which(tool):
        return path
    copy = os.path.join(folder, os.path.basename(stem))
    with open(copy, "wb") as out:
        subprocess.run([tool, "-dc", path], stdout=out, check=True)
    return copy


def rank_differences(path, answers, tolerance):
    """What a file of ranks says against the recorded ones, as sentences."""
    with open(path, encoding="ascii") as file:
        ranks = [float(line) for line in file]
    bound = tolerance / (1 - DAMPING)
    wrong = []
    for vertex, rank in answers["top"]:
        limit = rank * 1e-9 + rank * DIGITS if tolerance <= FINE else bound + rank * DIGITS
        if not abs(ranks[vertex] - rank) <= limit:
            wrong.append(f"vertex {vertex} has rank {ranks[vertex]!r} instead of {rank!r}")
    squares, expected = math.fsum(rank * rank for rank in ranks), answers["sum_of_squares"]
    if not abs(squares - expected) <= 2 * max(ranks) * bound + expected * DIGITS:
        wrong.append(f"squares sum to {squares!r} instead of {expected!r}")
    if not abs(math.fsum(ranks) - 1) <= 1e-9:
        wrong.append(f"ranks sum to {math.fsum(ranks)!r}")
    return wrong


def expectation(verb, answers, source):
    """Members of a trial that are known."""
    if verb == "cc":
        return {"components": answers["cc"]["components"], "largest_component": answers["cc"]["largest"],
                "reached": answers["vertices"]}
    if verb in ("pr", "color"):
        return {"reached": answers["vertices"]}
    return dict(answers["bfs"][source], **answers[verb].get(source, {}))


def differences(document, verb, answers, source):
    """What the run's JSON says against the recorded answers, as sentences."""
    expected = expectation(verb, answers, source)
    expected.update(vertices=answers["vertices"], arcs=answers["arcs"])
    trial = document["trials"][0]
    found = {key: trial.get(key) for key in ("reached",) + MEASURES[verb]}
    found.update({key: document["graph"].get(key) for key in ("vertices", "arcs")})
    wrong = [f"{key} {found[key]} instead of {expected[key]}"
             for key in found if key in expected and found[key] != expected[key]]
    wrong += [f"no {key}" for key in found if found[key] is None]
    if trial.get("source") != (int(source) if verb in ("bfs", "sssp") else None):
        wrong.append(f"ran from {trial.get('source')}")
    if document.get("verified") is not True:
        wrong.append(f"verified is {document.get('verified')}")
    return wrong


def tolerance(mode, answers, index):
    """Of PageRank."""
    fine = index % 2 == 0 and (mode == "full" or answers["vertices"] <= QUICK_FINE)
    return FINE if fine else COARSE


def own_options(mode, verb, route, answers, source, index):
    """Options of one verb alone, or of how it goes."""
    if verb == "pr":
        pushes = index % 2 and (mode == "full" or answers["vertices"] <= QUICK_PUSH)
        return ["--tolerance", str(tolerance(mode, answers, index))] + \
               (["--direction", "push", "--route", route] if pushes else ["--direction", "pull"])
    if verb == "cc":
        return ["--stream", "on", "--route", route] if index % 2 else ["--stream", "off"]
    if verb == "color":
        return ["--permute", "7"] if index % 2 else []
    options = ["--source", source] + (["--route", route] if index % 2 == 0 else [])
    if verb == "sssp":
        options += ["--weights", "file" if answers[verb] else "random"]
    return options


def run(mode, path, record, work, folder):
    """None, or what went wrong in one run."""
    verb, (device, partition, route, direction, index) = work
    answers = dict(record[direction], vertices=record["vertices"])
    source = sorted(answers["bfs"], key=int)[index]
    command = [weir, verb, path, "--devices", device, "--verify", "--json", "-"]
    command += own_options(mode, verb, route, answers, source, index) + extra
    if verb != "cc" or index % 2 == 0:  # arcs that are streamed are of no part
        command += ["--partition", partition]
    if direction == "undirected":
        command.append("--undirected")
    ranks = None
    if verb == "pr":
        handle, ranks = tempfile.mkstemp(dir=folder)
        os.close(handle)
        command += ["--output", ranks]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
        if done.returncode != 0:
            wrong = [f"exit {done.returncode}: {done.stderr.strip()[-500:]}"]
        else:
            wrong = differences(json.loads(done.stdout), verb, answers, source)
            if ranks:
                wrong += rank_differences(ranks, answers["pr"], tolerance(mode, answers, index))
    except subprocess.TimeoutExpired:
        wrong = [f"not done after {LIMIT_S} s"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        wrong = [f"JSON or ranks as they should not be: {error!r}"]
    if ranks:
        os.unlink(ranks)
    return f"{' '.join(command)}: {'; '.join(wrong)}" if wrong else None


def sweep(name, record, mode, devices, jobs, folder, first):
    """Runs one graph, of what is planned every so many-th from the first on; returns (passed, failed) and prints its line."""
    path = os.path.join(data, name)
    start = time.monotonic()
    copy = unpacked(path, folder)
    sources = min(len(record[direction]["bfs"]) for direction in DIRECTIONS)
    planned = list(itertools.product(verbs, combinations(mode, devices, sources)))[first % stride::stride]
    # The packed file itself is read by the first run.
    paths = [path] + [copy] * (len(planned) - 1)
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda work: run(mode, work[0], record, work[1], folder), zip(paths, planned)))
    if copy != path:
        os.unlink(copy)
    wrong = [text for text in results if text]
    print(f"{'FAIL' if wrong else 'ok  '} {name:32} {len(planned) - len(wrong):4} of {len(planned)} runs"
          f" {time.monotonic() - start:7.1f} s", flush=True)
    for text in wrong[:8]:
        print(f"     {text}")
    return len(planned) - len(wrong), len(wrong)


def main():
    mode, devices = sys.argv[1], sys.argv[2:]
    devices = devices or ["host:1", "host:2", "host:3", "host:4", "host:8"]
    on_gpu = any("cuda" in device for device in devices)
    jobs = int(os.environ.get("WEIR_SWEEP_JOBS", 1 if on_gpu else min(os.cpu_count() or 1, 8)))
    with open(os.path.join(data, "ANSWERS.json"), encoding="utf-8") as file:
        graphs = json.load(file)
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, record) in enumerate(graphs.items()):
            if not os.path.exists(os.path.join(data, name)):
                print(f"skip {name:32} no such file")
                skipped += 1
                continue
            good, bad = sweep(name, record, mode, devices, jobs, folder, number)
            passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


main()
END
