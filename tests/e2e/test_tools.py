#!/usr/bin/env python3
# PLAIN
# TIMEOUT: 120
"""All programs in scripts/ have a version, a manual page and completion, do nothing without arguments, and
call their output by one rule. Help and tables fit the terminal, names and files do not command it, and files that
a program cannot read are named with the one that can."""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import traces
from harness import ROOT, Tap, program, run, scratch_directory, tracked_files, write_text
from made_results import point, write
from skampi_tools import cli, screen

tap = Tap()
TOOLS = [os.path.join(ROOT, name) for name in tracked_files("scripts/skampi-*", "scripts/shmembench")]
tap.ok(len(TOOLS) >= 10, "there are programs", TOOLS)


def offered(tool, text, *words):
    """What bash offers for the last one of the words after the program's name."""
    source = os.path.join(scratch_directory(), "completion")
    write_text(source, text)
    name = os.path.basename(tool)
    script = ('source "$1"; complete -p "$2" >/dev/null || exit; COMPREPLY=(); tool=$2 complete=$3; shift 3\n'
              'COMP_WORDS=("$tool" "$@") COMP_CWORD=$#\n'
              '"$complete" "$tool" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"\n'
              'printf "%s\\n" "${COMPREPLY[@]}"')
    function = "_" + name.replace("-", "_")
    return run(["bash", "--norc", "-eu", "-c", script, "bash", source, name, function, *words]).out.split()


for tool in TOOLS:
    name = os.path.basename(tool)
    version, usage, page, completion = (run([tool, option]) for option in
                                        ("--version", "--help", "--man", "--completion"))
    tap.ok(version.status == 0 and re.fullmatch(rf"{name} \d+\.\d+\.\d+.*\n", version.out) and
           re.search("-V, --version", usage.out), f"{name} --version", version)
    options = set(re.findall(r"^ {2,8}(?:-\w(?: [A-Z]+)?, +)?(--[a-z-]+)", usage.out, re.MULTILINE))
    shown = page.out.replace("\\-", "-")
    tap.ok(page.status == 0 and page.out.startswith(f".TH {name.upper()}".replace("-", "\\-")) and
           {"--version", "--help"} < options and not [o for o in options if o not in shown],
           f"{name} --man tells every option", f"{options} {page}")
    if shutil.which("groff"):
        rendered = run(["groff", "-man", "-ww", "-z"], stdin=page.out)
        tap.ok(rendered.status == 0 and not rendered.err, "... and renders without warnings", rendered)
    tap.ok(completion.status == 0 and options <= set(offered(tool, completion.out, "--")),
           f"{name} --completion offers every option", completion)
    if shutil.which("shellcheck"):
        checked = run(["shellcheck", "-s", "bash", "-"], stdin=completion.out)
        tap.equal(checked.status, 0, "... and passes shellcheck", checked)
    folder = scratch_directory()
    nothing = run([tool], cwd=folder)
    tap.ok(nothing.status == 2 and not nothing.out and not os.listdir(folder),
           f"{name} does nothing without arguments", nothing)

tap.equal([cli.default_output(path, ".html") for path in ("a.json", "/x/b.c.json", "dir/", "-")],
          ["a.html", "b.c.html", "dir.html", "skampi.html"], "outputs are called as their inputs")
folder = scratch_directory()
write(os.path.join(folder, "a.json"), [point("put", "F", {"count": 8}, 1e-6)])
made = run([os.path.join(ROOT, "scripts/skampi-report"), "a.json"], cwd=folder)
tap.ok(made.status == 0 and sorted(os.listdir(folder)) == ["a.html", "a.json"], "skampi-report a.json: a.html",
       made)
table = os.path.join(ROOT, "scripts/skampi-table")
completion = run([table, "--completion"]).out
tap.ok({"fastest", "load", "progress", "shares"} <= set(offered(table, completion, "")) and
       "--cross" in offered(table, completion, "fastest", "-") and "--cross" not in offered(table, completion, "-") and
       offered(table, completion, "shares", "--to", "m") == ["markdown"], "completion offers views, and their options",
       completion)
