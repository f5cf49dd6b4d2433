#!/usr/bin/env python3
# LONG
# PLAIN
"""The applications of inputs/apps: they verify themselves, do the same under the tracer, and the trace
holds what they say that they did, in few bytes."""

import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import traces
from builds import preloadable
from harness import Tap, in_parallel, skip_all

APPS = {  # what is enough to see that they work
    "stencil": ["--size", "48", "--steps", "20"],
    "bucket_sort": ["--size", "3000", "--steps", "3"],
    "random_access": ["--size", "4000", "--steps", "3000"],
    "hash_table": ["--size", "50", "--steps", "120", "--lookups", "5"],
    "pipeline": ["--size", "9000", "--steps", "5", "--segment", "500"],
    "fft": ["--size", "8", "--steps", "3"],
    "bank": ["--steps", "60", "--days", "500"],
    "stages": ["--steps", "50", "--sweeps", "5"],
    "walk": ["--size", "300", "--steps", "20"],
    "workers": ["--steps", "60"],
    "heat": ["--size", "12", "--steps", "25"],
    "cg": ["--size", "12", "--steps", "2"],
    "jobs": ["--steps", "20"],
    "wavefront": ["--steps", "10"],
    "search": ["--steps", "2"],
    "pairs": ["--steps", "60"],
    "membrane": ["--steps", "20"],
    "power": ["--steps", "45"],
}
PES = (1, 2, 7)  # and 3 untraced
QUERIES = {"shmem_my_pe", "shmem_n_pes"}  # traced when asked for

# Applications with many events: arguments, and the most bytes that one may take.
SIZES = {
    "stencil": (["--size", "32", "--steps", "8000"], 8),
    "bucket_sort": (["--size", "60000", "--steps", "10", "--chunk", "8"], 8),
    "random_access": (["--size", "100000", "--steps", "100000"], 10),
}

# An OpenSHMEM in which what each application depends on goes wrong.
FAULTY = r"""
#include <shmem.h>
#include <stdint.h>
void pshmem_uint_iput(unsigned *, const unsigned *, ptrdiff_t, ptrdiff_t, size_t, int);
void shmem_uint_iput(unsigned *to, const unsigned *from, ptrdiff_t a, ptrdiff_t b, size_t n, int pe)
{
    pshmem_uint_iput(to, from, a, b, n - 1, pe);
}
void pshmem_int_put(int *, const int *, size_t, int);
void shmem_int_put(int *to, const int *from, size_t n, int pe)
{
    pshmem_int_put(to, from, n - 1, pe);
}
void pshmem_long_atomic_add(long *, long, int);
void shmem_long_atomic_add(long *to, long value, int pe)
{
    pshmem_long_atomic_add(to, value ^ 1, pe);
}
void pshmem_putmem(void *, const void *, size_t, int);
void shmem_putmem(void *to, const void *from, size_t n, int pe)
{
    pshmem_putmem(to, from, n / 2, pe);
}
void pshmem_ctx_putmem_nbi(shmem_ctx_t, void *, const void *, size_t, int);
void shmem_ctx_putmem_nbi(shmem_ctx_t ctx, void *to, const void *from, size_t n, int pe)
{
    pshmem_ctx_putmem_nbi(ctx, to, from, n - 1, pe);
}
void pshmem_double_put_nbi(double *, const double *, size_t, int);
void shmem_double_put_nbi(double *to, const double *from, size_t n, int pe)
{
    pshmem_double_put_nbi(to, from, n - 1, pe);
}
long pshmem_long_g(const long *, int);
long shmem_long_g(const long *from, int pe)
{
    return pshmem_long_g(from, pe) ^ 1;
}
void pshmem_uint_put(unsigned *, const unsigned *, size_t, int);
void shmem_uint_put(unsigned *to, const unsigned *from, size_t n, int pe)
{
    pshmem_uint_put(to, from, n - 1, pe);
}
double pshmem_double_g(const double *, int);
double shmem_double_g(const double *from, int pe)
{
    return pshmem_double_g(from, pe) + 1;
}
void pshmem_ctx_uint_get(shmem_ctx_t, unsigned *, const unsigned *, size_t, int);
void shmem_ctx_uint_get(shmem_ctx_t ctx, unsigned *to, const unsigned *from, size_t n, int pe)
{
    pshmem_ctx_uint_get(ctx, to, from, n / 2, pe);
}
void pshmem_double_iput(double *, const double *, ptrdiff_t, ptrdiff_t, size_t, int);
void shmem_double_iput(double *to, const double *from, ptrdiff_t a, ptrdiff_t b, size_t n, int pe)
{
    pshmem_double_iput(to, from, a, b, n - 1, pe);
}
void pshmem_double_put(double *, const double *, size_t, int);
void shmem_double_put(double *to, const double *from, size_t n, int pe)
{
    pshmem_double_put(to, from, n - 1, pe);
}
void pshmem_uint64_put(uint64_t *, const uint64_t *, size_t, int);
void shmem_uint64_put(uint64_t *to, const uint64_t *from, size_t n, int pe)
{
    pshmem_uint64_put(to, from, n - 1, pe);
}
void pshmem_broadcast64(void *, const void *, size_t, int, int, int, int, long *);
void shmem_broadcast64(void *to, const void *from, size_t n, int root, int first, int log2_stride, int pes, long *work)
{
    pshmem_broadcast64(to, from, n - 1, root, first, log2_stride, pes, work);
}
"""


