"""Writes programs, their lists of expected calls, and a Makefile into a folder."""

import csv
import os

from skampi_tools import cli
from skampi_tools.shmembench import catalogue, expected, fortran, program

MARK = ".shmembench"  # lists what was written, so that the next run can take it away


def prepare(folder):
    """Makes the folder, or removes what an earlier run wrote there; other files are not touched."""
    mark = os.path.join(folder, MARK)
    if os.path.isdir(folder):
        if not os.path.isfile(mark):
            if os.listdir(folder):
                raise cli.Error(f"{folder}: it has files that shmembench did not write: "
                                f"name another folder with -o")
        else:
            with open(mark, encoding="utf-8", errors="replace") as file:
                for name in file.read().split("\n"):
                    path = os.path.join(folder, os.path.basename(name))
                    if name and os.path.isfile(path):
                        os.unlink(path)
            os.truncate(mark, 0)
    else:
        os.makedirs(folder)
    cli.write_text(mark, "")  # so that the folder is ours even if this run does not end well


class Writer:
    def __init__(self, folder):
        self.folder = folder
        self.names = []

    def write(self, name, text):
        cli.write_text(os.path.join(self.folder, name), text)
        self.names.append(name)


    def finish(self):
        self.write(MARK, "".join(f"{name}\n" for name in sorted(self.names)))


def write_test(writer, test, language, library, wanted, options):
    """Program and lists of one test; the program, which may call nothing and is not written then."""
    if language == "f90":
        made = fortran.Program(test, library, wanted, options.fortran_missing, max(options.pes))
    else:
        made = program.Program(test, language, library, wanted)
    if not made.blocks:
        return made
    writer.write(f"{test.name}.{language}", made.generate(options.count))
    for npes in options.pes:
        mark = "_f90" if language == "f90" else ""  # C and C++ make the same calls
        name = f"{test.name}{mark}.expected-{npes}.csv"
        if name in writer.names:
            continue
        writer.names.append(name)
        with cli.created(os.path.join(writer.folder, name), newline="") as file:
            table = csv.DictWriter(file, expected.COLUMNS, restval="", lineterminator="\n")
            table.writeheader()
            table.writerows(expected.calls(made, npes, options.count, library))  # one by one: of many PEs there are many
    return made


def unknown(library):
    """Routines that the library has and nothing here calls."""
    return sorted(name for name in library.routines
                  if not catalogue.routine(name) and not catalogue.UNTESTED.fullmatch(name))


def makefile(writer, programs, options, bindings):
    """programs: names of tests by language. bindings: whether the library has those for Fortran."""
    text = program.read_template("", "Makefile.in")
    lists = {language: " ".join(f"{name}_{language}" for name in names)
             for language, names in programs.items()}
    for name, value in {
            "CC": options.cc, "CXX": options.cxx, "FC": options.fc,
            "FORTRAN": "1" if bindings else "0", "PES": " ".join(map(str, options.pes)),
            "C_PROGRAMS": lists.get("c", ""), "CXX_PROGRAMS": lists.get("cc", ""),
            "FORTRAN_PROGRAMS": lists.get("f90", "")}.items():
        text = text.replace(f"@{name}@", value)
    writer.write("Makefile", text)
