"""The course of a tuning: search, choice, proof, repair, and what is written."""

import hashlib
import json
import os
import time

from .. import cli
from ..campaign.keeping import open_directory, write_json
from . import openmpi, output, proof as proving, rules, search as searching

SEARCH_SHARE = 0.6  # share of the time limit that the search may take; the proof needs the rest
MOST_PROOFS = 3
NOT_PROVEN, TIME = 3, 4
WRITTEN, UCX = "tuned", "ucx.conf"   # files with settings: how their names begin; the name of UCX's, which UCX prescribes


class Tuning:
    def __init__(self, given, common, directory):
        self.given, self.common, self.directory = given, common, directory
        self.begun = time.monotonic()
        self.proofs = []

    def _left(self, share=1.0):
        limit = self.given.time_limit
        return None if limit is None else max(0.0, share * limit - (time.monotonic() - self.begun))

    def search(self, choices, definition, weights):
        folder = os.path.join(self.directory, "search")
        os.makedirs(self.directory, exist_ok=True)
        lock = open_directory(folder, definition)
        self.found = searching.Search(choices, definition, folder, self.given, weights)
        self.found.run(self.given.quiet, self._left(SEARCH_SHARE), self.given.timeout)
        lock.release()

    def prove(self, chosen):
        """0, or the status with which the tuning ends."""
        while not chosen.empty and len(self.proofs) < MOST_PROOFS:
            settings = json.dumps([list(chosen.files("").values()), chosen.environment(""), chosen.sets()])
            # Other settings get another folder: no launch of an earlier choice counts for them.
            folder = os.path.join(self.directory, f"proof-{hashlib.sha256(settings.encode()).hexdigest()[:8]}")
            for path, text in chosen.files(folder).items():
                cli.replace_text(path, text)
            environment = chosen.environment(folder)
            definition = proving.define(self.common, self.given.proof, environment, chosen.sets())
            proof, run = proving.prove(folder, definition, environment, self.given, quiet=self.given.quiet,
                                       time_limit=self._left(), longest=self.found.run_of.longest)
            if not proof:  # it has not come to its end
                return TIME if run.stopped == "time" else 128 + run.stopped if run.stopped else NOT_PROVEN
            self.proofs.append(proof)
            if proof.not_in_force:
                return NOT_PROVEN
            if not proof.worse and not chosen.unconfirmed(proof):
                return 0
            chosen.go_back(proof)
        return 0 if chosen.empty else NOT_PROVEN

    def write(self, chosen, status):
        """tune.json, tune.html and, if they are proven, the settings. Others that are there from before go."""
        files, environment = {}, {}
        for name in os.listdir(self.directory):
            if name.startswith((f"{WRITTEN}.", f"{WRITTEN}-6.")) or name == UCX:
                os.remove(os.path.join(self.directory, name))
        if status == 0 and not chosen.empty:
            stem = os.path.join(os.path.abspath(self.directory), WRITTEN)
            environment = chosen.environment(stem)
            files = {**chosen.files(stem), f"{stem}.env": rules.environment_text(environment)}
            if self.given.json and chosen.tables:
                files[f"{stem}-6.json"] = openmpi.json_of(chosen.tables)
            if text := rules.ucx_text(environment):
                files[os.path.join(os.path.dirname(stem), UCX)] = text
            for path, text in files.items():
                cli.replace_text(path, text)
        value = output.as_json(chosen, self.found, self.proofs, list(files), environment, self.given)
        write_json(os.path.join(self.directory, "tune.json"), value)
        cli.replace_text(os.path.join(self.directory, "tune.html"), output.page(value))
        if not self.given.quiet:
            print(output.as_text(value), end="")
            print(f"page: {os.path.join(self.directory, 'tune.html')}")


def tune(given, choices, common, definition, directory, weights):
    tuning = Tuning(given, common, directory)
    tuning.search(choices, definition, weights)
    stopped = tuning.found.stopped
    if stopped and stopped != "time":
        cli.say("interrupted: the same command goes on")
        return 128 + stopped
    chosen = proving.Proposal(tuning.found.races, weights, given.tolerance)
    status = tuning.prove(chosen)
    if status > 128:
        return status
    if status == 0 and stopped and not tuning.proofs:
        status = TIME
    tuning.write(chosen, status)
    if status == TIME or stopped:
        cli.say("stopped by the time limit: the same command goes on")
    return status
