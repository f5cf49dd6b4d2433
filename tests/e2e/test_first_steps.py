#!/usr/bin/env python3
# TIMEOUT: 120
"""What a new user meets: a start without a launcher is noticed, names of the libraries' routines lead to
functions, unknown names and options get a suggestion."""

import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, functions, has, launch_environment, read_text, run, skampi, write_text

tap = Tap()
SETTINGS = "set_min_repetitions(2)\nset_max_repetitions(2)\n"
# ---- Without a launcher ----

function = "Shmem_Quiet(10)" if has("SHMEM") else "Barrier()"
launcher = "oshrun" if has("SHMEM") else "mpirun"
script = SETTINGS + 'begin measurement "b"\n  measure comm(1) : {}\nend measurement\n'
alone = skampi(script.format(function), launch=False)
tap.ok(alone.status == 0 and len(alone.rows) == 1
       and alone.err.split("\n")[0].startswith("skampi: warning: started without a launcher")
       and f"{launcher} -np 2 " in alone.err.split("\n")[0]
       and alone.err.split("\n")[0].endswith("-i test.ski"),
       "a start without a launcher says how to start on two PEs, and measures", alone)
tap.ok("launcher" not in skampi(script.format("wtime(10)"), launch=False).err,
       "... but not for what one PE measures alone")
tap.ok("launcher" not in skampi(script.format(function), np=1).err, "... and not with a launcher")

# ---- Names ----


def shown(*arguments):
    return skampi(args=arguments, launch=False)


def listed(pattern):
    return [function["name"] for function in functions(pattern)]


for routine, wanted in (
        ("MPI_Allreduce", "Allreduce"), ("PMPI_Allreduce", "Allreduce"), ("MPI_Send", "Send"),
        ("MPI_Win_fence", "Win_fence_open"), ("MPI_Iprobe", "Pingpong_Send_Iprobe_Recv"),
        ("MPI_Init", "Startup"),
        ("shmem_putmem", "Shmem_Put_Round"), ("shmem_put", "Shmem_Put_Round"),
        ("shmem_double_put", "Shmem_Put_Round"), ("shmem_int_p", "Shmem_P_Round"),
        ("shmem_putmem_nbi", "Shmem_Put_Nonblocking_Post"), ("shmem_iget64", "Shmem_Iget_Round"),
        ("shmem_broadcast64", "Shmem_Bcast_All_Synchro"), ("shmem_fcollect32", "Shmem_Fcollect_Synchro"),
        ("shmem_int_sum_to_all", "Shmem_Reduce_Sum_Int_Synchro"),
        ("shmem_double_sum_reduce", "Shmem_Team_Reduce_Sum_Double_Synchro"),
        ("shmem_long_fadd", "Shmem_Atomic_Fetch_Add_Long"),
        ("shmem_long_atomic_fetch_add", "Shmem_Atomic_Fetch_Add_Long"),
        ("shmem_ctx_putmem", "Shmem_Ctx_Put_Round"), ("shmem_test_lock", "Shmem_Lock_Test_Free"),
        ("shmem_barrier_all", "Shmem_Barrier"), ("shmem_int_wait_until", "Shmem_Wait_Until")):
    found = listed(routine)
    described = shown("--describe", routine)
    tap.ok(wanted in found and described.status == 0 and
           re.match(f"{routine} is (measured by|not measured alone, but has to do with) {found[0]}\\b",
                    described.out) and f"\n{found[0]}(" in described.out,
           f"{routine} leads to {wanted}", f"{found} {described}")
    foreign = [name for name in found if name != "Startup" and
               name.startswith("Shmem_") != routine.startswith("shmem")]
    tap.ok(not foreign, "... and to none of another library", foreign)
tap.ok("Shmem_Get_Round" not in listed("shmem_put") and "Reduce" not in listed("MPI_Allreduce")
       and "Shmem_Put_Round" not in listed("shmem_iput32"), "a routine does not lead to another")
locks = listed("lock")
split = next((i for i, name in enumerate(locks) if "Lock" not in name and "_lock" not in name), len(locks))
tap.ok(locks[:1] == ["Shmem_Set_Lock"] and "Win_lock" in locks and
       not any("lock" in name.lower() for name in locks[split:]) and
       not any("Nonblocking" in name or "block" in name for name in locks), "--list lock finds locks", locks)
