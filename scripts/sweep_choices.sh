#!/bin/sh
# Every choice of a run with every other, verified, on the devices named: first test_choices, which
# runs small graphs in one process, then weir bfs and weir sssp over larger graphs, generated ones, stars and hubs of a
# million arcs and more, and those of the data folder that load, each result compared in full with the serial reference.
#
#   scripts/sweep_choices.sh quick|full [DEVICES...]
#
#   quick    test_choices with all pairs of two choices; of the command's runs, too, every pair of two
#            choices (the graph is one) at least once: 100 to 150 runs
#   full     test_choices with the whole product, which takes hours (WEIR_CHECK=triples: minutes), and
#            every pair of two choices for each graph
#   DEVICES  device specs; cuda:0 cuda:0-1 cuda:0-3 when none is given
#
# Environment: BUILD (build), WEIR_DATA (folder of graphs; ../shared/data, shared/data), WEIR_CHECK and
# WEIR_CHECK_PART (of test_choices), WEIR_SWEEP_GRAPHS (graphs in place of all), WEIR_SWEEP_PARTS
# ("small command": which of the two to run).
set -eu
case ${1:-} in quick | full) ;; *) echo 'usage: scripts/sweep_choices.sh quick|full [DEVICES...]' >&2 && exit 2 ;; esac
mode=$1
shift
[ $# -gt 0 ] || set -- cuda:0 cuda:0-1 cuda:0-3
command -v python3 >/dev/null 2>&1 || {
    echo 'sweep: no python3 here, skipped'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
}
if [ -z "${WEIR_DATA:-}" ]; then
    for WEIR_DATA in ../shared/data shared/data; do
        [ ! -d "$WEIR_DATA" ] || break
    done
fi
export WEIR_DATA

exec python3 - "$(dirname "$0")" "$mode" "$@" <<'END'
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT_S = 120
CHOICES = {
    "verb": ["bfs", "sssp"],
    "devices": [],
    "partition": ["block", "edge", "random", "file", "metis"],
    "route": ["auto", "direct", "ring", "tree", "staged"],
    "order": ["auto", "fifo", "soft", "soft:2", "soft:5000", "bulk"],
    "kernel": ["auto", "fused", "discrete", "live"],
    "worker": ["auto", "thread", "warp", "block"],
    "fetch": ["0", "1", "7", "64"],
    "mapping": ["auto", "thread", "warp", "block", "group:1", "group:4", "group:32", "group:256", "merge"],
    "direction": ["directed", "undirected"],
    "weights": ["random:1-255", "random:0-9:7", "unit"],
}
GENERATED = ["rmat:12", "rmat:14,8", "grid:60x60,0.7", "grid:300x40,.65", "grid:5000x1"]
METIS_ARCS = 10_000_000  # beyond, it takes minutes

build = os.environ.get("BUILD", "build")
weir = os.path.join(build, "weir")
data = os.environ["WEIR_DATA"]
parts = os.environ.get("WEIR_SWEEP_PARTS", "small command").split()


def pairs_of(row):
    return set(itertools.combinations(sorted(row.items()), 2))


def covering(choices, seed):
    """Rows (dictionaries) in which every pair of values of two choices occurs; greedy."""
    draw = random.Random(seed)
    missing = set()
    for a, b in itertools.combinations(sorted(choices), 2):
        missing.update(((a, x), (b, y)) for x in choices[a] for y in choices[b])
    rows = []
    while missing:
        best = None
        for _ in range(12):
            row = dict(draw.choice(sorted(missing)))
            for name in draw.sample(sorted(choices), len(choices)):
                if name not in row:
                    def gain(value, name=name, row=row):
                        return sum(tuple(sorted([(name, value), other])) in missing for other in row.items())
                    values = draw.sample(choices[name], len(choices[name]))
                    row[name] = max(values, key=gain)
            found = len(pairs_of(row) & missing)
            if best is None or found > best[0]:
                best = (found, row)
        rows.append(best[1])
        missing -= pairs_of(best[1])
    return rows


def has_effect(row):
    """Whether a mapping has an effect with that worker; if not, it is refused, and the run goes without."""
    wide = row["mapping"] == "block" or row["mapping"].startswith("group:") and int(row["mapping"][6:]) > 32
    return row["worker"] != "thread" and not (row["worker"] == "warp" and wide)


def has_order(row):
    """Whether the kernel has the rounds that the order goes by; if not, it is refused, and the run goes without."""
    return row["kernel"] != "live" or row["order"] in ("auto", "fifo")


def picks_wrong(row, choices):
    """What was picked against what was asked for, as sentences; nothing is left at auto."""
    wrong = []
    for name in ("route", "order", "kernel", "worker", "mapping"):
        asked, picked = row[name].split(":")[0], str(choices.get(name)).split(":")[0]
        if name == "mapping" and row["worker"] == "thread":
            if picked != "None":
                wrong.append(f"mapping {picked} was reported where a worker is a thread")
            continue
        if name == "mapping" and not has_effect(row) or name == "order" and not has_order(row):
            asked = "auto"
        if picked in ("auto", "None") or asked not in ("auto", picked):
            wrong.append(f"{name} {asked} was asked for and {picked} picked")
    if row["fetch"] != "0" and choices.get("fetch") != int(row["fetch"]):
        wrong.append(f"fetch {row['fetch']} was asked for and {choices.get('fetch')} picked")
    if has_order(row) and row["order"].startswith("soft:") and choices.get("delta") != int(row["order"][5:]):
        wrong.append(f"{row['order']} was asked for and delta {choices.get('delta')} picked")
    return wrong


def may_refuse(row):
    """Whether it is a resident kernel on devices of several kinds."""
    return row["kernel"] in ("fused", "live") and "cuda" in row["devices"] and "host" in row["devices"]


def file_of(path, row):
    """A partition of the graph of the row for its devices, in a file that is kept for the next row."""
    name = os.path.join(made.name, "cut.part")
    command = [weir, "partition", path, "--parts", str(devices_of[row["devices"]]), "--partition", "random", "--seed", "7",
               "-o", name]
    if last_cut != command:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=LIMIT_S, check=True)
        last_cut[:] = command
    return "file:" + name


