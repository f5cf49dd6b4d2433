#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 300
"""scripts/skampi-tune chooses the fastest of programmed algorithms in a few launches, keeps the default where it is as
good, leaves out what crashes, hangs or gives wrong data, and goes on where it was; Open MPI and MPICH read their rules as
it says."""

import argparse
import json
import math
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, SAMPLE, Tap, run, scratch_directory
from made_results import HEADER, over_rounds, point

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from skampi_tools import cli, results, weights

cli.need("numpy")
from skampi_tools.tune import choices, mpich, openmpi, proof, rules, search

TUNE = os.path.join(ROOT, "scripts/skampi-tune")
tap = Tap()
folder = scratch_directory()


# ---- Random programs of costs: which algorithm is the fastest depends on the size ----

SIZES = [round(8 * 2 ** (number / 7)) for number in range(105)]
NOISE = 0.01      # between launches, and between rounds
LAUNCHES = 10
ALGORITHMS = 8


class ProgrammedRace:
    """Costs of a library's algorithms: a start, and a time for each byte. The default takes one of them at each size."""

    def __init__(self, seed, alike=False):
        self.chance = random.Random(seed)
        draw = self.chance.uniform
        self.costs = [(1e-6, 1e-9)] * ALGORITHMS if alike else \
            [(10 ** draw(-6, -4.5), 10 ** draw(-9.5, -7.5)) for _ in range(ALGORITHMS)]
        self.bounds = sorted((self.chance.choice(SIZES), self.chance.randrange(ALGORITHMS)) for _ in range(3))

    def time(self, algorithm, size):
        """algorithm: from 1; 0: the default."""
        if algorithm == 0:
            algorithm = 1 + next((own for bound, own in self.bounds if size <= bound), 0)
        start, byte = self.costs[algorithm - 1]
        return start + byte * size

    def best(self, size):
        return min(range(1, ALGORITHMS + 1), key=lambda algorithm: self.time(algorithm, size))

    def launched(self, algorithm):
        """A ResultFile of a launch."""
        file = results.ResultFile("made", format="json")
        launch, records = self.chance.gauss(0, NOISE), []
        for size in SIZES:
            own = [self.time(algorithm, size) * math.exp(launch + self.chance.gauss(0, NOISE)) for _ in range(5)]
            made = over_rounds(point("bcast", "Bcast", {"count": size}, sorted(own)[2]))
            records.append({**made, "medians": own, "rounds": 5})
        for record in ({**HEADER}, *records, {"record": "end", "status": 0}):
            file.add(record)
        file.identify()
        return file


def made_choice():
    tried = [choices.Candidate("bcast", number, (("mca", "coll_tuned_bcast_algorithm", str(number)),), str(number))
             for number in range(1, ALGORITHMS + 1)]
    return choices.Choice("bcast", ["Bcast"], "bcast", candidates=tried)


class MadeSearch(search.Search):
    """Launches nothing: what a launch would find is made."""

    def __init__(self, made, settings):
        choice = made_choice()
        super().__init__([choice], {"launches": LAUNCHES}, folder, settings, weights.Weights())
        self.made = made
        self.numbers = {"default": 0, **{one.name: one.number for one in choice.candidates}}

    def _launch(self, number, names):
        for name in sorted(names):  # a set, whose order differs from run to run
            if (name, number) not in self.files:
                self.files[name, number] = self.made.launched(self.numbers[name])


def tuned(seed, alike=False, **settings):
    """(ProgrammedRace, the search, what is chosen)"""
    made = ProgrammedRace(seed, alike)
    own = MadeSearch(made, argparse.Namespace(**{"tolerance": 0.05, "alpha": 0.05, "launch_spread": 0.05, **settings}))
    own.run(quiet=True)
    chosen = proof.Proposal(own.races, weights.Weights(), own.races[0].settings.tolerance)
    return made, own, chosen


def changes(values):
    return sum(a != b for a, b in zip(values, values[1:]))


