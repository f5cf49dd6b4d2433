"""What the OpenSHMEM library here has: its compiler says so, and nothing is called that is
missing."""

import fnmatch
import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field

from skampi_tools import cli

ROUTINE = re.compile(r"\b(p?shmemx?_[a-z]\w*|sh(?:malloc|memalign|realloc|free)|start_pes|"
                     r"_?my_pe|_?num_pes)\s*\(")
CRASHES, WRONG = "crashes", "wrong"


@dataclass
class Defect:
    """Of a routine: CRASHES is not called, of WRONG the target is not checked."""
    pattern: str
    library: str
    last: tuple  # version that has it
    kind: str
    reason: str


_OPERAND = "Open MPI up to 4.1.4 ignores the operand of this operation on the same node"
DEFECTS = [
    *(Defect(f"shmem*{name}", "Open MPI", (4, 1, 4), CRASHES,
             "Open MPI up to 4.1.4 smashes the stack in 32-bit compare-and-swap")
      for name in ("int_atomic_compare_swap", "int32_atomic_compare_swap", "_int_cswap",
                   "_int32_cswap")),
    *(Defect(f"shmem*atomic_fetch_{operation}", "Open MPI", (4, 1, 4), WRONG, _OPERAND)
      for operation in ("and", "or", "xor")),
]


@dataclass
class Library:
    name: str = "OpenSHMEM"
    version: tuple = ()
    api: tuple = (1, 4)
    declared: set = field(default_factory=set)
    missing: set = field(default_factory=set)  # declared, but not in the library
    constants: dict = field(default_factory=dict)
    with_defects: bool = False  # as if there were none known

    @property
    def routines(self):
        return self.declared - self.missing

    def defect(self, routine):
        for defect in () if self.with_defects else DEFECTS:
            if (defect.library == self.name and self.version <= defect.last
                    and fnmatch.fnmatchcase(routine, defect.pattern)):
                return defect
        return None

    def __str__(self):
        version = ".".join(map(str, self.version))
        return f"{self.name}{' ' if version else ''}{version}, OpenSHMEM {'.'.join(map(str, self.api))}"


def _compile(command, arguments, text, suffix):
    """Status, output and errors of the compiler on a file with this text."""
    with tempfile.TemporaryDirectory(prefix="shmembench-") as folder:
        source = os.path.join(folder, f"probe{suffix}")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            done = subprocess.run([*shlex.split(command), *arguments, source], cwd=folder,
                                  capture_output=True, check=False, timeout=120,
                                  env={**os.environ, "LC_ALL": "C"})
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise cli.Error(f"{command}: {getattr(error, 'strerror', None) or error}; name the "
                            f"library's compiler with --cc") from None
        return (done.returncode, done.stdout.decode(errors="replace"),
                done.stderr.decode(errors="replace"))


def _preprocessed(compiler, text, *options):
    status, out, err = _compile(compiler, ["-E", *options], text, ".c")
    if status:
        reason = next((line for line in err.splitlines() if "error" in line), f"status {status}")
        raise cli.Error(f"{compiler} cannot preprocess a program that includes shmem.h: {reason}; "
                        f"name the library's compiler with --cc")
    return out


def _number(macros, name):
    match = re.match(r"\d+", macros.get(name, ""))
    return int(match.group()) if match else None


def _not_linked(compiler, include, names):
    """Names that the linker does not find."""
    table = "".join(f"    (any *){name},\n" for name in names)
    text = f"{include}typedef void any(void);\nany *const table[] = {{\n{table}}};\n" \
           "int main(int n, char **v) { (void)v; return table[n] == 0; }\n"
    status, _, err = _compile(compiler, ["-w", "-o", "probe"], text, ".c")
    missing = set(re.findall(r"undefined reference to [`'\"]?(\w+)", err))
    missing |= set(re.findall(r"undefined symbol: (\w+)", err))
    if status and not missing:
        raise cli.Error(f"{compiler} cannot link: {err.strip().splitlines()[-1:] or status}")
    return missing


def find(compiler):
    """The library that the compiler knows."""
    include = "#include <shmem.h>\n"
    text = _preprocessed(compiler, include, "-P")
    try:
        extensions = include + "#include <shmemx.h>\n"
        text, include = _preprocessed(compiler, extensions, "-P"), extensions
    except cli.Error:  # not every library has some
        pass
    macros = dict(re.findall(r"#define (\w+) (.*)", _preprocessed(compiler, include, "-dM")))
    declared = {name for name in ROUTINE.findall(text) if not name.startswith("pshmem")}
    if "shmem_init" not in declared and "start_pes" not in declared:
        raise cli.Error(f"{compiler}: its shmem.h declares no shmem_init")
    library = Library(declared=declared)
    if "OSHMEM_MAJOR_VERSION" in macros:
        library.name = "Open MPI"
        parts = (_number(macros, f"OSHMEM_{part}_VERSION") for part in ("MAJOR", "MINOR", "RELEASE"))
        library.version = tuple(part for part in parts if part is not None)
    else:
        library.name = macros.get("SHMEM_VENDOR_STRING", "OpenSHMEM").strip('" ')
    library.api = (_number(macros, "SHMEM_MAJOR_VERSION") or 1,
                   _number(macros, "SHMEM_MINOR_VERSION") or 0)
    for name, value in macros.items():
        shifted = re.fullmatch(r"\(?(\d+)[UL]*(?:\s*<<\s*(\d+))?\)?", value)
        if shifted and re.fullmatch(r"SHMEM_CTX_[A-Z]+", name):
            library.constants[name] = int(shifted[1]) << int(shifted[2] or 0)
    library.missing = _not_linked(compiler, include, sorted(declared))
    return library


def fortran_missing(compiler, names):
    """Names for which the library has no binding in Fortran; None: it has no binding at all."""
    def probe(calls):
        text = "program probe\n  include 'shmem.fh'\n" + "".join(
            f"  call {name}()\n" for name in calls) + "end program\n"
        return _compile(compiler, ["-w", "-o", "probe"], text, ".f90")
    try:
        if probe(["shmem_init"])[0]:
            return None
        missing = set(re.findall(r"undefined (?:reference to|symbol:) [`'\"]?(\w+?)_*['\"]?\s",
                                 probe(names)[2] + "\n"))
    except cli.Error:
        return None
    return missing & set(names)
