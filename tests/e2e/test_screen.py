#!/usr/bin/env python3
# TIMEOUT: 120
"""Functions on a terminal: a table of 80 columns while they are measured, and a summary that ends it."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap, has, program, scratch_directory, skampi

tap = Tap()
one = "Shmem_Put_Round" if has("SHMEM") else "Pingpong_Send_Recv"


def rows(text):
    """The rows below each heading: lists of words."""
    return [line.split() for line in text.splitlines() if re.match(r" +[\d.]", line)]


def on_terminal(*arguments, columns=80, end_after=None):
    """(exit status, what the program shows on a terminal), without a launcher; end_after: SIGTERM comes when this text
    is there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {**os.environ, "TERM": "xterm", "SKAMPI_SUMMARY": "auto"}
    env.pop("COLUMNS", None)
    job = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    text = b""
    try:
        while more := os.read(ours, 65536):
            text += more
            if end_after and end_after in text:
                job.send_signal(signal.SIGTERM)
                end_after = None
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    return job.wait(), text.decode().replace("\r\n", "\n")


def widest(text):
    """Of the lines that are no command to copy."""
    return max((line for line in text.splitlines() if not line.startswith("  next ")), key=len)


# ---- In a pipe, if it is asked for ----

table = skampi(args=[one, "count=8,64,4096", "--quick", "-f", "table", "--summary", "always"], np=2)
lines = table.out.splitlines()
tap.ok(table.status == 0 and [row[0] for row in rows(table.out)] == ["8", "64", "4096"], "a row for each size", table)
heading = next((line for line in lines if line.split()[:1] == ["count"]), "")
tap.equal(heading.split()[:4], ["count", "time", "±", "bandwidth"], "each column has a name", table)
ends = {re.search(r"[num]?s\b", line).end() for line in lines if re.match(r" +\d.*s\b", line)}
tap.equal(ends, {heading.index("time") + len("time")}, "columns are aligned", table)
tap.ok(all(len(line) <= 80 or line.startswith("  next ") for line in lines), "80 columns suffice", table)
tap.ok(any(line.startswith("skampi: 3 results") for line in lines) and "iterations chosen" not in table.out
       and "conditions" not in table.out, "a summary ends it, and notes for programs are left out", table)
tap.equal("results" in table.err, False, "the summary is there once", table)

held = skampi("""begin measurement "impossible"
  measure comm(1) : wtime(10)
  measure comm(9) : wtime(10)
end measurement
""", args=["-f", "table"], np=2)
tap.ok(held.status == 3 and "not_measurable: " in held.out and held.out.count("\nimpossible, 1 PE\n") == 1,
       "what is not measurable stands in its place, with the reason", held)
refined = skampi("""begin measurement "refined"
  autorefine count = 8 to 4096 step *8 do
    measure comm(1) : wtime(count)
  od
end measurement
""", args=["-f", "table"], np=1)
sizes = [int(row[0]) for row in rows(refined.out)]
tap.ok(len(sizes) >= 4 and sizes == sorted(sizes) and refined.out.count("\nrefined, 1 PE\n") == 1,
       "points that a loop adds stand in their order below one heading", refined)
doubled = skampi(args=["wtime", "iterations=10,20", "--quick", "--rounds", "2,0.1", "-f", "table"], np=1)
tap.ok(doubled.out.count(", the first round\n") == doubled.out.count(", all rounds\n") == 1
       and len(rows(doubled.out)) == 4, "rounds: the first one at once, all at the end", doubled)
classic = skampi(args=["wtime", "iterations=10", "--quick"], np=1)
tap.ok("# begin result" in classic.out, "a pipe gets the classic lines", classic)

# ---- Endings ----

with open("/dev/full", "w", encoding="utf-8") as full:
    failed = subprocess.run([program(), "wtime", "iterations=10", "--quick", "-f", "table"], stdout=full,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=os.environ, check=False)
tap.ok(failed.returncode == 1 and "standard output cannot be written" in failed.stderr, "a full disk is an error",
       failed)
cut = skampi("""begin measurement "w"
  for i = 1 to 1000000 do
    measure comm(1) : wtime(1000)
  od
end measurement
""", args=["-f", "table", "--time-limit", "3s"], np=1)
tap.ok(cut.status == 4 and rows(cut.out) and "time_limit" in cut.out, "results so far stay, the rest is missing", cut)
pipe = subprocess.Popen([program(), "wtime", f"iterations={','.join(map(str, range(1, 2000)))}", "--quick", "-f", "table"],
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=os.environ)
first = pipe.stdout.readline()
pipe.stdout.close()
said = pipe.stderr.read()
tap.ok(first.startswith("skampi ") and pipe.wait() != 0 and "Traceback" not in said and len(said.splitlines()) <= 1,
       "whoever closes the pipe ends it, with one line at most", f"{pipe.returncode}: {said}")

# ---- On a terminal ----

status, shown = on_terminal("wtime", "iterations=10", "--quick")
tap.ok(status == 0 and "\nwtime, 1 PE\n" in shown and "# begin" not in shown and shown.count("1 result,") == 1,
       "functions on a terminal: a table, and one summary", shown)
status, shown = on_terminal("wtime", "iterations=10", "--quick", "-f", "sko")
tap.ok(status == 0 and "# begin result" in shown, "-f sko: the classic lines", shown)
tap.ok("\033" not in table.out + table.err + classic.out, "no colours where there is no terminal", table)
status, shown = on_terminal("wtime", "iterations=10,20", "--quick", columns=40)
tap.ok(status == 0 and len(widest(shown)) <= 40 and re.search(r"^ +10 +\S+ ns +(\S+ %|\?)", shown, re.MULTILINE),
       "a narrow terminal suffices", shown)
long = "Shmem_Put_Elements_Nonblocking_Quiet_Delayed" if has("SHMEM") else "Pingpong_Send_Recv"
status, shown = on_terminal(long, "count=8,16", "iterations=1,2", "--pes", "1,2", "--quick", columns=30)
named = [line for line in shown.splitlines() if re.match(r" (pes|count)=", line)]
tap.ok(not has("SHMEM") or " count=16 " in shown and all(len(line) <= 30 for line in named) and "iterations=2" in shown,
       "what has no room beside its value stands above it", shown)
script = os.path.join(scratch_directory(), "long.ski")
with open(script, "w", encoding="utf-8") as file:
    file.write('''begin measurement "w"
  for i = 1 to 1000000 do
    measure comm(1) : wtime(1000)
  od
end measurement
''')
status, shown = on_terminal("-i", script, "-f", "table", end_after=b" ns ")
before, _, after = shown.partition("\ninterrupted by signal 15")
tap.ok(status == 143 and rows(before) and re.search(r"^skampi: \d+ results?, .*missing", after, re.MULTILINE),
       "an interrupt keeps the rows and ends with the summary", shown)
tap.done()