def check_programs(count):
    good = points = launches = 0
    for seed in range(count):
        made, own, chosen = tuned(seed)
        only = own.races[0]
        sizes = {only.points[key].record["bytes"]: chosen.at(only, key).number for key in only.points}
        good += sum(made.time(number, size) <= 1.05 * made.time(made.best(size), size) for size, number in sizes.items())
        points, launches = points + len(sizes), launches + own.launches
        true = 1 + changes([made.best(size) for size in SIZES])
        tap.ok(rules.rule_count(chosen.tables) <= 2 * true, f"program {seed}: there are at most twice the true changes of rules",
               f"{chosen.tables}, {true} changes")
    tap.ok(good >= 0.99 * points, "the choice is within 5 % of the best in 99 % of the points", f"{good} of {points}")
    all_of_them = count * LAUNCHES * (ALGORITHMS + 1)
    tap.ok(launches <= 0.3 * all_of_them, "it costs at most 30 % of measuring all equally long", f"{launches} of {all_of_them}")


def check_alike(count):
    """A file that is not empty is a false alarm."""
    filled = sum(not tuned(seed, alike=True)[2].empty for seed in range(count))
    tap.ok(filled <= count // 20, "where all are alike the file is empty", f"{filled} of {count} are not")


# ---- The program, on a library whose algorithms have programmed costs ----


def save(name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))


def save_all(files):
    for path, text in files.items():
        save(path, text)


# In ns, at the start and for each byte. Of these, Open MPI itself calls only the last three. A broadcast of 64 B by basic_linear is
# slower by a rules file than forced: the search cannot see that, and the proof must.
COSTS = """\
bcast basic_linear 2000 4 64 4
bcast binomial 9000 1
bcast chain 20000 9
bcast scatter_allgather crash
bcast scatter_allgather_ring wrong
bcast split_bintree hang
bcast bintree 5000 2
bcast pipeline 5000 2
bcast knomial 5000 2
"""
GOOD = ["basic_linear", "binomial", "chain"]
FAULTS = {"scatter_allgather": "exit status", "scatter_allgather_ring": "wrong data", "split_binary_tree": "too long"}
HANG_SECONDS = 20   # a launch takes 1 s


def rows_of(name):
    """Of 2 processes in its rules file: [(size, algorithm)]"""
    path = os.path.join(folder, name, "tuned.conf")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        numbers = [line.partition("#")[0].split() for line in file]
    place = numbers.index(["2"])
    return [(int(row[0]), int(row[1])) for row in numbers[place + 2:place + 2 + int(numbers[place + 1][0])]]


def check_program():
    """skampi and Open MPI are real, as is what it reads; the times of its algorithms are made."""
    if not (harness.has("SHMEM") and harness.has("MPI") and is_open_mpi_4()) or harness.sanitized():
        tap.skip("a tuning", "needs Open MPI 4 with OpenSHMEM, without sanitizers")
        return
    sys.path.insert(0, os.path.join(ROOT, "tests/truth"))
    import mpi_network  # pylint: disable=import-outside-toplevel
    faults = [name for name in FAULTS if not (SAMPLE and FAULTS[name] == "too long")]
    save("what.json", {"tune": 1, "choices": [
        {"name": "bcast", "rules": "bcast", "try": [{"mca": {"coll_tuned_bcast_algorithm": [*GOOD, *faults]}}]},
        {"name": "barrier", "rules": "barrier", "try": [{"mca": {"coll_tuned_barrier_algorithm": "all"}}]}]})
    save("costs", COSTS)
    save("made.ski", "set_min_repetitions(8)\nset_max_repetitions(12)\nbegin measurement \"bcast\"\nfor count = 8 to 32768 step *8 do\n"
                     "measure MPI_COMM_WORLD : Bcast(count, MPI_BYTE, 0)\nod\nend measurement\n")
    line = [TUNE, "--what", "what.json", "--json", "-k", "4", "--proof", "4", "--launch-spread", "2%", "--timeout", str(HANG_SECONDS),
            "--program", harness.program(), "--launch", mpi_network.launch_with_algorithms(os.path.join(folder, "costs")), "made.ski", "--",
            "--timer", "clock_gettime"]
    settings = {"cwd": folder, "timeout": 200, "env": {**os.environ, **harness.launch_environment()}}
    done = run(line, **settings)
    tap.equal(done.status, 0, "a tuning ends", done)
    path = os.path.join(folder, "made.tune", "tune.json")
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    tap.equal([choice["choice"] for choice in value["choices"]], ["bcast"], "what the script does not measure is not tried")
    defects = value["choices"][0]["defects"]
    tap.ok(set(defects) == set(faults) and all(FAULTS[name] in defects[name] for name in faults),
           "what crashes, hangs or gives wrong data is left out and named", f"{defects} {done}")
    rows = rows_of("made.tune")
    found = [next(own for first, own in reversed(rows) if first <= size) for size in (8, 64, 512, 32768, 65536)] if rows else []
    tap.equal(found, [1, 0, 1, 6, 0], "small and large messages get their algorithm, and what the proof finds slower keeps the default",
              f"{rows} {done}")
    tap.ok(len(value["proofs"]) == 2 and value["proofs"][0]["over_tolerance"] == 1 and value["proofs"][1]["over_tolerance"] == 0 and
           value["proofs"][1]["faster"] >= 3 and "oshrun -np N --mca coll_tuned_use_dynamic_rules 1" in done.out,
           "it is proven, and says how to use it", done)
    page = os.path.join(folder, "made.tune", "tune.html")
    files = sorted(name for name in os.listdir(os.path.join(folder, "made.tune")) if name.startswith("tuned"))
    tap.ok(os.path.getsize(page) > 1000 and files == ["tuned-6.json", "tuned.conf", "tuned.env"], "there is a page", f"{files} {done}")
    again = run(line, **settings)
    tap.ok(again.status == 0 and again.out == done.out and " s, about " not in again.err,
           "given again, it launches nothing, and says the same", again)
    cut = run([*line[:1], "-o", "cut", "--time-limit", "0", *line[1:]], **settings)
    tap.ok(cut.status == 4 and "stopped by the time limit: the same command goes on" in cut.err, "without time it says that it can go on", cut)


