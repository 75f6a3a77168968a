"""What the report keeps of every outcome, so that a later run can be compared with it case by case."""

from collections.abc import Iterator

from fairgate.results import BaseOutcomes, OutcomeCell, Outcomes, Remark
from fairgate.swap.grid import Base, Grid
from fairgate.wording import sentence

MOST_BASES = 20_000
"""Base cases that are kept one by one: with four variants each some 3 MB of ``report.json``."""

NAMELESS = "(absent base "
"""How the name of an expected base begins of which only the number is known (``expected: {cases: N}``)."""

_SIGNS = {"positive": "+", "negative": "-", "refusal": "r", None: "?"}


def outcomes(grid: Grid) -> Outcomes | None:
    """One sign for every expected observation; None where there is no base, or more than ``MOST_BASES``."""
    if not 0 < len(grid.bases) <= MOST_BASES:
        return None
    sizes = [len(cell) for cell in grid.bases[0].cells]
    named = [base for base in grid.bases if not base.id.startswith(NAMELESS)]
    return Outcomes(
        cells=[
            OutcomeCell(group=dict(group), observations=size) for group, size in zip(grid.cells, sizes, strict=True)
        ],
        bases=[BaseOutcomes(case=base.id, text=base.text, people=base.people, outcomes=signs(base)) for base in named],
        absent=len(grid.bases) - len(named),
    )


def signs(base: Base) -> str:
    """The outcomes of a base, cell by cell: ``+``, ``-``, ``r`` and ``?``."""
    return "".join(_SIGNS[observation.kind] for observation in base.observations)


def too_many(grid: Grid) -> Iterator[Remark]:
    """Says that no later run can be compared with this one, where that is so."""
    if len(grid.bases) > MOST_BASES:
        message = sentence("swap_not_kept", cases=len(grid.bases), most=MOST_BASES)
        yield Remark(code="outcomes_not_kept", message=message)
