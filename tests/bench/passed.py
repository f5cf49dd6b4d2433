#!/usr/bin/env python3
"""How many functions and files of skampi one measure passes on PE 0, and how many collectives: by hand, with valgrind.

    tests/bench/passed.py 'comm(2) : Shmem_Put_Nonblocking_Overlap(8, 20)'"""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))

import harness

RECORD = ('if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then exec valgrind --tool=callgrind --callgrind-out-file="$1" --toggle-collect=engine_measure '
          '"$2" -i "$3"; else exec "$2" -i "$3"; fi')


def passed(call):
    """{(file, function)} of src and measurements."""
    folder = harness.scratch_directory()
    script, out = os.path.join(folder, "one.ski"), os.path.join(folder, "out")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'begin measurement "one"\n  measure {call}\nend measurement\n')
    done = harness.run(harness.launch_line(2, ["sh", "-c", RECORD, "sh", out, harness.program(), script]), harness.launch_environment(),
                       timeout=400)
    if done.status != 0 or not os.path.exists(out):
        sys.exit(f"bench: {done}")
    names, found, here = {}, set(), None
    with open(out, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"(fl|fi|fe|fn|cfn|cfi|cfl)=\((\d+)\)(?: (.*))?", line)
            if not match:
                continue
            kind, number, name = match.groups()
            table = "function" if kind.endswith("fn") else "file"
            if name:
                names[table, number] = name
            if kind == "fl":
                here = names["file", number]
            elif kind == "fn":
                found.add((here, names["function", number].split("'")[0]))
    return {(path, name) for path, name in found if re.search(r"(^|/)(src|measurements)/", path)}


if __name__ == "__main__":
    functions = passed(sys.argv[1] if len(sys.argv) > 1 else "comm(2) : Shmem_Put_Nonblocking_Overlap(8, 20)")
    files = {path for path, _ in functions}
    engine = {path for path in files if "src/engine/" in path}
    print(f"{len(functions)} functions in {len(files)} files, {len(engine)} of them in src/engine")
