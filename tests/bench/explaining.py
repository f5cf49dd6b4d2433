#!/usr/bin/env python3
"""What `shmemtrace explain` makes of planted causes (tests/support/planted) of several sizes, beside the seconds that were
planted: `explaining.py PES...`, by hand, on a quiet machine; about a minute and a half for 2 PEs."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))

import planted

ROUNDS = 8
SIZES = (2, 5, 10, 20, 40)  # ms


def bench_explaining(numbers):
    program = planted.program()
    for pes in numbers:
        print(f"\n{pes} PEs: found / planted seconds, - where another place is named first\n"
              f"{'':16}" + "".join(f"{size:>9} ms" for size in SIZES), flush=True)
        right = near = 0
        for cause in planted.CAUSES:
            runs = []
            for size in SIZES:
                outcomes, text = planted.explained(program, [cause], pes, size, ROUNDS)
                if not outcomes:
                    sys.exit(text)
                runs.append(outcomes[cause])
            texts = [f"{run.waited / (run.planted or 1):10.3f}{' ' if run.place else '-'}" for run in runs]
            right += sum(run.place for run in runs)
            near += sum(abs(run.waited - run.planted) <= 0.05 * run.planted for run in runs)
            print(f"{cause:16}" + " ".join(texts), flush=True)
        print(f"first-named place right: {right} of {len(SIZES) * len(planted.CAUSES)}, seconds within 5 %: {near}")


if __name__ == "__main__":
    bench_explaining([int(word) for word in sys.argv[1:]] or [2, 4])
