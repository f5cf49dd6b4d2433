"""How far apart the processors of this machine are while other programs run on them, and whether that changed.

    with HandOvers() as hand_overs:
        begin = time.monotonic()
        measure()
        if hand_overs.slow_since(begin) == 0: ...

Virtual processors move. While two of them share a cache, a hand-over of a cache line and back takes 50 ns here; while they
do not, 330 ns, and each message between PEs on them takes 20 % longer, even through TCP."""

import os
import subprocess
import threading
import time

import builds

EACH_MS = 50       # a hand-over
SLOWER = 2.0       # than the fastest one: the processors are apart
NEAR_SAMPLES = 20  # fast ones in a row: they are near each other now


class HandOvers:
    """Hand-overs between the first and the last processor of this process, since it was made. With one processor there are
    none, and nothing is ever slow."""

    def __init__(self):
        processors = sorted(os.sched_getaffinity(0))
        program = builds.compiled(os.path.join(os.path.dirname(os.path.abspath(__file__)), "handover.c"), "-pthread")
        self.samples = []  # (time.monotonic(), ns), of those in which the two met
        self._sampler = subprocess.Popen(
            [program, str(processors[0]), str(processors[-1]), str(EACH_MS)], stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._sampler.kill()
        self._sampler.wait()

    def _read(self):
        for line in self._sampler.stdout:
            if (ns := float(line)) > 0:
                self.samples.append((time.monotonic(), ns))

    def _slow(self, samples):
        """Which of them, as booleans."""
        fastest = min((ns for _, ns in list(self.samples)), default=0.0)
        return [ns > SLOWER * fastest for _, ns in samples]

    def slow_since(self, begin):
        """The share of the time since a time.monotonic() in which the processors were apart."""
        slow = self._slow([sample for sample in list(self.samples) if sample[0] >= begin])
        return sum(slow) / len(slow) if slow else 0.0

    def near(self):
        """Whether the processors have been near each other for a moment."""
        return not any(self._slow(list(self.samples)[-NEAR_SAMPLES:]))

    def wait_until_near(self, seconds):
        """Waits until they are, at most so long."""
        end = time.monotonic() + seconds
        while not self.near() and time.monotonic() < end:
            time.sleep(EACH_MS * 1e-3)
