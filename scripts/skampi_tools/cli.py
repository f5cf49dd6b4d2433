"""Command lines: errors of one line, and the libraries that a script needs."""

import importlib
import os
import sys

SYSTEM_PYTHON = "/usr/bin/python3"


class Error(Exception):
    """Something that the user can mend; main() prints it as one line."""


def need(*modules):
    """Makes sure that these modules can be imported: with the system's Python where the one in use
    has none of them, as that of a virtual environment."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            again = os.environ.get("SKAMPI_TOOLS_PYTHON") != SYSTEM_PYTHON
            if again and os.access(SYSTEM_PYTHON, os.X_OK) and sys.executable != SYSTEM_PYTHON:
                os.environ["SKAMPI_TOOLS_PYTHON"] = SYSTEM_PYTHON
                sys.stdout.flush()
                os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
            name = os.path.basename(sys.argv[0])
            sys.exit(f"{name}: error: needs Python's {module}: install python3-{module}, or "
                     f"scripts/install-deps")


def main(function):
    """Runs function(arguments); its value is the exit status. 2: wrong usage or a file that cannot
    be read."""
    name = os.path.basename(sys.argv[0])
    try:
        status = function(sys.argv[1:])
        sys.stdout.flush()
    except Error as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        status = 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"{name}: error: {where}{error.strerror or error}", file=sys.stderr)
        status = 2
        if isinstance(error, BrokenPipeError):  # whoever reads has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = 0
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
