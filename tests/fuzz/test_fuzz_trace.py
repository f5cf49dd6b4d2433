#!/usr/bin/env python3
# TIMEOUT: 300
"""Traces that no tracer would write must not crash the readers, keep them for ever or eat the memory:
fuzzes what reads files of traces, then gives what was found to reach new code to the commands."""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import ROOT, Tap, run, scratch_directory
from target import HERE, MEMORY, Code, begin

FINDINGS = os.path.join(HERE, "trace_findings")
COMMANDS = [["dump"], ["dump", "--csv"], ["dump", "--json"], ["summary"], ["summary", "--json"],
            ["check"], ["merge", "-o", "merged"], ["export", "--chrome", "-o", "chrome.json"],
            ["export", "--paraver", "-o", "paraver"]]
COMMAND_FILES = 60  # of a trace that is given to a command
SANITIZER = re.compile("Sanitizer|runtime error|fuzz_trace:")


def files_in(folder):
    return sorted(glob.glob(os.path.join(folder, "*")))


def code():
    """The readers; recording and OTF2's library are left out."""
    sources = [path for path in sorted(glob.glob(os.path.join(ROOT, "src", "trace", "*.c")))
               if not re.match(r"(main|runtime\w*|record)\.c", os.path.basename(path))]
    return Code(
        name="trace-",
        sources=[os.path.join(HERE, "fuzz_trace.c"), os.path.join(ROOT, "src", "output", "json.c"),
                 *sources],
        headers=glob.glob(os.path.join(ROOT, "src", "trace", "*.[ch]")),
        flags=["-DSKAMPI_OTF2=0"],
        linked=["-lm"],
        text="#define main shmemtrace_main\n#include \"trace/main.c\"\n"
             "int record_main(int argc, char **argv) { (void)argc, (void)argv; return 2; }\n")


def outcomes(target, files):
    """Of each file: as it is, and with its checksums put right; None where it came to a bad end."""
    done = target.run(*files, FUZZ_OUTCOME="1")
    # libFuzzer tries an empty input before the first.
    found = [re.findall(r"^outcome: (\w+), repaired: (\w+)$", part, re.MULTILINE)[-1:]
             for part in re.split(r"^Running: ", done.err, flags=re.MULTILINE)[1:]]
    whole = done.status == 0 and len(found) == len(files) and all(found)
    return ([outcome for outcome, in found] if whole else None), done


def check_seeds(tap, target):
    folder = scratch_directory()
    run([target.path, "--seeds", folder])
    seeds = files_in(folder)
    found, done = outcomes(target, seeds)
    tap.ok(seeds and found == [("whole", "whole")] * len(seeds),
           "traces that are as they should be are read whole", f"{found}\n{done}")
    return seeds


def check_truncated(tap, target, seeds):
    """Files that end somewhere."""
    folder = scratch_directory()
    for seed in seeds:
        with open(seed, "rb") as file:
            data = file.read()
        for size in range(0, len(data), max(1, len(data) // 40)):
            with open(os.path.join(folder, f"{os.path.basename(seed)}-{size:06}"), "wb") as file:
                file.write(data[:size])
    found, done = outcomes(target, files_in(folder))
    kinds = {first for first, _ in found or []}
    tap.ok(found and {"refused", "damaged"} <= kinds,
           "truncated traces are refused, or read up to the damage", f"{kinds}\n{done.err[-3000:]}")
    return files_in(folder)


def check_found_before(tap, target):
    files = [path for path in files_in(FINDINGS) if not path.endswith(".md")]
    if files:
        found, done = outcomes(target, files)
        tap.ok(found, f"what was found before: {len(files)} files", done.err[-6000:])


def check_commands(tap, target, files):
    """The commands themselves: a trace of files that are damaged in many ways."""
    trace = os.path.join(scratch_directory(), "trace")
    os.mkdir(trace)
    step = max(1, len(files) // COMMAND_FILES)
    run([target.path, "--repair", trace, *files[::step][:COMMAND_FILES]])
    address = (f"max_allocation_size_mb={MEMORY['malloc']}:hard_rss_limit_mb={MEMORY['all']}:"
               "detect_leaks=0")
    for words in COMMANDS:
        done = run([target.path, "--command", *words, trace], {"ASAN_OPTIONS": address}, timeout=60)
        tap.ok(done.status in (0, 1, 2) and not SANITIZER.search(done.err)
               and (done.out or done.err),
               f"{' '.join(words)}: survives {len(files_in(trace))} damaged files", done)


def main():
    tap = Tap()
    options, target = begin(tap, code(), __doc__, seconds=12)
    tap.note(target)
    seeds = check_seeds(tap, target)
    truncated = check_truncated(tap, target, seeds)
    check_found_before(tap, target)
    run([target.path, "--seeds", options.corpus])
    target.fuzz(tap, options.seconds, options.corpus, what="traces read", least=10 * options.seconds)
    # mutator.c keeps nothing.
    check_commands(tap, target, files_in(options.corpus) + ([] if target.fuzzer else truncated))
    tap.done()


main()
