"""Whether records are as scripts/results.schema.json states them. Import this before the first check: where only the
system's Python has jsonschema, the test starts again with that."""

import json

import harness
from skampi_tools.formats.sko.lines import said_of

jsonschema = harness.optional("jsonschema")
SCHEMA = json.loads(harness.read_text(harness.ROOT, "scripts", "results.schema.json"))
DEFINITIONS = SCHEMA["definitions"]


def known_members(kind):
    """All members that the schema has for a record."""
    definition = DEFINITIONS[kind]
    names = set(definition["properties"])
    for part in definition.get("allOf", ()):
        names |= set(DEFINITIONS[part["$ref"].rpartition("/")[2]]["properties"])
    return names


def errors(records):
    """What is wrong, in words; records that the schema allows any member are looked at for members that it does not know."""
    found = []
    for number, record in enumerate(records, 1):
        kind = record["record"]
        for definition in ({"$ref": f"#/definitions/{kind}", "definitions": DEFINITIONS}, SCHEMA):
            found += [f"{number}: {kind}: {error.message[:300]}"
                      for error in jsonschema.Draft7Validator(definition).iter_errors(record)]
        if unknown := sorted(set(record) - known_members(kind)):
            found.append(f"{number}: {kind}: unknown members {unknown}")
        for note in record.get("notes", ()) if kind in ("result", "rounds") else ():
            if lacking := sorted(set(said_of(note)) - set(record)):
                found.append(f"{number}: {kind}: only the note says {lacking}: {note}")
    return found


def check(tap, name, records, diagnostic=None):
    """One check, that there are records and all are right."""
    if not jsonschema:
        tap.skip(f"{name}: the schema is kept", "python3-jsonschema is not installed")
        return
    wrong = errors(records)
    tap.ok(records and not wrong, f"{name}: the schema is kept", "\n".join(wrong) or diagnostic)
