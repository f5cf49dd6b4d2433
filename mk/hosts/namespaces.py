"""Several hosts on one machine, made of namespaces: what mk/hosts/hosts does.

Everything lives in the namespaces of one process, the supervisor, which is the first of a PID
namespace: when it ends, however it ends, the kernel kills all processes in there and then removes
devices, mounts and shared memory that they had. Nothing is ever made outside. The supervisor ends
when the pipe from whoever started it breaks.
"""

import argparse
import contextlib
import dataclasses
import glob
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.append(os.path.dirname(HERE))
import programs  # noqa: E402

TOOL = os.path.join(HERE, "hosts")
LIMIT = os.path.join(HERE, "limit")
MARK = "SKAMPI_HOSTS"  # in the environment of all that runs on the hosts: what they are called
MOST = 64
PRIORITY = 1  # of programs with --realtime
SKIPPED = 77

# On the front end, a tmpfs: for each host a folder with its namespaces, and what it is.
STATE = "/dev/shm/hosts"
NETWORK = "192.0.2"  # for documentation (RFC 5737): no other machine has such an address
FRONT_END = 254
FIRST_WINDOW = 1000  # of TCP, in packets
USUAL_MTU, MOST_MTU = 1500, 9000
PORT_MTU = 16000  # of the ends of cables at a switch in the kernel
DEVICE = "eth0"
CABLES = "slower", "lossy"
LINES = "kernel", "program"
NAMESPACES = {"net": "--net", "uts": "--uts", "ipc": "--ipc", "mnt": "--mount"}

# What Open MPI needs to know. Hosts share processors, so nothing is bound and idle PEs yield.
SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_plm": "rsh",
    "OMPI_MCA_plm_rsh_agent": f"{STATE}/enter",
    "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
    "OMPI_MCA_oob_tcp_if_include": f"{NETWORK}.0/24",
    "OMPI_MCA_btl_tcp_if_include": f"{NETWORK}.0/24",
    "OMPI_MCA_orte_tmpdir_base": "/dev/shm",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "UCX_NET_DEVICES": DEVICE,
    "SHELL": "/bin/sh",
}


@dataclasses.dataclass
class Links:
    """What connects hosts; the options of the tool have the same names. delay: between any two, one way, in us; rate: of
    each host's cable, in Mbit/s; both None: the kernel's own devices, which are faster than a delay of 0. slower, lossy:
    "1:2:50": packets between hosts 1 and 2 take 50 us more, or 50 percent of them are lost; with a delay or rate only. line:
    what makes delays and rates, the "kernel" or a "program"; None: the kernel where it can. mtu: bytes that a packet
    carries at most; None: 1500. late: us that the kernel's timers are taken to be late at first; None: measured."""
    delay: float = None
    rate: float = None
    slower: tuple = ()
    lossy: tuple = ()
    line: str = None
    mtu: int = None
    late: float = None


class Unavailable(Exception):
    """Hosts cannot be made here; says why."""


class WrongUse(Exception):
    """There are no such hosts, or they are there already."""


# ---- Inside: the supervisor makes the hosts and keeps them ----


def _do(*command):
    """What the command prints."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    if done.returncode:
        text = done.stderr.decode(errors="replace").strip() or f"status {done.returncode}"
        raise Unavailable(f"{' '.join(map(str, command[:4]))} ...: {text}")
    return done.stdout.decode()


def _write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


# The other namespaces have no say in it, and a broken network would say too much. BBR, on some machines the default,
# sends no faster than it takes the bandwidth for: after few small messages that is little, and the next ones wait. Large
# windows from the start (here and in _configure): what a message takes does not depend on those before.
_NETWORK = """
    ip link set lo up
    if [ -e /proc/sys/net/ipv6 ]; then echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6; fi
    for name in cubic reno; do
        if echo $name 2>/dev/null >/proc/sys/net/ipv4/tcp_congestion_control; then break; fi
    done 2>/dev/null
    for setting in tcp_rmem tcp_wmem; do
        echo 4096 4194304 6291456 2>/dev/null >/proc/sys/net/ipv4/$setting || true
    done 2>/dev/null
    echo 0 2>/dev/null >/proc/sys/net/ipv4/tcp_slow_start_after_idle || true
