#!/usr/bin/env python3
# PLAIN
"""shmemsim replays programs in which PEs have several threads: each computes and calls by itself, they share what
quiet waits for, and their collective calls keep their order."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from harness import Tap
from made_runs import HEAP, Program, Simulator, ps

tap = Tap()
sim = Simulator()
NS = 1000  # ps
L, O = 1000, 200  # ns: latency, overhead; a byte takes 1 ns
LOGGP = ("--model", "loggp")


def exact(program, options, nanoseconds, name, **changes):
    """The run time, without what shmem_finalize's barrier takes; what is predicted."""
    found = sim.predict(program, *options, **changes)
    if not isinstance(found, dict):
        return tap.ok(False, name, found)
    barrier = 2 * changes.get("o", 0) + L if program.pes > 1 else 0
    tap.equal(ps(found["run_time"]), (nanoseconds + barrier) * NS, name, found)
    return found


def of_pes(found, name):
    return [round(ps(pe[name]) / NS) for pe in found["per_pe"]]


def test_lines():
    program = Program(2, threads=2)
    for pe in (0, 1):
        program.put(pe, 1 - pe, 1000, burst=300)
        program.put(pe, 1 - pe, 1000, burst=100)
        # Its first call comes 150 ns after the end of the first put: it begins when that ends.
        program.put((pe, 1), 1 - pe, 500, burst=700)
        program.put((pe, 1), 1 - pe, 500, burst=400)
    found = exact(program, (), 300 + L + 1000 + 150 + L + 500 + 400 + L + 500,
                  "a thread begins after the call that it began after; shmem_finalize waits for it")
    tap.equal([of_pes(found, name) for name in ("compute", "communication", "end", "waiting")],
              [[300 + 100 + 150 + 400] * 2, [2 * (L + 1000) + 2 * (L + 500) + L] * 2, [6850] * 2, [0] * 2],
              "times of a PE are sums over its threads", found)
    tap.equal(([pe["threads"] for pe in found["per_pe"]], found["critical_path"]["compute"]), ([2, 2], 850e-9),
              "... and the critical path goes through them", found)
    tap.equal({row["name"]: row["calls"] for row in found["routines"]}["shmem_putmem"], 8, "all calls count", found)
    shown = sim.run("--per-pe", sim.machine(), sim.trace(program))
    tap.ok("4 threads; times of a PE are sums over its threads" in shown.out, "the text says so", shown)
    again = [sim.predict(sim.trace(program), *options) for options in ((), ("--contention",))]
    tap.equal(again[0]["run_time"], again[1]["run_time"], "links that are free change nothing", again)
    tap.equal(sim.predict(program, ratio=2)["compute"], sum([300 + 100 + 150 + 400] * 2) / 2 * 1e-9,
              "all threads compute at the speed of the processor")


def test_shared():
    changes = {"overhead": f"{O} ns", "o": O}

    def program(put, quiet, burst=0, **fields):
        made = Program(2, threads=2)
        made.put(0, 1, 10000, burst=100, routine=put, **fields)
        made.call((0, 1), quiet[0], 400, **quiet[1])  # 50 ns after the put
        made.call(0, "shmem_fence", burst)
        return made

    nbi, issued = "shmem_putmem_nbi", 100 + O
    found = exact(program(nbi, ("shmem_quiet", {})), LOGGP, issued + 10000 + 2 * L,
                  "a thread's quiet waits for what another one has put", **changes)
    tap.equal(of_pes(found, "waiting")[0], 10000 + 2 * L - 50, "... which is waiting", found)
    context = {"put": "shmem_ctx_putmem_nbi", "context": 1}
    found = sim.predict(program(quiet=("shmem_quiet", {}), burst=50000, **context), *LOGGP,
                        **{name: value for name, value in changes.items() if name != "o"})
    tap.equal(of_pes(found, "waiting")[0], 0, "... in its context alone", found)
    exact(program(quiet=("shmem_ctx_quiet", {"context": 1}), **context), LOGGP, issued + 10000 + 2 * L,
          "... which threads share", **changes)
    late = Program(2, threads=2)
    late.put(0, 1, 10000, burst=5000, routine=nbi)
    late.call((0, 1), "shmem_quiet", 200)
    late.call((0, 1), "shmem_fence", 5000)
    late.call(0, "shmem_fence", 20000)
    # The last 19,850 ns come after the other thread's end.
    found = exact(late, LOGGP, 5000 + O + 20000 - 150, "a put that comes later in time is not waited for", **changes)
    tap.equal(of_pes(found, "waiting")[0], 0, "... in whatever order threads are replayed", found)
    two = Program(2, threads=2)
    two.put(0, 1, 10000, burst=100, routine=nbi)
    two.put((0, 1), 1, 100, burst=400, routine=nbi)
    two.call((0, 1), "shmem_quiet")
    exact(two, LOGGP, issued + 10000 + 100 + 2 * L, "loggp: messages of threads follow each other", **changes)


