#!/usr/bin/env python3
# BOUND
# TIMEOUT: 300
"""The engine does from outside what is documented: how it synchronizes, what it refuses, how jobs end that fail."""

import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import Tap, block, in_parallel, skampi, skip_all, write_text
from job import Job

QUICK = """set_min_repetitions(4)
set_max_repetitions(8)
set_max_relative_standard_error(1.0)
"""


def good(tap, run, name):
    """The run went well and said nothing but results and comments."""
    tap.equal(run.status, 0, f"{name}: status 0", run)
    tap.equal(run.err, "", f"{name}: nothing on standard error")
    tap.equal(run.unparsed, [], f"{name}: only results and comments")


def rows(run, name):
    found = run.block(name)
    return found.rows if found else []


def conditions(run, name):
    """The part of the notes that says how each result of a block was obtained."""
    return [note for row in rows(run, name) for note in row.notes if note.startswith("conditions:")]


# ---- Rules of measuring ----


def test_shared(tap):
    """What all PEs do together for a point of a small set: begin it and end it, nothing else."""
    body = """
  print "before"
  for i = 1 to 3 do
    measure comm(2) : Shmem_Put_Round(8, 5)
    measure comm2(1, 3) : Shmem_Put_Round(8, 5)
    measure comm(2) : Shmem_Lock_Test_Free()
    measure comm(1) : wtime(10)
  od"""
    for args in ([], ["--time-limit", "100"], ["--raw"], ["--set", "x=0.5"]):
        run = skampi(QUICK + "x = 0\nset_precision(x, 0.1)\n" + block("small sets", body), np=4,
                     args=["-d", "64", *args])
        counted = re.findall(r"^shared: (.*): (\d+) collectives of all PEs, (\d+) messages; ", run.err, re.MULTILINE)
        name = " ".join(["small sets", *args])
        tap.equal((run.status, len(counted)), (0, 12), f"{name}: all are measured", run)
        # For the first points, memory is allocated; one of the others may be measured again, on a busy machine.
        least = [[min(int(number) for number in numbers) for numbers in zip(*(row[1:] for row in counted[at + 4::4]))]
                 for at in range(4)]
        tap.equal([row for row in least if row and row[0] > 2], [],
                  f"{name}: a point needs at most 2 collectives of all PEs")
        tap.equal([row for row in least if row and row[1] > 12], [], f"{name}: 6 messages for each")


def test_synchronization(tap, np):
    body = """
  measure MPI_COMM_WORLD : Shmem_Put_Full(8, 5)
  measure MPI_COMM_WORLD : Shmem_Get_Nonblocking_Quiet(8, 5)
  measure MPI_COMM_WORLD : Shmem_Bcast_All_Synchro(8, 0)
  measure MPI_COMM_WORLD : Shmem_Barrier()"""
    ways = {"choose_real_synchronization": "window start",
            "choose_barrier_synchronization": "barrier start",
            "choose_no_synchronization": "no synchronization"}
    run = skampi(QUICK + block("default", body)
                 + "".join(f"{way}()\n" + block(way, body) for way in ways)
                 + block("unsynchronized", "choose_barrier_synchronization()\n"
                                           "measure MPI_COMM_WORLD : wtime(10)")
                 + 'set_run_time("global")\n' + block("global, barrier", body)
                 + "choose_real_synchronization()\n" + block("global", body)
                 + 'set_run_time("local")\n' + block("local", body), np=np)
    at = f"{np} PEs"
    good(tap, run, f"synchronization, {at}")
    for name, said in {"default": "window start", **ways, "global, barrier": "barrier start",
                       "global": "window start", "local": "window start",
                       "unsynchronized": "no synchronization"}.items():
        tap.equal(len(rows(run, name)), 1 if name == "unsynchronized" else 4,
                  f"{name}, {at}: results", run)
        told = conditions(run, name)
        tap.ok(told and all(f"; {said};" in note for note in told),
               f"{name}, {at}: the notes say {said}", told)
    for name, said in (("default", "local"), ("global, barrier", "local"), ("global", "global"),
                       ("local", "local")):
        told = conditions(run, name)
        tap.ok(told and f"{said} run time" in told[0], f"{name}, {at}: {said} run time", told)


