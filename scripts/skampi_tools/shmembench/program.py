"""Programs from templates. A template is text of the language; lines that begin with @ are what the
list of expected calls is made of, too:

    @[timed] [if CONDITION:] [VARIABLE =] ROUTINE(ARGUMENTS) [-> RESULT]
    @let TYPE VARIABLE = EXPRESSION
    @blocks

Their expressions mean the same in C and in Python; $names are replaced first.
"""

import os
import re
import string
from dataclasses import dataclass
from typing import NamedTuple

from skampi_tools.shmembench import catalogue, library as library_module

TEMPLATES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..",
                         "shmembench_templates")
_CALL = re.compile(r"@(?P<timed>timed)?\s+(?:if (?P<condition>[^:]+):\s*)?"
                   r"(?:(?P<variable>[^=()]*?)\s*=\s*)?(?P<cast>\([^()]*\)\s*)?"
                   r"(?P<routine>\w+)\((?P<arguments>.*?)\)(?:\s*->\s*(?P<result>.+))?$")
_LET = re.compile(r"@let (?P<type>.+) (?P<name>\w+) = (?P<value>.+)$")
COMPARISONS = (("EQ", 3, 5, 5), ("NE", 3, 5, 3), ("GT", 3, 5, 4), ("GE", 3, 5, 5), ("LT", 5, 3, 4),
               ("LE", 5, 3, 3))  # before it holds, from when on it does, compared with what
CONTRIBUTIONS = {  # to reductions, in terms of k, which differs from PE to PE
    "sum": "k % 5 + 1", "prod": "k % npes == 0 ? 3 : k % npes == 1 ? 2 : 1",
    "min": "k * 7 % 23 - 11", "max": "k * 7 % 23 - 11",
    "and": "~(1 << k % 7)", "or": "1 << k % 7", "xor": "1 << k % 7"}
COMBINATIONS = {"sum": "a + b", "prod": "a * b", "min": "b < a ? b : a", "max": "b > a ? b : a",
                "and": "a & b", "or": "a | b", "xor": "a ^ b"}


@dataclass(frozen=True)
class Call:
    routine: catalogue.Routine
    arguments: tuple  # their expressions
    variable: str  # gets the value that the call returns; "" if it returns none
    condition: str
    result: str  # expression


@dataclass(frozen=True)
class Let:
    type: catalogue.Type
    name: str
    value: str


def read_template(language, name):
    with open(os.path.join(TEMPLATES, language, name), encoding="utf-8") as file:
        return file.read()


def split_arguments(text):
    """Arguments of a call, which may contain brackets."""
    found, depth, begin = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            found.append(text[begin:position].strip())
            begin = position + 1
    last = text[begin:].strip()
    return tuple(found + [last]) if last or found else ()


class Language(NamedTuple):
    """How expand() writes calls: routine and type find what is known by a name; the rest are texts with fields."""
    routine: object
    type: object
    let: str
    assignment: str
    call: str
    condition: str
    clock: tuple  # calls before and after what is timed

    def lines(self, variable, cast, call, condition, timed):
        text = (self.assignment if variable else self.call).format(variable=variable, cast=cast, call=call)
        lines = (self.condition.format(condition=condition, text=text) if condition else text).split("\n")
        return [self.clock[0], *lines, self.clock[1]] if timed else lines


C = Language(catalogue.routine, catalogue.BY_C.get, "const {type} {name} = ({type})({value});", "{variable} = {cast}{call};", "{call};",
             "if ({condition})\n    {text}", ("start();", "stop();"))


def expand(text, substitutions, language=C):
    """The template as program text, and its steps (Call, Let, "blocks")."""
    lines, steps = [], []
    for line in string.Template(text).substitute(substitutions).splitlines():
        content = line.strip()
        indent = line[:len(line) - len(line.lstrip())]
        if not content.startswith("@"):
            lines.append(line)
        elif content == "@blocks":
            steps.append("blocks")
        elif let := _LET.match(content):
            steps.append(Let(language.type(let["type"]), let["name"], let["value"]))
            lines.append(indent + language.let.format(**let.groupdict()))
        else:
            lines += [indent + part for part in _call(content, steps, language)]
    # What was replaced by nothing leaves no line.
    return [line for number, line in enumerate(lines)
            if line.strip() or (number and lines[number - 1].strip())], steps