def test_collectives():
    program = Program(2, threads=3)
    for pe in (0, 1):
        program.put(pe, 1 - pe, 20000)
        program.together(pe, "shmem_broadcastmem", elements=8, bytes=8, root=0, target=HEAP, source=HEAP)
        for thread in (1, 2):
            program.call((pe, thread), "shmem_fence", 200)
            program.together((pe, thread), burst=5000 - 1000 * thread)
            program.call((pe, thread), "shmem_fence", 500)
    # In the trace they come in this order; in the replay the put takes far longer.
    exact(program, (), 20000 + L + (L + 8) + L + L + 500,
          "collective calls of a PE's threads keep their order: broadcast, barrier, barrier")
    program = Program(3, threads=2)
    for pe in range(3):
        program.together((pe, 1) if pe else pe, burst=100 + 50 * pe)
    exact(program, (), 100 + 2 * L + L, "any thread counts for its PE")


def test_locks():
    program = Program(1, threads=2)
    program.call(0, "shmem_set_lock", target=HEAP)
    program.call(0, "shmem_clear_lock", 1000, target=HEAP)
    program.call((0, 1), "shmem_set_lock", 150, duration=2000, target=HEAP)
    program.call((0, 1), "shmem_clear_lock", target=HEAP)
    # Inside a node: 100 ns latency, 2 ns for 8 bytes.
    exact(program, (), 102 + 1000 + 102 + 2 + 102, "a thread waits for a lock that another one of its PE has")


def test_waits():
    program = Program(2, threads=2)
    program.call((1, 1), "shmem_long_wait_until", 150, duration=9000, target=HEAP, comparison=0, value=4)
    program.call((0, 1), "shmem_long_p", 2000, peer=1, target=HEAP, value=4)
    program.call((1, 1), "shmem_fence", 500)
    exact(program, (), 1850 + L + 8 + 500, "a thread waits for what a thread of another PE writes")


def test_deadlock():
    program = Program(2, threads=2)
    program.together((0, 1), burst=200)
    program.call((1, 1), "shmem_long_wait_until", 200, duration=5000, target=HEAP, comparison=0, value=1)
    program.together((1, 1))
    program.call((0, 1), "shmem_long_p", peer=1, target=HEAP, value=1)
    done = sim.run(sim.machine(), sim.trace(program))
    tap.ok(done.status == 1 and re.search(
        r"deadlock: 4 of 4 threads wait for ever: .*PE 0 thread 1 in shmem_barrier_all at \S+ s waits for PE 1", done.err)
           and "PE 1 thread 1 in shmem_long_wait_until" in done.err, "a deadlock names threads", done)


def test_written():
    program = Program(2, threads=3)
    for pe in (0, 1):
        program.put(pe, 1 - pe, 1000, burst=300)
        for thread in (1, 2):
            program.put((pe, thread), 1 - pe, 500, burst=700 + thread)
            program.together((pe, thread), burst=100)
    machine = sim.machine()
    folder = sim.name("simulated")
    found = sim.predict(program, "--trace", folder, machine=machine)
    again = sim.predict(folder, machine=machine)
    tap.ok(isinstance(found, dict) and isinstance(again, dict), "the predicted run is written", (found, again))
    tap.equal((again["run_time"], of_pes(again, "end"), again["events"]),
              (found["run_time"], of_pes(found, "end"), found["events"]), "... and takes as long again", (found, again))
    checked = sim.made.command("check", folder)
    tap.ok(checked.status == 0 and "all well" in checked.out, "... shmemtrace check finds it well", checked)
    rows = traces.events_of(sim.made.command("dump", "--csv", folder).out)
    tap.equal({(row["pe"], row["thread"]) for row in rows}, {(pe, thread) for pe in "01" for thread in "012"},
              "... with all threads")


