"""matplotlib for tests that draw in their own process: without it the file is skipped. Import this before
skampi_tools.plot.pages."""

import os
import sys

from harness import ROOT, skip_all

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from skampi_tools import cli

try:
    cli.need("numpy", "matplotlib")  # may start this anew with the system's Python
except SystemExit:
    skip_all("numpy or matplotlib for Python is not installed")
import matplotlib

matplotlib.use("agg")
