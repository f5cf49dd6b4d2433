#!/usr/bin/env python3
# LONG
# PLAIN
"""Wrappers of the tracer: all that the library has is wrapped, with the declared types; they hand on
every argument and keep the right ones; the specification is refused where it is wrong, and what it
does not say is told."""

import os
import re
import shlex
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, in_parallel, run, scratch_directory, skip_all

GENERATE = os.path.join(ROOT, "src", "trace", "wrappers", "generate")
SPECIFICATION = os.path.join(ROOT, "src", "trace", "wrappers", "routines.xml")
STUB_15 = os.path.join(ROOT, "tests", "support", "stub", "openshmem-1.5")
LIBRARY = os.path.join(ROOT, "libshmemtrace.so")
SIZES = {"char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4,
         "unsigned int": 4, "float": 4, "int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2,
         "int32_t": 4, "uint32_t": 4, "double": 8, "int64_t": 8, "uint64_t": 8, "long long": 8,
         "unsigned long long": 8, "double _Complex": 16, "float _Complex": 8,
         **{name: struct.calcsize("l") for name in ("long", "unsigned long", "size_t", "ptrdiff_t")}}
# Which field a parameter gives, by its name in Open MPI's headers.
MEANING = {"pe": "peer", "len": "elements", "nelems": "elements", "nlong": "elements",
           "nreduce": "elements", "target": "target", "lock": "target", "source": "source",
           "tst": "target_stride", "dst": "target_stride", "sst": "source_stride",
           "ctx": "context_id", "PE_start": "set_start", "logPE_stride": "set_stride",
           "PE_size": "set_size", "PE_root": "root", "cmp": "comparison", "cond": "condition",
           "value": "value"}
FIELDS = ("peer elements bytes target source target_stride source_stride context_id set_start "
          "set_stride set_size root comparison condition value result options signal").split()
PES = 77
BARRIER, FAILED, POINTER = 1, 2, 4
# Of routines whose parameters do not say it by their names; arguments are 2, 3, ... in their order
# where they are numbers. Places are given by the number of the argument; RETURNED is what came back.
RETURNED = 5
SPECIAL = {
    "shmem_barrier_all": ({"set_start": 0, "set_stride": 1, "set_size": PES}, 0),
    "shmem_sync_all": ({"set_start": 0, "set_stride": 1, "set_size": PES}, 0),
    "shmemx_alltoall_global_nb": ({"elements": 4, "bytes": 4, "target": "@2", "source": "@3",
                                   "set_start": 0, "set_stride": 1, "set_size": PES}, 0),
    **{name: ({"bytes": 2, "target": "@5"}, BARRIER) for name in ("shmalloc", "shmem_malloc")},
    "shmem_calloc": ({"elements": 2, "bytes": 6, "target": "@5"}, BARRIER),
    **{name: ({"bytes": 3, "target": "@5", "options": 2}, BARRIER)
       for name in ("shmem_align", "shmemalign")},
    **{name: ({"bytes": 3, "target": "@5", "source": "@2"}, BARRIER)
       for name in ("shmem_realloc", "shrealloc")},
    **{name: ({"target": "@2"}, BARRIER) for name in ("shmem_free", "shfree")},
    "shmemx_malloc_with_hint": ({"bytes": 2, "target": "@5", "options": 3}, BARRIER),
    "shmem_ctx_create": ({"context_id": -1, "options": 2}, FAILED),
    "shmem_init_thread": ({"result": int.from_bytes(range(192, 196), "little", signed=True), "options": 2}, FAILED),
    "shmem_finalize": ({}, BARRIER),
    "shmem_global_exit": ({"value": 2}, 0),
    "globalexit": ({"value": 2}, 0),
    "shmem_addr_accessible": ({"target": "@2", "peer": 3}, 0),
    "shmem_ptr": ({"target": "@2", "peer": 3}, POINTER),
    **{name: ({}, 0) for name in ("start_pes", "shmem_info_get_version", "shmem_info_get_name",
                                  "shmem_query_thread")},
}