def result(run):
    """What it printed of its result: that does not depend on the number of PEs."""
    return re.findall(r"^(checksum \w+|verified|WRONG)$", run.out, re.MULTILINE)


def told(run):
    """What the application counted: calls by (PE, routine)."""
    return collections.Counter({
        (int(pe), routine): int(calls) for pe, routine, calls in
        re.findall(r"^pe (\d+) count (\w+) (\d+)$", run.out, re.MULTILINE)})


def check_refused(tap):
    cases = (["--size", "0"], ["--size"], ["--steps", "1x"], ["--fast"])
    for arguments, run in in_parallel(cases, lambda arguments: traces.launched(
            1, [traces.app("stencil"), *arguments])):
        tap.ok(run.status == 2 and arguments[-1] in run.err,
               f"{' '.join(arguments)} is refused", run)
    run = traces.launched(2, [traces.app("fft"), "--size", "12"])
    tap.ok(run.status == 2 and run.err.count("no power of two") == 1, "an FFT of 12 is refused, once", run)
    run = traces.launched(3, [traces.app("fft"), "--size", "8", "--weak", "1"])
    tap.ok(run.status == 0 and "8 x 8 x 16 numbers" in run.out and "verified" in run.out,
           "an FFT grows with the number of PEs", run)


def check_faults(tap):
    library = preloadable(FAULTY)
    if not tap.ok(library, "a faulty library is built"):
        return
    for name, run in in_parallel(APPS, lambda name: traces.launched(
            2, [traces.app(name), *APPS[name]], {"LD_PRELOAD": library}), width=3):
        tap.ok(run.status not in (0, 2) and "verified" not in run.out,
               f"{name}: notices when the library is wrong", run)


def compare(tap, title, run, queries=False):
    """The traced run holds the calls that it says it made."""
    dump = traces.read("dump", run.path(traces.TRACE), "--csv")
    traced = traces.calls(traces.events_of(dump.out))
    made = told(run)
    for key in [key for key in made if key[1] in QUERIES and not queries]:
        del made[key]
    tap.ok(dump.status == 0 and made and traced == made,
           f"{title}: the trace holds the calls that it made, {sum(made.values())}",
           f"traced, not made: {traced - made}\nmade, not traced: {made - traced}\n{run}\n{dump}")


def check_apps(tap):
    untraced = dict(in_parallel(APPS, lambda name: traces.launched(
        3, [traces.app(name), *APPS[name]]), width=3))
    for name, run in untraced.items():
        tap.ok(run.status == 0 and len(result(run)) == 2 and "verified" in result(run),
               f"{name}: untraced, the result is right", run)
    cases = [(name, np) for name in APPS for np in PES]
    for (name, np), run in in_parallel(cases, lambda case: traces.recorded(
            case[1], [traces.app(case[0]), *APPS[case[0]], "--counts"]), width=3):
        title = f"{name} on {np} PEs"
        tap.ok(run.status == 0 and result(run) == result(untraced[name]),
               f"{title}: the same result under the tracer", run)
        compare(tap, title, run)
        checked = traces.read("check", run.path(traces.TRACE), "--races")
        tap.ok(checked.status == 0 and not checked.err, f"{title}: the trace is right, and has no races", checked)
    for name in ("pipeline", "workers"):
        run = traces.recorded(3, [traces.app(name), *APPS[name], "--contexts", "0", "--counts"])
        tap.ok(run.status == 0 and result(run) == result(untraced[name])
               and not any("ctx_create" in routine for _, routine in told(run)), f"{name}: also in the default context", run)
        compare(tap, f"{name} in the default context", run)
    run = traces.recorded(3, [traces.app("stencil"), *APPS["stencil"]])
    tap.equal(run.out, untraced["stencil"].out, "stencil: the whole output is the same", run)
    run = traces.recorded(2, [traces.app("stencil"), *APPS["stencil"], "--counts"], ["--queries"])
    compare(tap, "stencil with queries", run, queries=True)


def check_sizes(tap):
    for name, (arguments, most) in SIZES.items():
        run = traces.recorded(2, [traces.app(name), *arguments, "--counts"])
        events = sum(calls for (_, routine), calls in told(run).items() if routine not in QUERIES)
        each = traces.size(run.path(traces.TRACE)) / events if events else 0
        tap.ok(run.status == 0 and events > 50000 and 0 < each <= most,
               f"{name}: at most {most} bytes an event", f"{each:.2f} of {events}\n{run}")
        tap.note(f"{name}: {events} events, {each:.2f} bytes each")


if not harness.has("SHMEM"):
    skip_all("the build has no OpenSHMEM")
tap = Tap()
check_refused(tap)
check_faults(tap)
if traces.is_built():
    check_apps(tap)
    check_sizes(tap)
else:
    tap.skip("traced applications", "the tracer was not built")
tap.done()
