"""Pages on measurement functions, one a family: docs/functions/FAMILY.md.

A page is written by hand around its generated part. Where a family has no page, there is one made of
the generated part alone."""

import collections
import functools
import glob
import os
import re

from generate import markdown, names, program

FOLDER = os.path.join("docs", "functions")
INDEX = os.path.join(FOLDER, "README.md")


@functools.cache
def _families():
    """Family -> its functions, in the program's order."""
    families = collections.defaultdict(list)
    for function in program.measurements():
        families[function["family"]].append(function)
    return dict(families)


# ---- Texts that several functions share ----


def _pieces(text):
    return re.findall(r"[A-Za-z0-9]+|[^A-Za-z0-9]", text)


def template(texts):
    """The common beginning and end of texts, with ... between."""
    texts = list(dict.fromkeys(texts))
    if len(texts) == 1:
        return texts[0]
    split = [_pieces(text) for text in texts]
    shortest = min(map(len, split))
    head = 0
    while head < shortest and len({pieces[head] for pieces in split}) == 1:
        head += 1
    tail = 0
    while tail < shortest - head and len({pieces[-1 - tail] for pieces in split}) == 1:
        tail += 1
    left, right = "".join(split[0][:head]), "".join(split[0][len(split[0]) - tail:])
    return f"{left}…{right}"


def beginning(texts):
    """The common beginning of texts, without a last word that only leads on."""
    text = template(texts)
    if "…" not in text:
        return text
    text = text[:text.index("…")]
    if re.search(r"[,:;]\s*$", text):
        return text.rstrip(" ,:;")
    return re.sub(r"\s+(of|on|from|to|by|in|the|a|an|and|with|without)\s*$", "", text).rstrip()


# ---- Facts of a function ----


def _type(parameter):
    """As scripts name it: iterations and ranks are integers to them."""
    return {"iterations": "int", "rank": "int", "operation": "op"}.get(parameter["type"],
                                                                         parameter["type"])


def _value(parameter, which):
    if which not in parameter:
        return ""
    quote = '"' if parameter["type"] == "string" else ""
    return f"{quote}{parameter[which]}{quote}"


def _arguments(function, without=""):
    words = []
    for parameter in function["parameters"]:
        text = f"{_type(parameter)} {parameter['name']}"
        if "default" in parameter:
            text += f" = {_value(parameter, 'default')}"
        if parameter["name"] != without:
            words.append(text)
    return ", ".join(words)


def _who(function):
    pes = function["pes"]
    return function["who"] + (f"; at least {pes} PEs" if pes > 1 else "")


def _start(function):
    return "script" if function["synchronized"] else "free"


def _needs(function):
    """Version 1 of MPI is there wherever MPI is."""
    version = function.get("version", "")
    old = function["api"] == "MPI" and version.startswith("1.")
    return f"{function['api']} {version}" if version and not old else ""


def _facts(function):
    return (function.get("subtracted", ""), _who(function), _start(function),
            function.get("cost", ""), function["value"])


# ---- One page ----

MANY_ROUTINES = 7  # from which on a row does not name them


class Family:
    """The functions of a page, and how their names hang together."""

    def __init__(self, functions):
        self.functions = functions
        self.names = names.take_apart([f["name"] for f in functions])
        self.variants = collections.defaultdict(list)  # stem -> its functions
        for function in functions:
            self.variants[self.name(function).stem].append(function)
        self.stems = [stem for stem, some in self.variants.items() if len(some) > 1]
        cells = {(self.name(f).stem, self.name(f).form) for stem in self.stems
                 for f in self.variants[stem]}
        self.matrix = len(self.stems) > 1 and len(cells) > len({form for _, form in cells})

    def name(self, function):
        return self.names[function["name"]]

    def groups(self):
        """Functions that one row describes: with the same arguments."""
        groups = collections.defaultdict(list)
        for function in self.functions:
            name = self.name(function)
            shared = name.form if name.stem in self.stems else function["name"]
            groups[(shared, _facts(function), _arguments(function))].append(function)
        return [some for group in groups.values() for some in self._told_apart(group)]

    def _told_apart(self, group):
        """Routines that have nothing in common have rows of their own, unless there are many."""
        stems = _once(self.name(f).stem for f in group)
        shared = template([f["summary"] for f in group]).strip() != "…"
        if shared or len(stems) >= MANY_ROUTINES:
            return [group]
        return [[f for f in group if self.name(f).stem == stem] for stem in stems]

    def form(self, text):
        """All functions with this form, of the routines of the matrix."""
        return [f for f in self.functions
                if self.name(f).form == text and self.name(f).stem in self.stems]

    def arguments(self, stem):
        """Those of the routine, without what single forms add."""
        return _arguments(self.variants[stem][0], without="iterations")


