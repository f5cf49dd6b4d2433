#!/usr/bin/env python3
# PLAIN
"""Breaks of curves at sizes where the library changes its protocol: which thresholds a header states for a function,
and that figures, reports and tables mark a break there, and no other; rates in reports."""

import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text, run, scratch_directory, write_text
from made_results import point, write
from skampi_tools import results, thresholds
from skampi_tools.plot import breaks, curves, spec as figure_spec

import drawing
from skampi_tools.plot import pages

tap = Tap()
folder = scratch_directory()
os.chdir(folder)
random.seed(19)
SIZES = [2**k for k in range(3, 21)]

# ---- What a header states ----

# As skampi --explain writes them.
CHOICES = {
    "btl": "self tcp vader", "pml": "ob1", "spml": "ucx", "osc": "rdma sm", "UCX": "1.13.1",
    "variable btl_self_eager_limit": "1024 (default)",
    "variable btl_tcp_eager_limit": "65536 (default)",
    "variable btl_vader_eager_limit": "4096 (environment)",
    "variable btl_vader_rndv_eager_limit": "32768 (file (/etc/a.conf:3))",
    "variable btl_vader_max_send_size": "1000 (default)",
    "path from PE 0 to PE 1, same node":
        "sysv/memory, cma/memory; tag_send 0..<egr/short>..93..<egr/bcopy>..8256..<rndv>..(inf); "
        "tag_send_sync 0..<egr/short>..93..<egr/bcopy>..100..<rndv>..(inf); "
        "put 0..<short>..2048..<bcopy>..8256..<zcopy>..(inf); get 0..<bcopy>..(inf)",
    "path from PE 0 to PE 2, another node": "rc_mlx5/mlx5_0:1; put 0..<short>..220..<zcopy>..(inf)",
}
HEADER = {"choices": CHOICES}
ON_NODE, BETWEEN = "on one node", "on several nodes"


def found(function, placement=ON_NODE, **changes):
    header = {"choices": {name: text for name, text in {**CHOICES, **changes}.items() if text is not None}}
    return [(one.size, one.what) for one in thresholds.thresholds(header, function, placement)]


PUT = [(2048, "UCX put, short to bcopy"), (8256, "UCX put, bcopy to zcopy")]
EAGER = [(4096, "btl_vader_eager_limit"), (32768, "btl_vader_rndv_eager_limit")]
TAGS = [(93, "UCX tag_send, egr/short to egr/bcopy"), (8256, "UCX tag_send, egr/bcopy to rndv")]
for what, got, wanted in (
        ("puts on a node", found("Shmem_Put_Round"), PUT),
        ("... by a context", found("Shmem_Ctx_Put_Nonblocking_Full"), PUT),
        ("puts between nodes", found("Shmem_Put_Round", BETWEEN), [(220, "UCX put, short to zcopy")]),
        ("puts somewhere", found("Shmem_Put_Round", "on several nodes, mixed"),
         [(220, "UCX put, short to zcopy"), *PUT]),
        ("gets have one protocol", found("Shmem_Get_Simple"), []),
        ("puts without UCX", found("Shmem_Put_Round", spml="ikrit"), []),
        ("messages on a node", found("Pingpong_Send_Recv"), EAGER),
        ("messages between nodes", found("Isend_Irecv_Rate", BETWEEN), [(65536, "btl_tcp_eager_limit")]),
        ("messages by UCX", found("Pingpong_Send_Recv", pml="ucx"), TAGS),
        ("synchronous messages by UCX", [size for size, _ in found("Pingpong_Ssend_Recv", pml="ucx")], [93, 100]),
        ("messages by a library that is not known", found("Send", pml="cm"), []),
        ("one-sided MPI by others", found("Put_fence"), []),
        ("one-sided MPI by UCX", found("Put_fence", osc="ucx"), PUT),
        ("... round trips", found("Pingpong_Put_Put", osc="ucx"), PUT),
        ("collectives", found("Bcast"), []), ("no function", found(""), []),
        ("a value that is none", found("Send", **{"variable btl_vader_eager_limit": "nothing (default)"}), EAGER[1:])):
    tap.equal(got, wanted, f"thresholds: {what}")