def test_buffers(tap):
    put = "measure MPI_COMM_WORLD : Shmem_Put_Full(100, 5)"
    run = skampi(QUICK + "set_skampi_buffer(1000)\n" + block("cycling", put)
                 + "switch_buffer_cycling_off()\n" + block("same", put)
                 + "switch_buffer_cycling_on()\n" + block("largest", put.replace("100,", "1000,"))
                 + block("nothing to move", put.replace("100,", "0,"))
                 + "set_send_buffer_alignment(4096)\nset_recv_buffer_alignment(1)\n"
                 + block("aligned", put + "\n" + put.replace("Put_Full", "Get_Round")), np=2)
    good(tap, run, "buffers")
    for name, said in (("cycling", "cycling buffers"), ("same", "same buffers"),
                       ("largest", "same buffers"), ("aligned", "cycling buffers")):
        told = conditions(run, name)
        tap.ok(told and said in told[0], f"buffers, {name}: the notes say {said}", run)
    tap.equal(len(rows(run, "nothing to move")), 1, "an operation without data is measured")
    tap.equal(len(rows(run, "aligned")), 2, "other alignments of the buffers")


def test_too_large(tap):
    """What does not fit is not measured, with one warning for each measure."""
    put = "measure MPI_COMM_WORLD : Shmem_Put_Full({}, 5)\n"
    for np in (1, 4):
        run = skampi(QUICK + "set_skampi_buffer(64)\n" + block("a", put.format(65) + put.format(66))
                     + block("b", put.format(64) + put.format(65))
                     + "set_skampi_buffer(0)\n" + block("c", put.format(1)), np=np)
        at = f"{np} PEs"
        tap.equal(run.status, 3, f"too small a buffer, {at}: status 3", run)
        tap.equal([len(rows(run, name)) for name in "abc"], [0, 1, 0],
                  f"too small a buffer, {at}: results where it fits", run)
        lines = run.err.splitlines()
        tap.ok([line.split(": warning: ")[0] for line in lines]
               == [f"test.ski:{line}:1" for line in (6, 7, 12, 17)]
               and "count=65" in lines[0] and "64" in lines[0],
               f"too small a buffer, {at}: one warning for each measure", run)


def test_no_memory(tap):
    cases = [(np, size) for np, size in ((1, "1000gb"), (4, "1000gb"), (2, "9223372036854775807"))]

    def start(case):
        return skampi(QUICK + block("fine", "measure comm(1) : wtime(10)")
                      + f"set_skampi_buffer({case[1]})\n"
                      + block("b", "measure MPI_COMM_WORLD : Shmem_Put_Full(8, 5)"),
                      np=case[0], args=["-o", "out.sko"], timeout=40)

    for (np, size), run in in_parallel(cases, start):
        name = f"set_skampi_buffer({size}), {np} PEs"
        tap.equal(run.status, 3, f"{name}: status 3", run)
        lines = [line for line in run.err.splitlines() if re.search(r"\berror: ", line)]
        tap.ok(len(lines) == 1 and lines[0].startswith("test.ski:9:1: error: ")
               and re.search(r"SHMEM_SYMMETRIC_(HEAP_)?SIZE", lines[0]),
               f"{name}: one message, with the way out", run)
        tap.equal(len(rows(run, "fine")), 1, f"{name}: what was measured before is kept", run)


def test_max_window(tap):
    """A window that would have to grow too long: the measurement fails, the script goes on."""
    script = QUICK + "set_max_window(0.000000001)\n" + block("narrow", """
  for count in [8, 16] do measure MPI_COMM_WORLD : Shmem_Put_Full(count, 5) od
  choose_barrier_synchronization()
  measure MPI_COMM_WORLD : Shmem_Put_Full(32, 5)""") + "set_max_window(10)\n" + block("wide", """
  choose_real_synchronization()
  measure MPI_COMM_WORLD : Shmem_Put_Full(64, 5)""")
    for np in (1, 2, 4):
        run = skampi(script, np=np)
        at = f"{np} PEs"
        tap.equal(run.status, 3, f"set_max_window, {at}: status 3", run)
        tap.equal([[row.bytes for row in rows(run, name)] for name in ("narrow", "wide")],
                  [[32], [64]], f"set_max_window, {at}: the rest is measured", run)
        lines = [line for line in run.err.splitlines() if re.search(r"\berror: ", line)]
        tap.ok(len(lines) == 2 and all(
            re.match(rf"test\.ski:7:\d+: error: Shmem_Put_Full\(count={count}, iterations=5\): ",
                     line) and "set_max_window" in line for count, line in zip((8, 16), lines)),
            f"set_max_window, {at}: a message for each, with place and arguments", run)
        tap.equal(sum(line.startswith("# failed: Shmem_Put_Full(") for line in run.comments), 2,
                  f"set_max_window, {at}: the output says so too", run)
        tap.ok(any(line.startswith("# Finished at") for line in run.comments),
               f"set_max_window, {at}: the output is complete", run)


