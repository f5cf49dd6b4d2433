#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
"""Traces that no tracer would write must not crash the readers, hang them or exhaust memory:
fuzzes what reads files of traces, then gives what was found to reach new code to the commands, and traces
of two PEs that are damaged in many ways."""

import glob
import os
import random
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, build_config, build_directory, in_parallel, run, scratch_directory
import made_runs
from traces import Made, small_scenario
from target import HERE, MEMORY, Code, begin

FINDINGS = os.path.join(HERE, "trace_findings")
COMMANDS = [["dump"], ["dump", "--csv"], ["dump", "--json"], ["summary"], ["summary", "--json"],
            ["check"], ["merge", "-o", "merged"]]
COMMAND_FILES = 60  # of a trace that is given to a command
# Those that put the files of PEs together get traces of two PEs.
HAS_OTF2 = build_config().get("SKAMPI_OTF2") == "1"
PAIR_COMMANDS = [["check", "--races"], ["dump"], ["explain", "--json", "explained"],
                 ["report", "--calls", "20", "-o", "page.html"],
                 ["export", "--chrome", "chrome.json", "--paraver", "paraver"],
                 *([["export", "--otf2", "otf2"]] if HAS_OTF2 else [])]
PAIRS = 30
SANITIZER = re.compile("Sanitizer|runtime error|fuzz_trace:")


def files_in(folder):
    return sorted(glob.glob(os.path.join(folder, "*")))


def code():
    """The readers; recording is left out. The target itself includes what prints events, and packs."""
    sources = [path for folder in ("base", "trace", "trace/command", "trace/read", "trace/check", "trace/explain", "trace/report",
                                           "trace/export")
               for path in sorted(glob.glob(os.path.join(ROOT, "src", folder, "*.c")))
               if os.path.basename(path) not in ("main.c", "record.c", "event_out.c", "pack.c")]
    sources += [os.path.join(ROOT, "src/sim/routines.c"), os.path.join(build_directory(), "trace/page.c")]
    return Code(
        name="trace-",
        sources=[os.path.join(HERE, "fuzz_trace.c"), *sources],
        headers=[*glob.glob(os.path.join(ROOT, "src", "trace", "**", "*.[ch]"), recursive=True),
                 *glob.glob(os.path.join(build_directory(), "config.mk"))],
        flags=[f"-DSKAMPI_OTF2={int(HAS_OTF2)}", "-DSKAMPI_DW=0"],
        linked=[*build_config().get("CONFIG_OTF2_LIBS", "").split(), "-lm"],
        text="#define main shmemtrace_main\n#include \"trace/command/main.c\"\n"
             "int record_main(int argc, char **argv, const char *const *commands, int command_count)\n"
             "{ (void)argc, (void)argv, (void)commands, (void)command_count; return 2; }\n"
             "char *record_classes(void) { return NULL; }\n")


def write_seeds(folder):
    """Small traces with all that a trace can hold."""
    made = Made()
    teams = "team 1 2 0 0 1 2\nteam 2 1 0 1 1 1\n"

    def scenario(pe, pes=2, rounds=0):
        whole = small_scenario(pe).replace(f"pe {pe} 2 2", f"pe {pe} {pes} 2").removesuffix("end finalize\n")
        return f"{whole}bulk 0 {rounds}\nbarriers 0 {rounds // 20}\nbulk 1 {rounds}\n{teams}end finalize\n"

    made.make("small", scenario(0) + scenario(1))
    made.make("long", scenario(0, rounds=100) + scenario(1, rounds=100))
    made.make("other", scenario(1, 40, 40))
    made.make("profile", f"pe 1 2 1\nprofile shmem_long_put 0 3 24 100 50\nprofile shmem_quiet -1 2 0 9 5\n{teams}end finalize\n")
    for name, path in (("events", "small/pe-00001"), ("events-0", "long/pe-00000"), ("events-1", "long/pe-00001"),
                       ("events-of-other-run", "other/pe-00001"), ("profile", "profile/pe-00001")):
        shutil.copy(made.path(f"{path}.trace"), os.path.join(folder, name))
    packed = run([made_runs.command(), "pack", "-o", os.path.join(folder, "pack"), made.path("small")])
    assert packed.status == 0, packed


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
    write_seeds(folder)
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


