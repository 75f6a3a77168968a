"""Good, bad or not known, before and now: the one table that every comparison goes by."""

from enum import Enum

from fairgate.results import CaseScore
from fairgate.verdict import Verdict


class State(Enum):
    """How one thing stands in one run: a base case (bad: it flips), a rule or a score (bad: it fails)."""

    GOOD = "good"
    BAD = "bad"
    OPEN = "open"
    """Missing evidence, or numbers that settle nothing."""


class Change(Enum):
    """What became of one thing between two runs."""

    NEW = "new"
    """Good before, bad now."""
    GONE = "gone"
    """Bad before, good now."""
    STILL = "still"
    """Bad both times."""
    OPEN = "open"
    """Newly bad or not: what would tell is missing."""
    NOT_WORSE = "not worse"
    """Everything else: it cannot be newly bad, whatever is missing."""


def change(before: State, now: State) -> Change:
    """What became of one thing. Hiding a run's evidence moves its state to OPEN and nowhere else, and so moves a change
    to OPEN or leaves ``not newly bad`` as it is: it never makes something newly bad, nor keeps it from being so."""
    if before is State.GOOD and now is State.BAD:
        return Change.NEW
    if before is not State.BAD and now is not State.GOOD:
        return Change.OPEN
    if before is State.BAD and now is State.BAD:
        return Change.STILL
    return Change.GONE if (before, now) == (State.BAD, State.GOOD) else Change.NOT_WORSE


def flip_state(signs: str) -> State:
    """Of a base case by its outcomes: two that disagree are a flip, whatever is missing besides."""
    if len(set(signs) - {"?"}) > 1:
        return State.BAD
    return State.OPEN if "?" in signs or not signs else State.GOOD


def rule_state(underlying: Verdict) -> State:
    """Of a rule by its numbers alone, before any review."""
    return {Verdict.PASS: State.GOOD, Verdict.FAIL: State.BAD}.get(underlying, State.OPEN)


IDLE = ("no_claims", "empty_answer")
"""Reasons for which there is nothing to score in an answer."""


def is_idle(score: CaseScore) -> bool:
    """Whether there was nothing to score."""
    return score.score is None and score.interval is None and score.reason in IDLE


def score_state(score: CaseScore) -> State:
    """Of one metric of a case. An answer that claims nothing breaks no limit."""
    if is_idle(score):
        return State.GOOD
    return rule_state(score.verdict) if score.verdict is not None else State.OPEN
