"""Small C programs that Python programs of this tree need, compiled when they are needed; and processes, found by a mark
in their environment, which children inherit wherever a launcher puts them."""

import os
import shutil
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILD = os.environ.get("SKAMPI_BUILD", "build")


class NotBuilt(Exception):
    """A small program cannot be built; says why."""


def compiled(source, *flags):
    """What a C file of this tree is compiled to, where that is not there or older than the file and the headers beside it.
    Raises NotBuilt."""
    folder = os.path.dirname(source)
    target = os.path.join(ROOT, BUILD, os.path.relpath(os.path.splitext(source)[0], ROOT))
    sources = [source, *(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".h"))]
    if os.path.exists(target) and os.path.getmtime(target) >= max(map(os.path.getmtime, sources)):
        return target
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise NotBuilt(f"no C compiler, which {os.path.basename(source)} needs")
    unfinished = f"{target}.{os.getpid()}.{threading.get_ident()}"  # others may build it at the same time
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        subprocess.run([compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", *flags, "-o", unfinished, source],
                       check=True, timeout=60)
        os.replace(unfinished, target)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotBuilt(f"{source} cannot be built: {error}") from None
    return target


def marked(variable, mark):
    """Process ids of all processes that carry the mark (zombies carry none)."""
    wanted = f"{variable}={mark}".encode()
    found = []
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(int(entry))
        except OSError:
            pass  # ended meanwhile, or not ours
    return found


def wait_until_gone(variable, mark, seconds):
    """Those that carry the mark still after so long; none as soon as they are gone."""
    end = time.monotonic() + seconds
    while True:
        left = marked(variable, mark)
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)