tap.equal(thresholds.thresholds({}, "Shmem_Put_Round", ON_NODE), [], "thresholds: no header with --explain")

# ---- Breaks ----


def line(size):
    return 1e-6 + size / 5e9


def stepped(at, factor, sizes=SIZES, noise=0.0):
    return [(n, line(n) * (factor if n >= at else 1) * random.gauss(1, noise)) for n in sizes]


def bent(at, sizes=SIZES, noise=0.0):
    """Another slope from there on, without a jump."""
    return [(n, (line(n) if n < at else line(at) + (n - at) / 40e9) * random.gauss(1, noise)) for n in sizes]


def places(points):
    return [(one.before, one.start) for one in thresholds.breaks(points)]


def sizes_marked(points, function="Shmem_Put_Round"):
    return [mark.size for mark in thresholds.marks(HEADER, function, ON_NODE, points)]


dense = [256 * k for k in range(1, 161)]
for what, got, wanted in (
        ("a jump", places(stepped(8257, 1.3)), [(8192, 16384)]),
        ("a jump down", places(stepped(8257, 0.7)), [(8192, 16384)]),
        ("another slope", [one.before < 8256 < one.start < 2 * one.before
                           for one in thresholds.breaks(bent(8256))], [True]),
        ("none", places(stepped(1 << 30, 1)), []),
        ("three sizes after it", places(stepped(2**18, 1.5)), [(2**17, 2**18)]),
        ("two sizes after it say nothing", places(stepped(2**19, 1.5)), []),
        ("one neither", places(stepped(2**20, 1.5)), []),
        ("many sizes", places(stepped(8257, 1.3, dense)), [(8192, 8448)]),
        ("two sizes", places(stepped(16, 2, [8, 16])), []), ("nothing", places([]), []),
        ("no time", places([(n, 0.0) for n in SIZES] + [(0, 1e-6)]), []),
        ("of put, at its threshold", sizes_marked(stepped(8257, 1.3)), [8256]),
        ("... with another slope", sizes_marked(bent(8256)), [8256]),
        ("... of many sizes", sizes_marked(stepped(8257, 1.3, dense)), [8256]),
        ("... at the first size beyond", sizes_marked(stepped(2048, 1.3)), [2048]),
        ("elsewhere", sizes_marked(stepped(65536, 1.3)), []),
        ("elsewhere, by a hair", sizes_marked(stepped(8449, 1.3, dense)), []),
        ("of messages, whose header counts", sizes_marked(stepped(4000, 1.3, [n - 96 for n in dense]), "Send"), [4096]),
        ("of messages, too small for that", sizes_marked(stepped(3800, 1.3, [n - 40 for n in dense]), "Send"), [])):
    tap.equal(got, wanted, f"break: {what}")
repeats = 30
counts = [sum(bool(sizes_marked(stepped(at, factor, noise=0.02))) for _ in range(repeats))
          for at, factor in ((8257, 1.3), (1 << 30, 1), (65536, 1.3))]
tap.ok(counts[0] >= 0.9 * repeats and counts[1] <= 1 and counts[2] <= 1,
       "with noise of 2 %: marked where a threshold is, not without a break, not with one elsewhere", counts)
mark = thresholds.marks(HEADER, "Shmem_Put_Round", ON_NODE, stepped(8257, 1.3))[0]
tap.equal(mark.sentence, "the time breaks between 8 KiB and 16 KiB (+30 % at 16 KiB), where the protocol changes: "
          "UCX put, bcopy to zcopy: 8256 B", "a sentence about it")
