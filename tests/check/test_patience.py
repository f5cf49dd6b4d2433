#!/usr/bin/env python3
"""What hangs is ended when its time is up, with all that it has started; on a busy machine it may take longer first"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import processes
from harness import Tap

NEVER, ALWAYS = 1e9, -1  # processes per processor that make a machine busy
tap = Tap()


def waited(command, seconds, busy):
    """(its output, or None where its time was up; how long that took)"""
    processes.BUSY = busy
    begin = time.monotonic()
    with subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            out = processes.communicate(child, seconds, b"given\n")[0].decode()
        except subprocess.TimeoutExpired:
            out = None
            child.kill()
    return out, time.monotonic() - begin


tap.equal(waited("cat; echo done", 60, NEVER)[0], "given\ndone\n", "what ends in time gives its output")
out, seconds = waited("exec sleep 60", 1, NEVER)
tap.ok(out is None and seconds >= 1, "what does not is ended", (out, seconds))
tap.equal(waited("cat; sleep 4; echo done", 3, ALWAYS)[0], "given\ndone\n", "on a busy machine it may take longer")
out, seconds = waited("exec sleep 60", 1, ALWAYS)
tap.ok(out is None and processes.PATIENCE <= seconds < 50, "... but not for ever", (out, seconds))
processes.BUSY = NEVER
SLEEP = f"sleep {61 * 10**6 + os.getpid()}"  # another one than other runs of the tests have
run = harness.run(["sh", "-c", f"{SLEEP} & echo started; wait"], timeout=4)
tap.ok("timeout" in str(run.status) and run.out == "started\n" and SLEEP in (run.stuck or ""),
       "harness.run() says what still ran", run)
tap.equal(subprocess.run(["pgrep", "-xf", SLEEP], stdout=subprocess.DEVNULL, check=False).returncode, 1,
          "... and ends that")
tap.done()