tap.ok(listed("Shmem_Put_R*") == listed("Shmem_Put_R") and "Shmem_Put_Round" in listed("put_ROUND"),
       "--list takes patterns, beginnings and any case")
tap.ok("Shmem_Put_Nonblocking_Post" in listed("onblock"), "... and, at the last, any part of a name")

for word in ("barrier", "reduction"):
    text = shown("--list", word).out
    lines = [line for line in text.splitlines() if line.startswith("  ")]
    columns = {(number, re.match(r"  [^)]*\) +", line).end())
               for number, part in enumerate(text.split("\n\n"))
               for line in part.splitlines() if line.startswith("  ")}
    counted = sum(map(int, re.findall(r"^\w+: .*?(\d+) functions?", text, re.MULTILINE)))
    tap.equal(len(columns), text.count("\n\n") + 1, f"--list {word}: columns of a family are aligned")
    tap.equal(counted, len(functions(word)), f"--list {word}: families count their functions")
    tap.equal(len([line for line in shown("--list", word, "--all").out.splitlines()
                   if line.startswith("  ")]), counted, f"--list {word} --all: a line each")
    tap.ok(len(lines) <= counted, f"--list {word}: names are folded", text)
tap.ok("  Shmem_Reduce_{And,Or,Xor}{,_Int,_Long,_Longlong}_Barrier(iterations, count) "
       in shown("--list", "reduction").out, "types and operations are folded")
both = functions("put", "single")
tap.ok(both and all("put" in f["summary"].lower() + f["name"].lower() and "Single" in f["name"] for f in both),
       "--list put single: both words fit", [f["name"] for f in both])

paired = shown("--list", "put", "--pairs", "-f", "json")
tap.ok(paired.status == 0 and paired.out and all(
    "pairs" in [p["name"] for p in json.loads(line)["parameters"]] and "put" in line.lower()
    for line in paired.out.splitlines()), "--list put --pairs: both fit", paired)
counted = len(shown("--list", "--pairs", "--all").out.splitlines())
tap.ok(0 < counted < len(shown("--list", "--all").out.splitlines()), "--list --pairs: those of all families", counted)
for arguments, words in ((["--list", "lock", "--pairs"], "no measurement function of pairs matches lock"),
                         (["--pairs", "Shmem_Put_Round"], "--pairs: it is for --list")):
    refused = shown(*arguments)
    tap.ok(refused.status == 2 and words in refused.err, f"refused: {' '.join(arguments)}", refused)

# ---- Tools by one name ----

one = "Shmem_Put_Round" if has("SHMEM") else "Pingpong_Send_Recv"
offered = shown("help")
words = re.findall(r"^  ([a-z-]+) {2,}\S", offered.out.partition("skampi -h")[2], re.MULTILINE)
programs = {name[len("skampi-"):] for name in os.listdir(os.path.join(ROOT, "scripts")) if name.startswith("skampi-")}
views = {"fastest": "skampi table fastest", "load": "skampi table load", "progress": "skampi table progress",
         "shares": "skampi table shares", "coverage": "skampi campaign coverage"}
tap.equal(set(words), programs | {"trace", "predict", "bench-apps"} | set(views), "skampi help lists every tool", offered)
tap.ok(not set(words) & {f["name"] for f in functions()}, "no function is called like a tool")
for word, program in (("table", "usage: skampi table"), ("predict", "shmemsim"), ("bench-apps", "shmembench"), *views.items()):
    tap.ok(program in shown("help", word).out, f"skampi help {word} shows its options")
for word, program in views.items():
    tap.ok(program in shown(word, "--help").out, f"skampi {word} is {program}")
example = os.path.join(tempfile.mkdtemp(prefix="skampi-test-"), "alone.sko")
write_text(example, alone.out)
same = run([os.path.join(ROOT, "scripts/skampi-table"), example])
for started in (shown("table", example), skampi(args=["table", example], np=2)):
    # A launcher may give its programs a terminal, for which long lines are folded.
    tap.ok(started.status == same.status == 0 and started.out.split() == same.out.split() != [],
           "skampi table is skampi-table, once in a launch of several PEs", started)