def _call(content, steps, language):
    call = _CALL.match(content)
    known = language.routine(call["routine"]) if call else None
    if not known:
        raise ValueError(f"template: {content}")
    variable = (call["variable"] or "").strip()
    steps.append(Call(known, split_arguments(call["arguments"]), re.sub(r".*\W", "", variable),
                      call["condition"] or "", call["result"] or ""))
    return language.lines(variable, call["cast"] or "", f"{call['routine']}({call['arguments']})", call["condition"], call["timed"])


# ---- The $names of a template ----


def _subset(index):
    """Every second routine is called by PEs 0, 2, 4, ... only."""
    if index % 2:
        return {"log": "1", "size": "((npes + 1) >> 1)", "member": " if me % 2 == 0:",
                "is_member": "me % 2 == 0"}
    return {"log": "0", "size": "npes", "member": "", "is_member": "npes > 0"}


def _areas(routine, index):
    """Where data lies: mostly in the symmetric heap, now and then in private or static memory."""
    target = source = "heap"
    if routine.family.word in ("put", "nonblocking") and "put" in routine.name:
        source = ("heap", "private")[index % 2]
    elif routine.family.word in ("get", "nonblocking"):
        target = ("heap", "private")[index % 2]
    if routine.test_class in (catalogue.PUT, catalogue.ATOMICS) and index % 5 == 4:
        target = "static"
    if routine.test_class == catalogue.GET and index % 5 == 4:
        source = "static"
    return target, source


AREA_NAMES = {("heap", 0): "target_area", ("heap", 1): "source_area", ("private", 0): "local_area",
              ("private", 1): "local_area", ("static", 0): "static_area", ("static", 1): "static_area"}


