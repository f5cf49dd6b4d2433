#!/usr/bin/env python3
"""shmemtrace export --goal: the schedule is read back. Each message has both ends, nothing waits for itself, bytes are those of
the trace, and a wait requires the put that ended it."""

import collections
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from traces import HEAP, Made, events_of, small_scenario

PUT, REQUEST, ANSWER, CONTROL, CONTROL_ANSWER, COLLECTIVE = range(6)  # tags modulo 8
LINE = re.compile(r"(l\d+): (?:calc (\d+)|(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)) cpu (\d+)")
tap = Tap()
MADE = Made()
Operation = collections.namedtuple("Operation", "way amount peer tag cpu requires")


def parsed(text):
    """Operations of each rank by label, in their order; ends the test at what the grammar does not have."""
    lines = text.split("\n")
    count = int(re.fullmatch(r"num_ranks (\d+)", lines[0])[1])
    ranks, rank = [], None
    for line in lines[1:]:
        if begins := re.fullmatch(r"rank (\d+) \{", line):
            rank = {}
            ranks.append(rank)
            assert int(begins[1]) == len(ranks) - 1, line
        elif requires := re.fullmatch(r"(l\d+) requires (l\d+)", line):
            assert requires[2] in rank, line
            rank[requires[1]].requires.append(requires[2])
        elif line not in ("", "}"):
            label, ns, way, size, peer, tag, cpu = LINE.fullmatch(line).groups()
            assert label not in rank, line
            rank[label] = Operation(way or "calc", int(size or ns), int(peer or -1), int(tag or -1), int(cpu), [])
    assert len(ranks) == count
    return ranks


def ends(ranks, way):
    """(label, bytes) of messages by sender, receiver and tag."""
    found = collections.defaultdict(list)
    for number, rank in enumerate(ranks):
        for label, operation in rank.items():
            if operation.way == way:
                pair = (number, operation.peer) if way == "send" else (operation.peer, number)
                found[(*pair, operation.tag)].append((number, label, operation.amount))
    return found


def finished(ranks):
    """When each operation is done if messages take no time; None: some wait for each other."""
    sent, received = ends(ranks, "send"), ends(ranks, "recv")
    sender = {there[:2]: here[:2] for key in sent for here, there in zip(sent[key], received[key])}
    open_ = {(i, label): set((i, other) for other in operation.requires) |
             ({sender[i, label]} if operation.way == "recv" else set())
             for i, rank in enumerate(ranks) for label, operation in rank.items()}
    after, done = collections.defaultdict(list), {}
    for what, others in open_.items():
        for other in others:
            after[other].append(what)
    ready = [what for what, others in open_.items() if not others]
    left = {what: len(others) for what, others in open_.items()}
    for what in ready:
        operation = ranks[what[0]][what[1]]
        done[what] = max((done[other] for other in open_[what]), default=0) + (
            operation.amount if operation.way == "calc" else 0)
        for other in after[what]:
            left[other] -= 1
            if left[other] == 0:
                ready.append(other)
    return done if len(done) == len(open_) else None


def moved(ranks, kind):
    """Bytes of a kind of message by sender and receiver."""
    sums = collections.Counter()
    for (sender, receiver, tag), messages in ends(ranks, "send").items():
        if tag % 8 == kind:
            sums[sender, receiver] += sum(amount for _, _, amount in messages)
    return sums


def exported(name, scenario):
    MADE.make(name, scenario)
    ran = MADE.command("export", "--goal", "-", name)
    tap.ok(ran.status == 0 and "progress, contention" in ran.err, f"{name}: is exported, and says what is missing", ran)
    ranks = parsed(ran.out)
    sizes = [{key: [amount for _, _, amount in messages] for key, messages in ends(ranks, way).items()}
             for way in ("send", "recv")]
    tap.equal(sizes[0], sizes[1], f"{name}: each message has both ends, with equal sizes")
    tap.ok(finished(ranks) is not None, f"{name}: nothing waits for itself")
    sums = {PUT: collections.Counter(), ANSWER: collections.Counter()}
    for event in events_of(MADE.command("dump", "--csv", name).out):
        pe, peer, size = int(event["pe"]), int(event["peer"] or -1), int(event["bytes"] or 0)
        answered = re.search("get|swap|fetch", event["routine"])
        if peer not in (-1, pe):
            sums[ANSWER if answered else PUT][(peer, pe) if answered else (pe, peer)] += size + (
                8 if "signal" in event["routine"] else 0)
    tap.equal({kind: moved(ranks, kind) for kind in sums}, sums, f"{name}: the bytes are those of the trace")
    return ranks, ran


