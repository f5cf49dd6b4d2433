#!/usr/bin/env python3
# PLAIN
"""Traces say in which function and line a program calls: of programs and libraries, with and without debugging
information, several calls deep, when the file has changed, and in exports."""

import collections
import csv
import io
import json
import os
import re
import shlex
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
from harness import ROOT, Tap, has, launch_line, run, scratch_directory, skip_all

SHMEMTRACE = os.path.join(ROOT, "shmemtrace")
if not has("SHMEM") or not os.path.exists(os.path.join(ROOT, "libshmemtrace.so")):
    skip_all("no tracer was built")

# Each line with a call has its name at its end.
APPLICATION = r"""
#include <dlfcn.h>
#include <shmem.h>
static long data[4];
extern void in_library(long *data, int pe);
__attribute__((noinline)) void inner(int pe)
{
    shmem_long_p(data, 1, pe); /* inner */
    __asm__ volatile("");
}
__attribute__((noinline)) void outer(int pe)
{
    inner(pe); /* outer */
    __asm__ volatile("");
}
static inline __attribute__((always_inline)) void finish(void)
{
    shmem_finalize(); /* finalize */
}
int main(int argc, char **argv)
{
    shmem_init(); /* init */
    int next = (shmem_my_pe() + 1) % shmem_n_pes();
    for (int i = 0; i < 10; i++) {
        outer(next); /* first */
        outer(next); /* second */
        in_library(data, next);
    }
    void *opened = dlopen(argv[argc - 1], RTLD_NOW);
    void (*late)(long *, int) = 0;
    if (opened)
        *(void **)&late = dlsym(opened, "late");
    if (!late)
        shmem_global_exit(3);
    for (int i = 0; i < 5; i++)
        late(data, next);
    shmem_barrier_all(); /* barrier */
    finish();
    return 0;
}
"""
LIBRARY = r"""
#include <shmem.h>
void {}(long *data, int pe)
{{
    shmem_long_get(data + 1, data, 1, pe); /* {} */
    __asm__ volatile("");
}}
"""
PES = 2
# By PE: routine and mark of its line: calls.
CALLS = {("shmem_init", "init"): 1, ("shmem_long_p", "inner"): 20, ("shmem_long_get", "in_library"): 10,
         ("shmem_long_get", "late"): 5, ("shmem_barrier_all", "barrier"): 1, ("shmem_finalize", "finalize"): 1}
FUNCTIONS = {"init": "main", "barrier": "main", "finalize": "finish", "inner": "inner", "in_library": "in_library",
             "late": "late"}
folder = scratch_directory()
tap = Tap()


def path(name):
    return os.path.join(folder, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)


def compile_c(source, output, *options):
    with open(os.path.join(harness.build_directory(), "flags"), encoding="utf-8") as file:
        compiler = shlex.split(file.read())[0]
    done = run([compiler, "-O1", path(source), "-o", path(output), *options])
    assert done.status == 0, done


write("app.c", APPLICATION)
for name in ("in_library", "late"):
    write(name + ".c", LIBRARY.format(name, name))
    compile_c(name + ".c", f"lib{name}.so", "-shared", "-fPIC", "-g")
LINK = ("-L" + folder, "-lin_library", "-Wl,-rpath," + folder, "-ldl")
SOURCES = {name: text.splitlines() for name, text in
           [("app.c", APPLICATION), *((f"{n}.c", LIBRARY.format(n, n)) for n in ("in_library", "late"))]}
LINES = {match[1]: f"{name}:{number}" for name, lines in SOURCES.items()
         for number, line in enumerate(lines, 1) if (match := re.search(r"/\* (\w+) \*/$", line))}


def record(program, *options):
    trace = os.path.join(scratch_directory(), "trace")
    done = run([SHMEMTRACE, "-o", trace, *options,
                *launch_line(PES, [path(program), path("liblate.so")])], timeout=60)
    assert done.status == 0, done
    return trace


def dump(trace, *options):
    done = run([SHMEMTRACE, "dump", "--csv", *options, trace])
    return done, list(csv.DictReader(io.StringIO(done.out)))


def calls(rows):
    return collections.Counter((row["pe"], row["routine"], row["site"]) for row in rows)


def expected(text):
    return collections.Counter({(str(pe), routine, text(mark)): count for pe in range(PES)
                                for (routine, mark), count in CALLS.items()})


def line_of(mark):
    return f"{FUNCTIONS[mark]} ({LINES[mark]})"


# ---- Lines: of position-independent programs and others, of libraries, also of one that is opened late ----

for kind, options in (("position-independent", ("-fPIE", "-pie")), ("fixed", ("-fno-PIE", "-no-pie"))):
    compile_c("app.c", kind, "-g", *options, *LINK)
    traced = record(kind)
    shown, rows = dump(traced)
    tap.equal(calls(rows), expected(line_of), f"every call has its line: {kind} program", shown)

