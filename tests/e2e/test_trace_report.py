#!/usr/bin/env python3
# PLAIN
# TIMEOUT: 120
"""shmemtrace report on made traces: the page says what explain and summary say, its time line shows single calls, and
texts of a trace are never markup. With PICTURES=FOLDER pictures are kept there."""

import html
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
import browser as browsers
import traces
from harness import ROOT, Tap, run
from traces import HEAP, Made, small_scenario

browser = browsers.start()
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from skampi_tools import style
from skampi_tools.report.page import DARK_PALETTE

HOSTILE = "</script></pre></title><script>window.broken=1</script>"
ROUNDS, MS = 300, 10**6
tap = Tap()
made = Made()


def late_pe(pe, pes=2, calls=ROUNDS):
    """The last PE computes a millisecond longer than the others between barriers; two puts in each round."""
    lines, late, meet = [f"pe {pe} {pes} 1", "event 0 shmem_init 100 100"], pe == pes - 1, "set_start=0 set_stride=1"
    for number in range(calls):
        begin = (2 * number + 1) * MS
        put = f"peer={(pe + 1) % pes} elements=1 bytes=8 target={HEAP} source={HEAP}"
        lines += [f"event 0 shmem_long_put {begin + 2000} 1000 {put}", f"event 0 shmem_long_put {begin + 4000} 1000 {put}",
                  f"event 0 shmem_barrier_all {begin + 10000 + late * MS} {MS + 1000 - late * MS} {meet} set_size={pes}"]
    end = (2 * calls + 1) * MS
    return "\n".join([*lines, f"event 0 shmem_finalize {end} 100 flags=1", "end finalize"]) + "\n"


def report(trace, *options):
    return made.command("report", *options, trace)


def page(name):
    with open(made.path(name), encoding="utf-8") as file:
        return file.read()


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL).group(1))


# ---- The page ----

made.make("late", late_pe(0) + late_pe(1))
done = report("late")
tap.ok(done.status == 0 and "late.html" in done.err, "a report has the name of the trace", done)
text, explained = page("late.html"), made.command("explain", "late").out
tap.ok(f'<pre class="screen">{html.escape(explained)}</pre>' in text, "it has what explain says", text[:3000])
data = data_of(text)
tap.equal(data["timeline"]["calls"], 2 * 3 * ROUNDS, "all calls between start and end are in it")
tap.equal(data["timeline"]["together"], 0, "... singly")
tap.equal([data["light"], data["dark"]], [list(style.PALETTE), list(DARK_PALETTE)], "colours are those of other reports")
cells = {tuple(cell[:2]): cell[2:] for cell in data["matrix"]["cells"]}
tap.equal(cells[0, 1][:3], [16 * ROUNDS, 0, 2 * ROUNDS], "the matrix has bytes and calls of each pair")
tap.ok(abs(cells[0, 1][3] - ROUNDS * 1e-3) < 0.02 * ROUNDS * 1e-3 and cells[1, 0][3] == 0, "... and who waits for whom", cells)
done = report("late", "-o", "-")
tap.ok(done.status == 0 and done.out == text, "-o -: standard output")
done = report("late", "--calls", "400", "-o", "few.html")
few = data_of(page("few.html"))["timeline"]
tap.ok(done.status == 0 and few["together"] > 0 and sum(block[4] for block in few["blocks"]) <= 400,
       "--calls: of more calls, short ones are taken together", few["blocks"])
part = data_of(report("late", "-o", "-", "--from", "0.1", "--to", "0.2").out)["timeline"]
tap.ok(abs(part["length"] - 1e8) < 1 and 290 < part["calls"] < 310, "--from, --to: only that part", part["calls"])

made.make("damaged", late_pe(0) + late_pe(1))
with open(made.path("damaged/pe-00001.trace"), "r+b") as file:
    file.truncate(os.path.getsize(made.path("damaged/pe-00001.trace")) - 300)
done = report("damaged")
tap.ok(done.status == 1 and data_of(page("damaged.html"))["summary"]["whole"] is False, "a damaged trace has a page, and status 1",
       done)
with open(made.path("mine.txt"), "w", encoding="utf-8") as file:
    file.write("my own text\n")
for arguments, what, status in ((["late", "-o", "mine.txt"], "a file of somebody else is not replaced", 2),
                                (["late", "-o", "none/page.html"], "a folder that is not there", 2),
                                (["late", "--calls", "many"], "--calls takes numbers", 2),
                                (["missing"], "no trace", 2), (["late", "-o", "/dev/full"], "a full disk", 1)):
    done = report(*arguments)
    tap.ok(done.status == status and done.err.count("\n") == 1 and "shmemtrace report:" in done.err, what, done)
