#!/usr/bin/env python3
# TIMEOUT: 400
"""Sections of arrays, strided blocks and pointers: a preloaded library counts the calls that each algorithm
makes for many shapes; wrong data are noticed, also between the elements; what is refused or not supported."""

import collections
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from builds import preloadable
from harness import SAMPLE, Tap, in_parallel, measuring, refused, scratch_directory, skampi, skip_all
from sections import ALGORITHMS, calls_of, section_call

# Always as many repetitions, and all at one place.
FIXED = """set_min_repetitions(2)
set_max_repetitions(2)
set_max_relative_standard_error(1.0)
set_controls(0)
choose_no_synchronization()
switch_buffer_cycling_off()
"""
SHAPES = 12 if SAMPLE else 40
SEPARATOR = "Shmem_Atomic_Fetch_Inc(1)"
ELEMENTS = (1, 2, 3, 4, 8, 12, 16, 20, 24)


# ---- How many calls ----


def chosen_shapes():
    """(element_bytes, extents, source_strides, target_strides): the known ones, then some by chance."""
    yield 8, [8, 8], [1, 8], [1, 8]
    yield 4, [7, 5, 3], [1, 8, 40], [1, 12, 60]
    yield 8, [0], [1], [1]
    yield 8, [4, 0, 3], [1, 4, 16], [1, 4, 16]
    yield 16, [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]
    yield 4, [5, 6], [2, 10], [1, 8]
    yield 1, [64], [1], [1]
    by_chance = random.Random(17)
    for _ in range(SHAPES - 7):
        yield shape_by_chance(by_chance)


def shape_by_chance(by_chance):
    extents = [by_chance.choice((0, 1, 2, 3, 5, 7, 8, 9)) if by_chance.random() < 0.2
               else by_chance.randint(1, 9) for _ in range(by_chance.randint(1, 4))]
    strides = []
    for _ in range(2):
        gaps, span = [], 1
        for extent in extents:
            gaps.append(span + by_chance.choice((0, 0, 0, 1, 3, 4, 8)))
            span = gaps[-1] * max(extent, 1)
        strides.append(gaps)
    return by_chance.choice(ELEMENTS), extents, *strides


def read_counts(path, pe):
    """A Counter of (routine, elements) for each line."""
    with open(f"{path}.{pe}", encoding="utf-8") as file:
        return [collections.Counter({tuple(word.split("=")[0].split("/")): int(word.split("=")[1])
                                     for word in line.split()}) for line in file]


def counted(library, cases, alignment, np=2):
    """For each case, and the first of all, which is a put of a byte: what each PE called."""
    # Whatever makes no calls leaves no line; a put of a known size between cases does.
    known = "Shmem_Ptr_Put(\"library\", 3, 1)"
    calls = [known, SEPARATOR]
    for case in cases:
        calls += [case, known, SEPARATOR]
    path = os.path.join(scratch_directory(), "counts")
    text = (f"{FIXED}set_send_buffer_alignment({alignment})\n"
            f"set_recv_buffer_alignment({alignment})\n" + measuring("b", *calls))
    run = skampi(text, np=np, timeout=200, env={"LD_PRELOAD": library, "SKAMPI_COUNTS": path})
    return run, [read_counts(path, pe) for pe in (0,)] if run.status == 0 else []


