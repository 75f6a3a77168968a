"""A control over recorded answers: nobody but the client knows whether the repeats were really asked."""

from collections.abc import Iterator

from fairgate.config.model import RecordedSystem, SwapSuite
from fairgate.config.project import Project
from fairgate.config.swap import HarnessSuite
from fairgate.results import Remark
from fairgate.swap.grid import Control
from fairgate.swap.suite import Evidence
from fairgate.wording import sentence


def recorded_remarks(suite: SwapSuite, project: Project, evidence: Evidence | None = None) -> Iterator[Remark]:
    """Says so where the answers of a suite with a control are recorded.

    :param evidence: what came of it; None where nothing was read yet
    """
    if not isinstance(suite, HarnessSuite) or not suite.control:
        return
    if isinstance(project.config.systems[suite.system], RecordedSystem):
        control = evidence.control if evidence is not None else None
        identical = len(control.bases) if evidence and control and _copies(evidence, control) else None
        message = sentence("swap_recorded_control", system=suite.system, identical=identical)
        yield Remark(code="recorded_control", message=message)


def _copies(evidence: Evidence, control: Control) -> bool:
    """Whether every repeat of every base came and is its first answer to the letter."""
    return all(
        again.answer is not None and again.answer == base.cells[repeats.cell][0].answer
        for base, repeats in zip(evidence.grid.bases, control.bases, strict=True)
        for again in repeats.again
    )
