#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
"""skampi on several hosts, 2 x 2 and 4 x 1, with delays and losses; a host that dies or whose cable is cut while skampi measures;
one whose clock is set: results are kept, flagged or refused, and no run hangs."""

import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import processes
from builds import preloadable
from harness import Tap, measuring, skip_all
from hosts import MARK, Manner, Unavailable, hosts, lines_here
from job import Job

tap = Tap()
FEW = "set_min_repetitions(4)\nset_max_repetitions(8)\nset_watchdog(20)\n"
CALLS = ("Shmem_Put_Full(8, 5)", "Shmem_Get_Round(1000, 5)", "Shmem_Barrier()", "Shmem_Bcast_All(2, 1000, 0)",
         "Shmem_Reduce_Sum_Int_Consecutive(2, 64)", "Shmem_Atomic_Fetch_Inc(5)")
STEPS = """set_min_repetitions(8)
set_max_repetitions(16)
set_watchdog(20)
begin measurement "many"
  for i = 1 to 20 do
    measure MPI_COMM_WORLD : Shmem_Bcast_All_Synchro(1000, 0)
  od
end measurement
"""
MANY = """set_watchdog(5)
set_min_repetitions(4)
set_max_repetitions(8)
begin measurement "many"
  for i = 1 to 100000000 do
    measure MPI_COMM_WORLD : Shmem_Put_Full(8, 5)
  od
end measurement
"""
# Open MPI's launcher looks after 5 minutes whether a host that says nothing is still there; here after 2 s.
ATTENTIVE = {"OMPI_MCA_oob_tcp_keepalive_time": "2", "OMPI_MCA_oob_tcp_keepalive_intvl": "1",
             "OMPI_MCA_oob_tcp_keepalive_probes": "2"}
WAITING = Manner(sleep=True)  # no time is looked at
OUTPUTS = ("-o", "out.sko", "-o", "out.json")


def check_points(count, per_host, **links):
    what = f"{count} x {per_host} PEs, {links}"
    with hosts(count, manner=WAITING, **links) as these:
        run = these.skampi(FEW + measuring("points", *CALLS), per_host=per_host, timeout=100)
    tap.ok(run.status == 0 and len(run.rows) == len(CALLS), f"{what}: all points are measured, and their data are right", run)


def started(these, script, per_host, args, env):
    os.environ["SKAMPI_LAUNCH"] = these.launch_line()
    try:
        return Job(script, per_host * these.count, args, env)
    finally:
        del os.environ["SKAMPI_LAUNCH"]


def namespace(pid):
    try:
        return os.stat(f"/proc/{pid}/ns/net").st_ino
    except OSError:
        return None


def records_of(run):
    return run.records("out.json")


def die(pid, name):
    """All processes on the host of this one."""
    there = namespace(pid)
    for other in processes.marked(MARK, name):
        if namespace(other) == there:
            os.kill(other, signal.SIGKILL)


def cut(pid, _):
    subprocess.run(["nsenter", "-t", str(pid), "-n", "ip", "link", "set", "eth0", "down"], check=True)


def wait_for_pes(job, name):
    """Until no PE is left; whether that comes to be."""
    end = time.monotonic() + 60
    while time.monotonic() < end and any(job.pe(rank, MARK, name) for rank in range(4)):
        time.sleep(0.2)
    return time.monotonic() < end


def check_lost(what, act, reasons, env=None, launcher_ends=True):
    """The second host is lost while skampi measures: the results so far are there, the end says why, and no PE is left."""
    with hosts(2, manner=WAITING) as these:
        job = started(these, MANY, 2, OUTPUTS, env)
        seen = job.wait_for(r"^i= 5 .*\n")
        pid = job.pe(3, MARK, these.name)
        if seen and pid:
            act(pid, these.name)
            tap.ok(wait_for_pes(job, these.name), f"{what}: all PEs end")
        if not launcher_ends:
            job.launcher.kill()
        run = job.finish(60)
    if not tap.ok(seen and pid, f"{what}: it measures before", run):
        return
    records = records_of(run)
    numbers = [record["variables"]["i"] for record in records if record["record"] == "result"]
    tap.ok(len(numbers) >= 5 and numbers == list(range(1, len(numbers) + 1)), f"{what}: all results so far are there", run)
    tap.ok((not launcher_ends or isinstance(run.status, int) and run.status != 0) and records[-1]["record"] == "end"
           and re.search(reasons, records[-1]["reason"]), f"{what}: the run ends, and says why", (records[-1], run))


def check_step():
    """The clock of the second host is set forward by a second: no time has that second, and the output says what it is about."""
    library = preloadable("skewed_clock.c")
    if not tap.ok(library, "the library with a clock that is set is built"):
        return
    step = os.path.join(harness.scratch_directory(), "step")
    with hosts(2) as these:
        job = started(these, STEPS, 1, (*OUTPUTS, "--timer", "clock_gettime"),
                      {"LD_PRELOAD": library, "SKEWED_CLOCK_STEP": step})
        seen = job.wait_for(r"^i= 5 .*\n")
        with open(step, "w", encoding="utf-8"):
            run = job.finish(100)
    if not tap.ok(seen and run.status == 0, "a clock is set while skampi measures: it comes to its end", run):
        return
    results = [record for record in records_of(run) if record["record"] == "result"]
    tap.ok(len(results) == 20 and all(record["time"] < 0.5 for record in results), "... no time has the second in it",
           [record["time"] for record in results])
    tap.ok(any("measured again, since clocks had moved" in note for record in results for note in record["notes"]),
           "... what was under way is measured again, and says so", [record["notes"] for record in results])
    tap.ok(re.search(r"^# warning: clocks of node 1 .*clock_gettime runs fast", job.written(), re.MULTILINE),
           "... and a warning names the host", job.written()[-1500:])


def main():
    try:
        lines_here()
    except Unavailable as reason:
        skip_all(reason)
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    check_points(2, 2, delay_us=300)
    check_points(4, 1, delay_us=300)
    check_points(2, 2, delay_us=100, lossy=["1:2:2"])
    check_lost("a host that dies", die, "signal 6|signal 15|disappeared")  # 6: UCX gives up first
    check_lost("a cable that is cut", cut, "no progress for 5 s", launcher_ends=False)
    check_lost("a cable that is cut, and a launcher that looks", cut, "no progress for 5 s|signal 15", ATTENTIVE)
    check_step()
    tap.done()


main()