# ---- Everything, and a chain of waits ----

exported("small", small_scenario(0) + small_scenario(1))

PES = 5
SET = f"set_start=0 set_stride=1 set_size={PES}"


def member(pe):
    """Starts together; PE 0 computes 1 ms and puts a flag, which goes from PE to PE; collectives and a lock at the end."""
    start, text = 1000 + pe, f"pe {pe} {PES} 1\nevent 0 shmem_init 0 {500 + pe}\n"
    if pe > 0:
        text += (f"event 0 shmem_long_wait_until {start} {1000000 + 100 * pe} target={HEAP} comparison=0 value={pe}\n")
    at = 1001000 + 100 * pe + 50
    if pe + 1 < PES:
        text += f"event 0 shmem_long_p {at} 10 peer={pe + 1} target={HEAP} value={pe + 1}\n"
    at = 1010000
    for routine, more in (("broadcast64", " root=3"), ("long_sum_to_all", ""), ("fcollect64", ""), ("alltoall64", ""),
                          ("collect64", "")):
        text += (f"event 0 shmem_{routine} {at} 100 elements=2 bytes=16 target={HEAP + 64} source={HEAP + 128}"
                 f"{more} {SET}\n")
        at += 200
    text += (f"event 0 shmem_set_lock {at + 1000 * pe} 100 target={HEAP + 8}\n"
             f"event 0 shmem_clear_lock {at + 1000 * pe + 200} 10 target={HEAP + 8}\n"
             f"event 0 shmem_barrier_all {at + 9000} 100 {SET}\nevent 0 shmem_finalize {at + 9200} 100 flags=1 {SET}\n")
    return text + "end finalize\n"


ranks, ran = exported("chain", "".join(map(member, range(PES))))
done = finished(ranks)
puts = [(pe, label) for pe, rank in enumerate(ranks) for label, operation in rank.items()
        if operation.way == "send" and operation.tag % 8 == PUT]
tap.equal([pe for pe, _ in puts], list(range(PES - 1)), "chain: there is a put on each PE but the last")
tap.ok(all(done[put] >= 1e6 for put in puts),
       "chain: a PE puts after the put that it has waited for, so none does before PE 0 has computed",
       [done[put] for put in puts])
received = {(pe, label): operation for pe, rank in enumerate(ranks) for label, operation in rank.items()
            if operation.way == "recv" and operation.tag % 8 == PUT}
tap.ok(all(operation.cpu == 1 and not operation.requires for operation in received.values()),
       "chain: targets receive on a CPU of their own, whatever they do")
tap.ok("not in the schedule: 5 calls of shmem_collect" in ran.err, "chain: what cannot be said is stated", ran)

# ---- What cannot be exported ----

PAIR = ("pe 0 2 1\nevent 0 shmem_barrier_all 100 50 set_start=0 set_stride=1 set_size=2\nend exit\n", "pe 1 2 1\nend exit\n")
for name, scenario, options, status, message in (
        ("alone", PAIR[1], (), 2, "PE 0 has no file: a schedule needs all PEs"),
        ("apart", "".join(PAIR), (), 1, "PE 0 and PE 1 make other collective calls"),
        ("part", "".join(PAIR), ("--pe", "0"), 2, "--goal takes the whole run"),
        ("window", "".join(PAIR), ("--from", "0"), 2, "--goal takes the whole run")):
    MADE.make(name, scenario)
    refused = MADE.command("export", "--goal", f"{name}.goal", *options, name)
    tap.ok(refused.status == status and message in refused.err and not os.path.exists(MADE.path(f"{name}.goal")),
           f"{name}: is refused, and leaves no file", refused)

tap.done()
