#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 240
"""The job files in scripts/jobs run campaigns over PEs and placements under Slurm, PBS, LSF and Flux (stand-ins
for them), within the time of the job; skampi-job asks for enough of it."""

import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, in_parallel, read_text, run, scratch_directory, write_text

JOBS = os.path.join(ROOT, "scripts/jobs")
JOB = os.path.join(ROOT, "scripts/skampi-job")
STAND_IN = os.path.join(ROOT, "tests/support/stub/schedulers/stand-in")
PROGRAM = os.path.join(ROOT, "tests/support/stub/program")
COMMANDS = {"slurm": "sbatch squeue scontrol srun", "pbs": "qsub qstat oshrun mpirun mpiexec",
            "lsf": "bsub bjobs jsrun oshrun", "flux": "flux"}

tap = Tap()


class Machine:
    """A machine with a batch system, of 2 nodes of 4 cores."""

    def __init__(self, scheduler, **environment):
        self.scheduler = scheduler
        self.folder = scratch_directory()
        spool, tools = (os.path.join(self.folder, name) for name in ("spool", "bin"))
        for folder in (spool, tools):
            os.makedirs(folder)
        for name in COMMANDS[scheduler].split():
            os.symlink(STAND_IN, os.path.join(tools, name))
        write_text(os.path.join(self.folder, "my.ski"), "x = 1\n")
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "STUB_CALLS": os.path.join(self.folder, "calls"),
            "STUB_LOG": os.path.join(self.folder, "log"), "STUB_SPOOL": spool, "STUB_NODES": "2",
            "STUB_CORES": "4", "STUB_LEFT": "1:00:00", "SKAMPI_PROGRAM": PROGRAM, "SKAMPI_JOBS": JOBS,
            "SKAMPI_CORES": None if scheduler == "lsf" else "4", "SKAMPI_SCRIPT": "my.ski",
            "SKAMPI_LAUNCHES": "1", "SKAMPI_LAUNCH": None, **environment}

    def submit(self, *options, **environment):
        path = os.path.join(JOBS, f"skampi.{self.scheduler}")
        environment = {**self.environment, **environment}
        if self.scheduler == "lsf":
            return run(["bsub", *options], environment, cwd=self.folder, stdin=read_text(path))
        return run([*{"slurm": "sbatch", "pbs": "qsub", "flux": "flux batch"}[self.scheduler].split(), *options, path], environment,
                   cwd=self.folder)

    def alone(self, **environment):
        """Runs the job file where there is no job."""
        return run(["sh", os.path.join(JOBS, f"skampi.{self.scheduler}")],
                   {**self.environment, **environment}, cwd=self.folder)

    def job(self, *arguments, **environment):
        return run([JOB, self.scheduler, *arguments], {**self.environment, **environment},
                   cwd=self.folder)

    def calls(self, *names):
        return [line for line in self.read("calls").splitlines() if line.split()[0] in names]

    def read(self, *path):
        path = os.path.join(self.folder, *path)
        if not os.path.exists(path):
            return ""
        return read_text(path)


def launched(machine):
    """{"p8-block": PEs that were started}"""
    calls = [json.loads(line) for line in machine.read("log").splitlines()]
    return {call["output"].split("/")[-3]: call["pes"] for call in calls}


# 2 nodes of 4 cores: cyclic and one a node only where that differs from block.
PLACED = {"p2-block": "2", "p2-node": "2", "p4-block": "4", "p4-cyclic": "4", "p8-block": "8",
          "p8-cyclic": "8"}
# What is launched for some of them, and the time that the job has, less 2 minutes.
CASES = {
    "slurm": ("srun", {"p4-block": "--nodes=1 --ntasks=4 --distribution=block:block,Pack",
                       "p8-cyclic": "--nodes=2 --ntasks=8 --distribution=cyclic:block",
                       "p2-node": "--nodes=2 --ntasks=2 --ntasks-per-node=1"}, "1-01:00:00", 90000),
    "pbs": ("oshrun", {"p8-block": "-np 8 --map-by core --bind-to core",
                       "p8-cyclic": "-np 8 --map-by node --bind-to core",
                       "p2-node": "-np 2 --map-by ppr:1:node --bind-to core"}, "02:10:00", 7200),
    "lsf": ("jsrun", {"p8-block": "--nrs 8 --tasks_per_rs 1 --cpu_per_rs 1 --rs_per_host 4 --bind "
                                  "packed:1 --launch_distribution packed",
                      "p4-cyclic": "--nrs 4 --tasks_per_rs 1 --cpu_per_rs 1 --rs_per_host 2 --bind "
                                   "packed:1 --launch_distribution cyclic",
                      "p2-node": "--rs_per_host 1"}, "1:30 L", 5400),
    "flux": ("flux", {"p8-block": "run --nodes=2 --ntasks=8 --taskmap=block --setopt=cpu-affinity=per-task",
                      "p4-cyclic": "run --nodes=2 --ntasks=4 --taskmap=cyclic", "p2-node": "run --nodes=2 --ntasks=2"},
             "5400", 5280)}