def test_timers(tap):
    listed = skampi(args=["--timers"], launch=False)
    table = re.findall(r"^(\S+) +\S+ +\S+ +\S+ +(yes|no)", listed.out, re.MULTILINE)
    usable = [name for name, verdict in table if verdict == "yes"]
    tap.ok("clock_gettime" in usable, "--timers: clock_gettime is usable anywhere", listed)
    script = QUICK + "".join(
        f'set_timer("{name}")\n' + block(name, "measure MPI_COMM_WORLD : wtime(100)\n"
                                               "measure MPI_COMM_WORLD : Shmem_Quiet(100)")
        for name in usable)
    for np in (1, 2, 4):
        run = skampi(script, np=np)
        good(tap, run, f"set_timer, {np} PEs")
        tap.equal([len(rows(run, name)) for name in usable], [2] * len(usable),
                  f"set_timer, {np} PEs: every usable timer", run)
        tap.ok(all(rows(run, name) and rows(run, name)[0].time > 0 for name in usable),
               f"set_timer, {np} PEs: reading any timer takes time", run)
    for name in usable:
        run = skampi(QUICK + block("t", "measure MPI_COMM_WORLD : wtime(100)"), np=2,
                     args=["--timer", name])
        good(tap, run, f"--timer {name}")
        tap.ok(any(line.startswith(f"# timer: {name}, ") for line in run.comments)
               and len(run.rows) == 1, f"--timer {name}: the output names it", run)


def test_settings(tap):
    """What has an effect on the output alone, or on no result line."""
    run = skampi(QUICK + 'set_cache_state("cold")\n' + block("cold", """
  measure MPI_COMM_WORLD : Shmem_Put_Full(64, 5)""") + 'set_cache_state("warm")\n'
                 + "init_time_accounting()\n" + block("far", """
  far = comm2_max_latency_with_root()
  print get_comm_size(far), " ", get_comm_rank(far)
  measure far : Shmem_Get_Round(8, 5)""") + "print_time_accounting_info()\n" + block("rand", """
  some = comm_rand(3)
  measure some : Shmem_Put_Full(8, 5)
  measure comm_first_half(MPI_COMM_WORLD) : Shmem_Barrier()
  measure comm_second_half(MPI_COMM_WORLD) : Shmem_Barrier()
  measure comm_one_per_node() : wtime(10)"""), np=4)
    good(tap, run, "settings")
    tap.ok(conditions(run, "cold") and "cold" in conditions(run, "cold")[0],
           "a cold cache is noted", run)
    tap.equal([len(row.per_pe) for row in rows(run, "far")], [2],
              "comm2_max_latency_with_root: two PEs", run)
    far = [line for line in run.comments if line.startswith("#P[0] ")]
    tap.equal(far, ["#P[0] 2 0"], "comm2_max_latency_with_root: PE 0 is rank 0")
    tap.equal([len(row.per_pe) for row in rows(run, "rand")][:3], [3, 2, 2],
              "comm_rand and halves", run)
    tap.ok(any(line.startswith("# time accounting") for line in run.comments),
           "print_time_accounting_info", run)


