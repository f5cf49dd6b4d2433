#!/usr/bin/env python3
# LONG
# TIMEOUT: 300
"""Several hosts on this machine: they go away whatever happens; they have the faults that were asked for; programs are
right on them, and jobs end as on one host."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import harness
import processes
from harness import Tap, read_text, skip_all
from job import Job
from hosts import HERE, MARK, TOOL, Manner, Unavailable, hosts, lines_here, unique_name

DELAY = 200  # us, one way
PACKETS = os.path.join(HERE, "packets.py")
WAITING = os.path.join(HERE, "waiting.py")
CABLES = ((10, 1500), (60, 9000))  # slow: Mbit/s and MTU
FRAME = 14 + 24  # bytes of a packet besides

tap = Tap()


# ---- Nothing stays behind ----


def traces(name):
    """What there is of hosts outside their namespaces, with their name in it or not."""
    links = subprocess.run(["ip", "-o", "link"], capture_output=True, check=False).stdout
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        mounts = [line.split()[4] for line in file]
    files = [f for folder in ("/dev/shm", "/tmp", "/run/netns") if os.path.isdir(folder)
             for f in os.listdir(folder) if name in f]
    return {"links": re.findall(rb"^\d+: (\S+):", links, re.MULTILINE), "mounts": mounts,
            "files": files}


def tool(*arguments, **how):
    return harness.run([TOOL, *map(str, arguments)], **how)


def gone(name, before, what):
    left = processes.wait_until_gone(MARK, name, 20)
    tap.equal(left, [], f"{what}: no process is left")
    # The kernel takes namespaces apart a moment after their last process. What others take away meanwhile is theirs.
    end = time.monotonic() + 10
    while True:
        more = {kind: [entry for entry in found if entry not in before[kind]] for kind, found in traces(name).items()}
        if not any(more.values()) or time.monotonic() > end:
            break
        time.sleep(0.1)
    tap.equal(more, {kind: [] for kind in before}, f"{what}: no device, mount or file is left")


def started(argv, name):
    """A program on hosts that do not end by themselves, when it runs on the second."""
    ready = os.path.join(harness.scratch_directory(), "ready")
    command = f'[ "$(hostname)" != {name}-2 ] || touch {ready}; exec sleep 1000'
    child = subprocess.Popen([TOOL, *argv, "--name", name, "--", "sh", "-c", command],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not os.path.exists(ready) and time.monotonic() < end:
        time.sleep(0.05)
    return child if os.path.exists(ready) else None


def check_run_killed(number):
    name = unique_name()
    before = traces(name)
    child = started(["run", "2", "--delay", "10"], name)
    what = f"run, ended by {signal.Signals(number).name}"
    if tap.ok(child, f"{what}: it does run") and tap.ok(processes.marked(MARK, name),
                                                       f"{what}: its processes are seen"):
        child.send_signal(number)
        child.wait()
    gone(name, before, what)


def check_up_and_down():
    name = unique_name()
    before = traces(name)
    # They are meant to stay, which harness.run() does not like.
    up = subprocess.run([TOOL, "up", "2", "--name", name, "--delay", "10"], capture_output=True,
                        check=False)
    tap.equal(up.stdout.decode().split(), [f"{name}-1", f"{name}-2"], "up: names the hosts")
    tap.ok(f"{name}-1 {name}-2" in tool("list").out.splitlines(), "list: names them too")
    again = tool("up", 2, "--name", name)
    tap.equal(again.status, 2, "up: a name is not used twice", again)
    congestion = tool("enter", f"{name}-2", "--", "cat", "/proc/sys/net/ipv4/tcp_congestion_control")
    tap.ok(congestion.out.strip() in ("cubic", "reno"), "TCP does not guess bandwidths", congestion)
    inside = tool("enter", f"{name}-2", "--", "sh", "-c", "hostname; ip -o -4 address; ls /dev/shm")
    tap.ok(inside.out.startswith(f"{name}-2\n") and "192.0.2.2/24" in inside.out,
           "enter: a command runs on the host", inside)
    launched = tool("launch", "--name", name, "-np", 3, "--", "sh", "-c", "hostname; exit 0")
    tap.equal(sorted(launched.out.split()), [f"{name}-1", f"{name}-1", f"{name}-2"],
              "launch: PEs are spread", launched)
    failing = tool("launch", "--name", name, "--", "sh", "-c", "exit 3")
    tap.equal(failing.status, 3, "launch: the exit status is the program's", failing)

    child = started(["launch"], name)
    if tap.ok(child, "launch: it does run"):
        child.kill()
        child.wait()
        end = time.monotonic() + 20
        while _sleeping(name) and time.monotonic() < end:
            time.sleep(0.05)
        tap.equal(_sleeping(name), [], "launch, killed: its program ends, too")
    down = tool("down", "--name", name)
    tap.equal(down.status, 0, "down", down)
    gone(name, before, "up and down")
    tap.equal(tool("launch", "--name", name, "--", "true").status, 2, "launch: not without hosts")


def _sleeping(name):
    found = []
    for pid in processes.marked(MARK, name):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if file.read().startswith(b"sleep\0"):
                    found.append(pid)
        except OSError:
            pass
    return found


def check_supervisor_killed(line):
    name = unique_name()
    before = traces(name)
    with hosts(2, delay_us=10, name=name, line=line) as these:
        os.kill(these.supervisor, signal.SIGKILL)
        gone(name, before, f"the supervisor, killed, line: {line}")


def check_impossible():
    empty = harness.scratch_directory()
    run = harness.run([sys.executable, TOOL, "run", "2", "--", "true"], env={"PATH": empty})
    tap.equal(run.status, 77, "without the tools it needs: status 77", run)
    tap.ok("no hosts without" in run.err, "and it says so", run)
    for arguments in (["run", "0", "--", "true"], ["run", "2", "--name", "a b", "--", "true"],
                      ["run", "2", "-np", "0", "--", "true"], ["run", "2", "--line", "kernel", "--", "true"],
                      ["enter", "nowhere-1", "--", "true"]):
        tap.equal(tool(*arguments).status, 2, f"wrong use: {' '.join(arguments)}")


# ---- Faults ----


def check_faults(line):
    """What is slower, lost and limited is what was asked for, at least: a busy machine adds to it."""
    cables = {"slower": ["1:2:30000"], "lossy": ["1:3:30"]}
    with hosts(3, delay_us=1000, **cables, manner=Manner(limited="1:25:20"), line=line) as these:
        tap.equal(these.line, line, f"line: {line}: it is the one that was asked for")
        run = these.run([sys.executable, PACKETS, these.name], timeout=60)
    if not tap.ok(run.status == 0 and len(run.out.split()) == 4, "packets are sent between hosts with faults", run):
        return
    shortest, second, third, share = map(float, run.out.split())
    tap.ok(shortest >= 2 * 0.031, "a slower cable: an answer takes its delay twice", run)
    tap.equal(second, 300, "... and no packet is lost", run)
    tap.ok(170 <= third <= 250, "a lossy cable: of 300 packets 30 % are lost, within 5 standard deviations", run)
    tap.ok(share < 0.35, "a limited host has 25 % of a processor at most", run)


def check_queue(line, rate, mtu):
    """On slow cables packets wait for each other, also for those to other hosts, and stay in order."""
    with hosts(3, rate_mbit=rate, line=line, mtu=mtu) as these:
        run = these.run([sys.executable, WAITING, these.name, mtu], timeout=60)
    if not tap.equal(run.status, 0, f"line: {line}: packets of {mtu} bytes are sent over slow cables", run):
        return
    came = {int(host): (int(count), float(ms), order) for host, count, ms, order in map(str.split, run.out.splitlines())}
    least = {host: packets * (mtu + FRAME) * 8e-3 / rate for host, packets in ((2, 200), (3, 201))}
    for host, count in ((2, 200), (3, 1)):
        found = came.get(host, (0, 0, None))
        tap.ok(found[0] == count and found[1] >= least[host] - 0.1, (
            f"... the last to host {host} comes when all in front of it are transmitted: {found}, {least[host]} ms"), run)
        tap.equal(found[2], "True", "... in order", run)


def check_refused():
    for arguments, text in ((["--slower", "1:2:5"], "needs --delay or --rate"), (["--lossy", "1:2:101"], "up to 100"),
                            (["--delay", "1", "--lossy", "1:3:5"], "there are 2 hosts"),
                            (["--mtu", "9000"], "--mtu needs --delay or --rate"),
                            (["--delay", "1", "--mtu", "9001"], "from 1500 to 9000"),
                            (["--limited", "3:50:10"], "there are 2 hosts"), (["--limited", "1:100:10"], "below 100")):
        refused = tool("run", 2, *arguments, "--", "true")
        tap.ok(refused.status == 2 and text in refused.err, f"wrong use: {' '.join(arguments)}", refused)


YIELD = """
import os, select, socket, time
here, there = socket.socketpair()
poll = select.poll()
poll.register(here, select.POLLIN)
poll.poll(0)

