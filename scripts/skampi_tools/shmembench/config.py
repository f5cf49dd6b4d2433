"""Configuration files: a line of column names, where there is one, and a line a test."""

import re
from dataclasses import dataclass

CLASSES = {1: "put", 2: "get", 3: "collectives", 4: "synchronization", 5: "atomics",
           6: "nonblocking", 7: "contexts", 8: "locks", 9: "memory"}
LARGEST = 1 << 24  # elements times stride: a quarter of a GiB of the largest ones
FIELDS = ("test number", "class", "elements", "stride")
# What the names of these columns begin with, in words of a line without numbers.
NAMES = ("test", "class", "elem", "stride")
# Classes of which some or all routines have no number of elements: it may be 0.
WITHOUT_ELEMENTS = (3, 4, 5, 8)
# What a routine that needs the field has among its roles.
NEEDS = {"elements": "elements", "stride": "tst"}


@dataclass
class Test:
    number: int
    kind: int  # key of CLASSES
    elements: int
    stride: int
    where: str
    zeros: tuple = ()  # fields that are 0, so that routines which need them are not called

    def lacks(self, routine):
        """Why the test cannot call this routine; "": it can."""
        return next((f"test {self.number} has {field} 0" for field in self.zeros
                     if NEEDS[field] in routine.roles), "")

    @property
    def name(self):
        return f"test{self.number}_{CLASSES[self.kind]}"


class _Line:
    """One line of a file, and the first thing that is wrong with it."""

    def __init__(self, path, number, text):
        self.path, self.number, self.text = path, number, text
        content = text.partition("#")[0]
        self.words = [(match.start(), match.group()) for match in re.finditer(r"[^\s,;|]+", content)]
        self.end = len(content.rstrip())

    def error(self, column, text):
        shown = "".join(c if c.isprintable() or c == "\t" else "?" for c in self.text)
        below = "".join(c if c == "\t" else " " for c in shown[:column])
        return (f"{self.path}:{self.number}:{column + 1}: error: {text}\n"
                f"  {shown}\n  {below}^")

    def integer(self, index, smallest, largest):
        """The word as a number; raises ValueError with the whole message."""
        column, word = self.words[index]
        name = FIELDS[index]
        if not re.fullmatch(r"[-+]?[0-9]{1,18}", word):
            raise ValueError(self.error(column, f"{name}: {word} is not a whole number"))
        if not smallest <= int(word) <= largest:
            raise ValueError(self.error(column, f"{name}: {word} is not {smallest} to {largest}"))
        return int(word)

    def is_header(self):
        """Whether the line names columns: it has words of NAMES, and no number."""
        words = [word.lower() for _, word in self.words]
        return (not any(re.search(r"\d", word) for word in words)
                and any(name in word for word in words for name in NAMES))

    def check_header(self):
        """Raises ValueError where columns are named in another order than that of FIELDS."""
        words = [word.lower() for _, word in self.words]
        first = [next((place for place, word in enumerate(words) if name in word), None) for name in NAMES]
        known = [place for place in first if place is not None]
        if known != sorted(known):
            raise ValueError(self.error(self.words[0][0], f"columns are {', '.join(FIELDS)}, in this order"))

    def test(self):
        if len(self.words) < len(FIELDS):
            raise ValueError(self.error(self.end, f"{FIELDS[len(self.words)]} is missing: give "
                                                  f"{', '.join(FIELDS)}"))
        if len(self.words) > len(FIELDS):
            raise ValueError(self.error(self.words[len(FIELDS)][0],
                                        f"more than {', '.join(FIELDS)}"))
        number = self.integer(0, 0, 999999)
        kind = self.integer(1, 1, len(CLASSES))
        elements = self.integer(2, 0 if kind in WITHOUT_ELEMENTS else 1, LARGEST)
        stride = self.integer(3, 0, LARGEST)
        if elements * stride > LARGEST:
            raise ValueError(self.error(self.words[3][0], f"elements times stride is more than "
                                                          f"{LARGEST}"))
        zeros = tuple(name for name, value in (("elements", elements), ("stride", stride)) if not value)
        return Test(number, kind, max(1, elements), max(1, stride), f"{self.path}:{self.number}", zeros)


def read(paths):
    """The tests of all files, and the texts of all errors."""
    tests, errors = {}, []
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
        before = len(tests) + len(errors)
        first = True
        for number, text in enumerate(lines, 1):
            line = _Line(path, number, text.rstrip("\r"))
            if not line.words:
                continue
            is_header, first = first and line.is_header(), False
            try:
                if is_header:
                    line.check_header()
                    continue
                test = line.test()
            except ValueError as error:
                errors.append(str(error))
                continue
            if test.number in tests:
                errors.append(line.error(line.words[0][0], f"test {test.number} is there already: "
                                                           f"{tests[test.number].where}"))
            else:
                tests[test.number] = test
        if len(tests) + len(errors) == before:
            errors.append(f"{path}:{len(lines)}:1: error: no test: give lines of "
                          f"{', '.join(FIELDS)}")
    return list(tests.values()), errors
