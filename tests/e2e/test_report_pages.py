#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 120
"""What skampi-report's pages look like to readers: without JavaScript, on paper, in narrow windows; that
failed checks differ from passed ones by more than colour, and that a campaign's configurations are
compared. With PICTURES=FOLDER pictures of the pages are kept there, to be looked at."""

import base64
import json
import os
import random
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import browser as browsers
from harness import ROOT, Tap, read_text, run, scratch_directory, write_text
from made_results import point, write

browser = browsers.start()

REPORT = os.path.join(ROOT, "scripts/skampi-report")
PICTURES = os.environ.get("PICTURES")
tap = Tap()
folder = scratch_directory()
SIZES = [2**k for k in range(3, 17)]


def report(*arguments):
    return run([REPORT, *arguments], cwd=folder)


def path(name):
    return os.path.join(folder, name)


def page(name):
    return read_text(path(name))


# ---- Pages ----

points = [point("put and get", f, {"count": n, "iterations": 0}, start + n / 5e9)
          for f, start in (("Shmem_Put", 1e-6), ("Shmem_Get_A_Name_That_Is_Long", 2e-6)) for n in SIZES]
points[3].update(flags=["level_shift", "autocorrelated", "below_resolution"], notes=["two levels <i>"])
for number, record in enumerate(points):
    record["counters"] = {"PAPI_TOT_INS": {"most": 120.0 + number, "mean": 118.5}}
    record["levels"] = [{"value": 1.5e-7, "share": 0.62}, {"value": 4.5e-7, "share": 0.38}]
points += [point(f"block {n}", "Shmem_Put", {"count": k}, 1e-6 * k) for n in range(12)
           for k in range(8, 8 + 3 * (3 + 5 * n % 17), 3)]  # so that blocks begin at many places of a page
points += [point("<b>alone</b>", "Shmem_Barrier_All", {}, 2e-6)]
write(path("a.json"), points, header={"nodes": [{
    "name": "node0", "pes": 4, "processors": 2, "cpu": "made cpu", "smt": "off", "governor": "powersave",
    "load": 9.0}]}, status=3)
made = report("a.json", "-o", "report.html")
tap.ok(made.status == 0 and not made.err, "a report is made", made)
html = page("report.html")
shown = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)

notice = shown.find("JavaScript is missing")
tap.ok(0 <= notice < shown.find("<main"), "missing JavaScript is reported before everything else", notice)

