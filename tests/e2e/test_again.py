#!/usr/bin/env python3
# TIMEOUT: 120
"""skampi-again repeats the run that a header describes, refuses another one with the differences, and says of both whether
the numbers are reproduced; headers state launcher and modules in all formats."""

import json
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import (ROOT, Tap, block, has, launch_environment, optional, read_text, run, scratch_directory, skampi, skip_all,
                     write_text)
from made_results import point, write
from skampi_tools import results

if not optional("numpy"):
    skip_all("numpy is not installed")

AGAIN = os.path.join(ROOT, "scripts/skampi-again")
tap = Tap()
folder = scratch_directory()


def path(name):
    return os.path.join(folder, name)


def again(*arguments, **environment):
    return run([AGAIN, *arguments], cwd=folder, env={**os.environ, **launch_environment(), **environment})


# ---- With a program whose times are made ----

FAKE = f"""#!{sys.executable}
import os, sys
sys.path.insert(0, {os.path.join(ROOT, 'tests/support/lib')!r})
from made_results import point, write
path, factor = sys.argv[sys.argv.index("-o") + 1], float(os.environ.get("FAKE_FACTOR", "1"))
noise = 1 + 0.001 * (sum(map(ord, path)) % 7)
with open("said", "a") as file:
    print(*sys.argv[1:], os.environ.get("UCX_TLS"), file=file)
write(path, [point("b", "F", {{"count": 8 * 4 ** n}}, 1e-6 * noise * (factor if n else 1)) for n in range(3)],
      header={{"library": os.environ.get("FAKE_LIBRARY", "made library 1.0"), "environment": {{"UCX_TLS": "tcp"}},
              "modules": os.environ.get("LOADEDMODULES", "").split(":")}})
"""
write_text(path("fake"), FAKE, 0o755)
write_text(path("my ski.ski"), "x = 1\n")
HEADER = {"launcher": "env LAUNCHED=1", "command_line": f"{path('fake')} -i 'my ski.ski' --seed 3 -o old.json --force",
          "environment": {"UCX_TLS": "tcp"}, "modules": ["gcc/12", "made/1.0"]}
MODULES = {"LOADEDMODULES": "gcc/12:made/1.0"}
os.mkdir(path("old"))
for number in range(10):
    write(path(f"old/{number}.json"), [point("b", "F", {"count": 8 * 4 ** n}, 1e-6 * (1 + 0.001 * (number % 7))) for n in range(3)],
          header=HEADER)

made = again("old", "--dry-run")
words = shlex.split(made.out)
tap.ok(made.status == 0 and words == ["env", "UCX_TLS=tcp", "env", "LAUNCHED=1", os.path.realpath(path("fake")), "-i", "my ski.ski",
                                      "--seed", "3", "-o", "old.again/0001.json"] and not os.path.exists(path("old.again")),
       "--dry-run shows the command: launcher, settings, script, options", made)
write(path("own.json"), [point("b", "F", {"count": 8}, 1e-6)], header={
    **HEADER, "environment": {"SHMEM_SYMMETRIC_HEAP_ALLOCATOR": "ptmalloc", "UCX_TLS": "tcp"}})
made = again("own.json", "--dry-run")
tap.equal(shlex.split(made.out)[:3], ["env", "UCX_TLS=tcp", "env"], "... but not what the library sets itself", made)
for factor, status, word in (("1", 0, "reproduced"), ("1.5", 1, "differs")):
    made = again("old", "-o", word, FAKE_FACTOR=factor, **MODULES)
    tap.ok(made.status == status and f"; new against old: {word}\n" in made.out and
           sorted(name for name in os.listdir(path(word)) if name.endswith(".json")) == [f"{n:04}.json" for n in range(1, 11)],
           f"{word}, of as many launches", made)
said = read_text(path("said")).splitlines()
tap.ok(len(said) == 22 and said[0].endswith("--time-limit 1 tcp") and said[1] == "-i my ski.ski --seed 3 -o reproduced/0001.json tcp",
       "a short run comes first", said[:2])
before = os.stat(path("reproduced/0001.json")).st_mtime_ns
os.remove(path("reproduced/0002.json"))
made = again("old", "-o", "reproduced", **MODULES)
tap.ok(made.status == 0 and os.stat(path("reproduced/0001.json")).st_mtime_ns == before and
       os.path.exists(path("reproduced/0002.json")), "what is complete is not measured again", made)
one = again("old/0.json", "-k", "4", "-o", "one", "--script", "my ski.ski", **MODULES)
tap.ok(one.status == 3 and "new against old: cannot tell" in one.out, "a single launch: you cannot tell", one)

for environment, words in (({}, "modules: gcc/12, made/1.0 -> not stated"),
                           ({"FAKE_LIBRARY": "other 2.0", **MODULES}, "library: made library 1.0 -> other 2.0")):
    made = again("old", "-o", "other", **{"LOADEDMODULES": "", **environment})
    tap.ok(made.status == 2 and f"differs: {words}" in made.err and "--anyway" in made.err and
           not any(name.endswith(".json") for name in os.listdir(path("other"))), f"refused: {words}", made)
made = again("old", "-o", "other", "--anyway", FAKE_LIBRARY="other 2.0", **MODULES)
tap.ok(made.status == 0 and "library: made library 1.0 | other 2.0" in made.out, "--anyway measures, and says what differs", made)

for name, header, words in (
        ("launcher", {"launcher": ""}, "does not state the launcher's command: give yours, such as --launch 'srun -n {pes}'"),
        ("command", {"command_line": ""}, "does not state the command line"),
        ("script", {"command_line": "skampi -i nowhere.ski"}, "missing: the script nowhere.ski"),
        ("start", {"launcher": "nolauncher -n 2"}, "there is no such launcher")):
    write(path(f"{name}.json"), [point("b", "F", {"count": 8}, 1e-6)], header={**HEADER, **header})
    made = again(f"{name}.json", "-o", f"{name}.out")
    tap.ok(made.status == 2 and words in made.err and not os.path.exists(path(f"{name}.out")), f"missing: {name}", made)
made = again("launcher.json", "--launch", "env N={pes}", "--dry-run")
tap.ok(made.status == 0 and " env N=2 " in made.out, "--launch takes its place", made)
tap.ok("no such script" in again("old", "--script", "no.ski").err, "--script that is not there")

# ---- With skampi itself ----

name = "Shmem_Barrier" if has("shmem") else "MPI_Barrier"
made = skampi(block("b", f"measure comm(2) : {name}()"), args=["-s", "-o", "a.json", "-o", "a.sko"],
              env={"LOADEDMODULES": "gcc/12:made/1.0"})
with open(made.path("a.json"), encoding="utf-8") as file:
    header = json.loads(file.readline())
tap.equal(header.get("modules"), ["gcc/12", "made/1.0"], "the header states modules")
tap.ok(os.path.basename(shlex.split(header.get("launcher", "none"))[0]) != "none", "... and the launcher", header)
classic = results.read(made.path("a.sko")).header
tap.equal([classic.get(member) for member in ("launcher", "modules")], [header.get(member) for member in ("launcher", "modules")],
          "... also in .sko")
os.rename(made.path("a.json"), path("real.json"))
made = again("real.json", "-k", "2", "-o", "real", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **MODULES)
files = [results.read(path(f"real/{n:04}.json")) for n in (1, 2)] if made.status in (1, 3) else []
tap.ok(len(files) == 2 and all(len(file.results) == 1 for file in files) and os.path.exists(path("real/test.ski")),
       "the copy of the script in the results is enough", made)
tap.done()
