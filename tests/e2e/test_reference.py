#!/usr/bin/env python3
# TIMEOUT: 300
# BOUND
"""The examples of docs/language.md run, each alone, and print what is shown below them.

A fence ```ski holds an example; words behind it say how it is run: np=4 (PEs; 2 otherwise), error=2
(exit status; 0 otherwise), check (with -n, without a launcher), args="..." (further arguments),
file=NAME (no example, but a file that the examples after it include). A fence ```output directly
behind it holds lines that must appear in this order on standard output, or on standard error when
an error is expected; blanks count as one, and ... stands for anything. make check runs a sample."""

import concurrent.futures
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, SAMPLE, Tap, read_text, skampi

DOCUMENT = os.path.join("docs", "language.md")
SCRIPT = "example.ski"
KEYWORDS = """and autorefine begin do else elseif end fi flush for if in measure measurement multipleof
    not od or print print_all step then to""".split()
OTHER_CONSTRUCTS = ["...", "@include", "assert", "+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&",
                    "|", "~", "{", "step *", "MPI_COMM_WORLD", "MPI_COMM_NULL"]
SAMPLED = 4  # make check runs each 4th example


class Example:
    def __init__(self, line, words, text, files):
        self.line, self.text, self.files = line, text, dict(files)
        options = dict(word.partition("=")[::2] for word in words)
        self.check = options.pop("check", None) is not None
        self.pes = int(options.pop("np", 2))
        self.status = int(options.pop("error", 0))
        self.arguments = shlex.split(options.pop("args", ""))
        self.unknown = list(options)
        self.output = None
        self.heading = ""

    def __str__(self):
        first = next((line for line in self.text.splitlines() if "begin measurement" in line), "")
        name = re.search(r'"(.*)"', first)
        return f"line {self.line}, {self.heading}: {name.group(1) if name else 'no block'}"

    def run(self):
        arguments = [*self.arguments, *(["-n"] if self.check else [])]
        return skampi(SCRIPT, np=self.pes, args=arguments, launch=not self.check,
                      files={**self.files, SCRIPT: self.text}, timeout=100)


def read_examples(text):
    """All examples; and what is wrong with the document itself."""
    examples, files, mistakes = [], {}, []
    heading, fence, start, contents, after = "", None, 0, [], None
    for number, line in enumerate(text.splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence, start, contents = shlex.split(line[3:]), number, []
        elif fence is not None and line == "```":
            kind, words = (fence or [""])[0], fence[1:]
            body = "\n".join(contents) + "\n"
            before, after = after, None
            if kind == "ski" and words and words[0].startswith("file="):
                files[words[0].removeprefix("file=")] = body
            elif kind == "ski":
                after = Example(start, words, body, files)
                after.heading = heading
                examples.append(after)
                mistakes += [f"line {start}: unknown word {word}" for word in after.unknown]
            elif kind == "output" and before is not None:
                before.output = body
            elif kind == "output":
                mistakes.append(f"line {start}: output of nothing")
            fence = None
        elif fence is not None:
            contents.append(line)
        elif line.strip():
            after = None
            if line.startswith("#"):
                heading = line.lstrip("# ")
    if fence is not None:
        mistakes.append(f"line {start}: this fence does not end")
    return examples, mistakes


def squeeze(line):
    return " ".join(line.split())


def missing_line(wanted, printed):
    """The first line of wanted that does not come in its turn, or None."""
    lines = iter([squeeze(line) for line in printed.splitlines()])
    for line in wanted.splitlines():
        pattern = re.compile(".*".join(map(re.escape, squeeze(line).split("..."))))
        if not any(pattern.fullmatch(printed_line) for printed_line in lines):
            return line
    return None


def check_itself(tap):
    """The test's own tools can fail."""
    tap.equal(missing_line("a  b\nc ... e", "x\n a b\n\nc d e"), None, "lines in order are found")
    tap.equal(missing_line("c\na", "a\nc"), "a", "lines out of order are not")
    tap.equal(missing_line("a ... b", "a b c"), "a ... b", "part of a line is not the line")
    examples, mistakes = read_examples('```ski np=3 args="-s"\nx\n```\n```output\ny\n```\n')
    tap.ok(len(examples) == 1 and not mistakes and examples[0].pes == 3
           and examples[0].arguments == ["-s"] and examples[0].output == "y\n", "a fence is read")
    _, mistakes = read_examples("```ski tomorrow\n```\ntext\n```output\n```\n```\n")
    tap.equal(len(mistakes), 3, "mistakes in fences are found", mistakes)


def check_example(tap, example, run):
    if not tap.equal(run.status, example.status, f"{example}: exit status", run):
        return
    if example.output is not None:
        # Text of blocks goes to standard output even where an error follows on standard error.
        printed = run.out + run.err
        missing = missing_line(example.output, printed)
        tap.ok(missing is None, f"{example}: prints what is shown", f"missing: {missing}\n{run}")
    elif example.status:
        tap.ok(False, f"{example}: the message of an error is shown")
    if example.status == 0:
        tap.equal(run.unparsed, [], f"{example}: prints nothing but results and comments")


def check_completeness(tap, examples):
    """Everything that the language has is in some example that runs."""
    # Those with errors of the grammar are only checked.
    code = "\n".join(re.sub(r'#.*|"[^"]*"', " ", e.text) for e in examples if not e.check)
    words = re.findall(r"[A-Za-z_]\w*", code)
    tap.equal([k for k in KEYWORDS if k not in words], [], "every keyword is in an example")
    tap.equal([c for c in OTHER_CONSTRUCTS if c not in code], [],
              "every operator and construct is in an example")
    tables = re.findall(r"<!-- generated by make docs: builtins .*?<!-- end -->", read_text(ROOT, DOCUMENT), re.DOTALL)
    functions = re.findall(r"^\| `(\w+)\(", "".join(tables), re.MULTILINE)
    tap.ok(len(functions) > 50, "the tables of functions are read")
    tap.equal([f for f in functions if not re.search(rf"\b{f}\(", code)], [],
              "every function is called in an example")


def check_options(tap):
    """The options are those that -h lists."""
    listed = re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)", skampi(args=["-h"], launch=False).out, re.MULTILINE)
    described = re.findall(r"^\| `.*$", read_text(ROOT, DOCUMENT), re.MULTILINE)
    described = re.findall(r"--([a-z-]+)", "".join(re.findall(r"`-[^`]*`", "".join(described))))
    tap.ok(len(listed) > 10, "-h lists options")
    tap.equal(sorted(set(described)), sorted(listed),
              f"{DOCUMENT} describes all options and no others")


def main():
    tap = Tap()
    check_itself(tap)
    check_options(tap)
    examples, mistakes = read_examples(read_text(ROOT, DOCUMENT))
    tap.equal(mistakes, [], f"{DOCUMENT} is well formed")
    check_completeness(tap, examples)
    if not harness.has("SHMEM"):
        examples = [e for e in examples if "Shmem_" not in e.text or e.check]
        tap.skip("examples with OpenSHMEM functions", "built without OpenSHMEM")
    if SAMPLE:
        examples = examples[::SAMPLED]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for example, run in zip(examples, pool.map(Example.run, examples)):
            check_example(tap, example, run)
    tap.done()


main()
