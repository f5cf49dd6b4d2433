#!/usr/bin/env python3
# TIMEOUT: 400
"""Scripts nobody would write must not crash, hang or eat the memory: replays the corpus and all
that was ever found, then fuzzes. With libFuzzer where clang offers it, else with mutator.c."""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, Tap, build_directory, run, scratch_directory

HERE = os.path.join(ROOT, "tests", "fuzz")
FINDINGS = os.path.join(HERE, "findings")
CORPUS = os.path.join(HERE, "corpus")
DICTIONARY = os.path.join(HERE, "ski.dict")
# What only includes the others would be looked for beside the program.
SHIPPED = [path for path in glob.glob(os.path.join(ROOT, "inputs", "*.ski"))
           if os.path.basename(path) != "all.ski"]

# The whole program, built without a library. Of several definitions the first counts: the engine is
# the stub.
SOURCES = [os.path.join(HERE, "fuzz_ski.c"), os.path.join(HERE, "functions.c"),
           os.path.join(ROOT, "tests", "stub", "stub_engine.c"),
           *sorted(glob.glob(os.path.join(ROOT, "src", "*", "*.c"))),
           *sorted(glob.glob(os.path.join(ROOT, "measurements", "*.c")))]
LINKED = ["-Wl,-z,muldefs", "-lm", "-lpthread", "-ldl"]
LIBRARY_LAYER = [os.path.join(ROOT, "src", "comm", name) for name in ("comm.h", "link.h")]
MUTATOR = os.path.join(HERE, "mutator.c")
FLAGS = ["-std=gnu11", "-g", "-O1", "-fno-omit-frame-pointer", "-Wall", "-Wextra",
         *(f"-I{os.path.join(ROOT, folder)}" for folder in ("src", "", "tests")),
         *(f"-DSKAMPI_{interface}=0" for interface in ("SHMEM", "MPI", "PAPI"))]
UNDEFINED = "undefined,float-cast-overflow"

SECONDS_FOR_ONE = 60  # of which the target itself takes few: see SECONDS_LIMIT there
MEMORY = {"malloc": 256, "all": 1024}  # MiB


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Target:
    """The program to fuzz: path, how it was built, what its sanitizers can find."""

    def __init__(self, compiler, fuzzer, sanitizers):
        self.compiler, self.fuzzer, self.sanitizers = compiler, fuzzer, sanitizers
        self.path = os.path.join(build_directory(), "fuzz", "libfuzzer" if fuzzer else "plain")
        self.leaks = "address" in sanitizers

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
        used = [*SOURCES, *glob.glob(os.path.join(ROOT, "src", "*", "*.h")),
                *glob.glob(os.path.join(ROOT, "tests", "stub", "*.h")), MUTATOR, __file__]
        return max(map(os.path.getmtime, used)) < os.path.getmtime(self.path)

    def build(self):
        """What the compiler says when it fails, else ""."""
        if self.is_fresh():
            return ""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        new = f"{self.path}.{os.getpid()}"
        # What needs the library is linked, too, but never runs.
        headers = "".join(read(path) for path in LIBRARY_LAYER)
        with open(f"{new}.c", "w", encoding="utf-8") as library:
            library.writelines(f"void {name}(void) {{ __builtin_trap(); }}\n" for name in
                               sorted(set(re.findall(r"\b((?:comm|link)_\w+)\(", headers))))
        flags = [*FLAGS, *self.sanitize()]
        commands = [[self.compiler, *flags, *SOURCES, f"{new}.c", "-o", new, *LINKED]]
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

    def run(self, *arguments, timeout=200, artifacts=None, **env):
        options = [f"-timeout={SECONDS_FOR_ONE}",
                   f"-artifact_prefix={artifacts or scratch_directory()}/"]
        if self.fuzzer:
            options += [f"-rss_limit_mb={MEMORY['all']}", f"-malloc_limit_mb={MEMORY['malloc']}"]
        address = (f"max_allocation_size_mb={MEMORY['malloc']}:hard_rss_limit_mb={MEMORY['all']}:"
                   f"quarantine_size_mb=32:detect_leaks={int(self.leaks)}")
        return run([self.path, *options, *arguments], timeout=timeout, env={
            "ASAN_OPTIONS": address, "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1", **env})

    def artifacts(self):
        """Where inputs go that were found, to be there behind the test."""
        folder = os.path.join(os.path.dirname(self.path), "findings")
        os.makedirs(folder, exist_ok=True)
        return folder


def find_target(plain):
    """The first that works here of all ways to build."""
    clangs = ["clang", *(f"clang-{version}" for version in range(25, 10, -1))]
    ways = [] if plain else [Target(name, True, f"address,{UNDEFINED}") for name in clangs]
    ways += [Target(name, False, sanitizers) for name in ("gcc", "cc")
             for sanitizers in (f"address,{UNDEFINED}", UNDEFINED, "")]
    return next((way for way in ways if way.is_available()), None)