shown = run([SHMEMTRACE, "dump", "--pe", "0", "--only", "barrier_all", traced])
tap.ok(shown.out.endswith(f" at {line_of('barrier')}\n"), "dump as text shows it, too", shown)
shown = run([SHMEMTRACE, "summary", "--json", traced])
summary = json.loads(shown.out)
tap.equal(collections.Counter({(site["routine"], site["site"]): site["calls"] for site in summary["sites"]}),
          collections.Counter({(routine, line_of(mark)): PES * count for (routine, mark), count in CALLS.items()}),
          "summary adds up calls by site", shown)
tap.equal({(site["file"], site["line"]) for site in summary["sites"] if site["routine"] == "shmem_long_p"},
          {(path("app.c"), int(LINES["inner"].split(":")[1]))}, "... and names the file", shown)
shown = run([SHMEMTRACE, "summary", traced])
tap.ok(re.search(rf"^shmem_long_p +{PES * 20} .* {re.escape(line_of('inner'))}$", shown.out, re.MULTILINE),
       "... also as text", shown)

# ---- A trace of a program that was killed ----

cut = path("cut.trace")
whole = os.path.join(traced, "pe-00001.trace")
with open(whole, "rb") as file:
    content = file.read()
block = content.rindex(b"SBLK")
with open(cut, "wb") as file:
    file.write(content[:block] + content[block:block + 100])
shown, rows = dump(cut)
tap.ok(shown.status == 1 and "ends within a block" in shown.err, "a cut trace is read to the cut", shown)

# ---- Deeper ----

traced_deep = record("position-independent", "--callsites", "3")
shown, rows = dump(traced_deep, "--only", "shmem_long_p,shmem_init,shmem_finalize")
found = calls(rows)
main = "main (app.c:{})".format
number = {mark: APPLICATION.splitlines().index(line) + 1 for mark in ("outer", "first", "second")
          for line in APPLICATION.splitlines() if line.endswith(f"/* {mark} */")}
tap.equal(found, collections.Counter({
    (str(pe), "shmem_long_p", f"{line_of('inner')} < outer (app.c:{number['outer']}) < {main(number[way])}"): 10
    for pe in range(PES) for way in ("first", "second")}
    | {(str(pe), f"shmem_{mark}", line_of(mark)): 1 for pe in range(PES) for mark in ("init", "finalize")}),
    "with --callsites 3, the calls above are kept, up to main, or to what the compiler has put into it", shown)
shown, rows = dump(record("position-independent", "--callsites", "0"))
tap.equal({row["site"] for row in rows}, {""}, "with --callsites 0, nothing", shown)
for ring in ("256K", "32M"):
    shown, rows = dump(record("position-independent", "--callsites", "2", "--ring", ring), "--only", "shmem_long_p")
    tap.equal({row["site"] for row in rows}, {f"{line_of('inner')} < outer (app.c:{number['outer']})"},
              f"a ring of {ring} keeps them, too", shown)
for wrong in ("17", "-1", "1-2", "x", ""):
    refused = run([SHMEMTRACE, f"--callsites={wrong}", *launch_line(PES, [path("position-independent")])], cwd=folder)
    tap.ok(refused.status == 2 and "give a number from 0 to 16" in refused.err, f"--callsites={wrong} is refused",
           refused)

# ---- Without debugging information, or without the file ----

compile_c("app.c", "plain", "-g0", *LINK)
shown, rows = dump(record("plain"), "--only", "shmem_long_p,barrier_all")
tap.ok(all(re.fullmatch({"shmem_long_p": r"inner(\+0x[0-9a-f]+| \(plain\+0x[0-9a-f]+\))",
                         "shmem_barrier_all": r"main(\+0x[0-9a-f]+| \(plain\+0x[0-9a-f]+\))"}[row["routine"]], row["site"])
           for row in rows) and len(rows) == PES * 21, "without -g: function and distance", shown)
compile_c("app.c", "stripped", "-g0", "-s", *LINK)
trace = record("stripped")
shown, rows = dump(trace, "--only", "shmem_long_p,barrier_all")
tap.ok(all(re.fullmatch(r"(\w+ \()?stripped\+0x[0-9a-f]+\)?", row["site"]) for row in rows), "stripped: addresses", shown)
before = {row["site"] for row in rows}
os.rename(path("stripped"), path("moved"))
shown, rows = dump(trace, "--only", "shmem_long_p,barrier_all")
tap.ok({row["site"] for row in rows} == before and shown.status == 0 and
       re.search(r"^shmemtrace dump: .*stripped: No such file .*shown as addresses$", shown.err, re.MULTILINE)
       and shown.err.count("stripped") == 1, "a file that is gone: addresses, and one line says so", shown)
write("app.c", APPLICATION.replace("data[4]", "data[40]"))
shutil.copy(path("position-independent"), path("original"))
compile_c("app.c", "position-independent", "-g", "-fPIE", "-pie", *LINK, "-Wl,--build-id=0x0102030405060708")
shown, rows = dump(traced_deep, "--only", "shmem_init")
tap.ok(all(re.match(r"position-independent\+0x", row["site"]) for row in rows) and
       "has changed since the trace was recorded" in shown.err, "a file of another build is not believed", shown)
shutil.copy(path("original"), path("position-independent"))

# ---- Sources elsewhere ----