def submitted(scheduler):
    launcher, lines, left, seconds = CASES[scheduler]
    machine = Machine(scheduler, STUB_LEFT=left)
    return machine, machine.submit(UCX_TLS="made", MY_SECRET="x", SKAMPI_TOKEN="hidden",
                                   LOADEDMODULES="gcc/12:ucx/1.15")


def campaigns():
    for scheduler, (machine, done) in in_parallel(CASES, submitted):
        launcher, lines, left, seconds = CASES[scheduler]
        tap.equal(done.status, 0, f"{scheduler}: a job runs a campaign", done)
        tap.equal(launched(machine), PLACED, f"{scheduler}: ... over PEs and placements")
        calls = machine.calls(launcher)
        for name, text in lines.items():
            tap.ok(any(text in call and f"/{name}/" in call for call in calls),
                   f"{scheduler}: {name} is {launcher} {text}", calls)
        tap.ok("median [µs]" in done.out and " 1.01 " in done.out, f"{scheduler}: ... whose results are shown",
               done)
        top = os.path.join(machine.folder, "my.campaign")
        tap.ok(os.path.exists(os.path.join(top, "summary.json")), f"{scheduler}: ... and kept, where it "
               "was submitted", os.listdir(machine.folder))
        (system,) = os.listdir(os.path.join(top, "system"))
        noted = {name: machine.read("my.campaign/system", system, name)
                 for name in os.listdir(os.path.join(top, "system", system))}
        tap.ok({"uname.txt", "lscpu.txt", "ulimit.txt", "variables.txt", "modules.txt", "nodes.txt"} <=
               set(noted) and re.match(f"{scheduler}-f?42", system), f"{scheduler}: the environment is noted",
               noted)
        prefix = {"slurm": "SLURM_JOB_ID=42", "pbs": "PBS_JOBID=42.server", "lsf": "LSB_JOBID=42", "flux": "FLUX_URI=local:///42"}
        tap.ok(prefix[scheduler] in noted["variables.txt"] and "UCX_TLS=made" in noted["variables.txt"] and
               not re.search("secret|hidden|MY_", noted["variables.txt"], re.IGNORECASE),
               f"{scheduler}: ... without secrets", noted["variables.txt"])
        tap.ok(noted["modules.txt"] == "gcc/12\nucx/1.15\n" and "n1" in noted["nodes.txt"] and
               noted["skampi.txt"] == "a stand-in for skampi\n", f"{scheduler}: ... modules, nodes, version",
               noted)
        again = machine.submit(STUB_LEFT=left)
        tap.ok(again.status == 0 and len(machine.read("log").splitlines()) == 6 and
               "6 of 6 launches are already complete" in again.err, f"{scheduler}: submitted again, it goes on", again)


def limits():
    def limit(case):
        scheduler, left = case
        machine = Machine(scheduler, SKAMPI_PES="2", SKAMPI_PLACEMENTS="block", STUB_BEHAVIOUR="1=hang",
                          SKAMPI_MARGIN="50")
        return machine, machine.submit(STUB_LEFT=left)

    # Seconds that are left: 10, in which a launch begins on a busy machine, too; PBS: less the 10 minutes used.
    for (scheduler, left), (machine, done) in in_parallel(
            (("slurm", "1:00"), ("pbs", "00:11:00"), ("lsf", "0:01 L"), ("flux", "60")), limit):
        tap.ok(done.status == 4 and "ended by the time limit" in done.err and done.seconds < 60,
               f"{scheduler}: a campaign ends before its job", done)
    # The environment tells more exactly than squeue; no limit, none.
    machine = Machine("slurm", SKAMPI_PES="2")
    shown = machine.submit(SKAMPI_DRY="1", SLURM_JOB_END_TIME="1")
    tap.ok(shown.status == 0 and not machine.calls("squeue"), "Slurm's own variable is preferred", shown)
    for left in ("UNLIMITED", "INVALID", "NOT_SET"):
        machine = Machine("slurm", SKAMPI_PES="2", SKAMPI_PLACEMENTS="block")
        done = machine.submit(STUB_LEFT=left)
        tap.equal(done.status, 0, f"a job may have no limit: {left}", done)
    script = f". {JOBS}/common.sh; for t in 5 1:30 2:00:05 1-2 1-2:03 1-02:03:04 UNLIMITED 1:2:3:4 x1 ''; " \
             "do echo \"[$(job_seconds \"$t\")]\"; done"
    told = run(["sh", "-c", script])
    tap.equal(told.out.split(), ["[5]", "[90]", "[7205]", "[93600]", "[93780]", "[93784]", "[]", "[]", "[]", "[]"],
              "times as schedulers write them", told)