"""

# A boot id of its own keeps libraries from taking the hosts for one and using shared memory. The
# launcher's daemon looks for the remote shell although it never uses it.
_MAKE_HOST = """
    name=$1 state=$2 enter=$(readlink "$3")
    hostname "$name"
    mount --bind "$state/boot_id" /proc/sys/kernel/random/boot_id
    mount -t tmpfs -o mode=1777 shm /dev/shm
    mkdir "${3%/*}"
    ln -s "$enter" "$3"
""" + _NETWORK + """
    echo made
    read -r _ # until its namespaces are held otherwise
"""


def _shares(count):
    """The processors of each host: its own ones while there are enough."""
    cpus = sorted(os.sched_getaffinity(0))
    return [",".join(map(str, cpus[i::count] or [cpus[i % len(cpus)]])) for i in range(count)]


def _make_host(name, state):
    """Its namespaces are held open here. (Files that stand for mount namespaces, as unshare(1) can
    make, are not to be had reliably: Linux 6.18 refuses them now and then.)"""
    with subprocess.Popen(["unshare", *NAMESPACES.values(), "sh", "-euc", _MAKE_HOST, "sh", name,
                           state, f"{STATE}/enter"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as maker:
        if maker.stdout.readline() != b"made\n":
            raise Unavailable("a host cannot be made")
        for kind in NAMESPACES:
            fd = os.open(f"/proc/{maker.pid}/ns/{kind}", os.O_RDONLY)
            os.symlink(f"/proc/{os.getpid()}/fd/{fd}", f"{state}/{kind}")


def _make_hosts(names):
    """Their namespaces, without a network."""
    _do("mount", "-t", "tmpfs", "-o", "mode=1777", "shm", "/dev/shm")
    os.mkdir(STATE)
    os.symlink(os.path.join(HERE, "enter"), f"{STATE}/enter")
    addresses = [("localhost", "127.0.0.1"), ("front-end", f"{NETWORK}.{FRONT_END}"),
                 *((name, f"{NETWORK}.{i}") for i, name in enumerate(names, 1))]
    _write(f"{STATE}/addresses", "".join(f"{address} {name}\n" for name, address in addresses))
    _do("mount", "--bind", f"{STATE}/addresses", "/etc/hosts")
    _do("hostname", "front-end")
    _do("sh", "-euc", _NETWORK)
    for name, cpus in zip(names, _shares(len(names))):
        state = f"{STATE}/{name}"
        os.mkdir(state)
        _write(f"{state}/cpus", cpus + "\n")
        _write(f"{state}/boot_id", f"{uuid.uuid4()}\n")
        _make_host(name, state)
    _write(f"{STATE}/names", "".join(f"{name}\n" for name in names))


def _hardware_address(port):
    return f"02:00:00:00:00:{port:02x}"


def _entering(namespace):
    """Words before a command that works on the network of a host, or without a namespace on the front end's."""
    return ["nsenter", f"--net={namespace}"] if namespace else []


def _configure(number, port, namespace=None, device=DEVICE, mtu=None):
    enter = _entering(namespace)
    _do(*enter, "ip", "link", "set", device, "address", _hardware_address(port), "mtu", mtu or USUAL_MTU)
    _do(*enter, "ip", "address", "add", f"{NETWORK}.{number}/24", "dev", device)
    _do(*enter, "ip", "link", "set", device, "up")
    _do(*enter, "ip", "route", "change", f"{NETWORK}.0/24", "dev", device, "src", f"{NETWORK}.{number}",
        "initcwnd", FIRST_WINDOW, "initrwnd", FIRST_WINDOW)


def _join_by_bridge(namespaces):
    _do("ip", "link", "add", "switch", "type", "bridge")
    _configure(FRONT_END, 1, device="switch")
    for i, namespace in enumerate(namespaces, 1):
        _do("ip", "link", "add", f"port{i}", "type", "veth", "peer", "name", DEVICE,
            "netns", namespace)
        _do("ip", "link", "set", f"port{i}", "master", "switch", "up")
        _configure(i, i + 1, namespace)


def _switch_options(links):
    """The first port is the front end's."""
    found = [word for option, value in (("-m", links.mtu), ("-e", links.late)) if value is not None
             for word in (option, str(value))]
    for option, texts in (("-s", links.slower), ("-l", links.lossy)):
        for text in texts:
            a, b, number = text.split(":")
            found += [option, f"{int(a) + 1}:{int(b) + 1}:{number}"]
    return found


