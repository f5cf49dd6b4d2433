"""skampi-accept on hosts of this machine, one of which, or one cable of which, has a fault:

    found = accept("link", folder, delay_us=2000)  # Unavailable where hosts cannot be made
    found.accused                                  # {"link 2 - 5"}: by numbers of hosts
    found.right                                    # it and nobody else
"""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import harness
from hosts import Manner, hosts

TOOL = os.path.join(harness.ROOT, "scripts", "skampi-accept")
SLOWER = 0.10     # of the delay
LIMIT = 25        # percent of a processor
LOSS = 3          # percent of packets
SIZES = ["--large", "2kb"]
# Enough for quiet machines, in a minute or two.
DELAY_US, PASSES, ITERATIONS = 2000, 6, 8


@dataclass
class Fault:
    """cables, limited: of a delay in us, what hosts() and Manner() take. A limit's period is no multiple of a round trip,
    since answers would come whenever the host has its processor."""
    text: str
    wanted: str = None     # what must be accused; None: nothing
    hosts: int = 6         # of which fewer do not show that it is a link that is 10 % slower
    cables: object = None
    limited: object = None


FAULTS = {
    "sound": Fault("a sound machine"),
    "link": Fault(f"a link that is {100 * SLOWER:.0f} % slower", "link 2 - 5",
                  cables=lambda delay: {"slower": [f"2:5:{SLOWER * delay}"]}),
    "limit": Fault(f"a host with {LIMIT} % of a processor", "node 3", hosts=4,
                   limited=lambda delay: f"3:{LIMIT}:{max(2, round(3 * delay / 1000))}"),
    "loss": Fault(f"a link that loses {LOSS} % of packets", "link 1 - 4", hosts=4,
                  cables=lambda delay: {"lossy": [f"1:4:{LOSS}"]}),
}


@dataclass
class Finding:
    name: str
    run: object           # of the tool
    accused: set = None   # None: there is no verdict
    doubts: list = None
    measurements: int = 0

    @property
    def right(self):
        return self.accused == ({FAULTS[self.name].wanted} - {None})

    @property
    def innocent(self):
        """Who is accused without a reason."""
        return (self.accused or set()) - {FAULTS[self.name].wanted}

    @property
    def said(self):
        if self.accused is None:
            return f"{self.name}: no verdict, status {self.run.status}, {self.run.err.strip()[-300:]}"
        doubts = f"; {'; '.join(self.doubts)}" if self.doubts else ""
        return (f"{self.name}: accused: {', '.join(sorted(self.accused)) or 'nobody'}; {self.measurements} measurements in "
                f"{self.run.seconds:.0f} s{doubts}")


def accept(name, folder, delay_us=DELAY_US, passes=PASSES, iterations=ITERATIONS, timeout=150):
    """Found, of a fault of FAULTS. folder: for files, of this run only. delay_us: between hosts, one way; longer ones and
    more iterations make it independent of other programs on this machine, and slow."""
    fault = FAULTS[name]
    cables = fault.cables(delay_us) if fault.cables else {}
    manner = Manner(sleep=True, limited=fault.limited and fault.limited(delay_us))
    with hosts(fault.hosts, delay_us=delay_us, **cables, manner=manner) as these:
        run = harness.run([TOOL, "--nodes", str(fault.hosts), "--launch", these.launch_line(), "--passes", str(passes),
                           "--program", harness.program(), *SIZES, "--iterations", str(iterations), "-o", "files",
                           "--json", "verdict.json"],
                          env=harness.launch_environment(), cwd=folder, timeout=timeout)
    if run.status not in (0, 1, 3):
        return Finding(name, run)
    with open(os.path.join(folder, "verdict.json"), encoding="utf-8") as file:
        said = json.load(file)
    accused = {re.sub(r"\S+-(\d+)\b", r"\1", test["unit"]) for test in said["tests"]
               if test["state"] == "accused" and not test["covered"]}
    return Finding(name, run, accused, said["doubts"], said["measurements"])


def accept_all(names, folder, at_once, **how):
    """Yields Finding of each of several runs, in any order. at_once: so many at the same time, since hosts wait most of
    the time."""
    with ThreadPoolExecutor(at_once) as pool:
        runs = []
        for number, name in enumerate(names):
            own = os.path.join(folder, f"{number}-{name}")
            os.makedirs(own, exist_ok=True)
            runs.append(pool.submit(accept, name, own, **how))
        try:
            for run in as_completed(runs):
                yield run.result()
        finally:
            pool.shutdown(cancel_futures=True)