def test_transport(tap):
    """Also where the target has to answer."""
    run = skampi(QUICK + block("tcp", """
  measure MPI_COMM_WORLD : Shmem_Put_Full(64, 5)
  measure MPI_COMM_WORLD : Shmem_Get_Round(64, 5)
  measure MPI_COMM_WORLD : Shmem_Bcast_All(5, 64, 1)
  measure MPI_COMM_WORLD : Shmem_Bcast_All_SK(5, 64, 1)"""), np=2, env={"UCX_TLS": "tcp,self"})
    good(tap, run, "UCX_TLS=tcp,self")
    tap.equal(len(rows(run, "tcp")), 4, "UCX_TLS=tcp,self: results", run)
    tap.ok("# environment: UCX_TLS=tcp,self" in run.comments, "the output names the transport", run)


# ---- Output that cannot be written ----


def test_full_device(tap):
    if not os.path.exists("/dev/full"):
        tap.skip("full devices", "there is no /dev/full")
        return
    script = QUICK + block("f", "measure MPI_COMM_WORLD : wtime(10)")
    for np in (1, 4):
        run = skampi(script, np=np, args=["-o", "/dev/full"])
        name = f"-o /dev/full, {np} PEs"
        tap.equal(run.status, 1, f"{name}: status 1", run)
        lines = [line for line in run.err.splitlines() if re.search(r"\berror: ", line)]
        tap.ok(len(lines) == 1 and "cannot be written: No space left" in lines[0],
               f"{name}: one message", run)
    # The launcher would stand between the program and the device.
    directory = harness.scratch_directory()
    write_text(os.path.join(directory, "test.ski"), script)
    run = harness.run(["sh", "-c", 'exec "$0" -i test.ski > /dev/full', harness.program()],
                      env=harness.launch_environment(), cwd=directory)
    tap.equal(run.status, 1, "standard output to /dev/full: status 1", run)
    tap.equal(len([line for line in run.err.splitlines() if "cannot be written" in line]), 1,
              "standard output to /dev/full: one message", run)


# ---- Jobs that end badly ----

MANY = QUICK + block("first", "measure MPI_COMM_WORLD : wtime(10)") + block("many", """
  for i = 1 to 100000000 do
    measure MPI_COMM_WORLD : Shmem_Put_Full(8, 5)
  od""")

# One measurement that has not ended when the test does. The watchdog is slow enough for PEs that share processors with
# each other and with other tests, which may take seconds for a batch.
CALL = "Shmem_Put_Full(count=8, iterations=1000)"
WATCHDOG = 5  # seconds, in the jobs that it shall end; the others keep the default
ENDLESS = block("first", "measure MPI_COMM_WORLD : wtime(10)") + """
set_max_repetitions(1000000)
set_max_relative_standard_error(0.0)
""" + block("endless", "measure MPI_COMM_WORLD : Shmem_Put_Full(8, 1000)")


def hit(case):
    """Starts a job, sends the signal when it measures, waits for the end. case: what, signal, PE
    (None: the launcher), PEs. Returns the run and the results seen before."""
    what, number, target, np = case
    watchdog = f"set_watchdog({WATCHDOG})\n" if what == "watchdog" else ""
    job = Job(MANY if what == "interrupt" else watchdog + ENDLESS, np)
    if what == "interrupt":
        seen = job.wait_for(r"^i= 20 .*\n")
    else:
        seen = job.wait_for(r'^# begin result "endless"\n')
        time.sleep(2)  # nothing in the output tells when it is on its way
    victim = job.launcher.pid if target is None else job.pe(target)
    if seen and victim:
        os.kill(victim, number)
    run = job.finish()
    if not seen or not victim:
        run.status = f"the job did not come to measure (status {run.status})"
    return run, len(re.findall(r"^i= \d+ .*\n", seen, re.MULTILINE))


def check_interrupted(tap, name, run, target, number, before):
    if target is None:
        tap.ok(isinstance(run.status, int) and run.status != 0, f"{name}: ends, not with status 0",
               run)
    else:
        tap.equal(run.status, 128 + number, f"{name}: status {128 + number}, nothing left", run)
    results = [row.vars.get("i") for row in rows(run, "many")]
    tap.ok(len(results) >= before and results == list(range(1, len(results) + 1)),
           f"{name}: everything so far is in the output", f"{before} seen before\n{run}")
    tap.equal(run.unparsed, [], f"{name}: whole lines only")
    last = run.read("out.sko").rstrip("\n").rpartition("\n")[2]
    tap.ok(last.startswith("# interrupted by signal "), f"{name}: the last line says so",
           f"last line: {last}")