def _join_by_kernel(namespaces, program, links):
    """By a line in the kernel. What it consists of goes with the devices."""
    if not shutil.which("tc"):
        raise Unavailable("no tc (iproute2)")
    ports = {FRONT_END: None, **dict(enumerate(namespaces, 1))}  # number of each host: its namespace
    names = [f"port{i}" for i in range(1, len(ports) + 1)]
    folder = f"{STATE}/bpf"
    os.mkdir(folder)
    _do("mount", "-t", "bpf", "bpf", folder)
    try:
        for name, namespace in zip(names, ports.values()):
            # Fillers are long; where a class has a queue, it is as long as that of the device.
            _do("ip", "link", "add", name, "mtu", PORT_MTU, "txqueuelen", 100000, "type", "veth",
                "peer", "name", DEVICE, *(["netns", namespace] if namespace else []))
            # As on a cable: no packet is longer than what the switch takes for a filler.
            _do(*_entering(namespace), "ip", "link", "set", DEVICE, "gso_max_segs", 1)
            _do("ip", "link", "set", name, "up")
        commands = _do(program, *_switch_options(links), links.delay or 0, links.rate or 0, folder, *names)
        _write(f"{STATE}/tc", commands)
        _do("tc", "-batch", f"{STATE}/tc")
    except Unavailable:
        for name in names:
            subprocess.run(["ip", "link", "delete", name], stderr=subprocess.DEVNULL, check=False)
        raise
    _keep_order(len(names))
    # The switch does not hand on what is meant for all, such as questions for addresses.
    _write(f"{STATE}/neighbours", "".join(
        f"neighbour replace {NETWORK}.{number} lladdr {_hardware_address(port)} dev {DEVICE} nud permanent\n"
        for port, number in enumerate(ports, 1)))
    _write(f"{STATE}/watch", f"qdisc add dev {DEVICE} clsact\n"
           f"filter add dev {DEVICE} ingress bpf direct-action object-pinned {folder}/watch\n")
    for port, (number, namespace) in enumerate(ports.items(), 1):
        _configure(number, port, namespace, mtu=links.mtu)
        _do(*_entering(namespace), "ip", "-batch", f"{STATE}/neighbours")
        _do(*_entering(namespace), "tc", "-batch", f"{STATE}/watch")


def _keep_order(count):
    """Where the kernel can, all packets from a host come into the switch on one processor, on which the host runs. From
    two, packets of a connection could overtake each other."""
    masks = [f"{1 << int(cpus.split(',', maxsplit=1)[0]):x}" for cpus in _shares(count - 1)]
    script = "mount -t sysfs sys /sys\n" + "".join(
        f"echo {mask} >/sys/class/net/port{port}/queues/rx-0/rps_cpus\n"
        for port, mask in enumerate([masks[0], *masks], 1))
    subprocess.run(["unshare", "--mount", "sh", "-c", script], stderr=subprocess.DEVNULL, check=False)


