"""Runs of programs whose content is known, for tests of shmemsim: the calls of each PE are written down,
traces.Made makes files of them, and shmemsim replays these."""

import json
import os

import harness
import traces
from harness import ROOT, run, write_text
from traces import build_writer

HEAP = traces.HEAP
DURATION = 100  # ns of a call in the trace, which a replay must not use


def command():
    """shmemsim of the build under test."""
    folder = harness.build_directory() if harness.sanitized() else ROOT
    return os.path.join(folder, "shmemsim")


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


def mixed_program(chance, threads=1, ordered=False, gets=True):
    """Threads, sets of PEs, contexts, strided calls, signals and polling loops; ordered: also atomics and locks, where
    another order may take less time. gets: as well, with libraries that answer them."""
    pes = chance.randrange(2, 7)
    program = Program(pes, threads)
    for name in program.names:
        program.now[name] = 150

    def some_call(line):
        burst, peer, size = chance.randrange(2000), chance.randrange(pes), 8 * chance.randrange(400)
        kind = chance.randrange(13 if ordered else 10)
        if not gets and kind in (2, 6, 9):
            kind = 0
        move = {"peer": peer, "elements": size // 8, "bytes": size, "target": HEAP + 4096, "source": HEAP + 8192}
        strides = {"target_stride": 3, "source_stride": 1}
        if kind < 2:
            program.put(line, peer, size, burst, chance.choice(("shmem_putmem", "shmem_putmem_nbi")))
        elif kind == 2:
            program.get(line, peer, size, burst)
        elif kind == 3:
            program.call(line, "shmem_ctx_putmem_nbi", burst, **move, context=chance.randrange(1, 3))
        elif kind == 4:
            program.call(line, "shmem_ctx_quiet", burst, context=chance.randrange(1, 3))
        elif kind in (5, 6):
            program.call(line, ("shmem_int_iput", "shmem_double_iget")[kind - 5], burst, **move, **strides)
        elif kind in (7, 8):
            program.call(line, ("shmem_quiet", "shmem_fence")[kind - 7], burst)
        elif kind == 9:
            program.call(line, "shmem_int_get_nbi", burst, **move)
        elif kind == 10:
            program.call(line, "shmem_long_atomic_fetch_add", burst, peer=peer, target=HEAP + 64, value=1)
        elif kind == 11:
            program.call(line, "shmem_set_lock", burst, target=HEAP + 128)
            program.put(line, peer, 8, 100)
            program.call(line, "shmem_clear_lock", 50, target=HEAP + 128)
        else:
            program.call(line, "shmem_ulong_atomic_set", burst, peer=peer, target=HEAP + 72, value=1)

    for turn in range(1, chance.randrange(2, 6)):
        for line in program.names:
            for _ in range(chance.randrange(5)):
                some_call(line)
        begin = max(program.now.values())
        waiter, writer = chance.sample(range(pes), 2)
        flag = HEAP + 8 * chance.randrange(2)
        program.now[writer] = begin
        if chance.randrange(2):
            program.call(writer, "shmem_putmem_signal", 300, peer=waiter, elements=100, bytes=100, target=HEAP + 256,
                         source=0, value=turn, options=0, signal=flag)
        else:
            program.call(writer, "shmem_long_p", 300, peer=waiter, target=flag, value=turn)
        loop = chance.randrange(3)
        for _ in range(chance.randrange(6) if loop else 0):
            program.call(waiter, "shmem_long_test", 10, target=flag, comparison=5, value=turn, result=0)
            if loop > 1:
                program.call(waiter, "shmem_quiet", 5)
                program.get(waiter, writer, 8, 5)
        program.now[waiter] = max(program.now[waiter], program.now[writer] + 50)
        program.call(waiter, "shmem_long_test" if loop else "shmem_long_wait_until", 10, target=flag, comparison=5,
                     value=turn, **({"result": 1} if loop else {}))
        size = chance.randrange(1, pes + 1)
        start = chance.randrange(pes - size + 1)
        latest = max(program.now[pe] for pe in range(start, start + size))
        for pe in range(start, start + size):
            program.now[pe] = latest
            program.together(pe, "shmem_barrier", chance.randrange(100), start=start, size=size)
        if chance.randrange(2):
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
        write_text(self.path(name), text)
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
        chosen = () if {"--model", "-m"} & set(options) else ("--model", "paper")
        done = self.run("--json", *chosen, *options, machine, trace)
        return json.loads(done.out) if done.status == 0 else done


def ps(seconds):
    return round(seconds * 1e12)


def own(found, pe, routine):
    """ns in a routine of a PE, of what --json --per-pe says."""
    return sum(ps(row["time"]) for row in found["per_pe"][pe]["routines"] if row["name"] == routine) / 1000
