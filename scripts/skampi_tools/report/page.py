"""The page of a report: its parts in order, with all styles, scripts and data."""

import os
import string

from .. import doubt, style
from . import verdicts as v
from .blocks import block_part, missing_table, plot_data
from .columns import compared_records
from .machine import machine_part
from .markup import asset, embed, esc
from .parts import (comparison_part, configuration_part, configurations_part, factors_part, flags_part, rounds_part,
                    said_part, section_part, summary_part, verdict_part)
from .sections import sections_of

HERE = os.path.dirname(os.path.realpath(__file__))
VENDOR = os.path.join(HERE, "..", "..", "vendor", "uplot")
# style.PALETTE is for a white background.
DARK_PALETTE = ("#7cb7ff", "#e69f00", "#2fc795", "#f2f2f2", "#e39cc4", "#ff7a45", "#88ccf0")
LONG_PAGE = 1000  # results that are laid out only where they are looked at


def render(files, title, comparison=None, coverage=None, configurations=()):
    """The page. files: (short name, ResultFile) pairs; comparison: of compare.compare_files;
    coverage: a verdicts.Coverage; configurations: as of configurations_part()."""
    sections = sections_of(files)
    many = len(files) > 1
    verdicts = [x for name, file in files for x in v.check_file(file, name if many else "")]
    if coverage:
        verdicts.append(coverage.verdict)
    rows = compared_records(comparison, files)
    missing = [(f, s.name, r) for s in sections for f, r in s.missing]
    blocks = "".join(block_part(n, s, files, rows) for n, s in enumerate(sections, 1))
    contents = "".join(f'<li><a href="#block-{n}">{esc(s.name or "(no name)")}</a> '
                       f"<span class=where>{len(s.points)}</span>" for n, s in enumerate(sections, 1))
    body = [
        section_part("summary", "Summary", summary_part(files, sections, verdicts, comparison,
                                                     configurations)),
        section_part("verdicts", "Can these numbers be trusted?", verdict_part(verdicts, len(files))),
        section_part("machine", "State of the machine", machine_part(files)),
        section_part("baseline", "Differences to the baseline",
                     comparison_part(comparison) if comparison else ""),
        section_part("configurations", "Differences between configurations",
                     configurations_part(configurations)),
        section_part("rounds", "What will the next run measure?",
                     rounds_part(files, coverage) if coverage or any(f.rounds for _, f in files) else ""),
        section_part("results", "Results", '<nav aria-label="Blocks"><ul class=contents>'
                     f"{contents}</ul></nav>{blocks}" if sections else "<p>No results.</p>"),
        section_part("factors", "What do these numbers depend on?", factors_part(files)),
        section_part("flags", "What was flagged, and why", flags_part(sections)),
        section_part("missing", "What is missing", missing_table(missing, files, "Missing results")),
        section_part("configuration", "Configuration", configuration_part(files)),
        section_part("said", "Other messages", said_part(files)),
    ]
    data = {"blocks": [plot_data(s, rows, many) for s in sections],
            "mark": doubt.MARK, "light": list(style.PALETTE), "dark": list(DARK_PALETTE)}
    size = "long" if sum(len(s.points) for s in sections) > LONG_PAGE else "short"
    return document(title, "\n".join(part for part in body if part), data, size,
                    asset(HERE, "tables.js") + asset(HERE, "report.js"),
                    "Plots are pictures, and tables can be neither sorted nor filtered; all numbers are in the tables.")


def document(title, body, data, size, program, without, more_style="", generator="skampi-report"):
    """A page with the style of reports and uPlot. data: what program, a script, finds as JSON; size: "long" where
    much is laid out only where it is looked at; without: what readers miss without scripts."""
    with open(os.path.join(HERE, "page.html"), encoding="utf-8") as file:
        template = string.Template(file.read())
    lines, dark_lines = (" ".join(f"--s{place}: {color};" for place, color in enumerate(palette))
                         for palette in (style.PALETTE, DARK_PALETTE))
    return template.substitute(
        title=esc(title), body=body, data=embed(data), size=size, without=without, generator=generator,
        lines=lines, dark_lines=dark_lines, library_style=asset(VENDOR, "uPlot.min.css"),
        style=asset(HERE, "report.css") + more_style, licence=asset(VENDOR, "LICENSE"),
        library=asset(VENDOR, "uPlot.iife.min.js"), program=asset(HERE, "plots.js") + program)
