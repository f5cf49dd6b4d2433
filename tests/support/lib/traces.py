"""What tests of tracing share: recording, reading what `shmemtrace dump --csv` prints, and traces whose
content is known."""

import collections
import csv
import glob
import io
import os

import harness
from harness import ROOT, run, scratch_directory, write_text

TRACE = "trace"  # folder, in that in which the program runs
# Open MPI kills PEs a second after it has told them to end, in which they may not get a processor on a busy machine.
PATIENT = {"OMPI_MCA_odls_base_sigkill_timeout": "4"}


def command():
    """shmemtrace of the build under test."""
    folder = harness.build_directory() if harness.sanitized() else ROOT
    return os.path.join(folder, "shmemtrace")


def is_built():
    """Whether programs can be traced here."""
    return os.path.exists(os.path.join(os.path.dirname(command()), "libshmemtrace.so"))


def app(name):
    """A program of inputs/apps."""
    return os.path.join(harness.build_directory(), "apps", name)


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


# ---- Made traces ----

HEAP, STATIC, LIBRARY = (number << 48 for number in (1, 2, 3))  # places: their beginnings


def build_writer(path):
    """The program that writes traces: of a scenario, or large ones of a pattern."""
    sources = ("tests/support/stub/trace_writer.c", "src/trace/encode.c", "src/trace/format.c", "src/base/hash.c")
    built = run([os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-DSKAMPI_VERSION=\"0\"",
                 "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "tests"), "-o", path,
                 *(os.path.join(ROOT, name) for name in sources)])
    if built.status != 0:
        raise RuntimeError(str(built))


class Made:
    """A folder of traces that tests/support/stub/trace_writer.c writes from scenarios."""

    def __init__(self):
        self.folder = scratch_directory()
        build_writer(self.path("trace_writer"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, scenario):
        """A trace of that name."""
        os.mkdir(self.path(name))
        made = run([self.path("trace_writer"), self.path(name)], stdin=scenario)
        if made.status != 0:
            raise RuntimeError(str(made))
        return name

    def command(self, *args, **options):
        """shmemtrace, in the folder."""
        return run([command(), *args], cwd=self.folder, **options)


def small_scenario(pe, clock=0):
    """Every kind of thing: 2 PEs, 2 threads; PE 1's calls are 50 ns later."""
    late, peer, set_ = 50 * pe, 1 - pe, "set_start=0 set_stride=1 set_size=2"
    return f"""pe {pe} 2 2
clock {clock}
event 0 shmem_init {100 + late} 400
event 0 shmem_malloc {1000 + late} 100 flags=1 bytes=4096 target={HEAP + 64}
event 0 shmem_long_put {2000 + late} 40 peer={peer} elements=4 bytes=32 target={HEAP + 64} source=0
event 1 shmem_ulong_atomic_set {2010 + late} 20 peer={peer} target={STATIC + 8} value=-1
event 0 shmem_double_iget {3000 + late} 60 peer={peer} elements=3 bytes=24 target={LIBRARY + 16} source={HEAP + 72} target_stride=2 source_stride=5
event 0 shmem_ctx_int_put_nbi {4000 + late} 10 peer={peer} elements=1 bytes=4 target={HEAP} source={HEAP + 4} context=2
event 0 shmem_ctx_int_put_nbi {4100 + late} 10 peer={peer} elements=2 bytes=8 target={HEAP} source={HEAP + 4} context=2
event 0 shmem_ctx_quiet {4500 + late} 30 context=2
event 0 shmem_float_atomic_swap {5000 + late} 80 peer={peer} target={HEAP + 8} value={0x3fc00000} result={0x40200000} phase=7
event 0 shmem_broadcast64 {6000 + late} 100 phase=7 elements=2 bytes=16 target={HEAP} source={HEAP + 8} root=1 {set_}
event 0 shmem_set_lock {7000 + late} 200 phase=7 target={STATIC}
event 0 shmem_clear_lock {7300 + late} 20 phase=7 target={STATIC}
event 0 shmem_long_wait_until {8000 + late} 300 phase=7 target={HEAP} comparison=5 value=-3
event 0 shmem_barrier_all {9000 + late} {500 - late} phase=7 {set_}
event 0 shmem_finalize {9800 + late} 100 flags=1 phase=7
counters 0 0 4900 1000
counters 7 5000 9900 {2000 + pe}
end finalize
"""


def compiled(text, flags=()):
    """Path of an OpenSHMEM program of one file of C; ends the test where it, or the tracer, cannot be built."""
    if not harness.has("SHMEM"):
        harness.skip_all("the build has no OpenSHMEM")
    if not is_built():
        harness.skip_all("the tracer was not built")
    folder = harness.scratch_directory()
    source, program = os.path.join(folder, "program.c"), os.path.join(folder, "program")
    write_text(source, text)
    built = harness.run([os.environ.get("OSHCC", "oshcc"), "-w", "-O1", "-o", program, source, *flags])
    if built.status != 0:
        harness.skip_all(f"no compiler for OpenSHMEM: {built.err}")
    return program
