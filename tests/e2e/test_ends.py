#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
# PLAIN: memory that runs out is not the sanitizer's
"""Runs that end early say why, and keep what there is: start and end hang, launchers die, signals, crashes, time limits,
memory that runs out, files that cannot be closed. None hangs, and what there is says why it ended."""

import json
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, in_parallel, run as run_program, skampi, skip_all, write_text
from job import Job
from skampi_tools.campaign import directory as campaign

SHELL = ("sh", "-c", '"$@"; exit $?', "sh")
ONE = 'begin measurement "one"\n  measure MPI_COMM_WORLD : wtime(10)\nend measurement\n'
MANY = ONE + """begin measurement "many"
  for i = 1 to 100000000 do
    measure MPI_COMM_WORLD : Shmem_Put_Full(8, 5)
  od
end measurement
"""
BOTH = ("-o", "out.sko", "-o", "out.json")


def read(run, name):
    return run.read(name)


def end_record(run):
    records = [json.loads(line) for line in read(run, "out.json").splitlines()]
    return records[-1] if records and records[-1].get("record") == "end" else {}


def last_line(run):
    return read(run, "out.sko").rstrip("\n").rpartition("\n")[2]


def errors(run):
    return [line for line in run.err.splitlines() if re.search(r"\berror: ", line)]


# ---- The start and the end of the library ----


def test_hanging(tap, library):
    """A step that never ends: status 5, and a message that names it."""
    # What comes before the step that hangs must fit, on a busy machine, too.
    option, variable = ["--startup-limit", "10"], {"SKAMPI_STARTUP_LIMIT": "10"}
    cases = [
        ("shmem_init", 2, option, {}, "shmem_init"),
        ("shmem_init", 2, [], variable, "shmem_init"),
        ("shmem_init", 0, option, {}, "shmem_init"),
        ("shmem_init", 2, option, {"SKAMPI_FAULT_PE": "1"}, "shmem_init"),
        ("shmem_barrier_all", 2, option, {}, "first barrier"),
        ("shmem_finalize", 2, option, {}, "shmem_finalize"),
    ]

    def start(case):
        function, np, args, env, _ = case
        return skampi(ONE, np=np or 1, launch=np > 0, args=[*args, *BOTH], timeout=80,
                      env={"LD_PRELOAD": library, "SKAMPI_FAULT": f"hang {function}", **env})

    for (function, np, args, env, words), run in in_parallel(cases, start, width=len(cases)):
        name = f"{function} hangs, {np} PEs, {' '.join([*args, *env])}"
        tap.equal(run.status, 5, f"{name}: status 5, nothing left", run)
        tap.ok(any("no progress for 10 s" in line and words in line for line in errors(run)),
               f"{name}: a message says what hangs", run)
        if function == "shmem_finalize":
            tap.equal(end_record(run).get("status"), 0, f"{name}: the results are complete")
    for args, env, words in [(["--startup-limit", "x"], {}, "--startup-limit x: give a time"),
                             ([], {"SKAMPI_STARTUP_LIMIT": "x"}, "SKAMPI_STARTUP_LIMIT x: give a time")]:
        run = skampi(ONE, args=args, env=env, launch=False)
        tap.ok(run.status == 2 and words in run.err, f"{words}: refused", run)


def signalled_in_start(case):
    library, number, np, target = case
    job = Job(ONE, np, env={"LD_PRELOAD": library, "SKAMPI_FAULT": "hang shmem_init"})
    end = time.monotonic() + 30
    while time.monotonic() < end and not (pid := job.pe(target) if np else job.launcher.pid):
        time.sleep(0.05)
    time.sleep(0.5)
    begin = time.monotonic()
    if pid:
        os.kill(pid, number)
    return job.finish(), time.monotonic() - begin


