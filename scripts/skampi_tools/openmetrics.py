"""Numbers as OpenMetrics text, which the textfile collector of Prometheus' node exporter reads."""

import math
from collections import Counter

from . import cli, kinds


def _quoted(text):
    plain = str(text).encode("utf-8", "replace").decode()  # names of files may have bytes that are not UTF-8
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def text(families):
    """families: (name, unit or "", what it is, [({label: text}, number)]). All are gauges without a time, since the
    collector refuses times. What is no number is left out; who has the labels of another gets one more, "again"."""
    lines = []
    for name, unit, meaning, samples in families:
        name, seen = f"{name}_{unit}" if unit else name, Counter()
        lines += [f"# TYPE {name} gauge", *([f"# UNIT {name} {unit}"] if unit else []), f"# HELP {name} {meaning}"]
        for labels, value in samples:
            if value is None or not math.isfinite(value):
                continue
            words = ",".join(f"{label}={_quoted(word)}" for label, word in labels.items())
            seen[words] += 1
            if seen[words] > 1:
                words += f',again="{seen[words]}"'
            lines.append(f"{name}{{{words}}} {value!r}" if words else f"{name} {value!r}")
    return "\n".join([*lines, "# EOF", ""])


def write(path, families):
    """The collector may read at any time: it finds the old file or the new one."""
    if path == "-":
        cli.write_text(path, text(families))
        return
    replaced = kinds.replaced_text(path)
    cli.replace_text(path, text(families))
    if replaced:
        cli.say(replaced)
