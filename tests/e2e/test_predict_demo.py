#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 150
"""mk/predict-demo takes all steps from measurements to a prediction beside reality on this machine, ends with the reason
when one of them fails, and cleans up when it is interrupted; another delay is added to a description where it counts."""

import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import processes
import traces
from harness import ROOT, Tap, launch_environment, read_text, run, scratch_directory, skip_all, write_text
from made_results import point, write

sys.path.append(os.path.join(ROOT, "mk"))
import predicting

DEMO = os.path.join(ROOT, "mk", "predict-demo")
APP = "fft --size 4 --steps 1"
US = 1e-6
tap = Tap()
folder = scratch_directory()


def path(name):
    return os.path.join(folder, name)


def written(name, text):
    write_text(path(name), text)
    return path(name)


def demo(*options, app=APP, **env):
    options = options if "--runs" in options else ("--runs", "1", *options)
    return run([DEMO, "--here", "--app", app, "--folder", path("out"), *options], cwd=ROOT, timeout=100,
               env={**launch_environment(), **env})


def measuring(name, ends=0):
    """A program in the place of skampi that copies results."""
    program = written(f"skampi-{ends}", f'#!/bin/sh\nfor last; do :; done\ncp {path(name)} "$last"\nexit {ends}\n')
    os.chmod(program, 0o755)
    return program


def test_steps():
    write(path("made.json"), [point(name, name, {"count": size}, (start + size / 1e3) * US)
                              for name, start in (("Shmem_Put_Simple", 3), ("Shmem_Put_Call", 1), ("Shmem_Get_Simple", 3))
                              for size in (8, 64, 512, 4096)])
    # Status 4: the time for measuring was over, and what there is will do.
    done = demo("--runs", "2", SKAMPI=measuring("made.json", 4))
    lines = done.out.splitlines()
    tap.ok("not measured" in done.out and "barrier" in done.out, "what the description lacks is said", done)
    tap.ok(done.status == 0 and not done.err and [line[:2] for line in lines if re.match(r"\d\.", line)]
           == ["1.", "2.", "3.", "4.", "5."] and "this machine only" in lines[0], "every step says that it is taken", done)
    last = next((line for line in lines if line.startswith("none ")), "")
    cells = re.fullmatch(r"none +(.+ m?s|.+ µs) +([+-]\d+\.\d %) +(.+s) +([+-]\d+\.\d %)", last)
    tap.ok(cells, "run time and communication have an error each", done)
    tap.ok("cost get {" in read_text(path("out/machine.txt")), "the description is fitted from what was measured")
    run_time, communication = zip(*(predicting.times_of(path(f"out/predicted-{i}")) for i in range(2)))
    tap.ok(all(0 < spent <= 2 * took for took, spent in zip(run_time, communication)),
           "calls of both PEs take at most as long as the run", (run_time, communication))


def test_hosts():
    """Predictions and real runs with a delay take at least what the messages in a row take that the application sends:
    six barriers and two quiets."""
    machine = written("network", "bus network {\n  bandwidth 1 GB/s\n  latency 30 us\n}\n"
                      "node n {\n  bandwidth 5 GB/s\n  latency 0 ns\n  count 2\n  bus network\n}\n")
    done = run([DEMO, "--machine", machine, "--delay", "20000", "--runs", "1", "--app", APP, "--folder", path("out")],
               cwd=ROOT, env=launch_environment(), timeout=100)
    if "no hosts in network namespaces: " in done.out:
        tap.skip("hosts", done.out.splitlines()[0])
        return
    lines = [line for line in done.out.splitlines() if re.match(r"none |20 ms ", line)]
    tap.ok(done.status == 0 and len(lines) == 2 and all(line.count("%") == 2 for line in lines),
           "on hosts: as it was, and with the delay", done)
    same, predicted, real = (predicting.times_of(path(f"out/{name}-0"))[0] for name in ("same", "predicted", "run"))
    tap.ok(predicted - same > 8 * 0.02 and real > 8 * 0.02, "both have the delay", (same, predicted, real))


