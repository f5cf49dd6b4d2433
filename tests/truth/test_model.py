#!/usr/bin/env python3
"""inputs/model.ski and skampi-model find the overheads, latencies, bandwidths and other costs of a network for which they
are programmed, with another protocol from a size on, and that the target need not call the library."""

import json
import os

import truth
from truth import harness
from harness import ROOT, Tap

CLOSE = 0.05
NOISE = "0.01"
LARGE = 4096  # bytes
BROADCAST = 5000
COSTS = {"fence": 400, "wait": 250, "fetch": 7000, "barrier": 6000, "reduce": 9000, "collect": 13000,
         "fcollect": 8000, "alltoall": 7500, "set_lock": 6000, "clear_lock": 9000, "bcast": f"linear:{BROADCAST}"}
PROGRESS = """begin measurement "progress"
  measure comm(2) : Shmem_Get_Simple(8, 0)
  for computation in [0.0, 0.005] do
    measure comm(2) : Shmem_Get_Target_Computes(8, computation)
    measure comm(2) : Shmem_Atomic_Fetch_Add_Long_Target_Computes(computation)
  od
end measurement
"""
tap = Tap()


def fitted(network, *arguments):
    """What skampi-model --json says of a run on the network, and the runs."""
    folder = harness.scratch_directory()
    paths = [os.path.join(folder, name) for name in ("results.json", "machine.txt", "fitted.json")]
    run = truth.launch(2, [harness.program(), "-o", paths[0], "--timer", "clock_gettime", *arguments],
                       network.environment())
    model = harness.run([os.path.join(ROOT, "scripts/skampi-model"), paths[0], "-o", paths[1], "--json", paths[2]])
    if run.status != 0 or model.status not in (0, 3):  # 3: what a part of model.ski does not measure
        return None, f"{run}\n{model}"
    with open(paths[2], encoding="utf-8") as file:
        return json.load(file), f"{run}\n{model}"


def near(value, nanoseconds, tolerance=CLOSE):
    return value is not None and abs(1e9 * value["value"] - nanoseconds) <= tolerance * nanoseconds


def check_class(place, kind, pieces):
    """pieces: (from, post, wire, ns a KiB) as programmed; a latency of puts is half of the wire."""
    found = place["costs"].get(kind, [])
    half = 2 if kind.startswith("put") else 1
    good = [piece["from"] == start and near(piece["overhead"], post) and near(piece["latency"], wire / half) and
            near(piece["per_byte"], kib / 1024)
            for piece, (start, post, wire, kib) in zip(found, pieces)]
    tap.ok(len(found) == len(pieces) and all(good), f"{kind}: overhead, latency and bandwidth of {len(pieces)} pieces",
           f"{json.dumps(found, indent=1)}\nwanted {pieces}")
    worst = max((abs(one["predicted"] / one["measured"] - 1) for one in place["residuals"].get(kind, [])), default=1)
    tap.ok(worst < CLOSE, f"{kind}: the description gives what was measured", worst)


def check_two_protocols():
    network = truth.Network(1000, 3000, 500, kib=1000, large=LARGE, large_post=2000, large_wire=6000, large_kib=500,
                            clock="simulated", noise=NOISE, seed=1, **COSTS)
    model, runs = fitted(network, "-i", "model.ski", "--set", "MAXSIZE=64kb", "--set", "MAXBLOCK=64")
    if not tap.ok(model, "model.ski is measured and fitted", runs):
        return
    tap.equal((model["missing"], model["left_out"], model["progress"], list(model["places"])),
              ([], [], "self", ["inside"]), "it measures all that is needed", runs)
    place = model["places"]["inside"]
    for kind in ("put", "get", "put-nbi", "get-nbi"):
        check_class(place, kind, [(0, 1000, 3000, 1000), (LARGE, 2000, 6000, 500)])
    tap.ok(all(near(place["own"].get(kind), cost) for kind, cost in (("quiet", 500), ("fence", 400), ("wait", 250))),
           "quiet, fence and wait", place["own"])
    tap.equal(place["strided"], {"iput": "together", "iget": "together"}, "this network has strided messages", place)
    atomic = place["costs"].get("atomic", [])
    tap.ok(len(atomic) == 1 and near(atomic[0]["overhead"], 1000) and near(atomic[0]["latency"], 3000)
           and near(place["atomic"], 3000), "atomics: what is neither overhead nor on the way is at the target", atomic)
    tap.ok(all(near(place["costs"][kind][0]["overhead"], 1000) and near(place["costs"][kind][0]["latency"], cost - 4000)
               for kind, cost in (("lock", 6000), ("unlock", 9000))), "locks: what is neither overhead nor at their PE",
           place["costs"].get("lock"))
    tap.equal(model["unlock"], "overtakes", "clear_lock of this network does not wait for puts")
    for name in ("barrier", "broadcast", "reduce", "collect", "fcollect", "alltoall"):
        cost = COSTS.get(name, BROADCAST)
        rows = model["collectives"].get(name, {}).get("rows", {})
        tap.ok(list(rows) == ["2"] and len(rows["2"]) == 1 and near(rows["2"][0]["time"], cost), name, rows)


def check_progress():
    script = os.path.join(harness.scratch_directory(), "progress.ski")
    with open(script, "w", encoding="utf-8") as file:
        file.write(PROGRESS)
    network = truth.Network(1000, 3000, 500, progress="quiet", clock="simulated")
    model, runs = fitted(network, "-i", script)
    tap.ok(model and model["progress"] == "self",
           "a library that moves data only in calls of the origin needs none of the target", f"{model}\n{runs}")


def main():
    if harness.build_config().get("SKAMPI_SHMEM") == "0":
        harness.skip_all("built without OpenSHMEM")
    if harness.sanitized():
        harness.skip_all("other libraries are preloaded")
    check_two_protocols()
    check_progress()
    tap.done()


if __name__ == "__main__":
    main()
