"""Programs in Fortran 90, with the bindings of OpenSHMEM 1.4. Their data is static."""

from dataclasses import dataclass

from skampi_tools.shmembench import catalogue, program
from skampi_tools.shmembench.catalogue import Family, Type
from skampi_tools.shmembench.expected import ANY, PRIVATE, Place

_TYPES = {  # name in routines: declaration, bytes, kind, how a value is made of an integer
    "integer": ("integer", 4, "signed", "(", ")"), "real": ("real", 4, "float", "real(", ")"),
    "double": ("real(8)", 8, "float", "dble(", ")"),
    "complex": ("complex", 8, "complex", "cmplx(", ", kind=4)"),
    "logical": ("logical", 4, "logical", "(mod(", ", 2) == 0)"),
    "character": ("character(1)", 1, "character", "achar(", " + 33)"),
    "int4": ("integer(4)", 4, "signed", "int(", ", 4)"),
    "int8": ("integer(8)", 8, "signed", "int(", ", 8)"),
    "real4": ("real(4)", 4, "float", "real(", ", 4)"),
    "real8": ("real(8)", 8, "float", "real(", ", 8)"),
    "real16": ("real(16)", 16, "float", "real(", ", 16)"),
    "comp4": ("complex(4)", 8, "complex", "cmplx(", ", kind=4)"),
    "comp8": ("complex(8)", 16, "complex", "cmplx(", ", kind=8)"),
}
_OF_SIZE = {"4": "int4", "8": "int8", "16": "comp8", "32": "int4", "64": "int8", "128": "comp8",
            "mem": "character"}
_COMBINATIONS = {"sum": "a + b", "prod": "a * b", "min": "min(a, b)", "max": "max(a, b)",
                 "and": "iand(a, b)", "or": "ior(a, b)", "xor": "ieor(a, b)"}
_SET = "start log size sync"
_DATA = "target source elements pe"
_STRIDED = "target source tst sst elements pe"
_PUTTERS = "integer real double complex logical character"
_STRIDERS = "integer real double complex logical"
_SIZES = "4 8 16 32 64 128"
_INTS, _REALS, _COMPLEX = "int4 int8", "real4 real8 real16", "comp4 comp8"


def _line(name, types, roles, word, template="", test_class=0, keeps=(), **settings):
    """Routines that differ in the type only, * in the name."""
    return name, types, Family("", roles, word, template, test_class, keeps, settings)


def _atomic(name, types, operand, after, fetches):
    roles = "target value pe" if operand else "target pe"
    return _line(f"shmem_*_{name}", types, roles, "atomic", "atomic", catalogue.ATOMICS,
                 ("atomic", "fetched") if fetches else ("atomic",), operand=operand, after=after,
                 fetches=fetches)


