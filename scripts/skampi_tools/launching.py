"""Starting skampi by a launcher: the command, a run whose processes all end with it, and what it said."""

import os
import shlex
import shutil
import signal
import subprocess

from . import campaign, cli

ENDING_SECONDS = 10


def command(launch, program, pes, arguments, **more):
    """Words of a launch. launch: a template with {pes} (or %n) and what `more` names."""
    program = program or campaign.default_program()
    found = shutil.which(program)
    if not found:
        raise cli.Error(f"{program}: there is no such program: build it with make, or name it with --program")
    template = launch.replace("%n", "{pes}")
    for name, value in {"pes": pes, **more}.items():
        template = template.replace("{" + name + "}", str(value))
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise cli.Error(f"--launch {launch}: {str(error).lower()}") from None
    if not words or not shutil.which(words[0]):
        raise cli.Error(f"--launch {launch}: there is no such launcher: give yours, such as 'srun -n {{pes}}'")
    return [*words, os.path.realpath(found), *arguments]


def end_when_told():
    """SIGTERM ends this program as SIGINT does, and what it has started."""
    def interrupt(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, interrupt)


def run(words, log_path, seconds=None):
    """Runs a program whose output goes to a file, and returns its exit status. After so many seconds: subprocess.TimeoutExpired,
    and no process remains."""
    with open(log_path, "wb") as log:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 start_new_session=True)
        try:
            return child.wait(seconds)
        except BaseException:  # interrupted, too: no process remains
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            raise


def shmemtrace():
    """The program that reads traces: beside the scripts, as in the sources and as installed, or one of the PATH."""
    scripts = campaign.SCRIPTS
    beside = (os.path.join(folder, "shmemtrace") for folder in (os.path.dirname(scripts), scripts))
    found = next((path for path in beside if os.access(path, os.X_OK)), None) or shutil.which("shmemtrace")
    if not found:
        raise cli.Error("there is no shmemtrace, which reads traces: build it with make, or give what its summary --json or "
                        "dump --csv has written")
    return found


def error_line_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return cli.error_line(file.read())
