#!/usr/bin/env python3
# LONG
# TIMEOUT: 600
"""skampi-accept on hosts finds the link that is 10 % slower, the one that loses packets, and the host with a limited
processor, accuses nobody else, and nobody on sound hosts"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import accepting
import harness
from harness import Tap, scratch_directory, skip_all
from hosts import Unavailable
from quiet import Attempts

tap = Tap()
folder = scratch_directory()


def main():
    if not harness.has("SHMEM"):
        skip_all("built without OpenSHMEM")
    accepting.FAULTS["sound"].hosts = 4  # 6 pairs instead of 15: all of them are measured to the end
    wrong = {name: "not tried" for name in accepting.FAULTS}
    attempts = Attempts(tap, wanted=2, seconds=300)
    for attempt in attempts:
        own = os.path.join(folder, str(attempt))
        for found in accepting.accept_all(list(wrong), own, len(wrong)):
            tap.note(found.said)
            if found.right:
                del wrong[found.name]
            else:
                wrong[found.name] = found.said
        if not wrong:
            break
    for name, fault in accepting.FAULTS.items():
        attempts.decide(name not in wrong, f"{fault.text}: {f'{fault.wanted} alone' if fault.wanted else 'nobody'} is accused",
                        wrong.get(name))
    tap.done()


try:
    main()
except Unavailable as reason:
    skip_all(reason)
