"""Several hosts on one machine (mk/hosts), for tests:

    from hosts import Unavailable, hosts

    with hosts(2, delay_us=200) as these:  # Unavailable, with the reason, where that cannot be done
        run = these.skampi('begin measurement "t" measure comm(2) : ...', per_host=1)
        run = these.run([program, argument], per_host=2, timeout=30)
"""

import contextlib
import os
import sys

import harness

HERE = os.path.join(harness.ROOT, "tests", "hosts")
sys.path.append(os.path.join(harness.ROOT, "mk", "hosts"))
import namespaces  # noqa: E402
from namespaces import MARK, TOOL, Links, Manner, Unavailable, packets_first, unique_name  # noqa: E402


class Hosts(namespaces.Hosts):
    """Hosts that are up."""

    def _launch(self, *options):
        return [TOOL, "launch", "--name", self.name, *self.manner.options(), *options, "--"]

    def run(self, argv, per_host=1, **how):
        """harness.run() of a program on the hosts."""
        argv = [*self._launch("--per-host", str(per_host)), *map(str, argv)]
        how["env"] = {**harness.launch_environment(), **how.get("env", {})}
        return harness.run(argv, **how)

    def launch_line(self):
        """What starts programs on the hosts, as SKAMPI_LAUNCH has it."""
        return " ".join(self._launch("-np", "%n"))

    def skampi(self, script=None, per_host=1, **how):
        """harness.skampi() on the hosts."""
        how["env"] = {**how.get("env", {}), "SKAMPI_LAUNCH": self.launch_line()}
        return harness.skampi(script, np=per_host * self.count, **how)


@contextlib.contextmanager
def hosts(count, delay_us=None, rate_mbit=None, name=None, realtime=False, manner=None, **links):
    """So many hosts, as long as the context lasts. delay_us, rate_mbit: as in Links; links: its other members.
    manner: a Manner, instead of realtime."""
    links, manner = Links(delay_us, rate_mbit, **links), manner or Manner(realtime)
    with namespaces.joined(count, links, name or unique_name(), manner) as these:
        yield Hosts(these.name, these.manner)


def lines_here():
    """Lines that there are on this machine, the preferred one first. Raises Unavailable without hosts."""
    with hosts(2, delay_us=0, line="program"):
        pass
    try:
        with hosts(2, delay_us=0, line="kernel"):
            return ["kernel", "program"]
    except Unavailable:
        return ["program"]