def run(path, row):
    """("passed" | "failed" | "skipped", text) of one run of the command."""
    command = [weir, row["verb"], path, "--direction", "push", *(["--balance", "off"] if row["verb"] in ("bfs", "sssp") else []), "--verify", "--json", "-", "--time-limit", str(LIMIT_S // 2)]
    for name in ("devices", "partition", "route", "order", "kernel", "worker", "fetch", "mapping"):
        if name == "mapping" and not has_effect(row) or name == "order" and not has_order(row):
            continue
        if row[name] not in ("auto", "0"):
            command += ["--" + name, file_of(path, row) if row[name] == "file" else row[name]]
    if row["verb"] == "sssp":
        command += ["--weights", row["weights"]]
    if row["direction"] == "undirected":
        command.append("--undirected")
    text = " ".join(command)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S)
        if done.returncode != 0:
            said = done.stderr.strip()[-500:]
            if may_refuse(row) and row["kernel"] in said:
                return "skipped", f"{text}: {said}"
            return "failed", f"{text}: exit {done.returncode}: {said}"
        document = json.loads(done.stdout)
        wrong = picks_wrong(row, document["choices"])
        if document.get("verified") is not True:
            wrong.append(f"verified is {document.get('verified')}")
        stats = document["trials"][0]["stats"]
        if stats["produced"] != stats["consumed"]:
            wrong.append(f"produced {stats['produced']}, consumed {stats['consumed']}")
    except subprocess.TimeoutExpired:
        wrong = [f"not done after {LIMIT_S} s"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        wrong = [f"JSON as it should not be: {error!r}"]
    return ("failed", f"{text}: {'; '.join(wrong)}") if wrong else ("passed", text)


def unpacked(path, folder):
    """A copy without compression, so that only one run pays for unpacking."""
    stem, suffix = os.path.splitext(path)
    tool = {".xz": "xz", ".gz": "gzip"}.get(suffix)
    if not tool or not shutil.which(tool):
        return path
    copy = os.path.join(folder, os.path.basename(stem))
    with open(copy, "wb") as out:
        subprocess.run([tool, "-dc", path], stdout=out, check=True)
    return copy


def arcs_of(path):
    """Arcs of a graph, or None where it does not load."""
    done = subprocess.run([weir, "info", path, "--json", "-"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        return None
    try:
        return json.loads(done.stdout)["graph"]["arcs"]
    except (ValueError, KeyError, TypeError):
        return 0


def is_there(spec):
    """Whether the machine has these devices; says so where it does not, and counts them where it does."""
    done = subprocess.run([weir, "bfs", "grid:2x2", "--devices", spec, "--json", "-"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode == 0:
        devices_of[spec] = len(json.loads(done.stdout)["devices"])
    absent = done.returncode != 0 and ("no CUDA device" in done.stderr or "does not exist" in done.stderr)
    if absent:
        print(f"skip {spec}: {done.stderr.strip()}", flush=True)
    return not absent


def hubs():
    """Files of graphs with vertices of very many arcs; in the folder for what is made here."""
    script = os.path.join(scripts, "make_hubs.sh")
    return subprocess.run([script, made.name], capture_output=True, text=True, check=True).stdout.split()


def graphs():
    """Names of all graphs: generators, and files of the data folder."""
    asked = os.environ.get("WEIR_SWEEP_GRAPHS", "").split()
    if asked:
        return asked
    files = sorted(os.listdir(data)) if os.path.isdir(data) else []
    kinds = re.compile(r"\.(mtx|gr|txt|el|e|graph)(\.(xz|gz))?$")
    return GENERATED + hubs() + [os.path.join(data, name) for name in files if kinds.search(name)]


def small(mode, devices):
    """test_choices on these devices; counts of its tests."""
    places = [os.path.join(build, "tests/algorithms/test_choices"), "tests/algorithms/test_choices"]
    program = next((place for place in places if os.access(place, os.X_OK)), None)
    if not program:
        print("skip test_choices: it is not built")
        return 0, 0, 1
    environment = dict(os.environ, WEIR_CHECK_DEVICES=" ".join(devices))
    environment.setdefault("WEIR_CHECK", "pairs" if mode == "quick" else "full")
    counts = {"OK": 0, "FAILED": 0, "SKIPPED": 0}
    listed = 0
    process = subprocess.Popen([program], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
    for line in process.stdout:
        if " right, " in line:
            print(("ok   " if " 0 wrong" in line else "FAIL ") + line.strip(), flush=True)
        elif " --devices " in line or "not done" in line or "ERROR" in line:
            print("     " + line.strip(), flush=True)
        found = re.match(r"\[\s+(OK|FAILED|SKIPPED)\s+\] (?!\d+ test)", line)
        listed += line.startswith("[==========] ") and "run." in line
        if found and not listed:
            counts[found.group(1)] += 1
    status = process.wait()
    if status != 0 and counts["FAILED"] == 0:
        print(f"FAIL test_choices ended with {status}")
        counts["FAILED"] = 1
    return counts["OK"], counts["FAILED"], counts["SKIPPED"]


def rows_by_graph(mode, names):
    """For each graph the rows to run."""
    if mode == "full":
        return {name: covering(CHOICES, index) for index, name in enumerate(names)}
    rows = covering(dict(CHOICES, graph=names), 1)
    return {name: [row for row in rows if row["graph"] == name] for name in names}


def sweep(name, rows, folder):
    """Runs of one graph; counts, and its line."""
    start = time.monotonic()
    copy = unpacked(name, folder) if os.path.exists(name) else name
    arcs = arcs_of(copy)
    if arcs is None:
        print(f"skip {os.path.basename(name):32} does not load")
        return 0, 0, 1
    results = []
    for row in rows:
        if row["partition"] == "metis" and (arcs > METIS_ARCS or not have_metis):
            row = dict(row, partition="edge")
        results.append(run(copy, row))
    if copy != name:
        os.unlink(copy)
    count = {word: sum(result[0] == word for result in results) for word in ("passed", "failed", "skipped")}
    print(f"{'FAIL' if count['failed'] else 'ok  '} {os.path.basename(name):32} {count['passed']:4} of {len(rows)} runs"
          f" {time.monotonic() - start:7.1f} s", flush=True)
    for text in [result[1] for result in results if result[0] == "failed"][:8]:
        print(f"     {text}")
    return count["passed"], count["failed"], count["skipped"]


scripts, mode, specs = sys.argv[1], sys.argv[2], sys.argv[3:]
made = tempfile.TemporaryDirectory()
devices_of, last_cut = {}, []
CHOICES["devices"] = [spec for spec in specs if is_there(spec)]
have_metis = os.access(os.path.join(build, "weir-metis"), os.X_OK)
total = [(0, 0, len(specs) - len(CHOICES["devices"]))]
if "small" in parts and CHOICES["devices"]:
    total.append(small(mode, CHOICES["devices"]))
if "command" in parts and CHOICES["devices"]:
    if not have_metis:
        print("no weir-metis beside weir: edge in place of metis")
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in rows_by_graph(mode, graphs()).items():
            total.append(sweep(name, rows, folder))
passed, failed, skipped = (sum(column) for column in zip(*total))
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not passed else 0)
END