coverage = run([os.path.join(ROOT, "scripts/skampi-campaign"), "coverage"], cwd=folder)
tap.ok("usage: skampi campaign coverage" in coverage.err and "nothing is measured" in coverage.err,
       "skampi-campaign coverage shows its usage", coverage)


# ---- Terminals ----


def on_terminal(columns, *words):
    """What words print on a terminal that wide."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    child = subprocess.Popen(words, stdout=its, stderr=its, cwd=folder, env=environment)
    os.close(its)
    text = b""
    while True:
        try:
            more = os.read(mine, 65536)
        except OSError:  # the other end is closed
            more = b""
        if not more:
            break
        text += more
    os.close(mine)
    child.wait()
    return text.decode().replace("\r\n", "\n")


def longest(text):
    return max(map(len, text.split("\n")))


PROGRAMS = [program(), traces.command(), os.path.join(os.path.dirname(program()), "shmemsim")]
VIEWS = [*([os.path.join(ROOT, "scripts/skampi-table"), view] for view in ("fastest", "load", "progress", "shares")),
         [os.path.join(ROOT, "scripts/skampi-campaign"), "coverage"]]
HELPS = [*([tool] for tool in TOOLS), *VIEWS, *([name] for name in PROGRAMS), [PROGRAMS[1], "record"], [PROGRAMS[1], "dump"],
         [PROGRAMS[1], "export"], [PROGRAMS[2], "what-if"], [PROGRAMS[2], "pack"]]
for words in HELPS:
    wide, narrow = (run([*words, "-h"], env={"COLUMNS": columns}).out for columns in ("80", "60"))
    tap.ok(longest(wide) <= 80 and longest(narrow) <= 60 and
           sorted(wide.split()) == sorted(narrow.split()),
           f"{' '.join([os.path.basename(words[0]), *words[1:]])} -h is folded, and nothing of it is lost", narrow)
table = [os.path.join(ROOT, "scripts/skampi-table"), "a.json", "--columns", "p99,min,max,p5,p95"]
piped, wide, narrow = run(table, cwd=folder), on_terminal(300, *table), on_terminal(60, *table)
tap.ok(piped.out == wide and longest(wide) > 60 >= longest(narrow), "a table is folded on a terminal alone", narrow)
tap.equal(sorted(narrow.split()), sorted(wide.split()), "... between words")
for words in ([PROGRAMS[0], "--list", "put"], [PROGRAMS[0], "--describe", "Shmem_Put_Round"]):
    shown = on_terminal(70, *words)
    tap.ok(longest(shown) <= 70 < longest(run(words).out) and sorted(shown.split()) == sorted(run(words).out.split()),
           f"skampi {words[1]} is folded on a terminal alone", shown)
told = on_terminal(50, sys.executable, "-c", f"""
import sys
sys.path.insert(0, {os.path.join(ROOT, "scripts")!r})
from skampi_tools import results
results.TOLD_EVERY = 0
print(len(results.read("a.json").points))""")
tap.ok(re.fullmatch("(\r\x1b\\[Ka.json: \\d+ % read)+\r\x1b\\[K\\d+\n", told) and "a.json: 100 % read" in told,
       "how much of a large file is read is said on a terminal, and gone afterwards", repr(told))
rows = [("name", "x"), ("\u6f22\u5b57", "1"), ("e\u0301", "2"), ("abcd", "3")]
tap.equal(screen.table(rows), ["name  x", "\u6f22\u5b57  1", "e\u0301     2", "abcd  3"],
          "wide characters take two columns, combining ones none")

# ---- What files and names hold does not command the terminal ----

EVIL = "x\x1b]0;title\x07\x9b31m\u202ey"
SHOWN = r"x\x1b]0;title\x07\x9b31m\u202ey"
evil = point(EVIL, "F", {"count": 8}, 1e-6, notes=[EVIL], variables={EVIL: EVIL})
write(os.path.join(folder, "evil.json"), [evil], header={"library": EVIL, "warnings": [EVIL]})
run([os.path.join(ROOT, "scripts/skampi-convert"), "evil.json", "-o", "evil.sko"], cwd=folder)
with open(os.path.join(folder, "evil.sko"), "rb") as file:
    tap.ok(b"\x1b" in file.read(), "there is something to escape")
for tool, arguments in (("table", ["-v", "evil.sko"]), ("table", ["-v", "evil.json"]), ("compare", ["evil.json", "a.json"]),
                        ("plot", ["evil.json", "--list"]), ("report", ["--verdict", "evil.json"]),
                        ("history", ["evil.json"]), ("guidelines", ["evil.json"]), ("table", ["fastest", "evil.json"]),
                        ("model", ["evil.json"]), ("convert", [EVIL]), ("table", [EVIL]), ("campaign", [EVIL])):
    done = run([os.path.join(ROOT, f"scripts/skampi-{tool}"), *arguments], cwd=folder)
    found = set(re.findall("[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]", done.out + done.err))
    tap.ok(not found and (SHOWN in done.out + done.err or tool in ("guidelines", "model", "report", "history") or
                           "fastest" in arguments),
           f"skampi-{tool} {arguments[0] if arguments[0] != EVIL else 'a name'}: control characters are shown", done)
for words in ([PROGRAMS[0], "-i", EVIL], [PROGRAMS[0], EVIL], [PROGRAMS[0], "--list", EVIL], [PROGRAMS[1], EVIL],
              [PROGRAMS[1], "summary", EVIL], [PROGRAMS[2], EVIL], [PROGRAMS[2], f"--{EVIL}"]):
    done = run(words, cwd=folder)
    tap.ok(done.status and not re.findall("[\0-\x08\x0b-\x1f\x7f-\x9f]", done.out + done.err),
           f"{' '.join([os.path.basename(words[0]), *words[1:-1]])}: control characters are shown", done)

# ---- Files for other programs ----

FILES = {"s.ski": ('begin measurement "a"\nend measurement\n', "oshrun -np 2 skampi -i s.ski"),
         "m.txt": ("bus b { latency 1 us }\n", "shmemsim m.txt TRACE"), "f.svg": ("<svg>skampi-plot</svg>", "xdg-open f.svg"),
         "t.trace": ("SHMTRACE", "shmemtrace summary t.trace")}
READERS = {"s.ski": (["convert"], ["table", "load"]), "m.txt": (["plot"], ["model"]), "f.svg": (["report"], ["history"]),
           "t.trace": (["compare", "t.trace"], ["table", "shares"])}
for name, (text, reader) in FILES.items():
    write_text(os.path.join(folder, name), text)
    # The same reader says it for all of them: each of the others for one kind of file.
    for tool, *view in (["table"], *READERS[name]):
        done = run([os.path.join(ROOT, f"scripts/skampi-{tool}"), *view, name], cwd=folder)
        tap.ok(done.status == 2 and f"{name}: " in done.err and reader in done.err,
               f"skampi-{' '.join([tool, *view])} {name}: who reads it", done)
write_text(os.path.join(folder, "summary.json"), '{"summary":1')
for view, reader in (([], "skampi table shares summary.json"), (["load"], "skampi table shares summary.json"),
                     (["shares"], "neither a trace nor")):
    done = run([os.path.join(ROOT, "scripts/skampi-table"), *view, "summary.json"], cwd=folder)
    tap.ok(done.status == 2 and reader in done.err, f"a summary for skampi-table {' '.join(view)}", done)
for words in ([PROGRAMS[2], "a.json"], [PROGRAMS[1], "summary", "a.json"]):
    done = run(words, cwd=folder)
    tap.ok(done.status == 2 and "skampi table a.json" in done.err, f"{os.path.basename(words[0])} a.json: who reads it", done)
for tool, arguments in (("convert", ["a.json", "-o", "x.xlsx"]), ("report", ["a.json", "-o", "x.xlsx"]),
                        ("plot", ["a.json", "-o", "x.xlsx"]), ("model", ["a.json", "-o", "x.xlsx"]),
                        ("table", ["shares", "t.trace", "-o", "x.xlsx"]), ("compare", ["a.json", "a.json", "--json", "x.xlsx"])):
    done = run([os.path.join(ROOT, f"scripts/skampi-{tool}"), *arguments], cwd=folder)
    tap.ok(done.status == 2 and "x.xlsx" in done.err and "suffix" in done.err
           and not os.path.exists(os.path.join(folder, "x.xlsx")), f"skampi-{tool} -o x.xlsx is refused", done)
tap.done()
