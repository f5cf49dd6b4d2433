#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
"""Machine descriptions that nobody would write must not crash shmemsim, hang it or exhaust memory; what it accepts can be used."""

import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, scratch_directory
from target import HERE, Code, begin

FINDINGS = os.path.join(HERE, "machine_findings")
# The language's words.
KEYS = """machine bus node cost put get put-nbi get-nbi atomic lock unlock lock-held hand-over connect quiet fence wait overhead latency
gap receive answer bandwidth from include model loggp paper collective barrier broadcast reduce collect alltoall linear logarithmic
factor table place round-robin blocks list cores ratio inside buses lanes total +- % { } , us ns ps GB/s MB/s kb mb first spread waits
asks each together always completes overtakes""".split()


def code():
    sources = [path for folder in ("base", "stats") for path in glob.glob(os.path.join(ROOT, "src", folder, "*.c"))]
    sources += glob.glob(os.path.join(ROOT, "src", "sim", "machine*.c")) + [os.path.join(ROOT, "src", "sim", f"{name}.c") for name in ("links", "platform", "shares")]
    return Code(name="machine-", sources=[os.path.join(HERE, "fuzz_machine.c"), *sorted(sources)],
                headers=glob.glob(os.path.join(ROOT, "src", "sim", "*.h")), linked=["-lm", "-lpthread", "-ldl"])


def seeds():
    """A folder with the descriptions that the documents show."""
    folder = scratch_directory()
    with open(os.path.join(ROOT, "docs", "tools", "shmemsim.md"), encoding="utf-8") as file:
        shown = [text for text in re.findall(r"^```\w*\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
                 if re.search(r"^(node|bus)\b", text, re.MULTILINE)]
    for number, text in enumerate(shown):
        with open(os.path.join(folder, f"shown-{number}"), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(folder, "words"), "w", encoding="utf-8") as file:
        file.write("".join(f'"{word}"\n' for word in KEYS))
    return folder, len(shown)


def outcomes(target, files):
    done = target.run(*files, FUZZ_OUTCOME="1")
    return done, done.err.count("outcome: accepted")


def main():
    tap = Tap()
    options, target = begin(tap, code(), __doc__, seconds=10)
    tap.note(target)
    folder, shown = seeds()
    words = os.path.join(folder, "words")
    done, accepted = outcomes(target, sorted(glob.glob(os.path.join(folder, "shown-*"))))
    tap.ok(done.status == 0 and shown >= accepted > 0, f"{accepted} of {shown} descriptions in the documents are whole", done)
    if found := sorted(glob.glob(os.path.join(FINDINGS, "*.txt"))):
        done, _ = outcomes(target, found)
        tap.equal(done.status, 0, f"what was found before: {len(found)} files", done)
    dictionary = os.path.join(os.path.dirname(target.path), "machine.dict")
    os.replace(words, dictionary)
    target.fuzz(tap, options.seconds, f"-dict={dictionary}", options.corpus, folder, what="descriptions read",
                least=options.seconds)
    tap.done()


main()
