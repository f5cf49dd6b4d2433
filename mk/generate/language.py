"""The functions of the script language."""

from generate import markdown, program


def builtins(family):
    """FAMILY is values, sets, mpi, io or settings."""
    functions = [f for f in program.builtins() if f["family"] == family]
    if not functions:
        raise KeyError(family)
    rows = [[f"`{f['signature']}`", f["result"],
             ("*Collective.* " if f["collective"] else "") + f["meaning"]] for f in functions]
    return markdown.table(["function", "result", "meaning"], rows)