def test_failures():
    machine = written("machine", "node n { bandwidth 1 GB/s latency 1 us }\n")
    broken = written("broken", "node n { bandwith 1 GB/s }\n")
    empty = write(path("empty.json"), [])
    for why, words, done in (
            ("skampi", "measure one-node: status 1: ", demo(SKAMPI=measuring("made.json", 1))),
            ("skampi-model", "fit: status 2: ", demo(SKAMPI=measuring(os.path.basename(empty)))),
            ("the application", "trace 0: status ", demo("--machine", machine, app="fft --size 3")),
            ("shmemsim", "predicted 0: status 2: ", demo("--machine", broken)),
            ("the launcher", "trace 0: ", demo("--machine", machine, SKAMPI_LAUNCH="/dev/null/launcher -np %n"))):
        tap.ok(done.status == 1 and done.err.startswith(f"predict-demo: {words}") and done.err.count("\n") == 1
               and not re.search(r"%\s*$", done.out), f"{why} fails: the step, the reason, no table", done)
    for options in (("--app", "no_such"), ("--app", ""), ("--runs", "0"), ("--delay", "0"), ("--model", "none")):
        done = demo(*options)
        tap.ok(done.status == 2 and done.err.count("\n") == 1, f"{' '.join(options)} is refused", done)


def test_interrupt():
    mark = processes.new_mark()
    machine = written("machine", "node n { bandwidth 1 GB/s latency 1 us }\n")
    for number in (signal.SIGINT, signal.SIGTERM):
        child = subprocess.Popen([DEMO, "--here", "--machine", machine, "--folder", path("out"),
                                  "--app", "random_access --steps 100000000"], cwd=ROOT, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env={**os.environ, processes.RUN_MARK: mark},
                                 # Jobs in the background of a shell ignore it.
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        end = time.monotonic() + 60
        while len(processes.marked(processes.RUN_MARK, mark)) < 4 and time.monotonic() < end:
            time.sleep(0.05)
        child.send_signal(number)
        status = child.wait(100)
        tap.equal(status, 128 + number, f"{signal.Signals(number).name} ends it")
        tap.equal(processes.wait_until_gone(processes.RUN_MARK, mark, 30), [], "... and leaves no process")
    processes.end_marked(processes.RUN_MARK, mark)


def test_delay():
    before = """bus network {
    latency 10 us                     # +- 1 %
    cost get {                        # 3 results
        from 0 B
          latency 30 us               # +- 1 %
          overhead 1 us
    }
    cost put-nbi {
        from 0 B
          latency 500 ns
        from 8 KiB
          latency 2 ms
    }
    cost quiet { overhead 20 ns }
}
node host {
    latency 1 us
    cost get {
        from 0 B
          latency 3 us
    }
}
collective barrier table {
    pes 2 {
        from 0 B
          time 5 us
    }
    pes 5 {
        from 0 B
          time 7 us                   # +- 2 %
    }
}
collective alltoall table linear {
    pes 5 {
        from 0 B
          time 9 us
    }
}
"""
    found = re.findall(r"(?:latency|time) (.+)", predicting.delayed(before, 100 * US))
    tap.equal(found, ["110 us", "230 us", "100.5 us", "2.1 ms", "1 us", "3 us", "105 us", "307 us", "409 us"],
              "puts once, gets twice, nothing inside a node, collectives by their messages")
    errors = "bus n {\n    latency 10 us +- 20 %\n    cost lock {\n        latency 30 us +- 500 ns\n    }\n}\n"
    tap.equal(re.findall(r"latency (.+)", predicting.delayed(errors, 100 * US)), ["110 us +- 2 us", "230 us +- 500 ns"],
              "intervals stay as long as they are")
    same = predicting.delayed(before, 0.0)
    tap.equal(re.sub(" +#.*", "", same), re.sub(" +#.*", "", before), "no more delay: the same description")


def test_ends():
    """Of a run that PE 0 ends by shmem_finalize, and PE 1 without it."""
    made = traces.Made()
    for later, wanted in ((300, 800), (3000, 3100)):
        made.make(f"ends{later}", "pe 0 2 1\nevent 0 shmem_init 1000 10\nevent 0 shmem_quiet 1500 100\n"
                  "event 0 shmem_finalize 1810 50 flags=1\nend finalize\n"
                  f"pe 1 2 1\nevent 0 shmem_init 1000 10\nevent 0 shmem_quiet {1010 + later} 100\nend exit\n")
        found = [1e9 * time for time in predicting.times_of(made.path(f"ends{later}"))]
        tap.equal([round(time) for time in found], [wanted, 200], f"run time and communication, last call after {later} ns")


if not traces.is_built():
    skip_all("programs cannot be traced here")
test_delay()
test_ends()
test_steps()
test_hosts()
test_failures()
test_interrupt()
tap.done()