def command(target, words, trace, timeout, cwd=None):
    """A command of shmemtrace, and whether it ends well: with an error, maybe, but with nothing else."""
    address = (f"max_allocation_size_mb={MEMORY['malloc']}:hard_rss_limit_mb={MEMORY['all']}:"
               "detect_leaks=0")
    done = run([target.path, "--command", *words, trace], {"ASAN_OPTIONS": address}, timeout, cwd)
    return done, done.status in (0, 1, 2) and not SANITIZER.search(done.err)


def check_commands(tap, target, files):
    """The commands themselves: a trace of files that are damaged in many ways."""
    trace = os.path.join(scratch_directory(), "trace")
    os.mkdir(trace)
    step = max(1, len(files) // COMMAND_FILES)
    run([target.path, "--repair", trace, *files[::step][:COMMAND_FILES]])
    for words in COMMANDS:
        done, good = command(target, words, trace, 60)
        tap.ok(good and (done.out or done.err),
               f"{' '.join(words)}: survives {len(files_in(trace))} damaged files", done)


def mutated(data, chance):
    """Some bytes are others, twice there, or gone; mostly in place, so that what is behind is still read, and
    more of them near the beginning, which says what the file is."""
    data = bytearray(data)
    for _ in range(chance.choice((0, 1, 2, 4, 16))):
        at, size = int(len(data) * chance.random() ** 3), chance.randrange(1, 16)
        kind = chance.randrange(8)
        if kind == 0:
            del data[at:at + size]
        elif kind == 1:
            data[at:at] = data[at:at + size]
        elif kind < 5:
            data[at] ^= 1 << chance.randrange(8)
        else:
            data[at] = chance.choice((0, 1, 2, 0x7f, 0x80, 0xff))
    return data


def read_pair(target, name, contents):
    """What the commands did with a trace of these files, and what was wrong with that; name: of the copy that
    is kept then."""
    folder = scratch_directory()
    os.mkdir(os.path.join(folder, "trace"))
    files = [os.path.join(folder, f"damaged-{pe}") for pe in range(len(contents))]
    for path, content in zip(files, contents):
        with open(path, "wb") as file:
            file.write(content)
    run([target.path, "--repair", os.path.join(folder, "trace"), *files])
    ran = [command(target, words, "trace", 20, folder) for words in PAIR_COMMANDS]
    bad = [done for done, good in ran if not good]
    if bad:
        kept = os.path.join(target.artifacts(), f"pair-{name}")
        shutil.copytree(os.path.join(folder, "trace"), kept, dirs_exist_ok=True)
        return ran, f"reproducer: {kept}\n{bad[0]}"
    return ran, ""


def check_pairs(tap, target, seeds):
    """Commands that put PEs together: traces whose files are read, or damaged, each for itself."""
    contents = {}
    for seed in seeds:
        with open(seed, "rb") as file:
            contents[os.path.basename(seed)] = file.read()
    whole, mixed = ([contents["events-0"], contents[name]] for name in ("events-1", "events-of-other-run"))
    number = random.SystemRandom().randrange(10**6)
    chance = random.Random(number)
    pairs = [whole, mixed, *([mutated(content, chance) for content in (mixed if i % 8 == 0 else whole)]
                             for i in range(PAIRS - 2))]
    results = [result for _, result in in_parallel(
        list(enumerate(pairs)), lambda pair: read_pair(target, f"{number}-{pair[0]}", pair[1]), 2)]
    bad = [problem for _, problem in results if problem]
    tap.ok(not bad, f"{PAIRS} damaged traces of two PEs: check, dump, explain, report and the exports survive",
           "\n".join(bad[:3]))
    exported = [[done.status == 0 for (done, _), words in zip(ran, PAIR_COMMANDS) if words[0] == "export"]
                for ran, _ in results]
    tap.ok(all(exported[0]) and not any(exported[1]),
           "what is not damaged can be exported, files of two runs cannot", exported)


def main():
    tap = Tap()
    options, target = begin(tap, code(), __doc__, seconds=10)
    tap.note(target)
    seeds = check_seeds(tap, target)
    truncated = check_truncated(tap, target, seeds)
    check_found_before(tap, target)
    write_seeds(options.corpus)
    target.fuzz(tap, options.seconds, options.corpus, what="traces read", least=10 * options.seconds)
    # mutator.c keeps nothing.
    check_commands(tap, target, files_in(options.corpus) + ([] if target.fuzzer else truncated))
    check_pairs(tap, target, seeds)
    tap.done()


main()