def shortest():
    found = []
    for _ in range(20):
        begin = time.monotonic()
        os.sched_yield()
        found.append(time.monotonic() - begin)
    return min(found)

idle = shortest()
there.send(b"x")
print(idle, shortest())
"""


def check_sleep():
    run = harness.run(Manner(sleep=True).around([sys.executable, "-c", YIELD], []))
    # Of several the shortest: who yields on a busy machine may get the processor back late.
    idle, busy = map(float, run.out.split() or (0, 1))
    tap.ok(idle >= 0.004 > busy, "who waits for messages sleeps, until one comes", run)


# ---- Programs run on them ----


def compiled(name):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".c")
    program = os.path.join(harness.scratch_directory(), name)
    command = shlex.split(read_text(harness.build_directory(), "flags"))
    subprocess.run([*command, "-o", program, source], check=True, cwd=harness.ROOT)
    return program


def check_operations(program, count, per_host, **links):
    what = f"put, get and atomics over {count} hosts with {per_host} PEs each, {links or 'no delay'}"
    with hosts(count, **links) as these:
        run = these.run([program], per_host=per_host, timeout=30)
        tap.equal(run.status, 0, what, run)
        tap.ok(f"ok {count * per_host}" in run.out.splitlines(), f"{what}: all right", run)
        where = dict(line.split() for line in run.out.splitlines() if not line.startswith("ok"))
        wanted = {str(pe): these.names[pe // per_host] for pe in range(count * per_host)}
        tap.equal(where, wanted, f"{what}: PEs are where they should be")


# ---- skampi on them ----

def check_locks():
    """The others stand in the queue when a lock is handed on, also where it takes them long to queue."""
    delay = 1000
    with hosts(2, delay_us=delay) as these:
        run = these.skampi("""set_unit(1e6) set_min_repetitions(4) set_max_repetitions(4)