def _join_by_program(namespaces, program, links):
    """Process id of the program that hands on the packets."""
    switch = subprocess.Popen([program, *_switch_options(links), str(links.delay or 0), str(links.rate or 0), DEVICE,
                               "/proc/self/ns/net", *namespaces],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if switch.stdout.readline() != b"ready\n":
        raise Unavailable("no delays or rates")
    _configure(FRONT_END, 1, mtu=links.mtu)
    for i, namespace in enumerate(namespaces, 1):
        _configure(i, i + 1, namespace, mtu=links.mtu)
    return switch.pid


def _join_by_line(namespaces, options):
    """Process id of the program that hands on the packets; None: the kernel does."""
    if options.in_kernel:
        try:
            _join_by_kernel(namespaces, options.in_kernel, options)
            _write(f"{STATE}/line", "kernel")
            return None
        except Unavailable:
            if not options.switch:
                raise
    _write(f"{STATE}/line", "program")
    return _join_by_program(namespaces, options.switch, options)


def _keep(stay, switch):
    """Reaps what ends; ends itself with the pipe or the switch."""

    def reap(*_):
        with contextlib.suppress(ChildProcessError):
            while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                if pid == switch:
                    os._exit(1)

    signal.signal(signal.SIGCHLD, reap)
    reap()
    if stay:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
        while True:
            signal.pause()
    while select.select([0], [], [])[0] and os.read(0, 1):
        pass


def _supervise(options):
    signal.signal(signal.SIGTERM, lambda *_: os._exit(128 + signal.SIGTERM))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: whoever started this decides
    names = [f"{options.name}-{i}" for i in range(1, options.count + 1)]
    _make_hosts(names)
    namespaces = [f"{STATE}/{name}/net" for name in names]
    switch = None
    if options.delay is None and options.rate is None:
        _join_by_bridge(namespaces)
    else:
        switch = _join_by_line(namespaces, options)
    print("ready", flush=True)
    _keep(options.stay, switch)
    os._exit(0)  # and with the first process of the namespace all others


# ---- Outside ----


def _built(name, *flags):
    """What a C file beside the tool is compiled to."""
    try:
        return programs.compiled(os.path.join(HERE, f"{name}.c"), *flags)
    except programs.NotBuilt as reason:
        raise Unavailable(reason) from None


def _supervisor_of(name):
    """Its process id, or None."""
    for pid in programs.marked(MARK, name):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/status", encoding="utf-8") as file:
            # Its ids, in this PID namespace and those within.
            if re.search(r"^NSpid:.*\s\d+\s+1$", file.read(), re.MULTILINE):
                return pid
    return None


def names_in_use():
    """Of all hosts that are up on this machine."""
    names = set()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{entry}/environ", "rb") as file:
            names.update(variable[len(MARK) + 1:].decode() for variable in file.read().split(b"\0")
                         if variable.startswith(f"{MARK}=".encode()))
    return sorted(name for name in names if _supervisor_of(name))


def down(name):
    """Ends what is called so, and all that runs on it; whether it is gone."""
    supervisor = _supervisor_of(name)
    if supervisor:
        with contextlib.suppress(ProcessLookupError):
            os.kill(supervisor, signal.SIGKILL)
    return not programs.wait_until_gone(MARK, name, 5)


def _require(*tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        raise Unavailable(f"no hosts without {', '.join(missing)}")


def _lines(links):
    """The programs for the lines that may be used."""
    if links.line == "kernel" and os.geteuid() != 0:
        raise Unavailable("a line in the kernel needs root")
    found = []
    if links.line != "program" and os.geteuid() == 0:
        found += ["--in-kernel", _built("line")]
    if links.line != "kernel":
        found += ["--switch", _built("delay")]
    return found


def _start(count, links, name, stay):
    """The supervisor, when the hosts are ready."""
    _require("ip", "unshare", "nsenter", "setpriv", "taskset", "mount", "hostname")
    if _supervisor_of(name):
        raise WrongUse(f"hosts called {name} are up already")
    argv = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--net", "--uts", "--ipc"]
    if os.geteuid() != 0:
        argv += ["--user", "--map-root-user"]
    argv += [sys.executable, TOOL, "supervise", str(count), "--name", name]
    if links.delay is not None or links.rate is not None:
        argv += ["--delay", str(links.delay or 0), "--rate", str(links.rate or 0)]
        argv += _lines(links)
        argv += [f"--{kind}={text}" for kind in CABLES for text in getattr(links, kind)]
        argv += [f"--{name}={getattr(links, name)}" for name in ("mtu", "late") if getattr(links, name) is not None]
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(argv + (["--stay"] if stay else []),
                                 env={**os.environ, MARK: name}, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=errors, start_new_session=stay)
        ready = child.stdout.readline() == b"ready\n"
        if not ready:
            child.stdin.close()
            child.wait()
        errors.seek(0)
        text = "; ".join(errors.read().decode(errors="replace").splitlines())
    if not ready:
        reason = "not root" if os.geteuid() != 0 else "namespaces may be forbidden here"
        raise Unavailable(f"{text or 'no hosts'} ({reason})")
    if text:
        print(text, file=sys.stderr)
    return child


@dataclasses.dataclass
class Manner:
    """How programs run on hosts; the options of the tool have the same names. realtime: never kept waiting by other
    programs on this machine (which get only what the kernel reserves for them). sleep: PEs that wait for messages sleep.
    limited: "2:40:10": on host 2 they get 40 percent of each 10 ms of a processor."""
    realtime: bool = False
    sleep: bool = False
    limited: str = None

    def options(self):
        """Of the tool."""
        return [*(["--realtime"] if self.realtime else []), *(["--sleep"] if self.sleep else []),
                *([f"--limited={self.limited}"] if self.limited else [])]

    def around(self, program, names):
        """What starts a program so on hosts of these names."""
        if self.limited:
            host, percent, milliseconds = self.limited.split(":")
            if int(host) > len(names):
                raise WrongUse(f"--limited {self.limited}: there are {len(names)} hosts")
            program = [LIMIT, names[int(host) - 1], percent, milliseconds, *program]
        if self.sleep:
            libraries = [_built("sleep", "-shared", "-fPIC", "-ldl"), *os.environ.get("LD_PRELOAD", "").split()]
            program = ["env", f"LD_PRELOAD={':'.join(libraries)}", *program]
        return program


class Hosts:
    """Hosts that are up: count, names, line: what makes their delays. manner: how programs run on them."""

    def __init__(self, name, manner=None):
        self.name, self.manner, self.line = name, manner or Manner(), None
        self.supervisor = _supervisor_of(name)
        try:
            with open(f"/proc/{self.supervisor}/root{STATE}/names", encoding="ascii") as file:
                self.names = file.read().split()
        except OSError:
            raise WrongUse(f"no hosts are called {name}") from None
        self.count = len(self.names)
        with contextlib.suppress(OSError), open(f"/proc/{self.supervisor}/root{STATE}/line", encoding="ascii") as file:
            self.line = file.read()

    def inside(self, argv):
        """argv as it is started on the front end; it ends when whoever started it does."""
        namespaces = ["--mount", "--uts", "--ipc", "--net", "--pid"]
        if os.geteuid() != 0:
            namespaces = ["--user", "--preserve-credentials", *namespaces]
        return ["nsenter", "--target", str(self.supervisor), *namespaces, "--",
                "setpriv", "--pdeathsig", "TERM", "env", "--default-signal=TERM,INT",
                f"{MARK}={self.name}",
                "sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", os.getcwd(), *argv]

    def launched(self, argv, pes):
        """argv on that many PEs, the first ones on the first host."""
        launcher = shlex.split(os.environ.get("HOSTS_LAUNCHER", "")) or [
            "oshrun" if shutil.which("oshrun") else "mpirun"]
        used = min(pes, self.count)
        slots = [pes // used + (i < pes % used) for i in range(used)]
        settings = [f"{name}={value}" for name, value in SETTINGS.items() if name not in os.environ]
        where = ",".join(f"{name}:{n}" for name, n in zip(self.names, slots))
        first = ["chrt", "--rr", str(PRIORITY)] if self.manner.realtime else []
        if first and (not shutil.which("chrt") or subprocess.run(
                [*first, "true"], stderr=subprocess.DEVNULL, check=False).returncode):
            raise Unavailable("no real-time priority here")
        return self.inside([*first, "env", *settings, *launcher, "-np", str(pes), "-H", where,
                            *self.manner.around(argv, self.names)])



def unique_name():
    return f"host{os.getpid():x}{time.monotonic_ns() % 0xfff:03x}"


@contextlib.contextmanager
def joined(count, links, name, manner):
    """So many hosts, as long as the context lasts."""
    child = _start(count, links, name, stay=False)
    try:
        yield Hosts(name, manner)
    finally:
        child.stdin.close()
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            down(name)
            child.wait()
        child.stdout.close()


# ---- The tool ----


def _natural(text):
    if not re.fullmatch(r"0*[1-9][0-9]*", text):
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return int(text)


def _amount(text):
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?", text):
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 on")
    return float(text)


def _mtu(text):
    if not re.fullmatch("[0-9]{4}", text) or not USUAL_MTU <= int(text) <= MOST_MTU:
        raise argparse.ArgumentTypeError(f"{text} is no number from {USUAL_MTU} to {MOST_MTU}")
    return int(text)


def _cable(most):
    """Reads two hosts and an amount up to `most`."""
    def read(text):
        match = re.fullmatch(r"([1-9][0-9]?):([1-9][0-9]?):([0-9]{1,9}(\.[0-9]*)?)", text)
        if not match or match[1] == match[2] or float(match[3]) > most:
            raise argparse.ArgumentTypeError(f"{text} is not like 1:2:50, two hosts and a number up to {most}")
        return text
    return read


def _limit(text):
    if not re.fullmatch(r"[1-9][0-9]?:[1-9][0-9]?:[1-9][0-9]{0,3}", text):
        raise argparse.ArgumentTypeError(f"{text} is not like 2:40:10, a host, a percentage below 100 and milliseconds")
    return text


def _arguments():
    parser = argparse.ArgumentParser(prog="hosts", description=(
        "Makes several hosts on this machine out of namespaces, joined by a network with delays, "
        "and runs OpenSHMEM or MPI programs on them. Ends with 77 where that cannot be done."))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, text, links=False, pes=False, name_needed=False):
        sub = commands.add_parser(name, description=text, **({"help": text} if text else {}))
        if links:
            sub.add_argument("count", type=_natural, metavar="K", help="number of hosts")
            sub.add_argument("--delay", type=_amount, metavar="US", help="one-way delay between hosts")
            sub.add_argument("--rate", type=_amount, metavar="MBIT", help="of each host's cable, in Mbit/s")
            sub.add_argument("--mtu", type=_mtu, metavar="BYTES",
                             help=f"that a packet carries at most, from {USUAL_MTU} (default) to {MOST_MTU}")
            sub.add_argument("--late", type=_amount, help=argparse.SUPPRESS)  # for tests
            sub.add_argument("--slower", type=_cable(10**6), action="append", default=[],
                             metavar="A:B:US", help="packets between hosts A and B take so much longer")
            sub.add_argument("--lossy", type=_cable(100), action="append", default=[],
                             metavar="A:B:PERCENT", help="this share of packets between hosts A and B is lost")
            sub.add_argument("--line", choices=LINES, help=(
                "what makes delays and rates: the kernel, where it can, or a program"))
        if pes:
            sub.add_argument("--per-host", type=_natural, metavar="N", help="PEs on each host (1)")
            sub.add_argument("-np", type=_natural, metavar="N", help="PEs in all, instead")
            sub.add_argument("--realtime", action="store_true", help=(
                "whatever else this machine has to do, what runs on the hosts comes first"))
            sub.add_argument("--sleep", action="store_true", help="PEs that wait for messages sleep")
            sub.add_argument("--limited", type=_limit, metavar="A:PERCENT:MS", help=(
                "programs on host A get only this share of a processor in each period of so many ms"))
        sub.add_argument("--name", metavar="PREFIX", required=name_needed,
                         help="what the hosts are called, followed by -1, -2, ...")
        return sub

    run = command("run", "makes hosts, runs a program on them, removes them", True, True)
    command("up", "makes hosts that stay until they are taken down", True)
    launch = command("launch", "runs a program on hosts that are up", False, True)
    enter = command("enter", "runs a command, or a shell, on one host that is up")
    enter.add_argument("host", metavar="HOST")
    command("down", "ends hosts and all that runs on them; without a name all that are up")
    command("list", "names the hosts that are up")
    inner = command("supervise", None, True, False, True)  # for the tool itself
    inner.add_argument("--switch")
    inner.add_argument("--in-kernel")
    inner.add_argument("--stay", action="store_true")
    for sub in (run, launch):
        sub.add_argument("program", nargs="+", metavar="PROGRAM")
    enter.add_argument("program", nargs="*", metavar="COMMAND")
    return parser.parse_args()


def _links(options):
    """What the options say of the network."""
    links = Links(*(getattr(options, field.name) for field in dataclasses.fields(Links)))
    for option in ("line", "mtu", *CABLES):
        if getattr(links, option) and links.delay is None and links.rate is None:
            raise WrongUse(f"--{option} needs --delay or --rate")
    for kind in CABLES:
        for text in getattr(links, kind):
            if max(map(int, text.split(":")[:2])) > options.count:
                raise WrongUse(f"--{kind} {text}: there are {options.count} hosts")
    return links


def _manner(options):
    """What the options of commands that start programs say; of others: as usual."""
    return Manner(*(getattr(options, field.name, field.default) for field in dataclasses.fields(Manner)))


def _pes(options, count):
    return options.np or (options.per_host or 1) * count


def _the_one(options):
    """The hosts meant: those named, or the only ones there are."""
    names = [options.name] if options.name else names_in_use()
    if len(names) != 1:
        raise WrongUse(f"say with --name which are meant: {', '.join(names) or 'none are up'}")
    return Hosts(names[0], _manner(options))


# Of Open MPI, about a race between parent and child that does no harm.
_NOISE = re.compile(rb"^\[[^]\n]*\] plm:rsh: Warning: setpgid\(.*\n", re.MULTILINE)


def _relay(source):
    while text := os.read(source.fileno(), 65536):
        sys.stderr.buffer.write(_NOISE.sub(b"", text))
        sys.stderr.flush()


def _ended(argv):
    """Runs it, handing on the signals that end it; its exit status as a shell states it. It ends in
    any case when this process does."""

    def ignore():
        # nsenter shall stay until what it started has said its last words.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    child = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *argv], preexec_fn=ignore,
                             stderr=subprocess.PIPE)
    relay = threading.Thread(target=_relay, args=(child.stderr,), daemon=True)
    relay.start()

    def hand_on(number, _):
        # A terminal has told all in the foreground, and a launcher told twice gives up at once.
        if number == signal.SIGINT and os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp():
            return
        with contextlib.suppress(OSError), open(f"/proc/{child.pid}/task/{child.pid}/children",
                                                encoding="ascii") as file:
            for pid in file.read().split():
                os.kill(int(pid), number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hand_on)
    status = child.wait()
    relay.join(1)  # not for what may still be there, of a launcher that was killed
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def packets_first(manner):
    """While programs have real-time priority, the kernel's threads for packets have a higher one, where that is allowed. Else a
    packet that comes to them, since there were many before it, waits for the next tick of the clock: 4 ms."""
    raised = []
    for name in glob.glob("/proc/[0-9]*/comm") if manner.realtime else ():
        with contextlib.suppress(OSError), open(name, encoding="utf-8") as file:
            pid = int(name.split("/")[2])
            if file.read().startswith("ksoftirqd/") and os.sched_getscheduler(pid) == os.SCHED_OTHER:
                os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(PRIORITY + 1))
                raised.append(pid)
    try:
        yield
    finally:
        for pid in raised:
            os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))


