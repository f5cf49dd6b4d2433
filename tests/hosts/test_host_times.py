#!/usr/bin/env python3
# LONG
# SERIAL
# TIMEOUT: 240
"""Times between hosts on this machine are true: packets take the delay that was asked for; what skampi says of nodes, of
their clocks, and of the time to another host agrees with that."""

import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import Tap, skip_all
from hosts import HERE, Manner, Unavailable, hosts, lines_here, packets_first
from quiet import Attempts

DELAY = 200  # us, one way
ATTEMPTS = 6  # the machine is shared
RATE = 100  # Mbit/s
LATE = os.path.join(HERE, "late.py")

tap = Tap()


def check_lateness():
    """What the line takes for the lateness of timers at first does not matter after some packets: it learns it."""
    attempts = Attempts(tap)
    for _ in attempts:
        medians = []
        for late in (0, 25):
            with hosts(2, delay_us=DELAY, line="kernel", late=late) as these:
                run = these.run([sys.executable, LATE, these.name], timeout=40)
            if run.status:
                tap.ok(False, f"packets are timed, late: {late}", run)
                return
            medians.append(float(run.out))
        if abs(medians[1] - medians[0]) < 8:
            break
    tap.ok(min(medians) > DELAY - 25, "a packet takes its delay, less 25 us at most", medians)
    attempts.decide(abs(medians[1] - medians[0]) < 8, "... by a line that learns how late timers are", medians)


NODES = """
begin measurement "sizes"
  print get_comm_size(comm2_same_node()), " ", get_comm_size(comm2_other_node())
  print get_comm_size(comm_one_per_node()), " ", get_comm_size(comm_node(1)), " ", get_comm_size(comm_node(2))
end measurement
""" + "".join(f"""
begin measurement "{name}"
  measure {set_} : Shmem_Get_Round(8, 3)
end measurement
""" for name, set_ in (("same", "comm2_same_node()"), ("other", "comm2_other_node()"),
                       ("one", "comm_one_per_node()"), ("node", "comm_node(1)"),
                       ("all", "MPI_COMM_WORLD")))

PLACES = {"same": "2 PEs on one node", "other": "2 PEs on several nodes",
          "one": "2 PEs on several nodes", "node": "2 PEs on one node",
          "all": "4 PEs on several nodes, mixed"}


def check_nodes(realtime):
    with hosts(2, delay_us=DELAY, realtime=realtime) as these:
        run = these.skampi("set_unit(1e6)\n" + NODES, per_host=2, timeout=40)
        names = these.names
    if not tap.equal(run.status, 0, "a script that asks for nodes runs on 2 hosts", run):
        return
    tap.ok("# PEs: 4 on 2 nodes" in run.comments, "the header has 2 nodes", run)
    for node, name in enumerate(names):
        tap.ok(any(line.startswith(f"# node {node}: {name}, 2 PEs") for line in run.comments),
               f"the header lists host {node + 1}", run)
    sizes = [line.split()[1:] for line in run.block("sizes").comments if line.startswith("#P[0]")]
    tap.equal(sizes, [["2", "2"], ["2", "2", "0"]], "the sets of PEs by nodes have their sizes", run)
    for name, place in PLACES.items():
        rows = run.block(name).rows
        tap.ok(rows and any(re.search(rf"^conditions: {place};", note) for note in rows[0].notes),
               f"{name}: the notes say \"{place}\"", run)
    times = {name: run.block(name).rows[0].time for name in PLACES}
    far = [times[name] for name in ("other", "one", "all")]
    tap.ok(min(far) > 2 * DELAY, f"to another host it takes the delays: {far} us")
    # Four PEs on fewer processors may wait for each other for longer than that.
    attempts = Attempts(tap, ATTEMPTS)
    for attempt in attempts:
        if attempt > 1:
            times = measured("set_unit(1e6)\n" + NODES, realtime, delay_us=DELAY, per_host=2)[1]
        near = [times.get(name, float("inf")) for name in ("same", "node")]
        if max(near) < DELAY:
            break
    attempts.decide(max(near) < DELAY, "on one host it does not", f"{near} us")


# What is measured, how often the delay is part of it, and how wrong it may be: two packets, one right behind the other,
# hinder each other where they arrive, by 20 us.
CALLS = {"get": ("Shmem_Get_Round(8, 5)", 2, 0.05), "put": ("Shmem_Put_Full_Single(8, 5, 0)", 2, 0.1),
         "barrier": ("Shmem_Barrier()", 1, 0.05), "broadcast": ("Shmem_Bcast_All_Synchro(8, 0)", 1, 0.15)}
TIMES = "set_unit(1e6)\n" + "".join(f"""begin measurement "{name}"
  measure MPI_COMM_WORLD : {call}
end measurement
""" for name, (call, _, _) in CALLS.items())