def test_signals_in_start(tap, library):
    cases = [(library, signal.SIGINT, 0, 0), (library, signal.SIGTERM, 2, 0),
             (library, signal.SIGTERM, 2, 1)]
    for (_, number, np, target), (run, seconds) in in_parallel(cases, signalled_in_start):
        name = f"{number.name} to PE {target} of {np} while it starts"
        tap.equal(run.status, 128 + number, f"{name}: ends the job", run)
        tap.ok(seconds < 30, f"{name}: at once", f"{seconds} s")


# ---- While it measures ----


def while_measuring(case, prefix=(), script=MANY):
    """A job that gets a signal when it measures, and its results seen before. target: a PE, or
    "launcher"."""
    number, target, np = case
    job = Job(script, np, BOTH, prefix=prefix)
    seen = job.wait_for(r"^i= 20 .*\n")
    pid = job.launcher.pid if target == "launcher" or not np else job.pe(target)
    if seen and pid:
        os.kill(pid, number)
    return job.finish()


def check_kept(tap, name, run, status, reason):
    """Both outputs are whole, and say why they end."""
    end = end_record(run)
    tap.equal(end.get("status"), status, f"{name}: the end record has status {status}", run)
    tap.ok(re.search(reason, end.get("reason", "")), f"{name}: ... and the reason", end)
    tap.ok(re.search(reason, last_line(run)), f"{name}: the .sko ends with it", last_line(run))
    numbers = [row.vars.get("i") for row in run.rows if row.block == "many"]
    tap.ok(len(numbers) >= 20 and numbers == list(range(1, len(numbers) + 1)),
           f"{name}: all results so far are there", numbers[-3:])
    tap.equal(end.get("results"), 1 + len(numbers), f"{name}: ... and counted")


def test_signals(tap):
    """Those by which batch systems and users warn, as SIGTERM."""
    cases = [(number, 0, 0) for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT,
                                           signal.SIGXCPU, signal.SIGHUP)]
    cases.append((signal.SIGUSR1, "launcher", 2))
    for (number, target, np), run in in_parallel(cases, while_measuring):
        name = f"{number.name} to {target} of {np}"
        if target == 0:
            tap.equal(run.status, 128 + number, f"{name}: status {128 + number}", run)
        check_kept(tap, name, run, 128 + number, f"^(# )?interrupted by signal {int(number)} ")


def test_crashes(tap):
    """Whichever PE: all say which, by what, in what; status 128 + n."""
    cases = [(signal.SIGSEGV, 0, 2), (signal.SIGSEGV, 1, 2), (signal.SIGBUS, 3, 4)]
    for (number, target, np), run in in_parallel(cases, while_measuring):
        name = f"{number.name} to PE {target} of {np}"
        tap.equal(run.status, 128 + number, f"{name}: status {128 + number}", run)
        check_kept(tap, name, run, 128 + number,
                   rf"PE {target} was ended by signal {int(number)} .* in "
                   r"(Shmem_Put_Full\(|the script)")
        file, why = campaign_view(run)
        tap.ok(file is None and f"PE {target} was ended by signal" in why,
               f"{name}: a campaign does not count it, and says why", why)
        converted = run_program([os.path.join(harness.ROOT, "scripts", "skampi-convert"), "out.sko",
                                 "-o", "again.json"], cwd=run.directory)
        last = json.loads(read(run, "again.json").splitlines()[-1]) if converted.status == 0 else {}
        tap.equal(last.get("status"), 128 + number, f"{name}: so does the converted .sko", converted)


def campaign_view(run):
    folder = os.path.join(run.directory, "launch")
    os.makedirs(folder, exist_ok=True)
    os.replace(run.path("out.json"), os.path.join(folder, "results.json"))
    return campaign.read_launch(folder)


def test_killed(tap):
    """Another PE that is killed can say nothing; PE 0 says that it is gone."""
    cases = [(signal.SIGKILL, 1, 2), (signal.SIGKILL, 2, 4)]
    for (number, target, np), run in in_parallel(cases, while_measuring):
        name = f"SIGKILL to PE {target} of {np}"
        tap.ok(isinstance(run.status, int) and run.status > 128, f"{name}: ends by a signal", run)
        check_kept(tap, name, run, 143, rf"interrupted by signal 15 .* PE {target} disappeared")


