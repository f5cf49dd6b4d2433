"""Text and data in HTML: all text that comes from files goes through esc() or embed()."""

import html
import json
import os
import re

from ..cli import Error, finite

HERE = os.path.dirname(os.path.realpath(__file__))
STATE_NAMES = {"ok": "passed", "note": "note", "doubtful": "doubtful", "bad": "failed",
               "unknown": "not known"}
STATE_SIGNS = {"ok": "✔", "note": "i", "doubtful": "!", "bad": "✖", "unknown": "?"}
VERDICT_STATES = {"slower": "bad", "faster": "ok", "unchanged": "note", "cannot tell": "unknown",
                  "only old": "doubtful", "only new": "note"}
# What a text must not hold in HTML or where it would change how the rest is shown: control
# characters, and those that turn the direction of writing.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def esc(text):
    return html.escape(UNPRINTABLE.sub("\ufffd", str(text)))


def embed(value):
    """JSON for inside <script>, with null for what is not a number."""
    text = json.dumps(finite(value), separators=(",", ":"), allow_nan=False)  # ASCII: no U+2028
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def asset(*path):
    """A file of the report for inside <script> or <style>."""
    with open(os.path.join(*path), encoding="utf-8") as file:
        text = file.read()
    if re.search(r"</(script|style)", text, re.IGNORECASE):
        raise Error(f"{os.path.join(*path)}: holds the end of a script or style")
    return text


def plain_page(name, body, style=""):
    """A page without scripts. name: of the tool; body: its parts as markup; style: besides that of reports."""
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="generator" content="{name}"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<title>{name}</title>\n<style>{asset(HERE, "report.css")}{style}</style></head>\n<body>\n' + "\n".join(body)
            + "\n</body></html>\n")


def bullets(texts):
    return "<ul>" + "".join(f"<li>{esc(text)}" for text in texts) + "</ul>"


def badge(state, text=None):
    return (f'<span class="badge {state}"><span aria-hidden="true">{STATE_SIGNS[state]}</span> '
            f"{esc(text or STATE_NAMES[state])}</span>")


def quoted(text):
    return f'"{esc(text)}"'