begin measurement "lock"
  measure MPI_COMM_WORLD : Shmem_Lock_Handed_Over(2)
end measurement
""", timeout=60)
    times = [row.time for row in run.rows]
    tap.ok(run.status == 0 and len(times) == 1 and times[0] > delay,
           f"a lock is handed over by at least one message: {times} us", run)


def check_load():
    """Aggressors see that they shall stop, over a network on which that needs calls of the library."""
    with hosts(3) as these:
        run = these.skampi("""set_min_repetitions(8) set_max_repetitions(8)
begin measurement "load"
  for aggressors in ["incast", "memory"] do
    measure MPI_COMM_WORLD : Shmem_Put_Under_Load(8, aggressors, 1024)
  od
end measurement
""", timeout=60)
    tap.ok(run.status == 0 and len(run.rows) == 2 and all("at " in str(row.notes) for row in run.rows),
           "aggressors on another host begin and end", run)


MANY = """begin measurement "many"
  for i = 1 to 100000000 do
    measure MPI_COMM_WORLD : Shmem_Put_Full(8, 5)
  od
end measurement
"""


def check_last_words():
    """A PE on another node than PE 0's ends the job: the result says which, and why."""
    with hosts(2) as these:
        os.environ["SKAMPI_LAUNCH"] = these.launch_line()
        try:
            job = Job(MANY, 4, ("-o", "out.sko", "-o", "out.json"))
        finally:
            del os.environ["SKAMPI_LAUNCH"]
        seen = job.wait_for(r"^i= 20 .*\n")
        pid = job.pe(3, MARK, these.name)
        if seen and pid:
            os.kill(pid, signal.SIGSEGV)
        run = job.finish()
    if not tap.ok(seen and pid, "a run on two hosts writes results", run):
        return
    with open(run.path("out.json"), encoding="utf-8") as file:
        end = json.loads(file.readlines()[-1])
    wanted = r"PE 3 was ended by signal 11 .* in (Shmem_Put_Full\(|the script)"
    tap.ok(end["record"] == "end" and end["status"] == 139 and
           re.search(wanted, end["reason"]), "the end of a PE on another node is in the results", (end, run))
    tap.ok(re.search(wanted, job.written().splitlines()[-1]), "... also in the .sko", job.written()[-500:])


def check_uneven():
    """PEs share processors on the first node only: all agree that there are no controls."""
    script = ('begin measurement "t" measure comm(get_np()) : Shmem_Barrier() end measurement')
    for pes in sorted({3, 2 * len(os.sched_getaffinity(0)) + 1}):
        with hosts(2) as these:
            run = harness.skampi(script, np=pes, timeout=40, env={"SKAMPI_LAUNCH": these.launch_line()})
        tap.equal(run.status, 0, f"{pes} PEs on 2 hosts measure", run)


def main():
    try:
        every = lines_here()
    except Unavailable as reason:
        skip_all(reason)
    if "kernel" not in every:
        tap.skip("a line in the kernel", "there is none here")
    with hosts(2, delay_us=0) as these:
        tap.equal(these.line, every[0], "the kernel makes delays where it can")
    check_impossible()
    check_run_killed(signal.SIGKILL)
    check_run_killed(signal.SIGTERM)
    for line in every:
        check_supervisor_killed(line)
        check_faults(line)
        for rate, mtu in CABLES:
            check_queue(line, rate, mtu)
    check_up_and_down()
    check_refused()
    check_sleep()
    if not harness.has("SHMEM"):
        tap.skip("programs on several hosts", "built without OpenSHMEM")
        tap.done()
    program = compiled("operations")
    for line in every:
        check_operations(program, 2, 1, delay_us=DELAY, line=line)
        check_operations(program, 2, 1, rate_mbit=1000, mtu=9000, line=line)
    check_operations(program, 4, 1)
    check_operations(program, 2, 2)
    check_last_words()
    check_load()
    check_locks()
    check_uneven()
    tap.done()


main()