def _start_on(these, options):
    """The exit status of the program that options name."""
    with packets_first(these.manner):
        return _ended(these.launched(options.program, _pes(options, these.count)))


def _run(options):
    def stop(number, _):
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    with joined(options.count, _links(options), options.name or unique_name(), _manner(options)) as these:
        return _start_on(these, options)


def _up(options):
    name = options.name or unique_name()
    _start(options.count, _links(options), name, stay=True)
    print("\n".join(Hosts(name).names))
    print(f"now: hosts launch --name {name} -- PROGRAM; hosts down --name {name}", file=sys.stderr)
    return 0


def _launch(options):
    return _start_on(_the_one(options), options)


def _enter(options):
    options.name = options.name or options.host.rpartition("-")[0]
    argv = Hosts(options.name).inside([f"{STATE}/enter", options.host,
                                       shlex.join(options.program) or "exec sh"])
    os.execvp(argv[0], argv)


def _down(options):
    names = [options.name] if options.name else names_in_use()
    left = [name for name in names if not down(name)]
    for name in left:
        print(f"hosts: {name} does not go away", file=sys.stderr)
    return 1 if left else 0


def _list(_):
    for name in names_in_use():
        print(" ".join(Hosts(name).names))
    return 0


def main():
    # Where administrators' programs are is not on everybody's path.
    os.environ["PATH"] = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    options = _arguments()
    name = getattr(options, "name", None)
    if name is not None and not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,40}", name):
        print("hosts: a name is made of letters, digits and -, and begins with a letter",
              file=sys.stderr)
        return 2
    if getattr(options, "count", 1) > MOST:
        print(f"hosts: there can be {MOST} hosts at most", file=sys.stderr)
        return 2
    actions = {"run": _run, "up": _up, "launch": _launch, "enter": _enter, "down": _down,
               "list": _list, "supervise": _supervise}
    try:
        return actions[options.command](options)
    except Unavailable as reason:
        print(reason if options.command == "supervise" else f"hosts: {reason}", file=sys.stderr)
        return SKIPPED
    except WrongUse as reason:
        print(f"hosts: {reason}", file=sys.stderr)
        return 2