figures = re.findall(r"<figure.*?</figure>", shown, re.DOTALL)
pictures = [re.search(r'<svg class="picture".*?</svg>(?=<ul)', figure, re.DOTALL) for figure in figures]
tap.ok(len(figures) == 13 and all(pictures), "every plot is there as a picture", len(figures))
tree = xml.etree.ElementTree.fromstring(pictures[0].group(0))
lines = [[tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
         for line in tree.iter("polyline")]
tap.equal([len(line) for line in lines], [14, 14], "... with all points")
steps = [b[0] - a[0] for a, b in zip(lines[0], lines[0][1:])]
tap.ok(max(steps) - min(steps) < 0.3 and all(a[1] >= b[1] for a, b in zip(lines[0], lines[0][1:]))
       and all(get[1] < put[1] for put, get in zip(*lines)),
       "... where they belong: sizes that double are equally far, more time is higher", lines)
texts = ["".join(t.itertext()) for t in tree.iter("text")]
tap.equal(texts.count("*"), 1, "... what is doubtful is marked, as in all tables")
tap.ok("64 KiB" in texts or "32 KiB" in texts, "... sizes have their unit", texts)
tap.ok("Shmem_Put" in figures[0] and "<span class=doubt>*</span> doubtful" in figures[0] and "<b>" not in shown,
       "... with a key")

states = dict(re.findall(r'<tr class="(\w+)"><td><span class="badge \w+"><span aria-hidden="true">(.)', shown))
words = dict(re.findall(r'<tr class="(\w+)"><td>.*?</span> ([\w ]+)</span></td>', shown))
tap.ok({"ok", "doubtful"} <= set(states) and len(set(states.values())) == len(states)
       and len(set(words.values())) == len(words) and words["ok"] == "passed",
       "checks that passed have another sign and another word than others", (states, words))

# ---- A campaign ----


COUNT = 8
ROUNDS = r'(?<!["#])(?<!place of )\brounds\b'
os.makedirs(path("stub"))
write_text(path("my.ski"), "# nothing\n")
write_text(path("stub/skampi"), '#!/bin/sh\nwhile [ $# -gt 0 ]; do case $1 in -o) out=$2; case $out in *.json) '
                                'cp "$MADE/$NAME.$(cat "$MADE/$NAME.n" 2>/dev/null || echo 0).json" "$out"; '
                                'n=$(cat "$MADE/$NAME.n" 2>/dev/null || echo 0); echo $((n + 1)) >"$MADE/$NAME.n";; esac;; '
                                'esac; shift; done\n', 0o755)
for name, factor in (("slow", 1.5), ("quick", 1.0)):
    for number in range(COUNT):
        random.seed(f"{name}{number}")
        drift = random.lognormvariate(0, 0.01)
        write(path(f"{name}.{number}.json"), [
            point("p2p", f, {"count": n}, (1e-6 + n * 1e-10) * drift * random.lognormvariate(0, 0.01)
                  * (factor if f == "Shmem_Get" else 1))
            for f in ("Shmem_Put", "Shmem_Get") for n in (8, 64, 512)])
ran = run([os.path.join(ROOT, "scripts/skampi-campaign"), "-k", str(COUNT), "my.ski", "-o", "campaign",
           "-c", f"slow:program={path('stub/skampi')},env.NAME=slow",
           "-c", f"quick:program={path('stub/skampi')},env.NAME=quick", "--launch", "env"],
          {"MADE": folder}, cwd=folder, timeout=60)
shown_campaign = report("campaign", "-o", "campaign.html")
if tap.ok(ran.status == 0 and shown_campaign.status == 0, "a campaign of two configurations has a report",
          f"{ran}\n{shown_campaign}"):
    text = re.sub(r"<(script|style).*?</\1>", "", page("campaign.html"), flags=re.DOTALL)
    compared = run([os.path.join(ROOT, "scripts/skampi-compare"), "campaign", "--json", "-"], cwd=folder)
    verdict = re.search(r"quick against slow</dt><dd>(.*?) \(", text)
    wanted = [point["verdict"] for point in json.loads(compared.out)["points"]] if compared.out else []
    got = dict(reversed(part.split(" ", 1)) for part in verdict.group(1).split(", ")) if verdict else {}
    tap.ok(wanted.count("faster") >= 3 and {name: str(wanted.count(name)) for name in set(wanted)} == got,
           "... with verdicts between them, those of skampi-compare", (got, wanted))
    tap.ok('id="configurations"' in text and "quick / slow" in text, "... in a table", text[:200])
    tap.ok("launches" in text and "between launches" in text and not re.search(ROUNDS, text),
           "... of launches, not of rounds", re.findall(f".*{ROUNDS}.*", text))

# ---- In a browser ----

if not browser:
    tap.skip("pages look right in a browser", browsers.REASON)
    tap.done()


def picture(name):
    if PICTURES:
        browser.picture(os.path.join(PICTURES, f"{name}.png"))


def cdp(command, **settings):
    return browser.driver.execute_cdp_cmd(command, settings)


def overflow():
    return browser.script("return document.documentElement.scrollWidth - innerWidth")


# Parts that are cut: wider than their place, which cannot be scrolled.
CUT = """
return [...document.querySelectorAll("main *")].filter((e) => {
  const style = getComputedStyle(e);
  return e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && !e.closest("svg, .plot, summary")
    && !["auto", "scroll"].includes(style.overflowX) && (style.overflowX !== "visible" || style.display === "table-cell")
}).map((e) => `${e.tagName} ${e.className} ${e.scrollWidth} in ${e.clientWidth}`)
"""
# Tables that are wider than their place, on paper.
WIDE = """
return [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1
  && e.getBoundingClientRect().width > 0 && !e.closest("svg")).map((e) => `${e.tagName} ${e.className} ${e.textContent.slice(0, 30)}`)
"""
for width in (400, 800, 1400):
    for name in ("report", "campaign"):
        browser.open(path(f"{name}.html"), width=width)
        browser.script("document.querySelector('figure.plot').scrollIntoView()")
        browser.until("document.querySelector('canvas')")
        tap.ok(overflow() <= 0 and not browser.script(CUT), f"{name}: nothing is cut in {width} pixels",
               (overflow(), browser.script(CUT)))
        picture(f"{name}-{width}")
tap.equal(browser.script("return getComputedStyle(document.querySelector('.unscripted')).display"), "none",
          "with JavaScript, nothing is said of missing JavaScript")
tap.equal(browser.script("return document.querySelectorAll('figure.plot:has(canvas) .picture').length"), 0,
          "... and the plot takes the place of its picture")
hint = browser.script("return document.querySelector('figure .hint').innerText")
tap.ok("zoom" in hint and "drag" in hint, "... which says how to zoom", hint)

cdp("Emulation.setScriptExecutionDisabled", value=True)
for width in (400, 1400):
    browser.open(path("report.html"), width=width)
    seen = browser.script("""
        const box = document.querySelector(".unscripted").getBoundingClientRect();
        return [box.top, box.height, document.querySelectorAll("canvas").length,
                ...[...document.querySelectorAll(".picture")].map((p) => p.getBoundingClientRect().height)]""")
    tap.ok(seen[0] < 400 and seen[1] > 10 and seen[2] == 0 and len(seen) == 16 and min(seen[3:]) > 100
           and overflow() <= 0, f"without JavaScript, {width} pixels: a notice on top, and pictures", seen)
    picture(f"unscripted-{width}")
cdp("Emulation.setScriptExecutionDisabled", value=False)

# ---- On paper ----

BOTTOM_MARGIN = 34  # points, as the rest
TWO_LINES, PLOT = 50, 240

for name in ("report", "campaign"):
    browser.open(path(f"{name}.html"), width=703)
    browser.script("dispatchEvent(new Event('beforeprint'))")
    cdp("Emulation.setEmulatedMedia", media="print")
    browser.until("[...document.querySelectorAll('figure.plot')].every((f) => f.querySelector('canvas'))")
    tap.ok(not browser.script(WIDE), f"{name}: all columns are on the paper", browser.script(WIDE)[:10])
    picture(f"{name}-paper")
    cdp("Emulation.setEmulatedMedia", media="")
    document = base64.b64decode(cdp("Page.printToPDF", preferCSSPageSize=False, paperWidth=8.27, paperHeight=11.69,
                                    generateDocumentOutline=True)["data"])
    if PICTURES:
        with open(os.path.join(PICTURES, f"{name}.pdf"), "wb") as file:
            file.write(document)
    # Where headings are, in points above the end of their pages.
    places = {what.decode(): float(y) for what, y in re.findall(
        rb"/([\w-]+) \[\d+ 0 R /XYZ [\d.]+ ([\d.]+) 0\]", document)}
    blocks = re.findall(r'<section class="block has-plot"><h3 id="([\w-]+)"', page(f"{name}.html"))
    alone = {what: y for what, y in places.items()
             if y < BOTTOM_MARGIN + (PLOT if what in blocks or what == "results" else TWO_LINES)}
    tap.ok(set(places) >= set(blocks) and len(places) > len(blocks) and not alone,
           f"{name}: no heading is alone at the end of a page", (alone, places))
tap.done()
