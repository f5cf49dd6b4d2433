"""What the fuzzing tests share: the program to fuzz, built with libFuzzer where clang offers it, else
with mutator.c."""

import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field

from harness import ROOT, build_directory, run, scratch_directory

HERE = os.path.join(ROOT, "tests", "fuzz")
MUTATOR = os.path.join(HERE, "mutator.c")
FLAGS = ["-std=gnu11", "-g", "-O1", "-fno-omit-frame-pointer", "-Wall", "-Wextra",
         *(f"-I{os.path.join(ROOT, folder)}" for folder in ("src", "", "tests")),
         *(f"-DSKAMPI_{interface}=0" for interface in ("SHMEM", "MPI", "PAPI"))]
UNDEFINED = "undefined,float-cast-overflow"

SECONDS_FOR_ONE = 60  # the targets themselves take fewer
SECONDS_OF_PROCESSOR = 10  # of an input that is tried again
MEMORY = {"malloc": 256, "all": 1024}  # MiB


@dataclass
class Code:
    """What is fuzzed: a target with LLVMFuzzerTestOneInput and all that it needs."""
    name: str  # of the program, before "libfuzzer" or "plain"
    sources: list
    headers: list = field(default_factory=list)  # when they change, it is built again
    flags: list = field(default_factory=list)
    linked: list = field(default_factory=list)
    text: str = ""  # C; compiled, too