def measured(script, realtime, per_host=1, **links):
    with hosts(2, realtime=realtime, **links) as these:
        run = these.skampi(script, per_host, timeout=40)
    return run, {block.name: block.rows[0].time for block in run.blocks if block.rows}


def check_delay(realtime, line):
    good, every = set(), []
    attempts = Attempts(tap, ATTEMPTS)
    for attempt in attempts:
        runs, times = zip(*(measured(TIMES, realtime, delay_us=delay, line=line) for delay in (0, DELAY)))
        tap.note(f"attempt {attempt}: {times[0]} us without, {times[1]} us with delay")
        every.append(times)
        for name, (_, passes, error) in CALLS.items():
            # Starts are wrong by what the clocks are, which differs from run to run.
            for found in (times, [{name: statistics.median(run[side].get(name, 0) for run in every)}
                                  for side in (0, 1)]):
                wanted = found[0].get(name, 0) + passes * DELAY
                if abs(found[1].get(name, 0) - wanted) <= error * wanted:
                    good.add(name)
        if len(good) == len(CALLS):
            break
    for name, (_, passes, error) in CALLS.items():
        attempts.decide(name in good, f"line: {line}: {name}: {passes} times the delay of {DELAY} us more than without "
               f"delay, within {error:.0%}", runs[1])
    for run in runs:
        tap.ok(run.status == 0 and all("on several nodes; " in str(row.notes) and "; window start" in str(row.notes)
                                       for row in run.rows), "measured by the clock", run)


def check_clocks(realtime):
    """The hosts have one clock, so every offset that is found is an error."""
    script = ('begin measurement "clocks"\n  measure MPI_COMM_WORLD : Clock_Offset()\n'
              "end measurement\n")
    attempts = Attempts(tap, ATTEMPTS)
    for attempt in attempts:
        with hosts(2, delay_us=DELAY, realtime=realtime) as these:
            run = these.skampi("set_unit(1e6)\n" + script, timeout=30)
        stated = re.search(r"^# clocks: (\w+), error bound ([\d.e+-]+) ns", run.out, re.MULTILINE)
        offset = abs(run.rows[0].per_pe[1]) if run.rows else float("inf")
        bound = float(stated.group(2)) / 1e3 if stated else 0
        tap.note(f"attempt {attempt}: off by {offset} us, stated bound {bound} us")
        if offset < 20 and offset <= bound:
            break
    tap.equal(stated and stated.group(1), "hca", "clocks of several hosts are found by hca", run)
    attempts.decide(offset <= bound, "the error is inside the stated bound", run)
    attempts.decide(offset < 20, f"and below 20 us, {DELAY} us away", run)


def check_rate(realtime, line):
    size = 65536
    least = size * 8 / RATE
    attempts = Attempts(tap, ATTEMPTS)
    for _ in attempts:
        run, times = measured("set_unit(1e6)\n" 'begin measurement "get"\n'
                              f"measure MPI_COMM_WORLD : Shmem_Get_Simple({size}, 3)\n"
                              "end measurement\n", realtime, rate_mbit=RATE, line=line)
        # Headers add 6 %; a slow start may add a few round trips.
        time_ = times.get("get", 0)
        if least < time_ < 1.4 * least:
            break
    tap.ok(time_ > least, f"line: {line}: {size} bytes at {RATE} Mbit/s take {least} us at least: {time_}", run)
    attempts.decide(time_ < 1.4 * least, f"line: {line}: and only a bit more", run)


def check_packets():
    """While programs have real-time priority, no thread of the kernel for packets waits for them."""
    threads = [int(name) for name in os.listdir("/proc") if name.isdigit() and "ksoftirqd" in text_of(f"/proc/{name}/stat")]
    before = list(map(os.sched_getscheduler, threads))
    with packets_first(Manner(realtime=True)):
        tap.equal([os.sched_getscheduler(thread) for thread in threads], [os.SCHED_FIFO] * len(threads),
                  "threads of the kernel for packets have priority, too")
    tap.equal(list(map(os.sched_getscheduler, threads)), before, "... as long as the program runs")


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def realtime_allowed():
    return subprocess.run(["chrt", "--rr", "1", "true"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def main():
    try:
        every = lines_here()
    except Unavailable as reason:
        skip_all(reason)
    if "kernel" in every:
        check_lateness()
    if not harness.has("SHMEM"):
        tap.skip("skampi on several hosts", "built without OpenSHMEM")
        tap.done()
    realtime = realtime_allowed()
    if realtime and os.geteuid() == 0:
        check_packets()
    if not realtime:
        tap.note("no real-time priority here: times depend on what else the machine has to do")
    check_nodes(realtime)
    check_clocks(realtime)
    for line in every:
        check_delay(realtime, line)
        check_rate(realtime, line)
    tap.done()


main()
