"""What a campaign runs: its definition, from options or a file, checked and complete; the order of launches
and the command of each."""

import hashlib
import json
import os
import random
import re
import shlex
import shutil

from .. import launching
from ..cli import Error
from .directory import LAYOUT, NAME

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
MOST_LAUNCHES, MOST_PES = 9999, 100_000_000
ORDERS = ("abba", "random")


def _text(value, key, where):
    if not isinstance(value, str) or not value or "\0" in value:
        raise Error(f"{where}: {key}: give a text that is not empty")
    return value


def _number(value, key, where, least, most):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Error(f"{where}: {key}: give a whole number from {least} to {most}, "
                    f"not {json.dumps(value)}")
    return value


def _texts(value, key, where):
    if not isinstance(value, list):
        raise Error(f"{where}: {key}: give a list of texts")
    return [_text(item, key, where) for item in value]


def _sets(value, key, where):
    for item in _texts(value, key, where):
        name, equals, expression = item.partition("=")
        if not VARIABLE.match(name) or not equals or not expression:
            raise Error(f"{where}: {key} {item}: give NAME=EXPR")
    return value


def _environment(value, key, where):
    if not isinstance(value, dict):
        raise Error(f"{where}: {key}: give an object of texts by name")
    for name, text in value.items():
        if not VARIABLE.match(name):
            raise Error(f"{where}: {key} {name}: not the name of a variable")
        if not isinstance(text, str) or "\0" in text:
            raise Error(f"{where}: {key} {name}: give a text")
    return dict(value)


def _pes(value, key, where):
    return _number(value, key, where, 1, MOST_PES)


def _launch(value, key, where):
    return launching.template(_text(value, key, where), f"{where}: {key}", ("pes", "name", "launch"))


def check_launchers(definition):
    """Whether they are on this machine."""
    for configuration in definition["configurations"]:
        launcher = shlex.split(configuration["launch"])[0]
        if not shutil.which(launcher, path=configuration["environment"].get("PATH")):
            raise Error(f"configuration {configuration['name']}: launch: {launcher}: there is no such "
                        f"program; name the launcher of this machine, such as --launch 'srun -n {{pes}}'")


def _program(value, key, where):
    path = shutil.which(_text(value, key, where))
    if not path:
        raise Error(f"{where}: {key} {value}: there is no such program; build it with make, or name "
                    f"another")
    return os.path.abspath(path)


def environment_of(items):
    """{name: value} of --env."""
    for item in items:
        if "=" not in item:
            raise Error(f"--env {item}: give NAME=VALUE")
    return dict(item.partition("=")[::2] for item in items)


# What one configuration may say, and how that is checked.
CONFIGURATION = {"program": _program, "launch": _launch, "pes": _pes, "environment": _environment,
                 "set": _sets, "arguments": _texts}


def find_script(name):
    """As skampi looks for it: here, then among the shipped ones."""
    places = [name] if os.path.dirname(name) else [name, os.path.join(launching.SCRIPTS, "../inputs", name)]
    for place in places:
        if os.path.isfile(place):
            return os.path.realpath(place)
    raise Error(f"{name}: there is no such script")


def checksum(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def define(given, where):
    """A checked, complete definition from what was given (members as in a campaign file; where:
    what errors name). Top-level values hold for configurations that do not set them."""
    known = {"script", "launches", "order", "seed", "factor", "configurations", *CONFIGURATION}
    for key in given:
        if key not in known:
            raise Error(f"{where}: {key}: unknown; there are {', '.join(sorted(known))}")
    script = find_script(_text(given.get("script"), "script", where))
    order = given.get("order", ORDERS[0])
    if order not in ORDERS:
        raise Error(f"{where}: order {order}: give {' or '.join(ORDERS)}")
    common = {"program": launching.default_program(), "launch": launching.default_launch(), "pes": 2,
              "environment": {}, "set": [], "arguments": []}
    common.update({key: given[key] for key in CONFIGURATION if key in given})
    listed = given.get("configurations") or [{"name": "default"}]
    if not isinstance(listed, list) or not all(isinstance(c, dict) for c in listed):
        raise Error(f"{where}: configurations: give a list of objects")
    configurations, programs = [], {}
    for own in _with_factor(listed, given.get("factor"), where):
        configuration = _configuration(own, common, where)
        if any(configuration["name"] == other["name"] for other in configurations):
            raise Error(f"{where}: configuration {configuration['name']}: there are two of that name")
        configurations.append(configuration)
        programs[configuration["program"]] = checksum(configuration["program"])
    return {
        "campaign": LAYOUT,
        "script": {"path": script, "name": os.path.basename(script), "sha256": checksum(script)},
        "launches": _number(given.get("launches", 10), "launches", where, 1, MOST_LAUNCHES),
        "order": order,
        "seed": _number(given.get("seed", 1), "seed", where, 0, 2**63 - 1),
        "programs": programs,
        "configurations": configurations,
    }


# Bytes by which the environment is larger. The stack begins below it at a multiple of 16: these move it in its line, in
# its page, and to the next page.
PADDING = "ENVIRONMENT_PADDING"  # headers of results do not state it, as long as it is
PADDED = (0, 16, 1040, 2048, 4096)


def _with_factor(listed, factor, where):
    """The configurations, each in environments of all sizes if that is the factor."""
    if factor is None:
        return listed
    if factor != "environment":
        raise Error(f"{where}: factor {factor}: give environment; others are for skampi --factors")
    return [{**own, "name": f"{own.get('name')}+{size}",
             "environment": {**(own.get("environment") or {}), PADDING: "x" * size}}
            for own in listed for size in PADDED]


def _configuration(own, common, where):
    name = own.get("name")
    if not isinstance(name, str) or not NAME.match(name):
        raise Error(f"{where}: configuration {json.dumps(name)}: name it with at most 64 letters, "
                    f"digits and _ + - ., beginning with none of - .")
    here = f"{where}: configuration {name}"
    for key in own:
        if key != "name" and key not in CONFIGURATION:
            raise Error(f"{here}: {key}: unknown; there are {', '.join(CONFIGURATION)}")
    merged = {**common, **own}
    for key in ("set", "arguments"):
        merged[key] = CONFIGURATION[key](common[key], key, where) + \
            CONFIGURATION[key](own.get(key, []), key, here)
    merged["environment"] = {**_environment(common["environment"], "environment", where),
                             **_environment(own.get("environment", {}), "environment", here)}
    return {"name": name,
            **{key: check(merged[key], key, here) for key, check in CONFIGURATION.items()}}


def order_of_pass(definition, number):
    """The configurations in the order in which the pass (from 1) launches them. abba: as defined,
    and backwards in every second pass, so that over two passes every configuration has the same
    mean place in time and a linear drift cancels."""
    configurations = list(definition["configurations"])
    if definition["order"] == "random":
        random.Random(f"{definition['seed']}/{number}").shuffle(configurations)
    elif number % 2 == 0:
        configurations.reverse()
    return configurations


def command_of(definition, configuration, launch, output):
    """What one launch runs, as a list of words."""
    words = launching.words(configuration["launch"], pes=configuration["pes"], name=configuration["name"], launch=launch)
    words += [configuration["program"], "-i", definition["script"]["path"], "-o", output]
    for item in configuration["set"]:
        words += ["--set", item]
    return words + configuration["arguments"]


def command_text(words, environment):
    """The command as a line for a shell."""
    changes = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    return " ".join(changes + [shlex.quote(word) for word in words])