# A runtime that prints what it is told, in the place of src/trace/runtime/runtime.h.
RUNTIME = r"""
#ifndef SKAMPI_TRACE_RUNTIME_RUNTIME_H
#define SKAMPI_TRACE_RUNTIME_RUNTIME_H

#include <shmem.h>
#include <stddef.h>

#include "trace/entry.h"

struct trace_thread {
    bool inside;
};
enum trace_handle { TRACE_CONTEXT_HANDLE, TRACE_TEAM_HANDLE };

extern const struct trace_routine trace_routines[];
extern const unsigned trace_routine_count;
extern bool trace_results, trace_values;
extern int trace_pes;

uint64_t trace_now(void);
uint64_t trace_counter(void);
struct trace_thread *trace_begin(unsigned routine);
struct trace_thread *trace_begin_otherwise(unsigned routine);
struct trace_entry *trace_entry(struct trace_thread *thread, unsigned routine, unsigned n,
                                unsigned flags);
#define trace_entry_otherwise trace_entry
void trace_flag(struct trace_entry *entry, unsigned flags);
void trace_end(struct trace_thread *thread, const struct trace_entry *entry, unsigned n);
int64_t trace_handle_number(enum trace_handle kind, const void *handle);
void trace_handle_add(enum trace_handle kind, const void *handle);
struct trace_team_calls;
void trace_context_add(const void *context, const void *team, const struct trace_team_calls *calls);
struct trace_thread *trace_started(unsigned routine);
void trace_begun(struct trace_thread *thread);
void trace_finishing(void);
void trace_finished(void);
void trace_exiting(int status);
void trace_control(int level);

#endif
"""
MOCK = r"""
#include <inttypes.h>
#include <stdio.h>
#include "trace/runtime/runtime.h"

static char heap[65536] __attribute__((aligned(64)));
static struct trace_thread thread;
static bool started;
static uint64_t now;
bool trace_results, trace_values;
int trace_pes = PES;

uint64_t trace_now(void)
{
    return ++now;
}

uint64_t trace_counter(void)
{
    return ++now;
}

/* Every other call is not just recorded; with values, none is. */
struct trace_thread *trace_begin(unsigned routine)
{
    static int calls;
    return ++calls % 2 && !trace_values ? trace_begin_otherwise(routine) : NULL;
}

struct trace_thread *trace_begin_otherwise(unsigned routine)
{
    (void)routine;
    if (!started || thread.inside)
        return NULL;
    thread.inside = true;
    return &thread;
}

struct trace_entry *trace_entry(struct trace_thread *of, unsigned routine, unsigned n,
                                unsigned flags)
{
    static uint64_t room[ENTRY_MOST_BYTES / sizeof(uint64_t)];
    struct trace_entry *entry = (struct trace_entry *)room;
    (void)of;
    entry->of = entry_of(routine, n, flags);
    return entry;
}

void trace_flag(struct trace_entry *entry, unsigned flags)
{
    entry->of |= entry_of(0, 0, flags);
}

static int64_t place_of(int64_t address)
{
    uint64_t distance = (uint64_t)address - (uint64_t)(uintptr_t)heap;
    return distance < sizeof heap ? (int64_t)((uint64_t)TRACE_HEAP << TRACE_OBJECT_SHIFT | distance)
                                  : 0;
}

/* Between start and end only the library was called. */
void trace_end(struct trace_thread *ended, const struct trace_entry *entry, unsigned n)
{
    const struct trace_routine *routine = &trace_routines[entry_routine(entry->of)];
    const uint32_t places = 1u << TRACE_TARGET | 1u << TRACE_SOURCE;
    unsigned i = 0;
    ended->inside = false;
    if (n != entry_values(entry->of))
        printf("wrong number of values: ");
    printf("event %s %d %u", routine->name, (int)(entry->end - entry->start),
           entry_flags(entry->of));
    for (uint32_t left = routine->fields; i < n; left &= left - 1, i++)
        printf(" %" PRId64, left & -left & places ? place_of(entry->values[i]) : entry->values[i]);
    printf("\n");
}

int64_t trace_handle_number(enum trace_handle kind, const void *handle)
{
    (void)kind;
    return (int64_t)(intptr_t)handle;
}

void trace_handle_add(enum trace_handle kind, const void *handle)
{
    printf("created %d %p\n", (int)kind, handle);
}

void trace_context_add(const void *context, const void *team, const struct trace_team_calls *calls)
{
    if (team || calls)
        printf("a context of the team %p\n", team);
    (void)context;
}

struct trace_thread *trace_started(unsigned routine)
{
    printf("started %s\n", trace_routines[routine].name);
    started = thread.inside = true;
    return &thread;
}

void trace_begun(struct trace_thread *begun)
{
    (void)begun;
    printf("begun\n");
}

void trace_finishing(void)
{
    printf("finishing\n");
}

void trace_finished(void)
{
    printf("finished\n");
}

void trace_exiting(int status)
{
    printf("exiting %d\n", status);
}

void trace_control(int level)
{
    printf("control %d\n", level);
}

/* Every routine of this library calls another one, which is no event. Whether it is the application
 * that calls this one. */
static bool note(const char *name)
{
    static bool within;
    if (within)
        return false;
    within = true;
    if (thread.inside)
        shmem_long_add((long *)heap, 1, 0);
    within = false;
    printf("call %s", name);
    return true;
}

static void number(double value)
{
    printf(" %g", value);
}

static void place(const volatile void *address)
{
    printf(" @%ld", (long)((const volatile char *)address - heap) / 64);
}

static void handle(const volatile void *value)
{
    printf(" %ld", (long)(intptr_t)value);
}
"""
ENDING = r"""
int main(int argc, char **argv)
{
    /* Wrappers name it weakly, the application does not. */
    volatile shmem_ctx_t usual = SHMEM_CTX_DEFAULT;
    (void)usual, (void)argv;
    trace_results = argc > 1;
    trace_values = argc > 2;
    for (size_t i = 0; i < sizeof heap; i++)
        heap[i] = (char)(i % 251);
    every();
    return 0;
}
"""


