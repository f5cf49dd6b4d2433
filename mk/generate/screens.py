"""Screens: what a command shows on a terminal of 80 columns, as it was measured. A screen is measured anew where its
shape is not that of the command's screen any more: titles, columns, and the points of rows. What differs from run to
run, such as times, marks and the reasons at the end, is not of the shape."""

import contextlib
import datetime
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import termios

from generate import program

COLUMNS = 80
SECONDS = 170  # that the command of the longest screen may take
RESULTS = "build/quickstart.json"
# What is typed; what runs it in a checkout; what makes it short where only the shape counts; blocks that are shown.
SCREENS = {
    "first": ("oshrun -np 2 ./skampi Shmem_Put_Round --sizes 8:1mb", None, "--point-time 0.01s", None),
    "quickstart": ("make quickstart", f"oshrun -np 2 ./skampi -i inputs/quickstart.ski -f table -o - -o {RESULTS}",
                   "--set POINT_TIME=0.01", 4),
    "sweep": ("oshrun -np 2 ./skampi Shmem_Iput_Round count=256,4096 stride=1,2,8,64", None, "--point-time 0.01s", None),
}
_UNITS = r"(?:n|u|m|)s|[kMGT]?B/s|[kMGT]?/s|%"


def _shown(command):
    """The screen of a command, as a list of lines."""
    words = shlex.split(command)
    if words[:2] == ["oshrun", "-np"]:  # as make starts programs
        words = [os.path.join(program.ROOT, "mk", "launch"), *words[2:]]
    path = os.environ.get("SKAMPI") or program.command("skampi")
    words = [path if word == "./skampi" else word for word in words]
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(program.ROOT, RESULTS))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "SKAMPI_SUMMARY")}
    with subprocess.Popen(["timeout", str(SECONDS), *words], stdin=subprocess.DEVNULL, stdout=theirs,
                          stderr=subprocess.DEVNULL, cwd=program.ROOT, env=environment) as job:
        os.close(theirs)
        text = b""
        try:
            while more := os.read(ours, 1 << 16):
                text += more
        except OSError:  # the end of a terminal
            pass
        os.close(ours)
    if job.returncode not in (0, 3):
        raise RuntimeError(f"{command}: ended with status {job.returncode}: {text.decode()}")
    return text.decode().replace("\r\n", "\n").replace(path, "./skampi").rstrip("\n").split("\n")


def _shape(lines):
    shape = []
    for line in lines:
        if line.startswith("skampi: "):  # reasons follow, which differ
            return [*shape, line.partition(",")[0]]
        line = re.sub(r" on \d+ nodes?, .*", " on", line) if re.match(r"\d+ PEs? on ", line) else line
        line = re.sub(r"^skampi .*", "skampi", line.partition("  !")[0])
        line = re.sub(rf"(?:> )?-?[\d.e+-]+ ({_UNITS})(?!\S)", lambda found: "T" if found[1].endswith("s") and "/" not in
                      found[1] else found[1].lstrip("kMGT"), line)
        shape.append(re.sub(r" \?(?= |$)", " %", " ".join(line.split())))
    return shape


def _cut(lines, blocks):
    """The first blocks, and the end."""
    titles = [i for i, line in enumerate(lines) if re.search(r", \d+ PEs?$", line)]
    if not blocks or len(titles) <= blocks:
        return lines
    end = next(i for i, line in enumerate(lines) if line.startswith("skampi: "))
    return [*lines[:titles[blocks]], "...", "", *lines[end:]]


def _processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*: (.*)", file.read(), re.MULTILINE)
    return found[1] if found else "an unknown processor"


def screen(name, present):
    """The part of the page, which is now as in `present`."""
    typed, started, short, blocks = SCREENS[name]
    command = started or typed
    fences = re.findall(r"^```\w*\n(.*?)^```\n", present, re.MULTILINE | re.DOTALL)
    if not program.can_launch():
        return present
    if len(fences) == 2 and fences[0] == typed + "\n":
        lines = fences[1].rstrip("\n").split("\n")
        if _shape(lines) == _shape(_cut(_shown(f"{command} {short}"), blocks)):
            return present
    lines = _cut(_shown(command), blocks)
    lines[0] = re.sub(r" rev\. .*", "", lines[0])
    shown = "\n".join(lines)
    return (f"```sh\n{typed}\n```\n```\n{shown}\n```\n\n"
            f"(Two processors of a virtual machine, {_processor()}, {datetime.date.today()}.)\n")