tap.equal(shown("compare", "/dev/null/such", "/dev/null/file").status, 2, "the status of a tool is that of skampi")
for arguments, text in ((["tabel", example], "did you mean the tool skampi table?"),
                        (["-o", "x.json", "table"], "did you mean the tool skampi table? It is the first word"),
                        (["shmembench"], "did you mean the tool skampi bench-apps?"),
                        (["shmemtrace", "record"], "did you mean the tool skampi trace?"),
                        (["skampi-table", example], "did you mean the tool skampi table?"),
                        ([example], f"this is a result file: skampi table {example}"),
                        (["help", "tabel"], "did you mean table?"), (["help", "shmemsim"], "did you mean predict?"),
                        (["help", f"{one}x"], f"did you mean {one}?"), (["help", "qqq"], "skampi --list qqq")):
    refused = shown(*arguments)
    tap.ok(refused.status == 2 and text in refused.err, f"refused: {' '.join(arguments[:2])}", refused)

tap.equal(shown("help", one).out, shown("--describe", one).out, "skampi help describes functions, too")

# ---- Functions on the command line ----

start = shown()
tap.ok(start.status == 0 and start.err == "" and "skampi Shmem_Put_Round" in start.out
       and start.out.count("\n") <= 24, "without arguments there is a screen of what to type", start)
printed = shown(one, "count=8,64", "--iterations", "0", "--print-script")
tap.ok(printed.status == 0 and printed.err == "" and "for count in [8, 64] do" in printed.out,
       "--print-script shows the script", printed)
example = re.search(r"```sh\nskampi (.* --print-script)\n```\n\n```ski check\n(.*?)```", read_text(ROOT, "docs", "language.md"), re.DOTALL)
tap.equal(shown(*example.group(1).split()).out, example.group(2), "... as the language reference does")
by_words = skampi(args=[one, "count=8,64", "--iterations", "0"], np=2)
by_script = skampi(printed.out, np=2)
for name, measured in (("words", by_words), ("the printed script", by_script)):
    tap.ok(measured.status == 0 and [row.line.split()[1] for row in measured.rows] == ["8", "64"],
           f"{name}: measured at both sizes", measured)
tap.ok("# script: <command line> " in by_words.out, "the header says where the script is from", by_words)
def half_width(row):
    """Half of the interval of the median, as a share of it."""
    return (row["median_high"] - row["median_low"]) / 2 / abs(row["median"]) if row["median_low"] is not None else 1

def results(*arguments):
    done = skampi(args=[one, "count=8,64", "-f", "json", *arguments], np=2)
    rows = [json.loads(line) for line in done.out.splitlines()]
    return done, [row for row in rows if row.get("record") == "result"]

for share, arguments in ((0.02, []), (0.3, ["--precision", "30%"])):
    done, rows = results(*arguments)
    said = [row for row in rows if any(note.startswith(("precision:", "imprecise:")) for note in row["notes"])]
    tap.equal([row for row in rows if "not_converged" in row["flags"]], said, "what is not precise says so", done)
    tap.ok(all("time_budget" in row["flags"] for row in said), "... and has used its time", done)
    tap.ok(len(rows) == 2 and all(row in said or half_width(row) <= 1.5 * share for row in rows),
           f"within {share}, or it says so", done)
done, rows = results("--precision", "0.0001%", "--point-time", "0.05")
tap.ok(len(rows) == 2 and all({"not_converged", "time_budget"} <= set(row["flags"]) for row in rows),
       "it ends when the time is over", done)
timed = skampi(args=[one, "--sizes", "8:512", "-f", "json", "--precision", "0.0001%", "--point-time", "0.2"], np=2)
ends = [row["at"] for row in map(json.loads, timed.out.splitlines()) if row["record"] == "result"]
shortest = min((b - a for a, b in zip(ends, ends[1:])), default=0)
# A reference that knew no limit took 5 s; a busy machine makes some points longer, but not all by so much.
tap.ok(len(ends) == 7 and 0.15 < shortest < 4, "the time of a point holds for what is subtracted, too", timed)
done, rows = results("--quick")
tap.ok(len(rows) == 2 and not any("precision" in note for row in rows for note in row["notes"]),
       "--quick: as in a script", done)
