"""Tables of Markdown."""


def row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def table(head, rows):
    """Columns in which no row has anything are left out."""
    rows = [list(cells) for cells in rows]
    used = [i for i in range(len(head)) if any(cells[i] for cells in rows)]
    pick = lambda cells: [cells[i] for i in used]  # noqa: E731
    return (row(pick(head)) + "|" + len(used) * "---|" + "\n"
            + "".join(row(pick(cells)) for cells in rows))