def check_weights():
    trace = [{**HEADER, "notes": [results.TRACED]}, {**point("b", "shmem_broadcast32", {"count": 100}, 2e-6), "mean": 2e-6, "valid": 30}]
    save("trace.json", "".join(json.dumps(record) + "\n" for record in (*trace, {"record": "end", "status": 0})))
    save("weights.json", {"weights": {"Bcast": 3}})
    measured = [results.Result(point("b", "Shmem_Bcast_All", {"count": size}, 1e-6)) for size in (8, 64, 512)]
    if harness.has("SHMEM"):
        own = weights.read(os.path.join(folder, "trace.json"), harness.program())
        own.learn(measured)
        tap.ok([round(own.of(result) * 1e6, 6) for result in measured] == [0, 60, 0], "a trace's calls count at the nearest size", own.uses)
    own = weights.read(os.path.join(folder, "weights.json"), harness.program())
    tap.ok(own.of(measured[0]) == 0 and own.of(results.Result(point("b", "Bcast", {"count": 8}, 1))) == 3, "weights by function")


def check_network():
    """A choice that is made once, by skampi itself on the programmed network with its simulated clock."""
    if not harness.has("SHMEM"):
        tap.skip("a choice for all points", "built without OpenSHMEM")
        return
    sys.path.insert(0, os.path.join(ROOT, "tests/truth"))
    import truth  # pylint: disable=import-outside-toplevel
    costs = [truth.Network(500, wire, 400, clock="simulated", noise=0.02).environment() for wire in (2000, 900, 6000)]
    texts = [own["SKAMPI_TRUTH"] for own in costs]
    save("network.json", {"tune": 1, "choices": [{"name": "wire", "try": [{"environment": {"SKAMPI_TRUTH": texts[1:]}}]}]})
    save("put.ski", 'begin measurement "put"\nfor count = 8 to 512 step *8 do\nmeasure comm(2) : Shmem_Put_Full(count, 10)\nod\n'
                    "end measurement\n")
    launch = f"{os.path.join(ROOT, 'mk/launch')} {{pes}} env LD_PRELOAD={costs[0]['LD_PRELOAD']}"
    done = run([TUNE, "--what", "network.json", "-k", "4", "--proof", "4", "--launch", launch, "--program", harness.program(), "--env",
                f"SKAMPI_TRUTH={texts[0]}", "put.ski"], cwd=folder, timeout=150, env={**os.environ, **harness.launch_environment()})
    path = os.path.join(folder, "put.tune", "tuned.env")
    said = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    tap.ok(done.status == 0 and "wire=900" in said and "faster, none found slower" in done.out, "the quickest network is chosen, and proven", f"{said} {done}")


