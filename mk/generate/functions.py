"""Pages on measurement functions, one a family: docs/functions/FAMILY.md.

A page is written by hand around its generated part. Where a family has no page, there is one made of
the generated part alone."""

import collections
import contextlib
import functools
import glob
import os
import re

from generate import program, tables

FOLDER = os.path.join("docs", "functions")
INDEX = os.path.join(FOLDER, "README.md")
LARGEST = 2**31 - 1  # what the largest int may be is no news to anybody


@functools.cache
def _families():
    """Family -> its functions, in the program's order."""
    families = collections.defaultdict(list)
    for function in program.measurements():
        families[function["family"]].append(function)
    return dict(families)


# ---- The functions of a page ----


def _type(parameter):
    """As scripts name it: iterations and ranks are integers to them."""
    return {"iterations": "int", "rank": "int", "operation": "op"}.get(parameter["type"], parameter["type"])


def _value(parameter, which):
    if which not in parameter:
        return ""
    quote = '"' if parameter["type"] == "string" else ""
    return f"{quote}{parameter[which]}{quote}"


def signature(function):
    """The function as a script calls it, with the types of its arguments."""
    words = [f"{_type(p)} {p['name']}" + (f" = {_value(p, 'default')}" if "default" in p else "")
             for p in function["parameters"]]
    return f"{function['name']}({', '.join(words)})"


def _who(function):
    pes = function["pes"]
    return function["who"] + (f"; at least {pes} PEs" if pes > 1 else "")


def _needs(function):
    """Version 1 of MPI is there wherever MPI is."""
    version = function.get("version", "")
    old = function["api"] == "MPI" and version.startswith("1.")
    return f"{function['api']} {version}" if version and not old else ""


def _defect(function):
    return "; ".join(f"{function[kind].removeprefix('known defect: ')}: {what}" for kind, what in
                     (("crashes", "unsupported there"), ("wrong_values", "measured, with a note")) if kind in function)


# Title of a column: what it says of a function.
COLUMNS = {
    "function": lambda function: f"`{signature(function)}`", "what it is": lambda function: function["summary"],
    "timed": lambda function: function["timed"], "subtracted": lambda function: function.get("subtracted", ""),
    "who reports": _who, "start": lambda function: "script" if function["synchronized"] else "free",
    "cost": lambda function: f"`{function['cost']}`" if "cost" in function else "", "needs": _needs,
    "value in": lambda function: function["value"].removeprefix("time"), "known defect of a library": _defect,
}
# A column whose rows all say this becomes a sentence.
SENTENCES = {
    "who reports": {"all": "Every rank reports its time.", "rank 0; at least 2 PEs":
                    "Rank 0 reports; the set needs at least 2 PEs."},
    "start": {"script": "All start as the script chooses: by a window, after a barrier, or freely.",
              "free": "None of them is synchronized: each PE starts when it gets there."},
    "subtracted": {"": "Nothing is subtracted."},
}


def _functions(functions):
    columns = {title: list(map(cell, functions)) for title, cell in COLUMNS.items()}
    sentences = []
    for title, texts in SENTENCES.items():
        same = set(columns[title])
        if len(same) == 1 and (value := same.pop()) in texts:
            sentences.append(texts[value])
            columns[title] = [""] * len(functions)
    table = tables.markdown(list(columns), zip(*columns.values()))
    return table + ("\n" + " ".join(sentences) + "\n" if sentences else "")


# ---- Their parameters ----


def _range(parameter):
    """What the value must be."""
    least, most = parameter.get("minimum"), parameter.get("maximum", LARGEST)
    allowed = parameter.get("allowed", "")
    if parameter["type"] == "rank":
        limits = "a rank of the communicator"
    elif least is not None and most < LARGEST:
        limits = f"{least} to {most}"
    elif least is not None and (least or not allowed):
        limits = f"at least {least}"
    else:
        limits = ""
    return ", ".join(filter(None, (limits, allowed)))


def _parameters(functions):
    """A row for each parameter, with all that it means."""
    meanings = collections.defaultdict(dict)
    for function in functions:
        for p in function["parameters"]:
            key = (p["name"], _type(p), p.get("unit", ""), _range(p), _value(p, "default"), _value(p, "example"))
            meanings[key][p["meaning"]] = None
    rows = [[f"`{name}`", kind, "; or ".join(texts), unit, limits] + [f"`{v}`" if v else "" for v in values]
            for (name, kind, unit, limits, *values), texts in meanings.items()]
    return tables.markdown(["parameter", "type", "meaning", "unit", "range", "default", "for example"], rows) if rows else ""


@functools.cache
def _scripts():
    """Script -> the words in it, without comments and texts."""
    found = {}
    inputs = os.path.join(program.ROOT, "inputs")
    paths = [path for folder in ("", "patterns") for path in glob.glob(os.path.join(inputs, folder, "*.ski"))]
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r'"[^"]*"', "", re.sub(r"#.*", "", file.read()))
        found[os.path.relpath(path, inputs)] = set(re.findall(r"\w+", text))
    return found


def _links(functions):
    """To the scripts that measure some of them."""
    wanted = {f["name"] for f in functions}
    return ", ".join(f"[{name}](../../inputs/{name})" for name, words in _scripts().items() if words & wanted)


def family(word):
    functions = _families()[word]
    parts = []
    if scripts := _links(functions):
        parts.append(f"Scripts that measure them: {scripts}.\n")
    parts.append("### What is timed\n\n" + _functions(functions))
    if parameters := _parameters(functions):
        parts.append("### Parameters\n\n" + parameters)
    return "\n" + "\n".join(parts) + "\n"


# ---- All pages ----


def _page(word):
    return os.path.join(FOLDER, f"{word}.md")


def index(_):
    rows = []
    for word, functions in _families().items():
        title, first = f"`{word}`", ""
        with contextlib.suppress(OSError), open(os.path.join(program.ROOT, _page(word)), encoding="utf-8") as file:
            if found := re.match(r"# (.*)\n+((?:(?!#|```|<!--|\n).*\n)*)", file.read()):
                title, first = found[1], " ".join(found[2].split())
        first = re.match(r"(.*?[.:])( |$)", first)[1].rstrip(".:") if first else ""
        api = ", ".join(sorted({f["api"] for f in functions if f["api"] != "none"}))
        rows.append([f"[{title}]({word}.md)", first, api, str(len(functions)), _links(functions)])
    return tables.markdown(["page", "measures", "API", "functions", "scripts"], rows)


def missing_pages(pages):
    """Path -> text, of families without a page."""
    return {_page(word): f"# Measurement functions: {word}\n\n"
                         f"<!-- generated by make docs: functions {word} -->\n<!-- end -->\n"
            for word in _families() if _page(word) not in pages}


def problems(pages):
    """(path, what is wrong) of pages that belong to no family."""
    known = {_page(word) for word in _families()} | {INDEX}
    for path in pages:
        if os.path.dirname(path) == FOLDER and path not in known:
            yield path, "there is no such family of functions; remove the page"
