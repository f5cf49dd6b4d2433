"""What tests of tracing share: recording, and reading what `shmemtrace dump --csv` prints."""

import collections
import csv
import glob
import io
import os

import harness
from harness import ROOT, run, scratch_directory

TRACE = "trace"  # folder, in that in which the program runs


def command():
    """shmemtrace of the build under test."""
    folder = harness.build_directory() if harness.sanitized() else ROOT
    return os.path.join(folder, "shmemtrace")


def is_built():
    """Whether programs can be traced here."""
    return os.path.exists(os.path.join(os.path.dirname(command()), "libshmemtrace.so"))


def app(name):
    """A program of tests/apps."""
    return os.path.join(harness.build_directory(), "tests", "apps", name)


def launched(np, argv, env=None, timeout=60, cwd=None):
    """A program on np PEs. Open MPI 4.1.4 crashes at the end of programs that finalize, unless it is
    told not to watch memory."""
    env = {**harness.launch_environment(), "OMPI_MCA_memory": "^patcher", **(env or {})}
    return run(harness.launch_line(np, argv), env, timeout, cwd)


def recorded(np, argv, options=(), env=None, timeout=60, cwd=None):
    """The same under the tracer; the trace is run.path(TRACE)."""
    env = {**harness.launch_environment(), "OMPI_MCA_memory": "^patcher", **(env or {})}
    line = [command(), "-o", TRACE, *options, *harness.launch_line(np, argv)]
    return run(line, env, timeout, cwd or scratch_directory())


def read(word, trace, *options, timeout=60):
    """`shmemtrace WORD TRACE`: dump, check, ..."""
    return run([command(), word, *options, trace], timeout=timeout)


def events_of(text):
    """What dump --csv printed: a dictionary an event."""
    return list(csv.DictReader(io.StringIO(text)))


def calls(events):
    """Number of events by (PE, routine)."""
    return collections.Counter((int(event["pe"]), event["routine"]) for event in events)


def size(trace):
    """Bytes of all files of events."""
    return sum(map(os.path.getsize, glob.glob(os.path.join(trace, "*.trace"))))
