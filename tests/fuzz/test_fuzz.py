#!/usr/bin/env python3
# LONG
# TIMEOUT: 400
"""Scripts that nobody would write must not crash, hang or exhaust memory: replays the corpus and all
that was ever found, then fuzzes. With libFuzzer where clang offers it, else with mutator.c."""

import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, run, scratch_directory
from target import HERE, Code, begin

FINDINGS = os.path.join(HERE, "findings")
CORPUS = os.path.join(HERE, "corpus")
DICTIONARY = os.path.join(HERE, "ski.dict")
# What only includes the others would be looked for beside the program.
SHIPPED = [path for path in glob.glob(os.path.join(ROOT, "inputs", "*.ski"))
           if os.path.basename(path) != "all.ski"]

OTHER_PROGRAMS = tuple(os.path.join(ROOT, "src", folder, "") for folder in ("sim", "trace"))
LIBRARY_LAYER = [os.path.join(ROOT, "src", "comm", name) for name in ("comm.h", "library.h", "link.h")]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def in_source(*patterns):
    return sorted(path for pattern in patterns for path in glob.glob(os.path.join(ROOT, pattern))
                  if not path.startswith(OTHER_PROGRAMS))


def whole_program():
    """Built without a library: what needs it is linked, too, but never runs. Of several definitions
    the first counts: the engine is the stub."""
    library = sorted(set(re.findall(r"\b((?:comm|link)_\w+)\(", "".join(map(read, LIBRARY_LAYER)))))
    return Code(
        name="",
        sources=[os.path.join(HERE, "fuzz_ski.c"), os.path.join(HERE, "functions.c"),
                 os.path.join(ROOT, "tests", "support", "stub", "stub_engine.c"),
                 *in_source("src/*/*.c", "measurements/*.c", "measurements/*/*.c")],
        headers=in_source("src/*/*.h", "tests/support/stub/*.h"),
        linked=["-Wl,-z,muldefs", "-lm", "-lpthread", "-ldl"],
        text="".join(f"void {name}(void) {{ __builtin_trap(); }}\n" for name in library))


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


def shipped_folder():
    folder = scratch_directory()
    for path in SHIPPED:
        shutil.copy(path, folder)
    return folder


def main():
    tap = Tap()
    options, target = begin(tap, whole_program(), __doc__, seconds=15)
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
    # libFuzzer writes what it keeps to the first folder.
    target.fuzz(tap, options.seconds, f"-dict={dictionary}", options.corpus, CORPUS, shipped_folder(),
                what="scripts run", least=100 * options.seconds // 60)
    tap.done()


main()
