"""What tests in Python share: TAP output, running programs, reading results.

    import os, sys
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
    from harness import Tap, skampi

    tap = Tap()
    run = skampi('begin measurement "t" measure comm(1) : wtime(100) end measurement', np=1)
    tap.equal(run.status, 0, "wtime is measured", run)
    tap.done()
"""

import atexit
import concurrent.futures
import fnmatch
import glob
import importlib
import math
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import processes

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
sys.path.append(os.path.join(ROOT, "scripts"))

from skampi_tools.formats.sko.lines import BEGIN, split_row

# Set by tests/run where a sample will do: what takes long then leaves out cases that resemble others.
SAMPLE_VARIABLE = "SKAMPI_TEST_SAMPLE"
SAMPLE = bool(os.environ.get(SAMPLE_VARIABLE))
# For runs to which it matters, in files that run beside others, where tests/run leaves PEs without a core.
BOUND = {"OMPI_MCA_hwloc_base_binding_policy": "core"}

# Under nohup, what is started would ignore SIGHUP, too; programs do not inherit a handler.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# Open MPI 4 asks the libraries of fast networks whether they are there, and PSM's measure the processor's clock first: a
# third of the time of a start. Where none of these devices is, there is nothing to ask for.
if not any(glob.glob(f"/dev/{device}*") for device in ("hfi1", "ipath", "infiniband", "cxi")):
    os.environ.setdefault("OMPI_MCA_mtl", "^ofi,psm,psm2")

# ---- TAP ----