def check_refusals():
    save("barrier.ski", 'begin measurement "b"\nmeasure MPI_COMM_WORLD : Barrier()\nend measurement\n')
    for text, place, words in (
            ('{"tune": 1,\n "choices": [{"name": "a", "try": [{"mcas": {}}]}]}', "2:37", "did you mean mca"),
            ('{"tune": 2, "choices": []}', "1:2", "layout 2"),
            ('{"tune": 1, "choices": [{"name": "a", "try": [{"set": {"N": {"from": 4, "to": 2, "plus": 1}}}]}]}', "1:56", "from is above to"),
            ('{"tune": 1, "choices": [{"name": "a", "rules": "cast", "try": []}]}', "1:39", "give allgather"),
            ('{"tune": 1, "choices": [{"name": "a", "rules": "bcast", "try": [{"mca": {"scoll": ["mpi"]}}]}]}', "1:74", "choose only"),
            ('{"tune": 1,', "1:12", "not JSON")):
        save("bad.json", text)
        done = run([TUNE, "--what", "bad.json", "barrier.ski"], cwd=folder)
        tap.ok(done.status == 2 and f"bad.json:{place}: " in done.err and words in done.err and len(done.err.splitlines()) == 1,
               f"refused: {words}", done)
    save("one.json", {"tune": 1, "choices": [{"name": "a", "functions": ["Bcast"], "try": [{"set": {"N": [1]}}]}]})
    done = run([TUNE, "--what", "one.json", "barrier.ski"], cwd=folder)
    tap.ok(done.status == 2 and "nothing is measured that --what one.json concerns" in done.err, "a script that measures none of it", done)


# ---- Libraries read rules as openmpi.py and mpich.py say ----


# Two algorithms of each collective: numbers for the rules file, and what the second one is called.
PAIRS = {"allgather": (1, 4, "ring"), "allgatherv": (1, 3, "ring"), "allreduce": (1, 4, "ring"), "alltoall": (1, 2, "pairwise"),
         "alltoallv": (1, 2, "pairwise"), "barrier": (1, 4, "bruck"), "bcast": (1, 6, "binomial"), "gather": (1, 2, "binomial"),
         "reduce": (1, 5, "binomial"), "reduce_scatter": (1, 3, "ring"), "reduce_scatter_block": (2, 4, "butterfly"),
         "scatter": (1, 2, "binomial")}
PES = 4
CALLED = os.path.join(ROOT, "tests/support/stub/called_collectives.c")


def is_open_mpi_4():
    return shutil.which("ompi_info") and shutil.which("mpicc") and "Open MPI v4." in run(["ompi_info", "--version"]).out


def lines_of(path):
    """Words of each line that the program has noted: collective, size, algorithm."""
    with open(path, encoding="ascii") as file:
        return [line.split() for line in file]