def _form(form):
    return f"`_{form}`" if form else "no form"


def _once(items):
    return list(dict.fromkeys(items))


def _matrix(family):
    """Routines by types, or by forms; nothing where that would say no more than a list."""
    if not family.matrix:
        return ""
    functions = [f for stem in family.stems for f in family.variants[stem]]
    kinds = _once(family.name(f).type for f in functions)
    forms = _once(family.name(f).form for f in functions)
    if len(kinds) > 1:
        return _matrix_of_types(family, kinds)
    there = {(family.name(f).stem, family.name(f).form) for f in functions}
    if len(forms) > len(family.stems):
        return markdown.table(
            ["form"] + [f"`{stem}`" for stem in family.stems],
            [[_form(form)] + ["●" if (stem, form) in there else "" for stem in family.stems]
             for form in forms])
    rows = []
    for stem in family.stems:
        some = family.variants[stem]
        arguments = family.arguments(stem)
        rows.append([f"`{stem}`", beginning([f["summary"] for f in some]),
                     f"`{arguments}`" if arguments else ""]
                    + ["●" if (stem, form) in there else "" for form in forms])
    return markdown.table(["routine", "what it is", "arguments"] + list(map(_form, forms)),
                          rows)


def _matrix_of_types(family, kinds):
    forms = collections.defaultdict(list)
    for stem in family.stems:
        for function in family.variants[stem]:
            name = family.name(function)
            if name.form not in forms[stem, name.type]:
                forms[stem, name.type].append(name.form)
    alike = len(set(map(tuple, forms.values()))) == 1
    rows = []
    for stem in family.stems:
        row = [f"`{stem}`", beginning([f["summary"] for f in family.variants[stem]])]
        for kind in kinds:
            some = forms.get((stem, kind), [])
            row.append("●" if alike and some else
                       ", ".join(f"`_{form}`" if form else "●" for form in some))
        rows.append(row)
    text = markdown.table(["routine", "what it is"]
                          + [f"`_{kind}`" if kind else "no type" for kind in kinds], rows)
    if alike:
        return f"{text}\nEach ● has the forms {', '.join(map(_form, next(iter(forms.values()))))}.\n"
    return f"{text}\n● is the name without a form.\n"


def _group_row(family, group):
    function = group[0]
    name = family.name(function)
    stems = {family.name(f).stem for f in group}
    if len(group) == 1:
        texts = [f"{function['name']}({_arguments(function)})"]
    else:
        given = f"({_arguments(function)})"
        everything = len(stems) >= MANY_ROUTINES and len(group) == len(family.form(name.form))
        patterns = ([f"…_{name.form}" if name.form else "…"] if everything
                    else names.patterns([family.name(f) for f in group]))
        texts = [text + given for text in patterns]
    subtracted, who, start, cost, unit = _facts(function)
    timed = template([f["timed"] for f in group])
    summary = template([f["summary"] for f in group]).strip()
    needs = " or ".join(_once(filter(None, map(_needs, group))))
    return [", ".join(f"`{text}`" for text in texts), "the routine alone" if summary == "…" else summary,
            re.sub(r"^…(?=$| )", "the operation", timed), subtracted, who, start,
            f"`{cost}`" if cost else "", needs,
            "" if unit == "time" else unit]


HEAD = ["function", "what it is", "timed", "subtracted", "who reports", "start", "cost", "needs",
        "value in"]
# A column whose rows are all equal becomes this sentence.
SENTENCES = {
    "who reports": {"all": "Every rank reports its time.", "rank 0; at least 2 PEs":
                    "Rank 0 reports; the set needs at least 2 PEs."},
    "start": {"script": "All start as the script chooses: by a window, after a barrier, or freely.",
              "free": "None of them is synchronized: each PE starts when it gets there."},
    "needs": collections.defaultdict(lambda: "They need {}."),
    "subtracted": {"": "Nothing is subtracted."},
}


