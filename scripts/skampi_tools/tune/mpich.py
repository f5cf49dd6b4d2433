"""MPICH: what it says of its control variables (mpivars), and the selection files that it reads.

A selection file replaces all rules that the library contains. So skampi tune takes those, which are JSON texts in the
library's file, and puts its own in front of them. A tree of rules asks one thing of a call at each level, such as
"comm_size<=4", in order; the first that holds leads on. There are two trees: one composes a collective of parts within and
between nodes (CH4), the other chooses the algorithm of a part. Where a rule names an algorithm, the first one makes the
collective of one part, as it does on communicators without hierarchy.
"""

import functools
import json
import re
import shlex
import shutil

from ..cli import Error
from .openmpi import OWN, ask

VARIABLE, ALGORITHM = "MPIR_CVAR_", "_INTRA_ALGORITHM"   # how names of variables begin, and of those that choose one end
FILES = {"algorithms": VARIABLE + "COLL_SELECTION_TUNING_JSON_FILE", "composition": VARIABLE + "CH4_COLL_SELECTION_TUNING_JSON_FILE"}
# What not every algorithm can do, and its opposite: the library's own rules go on for the first.
EXCEPTIONS = {"is_sendbuf_inplace=yes": "is_sendbuf_inplace=no", "is_commutative=no": "is_commutative=yes",
              "is_op_built_in=no": "is_op_built_in=yes", "count<pow2": "count=any"}
HIERARCHY = {"smp": ("comm_hierarchy=parent", "comm_hierarchy=any")}


@functools.lru_cache(None)
def _described():
    """{control variable: its description}"""
    lines = (line.split("\t") for line in ask("MPICH", "mpivars").splitlines())
    return {words[1].partition("=")[0].strip(): words[-1] for words in lines if len(words) > 4 and "=" in words[1]}


@functools.lru_cache(None)
def _contents():
    """Of the library's file."""
    _described()   # or there is no mpivars
    found = re.search(r"libmpi\S* => (\S+)", ask("MPICH", "ldd", shutil.which("mpivars")))
    if not found:
        raise Error("mpivars does not say where the library of MPICH is")
    with open(found[1], "rb") as file:
        return file.read()


@functools.lru_cache(None)
def _trees():
    """{"algorithms": tree, "composition": tree}"""
    found = {}
    for text in re.findall(rb'\{"collective=[^\0]*', _contents()):
        for name, sign in (("algorithms", b"=MPIR_"), ("composition", b"composition=")):
            if sign in text:
                found[name] = json.loads(text)
    if len(found) != len(FILES):
        raise Error("this MPICH has no rules of a form that skampi tune knows")
    return found


@functools.lru_cache(None)
def _algorithms(collective):
    """{name: what rules call it}"""
    full = re.findall(rb"algorithm=(MPIR_%s_(?:intra|allcomm)_(\w+))(?=\0)" % collective.capitalize().encode(), _contents())
    return {name.decode(): whole.decode() for whole, name in full}


def _own_rules(collective):
    """As text."""
    return json.dumps(_trees()["algorithms"].get(f"collective={collective}", {}))


def _size(collective):
    """What rules of a collective ask for: its own ones ask for one of the two, or for none."""
    return next((f"{which}_msg_size" for which in ("total", "avg") if f"{which}_msg_size" in _own_rules(collective)), "")


def counts(collective):
    """How it counts the size of a message: as openmpi.COLLECTIVES."""
    # Of reduce_scatter the total is that of one buffer, as skampi counts it.
    return {"": "none", "avg_msg_size": "block"}.get(_size(collective), "block" if collective == "reduce_scatter" else "all")


COLLECTIVES = ("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "gather", "reduce",
               "reduce_scatter", "reduce_scatter_block", "scatter")


def variables(collective):
    """[(kind, name)] of what a rule says: the algorithm."""
    return [("environment", f"{VARIABLE}{collective.upper()}{ALGORITHM}")]


def switches(settings):
    """What is needed for these environment variables to be heeded: that a collective is made of one part."""
    return {name.removesuffix(ALGORITHM) + "_DEVICE_COLLECTIVE": "0" for name in settings
            if name.startswith(VARIABLE) and name.endswith(ALGORITHM)}


def values_of(name, _pes):
    """Of a variable that chooses an algorithm."""
    collective = name.removeprefix(VARIABLE).removesuffix(ALGORITHM).lower()
    said = _described().get(name, "")
    return [own for own in _algorithms(collective) if re.search(rf"{own} *- Force", said)] if collective in COLLECTIVES else []


def describe(values):
    return values[0]


def row(_collective, values):
    return values[0]


def _by_size(sizes, rows, own, leaf):
    """A tree; sizes: "avg_msg_size", "total_msg_size" or "" for none."""
    found = {}
    for place, (_, row_of) in enumerate(rows):
        tree = own if row_of == OWN else leaf(row_of)
        if not sizes:
            return tree
        found[f"{sizes}=any" if place + 1 == len(rows) else f"{sizes}<={rows[place + 1][0] - 1}"] = tree
    return found


def _in_front(tree, collective, by_pes, leaf):
    """The tree with the rules of a collective in front of its own ones."""
    own = tree[f"collective={collective}"]["comm_type=intra"]
    found = {}
    for pes, rows in sorted(by_pes.items()):
        if any(own_row != OWN for _, own_row in rows):
            found.setdefault(f"comm_size<={pes - 1}", own)
            found[f"comm_size<={pes}"] = _by_size(_size(collective), rows, own, lambda name: leaf(own, name))
    found["comm_size=any"] = own
    for which, opposite in EXCEPTIONS.items():
        if f'"{which}"' in _own_rules(collective):
            found = {which: own, opposite: found}
    return {**tree, f"collective={collective}": {**tree[f"collective={collective}"], "comm_type=intra": found}}


def _without_hierarchy(tree):
    """What a tree says of communicators without hierarchy; None: it does not ask for it."""
    for key, below in tree.items():
        if found := below if key == "comm_hierarchy=any" else _without_hierarchy(below):
            return found
    return None


def files(tables, stem):
    """{path: text} of what the library reads. tables: {collective: {PEs: [(size, row or OWN)]}}"""
    trees = dict(_trees())
    for collective, by_pes in tables.items():
        def named(own, name, collective=collective):
            tree = {f"algorithm={_algorithms(collective)[name]}": {}}
            if name in HIERARCHY:
                parent, flat = HIERARCHY[name]
                tree = {parent: tree, flat: own}
            return tree
        trees["algorithms"] = _in_front(trees["algorithms"], collective, by_pes, named)
        trees["composition"] = _in_front(trees["composition"], collective, by_pes,
                                         lambda own, _: _without_hierarchy(own) or own)
    return {f"{stem}.{name}.json": json.dumps(trees[name], indent=1) + "\n" for name in FILES}


def environment(stem):
    return {variable: f"{stem}.{name}.json" for name, variable in FILES.items()}


def launch_line(settings):
    """How a program is started with these environment variables."""
    words = [word for name, value in settings.items() for word in ("-genv", name, value)]
    return shlex.join(["mpiexec", "-n", "N", *words, "PROGRAM"])
