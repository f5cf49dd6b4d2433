"""Runs of programs whose content is known, for tests of shmemsim: the calls of each PE are written down,
traces.Made makes files of them, and shmemsim replays these."""

import json
import os

import harness
import traces
from harness import ROOT, run

HEAP = traces.HEAP
DURATION = 100  # ns of a call in the trace, which a replay must not use


def command():
    """shmemsim of the build under test."""
    folder = harness.build_directory() if harness.sanitized() else ROOT
    return os.path.join(folder, "shmemsim")


def build_writer(path):
    """The program that writes large traces of a pattern."""
    sources = [os.path.join(ROOT, name) for name in (
        "tests/support/stub/synthetic_traces.c", "src/trace/encode.c", "src/base/checksum.c")]
    built = run([os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-I", os.path.join(ROOT, "src"),
                 "-I", os.path.join(ROOT, "tests"), "-o", path, *sources])
    if built.status != 0:
        raise RuntimeError(str(built))


class Program:
    """Calls of some PEs. Times are ns; a call comes so long after the end of the PE's last one. Further threads of
    a PE are known by (PE, thread); they begin at time 0."""

    def __init__(self, pes, threads=1):
        self.pes, self.threads = pes, threads
        self.names = [*range(pes), *((pe, thread) for pe in range(pes) for thread in range(1, threads))]
        self.lines = {name: [] for name in self.names}
        self.now = dict.fromkeys(self.names, 0)
        self.finalized = False
        for pe in range(pes):
            self.call(pe, "shmem_init", 50)

    def call(self, pe, routine, burst=0, at=None, duration=DURATION, **fields):
        """at: when it starts in the trace, if the order of PEs there matters; the burst ends then."""
        begin = self.now[pe]
        start = begin + burst
        if at is not None:
            assert at >= start, (pe, routine, at, start)
            start = at
        words = " ".join(f"{name}={value}" for name, value in fields.items())
        thread = pe[1] if isinstance(pe, tuple) else 0
        self.lines[pe].append(f"event {thread} {routine} {start} {duration} {words}")
        self.now[pe] = start + duration

    def put(self, pe, peer, size, burst=0, routine="shmem_putmem", place=HEAP + 4096, **fields):
        self.call(pe, routine, burst, peer=peer, elements=size, bytes=size, target=place, source=0, **fields)

    def get(self, pe, peer, size, burst=0):
        self.call(pe, "shmem_getmem", burst, peer=peer, elements=size, bytes=size, target=0, source=HEAP + 4096)

    def together(self, pe, routine="shmem_barrier_all", burst=0, start=0, size=None, **fields):
        self.call(pe, routine, burst, set_start=start, set_stride=1, set_size=size or self.pes, **fields)

    def barrier(self, bursts=0):
        for pe in range(self.pes):
            self.together(pe, burst=bursts if isinstance(bursts, int) else bursts[pe])

    def scenario(self, finalize=True, end="finalize"):
        parts = []
        for pe in range(self.pes):
            if finalize and not self.finalized:
                self.call(pe, "shmem_finalize", at=max(now for name, now in self.now.items() if name == pe or
                                                       isinstance(name, tuple) and name[0] == pe), flags=1)
            parts += [f"pe {pe} {self.pes} {self.threads}",
                      *(line for name in self.names if name == pe or isinstance(name, tuple) and name[0] == pe
                        for line in self.lines[name]), f"end {end}"]
        self.finalized = self.finalized or finalize
        return "\n".join(parts) + "\n"


def random_program(chance, pes=None, threads=1):
    """Without locks and atomics, where another order may take less time; and the bursts until the end on the
    path of barriers."""
    pes = pes or chance.randrange(1, 8)
    program, bound = Program(pes, threads), 0
    for _ in range(chance.randrange(1, 6)):
        phase = [0] * pes
        for pe in range(pes):
            for _ in range(chance.randrange(4)):
                burst, peer, size = chance.randrange(3000), chance.randrange(pes), chance.randrange(5000)
                phase[pe] += burst
                kind = chance.randrange(5)
                if kind == 0:
                    program.get(pe, peer, size, burst)
                elif kind == 1:
                    program.call(pe, "shmem_fence", burst)
                elif kind == 2:
                    program.call(pe, "shmem_quiet", burst)
                else:
                    program.put(pe, peer, size, burst, chance.choice(("shmem_putmem", "shmem_putmem_nbi")))
        bound += max(phase)
        latest = max(program.now.values()) + 1
        if chance.randrange(2):  # a flag from PE 0 to all others; their waits end later in the trace
            for pe in range(1, pes):
                program.call(0, "shmem_long_p", peer=pe, target=HEAP, value=1)
            latest = max(program.now.values()) + 100
            for pe in range(1, pes):
                program.call(pe, "shmem_long_wait_until", target=HEAP, comparison=5, value=1,
                             at=max(program.now[pe], 0))
                program.now[pe] = max(program.now[pe], latest)
        program.now.update(dict.fromkeys(range(pes), max(program.now.values())))
        program.barrier()
    return program


# One PE a node; 1 us and 1 ns a byte between nodes.
MACHINE = """bus net {{ bandwidth {bandwidth} latency {latency} overhead {overhead} gap {gap} lanes {lanes} }}
node one {{ count {nodes} cores {cores} bandwidth {inside} latency {inside_latency} ratio {ratio} bus net
  in {links} out {links} }}
collective all {shape}
"""
DEFAULTS = {"bandwidth": "1 GB/s", "latency": "1 us", "overhead": "0 ns", "gap": "0 ns", "lanes": 1000,
            "nodes": 8, "cores": 1, "inside": "4 GB/s", "inside_latency": "100 ns", "ratio": 1, "links": 1000,
            "shape": "log"}


class Simulator:
    """Traces and machines in a folder, and predictions."""

    def __init__(self):
        self.made = traces.Made()
        self.folder = self.made.folder
        self.count = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def write(self, text, name=None):
        name = name or self.name("machine")
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def machine(self, **changes):
        return self.write(MACHINE.format(**{**DEFAULTS, **changes}))

    def trace(self, program, **how):
        text = program if isinstance(program, str) else program.scenario(**how)
        return self.made.make(self.name("trace"), text)

    def run(self, *args, **options):
        return run([command(), *args], cwd=self.folder, **options)

    def predict(self, program, *options, machine=None, **changes):
        """What --json says; the run when it fails."""
        machine = machine or self.machine(**changes)
        trace = self.trace(program) if isinstance(program, Program) else program
        done = self.run("--json", *options, machine, trace)
        return json.loads(done.out) if done.status == 0 else done


def ps(seconds):
    return round(seconds * 1e12)
