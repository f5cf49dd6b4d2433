#!/usr/bin/env python3
# PLAIN
"""docs/results.md describes every record and member of results.schema.json, every flag, and the
columns of CSV, which hold every member of results."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from skampi_tools import doubt, records
from skampi_tools.formats import csv_table


def read(path):
    return read_text(ROOT, path)


def names(part, schema):
    """Names of properties, at any depth; words of enumerations."""
    if isinstance(part, list):
        return set().union(*(names(entry, schema) for entry in part))
    if not isinstance(part, dict):
        return set()
    found = set(part.get("properties", {}))
    if "enum" in part:
        found |= {word for word in part["enum"] if word}
    # Conditions repeat names that stand elsewhere.
    for name, value in part.items():
        if name not in ("enum", "required", "if", "then", "else"):
            found |= names(value, schema)
    return found


tap = Tap()
schema = json.loads(read("scripts/results.schema.json"))
text = read("docs/results.md")
sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL))
kinds = [reference["$ref"].rpartition("/")[2] for reference in schema["oneOf"]]
for kind in [*kinds, "point"]:
    described = set(re.findall(r"`([^`]+)`", sections.get(kind, "")))
    wanted = names(schema["definitions"][kind], schema)
    if kind in ("result", "rounds"):
        wanted -= names(schema["definitions"]["point"], schema)
    missing = sorted(wanted - described)
    tap.ok(kind in sections and not missing, f"{kind}: every member is described", missing)
    rows = re.findall(r"^\| (.*?) \|", sections.get(kind, ""), re.MULTILINE)
    unknown = sorted({name for row in rows for name in re.findall(r"`(\w+)`", row)}
                     - set(schema["definitions"][kind]["properties"]))
    tap.ok(not unknown, f"{kind}: no other member is described", unknown)
    definition = schema["definitions"][kind]
    # Converted files may have fewer.
    required = {*definition.get("required", []), *definition.get("then", {}).get("required", [])}
    always = {name for row in rows for name in re.findall(r"\*`(\w+)`\*", row)}
    tap.ok(required <= always, f"{kind}: what is always there, is in italics", required - always)

listed = re.search(r"enum result_flag \{(.*?)\bRESULT_FLAGS\b", read("src/output/result.h"), re.DOTALL).group(1)
flags = [name.lower() for name in re.findall(r"^\s*RESULT_(\w+),", listed, re.MULTILINE)]
tap.ok(len(flags) > 5, "flags are found", flags)
tap.equal(sorted(doubt.FLAGS), sorted(flags), "the tools know every flag of skampi, and no other")
tap.ok(all(row["means"] and row["remedy"] for row in doubt.FLAGS.values()), "each with its meaning and what to do",
       doubt.FLAGS)

columns = re.search(r"```\n(record .*?)```", text.partition("## Columns of CSV")[2], re.DOTALL)
tap.equal(columns and columns.group(1).split(), csv_table.COLUMNS, "the columns of CSV")
held = set(csv_table.COLUMNS) | {"arguments", "pe_set"}
for kind in ("point", "result", "rounds"):
    members = set(schema["definitions"][kind]["properties"])
    tap.ok(members <= held, f"CSV holds every member of {kind} records", sorted(members - held))
order = [name for kind in ("point", "result", "rounds")
         for name in schema["definitions"][kind]["properties"] if name in csv_table.COLUMNS]
texts = [name for kind in ("point", "result", "rounds") for name, is_ in schema["definitions"][kind]["properties"].items()
         if is_.get("type") == "string" or "enum" in is_]
single = [name for name in dict.fromkeys(order) if name in [*records.NUMBERS, *records.COUNTS, *texts]
          and name not in ("block", "number", "function", "call")]
tap.equal([name for name in csv_table.COLUMNS if name in single], single,
          "single values stand in the order of the schema")
tap.equal(set(single) | {"block", "number", "function", "call"}, {*records.NUMBERS, *records.COUNTS, *texts},
          "what the reader takes for single values, are members of the schema")
tap.done()
