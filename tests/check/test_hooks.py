#!/usr/bin/env python3
"""Hooks of descriptors are called from one file of the engine, whose head states in which order, and functions can take
each member of a descriptor from others."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support", "lib"))
from harness import ROOT, Tap, read_text

ENGINE = os.path.join("src", "engine")
CALLER = "trial.c"


def read(name):
    return read_text(ROOT, ENGINE, name)


tap = Tap()
descriptor = re.search(r"^struct measurement \{.*?^\};", read("measurement.h"), re.MULTILINE | re.DOTALL).group()
hooks = re.findall(r"\(\*(\w+)\)\(", descriptor)
tap.ok({"setup", "run", "teardown"} < set(hooks), "the hooks are found", hooks)
CALL = re.compile(rf"(?:->|\.)({'|'.join(hooks)})\(")
calls = {name: set(CALL.findall(read(name))) for name in sorted(os.listdir(os.path.join(ROOT, ENGINE)))
         if name.endswith((".c", ".h"))}
tap.equal(calls.pop(CALLER), set(hooks), f"{CALLER} calls each of them")
tap.equal({name: found for name, found in calls.items() if found}, {}, "no other file calls any")
head = read(CALLER).partition("*/")[0]
tap.equal([hook for hook in hooks if not re.search(rf"\b{hook}\b", head)], [], f"the head of {CALLER} names each")

# What functions can take from those that they are like.
plain = re.sub(r"/\*.*?\*/", "", descriptor, flags=re.DOTALL)
variables = [re.search(r"(\w+)\s*(?:\[\w+\])?\s*$", part) for statement in plain.partition("{")[2].split(";")
             if "(*" not in statement for part in statement.split(",")]
members = {found.group(1) for found in variables if found} | set(hooks)
taken = set(re.findall(r"\bMEMBER\((\w+)\)[,}]", read("functions.c")))
tap.equal(members - taken, {"name", "like"}, "functions take all members from others, apart from these")
tap.equal(taken - members, set(), "and nothing that is none")
tap.done()
