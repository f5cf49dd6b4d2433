"""The programmed costs of MPI's collectives, for the ground-truth tests of them."""

import os

import truth

ROOT_RANK = 0


def library():
    """Path of the library to be preloaded; network_mpi.c says what it is told."""
    sources = [truth.TRUTH / "network_mpi" / "network_mpi.c",
               *(truth.TRUTH / "network" / f"{name}.c" for name in ("busy", "clock", "schedule"))]
    return truth.compiled(truth.BUILD / "tests" / "libnetwork_mpi.so", sources, "-shared", "-fPIC",
                          "-lm")


def with_windows():
    """Path of the programmed network of OpenSHMEM with windows and messages of MPI in it."""
    sources = [truth.TRUTH / "network_mpi" / "windows.c", *sorted((truth.TRUTH / "network").glob("*.c"))]
    return truth.compiled(truth.BUILD / "tests" / "libnetwork_both.so", sources, "-shared", "-fPIC", "-lm")


def with_algorithms():
    """Path of the programmed network of OpenSHMEM with costs of the algorithms of Open MPI in it."""
    sources = [*(truth.TRUTH / "network_mpi" / f"{name}.c" for name in ("algorithms", "called")),
               *sorted((truth.TRUTH / "network").glob("*.c"))]
    return truth.compiled(truth.BUILD / "tests" / "libnetwork_algorithms.so", sources, "-shared", "-fPIC", "-lm")


# Of the network that skampi's own signals need.
SIGNALS = "post=500,wire=1000,quiet=400,fence=300,barrier=2000,sync=1000,wait=100"


def launch_with_algorithms(costs, noise=0.01):
    """A template of a launcher for tools, with {pes}, {name} and {launch}: broadcasts and reductions to all cost what the file says."""
    return (f"{truth.ROOT}/mk/launch {{pes}} env LD_PRELOAD={with_algorithms()} SKAMPI_ALGORITHMS={costs} "
            f"SKAMPI_ALGORITHMS_LAUNCH={{name}}-{{launch}} SKAMPI_TRUTH=clock=simulated,noise={noise},{SIGNALS}")


def require():
    """Ends the test where it makes no sense."""
    truth.require()
    if not truth.harness.has("MPI"):
        truth.harness.skip_all("built without MPI")


def measure(calls, pes, costs, preamble="", timeout=120):
    """Result lines of the calls, by call, on a network with these costs ({"bcast": 20000, ...})."""
    script = f"set_unit(1e9)\n{preamble}\n" + "".join(
        f'begin measurement "{call}"\nmeasure MPI_COMM_WORLD : {call}\nend measurement\n'
        for call in calls)
    environment = {"LD_PRELOAD": os.fspath(library()),
                   "SKAMPI_TRUTH_MPI": ",".join(f"{name}={value}" for name, value in costs.items())}
    return {row.block: row for row in truth.measure(script, pes, environment, timeout)}
