"""What a trace of a generated program has to show: every call of every PE, with its parameters."""

import re
from dataclasses import dataclass

from skampi_tools.shmembench.program import Let

COLUMNS = ("pe", "routine", "class", "flags", "peer", "elements", "element_bytes", "bytes", "target",
           "target_offset", "source", "source_offset", "target_stride", "source_stride", "context",
           "set_start", "set_stride", "set_size", "root", "comparison", "condition", "value",
           "result", "options", "signal", "signal_offset")
# Which columns roles of arguments go to, if not to one of their name.
PLACES = {"target": "target", "source": "source", "signal": "signal", "new": "target", "old": "source"}
CELLS = {"pe": "peer", "tst": "target_stride", "sst": "source_stride", "start": "set_start", "log": "set_stride",
         "size": "set_size", "count": "elements", "words": "bytes", "signal_value": "value"}
ANY = "*"
_KIND = re.compile(r"\b(\d+)_[48]\b")  # numbers of Fortran with their kind
GUARD_BYTES, SLACK = 64, 1024  # as in the templates


@dataclass(frozen=True)
class Place:
    """offset: bytes from label, a place that only the trace knows."""
    area: str
    label: str
    offset: int = 0


PRIVATE = Place("private", "")


class _Run:
    """One PE of a run."""

    def __init__(self, program, me, npes, count, library):
        self.program, self.count = program, count
        self.rows = []
        self.allocated = self.contexts = 0
        blocks = getattr(program, "block_bytes", 0)
        self.area = SLACK + blocks * (npes if getattr(program, "per_pe", False) else 1)
        self.names = {
            "me": me, "npes": npes, "next": (me + 1) % npes, "previous": (me + npes - 1) % npes,
            "ELEMENTS": program.test.elements, "STRIDE": program.test.stride,
            "BLOCK": blocks, "SLACK": SLACK, "BYTES": program.test.elements,
            "mod": lambda value, by: value % by, "psync": None, "SHMEM_CTX_DEFAULT": 0,
            **{f"SHMEM_CMP_{name}": name.lower() for name in ("EQ", "NE", "GT", "GE", "LT", "LE")},
            "SHMEM_TEAM_WORLD": 0, "SHMEM_SIGNAL_SET": ANY,
            "SHMEM_CTX_SERIALIZED": ANY, "SHMEM_CTX_PRIVATE": ANY, **library.constants}

    def value(self, expression):
        expression = _KIND.sub(r"\1", expression)
        return eval(expression, {"__builtins__": {}}, self.names)  # of our own templates

    def place(self, area, which, shift):
        """Of a block's target (0) or source (1)."""
        if area == "private":
            return PRIVATE
        if area == "static":
            return Place(area, area, shift)
        return Place(area, area, GUARD_BYTES + (self.area if which == 0 else 0) + shift)

    def flag(self):
        return Place("heap", "heap", 2 * self.area)

    def run(self, steps, block=None):
        if block:
            self.names.update(block.names(self))
        for step in steps:
            if step == "blocks":
                for inner in self.program.blocks:
                    for _ in range(self.count):
                        self.run(inner.steps, inner)
            elif isinstance(step, Let):
                self.names[step.name] = step.type.wrap(self.value(step.value))
            elif not step.condition or self.value(step.condition):
                self.call(step)

    def call(self, call):
        routine = call.routine
        row = {"pe": self.names["me"], "routine": routine.name, "class": routine.family.word}
        keeps = routine.family.keeps
        type_ = routine.type
        arguments = dict(zip(routine.roles, call.arguments))
        if len(routine.roles) != len(call.arguments):
            raise ValueError(f"template: {routine.name} with {len(call.arguments)} arguments")
        for role, text in arguments.items():
            self.keep(row, role, text, type_)
        if "each" in arguments:
            row["bytes"] = row["elements"] * self.value(arguments["each"])
        elif "elements" in row and type_:
            row["bytes"] = row["elements"] * type_.size
        if type_ and {"one", "atomic"} & set(keeps):
            row.update(elements=1, bytes=type_.size)
        if type_:
            row["element_bytes"] = type_.size
        if "memory" in keeps:
            self.allocated += 1
            label = "heap" if self.allocated == 1 else f"allocation{self.allocated}"
            place = Place("heap", label, 0)
            self.put(row, "target", place)
            self.names[call.variable] = place
        if "all" in keeps:
            row.update(set_start=0, set_stride=1, set_size=self.names["npes"])
        if "differs" in keeps:
            row["comparison"] = "ne"
        if "barrier" in keeps:
            row["flags"] = "barrier"
        if routine.family.template == "pointer":
            row["flags"] = ANY  # whether it gives a pointer depends on the library
        if call.result and {"answer", "fetched"} & set(keeps):
            value = self.value(call.result)
            row["result"] = type_.wrap(value) if "fetched" in keeps else value
        self.rows.append(row)

    def keep(self, row, role, text, type_):
        if role in ("sync", "work", "each", "ignored"):
            return
        if role == "new_context":
            self.contexts += 1
            self.names[text.lstrip("&")] = row["context"] = self.contexts
            return
        value = self.value(text)
        if role == "team":  # the world: in place of the first PE its number, which is 0, and no stride
            row.update(set_start=value, set_stride=0, set_size=self.names["npes"])
        elif role in PLACES:
            self.put(row, PLACES[role], value)
        else:
            row[CELLS.get(role, role)] = 4 * value if role == "words" else 1 << value if role == "log" else \
                type_.wrap(value) if role in ("value", "condition") else value

    @staticmethod
    def put(row, name, place):
        row[name] = place.area
        row[f"{name}_offset"] = (ANY if place.label == ANY else f"{place.label}+{place.offset}"
                                 if place.label else 0)


def calls(program, npes, count, library):
    """Yields the rows (dictionaries by column) of all PEs in order."""
    for me in range(npes):
        run = _Run(program, me, npes, count, library)
        run.run(program.steps)
        yield from run.rows
