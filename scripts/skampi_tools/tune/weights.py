"""How much a point counts: what an application spends in it."""

from ..cli import Error, read_json


class Weights:
    """of: {key of a point, or name of a function: weight}; None: all points count alike."""

    def __init__(self, of=None):
        self.given = of

    def of(self, result):
        if self.given is None:
            return 1.0
        return self.given.get(result.key, self.given.get(str(result.function), 0.0))


def read(path):
    """Of a JSON object {"weights": {point or function: number}}."""
    value = read_json(path)
    given = value.get("weights") if isinstance(value, dict) else None
    if not isinstance(given, dict) or not given:
        raise Error(f"{path}:1: give an object whose \"weights\" have numbers by point or function")
    for name, weight in given.items():
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight < 1e30:
            raise Error(f"{path}: {name}: give a number from 0")
    return Weights(given)