_BEFORE = "100 + mod({}, 20)"
LINES = [
    _line("shmem_init", "", "", "setup"),
    _line("shmem_finalize", "", "", "setup", keeps=("barrier",)),
    _line("shmem_my_pe", "", "", "query"), _line("shmem_n_pes", "", "", "query"),
    *(_line(*name_types, roles, word, "put", number, strided=strided)
      for verb, number in (("put", catalogue.PUT), ("get", catalogue.GET))
      for roles, word, strided, names in (
          (_DATA, verb, False, ((f"shmem_*_{verb}", _PUTTERS), (f"shmem_{verb}*", _SIZES + " mem"))),
          (_STRIDED, verb, True, ((f"shmem_*_i{verb}", _STRIDERS), (f"shmem_i{verb}*", _SIZES))))
      for name_types in names),
    *(_line(name, types, _DATA, "nonblocking", "put", catalogue.NONBLOCKING, strided=False)
      for verb in ("put", "get")
      for name, types in ((f"shmem_*_{verb}_nbi", _PUTTERS), (f"shmem_{verb}*_nbi", _SIZES + " mem"))),
    _line("shmem_broadcast*", "4 8 32 64", f"target source elements root {_SET}", "collective",
          "broadcast", catalogue.COLLECTIVES),
    *(_line(f"shmem_{name}*", types, f"target source {strides}elements {_SET}", "collective", "alltoall",
            catalogue.COLLECTIVES, strided=bool(strides))
      for name, types, strides in (("collect", "4 8 32 64", ""), ("fcollect", "4 8 32 64", ""), ("alltoall", "32 64", ""),
                                   ("alltoalls", "32 64", "tst sst "))),
    *(_line(f"shmem_*_{operation}_to_all", types, "target source elements start log size work sync",
            "collective", "reduce", catalogue.COLLECTIVES, operation=operation)
      for operations, types in (("and or xor", _INTS), ("max min", f"{_INTS} {_REALS}"),
                                ("sum prod", f"{_INTS} {_REALS} {_COMPLEX}"))
      for operation in operations.split()),
    _line("shmem_barrier_all", "", "", "synchronization", "barrier", catalogue.COLLECTIVES,
          ("all",)),
    _line("shmem_barrier", "", _SET, "synchronization", "barrier", catalogue.COLLECTIVES),
    _line("shmem_quiet", "", "", "synchronization", "order", catalogue.SYNCHRONIZATION),
    _line("shmem_fence", "", "", "synchronization", "order", catalogue.SYNCHRONIZATION),
    _line("shmem_*_wait_until", _INTS, "target comparison value", "synchronization", "wait",
          catalogue.SYNCHRONIZATION),
    _line("shmem_*_wait", _INTS, "target value", "synchronization", "wait",
          catalogue.SYNCHRONIZATION, ("differs",)),
    _atomic("fetch", _INTS + " real4 real8", "", _BEFORE.format("me"), True),
    _atomic("set", _INTS + " real4 real8", "50 + mod({}, 20)", "50 + mod({}, 20)", False),
    _atomic("swap", _INTS + " real4 real8", "50 + mod({}, 20)", "50 + mod({}, 20)", True),
    _atomic("add", _INTS, "5 + mod({}, 3)", _BEFORE.format("me") + " + 5 + mod({}, 3)", False),
    _atomic("fadd", _INTS, "5 + mod({}, 3)", _BEFORE.format("me") + " + 5 + mod({}, 3)", True),
    _atomic("inc", _INTS, "", _BEFORE.format("me") + " + 1", False),
    _atomic("finc", _INTS, "", _BEFORE.format("me") + " + 1", True),
    _line("shmem_set_lock", "", "target", "lock", "lock", catalogue.LOCKS),
    _line("shmem_clear_lock", "", "target", "lock", "lock", catalogue.LOCKS),
    _line("shpalloc", "", "new words ignored ignored", "memory", "allocate", catalogue.MEMORY,
          ("barrier",)),
    _line("shpdeallc", "", "target ignored ignored", "memory", "allocate", catalogue.MEMORY,
          ("barrier",)),
]


@dataclass(frozen=True)
class Routine(catalogue.Routine):
    fortran: tuple = ()  # of _TYPES


def _all():
    found = {}
    for pattern, types, family in LINES:
        for kind in types.split() or [""]:
            name = pattern.replace("*", kind)
            fortran = _TYPES.get(_OF_SIZE.get(kind, kind), ())
            found[name] = Routine(name, family, Type(*fortran[:3]) if fortran else None,
                                  family.settings.get("operation", ""), False, fortran)
    return found


ROUTINES = _all()


