"""Parts of documents that programs write: what is between a line that opens them and <!-- end -->."""

END = "<!-- end -->"


def _parts(path, opening):
    """What is before the part, the part, what is after it."""
    with open(path, encoding="utf-8") as file:
        head, begin, rest = file.read().partition(f"{opening}\n")
    part, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has no line {opening}, or no {END} after it")
    return head, part, tail


def read_part(path, opening):
    """The part, without the newline that ends it."""
    return _parts(path, opening)[1].rstrip("\n")


def write_part(path, opening, text):
    """Puts the text in the place of the part."""
    head, _, tail = _parts(path, opening)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{opening}\n{text}\n{END}{tail}")