def test_stopped(tap):
    """A PE that does not run any more: the watchdog says which."""
    run = while_measuring((signal.SIGSTOP, 1, 2), script="set_watchdog(5)\n" + MANY)
    tap.equal(run.status, 5, "SIGSTOP to PE 1 of 2: ended by the watchdog", run)
    check_kept(tap, "SIGSTOP to PE 1 of 2", run, 5, "no progress for 5 s in .*; PE 1 does not run")


def test_reasons(tap):
    """Status 3 with a reason is no complete run; without, it is one."""
    point = {"record": "end", "status": 3, "finished": "2026-01-01T00:00:00+00:00", "duration": 1.0,
             "results": 0, "missing": 1}
    header = '{"record":"header","schema":1}\n'
    for reason, kept in ((None, True), ("MPI failed on PE 1 in x: y", False)):
        folder = harness.scratch_directory()
        end = {**point, **({"reason": reason} if reason else {})}
        write_text(os.path.join(folder, "results.json"), header + json.dumps(end) + "\n")
        file, why = campaign.read_launch(folder)
        tap.equal((file is not None, reason is None or reason in (why or "")), (kept, True),
                  f"status 3, reason {reason}: {'complete' if kept else 'not complete'}", why)


def test_launcher_dies(tap):
    """No PE outlives its launcher, also where a shell is between; a program without one stays when
    its shell goes."""
    cases = [(signal.SIGKILL, "launcher", 2, ()), (signal.SIGKILL, "launcher", 2, SHELL)]
    for case, run in in_parallel(cases, lambda case: while_measuring(case[:3], case[3])):
        name = "the launcher is killed" + (", a shell between" if case[3] else "")
        tap.equal(run.status, 137, f"{name}: no PE is left", run)
        check_kept(tap, name, run, 129, "the launcher's end")
    run = Job(MANY, 0, [*BOTH, "--time-limit", "8"], prefix=("sh", "-c", '"$@" & sleep 2', "sh")).finish()
    tap.ok(run.status == 0 and end_record(run).get("status") == 4,
           "without a launcher, a program outlives its shell", run)


# ---- Limits of time ----


def limited(script, np, least=1):
    """(limit, run) of a script that its time limit ends, once there are as many results. On a busy machine the start
    may take as long as the limit, which holds for it, too: then again with a longer one."""
    for limit in (3, 15):
        run = skampi(script, np=np or 1, launch=np > 0, args=["--time-limit", limit, *BOTH], timeout=60)
        if os.path.exists(run.path("out.json")) and len(run.rows) >= least:
            break
    return limit, run


