"""skampi in the background, for tests that do something to it while it runs."""

import os
import re
import subprocess
import time

import harness
import processes

RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")


class Job:
    """skampi in the background, with its output in a file; np 0: without a launcher. prefix: words
    between the launcher and skampi."""

    def __init__(self, script, np, args=("-o", "out.sko"), env=None, prefix=()):
        self.mark = processes.new_mark()
        self.directory = harness.scratch_directory()
        self.output = os.path.join(self.directory, "out.sko")
        harness.write_text(os.path.join(self.directory, "test.ski"), script)
        self.argv = [*prefix, harness.program(), "-i", "test.ski", *args]
        if np:
            self.argv = harness.launch_line(np, self.argv)
        self.begin = time.monotonic()
        self.launcher = subprocess.Popen(
            self.argv, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **harness.launch_environment(), **(env or {}),
                 processes.RUN_MARK: self.mark})

    def written(self):
        try:
            return harness.read_text(self.output)
        except FileNotFoundError:
            return ""

    def wait_for(self, pattern, seconds=60):
        """Until the output has the pattern; the output."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.launcher.poll() is None:
            text = self.written()
            if re.search(pattern, text, re.MULTILINE):
                return text
            time.sleep(0.05)
        return ""

    def pe(self, rank, mark=processes.RUN_MARK, value=None):
        """Process id of a PE, None when it cannot be found; mark and value: of its processes, where they
        do not inherit this job's."""
        program = os.path.realpath(harness.program())
        for pid in processes.marked(mark, value or self.mark):
            try:
                if os.path.realpath(f"/proc/{pid}/exe") != program:
                    continue
                with open(f"/proc/{pid}/environ", "rb") as file:
                    variables = file.read().split(b"\0")
            except OSError:
                continue
            if any(f"{name}={rank}".encode() in variables for name in RANKS):
                return pid
        return None

    def finish(self, seconds=40):
        """The finished run, as harness.run() would return it; later on a busy machine."""
        problem = None
        try:
            out, err = processes.communicate(self.launcher, seconds)
        except subprocess.TimeoutExpired:
            problem = f"no end within {seconds} s"
        left = [] if problem else processes.wait_until_gone(processes.RUN_MARK, self.mark,
                                                            harness.ENDING_SECONDS)
        if left:
            problem = f"processes left behind: {left}"
        if problem:
            processes.end_marked(processes.RUN_MARK, self.mark)
            self.launcher.kill()
            if "no end" in problem:
                out, err = self.launcher.communicate()
        status = self.launcher.returncode
        return harness.Run(self.argv, problem or (status if status >= 0 else 128 - status),
                           out.decode(errors="replace"), err.decode(errors="replace"),
                           time.monotonic() - self.begin, self.directory)