def dry():
    for scheduler in COMMANDS:
        machine = Machine(scheduler, SKAMPI_CORES="4")
        for name in ("flux", "sbatch", "srun", "oshrun", "jsrun", "mpiexec"):
            path = os.path.join(machine.folder, "bin", name)
            if os.path.lexists(path):
                os.remove(path)  # a login node has no launcher
        shown = machine.alone(SKAMPI_DRY="1", SKAMPI_LAUNCHER="srun", SKAMPI_LAUNCHER_OPTIONS="--mpi=pmix",
                              SKAMPI_OPTIONS="--order random", SKAMPI_ARGUMENTS="--raw --unit ns")
        tap.ok(shown.status == 0 and "assuming 2 nodes" in shown.err and "order random" in shown.out and
               re.search(r"^p8-cyclic 1: srun --nodes=2 --ntasks=8 .* --mpi=pmix .* --raw --unit ns$",
                         shown.out, re.MULTILINE), f"{scheduler}: the dry mode shows what would run", shown)
        tap.ok(not os.path.exists(os.path.join(machine.folder, "my.campaign")) and not machine.read("log"),
               f"{scheduler}: ... and does nothing", os.listdir(machine.folder))
        refused = machine.alone()
        tap.ok(refused.status == 2 and f"no job of {scheduler}" in refused.err,
               f"{scheduler}: without a job only that", refused)
    machine = Machine("pbs")
    for launcher, text in (("mpiexec", "mpiexec -n 8 -ppn 4 -bind-to core"), ("mpirun", "mpirun -np 8 --map-by core")):
        shown = machine.alone(SKAMPI_DRY="1", SKAMPI_LAUNCHER=launcher)
        tap.ok(text in shown.out, f"launcher {launcher}", shown)
    shown = machine.alone(SKAMPI_DRY="1", SKAMPI_NODES="3", SKAMPI_PES="5 12 13", SKAMPI_LAUNCHER="jsrun")
    names = re.findall(r"^(p\S+) 1:", shown.out, re.MULTILINE)
    tap.ok(names == ["p5-block", "p5-cyclic", "p12-block", "p12-cyclic"] and "--rs_per_host 2 " in shown.out,
           "any numbers of PEs that fit", shown)
    for variables, text in (
            ({"SKAMPI_PES": "many"}, "SKAMPI_PES=many: give a whole number"),
            ({"SKAMPI_PES": "99"}, "SKAMPI_PES=99: none fits"),
            ({"SKAMPI_NODES": "0"}, "SKAMPI_NODES=0: give a whole number"),
            ({"SKAMPI_CORES": "-1"}, "SKAMPI_CORES=-1: give a whole number"),
            ({"SKAMPI_LAUNCHES": "1e3"}, "SKAMPI_LAUNCHES=1e3: give a whole number"),
            ({"SKAMPI_MARGIN": "2m"}, "SKAMPI_MARGIN=2m: give a whole number"),
            ({"SKAMPI_PLACEMENTS": "spread"}, "SKAMPI_PLACEMENTS=spread: spread: give some of"),
            ({"SKAMPI_LAUNCHER": "rsh"}, "SKAMPI_LAUNCHER=rsh: give srun"),
            ({"SKAMPI_PROGRAM": "/dev/null/none"}, "SKAMPI_PROGRAM=/dev/null/none: there is no such program"),
            ({"SKAMPI_SCRIPT": "nowhere.ski"}, "nowhere.ski: there is no such script")):
        refused = machine.alone(SKAMPI_DRY="1", **variables)
        errors = [line for line in refused.err.splitlines() if " error: " in line]
        tap.ok(refused.status == 2 and len(errors) == 1 and text in errors[0],
               f"refused in one line: {text}", refused)
    copy = os.path.join(machine.folder, "skampi.slurm")
    shutil.copy(os.path.join(JOBS, "skampi.slurm"), copy)
    lost = run(["sh", copy], {**machine.environment, "SKAMPI_JOBS": None}, cwd=machine.folder)
    tap.ok(lost.status == 2 and "set SKAMPI_JOBS" in lost.err, "a copy that is far from the rest says so", lost)