def check_ended(tap, name, run, status, message, end_of_output):
    """A job that ended by itself, in the endless measurement."""
    tap.equal(run.status, status, f"{name}: status {status}, nothing left", run)
    lines = [line for line in run.err.splitlines() if re.search(r"\berror: ", line)]
    tap.ok(len(lines) == 1 and message in lines[0] and CALL in lines[0],
           f"{name}: one message names the measurement", run)
    tap.equal(len(rows(run, "first")), 1, f"{name}: what was measured before is kept", run)
    if end_of_output:
        last = run.read("out.sko").rstrip("\n").rpartition("\n")[2]
        tap.ok(end_of_output in last and CALL in last, f"{name}: so does the output",
               f"last line: {last}")


def test_bad_ends(tap):
    term, interrupt = signal.SIGTERM, signal.SIGINT
    cases = [
        # The watchdog takes longest to notice.
        ("watchdog", signal.SIGSTOP, 1, 2), ("watchdog", signal.SIGSTOP, 3, 4),
        ("interrupt", term, 0, 1), ("interrupt", term, 0, 2), ("interrupt", term, 3, 4),
        ("interrupt", interrupt, 0, 4), ("interrupt", interrupt, 1, 2),
        ("interrupt", term, None, 2), ("interrupt", interrupt, None, 4),
        ("crash", signal.SIGSEGV, 0, 2), ("crash", signal.SIGSEGV, 3, 4),
        ("crash", signal.SIGABRT, 1, 2),
    ]
    for (what, number, target, np), (run, before) in in_parallel(cases, hit):
        to = "the launcher" if target is None else f"PE {target}"
        name = f"{signal.Signals(number).name} to {to} of {np}"
        if what == "interrupt":
            check_interrupted(tap, name, run, target, number, before)
        elif what == "watchdog":
            check_ended(tap, f"watchdog, {name}", run, 5, f"no progress for {WATCHDOG} s",
                        "# ended by the watchdog")
        else:
            check_ended(tap, name, run, 128 + number, f"PE {target} was ended by signal {int(number)} ",
                        f"PE {target} was ended by signal {int(number)} ")


def test_damaged_message(tap):
    """What PEs tell PE 0 about a result is sent again when it does not arrive as it was."""
    calls = "".join("  measure comm2(1, 0) : Shmem_Atomic_Fetch(0)\n" for _ in range(2))
    run = skampi(f'begin measurement "a"\n{calls}end measurement\n', np=2,
                 env={"LD_PRELOAD": preloadable("damaged_message.c")})
    tap.equal(run.status, 0, "a message that arrives damaged: the run goes on", run)
    tap.equal(len(run.rows), 2, "... with all results", run)
    tap.equal(run.err.count("arrived damaged and is sent again"), 1, "... and a warning", run)


def test_stored_twice(tap):
    """What a library stores once more before a quiet harms neither messages, clocks, hand-overs nor locks."""
    body = "".join(f"  measure MPI_COMM_WORLD : {call}\n" for call in (
        "Shmem_Put_Full(8, 5)", "Shmem_Bcast_All_Synchro(8, 0)", "Shmem_Barrier()", "Shmem_Mcs_Contended(3)",
        "Shmem_Mcs_Random_Put(100, 3)", "Shmem_Round_Trip_Put_Put_Flag(8, \"half\", 0, 3)"))
    clocks = 'set_clock_sync("hca")\nset_clock_spread(0.02)\n'
    for np in (2, 4):
        run = skampi(QUICK + clocks + block("a", body) + block("b", body), np=np,
                     env={"LD_PRELOAD": preloadable("stored_twice.c")})
        good(tap, run, f"words that are stored twice, {np} PEs")
        tap.equal(len(run.rows), 12, f"... {np} PEs: all results", run)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    test_damaged_message(tap)
    test_stored_twice(tap)
    for np in (1, 2, 4):
        test_synchronization(tap, np)
    test_shared(tap)
    test_buffers(tap)
    test_too_large(tap)
    test_no_memory(tap)
    test_max_window(tap)
    test_timers(tap)
    test_settings(tap)
    test_transport(tap)
    test_full_device(tap)
    test_bad_ends(tap)
    tap.done()


main()