class Target:
    """The program to fuzz: path, how it was built, what its sanitizers can find."""

    def __init__(self, code, compiler, fuzzer, sanitizers):
        self.code, self.compiler = code, compiler
        self.fuzzer, self.sanitizers = fuzzer, sanitizers
        self.path = os.path.join(build_directory(), "fuzz",
                                 code.name + ("libfuzzer" if fuzzer else "plain"))
        self.leaks = "address" in sanitizers
        self.mark = code.name or "ski-"  # before the names of inputs that it finds

    def __str__(self):
        return (f"{self.compiler} with {'libFuzzer' if self.fuzzer else 'the built-in mutator'}, "
                f"sanitizers: {self.sanitizers or 'none'}{'' if self.leaks else ', no leaks'}")

    def sanitize(self):
        wanted = ",".join(filter(None, ["fuzzer" if self.fuzzer else "", self.sanitizers]))
        return [f"-fsanitize={wanted}", "-fno-sanitize-recover=all"] if wanted else []

    def is_available(self):
        """Whether programs with these sanitizers are linked, and run."""
        entry = "int LLVMFuzzerTestOneInput(const char *d, long n)" if self.fuzzer else "int main()"
        program = os.path.join(scratch_directory(), "probe")
        command = [self.compiler, *self.sanitize(), "-x", "c", "-", "-o", program]
        if not shutil.which(self.compiler) or subprocess.run(
                command, input=f"{entry} {{ return 0; }}", text=True, capture_output=True,
                check=False).returncode:
            return False
        return run([program, "-runs=1"] if self.fuzzer else [program]).status == 0

    def is_fresh(self):
        if not os.path.exists(self.path):
            return False
        used = [*self.code.sources, *self.code.headers, MUTATOR, __file__,
                os.path.abspath(sys.argv[0])]
        return max(map(os.path.getmtime, used)) < os.path.getmtime(self.path)

    def build(self):
        """What the compiler says when it fails, else ""."""
        if self.is_fresh():
            return ""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        new = f"{self.path}.{os.getpid()}"
        with open(f"{new}.c", "w", encoding="utf-8") as file:
            file.write(self.code.text)
        flags = [*FLAGS, *self.code.flags, *self.sanitize()]
        commands = [[self.compiler, *flags, *self.code.sources, f"{new}.c", "-o", new,
                     *self.code.linked]]
        if not self.fuzzer:
            # The mutator counts what the others reach, not itself.
            commands[0][1:1] = ["-fsanitize-coverage=trace-pc", f"{new}.o"]
            commands.insert(0, [self.compiler, *flags, "-c", MUTATOR, "-o", f"{new}.o"])
        for command in commands:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                return f"{' '.join(command)}\n{done.stderr}"
        os.replace(new, self.path)
        for path in glob.glob(f"{new}.*"):
            os.remove(path)
        return ""

    def run(self, *arguments, timeout=200, artifacts=None, seconds_for_one=10 * SECONDS_FOR_ONE, **env):
        """seconds_for_one: by the clock, so that a busy machine needs more of them."""
        options = [f"-timeout={seconds_for_one}",
                   f"-artifact_prefix={artifacts or scratch_directory() + '/'}"]
        if self.fuzzer:
            options += [f"-rss_limit_mb={MEMORY['all']}", f"-malloc_limit_mb={MEMORY['malloc']}"]
        address = (f"max_allocation_size_mb={MEMORY['malloc']}:hard_rss_limit_mb={MEMORY['all']}:"
                   f"quarantine_size_mb=32:detect_leaks={int(self.leaks)}")
        return run([self.path, *options, *arguments], timeout=timeout, env={
            "ASAN_OPTIONS": address, "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1", **env})

    def fuzz(self, tap, seconds, *arguments, what, least):
        """Two checks: nothing is found, and at least so many of what were tried."""
        before = self.found()
        end = time.monotonic() + seconds
        runs = 0
        while True:
            left = max(1, round(end - time.monotonic()))
            done = self.run(f"-max_total_time={left}", "-print_final_stats=1", "-reload=0", *arguments,
                            timeout=left + 150, artifacts=self.artifacts() + self.mark, seconds_for_one=SECONDS_FOR_ONE)
            found = sorted(self.found() - before)
            late = self.only_late(found)
            counted = re.search(r"stat::number_of_executed_units: *(\d+)", done.err)
            runs += int(counted.group(1)) if counted else 0
            if not late or done.status == 0 or time.monotonic() >= end:
                break
        tap.ok(late or done.status == 0 and not found, f"{seconds} s of fuzzing find nothing",
               "".join(f"reproducer: {path}\n" for path in found) + done.err[-6000:])
        coverage = re.findall(r"cov: (\d+)", done.err)
        tap.note(f"{runs} {what}, {coverage[-1] if coverage else 0} places in the code reached")
        tap.ok(runs > least, f"and many {what}", f"{runs} in {seconds} s")

    def only_late(self, found):
        """Whether something was found, and only because the machine was busy: each input takes little of a processor.
        They are removed then."""
        late = (f"{self.mark}timeout-", f"{self.mark}slow-unit-")
        if not found or not all(os.path.basename(path).startswith(late) and self.is_quick(path) for path in found):
            return False
        for path in found:
            os.remove(path)
        return True

    def is_quick(self, path):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.run(path, timeout=10 * SECONDS_FOR_ONE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return done.status == 0 and used < SECONDS_OF_PROCESSOR

    def artifacts(self):
        """The folder, with a slash, where inputs go that were found, to be there behind the test: those of all targets."""
        folder = os.path.join(os.path.dirname(self.path), "findings", "")
        os.makedirs(folder, exist_ok=True)
        return folder

    def found(self):
        return set(glob.glob(glob.escape(self.artifacts() + self.mark) + "*"))


def find_target(code, plain):
    """The first that works here of all ways to build."""
    clangs = ["clang", *(f"clang-{version}" for version in range(25, 10, -1))]
    ways = [] if plain else [Target(code, name, True, f"address,{UNDEFINED}") for name in clangs]
    ways += [Target(code, name, False, sanitizers) for name in ("gcc", "cc")
             for sanitizers in (f"address,{UNDEFINED}", UNDEFINED, "")]
    return next((way for way in ways if way.is_available()), None)


def begin(tap, code, description, seconds):
    """The command line's options, and the target, built; the test ends where it cannot be."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seconds", type=int, default=seconds, help="how long (default %(default)s)")
    parser.add_argument("--plain", action="store_true", help="the built-in mutator, whatever there is")
    parser.add_argument("--corpus", default=scratch_directory(), type=os.path.abspath,
                        help="folder for inputs that reach new code, to go on from")
    options = parser.parse_args()
    os.makedirs(options.corpus, exist_ok=True)
    target = find_target(code, options.plain)
    if not tap.ok(target, "there is a compiler to fuzz with"):
        tap.done()
    problem = target.build()
    if not tap.ok(not problem, "the target is built", problem):
        tap.done()
    return options, target