class Block:
    """The function that tests one routine."""

    def __init__(self, routine, index, defect, language, variant=""):
        self.routine, self.index, self.defect = routine, index, defect
        self.name = f"call_{routine.name}{variant}"
        self.areas = _areas(routine, index)
        self.shift, self.other_shift = 64 * (index % 5), 64 * (index % 7)
        type_ = routine.type or catalogue.TYPES["char"]
        c_type = type_.cxx if language == "cc" and type_.cxx else type_.c
        context = "ctx, " if routine.context else ""
        strided = "tst" in routine.roles
        substitutions = {
            "routine": routine.name, "type": c_type, "ctx": context,
            "only_ctx": context.rstrip(", "), "shift": str(self.shift),
            "other_shift": str(self.other_shift),
            "target_area": AREA_NAMES[self.areas[0], 0], "source_area": AREA_NAMES[self.areas[1], 1],
            "step": "STRIDE" if strided else "1", "strides": "STRIDE, STRIDE, " if strided else "",
            "from": "next" if "get" in routine.name else "previous", "sample": "99 & " if c_type == "char" else "-5 - ",
            "complete": self._completion()}
        subset = _subset(0 if "team" in routine.roles else index)
        work = f"({c_type} *)&work, " if "work" in routine.roles else ""
        substitutions.update(subset, block=f"(me >> {subset['log']})" if "alltoall" in routine.name else "0", team="SHMEM_TEAM_WORLD, " if "team" in routine.roles else "",
                             set=f", 0, {subset['log']}, {subset['size']}, {work}psync"
                             if "sync" in routine.roles else "")
        build = getattr(self, "_" + routine.family.template, None)
        if build:
            substitutions.update(build())
        body, self.steps = expand(read_template("c", routine.family.template + ".in"), substitutions)
        comment = [f"/* Known defect, so the target is not checked: {defect.reason}. */"] if defect else []
        body = [line for line in body if line.strip()]
        self.lines = [*comment, f"static void {self.name}(void)", "{", *body, "}", ""]

    def names(self, run):
        """What the names of places in calls mean."""
        target = run.place(self.areas[0], 0, self.shift)
        return {"target": target, "lock": target, "source": run.place(self.areas[1], 1, self.other_shift),
                "flag": run.flag(), "counter": run.flag(),
                **({"value": run.place("private", 0, 0)} if self.routine.family.template == "lock" else {})}

    @property
    def static(self):
        return "static" in self.areas

    def _completion(self):
        if self.routine.context:
            return "@ shmem_ctx_quiet(ctx)"
        return "@ shmem_quiet()" if self.routine.family.word == "nonblocking" else ""

    def _reduce(self):
        return {"contribution": CONTRIBUTIONS[self.routine.operation],
                "combine": COMBINATIONS[self.routine.operation]}

    def _barrier(self):
        everybody = "start" not in self.routine.roles
        subset = _subset(0 if everybody else self.index)
        arguments = f"0, {subset['log']}, {subset['size']}, psync"
        if everybody:
            arguments = "SHMEM_TEAM_WORLD" if self.routine.roles else ""
        return {**subset, "arguments": arguments,
                "complete": "@ shmem_quiet()" if self.routine.family.settings.get("quiet") else ""}

    def _order(self):
        context = "ctx_" if self.routine.context else ""
        put = "putmem_nbi" if self.routine.operation == "quiet" else "putmem"
        return {"put": f"shmem_{context}{put}", "flag_put": f"shmem_{context}long_p"}

    def _wait(self):
        kind, old, new, with_ = COMPARISONS[self.index % len(COMPARISONS)]
        if "comparison" not in self.routine.roles:
            old, new, arguments = 3, 5, "3"
        else:
            arguments = f"SHMEM_CMP_{kind}, {with_}"
        name = next(name for name, type_ in catalogue.TYPES.items() if type_ is self.routine.type)
        return {"old": str(old), "new": str(new), "arguments": arguments, "put_one": f"shmem_{name}_p"}

    _test = _wait

    def _atomic(self):
        settings = self.routine.family.settings
        operand = settings["operand"].format(by="me")
        context = "ctx" if self.routine.context else ""
        arguments = ", ".join(part for part in (context, "target", operand, "next") if part)
        call = f"{self.routine.name}({arguments})"
        before = "100 + {} % 20"
        after = settings["after"].format(before=before.format("me"), by="previous")
        type_ = self.routine.type.c
        if settings["fetches"]:
            call = f"{type_} result = {call} -> {before.format('next')}"
        check_result = (f"if (result != ({type_})({before.format('next')}))\n"
                        f'        fail("{self.routine.name}", "wrong result", 0);')
        check_target = (f"if (*target != ({type_})({after}))\n"
                        f'        fail("{self.routine.name}", "wrong data", 0);')
        return {"call": f"@timed {call}", "check_target": "" if self.defect else check_target,
                "check_result": check_result if settings["fetches"] else ""}

    def _context_create(self):
        option = ("0", "SHMEM_CTX_SERIALIZED", "SHMEM_CTX_PRIVATE")[self.index % 3]
        create = f"int failed = shmem_ctx_create({option}, &context)"
        destroy = "shmem_ctx_destroy(context)"
        timed = ("timed", "") if self.routine.name == "shmem_ctx_create" else ("", "timed")
        return {"create": f"@{timed[0]} {create}", "destroy": f"@{timed[1]} {destroy}"}

    def _lock(self):
        timed = ("timed", "") if "set" in self.routine.name else ("", "timed")
        return {"acquire": f"@{timed[0]} shmem_set_lock(lock)",
                "release": f"@{timed[1]} shmem_clear_lock(lock)"}

    def _allocate(self):
        name = self.routine.name
        old = not name.startswith("shmem")  # the names before OpenSHMEM 1.2: shmalloc, ...
        malloc, free = ("shmalloc", "shfree") if old else ("shmem_malloc", "shmem_free")
        call, timed = {
            "shmem_calloc": "shmem_calloc(BYTES, 1)", "shmem_align": "shmem_align(256, BYTES)",
            "shmemalign": "shmemalign(256, BYTES)",
            "shmemx_malloc_with_hint": "shmemx_malloc_with_hint(BYTES, 0)"}.get(name), "timed"
        if not call:
            call, timed = f"{malloc}(BYTES)", "timed" if name == malloc else ""
        fresh = resize = ""
        if "calloc" in name:
            fresh = ("for (size_t byte = 0; byte < BYTES; byte++)\n        if (target[byte]) {\n"
                     f'            fail("{name}", "not zero", byte);\n            break;\n        }}')
        if "realloc" in name:
            resize = (f"@timed target = (unsigned char *){name}(target, 2 * BYTES)\n"
                      f'    check_elements("{name}", target, 1, BYTES, 1, previous);\n'
                      "    @ shmem_barrier_all()")
        return {"allocate": f"@{timed} unsigned char *target = (unsigned char *){call}",
                "alignment": "256" if "align" in name else "8", "check_fresh": fresh,
                "resize": resize, "release": f"@{'timed' if name == free else ''} {free}(target)"}

    def _accessible(self):
        return {"arguments": "next" if self.routine.name == "shmem_pe_accessible" else "source, next"}

    def _plain(self):
        return {"arguments": "target" if self.routine.roles else ""}

    def _query(self):
        pes = "n" in self.routine.name.replace("shmem", "").replace("pe", "")
        return {"right": "npes" if pes else "me"}


