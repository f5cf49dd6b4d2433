"""What the command lines of all programs share: options, converters of arguments, errors of one line, files
that are written, and the libraries that a program needs."""

import argparse
import contextlib
import difflib
import importlib
import io
import json
import math
import os
import re
import sys
import textwrap

from . import kinds, pages, screen
from .errors import Error

SYSTEM_PYTHON = "/usr/bin/python3"


class Information(argparse.Action):
    """An option that prints something and ends, whatever else is given or missing."""

    def __init__(self, option_strings, dest, text, **settings):
        super().__init__(option_strings, argparse.SUPPRESS, default=argparse.SUPPRESS, **settings)
        self.text = text

    def __call__(self, parser, namespace, values, option_string=None):
        sys.stdout.write(self.text())
        parser.exit()


class Force(argparse.Action):
    """--force, which all that is written later follows."""

    given = False

    def __call__(self, parser, namespace, values, option_string=None):
        Force.given = True


def version():
    """Of skampi: an installation says it in a file, a checkout in its Makefile."""
    above = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    for name, pattern in (("version", r"(.+)"), ("Makefile", r"VERSION := (.+)")):
        try:
            with open(os.path.join(above, name), encoding="utf-8") as file:
                return re.search(f"^{pattern}$", file.read(), re.MULTILINE)[1]
        except (OSError, TypeError):
            continue
    return "unknown"


def summary():
    """What the program is for, in a few words: the beginning of its documentation."""
    text = " ".join((sys.modules["__main__"].__doc__ or "").split())
    return re.split(r"[.:;](?: |$)", text)[0]


def default_output(path, suffix):
    """Where a result goes without -o: here, called as the input, with the suffix of what it is."""
    name = "skampi" if path == "-" else os.path.splitext(os.path.basename(os.path.abspath(path)))[0]
    return name + suffix


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Usage says `skampi table` for skampi-table; descriptions and epilogs keep their lines where the terminal is wide enough."""

    def __init__(self, prog):
        super().__init__(prog.replace("-", " ", 1), width=screen.columns() - 1)

    def add_usage(self, usage, *rest, **further):
        super().add_usage(usage and screen.fold(usage, self._width - len("usage: ")), *rest, **further)

    def _split_lines(self, text, width):
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)

    def _fill_text(self, text, width, indent):
        return screen.fold(super()._fill_text(text, width, indent), width)


# Suffixes of what options write; names without a suffix are fine, too.
SUFFIXES = {"json": (".json",), "html": (".html", ".htm"), "junit": (".xml",), "openmetrics": (".prom",), "plot": (".svg",),
            "write_spec": (".json",)}


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors have one line, as all others, and whose options cannot be
    abbreviated: scripts of users go on working when there are more of them."""

    def __init__(self, writes=None, views=dict, **settings):
        """writes: suffixes of what -o writes, () for any; None: no option names a file to write. views: a function that
        returns {word: Parser} of the program's views, whose words stand first on its command line."""
        super().__init__(allow_abbrev=False, formatter_class=Formatter, **settings)
        self.writes = writes
        self._actions[0].help = "show this help"
        information = [
            (("-V", "--version"), "show the version", lambda: f"{self.prog} {version()}\n"),
            (("--man",), "show this as a manual page", lambda: pages.manual(self, views(), summary(), version())),
            (("--completion",), "show completion for bash", lambda: pages.completion(self, views()))]
        is_view = " " in self.prog  # page and completion are those of its program
        for names, text, print_it in information[:1] if is_view else information:
            self.add_argument(*names, action=Information, nargs=0, text=print_it, help=text)
        if writes is not None:
            self.add_argument("--force", action=Force, nargs=0, default=argparse.SUPPRESS,
                              help="replace any file, also one that skampi and its tools have not written")

    def parse_args(self, args=None, namespace=None):
        kinds.running = self.prog.replace("-", " ", 1)
        given = super().parse_args(args, namespace)
        if self.writes is not None:
            # Now, since what is written may take hours.
            for name, suffixes in {"output": self.writes, **SUFFIXES}.items():
                paths = getattr(given, name, None) or []
                for path in [paths] if isinstance(paths, str) else paths:
                    check_suffix(path, suffixes)
                    kinds.check_replacing(path, Force.given)
        return given

    def parse_some(self, arguments, wanted):
        """Of a program that measures: without arguments it does nothing. wanted: options that say what."""
        if not arguments:
            self.print_usage(sys.stderr)
            raise Error(f"nothing is measured without an option: give {wanted}; --help shows examples")
        return self.parse_args(arguments)

    def error(self, message):
        if found := re.match(r"unrecognized arguments: (--?[A-Za-z][\w-]*)", message):
            message = f"unknown option {found[1]}"
            known = [name for name in self._option_string_actions if name.startswith("--")]
            if close := difflib.get_close_matches(found[1], known, 1):
                message += f"; did you mean {close[0]}?"
        raise Error(f"{message}; --help shows all options")