class Block:
    """The subroutine that tests one routine."""

    def __init__(self, routine):
        self.routine = routine
        self.name = f"call_{routine.name}"
        family = routine.family
        declaration, size, kind, before, after = routine.fortran or ("integer(8)", 8, "signed", "(", ")")
        strided = family.settings.get("strided")
        substitutions = {
            "name": self.name, "routine": routine.name, "type": declaration, "size": str(size),
            "open": before, "close": after, "differs": ".neqv." if kind == "logical" else "/=",
            "step": "STRIDE" if strided else "1", "strides": "STRIDE, STRIDE, " if strided else "",
            "extent": "MOST_PES * SPAN" if family.template == "alltoall" else "SPAN",
            "block": "me" if "alltoall" in routine.name else "0",
            "from": "next" if "get" in routine.name else "previous",
            "complete": "@ shmem_quiet()" if family.word == "nonblocking" else "",
            "combine": _COMBINATIONS.get(routine.operation, ""),
            "arguments": self._arguments()}
        if family.template == "atomic":
            substitutions.update(self._atomic(before, after))
        lines, self.steps = program.expand(
            program.read_template("fortran", family.template + ".in"), substitutions, FORTRAN)
        self.lines = [line for line in lines if line.strip()] + [""]

    def _arguments(self):
        roles = self.routine.family.roles
        if "comparison" in roles:
            return f"SHMEM_CMP_EQ, 5_{self.routine.type.size}"
        if self.routine.family.template == "wait":
            return f"3_{self.routine.type.size}"
        return "0, 0, npes, psync" if "start" in roles else ""

    def _atomic(self, before, after):
        settings = self.routine.family.settings
        operand = settings["operand"].format("me")
        call = f"{self.routine.name}({', '.join(filter(None, ('target', operand and 'operand', 'next')))})"
        declare = [f"{self.routine.fortran[0]}, external :: {self.routine.name}",
                   f"{self.routine.fortran[0]} :: result"] if settings["fetches"] else []
        expected = f"{before}{_BEFORE.format('next')}{after}"
        lines = [f"@let {self.routine.fortran[0]} operand = {operand}"] if operand else []
        lines.append(f"@timed {'result = ' if settings['fetches'] else ''}{call}" +
                     (f" -> {_BEFORE.format('next')}" if settings["fetches"] else ""))
        if operand:
            declare.append(f"{self.routine.fortran[0]} :: operand")
        return {"declare": "\n  ".join(declare), "call": "\n  ".join(lines),
                "after": settings["after"].format("previous"),
                "check": f"if (result /= {expected}) call fail('{self.routine.name}', "
                         f"'wrong result', 1)" if settings["fetches"] else ""}

    def names(self, _):
        """What the names of places in calls mean."""
        names = {name: Place("static", f"{self.name}_{name}") for name in ("target", "flag", "lock", "counter", "source")}
        if self.routine.family.template in ("barrier", "wait"):
            names["source"] = PRIVATE
        return {**names, "one": PRIVATE, "value": PRIVATE, "address": Place("heap", ANY), "error": None}


FORTRAN = program.Language(
    ROUTINES.get, lambda name: next(routine.type for routine in ROUTINES.values() if routine.fortran and routine.fortran[0] == name),
    "{name} = {value}", "{variable} = {call}", "call {call}", "if ({condition}) {text}", ("call start_clock()", "call stop_clock()"))


class Program:
    """A test in Fortran: its text, and the steps of the list of calls."""

    def __init__(self, test, library, wanted, missing, most_pes):
        self.test, self.library, self.most_pes = test, library, most_pes
        self.unchecked = []
        missing = missing or ()
        routines = [routine for name, routine in ROUTINES.items()
                    if routine.test_class == test.kind and wanted(name) and name not in missing]
        self.left_out = [(routine.name, test.lacks(routine)) for routine in routines if test.lacks(routine)]
        self.blocks = [Block(routine) for routine in routines if not test.lacks(routine)]

    def generate(self, count):
        test = self.test
        table = "\n".join(f"  do repetition = 1, CALLS\n    call_number = call_number + 1\n"
                          f"    call {block.name}()\n  end do" for block in self.blocks)
        lines, self.steps = program.expand(program.read_template("fortran", "program.in"), {
            "module": f"of_{test.name}",
            "headline": f"Test {test.number}: {test.name.partition('_')[2]}, {test.elements} elements, "
                        f"stride {test.stride}, for {self.library}.",
            "count": count, "elements": test.elements, "stride": test.stride,
            "most": max(64, self.most_pes), "table": table,
            "functions": "\n".join(line for block in self.blocks for line in block.lines)}, FORTRAN)
        return "\n".join(lines) + "\n"