class Program:
    """A test in C ("c") or C++ ("cc"): its text, and the steps of the list of calls."""

    def __init__(self, test, language, library, wanted):
        self.test, self.language, self.library = test, language, library
        routines = [routine for routine in catalogue.of_class(test.kind, library.routines)
                    if wanted(routine.name)]
        self.left_out = []  # (name, why)
        self.blocks = []
        for routine in routines:
            if lacks := test.lacks(routine):
                self.left_out.append((routine.name, lacks))
                continue
            defect = library.defect(routine.name)
            if defect and defect.kind == library_module.CRASHES:
                self.left_out.append((routine.name, defect.reason))
                continue
            variants = ("", "_serialized", "_private") if routine.name == "shmem_ctx_create" else ("",)
            for index, variant in enumerate(variants):
                block = Block(routine, index if len(variants) > 1 else len(self.blocks), defect, language, variant)
                needed = {step.routine.name for step in block.steps if isinstance(step, Call)}
                if missing := sorted(needed - library.routines):
                    self.left_out.append((routine.name, f"needs {', '.join(missing)}"))
                else:
                    self.blocks.append(block)
        self.unchecked = [(block.routine.name, block.defect.reason) for block in self.blocks
                          if block.defect]
        self.block_bytes = -(-16 * (test.elements + 1) * test.stride // 64) * 64
        self.per_pe = test.kind == catalogue.COLLECTIVES


    def generate(self, count):
        test = self.test
        uses_context = any(block.routine.context for block in self.blocks)
        sizes = [f"#define BLOCK ((size_t){self.block_bytes}) /* bytes of the largest elements */"]
        global_lines, epilogue, prologue = [], "", ""
        if test.kind == catalogue.MEMORY:
            sizes.append("#define BYTES ((size_t)ELEMENTS)")
        if test.kind in (catalogue.COLLECTIVES, catalogue.SYNCHRONIZATION) and any(
                "sync" in block.routine.roles for block in self.blocks):
            names = ["SHMEM_BCAST_SYNC_SIZE", "SHMEM_BARRIER_SYNC_SIZE", "SHMEM_COLLECT_SYNC_SIZE",
                     "SHMEM_REDUCE_SYNC_SIZE", "SHMEM_ALLTOALL_SYNC_SIZE", "SHMEM_ALLTOALLS_SYNC_SIZE"]
            global_lines.append("static long psync[" + " + \n                  ".join(names) + "];")
            prologue = ("    for (size_t i = 0; i < sizeof psync / sizeof *psync; i++)\n"
                        "        psync[i] = SHMEM_SYNC_VALUE;\n    @ shmem_barrier_all()\n")
        if any("work" in block.routine.roles for block in self.blocks):
            global_lines.append("static struct bits128 work[ELEMENTS / 2 + 1 + "
                                "SHMEM_REDUCE_MIN_WRKDATA_SIZE]\n    __attribute__((aligned(64)));")
        if any(block.static for block in self.blocks):
            global_lines.append("static unsigned char static_memory[SLACK + BLOCK] "
                                "__attribute__((aligned(64)));\n"
                                "static unsigned char *static_area = static_memory + GUARD_BYTES;")
        if uses_context:
            global_lines.append("static shmem_ctx_t ctx;")
            prologue += ("    @ int no_context = shmem_ctx_create(0, &ctx)\n    if (no_context)\n"
                         '        fail("shmem_ctx_create", "no context", 0);\n')
            epilogue += "    @ shmem_ctx_destroy(ctx)\n"
        substitutions = {
            "headline": f"Test {test.number}: {test.name.partition('_')[2]}, {test.elements} elements, "
                        f"stride {test.stride}, for {self.library}.",
            "includes": "#include <complex>\n" if self.language == "cc" and any(
                block.routine.type and block.routine.type.cxx for block in self.blocks) else "",
            "count": count, "elements": test.elements, "stride": test.stride,
            "sizes": "\n".join(sizes), "globals": "\n".join(global_lines),
            "functions": "\n".join(line for block in self.blocks for line in block.lines),
            "table": "\n".join(f'    {{"{block.routine.name}", {block.name}}},' for block in self.blocks),
            "blocks": "npes" if self.per_pe else "1",
            "prologue": prologue.rstrip(), "epilogue": epilogue.rstrip()}
        lines, self.steps = expand(read_template("c", "program.in"), substitutions)
        return "\n".join(lines) + "\n"
