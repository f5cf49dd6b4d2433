"""Repeats timing checks that other users of the machine may spoil.

    attempts = Attempts(tap)
    for attempt in attempts:
        wrong = measure_and_compare()
        if not wrong:
            break
    attempts.decide(not wrong, "a put takes what was programmed", wrong)

A check has failed when it was wrong in each of several attempts. On a busy machine there are more of them, and the failure
says what disturbed them."""

import os
import subprocess
import time

import builds

# Of both processors while nothing runs but the two copies of quiet.c.
LOST, READING, WORK = 0.005, 4.0, 0.15
FILE_SECONDS = 100  # in which a test file may try again, all together

_left = FILE_SECONDS


def disturbance():
    """What keeps times from meaning much just now; nothing when the machine is quiet."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    program = builds.compiled(os.path.join(os.path.dirname(os.path.abspath(__file__)), "quiet.c"))
    copies = [subprocess.Popen([program, str(cpu)], stdout=subprocess.PIPE, text=True)
              for cpu in cpus]
    found = [[float(word) for word in copy.communicate(timeout=60)[0].split()] for copy in copies]
    lost, reading, work = (max(values) for values in zip(*found))
    if lost > LOST:
        return f"{100 * lost:.1f} % of the time goes to others"
    if reading > READING:
        return f"a reading of the clock takes {reading:.0f} ns more or less"
    if work > WORK:
        return f"the same work takes {100 * work:.0f} % more or less"
    return ""


class Attempts:
    """Iterates until the loop is left, `wanted` attempts have been made on a quiet machine, or at least as many on one that is
    not, for some time (seconds, and those of the whole file)."""

    def __init__(self, tap, wanted=3, seconds=30):
        self.tap, self.wanted, self.seconds = tap, wanted, seconds
        self.made = self.undisturbed = 0
        self.reason = ""

    def __iter__(self):
        global _left
        quiet, begin = True, None  # the first time nobody looked before
        try:
            while True:
                self.made += 1
                yield self.made
                now = time.monotonic()
                begin = begin or now
                over = now - begin > min(self.seconds, _left)
                after = disturbance()
                quiet = quiet and not after
                self.undisturbed += quiet
                self.reason = after or self.reason
                self.tap.note(f"attempt {self.made}: {after or 'the machine is quiet'}")
                if self.undisturbed >= self.wanted or (over and self.made >= self.wanted):
                    return
                quiet = self._settled()
        finally:
            _left -= time.monotonic() - begin if begin else 0

    def _settled(self):
        """Waits for a quiet machine, a few seconds; whether it is."""
        end = time.monotonic() + 5
        while disturbance():
            if time.monotonic() >= end:
                return False
            time.sleep(0.2)
        return True

    def decide(self, good, name, diagnostic=None):
        """One check of what the attempts were about."""
        if not good and self.reason:
            name += f" (wrong in {self.made} attempts, {self.made - self.undisturbed} of them disturbed: {self.reason})"
        return self.tap.ok(good, name, diagnostic)


class Beside(Attempts):
    """For files that run beside others, which keep the machine busy themselves: a check that was disturbed in all attempts is
    skipped."""

    def decide(self, good, name, diagnostic=None):
        if good or self.undisturbed:
            return super().decide(good, name, diagnostic)
        self.tap.note(diagnostic or name)
        self.tap.skip(name, f"the machine is not quiet: wrong in {self.made} attempts, {self.reason}")
        return False