def check_library():
    """Rules that change the algorithm at 1024 B, and a program that says which one is called."""
    if not is_open_mpi_4():
        tap.skip("rules files: there is no Open MPI 4")
        return
    program, stem = os.path.join(folder, "spied"), os.path.join(folder, "spied_with")
    built = run(["mpicc", "-O1", "-rdynamic", "-DSPIED", "-o", program, CALLED, os.path.join(ROOT, "tests/truth/network_mpi/called.c"), "-ldl"])
    own = [(0, openmpi.OWN)]
    tables = {name: {1: own, PES: [(0, (small, 0, 0)), (1024, (large, 0, 0))], PES + 1: own} for name, (small, large, _) in PAIRS.items()}
    save_all(openmpi.files(tables, stem))
    environment = openmpi.environment(stem)
    done = harness.launched(harness.launch_line(PES, ["env", *(f"{name}={value}" for name, value in environment.items()), program, "all",
                                                      f"{stem}.txt"]), harness.launch_environment())
    called = lines_of(f"{stem}.txt")
    tap.equal(set(openmpi.COLLECTIVES), set(PAIRS), "all collectives are looked at")
    begins = {"all": 1024 // PES, "block": 1024, "none": math.inf}
    for name, (_, _, second) in PAIRS.items():
        found = min((int(size) for own, size, algorithm in called if own == name and algorithm == second), default=math.inf)
        seen = any(own == name and algorithm not in (second, "-") for own, _, algorithm in called)
        tap.ok(seen and found == begins[openmpi.counts(name)], f"Open MPI reads rules of {name}, in its sizes",
               f"{found} {built} {done}")


MPICH_BEGINS = {"all": 1024 // PES, "block": 1024, "none": 8}   # at which size of the stub's the rule begins


def check_mpich():
    """A rule from 1024 B to 4095 B. If it names an algorithm of another collective the library ends the program when it
    comes to the rule, so the last size that the program has said tells where that begins."""
    if not all(shutil.which(name) for name in ("mpicc.mpich", "mpirun.mpich", "mpivars")):
        tap.skip("selection files: there is no MPICH")
        return
    program, stem = os.path.join(folder, "called"), os.path.join(folder, "called_with")
    built = run(["mpicc.mpich", "-o", program, CALLED])
    for name in ("bcast", "allgather", "barrier") if SAMPLE else mpich.COLLECTIVES:
        own, counts = [(0, openmpi.OWN)], mpich.counts(name)
        rows = [(0, "nb")] if counts == "none" else [*own, (1024, "nb"), (4096, openmpi.OWN)]
        files = mpich.files({name: {1: own, PES: rows, PES + 1: own}}, stem)
        line = ["timeout", "30", "mpirun.mpich", "-np", str(PES), program, name, f"{stem}.txt"]
        for wrong in (False, True):
            rule, other = (f"algorithm=MPIR_{own}_allcomm_nb" for own in (name.capitalize(), "Barrier" if name == "bcast" else "Bcast"))
            save_all({path: text.replace(rule, other) if wrong else text for path, text in files.items()})
            done = run(line, env={**os.environ, **mpich.environment(stem)}, timeout=60)
            said = lines_of(f"{stem}.txt")
            os.remove(f"{stem}.txt")
            if wrong:
                tap.ok(said and said[-1] == [name, str(MPICH_BEGINS[counts])], f"MPICH reads rules of {name}, in its sizes",
                       f"{said} {built}")
            else:
                tap.equal(said[-1:], [[name, "4096", "-"]], f"... and comes to its end with an algorithm: {name}", done)


def check_forms():
    """Other forms of what is chosen."""
    value = json.loads(openmpi.json_of({"bcast": {1: [(0, None)], 4: [(0, None), (8, (6, 4, 0)), (1025, None)], 5: [(0, None)]},
                                        "barrier": {4: [(0, (2, 0, 0))]}}))
    tap.equal(value, {"rule_file_version": 3, "module": "tuned", "collectives": {
        "bcast": [{"comm_size_min": 4, "comm_size_max": 4, "rules": [
            {"msg_size_min": 8, "msg_size_max": 1024, "alg": 6, "faninout": 4, "segsize": 0}]}],
        "barrier": [{"comm_size_min": 4, "comm_size_max": 4, "rules": [
            {"msg_size_min": 0, "msg_size_max": "inf", "alg": 2, "faninout": 0, "segsize": 0}]}]}}, "rules as JSON")
    both = choices.Candidate("a", 1, (("mca", "coll_tuned_bcast_algorithm", "1"), ("environment", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "nb")))
    tap.equal(both.environment(), {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_bcast_algorithm": "1",
                                   "MPIR_CVAR_BCAST_DEVICE_COLLECTIVE": "0", "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "nb"},
              "what a library needs to heed an algorithm is set with it")
    tap.equal(rules.ucx_text({"OMPI_MCA_scoll": "mpi"}), "", "without variables of UCX there is no ucx.conf")
    save("ucx.conf", rules.ucx_text({"UCX_RNDV_THRESH": "12345", "OMPI_MCA_scoll": "mpi"}))
    asked = run([sys.executable, "-c", ASK_UCX], cwd=folder)
    if asked.status == 77:
        tap.skip("ucx.conf: there is no UCX")
        return
    tap.ok("UCX_RNDV_THRESH=12345" in asked.out, "UCX reads its settings from ucx.conf", asked)


ASK_UCX = """
import ctypes, sys
try:
    ucp = ctypes.CDLL("libucp.so.0")
except OSError:
    sys.exit(77)
library, config = ctypes.CDLL(None), ctypes.c_void_p()
ucp.ucp_config_read(None, None, ctypes.byref(config))
library.fdopen.restype = ctypes.c_void_p
ucp.ucp_config_print(config, ctypes.c_void_p(library.fdopen(1, b"w")), None, 1)
library.fflush(None)
"""


check_programs(3 if SAMPLE else 20)
check_alike(4 if SAMPLE else 20)
check_program()
check_weights()
if not SAMPLE:
    check_network()
check_refusals()
check_library()
check_mpich()
check_forms()
tap.done()