mark = thresholds.marks(HEADER, "Shmem_Put_Round", ON_NODE, bent(8256))[0]
tap.ok("(another slope)" in mark.sentence, "... without a jump", mark.sentence)
elements = [(n / 4, n, t) for n, t in stepped(8257, 1.3)]
tap.equal([place for place, _ in thresholds.along(HEADER, "Shmem_Put_Round", ON_NODE, elements)], [8256 / 4],
          "an axis of elements")
tap.equal(thresholds.along(HEADER, "Shmem_Put_Round", ON_NODE, [(n + 7, n, t) for n, t in stepped(8257, 1.3)]), [],
          "... of something else")

# ---- Files ----


def block(name, times, function="Shmem_Put_Round", **more):
    return [point(name, function, {"count": n}, time, **more) for n, time in times]


def rated(record):
    time = record["median"]
    return {**record, "bandwidth": record["bytes"] / time, "bus_bandwidth": 1.5 * record["bytes"] / time,
            "rate": 1 / time}


LABEL = "UCX put, bcopy to zcopy: 8256 B"
SENTENCE = "he time breaks between 8 KiB and 16 KiB (+30 % at 16 KiB), where the protocol changes: " + LABEL
write("with.json", block("with", stepped(8257, 1.3)), header=HEADER)
write("others.json", block("none", stepped(1 << 30, 1)) + block("elsewhere", stepped(65536, 1.3)), header=HEADER)
write("unexplained.json", block("with", stepped(8257, 1.3)))
write("all.json", block("with", stepped(8257, 1.3)) + block("none", stepped(1 << 30, 1)) +
      block("elsewhere", stepped(65536, 1.3)) + [rated(p) for p in block("rated", stepped(1 << 30, 1), "Bcast")] +
      block("with", stepped(2048, 1.5)) + block("memory", stepped(8257, 1.3), quantity="bytes"), header=HEADER)

# ---- Figures ----


def figure(name, **changes):
    points = curves.load(curves.Source(0, name, results.read(name)))
    spec = figure_spec.from_data(points, "curve", None, None)
    for panel in spec["panels"]:
        panel.update(changes)
    drawn = next(pages.pages(spec, points, name))
    drawn.canvas.draw()
    return drawn


def lines_at(drawn):
    return [(line.get_xdata()[0], line.get_linestyle()) for line in drawn.axes[0].lines
            if len(set(line.get_xdata())) == 1 and len(line.get_xdata()) == 2]


def labels_in(drawn):
    return [text.get_text() for text in drawn.axes[0].texts]


drawn = figure("with.json")
tap.equal((lines_at(drawn), labels_in(drawn)), ([(8256, ":")], [LABEL]),
          "figure: a line and its label at the threshold")
renderer = drawn.canvas.get_renderer()
frame, box = drawn.axes[0].get_window_extent(renderer), drawn.axes[0].texts[0].get_window_extent(renderer)
at = drawn.axes[0].transData.transform((8256, 1))[0]
tap.ok(frame.x0 <= box.x0 and frame.y0 <= box.y0 and box.y1 <= frame.y1 and box.x1 <= at + 1 < box.x1 + 8,
       "... which is beside it, in the axes", (frame, box, at))
tap.ok(breaks.NOTE in " ".join(" ".join(text.get_text().split()) for text in drawn.texts),
       "... and the small print says what it is")
tap.equal((lines_at(figure("with.json", y="bandwidth")), labels_in(figure("with.json", y="bandwidth"))),
          ([(8256, ":")], [LABEL]), "figure: also of bandwidths")
for name, changes in (("others.json", {}), ("unexplained.json", {}), ("with.json", {"thresholds": False})):
    drawn = figure(name, **changes)
    tap.equal((lines_at(drawn), labels_in(drawn)), ([], []), f"figure: nothing is marked in {name} {changes or ''}")
drawn = figure("all.json", legend="inside")
legend = drawn.axes[0].get_legend()
tap.ok(legend and not any(legend.get_window_extent(drawn.canvas.get_renderer()).overlaps(
    text.get_window_extent(drawn.canvas.get_renderer())) for text in drawn.axes[0].texts),
       "figure: no legend covers a label")