def add_junit(parser, cases="a test case for each point; it fails as --fail-over says"):
    parser.add_argument("--junit", metavar="FILE", help=f"write JUnit XML to FILE: {cases}")


def add_openmetrics(parser):
    parser.add_argument("--openmetrics", metavar="FILE",
                        help="write numbers for Prometheus to FILE, such as one of node exporter's textfile collector")


def add_json(parser):
    parser.add_argument("--json", metavar="FILE",
                        help="write everything to FILE (-: standard output, instead of the text)")


def show(target, report, document):
    """The text that report() prints, and document() to the target of --json: a file, None, or "-", standard output instead of
    the text."""
    if target != "-":
        report()
    if target:
        write_json(target, document())


def view(tool, word):
    """The module of a view, imported only if it is used: parser() makes its Parser, run(arguments) does it."""
    return importlib.import_module(f"skampi_tools.{tool}.{word}")


def split_rest(arguments):
    """(arguments before "--", those after it, which are for another program)"""
    if "--" not in arguments:
        return arguments, []
    cut = arguments.index("--")
    return arguments[:cut], arguments[cut + 1:]


# ---- Converters: type= of arguments ----


def refuse(text, wanted):
    raise argparse.ArgumentTypeError(f"{text}: give {wanted}")


def _bounds(least, most):
    return f"from {least}" + (f" to {most}" if most < math.inf else "")


def whole(least=0, most=math.inf):
    """Whole numbers in these bounds."""
    def read(text):
        if not re.fullmatch(r"\d{1,18}", text) or not least <= int(text) <= most:
            refuse(text, f"a whole number {_bounds(least, most)}")
        return int(text)
    return read


def real(least, most=math.inf, what="a number"):
    """Numbers in these bounds. what: they are, in words."""
    def read(text):
        if not re.fullmatch(r"\d{1,9}(\.\d+)?", text) or not least <= float(text) <= most:
            refuse(text, f"{what} {_bounds(least, most)}")
        return float(text)
    return read


def percentage(text):
    """5% is 0.05."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d+)?) ?%", text)
    if not match:
        refuse(text, "a percentage such as 5%")
    return float(match[1]) / 100


def confidence(text):
    """95 and 95% are 0.95."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%?", text)
    value = float(match[1]) / 100 if match else 0
    if not 0.5 <= value < 1:
        refuse(text, "a percentage from 50 to less than 100")
    return value


def words(form, wanted):
    """Lists of words of a form, separated by commas. wanted: what they are, in words."""
    def read(text):
        found = [part.strip() for part in text.split(",")]
        if not all(re.fullmatch(form, part) for part in found):
            refuse(text, wanted)
        return found
    return read


def duration(text):
    """Seconds of a time such as 90, 90s, 30m, 1h30m or H:M:S."""
    units = {"h": 3600, "m": 60, "s": 1, "": 1}
    if match := re.fullmatch(r"(\d{1,9}):([0-5]?\d):([0-5]?\d)", text):
        return float(sum(int(part) * units[unit] for part, unit in zip(match.groups(), "hms")))
    if re.fullmatch(r"\d{1,9}(\.\d+)?|(?=\d)(\d{1,9}h)?(\d{1,9}m)?(\d{1,9}s)?", text):
        return sum(float(number) * units[unit] for number, unit in
                   re.findall(r"(\d+(?:\.\d+)?)([hms]?)", text))
    return refuse(text, "a time such as 90, 90s, 30m, 1h30m or 8:00:00")


# ---- Files ----


def check_suffix(path, suffixes, otherwise=""):
    """An Error if the name has a suffix that says something else. otherwise: what else the user can do."""
    suffix = os.path.splitext(path)[1]
    if suffixes and suffix and suffix.lower() not in suffixes:
        raise Error(f"{path}: unknown suffix {suffix}: there {'is' if len(suffixes) == 1 else 'are'} "
                    f"{', '.join(suffixes)}{otherwise}")