def compiler():
    """What the tracer is compiled with."""
    with open(os.path.join(harness.build_directory(), "flags"), encoding="utf-8") as file:
        return [flag for flag in shlex.split(file.read())
                if not flag.startswith(("-fsanitize", "-O", "-g"))]


def libraries():
    with open(os.path.join(harness.build_directory(), "commands"), encoding="utf-8") as file:
        commands = file.read().strip()
    with open(os.path.join(harness.build_directory(), "flags"), encoding="utf-8") as file:
        return shlex.split(commands.removeprefix(file.read().strip()))


def generate(*options, folder=None, before=(), compile_with=None):
    """(Run, folder of what it wrote)."""
    folder = folder or scratch_directory()
    command, *flags = compile_with or compiler()
    return run([GENERATE, "--output", folder, *options, "--", command, *before, *flags],
               cwd=ROOT), folder


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def compiles(folder, *flags, with_=None):
    command, *others = with_ or compiler()
    return run([command, *flags, *others, "-Werror", "-fPIC",
                os.path.join(folder, "wrappers.c")], cwd=ROOT, timeout=100)


def wrapped(folder):
    """Names of the table."""
    return re.findall(r'^ *{"(\w+)", TRACE_', read(folder, "routines.c"), re.MULTILINE)


# ---- What there is, found in another way than the generator's ----