write_text("dots.spec", json.dumps({"panels": [{"kind": "dots", "thresholds": False, "series": [{}]}]}))
refused = run([os.path.join(ROOT, "scripts/skampi-plot"), "with.json", "--spec", "dots.spec"], cwd=folder)
tap.ok(refused.status == 2 and "panels[0].thresholds: is only for panels of kind curve" in refused.err and
       refused.err.count("\n") == 1, "figure: other kinds have no thresholds", refused)

# ---- Reports ----

made = run([os.path.join(ROOT, "scripts/skampi-report"), "all.json", "-o", "all.html"], cwd=folder)
html = read_text("all.html")
sections = re.split(r'<h3 id="block-\d+">', html)[1:]
said = {(place, section[:section.index("<")]): re.findall(r'<p class="break">(.*?)\.</p>', section)
        for place, section in enumerate(sections)}
tap.equal([len(texts) for texts in said.values()], [1, 0, 0, 0, 1, 0], "report: a sentence below plots with a marked break")
tap.ok(made.status == 0 and not made.err and [["T" + SENTENCE]] == [t for (n, _), t in said.items() if n == 0],
       "... which says where and why", said)
tap.equal([section.count('<line class="mark"') for section in sections], [1, 0, 0, 0, 1, 0],
          "report: pictures have a line at each")
data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL).group(1))["blocks"]
tap.equal([[(m["x"], m["label"]) for m in b["axes"][0]["marks"]] for b in data],
          [[(8256, LABEL)], [], [], [], [(2048, "UCX put, short to bcopy: 2 KiB")], []], "... and so have plots")
rates = data[3]["amounts"]
tap.ok(sorted(rates) == ["bandwidth", "bus_bandwidth", "rate"] and sorted(data[0]["amounts"]) == ["bandwidth"]
       and all(abs(a - n) < 1e-6 * n and abs(b - 1.5 * n) < 1e-6 * n and abs(r - 1) < 1e-6 for n, a, b, r in zip(
           SIZES, rates["bandwidth"], rates["bus_bandwidth"], rates["rate"])), "report: rates to choose from", rates)
# ---- Tables ----

TABLE = os.path.join(ROOT, "scripts/skampi-table")
verbose, plain = run([TABLE, "-v", "all.json"], cwd=folder), run([TABLE, "all.json"], cwd=folder)
texts = [text.strip() for text in verbose.out.split("\n") if "the time breaks" in text]
tap.equal(texts[:1], ["Shmem_Put_Round: t" + SENTENCE], "table -v: a line below the block")
tap.ok(verbose.status == 0 and len(texts) == 2 and "short to bcopy" in texts[1] and
       verbose.out.index(texts[0]) < verbose.out.index("\nnone\n") < verbose.out.index(texts[1]),
       "... in the right block, also of blocks with the same name", verbose)
tap.ok("the time breaks" not in plain.out and not plain.err, "... without -v there is none", plain)
bare = run([TABLE, "-v", "unexplained.json"], cwd=folder)
tap.ok(bare.status == 0 and "the time breaks" not in bare.out, "... nor without --explain", bare)
with open("run.sko", "w", encoding="utf-8") as file:
    header = "".join(f"# choice: {name}: {text}\n" for name, text in CHOICES.items())
    rows = "".join(f"count= {n} {n} {time * 1e6:.6f} 0.001 8\n" for n, time in stepped(8257, 1.3))
    file.write(f"# SKaMPI Version test\n\n{header}\n#> measure comm(2) : Shmem_Put_Round(count, 10)\n"
               f"# begin result \"with\"\n# note: conditions: 2 PEs on one node; times in us\n{rows}# end result \"with\"\n")
source = run([TABLE, "-v", "run.sko"], cwd=folder)
tap.ok(source.status == 0 and "Shmem_Put_Round: t" + SENTENCE in source.out and not source.err,
       "table -v: a .sko file that says what was measured", source)
tap.done()