def _functions(family):
    rows = [_group_row(family, group) for group in family.groups()]
    sentences = []
    for column, texts in SENTENCES.items():
        at = HEAD.index(column)
        same = {row[at] for row in rows}
        if len(same) == 1 and ((value := same.pop()) in texts or column == "needs" and value):
            sentences.append(texts[value].format(value))
            for row in rows:
                row[at] = ""
    table = markdown.table(HEAD, rows)
    return table + ("\n" + " ".join(sentences) + "\n" if sentences else "")


LARGEST = 2**31 - 1  # what the largest int may be is no news to anybody


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


def _same_but_for_a_word(texts):
    """Whether they are one meaning, about another type each time."""
    lengths = {len(text.split()) for text in texts}
    return max(lengths) - min(lengths) < 2 and len(template(texts)) > 0.6 * min(map(len, texts))


def _parameters(functions):
    meanings = collections.defaultdict(list)
    for function in functions:
        for p in function["parameters"]:
            key = (p["name"], _type(p), p.get("unit", ""), _range(p), _value(p, "default"),
                   _value(p, "example"))
            if p["meaning"] not in meanings[key]:
                meanings[key].append(p["meaning"])
    rows = []
    for (name, kind, unit, limits, *values), texts in meanings.items():
        for text in [template(texts)] if _same_but_for_a_word(texts) else texts:
            rows.append([f"`{name}`", kind, text, unit, limits] + [f"`{v}`" if v else "" for v in values])
    return markdown.table(["parameter", "type", "meaning", "unit", "range", "default", "for example"],
                          rows) if rows else ""


def _defects(family):
    lines = []
    for kind, what in (("crashes", "Unsupported there"), ("wrong_values", "Measured, with a note")):
        reasons = collections.defaultdict(list)
        for function in family.functions:
            if kind in function:
                reasons[function[kind]].append(family.name(function))
        for reason, some in reasons.items():
            text = ", ".join(f"`{pattern}`" for pattern in names.patterns(some))
            lines.append(f"- {text}: {reason.removeprefix('known defect: ')}. {what}.\n")
    return "".join(lines)


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


def _measured_by(functions):
    """Scripts that measure some of them."""
    wanted = {f["name"] for f in functions}
    return [name for name, words in _scripts().items() if words & wanted]


def _links(scripts):
    return ", ".join(f"[{name}](../../inputs/{name})" for name in scripts)


def family(word):
    functions = _families()[word]
    if not functions:
        raise KeyError(word)
    this = Family(functions)
    parts = []
    if scripts := _measured_by(functions):
        parts.append(f"Scripts that measure them: {_links(scripts)}.\n")
    if matrix := _matrix(this):
        parts.append("### All of them\n\n" + matrix)
    parts.append("### What is timed\n\n" + _functions(this))
    if parameters := _parameters(functions):
        parts.append("### Parameters\n\n" + parameters)
    if defects := _defects(this):
        parts.append("### Known defects of libraries\n\n" + defects)
    return "\n" + "\n".join(parts) + "\n"


# ---- All pages ----


def _page(word):
    return os.path.join(FOLDER, f"{word}.md")


def _title(word, text=None):
    """(title, what it says first) of a page."""
    if text is None:
        try:
            with open(os.path.join(program.ROOT, _page(word)), encoding="utf-8") as file:
                text = file.read()
        except OSError:
            text = ""
    found = re.match(r"# (.*)\n+((?:(?!#|```|<!--|\n).*\n)*)", text)
    if not found:
        return f"`{word}`", ""
    return found[1], " ".join(found[2].split())


def index(_):
    rows = []
    for word, functions in _families().items():
        title, first = _title(word)
        first = re.match(r"(.*?[.:])( |$)", first)[1].rstrip(".:") if first else ""
        api = ", ".join(sorted({f["api"] for f in functions if f["api"] != "none"}))
        rows.append([f"[{title}]({word}.md)", first, api, str(len(functions)),
                     _links(_measured_by(functions))])
    return markdown.table(["page", "measures", "API", "functions", "scripts"], rows)


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