os.makedirs(path("elsewhere"))
shutil.copy(path("app.c"), path("elsewhere/app.c"))
shown, rows = dump(traced_deep, "--only", "barrier_all", "--source-root", folder)
tap.ok(all(row["site"] == line_of("barrier") for row in rows), "--source-root names sources from there on", shown)
shown = run([SHMEMTRACE, "summary", "--json", "--source-root", path("elsewhere"), traced_deep])
tap.ok(path("elsewhere/app.c") in {site.get("file") for site in json.loads(shown.out)["sites"]},
       "... and finds those that have moved", shown)

# ---- Exports ----

done = run([SHMEMTRACE, "export", "--chrome", path("app.json"), "--perfetto", path("app.pftrace"), "--paraver", path("app"),
            traced])
tap.equal(done.status, 0, "export", done)
with open(path("app.json"), encoding="utf-8") as file:
    chrome = [event for event in json.load(file)["traceEvents"] if "dur" in event and event["tid"] < 1000000]
tap.equal(collections.Counter((str(event["pid"]), event["name"], event["args"]["site"]) for event in chrome),
          expected(line_of), "the export to Chrome has sites")
with open(path("app.pcf"), encoding="utf-8") as file:
    meanings = {number: dict(re.findall(r"^(\d+) +(.*)$", values, re.MULTILINE)) for number, values in re.findall(
        r"^EVENT_TYPE\n0 +(\d+) .*\nVALUES\n((?:.+\n)*)", file.read(), re.MULTILINE)}
ROUTINE_EVENT, SITE_EVENT = "64000001", "64000006"
paraver = collections.Counter()
with open(path("app.prv"), encoding="utf-8") as file:
    for line in file:
        kind, _, _, task, _, _, *pairs = line.strip().split(":")
        values = dict(zip(pairs[::2], pairs[1::2]))
        if kind == "2" and values.get(ROUTINE_EVENT, "0") != "0":
            paraver[str(int(task) - 1), meanings[ROUTINE_EVENT][values[ROUTINE_EVENT]],
                    meanings[SITE_EVENT][values[SITE_EVENT]]] += 1
tap.equal(paraver, expected(line_of), "the export to Paraver has sites")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def message(data):
    """{field: [values]}, by the rules of Protocol Buffers: integers, and bytes of what is longer."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        else:
            assert tag & 7 == 2, tag
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length
        fields[tag >> 3].append(value)
    return fields


def perfetto_calls(data):
    """(pid, track's name, routine, start, end, {argument: value}), by trace_packet.proto and what it includes."""
    processes, tracks, sequences, found = {}, {}, {}, []
    for packet in map(message, message(data)[1]):
        if 60 in packet:
            track = message(packet[60][0])
            if 3 in track:
                processes[track[1][0]] = message(track[3][0])[1][0]
            else:
                tracks[track[1][0]] = (processes[track[5][0]], track[2][0].decode())
        if packet.get(13) == [1]:
            clocks = [message(clock) for clock in message(packet[6][0])[1]]
            assert [clock[1][0] for clock in clocks] == [64, 6] and clocks[0][3] == [1]
            defaults = message(packet[59][0])
            assert defaults[58] == [64]
            sequences[packet[10][0]] = {"time": clocks[0][2][0], "track": message(defaults[11][0])[11][0],
                                        "open": [], "names": collections.defaultdict(dict)}
        if 11 not in packet:
            continue
        sequence = sequences[packet[10][0]]
        for kind, named in message(packet[12][0]).items() if 12 in packet else ():
            for one in map(message, named):
                sequence["names"][kind][one[1][0]] = one[2][0].decode()
        sequence["time"] += packet[8][0]
        event = message(packet[11][0])
        if event[9] == [2]:
            found.append((*tracks[sequence["track"]], *sequence["open"].pop(0), sequence["time"]))
            continue
        arguments = {}
        for argument in map(message, event[4]):
            name = sequence["names"][3][argument[1][0]]
            arguments[name] = (sequence["names"][29][argument[17][0]] if 17 in argument else argument.get(4, [None])[0])
        sequence["open"].append((sequence["names"][2][event[10][0]], sequence["names"][1][event[3][0]], arguments,
                                 sequence["time"]))
    return found


with open(path("app.pftrace"), "rb") as file:
    perfetto = perfetto_calls(file.read())
tap.equal(collections.Counter((str(pid - 1), name, arguments["site"]) for pid, _, name, _, arguments, _, _ in perfetto),
          expected(line_of), "the export to Perfetto has all calls, with sites")
tap.equal(sorted((event["pid"], event["name"], event["cat"], round(1000 * event["dur"])) for event in chrome),
          sorted((pid - 1, name, category, end - start) for pid, _, name, category, _, start, end in perfetto),
          "... and the same durations as Chrome's")
tap.equal({(arguments["peer"], arguments["value"]) for _, _, name, _, arguments, _, _ in perfetto
           if name == "shmem_long_p"}, {(pe, 1) for pe in range(PES)}, "... and parameters")
sizes = [os.path.getsize(path(name)) for name in ("app.json", "app.pftrace")]
tap.ok(sizes[0] > 4 * sizes[1], "... in much less space", sizes)

tap.done()
