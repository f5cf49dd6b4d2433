"""Verdicts in the form of JUnit, which services of continuous integration read."""

import re
from xml.etree import ElementTree

NOT_XML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0 cannot hold it


def _plain(text):
    return NOT_XML.sub("?", str(text))


def _add(parent, tag, text="", **attributes):
    node = ElementTree.SubElement(parent, tag, {name: _plain(value) for name, value in attributes.items()})
    node.text = _plain(text) or None
    return node


def report(name, cases, said="", **more):
    """The text of a file. cases: (class, name, outcome); outcome is None for what passed, else (failure, error or skipped,
    message, text). said: what else there is to say. more: attributes of the suite."""
    outcomes = [outcome and outcome[0] for _, _, outcome in cases]
    counts = {"tests": len(cases), "failures": outcomes.count("failure"), "errors": outcomes.count("error"),
              "skipped": outcomes.count("skipped")}
    suites = ElementTree.Element("testsuites", {name: str(count) for name, count in counts.items()})
    suite = _add(suites, "testsuite", name=name, **counts, time=0, **more)
    for kind, case, outcome in cases:
        node = _add(suite, "testcase", classname=kind, name=case, time=0)
        if outcome:
            _add(node, outcome[0], outcome[2], message=outcome[1])
    if said:
        _add(suite, "system-err", said)
    ElementTree.indent(suites, "")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
