"""Pages in headless Chromium, for tests of reports.

    browser = start()            # None where there is no Chromium; REASON says what is missing
    browser.open("page.html", width=1280)
    browser.script("return document.title")
    browser.problems()           # messages on the console and requests to anything but files
"""

import atexit
import base64
import json
import shutil
import time

from harness import read_text, scratch_directory
from skampi_tools import cli

PARSER_PAGE = "devtools://devtools/bundled/models/trace/trace.js"
# What a parsed trace is: of each process its name and the calls of each thread, outermost first.
PARSER = """
const text = arguments[0], done = arguments[arguments.length - 1];
async function parse() {
    let model;
    try {
        const trace = await import(location.href);
        model = trace.TraceModel.Model.createWithAllHandlers();
    } catch (error) {
        return {missing: String(error)};
    }
    const file = JSON.parse(text);
    await model.parse(file.traceEvents, {metadata: {}, isFreshRecording: false});
    const {Meta, Renderer, Flows, Warnings} = model.parsedTrace().data;
    const nameOf = names => names?.args.name;
    const event = ({name, cat, pid, tid, ts, dur, args}) => ({name, cat, pid, tid, ts, dur, args});
    const slices = nodes => [...nodes].flatMap(node => [event(node.entry), ...slices(node.children)]);
    return {
        generic: Meta.traceIsGeneric, begin: Meta.traceBounds.min, end: Meta.traceBounds.max,
        processes: [...Renderer.processes].map(([pid, process]) => ({
            pid, name: nameOf(Meta.processNames.get(pid)),
            threads: [...process.threads].map(([tid, thread]) => ({
                tid, name: nameOf(Meta.threadsInProcess.get(pid)?.get(tid)),
                slices: slices(thread.tree.roots)}))})),
        flows: Flows.flows.map(ends => ends.map(event)),
        warnings: [...Warnings.perEvent.keys()].length};
}
parse().then(done, error => done({error: String(error.stack || error)}));
"""

REASON = "needs chromium, chromium-driver and python3-selenium (scripts/install-deps --dev)"
ARGUMENTS = ("--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
             "--disable-background-networking --disable-component-update --disable-sync "
             "--disable-dev-shm-usage --disable-breakpad --hide-scrollbars "
             "--force-color-profile=srgb").split()


def start():
    """A Browser, ended with the test, or None. Starts the test again with the system's Python where
    only that has what is needed: to be called before the first check."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        return None
    try:
        cli.need("selenium")
    except SystemExit:
        return None
    return Browser(chromium, driver)


class Browser:
    def __init__(self, chromium, driver):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in [*ARGUMENTS, f"--user-data-dir={scratch_directory()}"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        atexit.register(self.driver.quit)
        self.driver.set_page_load_timeout(60)
        self.driver.set_script_timeout(60)

    def shape(self, width, height=900, dark=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, path, width=1280, height=900, dark=False):
        self.shape(width, height, dark)
        self.driver.get(f"file://{path}")

    def before_pages(self, text):
        """Runs a script before those of every page that is opened from now on; undone by calling what
        this returns."""
        made = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": text})
        return lambda: self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", made)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def parsed_trace(self, path):
        """What the parser of this Chromium's developer tools makes of a file in the Trace Event Format
        (PARSER), and in "messages" what it said; {"missing": reason} where it has none that is known."""
        if self.driver.current_url != PARSER_PAGE:
            self.driver.get(PARSER_PAGE)
        self.driver.get_log("browser")
        parsed = self.driver.execute_async_script(PARSER, read_text(path))
        return {**parsed, "messages": [entry["message"] for entry in self.driver.get_log("browser")]}

    def drag(self, element, start, end):
        """With the mouse, between places in parts of the element's width and height."""
        from selenium.webdriver import ActionChains
        box = element.rect
        place = [(round((x - 0.5) * box["width"]), round((y - 0.5) * box["height"]))
                 for x, y in (start, end)]
        ActionChains(self.driver).move_to_element_with_offset(element, *place[0]).click_and_hold(
            ).move_to_element_with_offset(element, *place[1]).release().perform()

    def until(self, text, *arguments, seconds=20):
        """Waits until the expression is true; its value."""
        end = time.monotonic() + seconds
        while not (value := self.script(f"return {text}", *arguments)) and time.monotonic() < end:
            time.sleep(0.05)
        return value

    def picture(self, path):
        """Of the whole page, as far as 8000 lines."""
        height = self.script("return document.documentElement.scrollHeight")
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {
            "captureBeyondViewport": True, "clip": {
                "x": 0, "y": 0, "width": self.script("return innerWidth"),
                "height": min(height, 8000), "scale": 1}})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def problems(self):
        """What was said on the console since the last call, and what was asked of a network."""
        found = [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "chrome:", "chrome-untrusted:")):  # the last two: its own first page
                    found.append(f"asks for {url}")
        return found
