"""What files are, told by how they begin, and whether writing may replace them. src/base/kind.c has the same table
for the programs in C."""

import os
import re
import shlex
import stat
import time
from typing import NamedTuple

from .errors import Error

running = ""  # the command that reads files now, as in .reader: set when its options are read
HEAD_BYTES = 4096
TAIL_BYTES = 65536  # bytes at the end of a file: PDF states there which program has made it


class Kind(NamedTuple):
    begins: str  # a regular expression for the first bytes of the file, or for the names of a folder's entries
    what: str
    reader: str  # the command that reads it, with %s for its name; "": there is none
    ours: bool   # a program of this project has written it


RESULTS = ("a result file", "skampi table %s", True)
TABLE = ("a table of results", "", True)
EXPLANATION = ("what shmemtrace explain found", "", True)
CALLS = ("calls of a trace", "", True)
PREDICTION = ("a prediction of shmemsim", "skampi plot %s", True)
SHARES = ("a table of shares", "", True)

# The first row that fits counts. No row may use what extended regular expressions of POSIX have not.
KINDS = [Kind(begins, *rest) for begins, *rest in (
    ('^[ \t\r\n]*[{] *"record" *:', *RESULTS),
    ('^"?record"?,', *RESULTS),
    ("(^|\n)# (begin result |SKaMPI Version)", *RESULTS),
    ("^block,function,pes,placement,bytes,", *TABLE),
    ('^[{]"params": [{][^}]*[}], "callpath": "[^"]*->', *TABLE),
    ('^[{]\n? *"(comparison|coverage|fastest|guidelines_checked|history|load|progress|model|accept|tuned)": 1,',
     "an evaluation of results (--json of a tool)", "", True),
    ('^[{].*"panels": \\[', "the description of a figure", "skampi plot RESULTS --spec %s", True),
    ('^[{]"command":".*","machine":"', *PREDICTION),
    ('^[{]"what_if":', *PREDICTION),
    ("^[^\n]*\n[0-9]+ PEs? on [^\n]*, model ", "a prediction of shmemsim as text", "", True),
    ('^[{]"summary":1', "the summary of a trace", "skampi table shares %s", True),
    ("^[^\n]*\n[^\n]*\n[0-9]+ PEs?[^\n]*; [0-9]+ events", "the summary of a trace as text", "", True),
    ('^[{]"explain":1', *EXPLANATION),
    ("^[^\n]*\n[0-9]+ PEs?, [0-9]+ calls?, ", *EXPLANATION),
    ("(^|\n)PEs: [0-9]+, events: [0-9]+, sets of PEs", "the check of a trace", "", True),
    ('^[{]"pe":[0-9]+,"thread":', *CALLS),
    ("^pe,thread,index,routine,", *CALLS),
    ("^# PE [0-9]+ of [0-9]+ on ", *CALLS),
    ('^[{]"traceEvents":\\[', "a trace for https://ui.perfetto.dev", "", True),
    ("^#Paraver [(]", "a trace for Paraver", "wxparaver %s", True),
    ("^DEFAULT_OPTIONS\n", "a trace for Paraver", "", True),
    ("^LEVEL CPU SIZE", "a trace for Paraver", "", True),
    ("^SHMT(RACE|PACK)", "a trace", "shmemtrace summary %s", True),
    ("^# Machine description for shmemsim", "a machine description", "shmemsim %s TRACE", True),
    ('^[<][?]xml.*[<]platform version="4.1">\n  [<]zone id=', "a platform for SimGrid", "", True),
    ('^[<][?]xml.*[<]testsuite name="skampi-', "a report for continuous integration", "", True),
    ("^# TYPE skampi_(accept|history)_", "numbers for Prometheus", "", True),
    ('^[<]!DOCTYPE html>.*([<]meta name="generator" content="skampi|[<]title>skampi-accept)',
     "a page for a browser", "xdg-open %s", True),
    ("^([<]([?]xml|svg)|.PNG|%PDF).*skampi-(plot|model)", "a figure", "xdg-open %s", True),
    ("^application  +PEs +time", *SHARES),
    ("^[|] application [|] PEs ", *SHARES),
    ("^application,pes,seconds,", *SHARES),
    ('^\\[\n [{]\n  "application":', *SHARES),
    ("^# [^\n]*written by skampi-", "a script that a tool has written", "oshrun -np 2 skampi -i %s", True),
    ("(^|\n)[ \t]*(begin measurement|measure [A-Za-z_]|set_[a-z_]+ *[(])", "a script", "oshrun -np 2 skampi -i %s",
     False),
    ("(^|\n)[ \t]*(node|bus) +[A-Za-z0-9_-]+ *[{]", "a machine description", "shmemsim %s TRACE", False),
    ("^([<]([?]xml|svg)|.PNG|%PDF)", "a picture", "", False),
    ("^.ELF", "a program", "", False),
)]
# By a name that such a folder has.
FOLDERS = [Kind(*row) for row in (
    (r"campaign\.json", "the folder of a campaign", "skampi report %s", True),
    (r"pe-\d+\.trace", "the folder of a trace", "shmemtrace summary %s", True),
    (r"traces\.otf2", "a trace in OTF2", "otf2-print %s/traces.otf2", False),
)]


# ---- What a file is ----


def _beginning(path):
    """A character for each byte, "?" for zeros and for what is not ASCII; None: it cannot be read."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            data = file.read(HEAD_BYTES)
            if data.startswith(b"%PDF"):
                file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES))
                data += file.read()
    except OSError:
        return None
    return re.sub(r"[\0\x80-\xff]", "?", data.decode("latin-1").replace("\xef\xbb\xbf", "", 1))


def kind_of(path):
    """A Kind; None: it cannot be read, or is of no known kind."""
    try:
        names = os.listdir(path) if os.path.isdir(path) else None
    except OSError:
        return None
    if names is not None:
        return next((kind for kind in FOLDERS if any(re.fullmatch(kind.begins, name) for name in names)), None)
    text = _beginning(path)
    return next((kind for kind in KINDS if text and re.search(kind.begins, text, re.DOTALL)), None)


def misfit(path):
    """For a message about a file that a program cannot use: what it is and which command reads it, such as
    "this is a script: oshrun -np 2 skampi -i my.ski". "": unknown."""
    kind = kind_of(path)
    if not kind or re.match(rf"{re.escape(running)} [^a-z]", kind.reader):  # what it reads itself is damaged
        return ""
    return f"this is {kind.what}" + (f": {kind.reader.replace('%s', shlex.quote(path))}" if kind.reader else "")


# ---- Replacing ----


def check_replacing(path, force):
    """An Error if a file is there that no program of this project has written, unless force is set."""
    if _there(path) and not force:
        kind = kind_of(path)
        if not (kind and kind.ours):
            raise Error(f"{path}: is there already, and is not a file that skampi or its tools have written: give "
                        "another name, or --force to replace it")


def replaced_text(path):
    """What to say of a file that is about to be replaced; "": nothing is lost."""
    if not _there(path):
        return ""
    then, now = time.localtime(os.path.getmtime(path)), time.localtime()
    form = "%H:%M" if then[:3] == now[:3] else "%Y-%m-%d %H:%M"
    return f"replaced {path} of {time.strftime(form, then)}"


def _there(path):
    """Whether a file has contents that could be lost: devices, pipes and empty files have none."""
    return os.path.isfile(path) and os.path.getsize(path) > 0