def test_damaged():
    program = Program(2, threads=2)
    for pe in (0, 1):
        for _ in range(40):
            program.put((pe, 1), 1 - pe, 8, burst=10)
    trace = sim.trace(program)
    name = sim.path(trace) + "/pe-00001.trace"
    with open(name, "rb") as file:
        whole = file.read()
    blocks = [match.start() for match in re.finditer(b"SBLK", whole)]
    for place, what in ((blocks[-1] + 60, "checksum"), (blocks[-1] + 16, "thread")):
        with open(name, "wb") as file:
            file.write(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1:])
        done = sim.run(sim.machine(), trace)
        tap.ok(done.status == 1 and "pe-00001.trace: damaged" in done.err and done.err.count("\n") == 1,
               f"a damaged block of a further thread: {what}", done)
    with open(name, "wb") as file:
        file.write(whole[:blocks[-1]])
    done = sim.run(sim.machine(), trace)
    tap.ok(done.status == 1 and "truncated" in done.err, "a thread's calls are missing", done)


APPLICATION = r"""
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
static long here[2], there[2][64];
static pthread_barrier_t both;
static void *work(void *argument)
{
    int number = *(int *)argument, next = (shmem_my_pe() + 1) % shmem_n_pes();
    shmem_quiet(); /* here a thread begins, whoever is quicker then */
    pthread_barrier_wait(&both);
    for (int i = 0; i < 50; i++)
        shmem_long_put(there[number], there[number], 64, next);
    pthread_barrier_wait(&both); /* here a thread ends, after the other's puts: its end is waited for */
    shmem_long_p(&here[number], 1, next);
    shmem_long_wait_until(&here[number], SHMEM_CMP_EQ, 1);
    return NULL;
}
int main(void)
{
    int provided, numbers[2] = {0, 1};
    pthread_t thread;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    if (provided != SHMEM_THREAD_MULTIPLE) {
        puts("no threads");
        shmem_global_exit(0);
    }
    pthread_barrier_init(&both, NULL, 2);
    shmem_barrier_all();
    pthread_create(&thread, NULL, work, &numbers[1]);
    work(&numbers[0]);
    pthread_join(thread, NULL);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
"""


def test_recorded():
    if not traces.is_built():
        tap.skip("a recorded program of two threads a PE", "no tracer here")
        return
    program = traces.compiled(APPLICATION)
    done = traces.recorded(2, [program], cwd=sim.folder)
    if "no threads" in done.out:
        tap.skip("a recorded program of two threads a PE", "the library has no SHMEM_THREAD_MULTIPLE")
        return
    calls = traces.calls(traces.events_of(traces.read("dump", sim.path(traces.TRACE), "--csv").out))
    machine = sim.machine()
    found, slower = (sim.predict(traces.TRACE, machine=sim.machine(**changes))
                     for changes in ({}, {"latency": "10 ms"}))
    if not tap.ok(done.status == 0 and isinstance(found, dict), "a recorded program of two threads a PE", (done, found)):
        return
    tap.equal({(0, row["name"]): row["calls"] / 2 for row in found["routines"]},
              {name: count for name, count in calls.items() if name[0] == 0}, "... is replayed with all its calls", found)
    tap.equal(([pe["threads"] for pe in found["per_pe"]], found["waits_without_write"]), ([2, 2], 0),
              "... its waits, too", found)
    # Each thread's 51 puts follow each other, those of two threads do not; then there are two barriers.
    least = (50 + 1 + 2) * 10e-3
    tap.ok(least <= slower["run_time"] < least + 100e-3 + slower["compute"],
           "threads communicate at the same time", (least, slower["run_time"], slower["compute"]))
    checked = sim.run("--trace", "simulated-threads", machine, traces.TRACE)
    tap.ok(checked.status == 0 and traces.read("check", sim.path("simulated-threads")).status == 0,
           "the predicted run is a trace, too", checked)


for test in (test_lines, test_shared, test_collectives, test_locks, test_waits, test_deadlock, test_written, test_damaged,
             test_recorded):
    test()
tap.done()
