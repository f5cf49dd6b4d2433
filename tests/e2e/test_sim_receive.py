#!/usr/bin/env python3
# PLAIN
"""shmemsim: what a target's library needs for each message that comes. Programs whose time can be computed by hand take
that, and none is faster for it."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import Tap
from made_runs import HEAP, Program, Simulator, mixed_program, own

tap = Tap()
sim = Simulator()
LOGGP = ("--model", "loggp", "--per-pe")
L, O, R, A = 1000, 200, 300, 50  # ns: latency, overhead, receiving, an atomic; a byte takes 1
P = O + 8                        # until a put of 8 B has left
LATE = 10000
MACHINE = ("bus net { bandwidth 1 GB/s latency 1 us overhead 200 ns %s }\n"
           "node n { count 8 cores 1 bandwidth 1 GB/s latency 1 us atomic 50 ns bus net %s }\n"
           "collective all table { pes 2 { time 0 ns } }\n")


def machine(receive="receive 300 ns", progress="progress inside"):
    return sim.write(MACHINE % (receive, progress))


def puts(program, pe, peer, count, first=HEAP):
    for i in range(count):
        program.call(pe, "shmem_long_p", peer=peer, target=first + 8 * i, value=1)


def wait(program, pe, place, burst=0):
    program.now[pe] = max(program.now[pe], *program.now.values()) + 1000
    program.call(pe, "shmem_long_wait_until", target=place, comparison=0, value=1)


def predict(program, *options, description=None):
    return sim.predict(program, *LOGGP, *options, machine=description or machine())


def check(program, wanted, name, *options, description=None):
    """wanted: {(PE, routine): ns}"""
    found = predict(program, *options, description=description)
    tap.equal({key: own(found, *key) for key in wanted} if isinstance(found, dict) else found, wanted, name, found)


def arrivals(count, handled_from=0):
    """[when a put is handled], of puts in a row that the target handles one by one, from some time on."""
    done, free = [], handled_from
    for i in range(count):
        free = max(free, (i + 1) * P + L - R) + R
        done.append(free)
    return done


def test_one_way():
    """The latency has the receiving of one message in it; more wait for each other."""
    for count, contention in ((1, ()), (3, ()), (20, ()), (20, ("--contention",))):
        program = Program(2)
        puts(program, 0, 1, count)
        program.call(0, "shmem_quiet")
        wait(program, 1, HEAP + 8 * (count - 1))
        burst = 1000 + 100 * (count + 1)  # of the wait, in the trace
        done = arrivals(count, burst)[-1]
        check(program, {(1, "shmem_long_wait_until"): done - burst, (0, "shmem_quiet"): done + L - count * P},
              f"{count} puts in a row {' '.join(contention)}", *contention)
    program = Program(2)
    program.put(0, 1, 500)
    program.call(0, "shmem_quiet")
    check(program, {(0, "shmem_putmem"): O + 500, (0, "shmem_quiet"): 2 * L}, "one put alone takes what it takes without")


def test_both_ways():
    """PEs that put to each other handle what comes in their quiet."""
    count = 10
    program = Program(2)
    for pe in (0, 1):
        puts(program, pe, 1 - pe, count)
        program.call(pe, "shmem_quiet")
    last = arrivals(count, count * P)[-1]
    check(program, {(pe, "shmem_quiet"): last + L - count * P for pe in (0, 1)}, "puts in both directions")
    check(program, {(pe, "shmem_quiet"): arrivals(count)[-1] + L - count * P for pe in (0, 1)},
          "... with a library that works by itself", description=machine(progress=""))
    program = Program(3)
    puts(program, 0, 1, 1)
    program.call(0, "shmem_quiet")
    puts(program, 1, 2, 30)
    program.call(1, "shmem_quiet")
    check(program, {(0, "shmem_quiet"): 30 * P + R + L - P}, "calls that only post handle nothing")
    program = Program(2)
    puts(program, 0, 1, 20)
    program.get(1, 1, 500, LATE)
    program.call(1, "shmem_quiet")
    check(program, {(1, "shmem_getmem"): 2 * L + 500, (1, "shmem_quiet"): 20 * R},
          "a get from a PE's own memory neither, and takes no longer for what has come")


def test_answers():
    """What the library of the caller needs for answers is a part of the way back."""
    program = Program(2)
    program.put(0, 1, 500)
    program.call(0, "shmem_quiet")
    program.get(0, 1, 500)
    program.call(0, "shmem_long_atomic_fetch_add", peer=1, target=HEAP, value=1)
    for text in ("answer 400 ns", "receive 300 ns answer 400 ns"):
        check(program, {(0, "shmem_quiet"): 2 * L, (0, "shmem_getmem"): O + 500 + 2 * L}, f"{text}: one call alone takes no longer",
              description=machine(text))
    count, answer = 10, 400
    program = Program(2)
    puts(program, 0, 1, count)
    program.call(0, "shmem_quiet")
    free = count * P
    for done in arrivals(count):
        free = max(free, done + L - answer) + answer
    check(program, {(0, "shmem_quiet"): free - count * P}, "answers are handled one by one",
          description=machine("receive 300 ns answer 400 ns"))
    program = Program(2)
    for pe in (0, 1):
        puts(program, pe, 1 - pe, count)
        program.call(pe, "shmem_quiet")
    # Requests are there before the first answer is.
    free = arrivals(count, count * P)[-1] + count * answer
    check(program, {(pe, "shmem_quiet"): free - count * P for pe in (0, 1)}, "... between messages of others",
          description=machine("receive 300 ns answer 400 ns"))
    program = Program(2)
    program.put(0, 1, 100, routine="shmem_putmem_nbi")
    program.call(0, "shmem_quiet", LATE)
    check(program, {(0, "shmem_quiet"): answer}, "... and inside calls", description=machine("answer 400 ns"))


def test_late_calls():
    program = Program(3)
    puts(program, 0, 1, 20)
    program.get(1, 2, 500)
    came = sum((i + 1) * P + L - R <= O + 2 * L + 500 for i in range(20))
    check(program, {(1, "shmem_getmem"): arrivals(came)[-1]}, "a call ends when what came before is handled")
    check(program, {(1, "shmem_getmem"): arrivals(came)[-1]}, "... also by a library that works by itself: the answer is behind",
          description=machine(progress=""))
    program = Program(2)
    program.get(0, 1, 500)
    program.call(1, "shmem_quiet", LATE)
    check(program, {(0, "shmem_getmem"): LATE + R + 500 + L}, "a get")
    for routine, fields in (("shmem_long_atomic_fetch_add", {"value": 1}), ("shmem_getmem", {"elements": 8, "bytes": 8, "source": HEAP})):
        program = Program(3)
        puts(program, 0, 1, 3)
        program.call(0, "shmem_quiet")
        program.call(1, routine, LATE, peer=2, target=HEAP, **fields)
        check(program, {(0, "shmem_quiet"): LATE + O + 3 * R + L - 3 * P},
              f"{routine} first sends its own message, and then handles what has come")
    program = Program(2)
    program.call(0, "shmem_long_atomic_fetch_add", peer=1, target=HEAP, value=1)
    program.call(1, "shmem_quiet", LATE)
    check(program, {(0, "shmem_long_atomic_fetch_add"): LATE + R + L}, "an atomic takes the library as long, not longer")
    check(program, {(0, "shmem_long_atomic_fetch_add"): LATE + A + L}, "... or what it takes itself, if that is more",
          description=machine("receive 10 ns"))
    program = Program(2)
    puts(program, 0, 1, 5)
    program.call(0, "shmem_fence")
    puts(program, 0, 1, 1, HEAP + 800)
    wait(program, 1, HEAP + 800, LATE)
    check(program, {(0, "shmem_fence"): 0}, "a fence does not wait for puts")
    program = Program(2)
    puts(program, 0, 1, 5)
    program.barrier()
    last = arrivals(5)[-1]
    check(program, {(0, "shmem_barrier_all"): last + L - 5 * P, (1, "shmem_barrier_all"): last + L},
          "a barrier waits until they are handled")


def test_quiet_asks():
    """A quiet that has to wait sends a message to each PE to which something is open, and waits for its answer, too."""
    asks = "receive 300 ns quiet asks"
    program = Program(2)
    puts(program, 0, 1, 1)
    program.call(0, "shmem_quiet")
    program.call(0, "shmem_quiet")
    there = max(P + L - R + R, P + O + L - R) + R  # the target handles the put, and then the question
    check(program, {(0, "shmem_quiet"): there + L - P}, "a put, and one quiet that asks; the next one has nothing to wait for",
          description=machine(asks))
    check(program, {(0, "shmem_quiet"): 2 * L}, "quiet waits", description=machine("receive 300 ns quiet waits"))
    check(program, {(0, "shmem_quiet"): 2 * L + O}, "without receiving it is behind its own message",
          description=machine("quiet asks"))
    program = Program(3)
    for peer in (1, 2, 1, 2):
        puts(program, 0, peer, 1)
    program.call(0, "shmem_quiet")
    # The PE that was put to last is asked first.
    check(program, {(0, "shmem_quiet"): 2 * O + 2 * L}, "each PE is asked once", description=machine("quiet asks"))
    program = Program(2)
    program.call(0, "shmem_ulong_atomic_set", peer=1, target=HEAP, value=1)
    program.barrier()
    check(program, {(0, "shmem_barrier_all"): O + 2 * L}, "a barrier asks, also after atomics", description=machine("quiet asks"))
    program = Program(2)
    program.call(0, "shmem_long_atomic_fetch_add", peer=1, target=HEAP, value=1)
    program.get(0, 1, 500)
    program.call(0, "shmem_quiet")
    check(program, {(0, "shmem_quiet"): 0}, "nothing is asked after calls that have waited", description=machine(asks))
    program = Program(2)
    puts(program, 0, 1, 1)
    program.call(0, "shmem_quiet", LATE)
    check(program, {(0, "shmem_quiet"): 0}, "... nor where the answer was there before", description=machine(asks))
    program = Program(3)
    puts(program, 0, 1, 1)
    program.call(0, "shmem_quiet", LATE)
    puts(program, 0, 2, 1)
    program.call(0, "shmem_quiet")
    check(program, {(0, "shmem_quiet"): 2 * L + O}, "... and that target is not asked later", description=machine("quiet asks"))
    program = Program(2)
    puts(program, 0, 0, 1)
    program.call(0, "shmem_quiet")
    check(program, {(0, "shmem_quiet"): 2 * L}, "a PE does not ask itself", description=machine(asks))
    program = Program(2)
    for pe in (0, 1):
        puts(program, pe, 1 - pe, 10)
        program.call(pe, "shmem_quiet")
    # What came before the quiet is handled first, then the PE asks; the rest comes before the question of the other PE.
    free = 10 * P
    before = [P * (i + 1) + L - R for i in range(10) if P * (i + 1) + L - R <= 10 * P]
    for at in before:
        free = max(free, at) + R
    asked = free = free + O
    for i in range(len(before), 10):
        free = max(free, P * (i + 1) + L - R) + R
    free = max(free, asked + L - R) + R
    check(program, {(pe, "shmem_quiet"): free + L - 10 * P for pe in (0, 1)}, "both ask, after they have handled what had come",
          description=machine(asks))
    context = Program(3)
    context.put(0, 1, 8, context=1, routine="shmem_ctx_putmem_nbi")
    context.call(0, "shmem_quiet")
    context.call(0, "shmem_ctx_quiet", context=1)
    check(context, {(0, "shmem_quiet"): 0, (0, "shmem_ctx_quiet"): O + 2 * L}, "a quiet asks those of its context alone",
          description=machine("quiet asks"))


def test_interrupts():
    """A message that arrives takes time from computing, at both ends, and the first one of a burst more. In calls it takes none."""
    both = "interrupt 100 ns first-interrupt 50 ns"

    def lost(program, description, *options):
        with_it, without = (predict(program, *options, description=machine(text, progress))
                            for text, progress in ((description, "progress inside"), ("", "progress inside")))
        return [round(1e9 * (now["compute"] - before["compute"]), 3) for now, before in zip(with_it["per_pe"], without["per_pe"])]

    def computing(count, burst=LATE):
        made = Program(2)
        puts(made, 0, 1, count)
        for pe in (0, 1):
            made.call(pe, "shmem_quiet", burst)
        return made

    for options in ((), ("--contention",), ("--contention=fair",)):
        for count in (1, 3):
            tap.equal(lost(computing(count), both, *options), [count * 100 + 50] * 2, f"{count} puts, and PEs that compute {options}")
    tap.equal(lost(computing(1, 900), both)[0], 0, "a put that arrives when its PE waits for it")
    again = computing(1)
    puts(again, 0, 1, 1)
    for pe in (0, 1):
        again.call(pe, "shmem_quiet", LATE)
    tap.equal(lost(again, both), [300, 300], "a first one in each burst")
    barrier = Program(2)
    for burst in (0, 40, LATE):  # as long as the collective interrupts, or longer
        barrier.barrier([burst] * 2)
    tap.equal(lost(barrier, both), [50, 50], "collectives interrupt those that compute for longer behind them")
    get = Program(2)
    get.get(0, 1, 8)
    get.call(1, "shmem_quiet", LATE)
    tap.equal(lost(get, both), [0, 150], "a request interrupts its target; who waits for the answer loses nothing")
    description = machine(both)
    found = predict(computing(3), "--traced-on", description, description=description)
    tap.equal(found["per_pe"][0]["compute"], predict(computing(3), description=machine(""))["per_pe"][0]["compute"],
              "a trace of the same machine has them already", found)


def test_headers():
    """They keep interfaces busy, and take no time from a message alone. Answers have them, too."""
    header, count = 392, 20
    of = lambda text="receive 300 ns": machine(f"header {header} B {text}")
    apart = header + 8  # puts of 8 B
    program = Program(2)
    program.put(0, 1, 500)
    program.call(0, "shmem_quiet")
    program.get(0, 1, 500)
    program.call(0, "shmem_long_atomic_fetch_add", peer=1, target=HEAP, value=1)
    for text in ("", "receive 300 ns"):
        check(program, {(0, "shmem_quiet"): 2 * L, (0, "shmem_getmem"): O + 500 + 2 * L,
                        (0, "shmem_long_atomic_fetch_add"): O + 2 * L + A},
              f"one call alone takes no longer {text}", description=of(text))
    program = Program(2)
    puts(program, 0, 1, count)
    program.call(0, "shmem_quiet")
    for text, options in (("", ()), ("receive 300 ns", ()), ("", ("--contention",))):
        check(program, {(0, "shmem_long_p"): P + (count - 1) * apart, (0, "shmem_quiet"): 2 * L},
              f"puts follow each other {text} {' '.join(options)}", *options, description=of(text))
    check(program, {(0, "shmem_long_p"): P + (count - 1) * 500}, "... by a gap, where that is longer", description=of("gap 500 ns"))
    program = Program(3)
    for pe in (0, 1):
        puts(program, pe, 2, 1, HEAP + 8 * pe)
        program.call(pe, "shmem_quiet")
    wait(program, 2, HEAP)
    burst = 1200  # of PE 2, in the trace
    check(program, {(0, "shmem_quiet"): burst + R + L - P, (1, "shmem_quiet"): burst + R + header + L - P},
          "so do answers to puts", description=of())
    program = Program(2)
    for _ in range(2):
        program.call(0, "shmem_int_get_nbi", peer=1, elements=125, bytes=500, target=0, source=HEAP)
    program.call(0, "shmem_quiet")
    check(program, {(0, "shmem_quiet"): O + L + (500 + header) + 500 + L - 2 * O}, "... and to gets", description=of())
    program = Program(2)
    for _ in range(2):
        program.call(0, "shmem_ulong_atomic_set", peer=1, target=HEAP, value=1)
    program.call(0, "shmem_quiet")
    check(program, {(0, "shmem_quiet"): O + header + L + A + L - 2 * O}, "atomics have headers, too", description=of())
    found = sim.predict(program, "--per-pe", machine=of())
    tap.equal(found["run_time"], sim.predict(program, "--per-pe", machine=machine())["run_time"], "paper knows none", found)


def test_where():
    program = Program(2)
    puts(program, 0, 1, 20)
    program.call(0, "shmem_quiet")
    without = P + 20 * P + 2 * L - 21 * P
    for text, wanted in (("cost put { from 0 B }", without), ("cost put { receive 300 ns }", arrivals(20)[-1] + L - 20 * P),
                         ("receive 300 ns cost put { receive 0 ns }", without), ("cost get { receive 300 ns }", without)):
        check(program, {(0, "shmem_quiet"): wanted}, text, description=machine(text))
    found = sim.predict(program, "--per-pe", machine=machine())
    tap.equal(own(found, 0, "shmem_long_p"), 20 * (L + 8), "paper knows no receiving", found)
    found = sim.predict(program, "--per-pe", machine=machine("receive 3 us"))
    tap.equal(own(found, 0, "shmem_long_p"), 20 * (3 * L + 8), "... but no latency is shorter", found)
    strided = Program(2)
    strided.call(0, "shmem_int_iput", peer=1, elements=40, bytes=160, target=HEAP, source=0, target_stride=2, source_stride=1)
    strided.call(0, "shmem_quiet")
    each = O + 4
    free = 0
    for i in range(40):
        free = max(free, (i + 1) * each + L - R) + R
    check(strided, {(0, "shmem_int_iput"): 40 * each, (0, "shmem_quiet"): free + L - 40 * each},
          "each element of a strided put is received", description=machine("receive 300 ns iput each"))
    check(strided, {(0, "shmem_int_iput"): 40 * each, (0, "shmem_quiet"): 2 * L},
          "... which makes no difference where that is faster than they come",
          description=machine("receive 200 ns iput each"))


def test_never_faster():
    """Of libraries that work by themselves. Where they work inside calls, a message that is received longer is at the target
    earlier, which may be in a call then."""
    chance = random.Random(11)
    good, slower, shown = 0, 0, None
    for _ in range(12):
        program = mixed_program(chance, gets=False)
        trace = sim.trace(program)
        ends = [[pe["end"] for pe in sim.predict(trace, *LOGGP, machine=machine(how, ""))["per_pe"]]
                for how in ("", "receive 100 ns", "receive 900 ns")]
        slower += ends[0] != ends[2]
        if all(a <= b <= c for a, b, c in zip(*ends)):
            good += 1
        else:
            shown = (trace, ends)
    tap.equal(good, 12, "no PE is earlier because messages take longer to be received", shown)
    tap.ok(slower >= 3, "... and some are later", slower)


def test_what_if():
    program = Program(2)
    for pe in (0, 1):
        puts(program, pe, 1 - pe, 10)
        program.call(pe, "shmem_quiet")
    trace = sim.trace(program)
    done = sim.run("what-if", machine(), trace, "--model", "loggp", "--receive", "0 ns,x2", "--json")
    tap.ok(done.status == 0, "what-if --receive", done)
    done = sim.run("what-if", machine(), trace, "--model", "paper", "--receive", "x2")
    tap.ok(done.status == 2 and "--receive changes nothing without the model loggp" in done.err, "... not with paper", done)


def test_refused():
    trace = sim.trace(Program(2))
    name = sim.write("bus net { bandwidth 1 GB/s latency 1 us receive 300 }\nnode n { bandwidth 1 GB/s latency 1 us }\n")
    done = sim.run(name, trace)
    tap.ok(done.status == 2 and f"{name}:1:" in done.err, "a time without a unit", done)


for test in (test_one_way, test_both_ways, test_answers, test_late_calls, test_quiet_asks, test_interrupts, test_headers, test_where, test_never_faster, test_what_if, test_refused):
    test()
tap.done()