def per_operation(line, known):
    """The counts without those of the known put; divided by how often an operation was repeated."""
    repeated = known[("putmem", "3")]
    rest = line - known
    if any(value % repeated for value in rest.values()):
        return {"not a multiple": repeated, **rest}
    return {f"{name}/{elements}": value // repeated for (name, elements), value in rest.items()}


def test_counts(tap, library, alignment):
    """Each algorithm makes the calls that are stated for it, for every shape; both ways."""
    cases = [(get, algorithm, shape) for shape in chosen_shapes() for algorithm in ALGORITHMS
             for get in (False, True)]
    run, counts = counted(library, [section_call(*case) for case in cases], alignment)
    name = f"calls at addresses of {alignment} bytes"
    tap.equal(run.status, 0, f"{name}: exit status, all data are right", run)
    if not counts:
        return
    (lines,) = counts
    wrong = []
    for case, line in zip(cases, lines[1:]):
        wanted = calls_of(*case, alignment=alignment)
        found = per_operation(line, lines[0])
        if found != dict(wanted):
            wrong.append(f"{section_call(*case)}: {found} instead of {dict(wanted)}")
    tap.equal(len(lines), len(cases) + 1, f"{name}: all are counted")
    tap.equal(wrong, [], f"{name}: {len(cases)} cases")
    notes = [note for row in run.rows if "Section" in row.line or row.notes for note in row.notes
             if note.startswith("calls: ")]
    tap.equal(len(notes), len(cases), f"{name}: each result says which")


STRIDED = [  # way, element_bytes, block, count, source_stride, target_stride; the calls
    (("elements", 8, 1, 9, 2, 3), {"put64/1": 9}),
    (("elements", 2, 3, 5, 4, 3), {"put16/1": 15}),
    (("iput", 1, 1, 9, 2, 1), {"iput8/9": 1}),
    (("iput", 2, 1, 9, 1, 32), {"iput16/9": 1}),
    (("iput", 4, 1, 9, 32, 1), {"iput32/9": 1}),
    (("iput", 8, 1, 9, 1, 1), {"iput64/9": 1}),
    (("iput", 16, 3, 9, 5, 7), {"iput128/9": 3}),
    (("blocks", 4, 3, 9, 3, 5), {"putmem/12": 9}),
    (("blocks", 4, 1, 9, 1, 1), {"putmem/4": 9}),
    (("iput", 4, 1, 0, 3, 2), {}),
]


def test_strided(tap, library):
    def call(get, way, *numbers):
        return f'Shmem_Strided_{"Get" if get else "Put"}("{way}", {", ".join(map(str, numbers))}, 1)'

    for get in (False, True):
        run, counts = counted(library, [call(get, *case) for case, _ in STRIDED], 64)
        name = "strided get" if get else "strided put"
        tap.equal(run.status, 0, f"{name}: exit status, all data are right", run)
        for (case, wanted), line in zip(STRIDED, counts[0][1:] if counts else []):
            wanted = {key.replace("put", "get") if get else key: n for key, n in wanted.items()}
            tap.equal(per_operation(line, counts[0][0]), wanted, f"{name} {case}")


# ---- Data ----

# Routines that lose something, or write between the elements; who notices.
TOO_MUCH = "void shmem_put64(void *, const void *, unsigned long, int);\n"
WRONG = {
    "void shmem_iput128() {}": 'Shmem_Section_Put("cascade", 16, {4, 5}, {1, 6}, {1, 7}, 1)',
    TOO_MUCH + """void shmem_iput64(long *to, const long *from, long ts, long ss, unsigned long n, int pe)
{ for (unsigned long i = 0; i < n; i++) shmem_put64(to + i * ts, from + i * ss, 1, pe);
  shmem_put64(to + 1, from, 1, pe); }
""": 'Shmem_Section_Put("best_dimension", 8, {2, 9}, {1, 6}, {3, 7}, 1)',
    "void shmem_iget32() {}": 'Shmem_Section_Get("cascade", 4, {1, 5}, {1, 3}, {1, 5}, 1)',
    "void shmem_iget16() {}": 'Shmem_Strided_Get("iput", 2, 1, 9, 3, 2, 1)',
    "void shmem_put32() {}": 'Shmem_Strided_Put("elements", 4, 1, 9, 3, 2, 1)',
}


def test_wrong_data(tap):
    def measure(case):
        source, call = case
        return skampi(measuring("b", call), np=2, env={"LD_PRELOAD": preloadable(source + "\n")})

    cases = list(WRONG.items())[:2] if SAMPLE else WRONG.items()
    for (source, call), run in in_parallel(cases, measure):
        tap.ok(run.status == 3 and not run.rows and "wrong data: " in run.err,
               f"{call}: {source.split('(')[0].split()[-1]} is wrong, and noticed", run)


def test_many_pes(tap):
    """Odd numbers of PEs, sets in any order, cold memory, and every repetition verified."""
    cases = (("", "MPI_COMM_WORLD", 7), ('set_cache_state("cold")\n', "comm4(6, 1, 4, 0)", 4),
             ('set_verify("every")\n', "MPI_COMM_WORLD", 7))
    calls = [f'Shmem_Section_{way}("{algorithm}", 12, {{3, 5}}, {{1, 7}}, {{2, 9}}, 3, 2)'
             for way in ("Put", "Get") for algorithm in ALGORITHMS]
    calls += [f'Shmem_Ptr_{way}("{how}", 1001, 3, 2)' for way in ("Put", "Get")
              for how in ("loop", "memcpy", "library")]
    calls += ['Shmem_Strided_Put("iput", 4, 1, 9, 3, 2, 3, 2)']
    settings = "set_min_repetitions(2)\nset_max_repetitions(4)\nset_max_relative_standard_error(1.0)\n"
    for more, where, size in cases[1:2] if SAMPLE else cases:
        run = skampi(settings + more + measuring("b", *calls, where=where), np=7, timeout=100)
        name = f"7 PEs, {where} {more.strip()}"
        tap.equal(run.status, 0, f"{name}: exit status", run)
        tap.equal([[value is not None for value in row.per_pe] for row in run.rows],
                  [[rank < 2 for rank in range(size)]] * len(calls),
                  f"{name}: the first of each pair reports")


# ---- Refusals ----

SECTION = "Shmem_Section_Put(%s)"
REFUSED = [
    (SECTION % '"fast", 8, {2}, {1}, {1}', '"runs", "cascade", "cascade_full", "best_dimension"'),
    (SECTION % '"runs", 8, {2}, {1, 2}, {1}', "an item for each dimension"),
    (SECTION % '"runs", 8, {}, {}, {}', "1 to 15"),
    (SECTION % '"runs", 0, {2}, {1}, {1}', "element_bytes"),
    (SECTION % '"runs", 8, {2, 0-3}, {1, 2}, {1, 2}', "extent of dimension 2 is -3"),
    (SECTION % '"runs", 8, {2, 3}, {1, 0}, {1, 2}', "source's stride of dimension 2"),
    (SECTION % '"runs", 8, {4, 3}, {1, 4}, {1, 3}',
     "elements of the target overlap: the stride of dimension 2 must be at least 4"),
    (SECTION % '"runs", 8, {4, 3}, {1, 4611686018427387904}, {1, 4}', "can be addressed"),
    ('Shmem_Strided_Put("iput", 3, 1, 4, 1, 1)', "1, 2, 4, 8 or 16"),
    ('Shmem_Strided_Put("iput", 8, 2, 4, 1, 2)', "at least block"),
    ('Shmem_Strided_Get("words", 8, 2, 4, 1, 2)', '"elements", "iput", "blocks"'),
    ('Shmem_Ptr_Get("word", 8)', 'one of "loop", "memcpy", "library"'),
]


def test_refusals(tap):
    runs = in_parallel(REFUSED[::4] if SAMPLE else REFUSED, lambda case: refused(measuring("b", case[0])))
    for (call, words), run in runs:
        tap.ok(run.status == 2 and not run.rows and words in run.err, f"{call} is refused", run)
    run = skampi(measuring("b", 'Shmem_Ptr_Get("loop", 8, 1, 2)'), np=3)
    tap.ok(run.status == 3 and "pairs is 2, but 3 PEs make only 1" in run.err,
           "more pairs than there are", run)
    run = skampi(measuring("b", 'Shmem_Section_Put("pack", 8, {2}, {1}, {1})'), np=1)
    tap.ok(run.status == 3 and "at least 2 PEs" in run.err, "one PE", run)


def test_no_pointer(tap):
    """The library gives none: unsupported, with the reason; what needs none is measured."""
    library = preloadable("void *shmem_ptr() { return (void *)0; }\n")
    calls = ['Shmem_Ptr_Put("loop", 8, 1)', 'Shmem_Ptr_Get("memcpy", 8, 1)',
             'Shmem_Ptr_Put("library", 8, 1)']
    run = skampi(measuring("b", *calls), np=2, env={"LD_PRELOAD": library})
    said = [line for line in run.comments if line.startswith("# unsupported: Shmem_Ptr_")]
    tap.ok(run.status == 3 and len(run.rows) == 1 and len(said) == 2
           and all("shmem_ptr gives PE 0 no pointer to the memory of PE 1" in line for line in said),
           "without a pointer, loads and stores are unsupported", run)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    tap = Tap()
    library = preloadable("counted_calls.c")
    for alignment in (64,) if SAMPLE else (64, 8, 2):
        test_counts(tap, library, alignment)
    test_strided(tap, library)
    test_wrong_data(tap)
    test_many_pes(tap)
    test_refusals(tap)
    test_no_pointer(tap)
    tap.done()


main()
