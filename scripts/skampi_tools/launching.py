"""Starting skampi by a launcher: the command, a run whose processes all end with it, and what it said."""

import os
import re
import shlex
import shutil
import signal
import subprocess

from . import cli, users_json

ENDING_SECONDS = 10
SCRIPTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def _first_program(*places):
    """The first of these paths, relative to scripts/, that is a program; None without any."""
    paths = (os.path.normpath(os.path.join(SCRIPTS, place)) for place in places)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def default_program():
    """The skampi of this checkout or installation, else that of PATH."""
    return _first_program("../skampi", "../../../bin/skampi") or "skampi"


def default_launch():
    """As make and the tests start programs; a checkout knows what Open MPI wants for root and on
    few cores, and reads SKAMPI_LAUNCH as make sets it, with %n for the PEs."""
    launch = os.environ.get("SKAMPI_LAUNCH") or "oshrun -np %n"
    if "%n" not in launch:
        return launch
    own = _first_program("../mk/launch")
    return f"{shlex.quote(own)} {{pes}}" if own else launch.replace("%n", "{pes}")


def add_options(parser, beside="", **launch):
    """--launch and --program of tools that measure. beside: what else a template may have; launch: settings of its option."""
    parser.add_argument("--launch", metavar="TEMPLATE", **launch,
                        help=f"how to start programs{beside} (default: SKAMPI_LAUNCH of the environment, in a checkout "
                             "mk/launch {pes}, else oshrun -np {pes})")
    parser.add_argument("--program", metavar="FILE", help="skampi (default: the one beside these scripts)")


def template(given, names):
    """A template of a launcher's command line, checked: a text with {pes} (or %n) and further names in braces. given: its
    users_json.Value; names: those that words() will be given."""
    launch = given.text().replace("%n", "{pes}")
    for name in re.findall(r"\{(\w*)\}", launch):
        if name not in names:
            known = ", ".join(f"{{{other}}}" for other in names)
            given.refuse(f"{launch}: unknown {{{name}}}; known: {known}")
    try:
        if shlex.split(launch):
            return launch
    except ValueError as error:
        given.refuse(f"{launch}: {str(error).lower()}")
    return given.refuse("give a command")


def words(checked, **values):
    """Words of a template with its names replaced. A value is never split into several words."""
    return [re.sub(r"\{(\w+)\}", lambda match: str(values[match[1]]), word) for word in shlex.split(checked)]


def command(launch, program, pes, arguments, **more):
    """Words of a launch. launch: a template with {pes} and what `more` names."""
    program = program or default_program()
    found = shutil.which(program)
    if not found:
        raise cli.Error(f"{program}: there is no such program: build it with make, or name it with --program")
    line = words(template(users_json.of(launch, "--launch"), ("pes", *more)), pes=pes, **more)
    if not shutil.which(line[0]):
        raise cli.Error(f"--launch {launch}: there is no such launcher: give yours, such as 'srun -n {{pes}}'")
    return [*line, os.path.realpath(found), *arguments]


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


def shmemtrace(*words, program=None, damaged=False):
    """What the program that reads traces says with these arguments. program: it; default: that beside the scripts, as in the sources and as
    installed, or of the PATH. damaged: also what could be read of a damaged trace."""
    program = program or _first_program("../shmemtrace", "shmemtrace") or shutil.which("shmemtrace")
    if not program:
        raise cli.Error("there is no shmemtrace, which reads traces: build it with make, or give what its summary --json or "
                        "dump --csv has written")
    done = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    said = done.stdout.decode(errors="replace")
    if done.returncode and not (damaged and done.returncode == 1 and said):
        raise cli.Error(cli.error_line(done.stderr.decode(errors="replace")))
    return said


def error_line_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return cli.error_line(file.read())