tap.ok(not os.path.exists(made.path("missing.html")), "without a trace no page is begun")
os.mkdir(made.path("disk"))
full = run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=16k none disk || exit 77\n"
            "echo '<!-- skampi-shmemtrace -->' > disk/old.html; cp disk/old.html before.html\n"
            '"$0" report --force -o disk/old.html late; status=$?; ls disk; cmp disk/old.html before.html && exit $status',
            traces.command()], cwd=made.folder)
if full.status in (77, 127) or "unshare" in full.err:
    tap.skip("a page that does not fit on the disk", "no file systems can be mounted")
else:
    tap.ok(full.status == 1 and full.out == "old.html\n" and "No space left" in full.err and full.err.count("\n") == 1,
           "a page that does not fit on the disk: the old one stays, and nothing else", full)

made.make("hostile", f"command {HOSTILE}\ndate {HOSTILE}\n" + small_scenario(0) + small_scenario(1))
done = report("hostile")
hostile = done.status == 0 and HOSTILE not in page("hostile.html") and HOSTILE in json.dumps(data_of(page("hostile.html")))
tap.ok(hostile, "texts of a trace cannot end a script", done)
made.make("many", "".join(late_pe(pe, 1100, 2) for pe in range(1100)))
done = report("many")
many = data_of(page("many.html"))
tap.ok(done.status == 0 and len(many["timeline"]["rows"]) == 550 and many["matrix"]["rows"] <= 128,
       "many PEs share rows", done)
made.make("wide", "".join(late_pe(pe, 1024, 2) for pe in range(1024)))
made.make("alone", late_pe(0, 1))
tap.ok(report("wide").status == 0 and report("alone").status == 0, "1024 PEs and one PE have a page")

# ---- In a browser ----

if not browser:
    tap.skip("the page in a browser", browsers.REASON)
    tap.done()


def status():
    return browser.script("return document.getElementById('status').textContent")


def keys(*pressed):
    for key in pressed:
        browser.script("document.getElementById('lines').dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0]}))", key)


def colors_in_view():
    """Colours in the rows of the time line, the most frequent first."""
    return browser.script("""
        const canvas = document.getElementById("lines"), count = new Map();
        const pixels = new Uint32Array(canvas.getContext("2d").getImageData(70, 0, canvas.width - 70, canvas.height).data.buffer);
        for (const pixel of pixels)
            count.set(pixel, (count.get(pixel) ?? 0) + 1);
        return [...count].sort((a, b) => b[1] - a[1]).map(([pixel]) => "#" + [0, 8, 16].map((shift) =>
            (pixel >> shift & 255).toString(16).padStart(2, "0")).join(""))""")


for name in ("late", "few", "damaged", "hostile", "many", "wide", "alone"):
    for dark in (False, True):
        browser.open(made.path(f"{name}.html"), dark=dark)
        shown = browser.until("document.querySelector('#by_routine td')")
        wrong = [*browser.problems(), browser.script("return window.broken")]
        tap.ok(shown and wrong == [None], f"{name}: shows its tables {'in the dark' if dark else 'in the light'}", wrong)
        if os.environ.get("PICTURES"):
            browser.picture(os.path.join(os.environ["PICTURES"], f"report-{name}-{dark}.png"))
browser.open(made.path("late.html"))
whole = colors_in_view()
tap.ok(style.PALETTE[5] in whole[:4], "the whole run: barriers have their colour", whole[:6])
for _ in range(30):
    browser.script("document.querySelector('[data-do=in]').click()")
tap.ok(browser.script("return timeline.to - timeline.from") < 1000, "it zooms to less than a microsecond")
keys("0", "ArrowDown", "n")
tap.ok("PE 1" in status() and "shmem_" in status(), "keys choose a row and a call", status())
begin = data["timeline"]["from"]
browser.script("""
    for (const [id, value] of [["from", arguments[0]], ["to", arguments[1]]]) {
        document.getElementById(id).value = value;
    }
    document.getElementById("to").dispatchEvent(new Event("change"))""", 0.1009, 0.10102)
browser.script("document.getElementById('listing').open = true")
listed = browser.until("[...document.querySelectorAll('#listed tbody tr')].map((row) => row.textContent).join('|')") or ""
tap.ok(listed.count("shmem_long_put") == 4 and listed.count("1 µs") >= 4, "the table of a part has its calls", listed)
browser.script("[...document.querySelectorAll('#findings td button')][0].click()")
tap.ok("waits" in status() and "for PE 1 (wait at barrier)" in status(), "the longest wait of a cause is shown", status())
before = browser.script("return timeline.to - timeline.from")
browser.drag(browser.driver.find_element("id", "lines"), (0.4, 0.5), (0.6, 0.5))
tap.ok(browser.script("return timeline.to - timeline.from") < 0.3 * before, "dragging zooms")
browser.open(made.path("few.html"))
tap.ok("together" in browser.script("return document.getElementById('said').textContent"), "the page says what it takes together")
tap.equal(browser.problems(), [], "no error, and nothing is asked of a network")
tap.done()