too_many = skampi(args=[one, "--pes", "1:4", "--sizes", "8"], np=2)
tap.ok(too_many.status == 3 and "comm(4)" in too_many.err and "<command line>:" in too_many.err and
       any(row.line.startswith("pes= 2 ") for row in too_many.rows),
       "--pes: what needs more PEs than there are is missing, with its place", too_many)
for arguments, texts in (
        (["-n", one, "count=-1"], ("skampi: error: count=-1: -1 is too small: give at least 0",)),
        ([one, "count=nonsense"], ("skampi: error: count=nonsense: nonsense is no number: give ",)),
        ([one, "cuont=8"], ("did you mean count?",)),
        ([one, "--precision", "3"], ("give a share above 0 and below 100%",)),
        ([one, "--point-time", "0"], ("give a time above 0",)),
        ([one, "--quick", "--precision", "1%"], ("leave one of them out",)),
        (["-i", "x.ski", "--precision", "1%"], ("a script calls set_precision()",)),
        (["Shmem_Put_Ruond"], ("did you mean Shmem_Put_Round?",))):
    refused = skampi(args=arguments, np=2, timeout=30)
    tap.ok(refused.status == 2 and refused.out == "" and all(text in refused.err for text in texts),
           f"skampi {' '.join(arguments)}: refused", refused)

for arguments, text in (
        (["--describe", "Shmem_Put_Ruond"], "did you mean Shmem_Put_Round?"),
        (["--list", "bandwidth"], "a number of every result: --columns bandwidth shows it"),
        (["--list", "set_unit"], "a function of scripts"),
        (["--describe", "alreduce"], "did you mean Allreduce?"),
        (["--list", "Shmem_Put_Ruond"], "did you mean Shmem_Put_Round?"),
        (["--lsit"], "did you mean --list?"), (["--rouns=3"], "did you mean --rounds?"),
        (["--timer", "tcs", "-i", "x.ski"], "did you mean tsc?")):
    refused = shown(*arguments)
    tap.ok(refused.status == 2 and text in refused.err and refused.err.count("\n") == 1,
           f"{' '.join(arguments)}: {text}", refused)
called = skampi('begin measurement "b"\n  measure comm(2) : MPI_Allreduce(1, MPI_INT, MPI_SUM)\n'
                "  measure comm(2) : mpi_allreduce(1, MPI_INT)\nend measurement\n", launch=False, args=["-n"])
tap.ok(called.status == 2 and called.err.startswith("test.ski:3:21: error: too few arguments: mpi_allreduce takes ")
       and called.err.count("error") == 1, "names of routines mean the same in scripts", called)

# ---- What is suggested works ----

first = skampi(args=["--summary", "always", "--rounds", "2", "--time-limit", "8s", "wtime", "iterations=10", "-o", "-"],
               np=2)
following = re.search(r"^  next +(.*)", first.err, re.MULTILINE)
tap.ok(first.status in (0, 4) and following and following.group(1).endswith(
    " wtime iterations=10 --summary always --rounds 2 --time-limit 8s -o results.json"),
       "a run without a file suggests itself, with its options and a file", first)
as_root = {**launch_environment(), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
if following:
    again = run(["sh", "-c", following.group(1)], env=as_root, timeout=60, cwd=first.directory)
    tap.ok(again.status in (0, 4) and os.path.exists(first.path("results.json")), "... which works as it is suggested", again)
    then = re.search(r"^  next +(.*)", again.err, re.MULTILINE)
    shown_then = then and run(["sh", "-c", then.group(1)], cwd=first.directory)
    tap.ok(shown_then and shown_then.status == 0, "... and so does what that suggests", again)

for arguments, text in ((["skampi-compare", "--fial-over", "5%", "a", "b"], "did you mean --fail-over?"),
                        (["skampi-campaign", "x.ski", "--retires=3"], "did you mean --retries?")):
    refused = run([os.path.join(ROOT, "scripts", arguments[0]), *arguments[1:]])
    tap.ok(refused.status == 2 and text in refused.err and refused.err.count("\n") == 1,
           f"{' '.join(arguments)}: {text}", refused)

tap.done()