class Tap:
    """Prints one TAP line a check; done() ends the program with the right status."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, condition, name, diagnostic=None):
        """One check. diagnostic (anything printable, or a Run) is shown when it fails."""
        self.count += 1
        name = name.replace("#", "")
        print(f"{'ok' if condition else 'not ok'} {self.count} - {name}")
        if not condition:
            self.failed += 1
            if diagnostic is not None:
                self.note(diagnostic)
        sys.stdout.flush()
        return bool(condition)

    def equal(self, got, wanted, name, diagnostic=None):
        good = self.ok(got == wanted, name)
        if not good:
            self.note(f"got {got!r}, wanted {wanted!r}")
            if diagnostic is not None:
                self.note(diagnostic)
        return good

    def near(self, got, wanted, relative, name, diagnostic=None):
        """got is within the given fraction of wanted."""
        good = self.ok(got is not None and abs(got - wanted) <= relative * abs(wanted), name)
        if not good:
            self.note(f"got {got!r}, wanted {wanted!r} within {100 * relative} %")
            if diagnostic is not None:
                self.note(diagnostic)
        return good

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name.replace('#', '')} # SKIP {reason}", flush=True)

    def note(self, text):
        for line in str(text).splitlines():
            print(f"# {line}")
        sys.stdout.flush()

    def done(self):
        print(f"1..{self.count}", flush=True)
        sys.exit(1 if self.failed else 0)


def skip_all(reason):
    """Ends a test file that has nothing to test here."""
    print(f"1..0 # SKIP {reason}", flush=True)
    sys.exit(0)


# ---- The build under test ----


def build_directory():
    return os.path.join(ROOT, os.environ.get("SKAMPI_BUILD", "build"))


def program():
    """The program under test; make says which (SKAMPI)."""
    return os.environ.get("SKAMPI", os.path.join(ROOT, "skampi"))


def sanitized():
    """Whether the program under test is instrumented (make SANITIZE=...)."""
    return "sanitize" in os.path.basename(build_directory())


SLOWNESS = 3 if sanitized() else 1  # of everything, for timeouts


def build_config(directory=None):
    """What make found: {"SKAMPI_SHMEM": "1", ..., "CONFIG_SUMMARY": "CC=..."}; {} before make."""
    path = os.path.join(directory or build_directory(), "config.mk")
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.partition(":=") for line in file]
    except FileNotFoundError:
        return {}
    return {name.strip(): value.strip() for name, equals, value in lines if equals}


def has(interface):
    """Whether the build under test has "SHMEM", "MPI", "PAPI" or "JANSSON"."""
    return build_config().get(f"SKAMPI_{interface}") == "1"


def optional(module):
    """A module of Python that not every machine has, or None. Where only the system's Python has it, the
    test starts again with that: ask before the first check."""
    from skampi_tools import cli
    try:
        cli.need(module)
    except SystemExit:
        return None
    return importlib.import_module(module)


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def tracked_files(*patterns):
    """Paths, relative to ROOT, of the files of the project that match (all without patterns; a *
    also stands for folders)."""
    names = _files_by_git() if os.path.exists(os.path.join(ROOT, ".git")) else None
    return sorted(name for name in names or _files_not_ignored()
                  if not patterns or any(fnmatch.fnmatch(name, p) for p in patterns))


def _files_by_git():
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        return None
    return {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}


def _files_not_ignored():
    """For an unpacked archive, or where git does not answer."""
    with open(os.path.join(ROOT, ".gitignore"), encoding="utf-8") as file:
        rules = [".git", *file.read().split()]

    def ignored(path):
        return any(path == rule.strip("/") if rule.startswith("/")
                   else fnmatch.fnmatch(os.path.basename(path), rule.strip("/")) for rule in rules)

    names = set()
    for folder, folders, files in os.walk(ROOT):
        inside = os.path.relpath(folder, ROOT)
        path = {name: os.path.normpath(os.path.join(inside, name)) for name in folders + files}
        folders[:] = [name for name in folders if not ignored(path[name])]
        names.update(path[name] for name in files if not ignored(path[name]))
    return names


# ---- Running programs ----

ENDING_SECONDS = 3  # that killed processes may take on a busy machine


@dataclass
class Row:
    """A result line."""
    block: str
    vars: dict  # loop variables, outermost first; numbers as numbers
    bytes: int
    time: float  # NaN, as error, where there is nothing to state
    error: float
    reps: int
    per_pe: list  # None where the PE had nothing to report
    notes: list = field(default_factory=list)  # texts of the "# note:" lines that follow
    line: str = ""


@dataclass
class Block:
    name: str
    rows: list = field(default_factory=list)
    comments: list = field(default_factory=list)  # lines inside that are no result
    ended: bool = False


class Run:
    """A finished program: status (128 + n for signal n; a text when something is badly wrong: the
    time was up or processes were left behind), out, err, seconds; of skampi's output (out, or
    the file of -o): blocks, rows of all blocks, comments (all lines that begin with #), unparsed
    (lines that are neither); stuck: what its processes did when the time was up."""

    def __init__(self, argv, status, out, err, seconds, directory, stuck=None):
        self.argv, self.status, self.seconds, self.stuck = argv, status, seconds, stuck
        self.out, self.err, self.directory = out, err, directory
        output = out
        if "-o" in argv[:-1]:
            path = self.path(argv[argv.index("-o") + 1])
            if os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    output = file.read()
        self.blocks, self.comments, self.unparsed = parse_sko(output)
        self.rows = [row for block in self.blocks for row in block.rows]

    def path(self, name):
        """A file in the folder in which the program ran."""
        return os.path.join(self.directory, name)

    def read(self, name):
        """The text of a file there."""
        return read_text(self.directory, name)

    def records(self, name, kind=None):
        """Records of a file in JSON Lines there, of one kind or of all."""
        return [record for record in read_records(self.directory, name) if kind in (None, record["record"])]

    def block(self, name):
        return next((block for block in self.blocks if block.name == name), None)

    def __str__(self):
        return (f"{' '.join(self.argv)}\nstatus {self.status} after {self.seconds:.1f} s\n"
                f"--- out (end)\n{self.out[-3000:]}\n--- err (end)\n{self.err[-3000:]}"
                + (f"\n--- processes when the time was up\n{self.stuck}" if self.stuck else ""))


def write_text(path, text, mode=None):
    """Makes a file hold the text, its ends of lines as they are. Returns the path."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    if mode is not None:
        os.chmod(path, mode)
    return path


def scratch_directory():
    """A folder that goes away with the test. Short, and readable by other users."""
    directory = tempfile.mkdtemp(prefix="skampi-test-")
    os.chmod(directory, 0o755)
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def run(argv, env=None, timeout=60, cwd=None, stdin=""):
    """Runs a program to its end or to the timeout (longer for instrumented programs and on busy machines), and sees
    to it that nothing of it is left. env: changes to the environment; None removes a variable."""
    mark = processes.new_mark()
    environment = {**os.environ, **(env or {}), processes.RUN_MARK: mark}
    environment = {name: value for name, value in environment.items() if value is not None}
    timeout *= SLOWNESS
    cwd = cwd or scratch_directory()
    begin = time.monotonic()
    child = subprocess.Popen(argv, cwd=cwd, env=environment, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    problem = stuck = None
    try:
        out, err = processes.communicate(child, timeout, stdin.encode())
    except subprocess.TimeoutExpired:
        problem = f"timeout after {timeout} s"
        stuck = processes.where(processes.RUN_MARK, mark)
    seconds = time.monotonic() - begin
    # A launcher need not wait until the last process that it has killed is gone.
    left = [] if problem else processes.wait_until_gone(processes.RUN_MARK, mark, ENDING_SECONDS)
    if left:
        problem = f"processes left behind: {left}"
    if problem:
        surviving = processes.end_marked(processes.RUN_MARK, mark)
        child.kill()
        if surviving:
            raise RuntimeError(f"cannot end processes {surviving} of {argv}")
        if "timeout" in problem:
            out, err = child.communicate()
    status = child.returncode if child.returncode >= 0 else 128 - child.returncode
    return Run([str(a) for a in argv], problem or status, out.decode(errors="replace"),
               err.decode(errors="replace"), seconds, cwd, stuck)


def unread_status(argv, cwd):
    """The status of a program, here in seconds, whose output nobody reads: the reader has closed the pipe."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        return subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=nobody, stderr=subprocess.DEVNULL,
                              timeout=60 * SLOWNESS, check=False).returncode


def launch_line(np, argv):
    """argv as started on np PEs by the launcher in use."""
    return [os.path.join(ROOT, "mk", "launch"), str(np), *argv]


def launch_environment():
    # What tests read on standard error is what is wrong.
    env = {"SKAMPI_SUMMARY": os.environ.get("SKAMPI_SUMMARY", "never")}
    if "SKAMPI_LAUNCH" not in os.environ and build_config().get("SKAMPI_SHMEM") == "0":
        env["SKAMPI_LAUNCH"] = "mpirun -np %n"
    if sanitized():
        # The symmetric heap's usual address lies in the sanitizer's shadow; the library leaks, and
        # cancels threads, whose stacks the sanitizer then takes for overwritten. Preloaded libraries
        # come before the sanitizer's.
        env["OMPI_MCA_sshmem_base_start_address"] = "0x700000000000"
        env["ASAN_OPTIONS"] = ("detect_leaks=0:use_sigaltstack=0:verify_asan_link_order=0:"
                               + os.environ.get("ASAN_OPTIONS", ""))
    return env


def launched(argv, env=None, timeout=60, cwd=None, stdin=""):
    """run() of skampi by a launcher. On a very busy machine Open MPI's has called the end of a PE improper that could not be
    made to end so again. Such a run is repeated once: what really ends so does it again."""
    done = run(argv, env, timeout, cwd, stdin)
    improper = "exiting improperly" in done.err and "skampi: " not in done.err
    return run(argv, env, timeout, cwd, stdin) if improper else done


# A line each 10 s, so only where processors are busy, or where it is looked for.
PROGRESS = re.compile(r"^skampi: \[.*\n", re.MULTILINE)


def skampi(script=None, np=2, args=(), env=None, timeout=60, launch=True, files=None, stdin="",
           executable=None, progress=False):
    """Runs skampi, in a folder of its own that holds the given files.

    script: text of a script (goes to test.ski there), or a path that ends in .ski, or None for a
    run without -i. np: PEs; launch=False: without a launcher. args: further arguments. executable:
    another program than the one under test. progress: leave the lines that tell it in err."""
    directory = scratch_directory()
    argv = [executable or program()]
    for name, text in (files or {}).items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_text(path, text)
    if script is not None:
        path = str(script)
        if not path.endswith(".ski") or "\n" in path:
            path = "test.ski"
            write_text(os.path.join(directory, path), script)
        argv += ["-i", path]
    argv += [str(a) for a in args]
    if launch:
        argv = launch_line(np, argv)
    start = launched if launch else run
    done = start(argv, {**launch_environment(), **(env or {})}, timeout, directory, stdin)
    if not progress:
        done.err = PROGRESS.sub("", done.err)
    return done


def refused(script, np=2):
    """A run of a script that is refused: by the check alone if that finds it, which needs no launcher."""
    checked = skampi(script, args=["-n"], launch=False)
    return checked if checked.status else skampi(script, np=np)


def block(name, *lines):
    """A block of a script."""
    return f'begin measurement "{name}"\n' + "\n".join(lines) + "\nend measurement\n"


def measuring(name, *calls, where="MPI_COMM_WORLD"):
    """A block that measures these calls."""
    return block(name, *(f"  measure {where} : {call}" for call in calls))


FEW = 2  # repetitions


def with_few_repetitions(script):
    """A script of inputs/ for where no time is looked at: on processors that are shared times never agree."""
    return re.sub(r"^(set_max_relative_standard_error)\(.*?\)", rf"\1(1.0) set_min_repetitions({FEW})", script,
                  flags=re.MULTILINE)


def functions(*words, executable=None):
    """Descriptors of the measurement functions that the words of --list find, or of all."""
    listed = skampi(args=["--list", *words, "-f", "json"], launch=False, executable=executable)
    return [json.loads(line) for line in listed.out.splitlines()]


def signatures(*words, executable=None):
    """The same as text: "NAME(TYPE PARAMETER, ...)", then, indented, the summary, and why the function
    is unsupported."""
    names = {"iterations": "int", "rank": "int", "operation": "op"}
    lines = []
    for function in functions(*words, executable=executable):
        parameters = ", ".join(f"{names.get(p['type'], p['type'])} {p['name']}" for p in function["parameters"])
        lines += [f"{function['name']}({parameters})", f"    {function['summary']}"]
        if "unsupported" in function:
            lines.append(f"    unsupported: {function['unsupported']}")
    return "".join(line + "\n" for line in lines)


def in_parallel(cases, runner, width=4):
    """(case, runner(case)) in the order of the cases; for runs that mostly wait: a launcher takes a
    second to clear up behind a job that ended badly."""
    with concurrent.futures.ThreadPoolExecutor(width) as pool:
        return list(zip(cases, pool.map(runner, cases)))


# ---- Reading results ----

def read_text(*path):
    """What is in a file, its ends of lines as they are; path: its parts."""
    with open(os.path.join(*path), encoding="utf-8", newline="") as file:
        return file.read()


def read_records(*path):
    """Records of a file in JSON Lines; none where there is no such file."""
    path = os.path.join(*path)
    return [json.loads(line) for line in read_text(path).split("\n") if line] if os.path.exists(path) else []


def seconds(text):
    """Of a time with its unit: "10.9 us"."""
    number, unit = text.split()
    return float(number) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[unit]


def _value(text):
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return text


def parse_row(line, block=""):
    """A Row, or None when the line is no result."""
    if not (row := split_row(line)):
        return None
    variables, fields = row
    try:
        time_, error = (math.nan if text == "---" else float(text) for text in fields[1:3])
    except ValueError:  # a table of another program
        return None
    return Row(block, {name: _value(text) for name, text in variables}, int(fields[0]), time_, error,
               int(fields[3]), [None if text == "---" else float(text) for text in fields[4:]], line=line)


def parse_sko(text):
    """Blocks, comments and lines that are neither, of an output in the classic format."""
    blocks, comments, unparsed = [], [], []
    block = None
    for line in text.splitlines():
        if begin := line.startswith("# begin") and BEGIN.match(line[2:]):
            block = Block(begin.group(1))
            blocks.append(block)
        elif re.match(r"# end result", line):
            if block:
                block.ended = True
            block = None
        if line.startswith("#"):
            comments.append(line)
            if block:
                block.comments.append(line)
                if line.startswith("# note:") and block.rows:
                    block.rows[-1].notes.append(line[len("# note:"):].strip())
        elif line.strip():
            row = parse_row(line, block.name if block else "")
            if row and block:
                block.rows.append(row)
            else:
                unparsed.append(line)
    return blocks, comments, unparsed
