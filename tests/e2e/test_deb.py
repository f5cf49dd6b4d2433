#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 300
"""make deb builds a package without complaints, and what the package holds measures as mk/debian/tests/quickstart wants it."""

import glob
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from builds import copy_tree
import harness
from harness import ROOT, Tap, run, scratch_directory

tap = Tap()
needs = re.findall(r"^run +\w+ +\S+ +(\S+)", harness.read_text(ROOT, "scripts", "install-deps"), re.MULTILINE)
wanted = {name for names in needs for name in names.split(",")} - {"build-essential"}
control = re.split(r"[\s,]+", harness.read_text(ROOT, "mk", "debian", "control"))
tap.equal(sorted(wanted - set(control)), [], "the package names all that scripts/install-deps installs to build and run")
if all(map(shutil.which, ("dpkg-buildpackage", "dh", "dh_python3"))) and harness.has("SHMEM"):
    tree, top = copy_tree(), scratch_directory()
    # Debian's flags, optimized as little as they allow: -O2 and all that debuggers need take half as long again.
    made = run(["make", "deb"], {"DEBFULLNAME": "A Tester", "DEBEMAIL": "tester@debian.org", "DEB_CFLAGS_APPEND": "-O1 -g1"}, 240, tree)
    packages = glob.glob(os.path.join(tree, "build", "deb", "skampi_*.deb"))
    tap.ok(made.status == 0 and len(packages) == 1, "make deb builds a package", made)
    run(["dpkg-deb", "-x", *packages, top])
    programs, here = os.path.join(top, "usr", "bin"), scratch_directory()
    # Unpacked, but not installed in /usr, where skampi would look for it. No time is looked at.
    script = harness.read_text(top, "usr", "share", "skampi", "inputs", "quickstart.ski")
    harness.write_text(os.path.join(here, "quickstart.ski"), re.sub("^POINT_TIME = .*", "POINT_TIME = 0.02", script, flags=re.MULTILINE))
    tried = run([os.path.join(ROOT, "mk", "debian", "tests", "quickstart")],
                {"PATH": f"{programs}:{os.environ['PATH']}", "MANPATH": os.path.join(top, "usr", "share", "man"),
                 "AUTOPKGTEST_TMP": here}, 60)
    tap.equal(tried.status, 0, "what is in the package measures, and its tools read the results", tried)
    if shutil.which("lintian"):
        checked = run(["lintian", "--fail-on", "error,warning", *glob.glob(os.path.join(tree, "build", "deb", "*.changes"))],
                      timeout=120)
        tap.equal(checked.status, 0, "lintian finds nothing", checked)
    else:
        tap.skip("lintian finds nothing", "lintian is not installed")
else:
    tap.skip("make deb builds a package", "dpkg-dev, debhelper or dh-python is not installed")
tap.done()