def replay(target, files):
    """The run, the outcome by file, and the file in which it came to a bad end (or None)."""
    done = target.run(*files, FUZZ_OUTCOME="1")
    parts = re.split(r"^Running: (.*)\n", done.err, flags=re.MULTILINE)
    outcomes = dict(zip(parts[1::2], parts[2::2]))
    return done, outcomes, None if done.status == 0 else [None, *outcomes][-1] or "none"


def check_replay(tap, target, what, files):
    done, outcomes, culprit = replay(target, files)
    tap.ok(not culprit and len(outcomes) == len(files), f"{what}: {len(files)} files",
           f"input: {culprit}\n{done.err[-6000:]}")
    for path in files:
        wanted = re.search(r"^# outcome: (.*)$", read(path), re.MULTILINE)
        if wanted:
            tap.ok(wanted.group(1) in outcomes.get(path, ""),
                   f"{os.path.basename(path)}: {wanted.group(1)}", outcomes.get(path))
    return outcomes


def files_in(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def check_planted(tap, target):
    """The sanitizers are at work, and what they find is noticed."""
    for defect, sanitizer, present in (
            ("overflow", "address", "address" in target.sanitizers),
            ("undefined", "undefined", "undefined" in target.sanitizers),
            ("leak", "leak", target.leaks)):
        name = f"a planted defect is found: {defect}"
        if not present:
            tap.skip(name, f"no {sanitizer} sanitizer here")
            continue
        found = target.run(SHIPPED[0], FUZZ_PLANT=defect)
        tap.ok(found.status != 0 and re.search("Sanitizer|runtime error", found.err), name, found)


def make_dictionary(tap, target):
    """ski.dict and the words that the program knows; its path."""
    words = run([target.path, "--words"])
    tap.ok({"begin", "comm", "MPI_COMM_WORLD", "Shmem_Quiet"} <= set(words.out.split()),
           "the words of the language are known", words)
    path = os.path.join(os.path.dirname(target.path), "ski.dict")
    with open(path, "w", encoding="utf-8") as file:
        file.write(read(DICTIONARY) + "".join(f'"{word}"\n' for word in words.out.split()))
    return path


def check_fuzzing(tap, target, seconds, dictionary, corpus):
    before = set(os.listdir(target.artifacts()))
    # libFuzzer writes what it keeps to the first folder.
    done = target.run(f"-max_total_time={seconds}", f"-dict={dictionary}", "-print_final_stats=1",
                      "-reload=0", corpus, CORPUS, shipped_folder(), timeout=seconds + 150,
                      artifacts=target.artifacts())
    found = sorted(set(os.listdir(target.artifacts())) - before)
    tap.ok(done.status == 0 and not found, f"{seconds} s of fuzzing find nothing",
           "".join(f"reproducer: {os.path.join(target.artifacts(), name)}\n" for name in found)
           + done.err[-6000:])
    runs = re.search(r"stat::number_of_executed_units: *(\d+)", done.err)
    coverage = re.findall(r"cov: (\d+)", done.err)
    runs = int(runs.group(1)) if runs else 0
    tap.note(f"{runs} scripts run, {coverage[-1] if coverage else 0} places in the code reached")
    tap.ok(runs > 100 * seconds // 60, "and many scripts were run", f"{runs} in {seconds} s")


def shipped_folder():
    folder = scratch_directory()
    for path in SHIPPED:
        shutil.copy(path, folder)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="how long (default %(default)s)")
    parser.add_argument("--plain", action="store_true", help="the built-in mutator, whatever there is")
    parser.add_argument("--corpus", help="folder for inputs that reach new code, to go on from")
    options = parser.parse_args()

    tap = Tap()
    target = find_target(options.plain)
    if not tap.ok(target, "there is a compiler to fuzz with"):
        tap.done()
    problem = target.build()
    if not tap.ok(not problem, "the target is built", problem):
        tap.done()
    if "LeakSanitizer has encountered" in target.run(SHIPPED[0]).err:
        target.leaks = False
    tap.note(target)

    check_planted(tap, target)
    dictionary = make_dictionary(tap, target)
    outcomes = check_replay(tap, target, "corpus", files_in(CORPUS))
    for kind in ("ran to its end", "stopped", "wrong", "error:"):
        tap.ok(any(kind in outcome for outcome in outcomes.values()), f"in the corpus: {kind}")
    outcomes = check_replay(tap, target, "shipped scripts", SHIPPED)
    tap.ok(not any("wrong" in outcome for outcome in outcomes.values()), "which are all correct",
           outcomes)
    check_replay(tap, target, "what was found before", files_in(FINDINGS))
    corpus = os.path.abspath(options.corpus) if options.corpus else scratch_directory()
    os.makedirs(corpus, exist_ok=True)
    check_fuzzing(tap, target, options.seconds, dictionary, corpus)
    tap.done()


main()
