#!/usr/bin/env python3
# LONG
# PLAIN
# TIMEOUT: 180
"""The page of skampi-history in a browser: plots with a line for each state, what a launch has, the filter, narrow and
dark windows, paper; it asks no network for anything. With PICTURES=FOLDER a picture is kept there, to be looked at."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import browser as browsers
from harness import ROOT, Tap, run, scratch_directory, skip_all
from made_results import point, records, write_records
from made_states import in_rounds, states_of

browser = browsers.start()
if not browser:
    skip_all(browsers.REASON)
PICTURES = os.environ.get("PICTURES")
tap = Tap()
folder = scratch_directory()
ADDITION = {1: (61e-9, 285e-12), 2: (61e-9, 480e-12)}  # which another library cannot change
generator = random.Random(1)
os.mkdir(os.path.join(folder, "results"))
for number in range(20):
    slower = 1.3 if number >= 12 else 1.0
    points = [point("put", "Shmem_Put_With_A_Name_That_Is_Long", {"count": 8 * 4**i},
                    1e-6 * generator.gauss(1, 0.01) * (slower if i == 1 else 1)) for i in range(3)]
    medians = [level * generator.gauss(1, 0.01) for level in (2e-7, 2e-7, 5e-7 * slower, 5e-7 * slower)]
    points.append(in_rounds(point("barrier", "Shmem_Barrier", {}, 2e-7), medians, [1, 1, 2, 2]))
    lines = records(points, header={"started": f"2026-03-{number + 1:02}T02:00:00+00:00",
                                    "library": f"<i>lib</i> {number // 12}"})
    lines[-1:-1] = states_of({1: 0.5, 2: 0.5}, ADDITION)
    write_records(os.path.join(folder, "results", f"{number}.json"), lines)
made = run([os.path.join(ROOT, "scripts/skampi-history"), "results", "--html", "page.html", "--fail-over", "5%"],
           cwd=folder)
tap.equal(made.status, 1, "a page is written", made)
PAGE = os.path.join(folder, "page.html")

# The first point is the barrier: what is over rounds comes first.
for width, dark in ((1280, False), (360, True)):
    browser.open(PAGE, width=width, dark=dark)
    browser.script("document.querySelectorAll('.point')[0].scrollIntoView()")
    drawn = browser.until("document.querySelectorAll('.point')[0].querySelector('canvas')")
    wide = browser.script("return document.documentElement.scrollWidth - innerWidth")
    tap.ok(drawn and wide <= 0, f"plots are drawn and nothing is cut in {width} pixels", wide)
browser.open(PAGE)
browser.script("document.querySelectorAll('.point')[0].scrollIntoView()")
browser.until("document.querySelectorAll('.point')[0].querySelector('canvas')")
if PICTURES:
    browser.picture(os.path.join(PICTURES, "history.png"))
legend = browser.script("return [...document.querySelectorAll('.point')[0].querySelectorAll('.legend li')].map(x => x.innerText)")
tap.ok(len(legend) == 2 and "addition" in legend[1], "a line for each state, with its name", legend)
tap.equal(browser.script("return document.querySelectorAll('main i').length"), 0, "texts of files are texts")
browser.script("""
    const over = document.querySelectorAll('.point')[0].querySelector('.u-over'), box = over.getBoundingClientRect();
    over.dispatchEvent(new MouseEvent('mousemove', {clientX: box.right - 2, clientY: box.top + 20, bubbles: true}));""")
said = browser.until("[...document.querySelectorAll('.point')[0].querySelectorAll('figure .where')].map(x => x.innerText)"
                     ".find(text => text.includes('2026'))")
tap.ok(said and said.startswith("2026-03-20 02:00: state 1") and "state 2 (addition 480 ps)" in said and said.count(" ns") == 2, "the launch under the cursor is named", said)
shown = browser.script("""
    const count = () => document.querySelectorAll('.point:not([hidden])').length, found = [count()];
    const set = (name, member, value) => {
        const box = document.querySelector(`[name=${name}]`);
        box[member] = value;
        box.dispatchEvent(new Event('input', {bubbles: true}));
        found.push(count());
    };
    set('changed', 'checked', true); set('filter', 'value', 'BARRIER'); set('changed', 'checked', false);
    set('filter', 'value', 'nothing');
    return found;""")
tap.equal(shown, [4, 2, 1, 1, 0], "points are filtered by words, and by whether they changed")
browser.script("dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'))")
tap.equal(browser.problems(), [], "nothing went wrong, and nothing was asked of a network")
tap.done()