def finite(value):
    """What JSON can hold: None in place of NaN and infinities, also inside lists and dicts."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(entry) for name, entry in value.items()}
    return [finite(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def json_text(value):
    """As a file that people may read."""
    return json.dumps(finite(value), indent=1, ensure_ascii=False) + "\n"


def write_json(path, value):
    """As write_text(); bytes of names that are not UTF-8 are escaped, as JSON can."""
    write_text(path, json_text(value), "backslashreplace")


def read_json(path, otherwise=""):
    """What a JSON file that a program has written ("-": standard input) holds; users_json.py reads what users write. An Error
    names the place of what is not JSON, or says otherwise."""
    return read_json_text(path, otherwise)[0]


def read_json_text(path, otherwise=""):
    """(what the file holds, its text)"""
    with (open(0, encoding="utf-8", closefd=False) if path == "-" else open(path, encoding="utf-8")) as file:
        try:
            text = file.read()
            return json.loads(text), text
        except json.JSONDecodeError as error:
            raise Error(otherwise or f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
        except UnicodeDecodeError:
            raise Error(otherwise or f"{path}: not UTF-8") from None
        except RecursionError:
            raise Error(otherwise or f"{path}: nested too deeply") from None


def write_text(path, text, errors="replace"):
    """Writes a file ("-": standard output); an error names it."""
    with created(path, errors=errors) as file:
        file.write(text)


def replace_text(path, text):
    """Writes all of the file, or leaves what was there before, however this ends and whoever reads it meanwhile."""
    temporary = f"{path}.new"
    try:
        with open(temporary, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None


@contextlib.contextmanager
def created(path, mode="w", errors="replace", newline=None):
    """A file to be written ("-": standard output), which may replace one of ours, or with --force any; says that on
    standard error. An error names the file."""
    text = {} if "b" in mode else {"encoding": "utf-8", "errors": errors, "newline": newline}
    if path == "-":
        # Another program reads it byte by byte; on a terminal it commands nothing, too.
        raw = screen.raw(sys.stdout)
        if hasattr(raw, "reconfigure"):
            raw.reconfigure(**text)
        yield screen.PrintableStream(raw, folded=False) if raw.isatty() else raw
        return
    kinds.check_replacing(path, Force.given)
    replaced, new = kinds.replaced_text(path), not os.path.exists(path)
    try:
        with open(path, mode, **text) as file:
            if replaced:
                say(replaced)
            yield file
    except OSError as error:
        if new and os.path.isfile(path):
            os.remove(path)
        raise Error(f"{path}: {error.strerror or error}") from None


def need(*modules):
    """Makes sure that these modules can be imported. If the Python in use lacks them, as in a virtual
    environment, starts the program again with the system's."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            again = os.environ.get("SKAMPI_TOOLS_PYTHON") != SYSTEM_PYTHON
            if again and os.access(SYSTEM_PYTHON, os.X_OK) and sys.executable != SYSTEM_PYTHON:
                os.environ["SKAMPI_TOOLS_PYTHON"] = SYSTEM_PYTHON
                sys.stdout.flush()
                os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
            name = os.path.basename(sys.argv[0])
            sys.exit(f"{name}: error: needs Python's {module}: install python3-{module}, or "
                     f"scripts/install-deps")
    os.environ.pop("SKAMPI_TOOLS_PYTHON", None)  # scripts started from here find theirs themselves


def error_line(text):
    """What went wrong in a program, of what it and its launcher said: the first line with an error,
    else the first that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not set(line.strip()) <= {"-"}]
    errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
    return (errors or lines or ["no message"])[0]


def say(text):
    """One line on standard error, which begins with the program's name."""
    print(f"{os.path.basename(sys.argv[0])}: {screen.printable(text)}", file=sys.stderr)


def warn(text):
    say(f"warning: {text}")


def fail(text):
    say(f"error: {text}")


class _Standard(io.FileIO):
    """Standard output or error. A reader that has seen enough, such as head, ends neither the program nor its verdict:
    what nobody reads goes nowhere."""

    def write(self, data):
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return len(data)


def _whoever_reads(stream):
    """The stream, if it is a file, as text that nothing unprintable ends: names may have characters that the terminal's
    encoding, or UTF-8, does not have."""
    try:
        binary = _Standard(stream.fileno(), "w", closefd=False)
    except (AttributeError, OSError, ValueError):  # there is none, or it is no file
        return stream
    return io.TextIOWrapper(io.BufferedWriter(binary), encoding=stream.encoding, errors="backslashreplace",
                            line_buffering=stream.line_buffering)


def main(function):
    """Runs function(arguments); its value is the exit status. 2: wrong usage or a file that cannot
    be read."""
    sys.stdout, sys.stderr = (screen.PrintableStream(_whoever_reads(stream)) for stream in (sys.stdout, sys.stderr))
    try:
        status = function(sys.argv[1:])
        sys.stdout.flush()
    except Error as error:
        fail(error)
        status = 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        folder = kinds.misfit(error.filename) if isinstance(error, IsADirectoryError) else ""
        fail(f"{where}{folder or error.strerror or error}")
        status = 2
    except KeyboardInterrupt:
        status = 130
    try:
        sys.stdout.flush()
    except OSError:  # what is left cannot be written either, which has been said
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