def declared():
    """{name: (type returned, [(type, name), ...])} of the headers."""
    done = subprocess.run([*compiler(), "-E", "-P", "-x", "c", "-"], input="#include <shmemx.h>\n",
                          capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        done = subprocess.run([*compiler(), "-E", "-P", "-x", "c", "-"], text=True, check=True,
                              input="#include <shmem.h>\n", capture_output=True, cwd=ROOT)
    text = re.sub(r"__attribute__ *\(\(.*?\)\)|\bextern\b|\bvolatile\b", " ", done.stdout)
    found = {}
    for returned, name, inside in re.findall(
            r"([\w *]+?[ *])((?:sh|start_pes|_?num_pes|_?my_pe|globalexit)\w*) *\(([^()]*)\);",
            re.sub(r"\s+", " ", text)):
        parameters = [re.fullmatch(r" *(.*?) *(\w+) *", part).groups()
                      for part in inside.split(",") if inside.strip() != "void"]
        found[name] = (returned.strip(), parameters)
    return found


def exports(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                            check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listed.splitlines()}


def openshmem():
    """Path of the library that the program here uses."""
    listed = subprocess.run(["ldd", harness.program()], capture_output=True, text=True,
                            check=False).stdout
    found = re.search(r"=> (\S*/lib\w*(?:shmem|sma)\w*\.so\S*)", listed)
    return found.group(1) if found else None


# ---- What wrappers do ----


def base(text):
    return re.sub(r"\b(const|_?_?restrict)\b|\*", "", text).strip()


def mock(routines):
    """The library and a program that calls every wrapper once."""
    parts = [MOCK.replace("PES", str(PES))]
    calls = []
    for name, (returned, parameters) in sorted(routines.items()):
        typed = ", ".join(f"{text} {word}" for text, word in parameters) or "void"
        prints = "".join(
            f"    {'place' if '*' in text else 'handle' if 'ctx_t' in text else 'number'}({word});\n"
            for text, word in parameters)
        value = ("" if returned == "void" else f"    return (void *)(heap + 64 * {RETURNED});\n"
                 if "*" in returned else f"    return {RETURNED};\n")
        parts.append(f"#undef {name}\n{returned} p{name}({typed});\n{returned} p{name}({typed})\n{{\n"
                     f"    if (!note(\"{name}\"))\n        goto end;\n{prints}    printf(\"\\n\");\n"
                     f"end:;\n{value}}}\n")
        arguments = [f"({text})(heap + 64 * {i})" if "*" in text else
                     f"({text})(intptr_t){i}" if "ctx_t" in text else f"({text}){i}"
                     for i, (text, _) in enumerate(parameters, 2)]
        calls.append(f"    {name}({', '.join(arguments)});\n")
    calls.sort(key=lambda call: "shmem_init(" not in call)
    return "".join([*parts, "static void every(void)\n{\n", *calls, "}\n", ENDING])


def number_of(kind, value):
    if kind == "float":
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if kind in ("double", "long double"):
        return struct.unpack("<q", struct.pack("<d", value))[0]
    return value


def sent(name, parameters):
    """The value that a small put writes: of bytes of the heap, as mock() fills it."""
    numbers = {word: i for i, (_, word) in enumerate(parameters, 2)}
    if "put" not in name or "signal" in name or "source" not in numbers:
        return {}
    fields = dict(expected_fields(name, "void", parameters, False))
    size, elements = fields["bytes"] // fields["elements"], fields["elements"]
    if fields["bytes"] > 8:
        return {}
    first = [64 * numbers["source"] + i * fields.get("source_stride", 1) * size for i in range(elements)]
    data = bytes((start + i) % 251 for start in first for i in range(size))
    return {"value": int.from_bytes(data.ljust(8, b"\0"), "little", signed=True)}


def expected_event(name, returned, parameters, results, values):
    """(flags, values) that a call by mock() is to leave."""
    if name in SPECIAL:
        fields, flags = SPECIAL[name]
    elif re.fullmatch(r"(shmem_)?_?(my_pe|n_pes|num_pes|pe_accessible)", name):
        fields, flags = {"peer": 2} if parameters else {}, 0
    else:
        fields, flags = dict(expected_fields(name, returned, parameters, results)), 0
        fields.update(sent(name, parameters) if values else {})
    kept = [fields[field] for field in FIELDS if field in fields]
    return flags, [(1 << 48) + 64 * int(value[1:]) if isinstance(value, str) else value for value in kept]


def expected_fields(name, returned, parameters, results):
    size = 0
    for text, word in parameters:
        if word in ("target", "source", "addr") and not size:
            digits = re.search(r"(\d+)(_nbi)?$", name)
            size = (SIZES.get(base(text), struct.calcsize("P") * 2) if base(text) != "void" else
                    int(digits.group(1)) // 8 if digits else 1)
    for i, (text, word) in enumerate(parameters, 2):
        field = MEANING.get(word)
        if word == "addr":
            field = "source" if re.search(r"_g$", name) else "target"
        if "*" in text and field:
            yield field, f"@{i}"
        elif field == "set_stride":
            yield field, 1 << i
        elif field:
            yield field, number_of(base(text), i) if field in ("value", "condition") else i
        if field == "elements":
            yield "bytes", i * size
    if re.search(r"_wait$", name):
        yield "comparison", 1
    atomic = re.search(r"_(f?add|finc|fetch|cswap|swap|fetch_\w+|compare_swap)$", name)
    if "_test" in name or results and atomic and returned != "void":
        yield "result", number_of(returned, RETURNED)


def behaviour(tap, folder, routines):
    """Every wrapper of the installed header: what it hands on, and what is kept."""
    os.makedirs(os.path.join(folder, "trace/runtime"))
    for path, text in (("mock.c", mock(routines)), ("trace/runtime/runtime.h", RUNTIME)):
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(text)
    command, *flags = compiler()
    program = os.path.join(folder, "mock")
    built = run([command, f"-I{folder}", *flags, "-w", "-O0", "-o", program,
                 *(os.path.join(folder, name) for name in ("mock.c", "wrappers.c", "routines.c")),
                 *libraries()], cwd=ROOT, timeout=100)
    if not tap.ok(built.status == 0, "a library that prints its calls is built", built):
        return
    for kept in ([], ["results"], ["results", "values"]):
        done = run([program, *kept], timeout=20)
        tap.equal(done.status, 0, f"all wrappers called, {' and '.join(kept) or 'nothing more'} kept", done)
        calls = dict(re.findall(r"^call (\w+)(.*)$", done.out, re.MULTILINE))
        events = re.findall(r"^event (\w+) (\d) (\d+)(.*)$", done.out, re.MULTILINE)
        wrong = []
        for name, (_, parameters) in routines.items():
            handed = " ".join(f"@{i}" if "*" in text else str(i)
                              for i, (text, _) in enumerate(parameters, 2))
            if calls.get(name, "none").strip() != handed:
                wrong.append(f"{name}: {calls.get(name)} instead of {handed}")
        tap.equal(wrong[:10], [], "arguments are handed on")
        tap.equal(sorted(name for name, *_ in events), sorted(routines),
                  "one event a call, none of calls inside the library")
        wrong = []
        for name, ticks, flags, values in events:
            wanted = expected_event(name, *routines[name], "results" in kept, "values" in kept)
            got = int(flags), [int(value) for value in values.split()]
            if got != wanted or int(ticks) != (name not in ("globalexit", "shmem_global_exit")):
                wrong.append(f"{name}{routines[name]}: {got} instead of {wanted}")
        tap.equal(wrong[:10], [], "flags and values of all events")
    tap.ok(sum(bool(sent(name, parameters)) for name, (_, parameters) in routines.items()) > 20,
           "... of which some write few bytes")
    tap.ok(re.search(r"call shmem_init\nstarted shmem_init\nevent shmem_init .*\nbegun\n", done.out),
           "the tracer starts behind shmem_init", done)
    tap.ok(re.search(r"finishing\ncall shmem_finalize\nevent shmem_finalize .*\nfinished\n", done.out),
           "the tracer ends around shmem_finalize")
    tap.ok(re.search(r"event shmem_global_exit .*\nexiting 2\ncall shmem_global_exit", done.out),
           "the tracer ends before shmem_global_exit")


# ---- The specification ----


def edited(*changes):
    """A specification in which each text, once there, is replaced."""
    text = read(SPECIFICATION)
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{old} is {text.count(old)} times in routines.xml")
        text = text.replace(old, new)
    path = os.path.join(scratch_directory(), "routines.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def line_of(path, text):
    return next(i for i, line in enumerate(read(path).splitlines(), 1) if text in line)


QUIET = '<routine name="shmem_[ctx_]{quiet,fence}" class="synchronization"/>'
BAD = [  # (what becomes of the line of quiet and fence, what is said)
    (QUIET.replace("synchronization", "sync"), "class: there is no 'sync', only put get"),
    (QUIET.replace("class=", "klass="), "the attribute class is missing"),
    (QUIET.replace("/>", ' colour="red"/>'), "has no attribute colour"),
    (QUIET.replace("/>", ' arguments="pee"/>'), 'no <argument name="pee">'),
    (QUIET.replace("/>", ' arguments="value"/>'), "types: arguments have type T"),
    (QUIET.replace("/>", ' types="small"/>'), "types: there is no 'small'"),
    (QUIET.replace("/>", ' types="int long"/>'), "{type} stands in it"),
    (QUIET.replace("/>", ' returns="void"/>'), "returns: there is no 'void'"),
    (QUIET.replace("/>", ' hook="later"/>'), "hook: there is no 'later'"),
    (QUIET.replace("/>", ' event="perhaps"/>'), "event: there is no 'perhaps'"),
    (QUIET.replace("/>", ' barrier="size"/>'), "barrier: there is no 'size', only always"),
    (QUIET.replace("/>", ' constants="pes=3"/>'), "'pes=3' is not FIELD=VALUE"),
    (QUIET.replace("/>", ' constants="root=x"/>'), "'x' is no value of root"),
    (QUIET.replace("/>", ' arguments="pe pe"/>'), "the field peer is given twice"),
    (QUIET.replace("{quiet,fence}", "{quiet"), "is no name"),
    (QUIET.replace("{quiet,fence}", "{quiet,quiet}"), "is there already, in line"),
    (QUIET.replace("/>", ">"), "no XML: mismatched tag"),
    ("<event/>", "<event> does not belong here"),
    ('<type name="int" c="int"/>', "'int' is there twice"),
    ('<type name="few" c="void"/>', "'' is no number of bytes"),
    ('<argument name="pe" type="int"/>', "'pe' is there twice"),
    ('<argument name="pe2" type="int" field="pe"/>', "field: there is no 'pe'"),
    ('<types name="few" list="int small"/>', "there is no type 'small'"),
]


def specification(tap):
    def refused(case):
        path = edited((QUIET, case[0]))
        return path, *generate("--specification", path)

    for (line, said), (path, done, folder) in in_parallel(BAD, refused):
        where = line_of(path, line.splitlines()[0])
        position = r"\d+" if "mismatched" in said else where
        tap.ok(done.status == 2 and len(done.err.splitlines()) == 1 and
               re.search(rf"routines\.xml:{position}: .*{re.escape(said)}", done.err) and
               not os.listdir(folder), f"refused: {said}", done)
    done, _ = generate("--specification", "/dev/null/routines.xml")
    tap.ok(done.status == 2 and "/dev/null/routines.xml" in done.err, "a file that is not there", done)


def coverage(tap, routines):
    done, folder = generate("--strict", "--depend", os.path.join(scratch_directory(), "wrappers.mk"))
    tap.ok(done.status == 0 and not done.err, "the header is as the specification says", done)
    library = openshmem()
    there = exports(library) & set(routines) if library else set()
    if library:
        tap.ok(len(there) > 500, f"{len(there)} routines declared and in {os.path.basename(library)}")
        share = len(there & set(wrapped(folder))) / len(there)
        tap.ok(share >= 0.99, f"{100 * share:.1f} % of them are wrapped",
               sorted(there - set(wrapped(folder))))
        tap.equal(sorted(set(wrapped(folder)) - there), [], "nothing else is")
        tap.ok(f"{len(wrapped(folder))} of {len(there)} routines" in done.out, "this is told", done)
    else:
        tap.skip("share of the library", "its name is not known")
    if os.path.exists(LIBRARY) and library:
        names = exports(LIBRARY)
        tap.equal(sorted(set(wrapped(folder)) - names), [], "the tracer here exports all of them")
        tap.equal(sorted(name for name in names if name.startswith("pshmem")), [],
                  "and leaves the twins alone")
    else:
        tap.skip("what the tracer exports", "it is not built")
    return folder


def differences(tap, routines):
    lock = '<routine name="shmem_{set,clear}_lock" class="lock" arguments="lock"/>\n'
    path = edited((lock, "\n"))
    done, folder = generate("--specification", path)
    text = read(folder, "wrappers.c")
    tap.ok(done.status == 0 and "shmem_set_lock" not in wrapped(folder) + [text] and
           not re.search(r"shmem_(set|clear)_lock\b", text),
           "a line less: no wrapper", done)
    tap.ok(re.search(r"shmem\.h:\d+: shmem_set_lock is not in the specification", done.err) and
           len(done.err.splitlines()) == 2, "and a warning", done)
    tap.ok(re.search(r"not in the specification: +2  shmem_clear_lock shmem_set_lock",
                     read(folder, "coverage.txt")), "and a line in the report")
    done, folder = generate("--specification", path, "--strict")
    tap.ok(done.status == 2 and "not as in" in done.err and
           os.listdir(folder) == ["coverage.txt"], "--strict: an error", done)

    done, folder = generate("--specification", edited((lock, lock.replace("/>", ' event="no"/>'))),
                            "--strict")
    tap.ok(done.status == 0 and not done.err and "shmem_set_lock" not in wrapped(folder),
           'event="no": no wrapper, no warning', done)

    done, folder = generate("--specification", edited((lock, lock.replace("/>", ' event="off"/>'))))
    tap.ok(done.status == 0 and re.search(r"0, /\* shmem_set_lock \*/", read(folder, "routines.c")),
           'event="off": recorded when asked for', done)

    done, folder = generate("--specification", edited(
        ('class="lock" arguments="lock"/>\n', 'class="lock" arguments="lock pe"/>\n')), "--strict")
    tap.ok(done.status == 2 and re.search(
        r"shmem\.h:\d+: shmem_set_lock: it has 1 arguments, not 2 as in \S*routines\.xml:\d+", done.err),
        "another number of arguments", done)
    done, folder = generate("--specification", edited(
        (lock, lock.replace('arguments="lock"', 'arguments="pe"'))))
    tap.ok(done.status == 0 and re.search(r"shmem_set_lock: argument 1 is (volatile )?long \*, not int",
                                          done.err)
           and "shmem_set_lock" not in wrapped(folder), "another type of an argument", done)
    done, folder = generate("--specification", edited(
        (lock, lock.replace("/>", ' returns="truth"/>'))))
    tap.ok("shmem_set_lock: it returns void, not int" in done.err, "another type returned", done)
    done, folder = generate("--specification", edited(
        ('<routine name="shmem_finalize" class="setup" barrier="always" hook="finishing"/>', "")))
    tap.ok(done.status == 2 and 'hook="finishing"' in done.err, "a tracer that would not end", done)

    with open(os.path.join(scratch_directory(), "shmem.h"), "w", encoding="utf-8") as file:
        file.write("#include_next <shmem.h>\nstruct thing { int x; };\nint shmem_new_thing(int pe);\n"
                   "static inline int shmem_mine(int x) { return x; }\n"
                   "void shmem_odd(void (*f)(int), int (*table)[3]);\n")
    before = [f"-I{os.path.dirname(file.name)}"]
    done, folder = generate("--no-library", before=before)
    tap.ok(done.status == 0 and re.search(
        r"/shmem\.h:3: shmem_new_thing is not in the specification; its calls are not traced",
        done.err) and "/shmem.h:5: shmem_odd" in done.err and "shmem_mine" not in done.err,
        "a declaration that the specification does not know is told", done)
    done, _ = generate("--no-library", "--strict", before=before)
    tap.ok(done.status == 2, "--strict: an error", done)
    done, folder = generate(before=before)
    tap.ok(done.status == 0 and not done.err and "shmem_new_thing" in read(folder, "coverage.txt"),
           "unless the library does not have it", done)

    done, _ = generate(compile_with=["/dev/null/cc"])
    tap.ok(done.status == 2 and "/dev/null/cc" in done.err, "a compiler that is not there", done)
    done, _ = generate(compile_with=[compiler()[0], "-nostdinc"])
    tap.ok(done.status == 2 and "shmem.h cannot be read" in done.err, "a header that is not there", done)
    done, _ = generate("--libs=-lnowhere")
    tap.ok(done.status == 2 and "can be linked" in done.err, "a library that is not there", done)
    done, _ = generate(folder="/proc/nowhere")
    tap.ok(done.status == 2 and "/proc/nowhere" in done.err and len(done.err.splitlines()) == 1,
           "a folder that cannot be written", done)
    tap.ok(routines, "there are routines")


def openshmem15(tap):
    gcc = shutil.which("gcc") or shutil.which("cc")
    with_ = [gcc, f"-I{STUB_15}", "-std=gnu11", "-Wall", "-Wextra", "-I" + os.path.join(ROOT, "src")]
    done, folder = generate("--no-library", "--strict", compile_with=with_)
    names = set(wrapped(folder)) if done.status == 0 else set()
    wanted = {f"shmem_{name}" for name in (
        "team_split_strided", "team_sync", "int_sum_reduce", "double_alltoalls", "broadcastmem",
        "putmem_signal", "ctx_long_put_signal_nbi", "signal_wait_until", "int_wait_until_all",
        "uint64_test_some_vector", "ctx_size_atomic_fetch_add_nbi", "malloc_with_hints", "pcontrol")}
    tap.ok(len(names) > 1400 and wanted <= names, f"OpenSHMEM 1.5: {len(names)} routines are wrapped",
           f"{done}{sorted(wanted - names)}")
    built = compiles(folder, "-fsyntax-only", with_=with_)
    tap.ok(built.status == 0, "they have the declared types and compile without a warning", built)
    table = read(folder, "routines.c")
    for name, mask in (
            ("shmem_int_sum_reduce", "ELEMENTS BYTES TARGET SOURCE SET_START SET_STRIDE SET_SIZE"),
            ("shmem_signal_wait_until", "TARGET COMPARISON VALUE RESULT"),
            ("shmem_ctx_float_put_signal",
             "PEER ELEMENTS BYTES TARGET SOURCE CONTEXT_ID VALUE OPTIONS SIGNAL"),
            ("shmem_long_wait_until_some", "ELEMENTS TARGET COMPARISON VALUE RESULT"),
            ("shmem_team_sync", "SET_START SET_STRIDE SET_SIZE")):
        found = re.search(rf'"{name}".*?, ([^,]*)}}', table)
        tap.equal(found and re.findall(r"TRACE_(\w+)", found.group(1)), mask.split(), f"fields of {name}")


def preloaded(tap):
    """What the library that is built does to programs."""
    if not os.path.exists(LIBRARY):
        tap.skip("the tracer and programs", "it is not built")
        return
    done = run(["/bin/echo", "here"], {"LD_PRELOAD": LIBRARY, "LD_BIND_NOW": "1"})
    tap.ok(done.status == 0 and done.out == "here\n" and not done.err,
           "programs without OpenSHMEM start with it", done)
    folder = scratch_directory()
    program = os.path.join(folder, "linked")
    with open(program + ".c", "w", encoding="utf-8") as file:
        file.write("#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <shmem.h>\n#include <stdio.h>\n"
                   "int main(void)\n{\n    Dl_info info;\n    void *volatile put = (void *)shmem_long_put;\n"
                   "    return !dladdr(put, &info) || puts(info.dli_fname) < 0;\n}\n")
    command, *flags = compiler()
    built = run([command, *flags, "-fPIC", "-o", program, program + ".c", f"-L{ROOT}", "-lshmemtrace",
                 f"-Wl,-rpath,{ROOT}", *libraries()], cwd=ROOT)
    done = run([program]) if built.status == 0 else built
    tap.ok(done.status == 0 and done.out.strip().endswith("libshmemtrace.so"),
           "linked before the library, it is called instead", done)


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    if not shutil.which("nm"):
        skip_all("no nm")
    tap = Tap()
    routines = declared()
    folder = coverage(tap, routines)
    specification(tap)
    differences(tap, routines)
    openshmem15(tap)
    preloaded(tap)

    names = set(wrapped(folder))
    done, folder = generate("--no-library")
    tap.equal(done.status, 0, "a library that has all twins", done)
    built = compiles(folder, "-fsyntax-only")
    tap.ok(built.status == 0, "wrappers have the declared types and compile without a warning", built)
    present = set(wrapped(folder))
    behaviour(tap, folder, {name: what for name, what in routines.items() if name in present})
    tap.ok(names <= set(routines), "all wrappers were called", sorted(names - set(routines)))
    tap.done()


main()
