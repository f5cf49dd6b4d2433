"""matplotlib, and skampi-plot, for tests that draw in their own process: without matplotlib the file is skipped. Import
this before skampi_tools.plot.pages."""

import contextlib
import io
import os
import runpy
import sys

from harness import ROOT, Run, skip_all
from skampi_tools import cli

try:
    cli.need("numpy", "matplotlib")  # may start this anew with the system's Python
except SystemExit:
    skip_all("numpy or matplotlib for Python is not installed")
import matplotlib

matplotlib.use("agg")

PLOT = os.path.join(ROOT, "scripts/skampi-plot")
SVG = "{http://www.w3.org/2000/svg}"


def plot(*arguments):
    """Runs the script in this process: starting matplotlib takes longer than most figures."""
    out, err, argv = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = [PLOT, *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            runpy.run_path(PLOT, run_name="__main__")
        status = "no exit status"
    except SystemExit as ended:
        status = ended.code
    except Exception as error:
        status = f"{type(error).__name__}: {error}"
    finally:
        sys.argv = argv
    return Run(sys.argv, status, out.getvalue(), err.getvalue(), 0, os.getcwd())


def texts_in(svg):
    return ["".join(element.itertext()) for element in svg.iter(f"{SVG}text")]
