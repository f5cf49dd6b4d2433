"""Opens whatever a tool is given: result files of any format, campaigns as DIR or DIR:CONFIGURATION, and folders of
result files. What speaks against them is said once, on standard error."""

import glob
import os

from . import doubt, results
from .campaign.directory import is_campaign, read_campaign
from .cli import Error


def at_most(most, said, kind=lambda result: result):
    """A function that takes the path and each Result of files while they are read: an Error with this text as soon as there
    are more results, or kinds of them, than anybody wants to look at."""
    kinds = set()

    def take(path, result):
        if (one := kind(result)) is not None:
            kinds.add(one)
        if len(kinds) > most:
            raise Error(f"{path}: more than {most} {said}")
    return take


def campaign_of(path):
    """(folder, configuration or None) of DIR or DIR:NAME; None for anything else."""
    if os.path.isdir(path):
        return path, None
    folder, colon, name = path.rpartition(":")
    return (folder, name) if colon and not os.path.exists(path) and os.path.isdir(folder) else None


def located(path):
    """The result file to read for a path: of a campaign its summary."""
    found = campaign_of(path)
    if not found:
        return path
    folder, name = found
    if not is_campaign(folder):
        raise Error(f"{folder}: not a file, and not the folder of a campaign: name a result file")
    summary = os.path.join(folder, *(["summaries", f"{name}.json"] if name else ["summary.json"]))
    if not os.path.isfile(summary):
        raise Error(f"{path}: there is no {summary}: give result files, or the folder of a campaign that "
                    "skampi campaign has finished")
    return summary


def short_names(paths, suffixes=True):
    """What files are called: their names, with as much of their folders as they need to differ."""
    parts = ["standard input" if path == "-" else os.path.abspath(path) for path in paths]
    parts = [(path if suffixes else os.path.splitext(path)[0]).split(os.sep) for path in parts]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-depth:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{part[-1]} ({number})" for number, part in enumerate(parts, 1)]


def one(path):
    """The ResultFile of a path, of a campaign its summary."""
    file = results.read(located(path))
    doubt.warn(file)
    return file


def launches(paths, warn=True, keeper=None):
    """The ResultFiles of paths, one a launch: files, the files of folders, and the launches of campaigns. keeper: as for
    results.read()."""
    files = []
    for path in paths:
        found = campaign_of(path)
        files += _in_folder(path, *found, keeper) if found else [results.read(path, keeper=keeper)]
    if warn:
        doubt.warn(*files)
    return files


def _in_folder(path, folder, configuration, keeper):
    if not is_campaign(folder):
        if configuration is not None:
            raise Error(f"{folder}: no campaign, so it has no configuration {configuration}")
        for pattern in ("*.json", "*.csv", "*.sko"):
            if found := sorted(glob.glob(os.path.join(glob.escape(folder), pattern))):
                return [results.read(name, keeper=keeper) for name in found]
        raise Error(f"{path}: there is no result file and no campaign in this directory")
    of = read_campaign(folder, None if configuration is None else [configuration], keeper)
    if configuration is None and len(of) > 1:
        raise Error(f"{folder}: this campaign has the configurations {', '.join(of)}: say which, as "
                    f"{folder}:{next(iter(of))}")
    name = configuration if configuration is not None else next(iter(of), None)
    if name not in of:
        raise Error(f"{folder}: there is no configuration {name}: it has {', '.join(of)}")
    if not of[name]:
        raise Error(f"{folder}: no launch of {name} is complete: resume the campaign")
    return of[name]
