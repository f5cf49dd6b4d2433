"""Views that show rows of one file, as a table or as JSON."""

from .. import cli, doubt, reading


def parser(view, description, epilog):
    own = cli.Parser(writes=(), prog=f"skampi-table {view}", description=description, epilog=epilog)
    own.add_argument("file", metavar="FILE", help="result file; -: standard input")
    cli.add_json(own)
    return own


def run(own, arguments, view, rows_of, report, lacking, as_json=dict):
    """Shows the rows that rows_of() finds in a ResultFile. lacking: what to say if there are none; as_json: a row as JSON has
    it."""
    options = own.parse_args(arguments)
    file = reading.one(options.file)
    rows = rows_of(file)
    if not rows:
        raise cli.Error(f"{file.path}: {lacking}")
    doubt.show(options.json, [file], lambda: report(rows),
               lambda: {view: 1, "file": file.path, "operations": list(map(as_json, rows))})
    return 0