def asking():
    machine = Machine("slurm")
    shown = machine.job("my.ski", "--nodes", "2", "--cores", "4", "-k", "5", "--launch-time", "1m30s")
    # 6 configurations, 5 launches of 100 s and 10 minutes
    tap.ok(shown.status == 0 and "30 launches of 2 min" in shown.out and "--time=01:00:00" in shown.out and
           not machine.calls("sbatch"), "skampi-job computes the time", shown)
    shown = machine.job("my.ski", "--nodes", "2", "--cores", "4", "--estimate-launch", "env", "--factor", "2")
    tap.ok("6 launches of 50.0 s (estimate 20 s x 2 + 10 s" in shown.out and "--time=00:15:00" in shown.out,
           "... from skampi's estimate", shown)
    for scheduler, asked in (("slurm", "sbatch --nodes=2 --time=00:21:00 --partition=p "),
                             ("pbs", "qsub -V -l select=2:ncpus=4:mpiprocs=4 -l walltime=00:21:00 -q short "),
                             ("flux", "flux batch --nodes=2 --time-limit=21m --queue=x "),
                             ("lsf", "bsub -nnodes 2 -W 00:21 -R x")):
        machine = Machine(scheduler)
        further = {"slurm": ["--partition=p"], "pbs": ["-q", "short"], "lsf": ["-R", "x"], "flux": ["--queue=x"]}[scheduler]
        left = {"lsf": "1:00 L", "flux": "3600"}.get(scheduler, "1:00:00")
        done = machine.job("my.ski", "--nodes", "2", "--cores", "4", "--launch-time", "100", "--submit", "--",
                           *further, STUB_LEFT=left)
        tap.ok(done.status == 0 and launched(machine) == PLACED and
               any(call.startswith(asked) for call in machine.calls(asked.split()[0])), f"{scheduler}: --submit submits",
               f"{done}\n{machine.read('calls')}")
    over = machine.job("my.ski", "--nodes", "2", "--cores", "4", "--launch-time", "100")
    tap.ok(over.status == 2 and "the campaign is complete" in over.err, "nothing may be left to do", over)
    os.remove(os.path.join(machine.folder, "bin/bsub"))
    good = ["my.ski", "--nodes", "2", "--cores", "4"]
    for arguments, text in (
            (["nowhere.ski", *good[1:]], "nowhere.ski: there is no such script"),
            (good[:3], "--cores"), ([*good[:3], "--cores", "0"], "give a whole number from 1"),
            ([*good, "--factor", "0.5"], "give a number from 1"),
            ([*good, "--launch-time", "x"], "give a time such as"),
            ([*good, "--estimate-launch", "nosuchlauncher"], "nosuchlauncher: there is no such"),
            ([*good, "--estimate-launch", "env STUB_ESTIMATE=1"], "the estimate failed with exit status 1"),
            ([*good, "--launch-time", "5", "--submit"], "bsub is not in PATH")):
        refused = machine.job(*arguments, SKAMPI_RESULTS="other")
        tap.ok(refused.status == 2 and text in refused.err and refused.err.count("\n") == 1,
               f"skampi-job refuses in one line: {text}", refused)
    wrong = machine.job(*good, "--launch-time", "5", SKAMPI_PES="x")
    tap.ok(wrong.status == 2 and wrong.err == "skampi-job: error: SKAMPI_PES=x: give a whole number above 0\n",
           "... also what the job would refuse", wrong)
    usage = run([JOB, "--help"])
    tap.ok(usage.status == 0 and "examples:" in usage.out, "--help", usage)


def clean():
    files = [os.path.join(JOBS, name) for name in sorted(os.listdir(JOBS)) if name != "README.md"]
    if not shutil.which("shellcheck"):
        tap.skip("the job files pass shellcheck", "it is not installed")
        return
    checked = run(["shellcheck", "-x", *files, STAND_IN], cwd=ROOT)
    tap.ok(checked.status == 0 and len(files) == 5, "the job files pass shellcheck", checked)


campaigns()
limits()
dry()
asking()
clean()
tap.done()
