"""What a comparison of result files consists of: verdicts, a row a point, and all of it."""

import math
import sys
from dataclasses import dataclass, field
from typing import NamedTuple

NAN = math.nan
SLOWER, FASTER, UNCHANGED, CANNOT_TELL, ONLY_OLD, ONLY_NEW = VERDICTS = (
    "slower", "faster", "unchanged", "cannot tell", "only old", "only new")
LAUNCH_SPREAD = 0.05  # seen between launches: 2 to 7 % for put and get
NO_RATIO = "not all values are above 0, so there is no ratio"


# A comparison has many rows, which take a quarter of the memory without a dict each.
@dataclass(**({"slots": True} if sys.version_info >= (3, 10) else {}))
class Row:
    """A point. Times in seconds (bytes where the quantity is bytes); NaN: nothing to state."""
    key: str             # what identifies it
    result: object       # a Result of it, of the old side if that has one
    block: str
    function: str
    quantity: str
    old: float           # median over launches (rounds, repetitions)
    new: float
    apart: str = ""      # what is stated of it, where others have the same label otherwise
    ratio: float = NAN   # new/old
    estimate: float = NAN  # the median of all ratios of a new to an old value, which says the direction
    low: float = NAN     # interval of the ratio, of this point alone, at confidence `reached`
    high: float = NAN
    reached: float = NAN
    few: str = ""        # why there is no interval: "too few launches (2 of at least 4)"
    p: float = NAN       # of no change, corrected for the number of points
    p_margin: float = NAN  # of being slower by no more than the margin, corrected
    over_margin: bool = False
    verdict: str = CANNOT_TELL
    reason: str = ""     # why you cannot tell
    unit: str = ""       # what was compared: launches, rounds, repetitions
    count_old: int = 0
    count_new: int = 0
    states: list = ()    # Rows, one a state, where states are compared one by one
    doubts_old: list = ()  # flags that make it doubtful
    doubts_new: list = ()
    overall: object = None     # a Row: what there is to say without a look at states; None: no states
    # Only in .states of another row:
    state: int = 0             # its number, the same on both sides
    text: str = ""             # "state 2 (hand-over 164 ns)"
    share_old: float = NAN     # of the point's rounds, or repetitions: in this state
    share_new: float = NAN

    def take(self, other):
        """The numbers of another Row, of the same point or of a part of it."""
        for name in ("old", "new", "ratio", "low", "high", "reached", "few", "p", "p_margin", "count_old", "count_new"):
            setattr(self, name, getattr(other, name))
        self.over_margin = False

    @property
    def label(self):
        """The point within its block."""
        return self.result.label() + self.apart

    @property
    def half_width(self):
        """Half the width of the ratio's interval."""
        return (self.high - self.low) / 2

    @property
    def share(self):
        """Half of the interval, as a share of the ratio; NaN: not known."""
        return self.half_width / self.ratio if self.ratio > 0 else NAN


class MissingPoint(NamedTuple):
    """A point that a side has no result of, in none of its launches, though one of them says why."""
    point: str
    text: str     # what, and what kind of missing
    reason: str
    old: bool     # missing on the old side
    new: bool
    failed: bool  # skampi ends with 3 for it


class SideState(NamedTuple):
    """A state that the files have in common, or that only one side has."""
    number: int
    text: str         # "state 2 (hand-over 164 ns)"
    share_old: float  # of the time of the old side's runs
    share_new: float


@dataclass
class Comparison:
    rows: list
    alpha: float
    margin: float
    same_within: float
    launch_spread: float
    seed: int
    unit: str            # of the rows: launches, rounds, repetitions; with commas where they differ
    files_old: list
    files_new: list
    labellings: int = 0  # that were tried
    exact: bool = False  # whether these are all
    states: list = field(default_factory=list)  # SideState, where any row has states
    differences: list = field(default_factory=list)  # of the configurations, in words
    cautions: list = field(default_factory=list)
    missing: list = field(default_factory=list)  # MissingPoint
    findings: list = field(default_factory=list)  # about the sides as a whole, in words
    application: object = None  # application.Application, where weights were given

    def count(self, verdict):
        return sum(row.verdict == verdict for row in self.rows)

    @property
    def over_margin(self):
        return [row for row in self.rows if row.over_margin]

    @property
    def can_tell(self):
        """Whether any point was judged: called slower, faster or unchanged."""
        return any(row.verdict in (SLOWER, FASTER, UNCHANGED) for row in self.rows)

    @property
    def agreement(self):
        """Whether the new side reproduces the old one: only if each point does."""
        if any(row.verdict in (SLOWER, FASTER) for row in self.rows):
            return "differs"
        alike = self.rows and not self.missing and all(row.verdict == UNCHANGED for row in self.rows)
        return "reproduced" if alike else CANNOT_TELL

    @property
    def worst(self):
        """The row that became slowest among those that are slower, or None."""
        slower = [row for row in self.rows if row.verdict == SLOWER]
        return max(slower, key=lambda row: row.ratio) if slower else None

    @property
    def summary(self):
        return {"points": len(self.rows), **{verdict: self.count(verdict) for verdict in VERDICTS}}
