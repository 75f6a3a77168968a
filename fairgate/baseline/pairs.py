"""Which cases stand for the same case in two runs: the same id, the same text, the same people."""

from dataclasses import dataclass

from fairgate.baseline.states import State, flip_state
from fairgate.comparison import ChangedCase
from fairgate.results import BaseOutcomes, CaseResult, Outcomes

_FLIPS = {State.BAD: True, State.GOOD: False, State.OPEN: None}


@dataclass(frozen=True)
class Pairs:
    """The base cases of a swap suite, paired.

    :param same: (before, now) of every case that both runs expected, in the order of this run
    :param changed: those whose text or people changed: never paired
    :param added: ids that only this run has
    :param removed: ids that only the baseline has
    :param apart: cases of this run that have no pair and flip, or may
    """

    same: list[tuple[BaseOutcomes, BaseOutcomes]]
    changed: list[ChangedCase]
    added: list[str]
    removed: list[str]
    apart: int = 0


def pair_bases(before: Outcomes, now: Outcomes) -> Pairs:
    """Pair the base cases of two runs.

    Where a run expected bases of which not even the id is known, a case that it seems to lack may be one of them: it is
    paired with nothing observed, so that a lost row cannot take a case out of the comparison.
    """
    old, new = ({base.case: base for base in found.bases} for found in (before, now))
    same: list[tuple[BaseOutcomes, BaseOutcomes]] = []
    changed: list[ChangedCase] = []
    for base in now.bases:
        earlier = old.get(base.case)
        what = _difference(earlier, base) if earlier else None
        if earlier is None:
            continue
        if what is None:
            same.append((earlier, base))
        else:
            flipped = _FLIPS[flip_state(base.outcomes)]
            changed.append(ChangedCase.model_validate({"case": base.case, "what": what, "flipped": flipped}))
    added = [base for base in now.bases if base.case not in old]
    removed = [base for base in before.bases if base.case not in new]
    if before.absent:
        same += [(_unseen(base, before), base) for base in added]
        added = []
    if now.absent:
        same += [(base, _unseen(base, now)) for base in removed]
        removed = []
    apart = sum(case.flipped is not False for case in changed)
    apart += sum(flip_state(base.outcomes) is not State.GOOD for base in added)
    return Pairs(same, changed, [base.case for base in added], [base.case for base in removed], apart)


def same_groups(before: Outcomes, now: Outcomes) -> bool:
    """Whether two runs swapped the same levels of the same axes; in which order is of no matter."""
    return _groups(before) == _groups(now)


def same_text(before: CaseResult, now: CaseResult) -> bool:
    """Whether an answer of a rag suite is to the same question; where that is not known, by its words."""
    if before.text is None or now.text is None:
        return before.question == now.question
    return before.text == now.text


def _difference(before: BaseOutcomes, now: BaseOutcomes) -> str | None:
    if before.text != now.text:
        return "text"
    return None if before.people == now.people else "people"


def _unseen(base: BaseOutcomes, where: Outcomes) -> BaseOutcomes:
    signs = "?" * sum(cell.observations for cell in where.cells)
    return base.model_copy(update={"outcomes": signs})


def _groups(outcomes: Outcomes) -> set[frozenset[tuple[str, str]]]:
    return {frozenset(cell.group.items()) for cell in outcomes.cells}
