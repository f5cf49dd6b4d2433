"""Finding and ending all processes of a test, wherever launchers have put them.

Launchers move the programs that they start into process groups of their own, and orphans lose their
parents; the environment is what all of them inherit. So every test and every run gets a mark there.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import uuid

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "mk"))
from programs import marked, wait_until_gone  # noqa: E402

FILE_MARK = "SKAMPI_TEST_FILE"  # set by tests/run, one value a test file
RUN_MARK = "SKAMPI_TEST_RUN"  # set by harness.run(), one value a program started


def new_mark():
    return uuid.uuid4().hex


class Accounted(subprocess.Popen):
    """A process that tells how many seconds processors worked for it, and for what it started and waited for."""

    processor_seconds = 0.0

    def wait(self, timeout=None):
        if self.returncode is None and hasattr(os, "pidfd_open"):
            ended = os.pidfd_open(self.pid)
            if select.select([ended], [], [], timeout)[0]:
                self.processor_seconds = _processor_seconds(self.pid)
            os.close(ended)
        return super().wait(timeout)


def _processor_seconds(pid):
    """Of a process that has ended and has not been waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # its own and its children's, in programs and in the kernel


PATIENCE = 3  # times as long as it may take otherwise
BUSY = 2      # processes that want a processor, for each of them: more than a test that runs alone brings


def is_busy():
    """Whether others keep the machine busy."""
    return os.getloadavg()[0] > BUSY * os.cpu_count()


def communicate(child, seconds, given=None):
    """(output, errors) of a process that may take so many seconds, or up to PATIENCE times as many while others keep
    the machine busy. Raises subprocess.TimeoutExpired after that."""
    last = time.monotonic() + PATIENCE * seconds
    try:
        return child.communicate(given, timeout=seconds)
    except subprocess.TimeoutExpired:
        while is_busy():
            try:
                return child.communicate(timeout=min(seconds, 5, last - time.monotonic()))
            except subprocess.TimeoutExpired:
                if time.monotonic() >= last:
                    break
        raise


MOST_SHOWN = 16  # processes
DEBUGGER_SECONDS = 10


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return "?"


def _frames(pid):
    """Lines, one a stack frame of the main thread; none without a debugger."""
    if not shutil.which("gdb"):
        return []
    try:
        done = subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "backtrace 20"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=DEBUGGER_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return re.findall(r"^#.*$", done.stdout, re.MULTILINE)


def where(variable, mark):
    """What each of these processes is doing, as text: its state, and where it is, if gdb is installed."""
    lines = []
    for pid in sorted(marked(variable, mark))[:MOST_SHOWN]:
        state = re.search(r"^State:\s*(.*)$", _read(f"/proc/{pid}/status"), re.MULTILINE)
        lines.append(f"process {pid}, {state[1] if state else '?'}: {_read(f'/proc/{pid}/cmdline')[:200]}")
        lines += [f"  {line[:200]}" for line in _frames(pid)]
    return "\n".join(lines)


def _signal(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def end_marked(variable, mark, grace=2.0):
    """Ends all of them: politely, so that launchers clean up, then not. Returns those left."""
    _signal(marked(variable, mark), signal.SIGTERM)
    if wait_until_gone(variable, mark, grace):
        _signal(marked(variable, mark), signal.SIGKILL)
    return wait_until_gone(variable, mark, 5.0)