def test_time_limits(tap, library):
    """What does not end by itself: loops without measurements, a single measurement that takes for
    ever."""
    loops = {
        "an empty loop": "for i = 1 to 2000000000 do od",
        "a loop of assignments": "for i = 1 to 2000000000 do x = i * 2 od",
        "a loop of flushes": "for i = 1 to 2000000000 do flush od",
        "one measurement": "measure MPI_COMM_WORLD : Shmem_Put_Round(8, 100gb)",
    }
    cases = [(name, np) for name in loops for np in (0, 2)]

    def start(case):
        name, np = case
        return limited(ONE + f'begin measurement "endless"\n{loops[name]}\nend measurement\n', np)

    for (name, np), (limit, run) in in_parallel(cases, start, width=2):
        name = f"{name}, {np} PEs"
        tap.equal(run.status, 4, f"{name}: the time limit ends it with status 4", run)
        end = end_record(run)
        tap.ok(end.get("status") == 4 and end.get("results") == 1 and
               f"stopped by the time limit of {limit} s" in end.get("reason", ""),
               f"{name}: the end record says so", end)
        told = [line for line in run.err.splitlines() if f"stopped by the time limit of {limit} s" in line]
        tap.ok(len(told) == 1 and "1 result is complete" in told[0] and "--time-limit" in told[0],
               f"{name}: said once on standard error, with what there is and what to do", run)
    watched = skampi('begin measurement "w"\nset_watchdog(1)\nfor i = 1 to 2000000000 do od\n'
                     'end measurement\n', np=2, args=BOTH, timeout=40)
    tap.ok(watched.status == 5 and "no progress for 1 s in the script" in watched.err,
           "the watchdog ends a loop that measures nothing, too", watched)
    # All PEs count what is missing, point by point, and the watchdog ends a job that needs a second more for it. Therefore
    # the script has few points.
    few = ONE + harness.block("few", "set_min_repetitions(40) set_max_repetitions(40) for i = 1 to 400 do",
                              "measure MPI_COMM_WORLD : WaitPatternLevels(1e-3, 1e-3, 0.0) od")
    for _ in range(4):  # a busy machine may need longer than that second
        limit, ended = limited(few, 2, least=2)
        told = [line for line in ended.err.splitlines() if f"stopped by the time limit of {limit} s" in line]
        in_order = len(told) == 1 and re.search(r"\d+ results are complete, .*\d+ points? ", told[0])
        if in_order:
            break
    tap.ok(ended.status == 4 and in_order and end_record(ended).get("status") == 4, "an ordered end is reported once, too", ended)
    hanging = skampi(ONE, np=1, launch=False, args=["--time-limit", "2"], timeout=40,
                     env={"LD_PRELOAD": library, "SKAMPI_FAULT": "hang shmem_init"})
    tap.equal(hanging.status, 4, "the time limit holds for the start, too", hanging)


# ---- Memory ----


def test_memory(tap, library):
    """Wherever the program finds none, on whichever PE: status 1, an end record, how much and where."""
    cases = [(1, "0", 2), (40, "0", 2), (200, "0", 2), (4000, "0", 2), (200, "1", 2), (4000, "1", 2), (4000, None, 2)]

    def start(case):
        at, pe, np = case
        return skampi(MANY, np=np, args=BOTH, timeout=60,
                      env={"LD_PRELOAD": library, "SKAMPI_FAULT": "memory", "SKAMPI_FAULT_AT": str(at),
                           "SKAMPI_FAULT_PE": pe})

    for (at, pe, np), run in in_parallel(cases, start):
        name = f"no memory from request {at} on, on PE {pe or 'all'} of {np}"
        tap.equal(run.status, 1, f"{name}: status 1", run)
        said = [line for line in errors(run) if re.search(r"out of memory: \d+ bytes at src/\S+:\d+", line)]
        tap.equal(len(said), 1, f"{name}: one message says how much, and where", run)
        if at < 4000:
            continue
        end = end_record(run)
        tap.ok(end.get("status") == 1 and end.get("results") == len(run.rows) > 5 and
               f"PE {pe or ''}" in end["reason"] and "is out of memory: " in end["reason"],
               f"{name}: the end record says so", end)
        tap.ok(last_line(run).startswith("# ended by an error: PE "), f"{name}: so does the .sko", last_line(run))


HEAP = """set_min_repetitions(2) set_max_repetitions(2)
begin measurement "small"
  measure MPI_COMM_WORLD : Shmem_Put_Full(8, 5)
end measurement
set_skampi_buffer(4mb)
begin measurement "large"
  measure MPI_COMM_WORLD : Shmem_Put_Full(2mb, 5)
end measurement
"""
HEAP_REQUESTS = 6


