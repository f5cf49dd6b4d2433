"""What a campaign runs: its definition, from options or a file, checked and complete; the order of launches
and the command of each."""

import hashlib
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import tempfile

from .. import cli, launching, users_json
from ..cli import Error
from .directory import LAYOUT, NAME

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
MOST_LAUNCHES, MOST_PES = 9999, 100_000_000
ORDERS = ("abba", "random")


def _sets(value):
    for entry in value.entries("texts", empty=True):
        name, equals, expression = entry.text().partition("=")
        if not VARIABLE.match(name) or not equals or not expression:
            entry.refuse(f"{entry.content}: give NAME=EXPR")
    return value.content


def _environment(value):
    return {name: text.text(empty=True) if VARIABLE.match(name) else text.refuse("not the name of a variable")
            for name, text in value.members().items()}


def check_launchers(definition):
    """Whether they are on this machine."""
    for configuration in definition["configurations"]:
        launcher = shlex.split(configuration["launch"])[0]
        if not shutil.which(launcher, path=configuration["environment"].get("PATH")):
            raise Error(f"configuration {configuration['name']}: launch: {launcher}: there is no such "
                        f"program; name the launcher of this machine, such as --launch 'srun -n {{pes}}'")


def _program(value):
    path = shutil.which(value.text())
    if not path:
        value.refuse(f"{value.content}: there is no such program; build it with make, or name another")
    return os.path.abspath(path)


def environment_of(items):
    """{name: value} of --env."""
    for item in items:
        if "=" not in item:
            raise Error(f"--env {item}: give NAME=VALUE")
    return dict(item.partition("=")[::2] for item in items)


# What one configuration may say, and how that is checked.
CONFIGURATION = {"program": _program, "launch": lambda value: launching.template(value, ("pes", "name", "launch")),
                 "pes": lambda value: value.whole(1, MOST_PES), "environment": _environment, "set": _sets,
                 "arguments": lambda value: value.texts()}


def find_script(name, folder=None):
    """As skampi looks for it: here, then among the shipped ones. folder: where to look first."""
    places = [name] if os.path.dirname(name) else [name, os.path.join(launching.SCRIPTS, "../inputs", name)]
    if folder:
        places.insert(0, os.path.join(folder, name))
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


def define(given, launches=None, folder=None):
    """A checked, complete definition. given: the users_json.Value of a campaign file, or of options with the same members. Those
    on top hold for configurations that do not set them. launches: instead of the given ones. folder: of the script."""
    top = given.members(("script",), ("launches", "order", "seed", "factor", "configurations", *CONFIGURATION))
    script = find_script(top["script"].text(), folder)
    order = top["order"].one_of(ORDERS) if "order" in top else ORDERS[0]
    factor = top["factor"].must(top["factor"].content == "environment",
                                "environment (others are for skampi --factors)") if "factor" in top else None
    common = {"program": launching.default_program(), "launch": launching.default_launch(), "pes": 2,
              "environment": {}, "set": [], "arguments": []}
    common.update({key: check(top[key]) for key, check in CONFIGURATION.items() if key in top})
    suffix = f"+{PADDED[-1]}" if factor else ""
    listed = [_configuration(own, common, suffix) for own in
              (top["configurations"].entries("objects") if "configurations" in top else ())] or [{"name": "default", **common}]
    for place, configuration in enumerate(listed):
        if any(configuration["name"] == other["name"] for other in listed[:place]):
            top["configurations"].entries("objects")[place].refuse(f"{configuration['name']}: there are two of that name")
    configurations = listed if not factor else [
        {**own, "name": f"{own['name']}+{size}", "environment": {**own["environment"], PADDING: "x" * size}}
        for own in listed for size in PADDED]
    programs = {}
    for configuration in configurations:
        configuration["program"] = _program(users_json.of(configuration["program"], "program"))
        programs[configuration["program"]] = checksum(configuration["program"])
    return {
        "campaign": LAYOUT,
        "script": {"path": script, "name": os.path.basename(script), "sha256": checksum(script)},
        "launches": launches or (top["launches"].whole(1, MOST_LAUNCHES) if "launches" in top else 10),
        "order": order,
        "seed": top["seed"].whole(0, 2**63 - 1) if "seed" in top else 1,
        "programs": programs,
        "configurations": configurations,
    }


# Bytes by which the environment is larger. The stack begins below it at a multiple of 16: these move it in its line, in
# its page, and to the next page.
PADDING = "ENVIRONMENT_PADDING"  # headers of results do not state it, as long as it is
PADDED = (0, 16, 1040, 2048, 4096)


def _configuration(given, common, suffix):
    name = given.members(("name",))["name"]
    name.must(isinstance(name.content, str) and NAME.match(name.content + suffix),
              "at most 64 letters, digits and _ + - ., beginning with none of - .")
    given.name = f"configuration {name.content}"
    own = {key: CONFIGURATION[key](value) for key, value in given.members(("name",), CONFIGURATION).items() if key != "name"}
    return {"name": name.content, **common, **own,
            "environment": {**common["environment"], **own.get("environment", {})},
            **{key: common[key] + own.get(key, []) for key in ("set", "arguments")}}


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


def estimate(definition, arguments=(), longest=600):
    """(the record of what skampi estimates for a launch of the first configuration, "") or (None, why not)."""
    own = definition["configurations"][0]
    words = ["env", *(f"{name}={value}" for name, value in own["environment"].items()),
             *command_of(definition, own, 1, os.devnull), *arguments, "--estimate", "--format", "json"]
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        try:
            status = launching.run(words, log, longest)
        except subprocess.TimeoutExpired:
            return None, f"takes more than {longest} s"
        with open(log, encoding="utf-8", errors="replace") as file:
            said = file.read()
    found = [line for line in said.splitlines() if line.startswith('{"record":"estimate"')]
    if found and status in (0, 3):  # 3: something here is unsupported
        return json.loads(found[0]), ""
    return None, f"failed with exit status {status}: {cli.error_line(said)[:300]}"