def test_heap(tap, library):
    """One PE alone has no symmetric memory, at any of skampi's requests: one message names it, the bytes and the
    variable that the library reads; whether the library lets the others go or not."""
    cases = [(fault, at) for fault in ("heap", "heap, together") for at in range(1, HEAP_REQUESTS + 2)]

    def start(case):
        fault, at = case
        return skampi(HEAP, np=2, args=BOTH, timeout=90,
                      env={"LD_PRELOAD": library, "SKAMPI_FAULT": fault, "SKAMPI_FAULT_AT": str(at), "SKAMPI_FAULT_PE": "1"})

    for (fault, at), run in in_parallel(cases, start):
        name = f"{fault}, request {at}"
        if at > HEAP_REQUESTS:
            tap.equal((run.status, len(run.rows)), (0, 2), f"{name}: there are no more", run)
            continue
        tap.equal(run.status, 2 if at == 1 else 3, f"{name}: status", run)
        said = errors(run)
        tap.ok(len(said) == 1 and re.search(r"PE 1 .*\b\d+ bytes\b", said[0]) and "SYMMETRIC" in said[0],
               f"{name}: one message says which PE, how much, and what to do", run)
        if at > 1:
            end = end_record(run)
            tap.ok(end.get("status") == 3 and "PE 1 " in end.get("reason", ""), f"{name}: the end record says so", end)


def test_strange_numbers(tap, library):
    """A library that says nonsense about its PEs."""
    for pes in ("-1", "0"):
        run = skampi(ONE, np=2, env={"LD_PRELOAD": library, "SKAMPI_FAULT": f"pes {pes}"})
        said = [line for line in errors(run) if f" of {pes}: it is damaged" in line]
        tap.ok(run.status == 1 and said and said == errors(run), f"{pes} PEs: said, status 1", run)
    run = skampi(ONE, np=2, env={"LD_PRELOAD": library, "SKAMPI_FAULT": "pes 1", "SKAMPI_FAULT_PE": "1"})
    tap.ok(run.status == 1 and "PE 1 of 1: it is damaged" in run.err, "PE 1 of 1: said, status 1", run)


def test_nodes(tap, library):
    """Two kernels are two nodes, whatever they are called."""
    for fault, nodes in (("none", "1 node"), ("boot", "2 nodes")):
        run = skampi(ONE, np=2, env={"LD_PRELOAD": library, "SKAMPI_FAULT": fault, "SKAMPI_FAULT_PE": "1"})
        tap.ok(run.status == 0 and f"# PEs: 2 on {nodes}" in run.comments, f"{fault}: {nodes}", run)


def test_close(tap, library):
    """A file system that reports only at the end that it is full."""
    run = skampi(ONE, np=2, args=("-o", "full.json", "-o", "out.json", "-o", "out.sko"),
                 env={"LD_PRELOAD": library, "SKAMPI_FAULT": "close"})
    tap.ok(run.status == 1 and len(errors(run)) == 1 and "full.json cannot be written" in errors(run)[0],
           "a file that cannot be closed: said once, status 1", run)
    for name in ("full.json", "out.json"):
        last = json.loads(read(run, name).splitlines()[-1])
        tap.ok(last["record"] == "end" and last["status"] == 1 and "cannot be written" in last["reason"],
               f"... and {name} says so", last)


def test_time_is_up(tap):
    """A run that takes too long for a test says where its processes were."""
    run = run_program(["sh", "-c", "sleep 77; true"], timeout=2)
    tap.ok(str(run.status).startswith("timeout") and re.search(r"process \d+, S .*: sleep 77$", str(run), re.MULTILINE),
           "a time-out shows the processes", run)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    library = preloadable("faulty_process.c")
    if not tap.ok(library, "the faulty library is built"):
        tap.done()
    test_hanging(tap, library)
    test_signals_in_start(tap, library)
    test_signals(tap)
    test_crashes(tap)
    test_killed(tap)
    test_stopped(tap)
    test_reasons(tap)
    test_launcher_dies(tap)
    test_time_limits(tap, library)
    test_memory(tap, library)
    test_heap(tap, library)
    test_strange_numbers(tap, library)
    test_nodes(tap, library)
    test_close(tap, library)
    test_time_is_up(tap)
    tap.done()


main()
