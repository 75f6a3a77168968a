"""Mitigations: the same cases and people under another prompt or with fields masked, beside the suite as it is.

They are asked after everything that is judged, so that a budget that runs out starves them first, and decide nothing.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairgate.config.mitigation import AS_IT_IS
from fairgate.config.model import HarnessSuite, Mitigation
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.errors import ConfigError
from fairgate.models.pool import ask_all
from fairgate.models.protocol import Question, System
from fairgate.models.watch import Watch
from fairgate.results import Arm, Beside
from fairgate.stats.holm import adjusted
from fairgate.swap import harness
from fairgate.swap.answered import answered
from fairgate.swap.arms import arm, beside
from fairgate.swap.asked import request_for
from fairgate.swap.flips import swaps
from fairgate.swap.grid import Grid
from fairgate.swap.masking import masked, unknown_fields
from fairgate.swap.suite import Evidence, evidence_lines
from fairgate.swap.variants import CasePlan, Variant
from fairgate.world import World

Systems = Mapping[str, System]


@dataclass(frozen=True)
class Planned:
    """A mitigation and what it asks.

    :param system: the name of whom it asks
    :param where: its place in the configuration
    :param as_it_is: the variants of every case as the suite itself asks them
    :param plans: the same as the mitigation asks them
    :param fresh: the suite is asked past the cache, so its mitigations are too: both on the same day
    """

    tried: Mitigation
    system: str
    where: Where
    as_it_is: Sequence[CasePlan]
    plans: Sequence[CasePlan]
    fresh: bool = False

    @property
    def questions(self) -> list[Question]:
        """Everything that it asks, in order."""
        return [Question(variant.id, variant.fields, fresh=self.fresh) for case in self.plans for variant in case.grid]


@dataclass(frozen=True)
class Measured:
    """The rows of the table, the suite as it is first, and one line of evidence for every expected observation."""

    arms: list[Arm]
    evidence: list[dict[str, Any]]


def planned(suite: HarnessSuite, project: Project, where: Where) -> list[Planned]:
    """What the mitigations of a suite ask.

    :raises FairgateError: the golden file cannot be used, or has no field that is masked
    """
    if not suite.tried:
        return []
    plans = harness.plan(suite, project, where)
    found = []
    for number, tried in enumerate(suite.tried):
        offset = number - (suite.mask is not None)
        place = (*where, "mask") if offset < 0 else (*where, "mitigations", offset)
        at = place if offset < 0 else (*place, "mask")
        for name, message in unknown_fields(tried.mask or {}, plans):
            raise project.error((*at, name), message)
        masks = [masked(case, tried.name, tried.mask or {}) for case in plans]
        found.append(Planned(tried, tried.system or suite.system, place, plans, masks, fresh=suite.control > 0))
    return found


def prepare(suite: HarnessSuite, project: Project, where: Where, systems: Systems) -> None:
    """Find what is wrong with the mitigations of a suite before anybody is asked.

    :raises FairgateError: a question cannot be put together, or a mask changes nothing in what is asked
    """
    for one in planned(suite, project, where):
        harness.read_words(one.tried.outcome or suite.outcome, project, one.where)
        before, after = (
            [_request(systems[name], variant) for case in plans for variant in case.grid]
            for name, plans in ((suite.system, one.as_it_is), (one.system, one.plans))
        )
        if before == after and one.system == suite.system:
            message = (
                f"{one.tried.name}: what the system {one.system} is asked is the same as without it, so there is "
                "nothing to compare; mask fields that the prompt or request uses, or name another system"
            )
            raise ConfigError(str(project.error(one.where, message)))


def measure(  # noqa: PLR0913, PLR0917 - the seam: which suite, what came of it, whom to ask
    suite: HarnessSuite,
    project: Project,
    where: Where,
    as_it_is: Evidence,
    confidence: float,
    systems: Systems,
    world: World,
    watch: Watch,
) -> Measured:
    """Ask what the mitigations of a suite ask, and set them beside the suite as it is.

    :param as_it_is: what came of the suite itself
    :param confidence: 1 − α, of the intervals
    """
    tail = 1 - confidence
    two_sided = tail / (2 * max(len(suite.tried), 1))  # of each end of a range, for all mitigations together
    arms: list[Arm] = [arm(AS_IT_IS, suite.system, as_it_is, tail)]
    lines: list[dict[str, Any]] = []
    for one in planned(suite, project, where):
        asked = one.questions
        watch.start(f"{suite.name}: {one.tried.name}", len(asked))
        answers = ask_all(systems[one.system], asked, world, watch.on_answer)
        read_as = suite.model_copy(update={"outcome": one.tried.outcome or suite.outcome})
        words = harness.read_words(read_as.outcome, project, one.where)
        seen = answered(one.plans, read_as, answers, words)
        seen = replace(seen, responses=())
        row = arm(one.tried.name, one.system, seen, tail, mask=one.tried.mask or {})
        gone = unseen_axes(one.plans, seen.grid, systems[one.system].request)
        row = row.model_copy(
            update={"unseen": gone, "beside": beside(as_it_is.grid, seen.grid, two_sided)},
        )
        arms.append(row)
        lines += [{**line, "mitigation": one.tried.name} for line in evidence_lines(seen)]
    return Measured(_corrected(arms, tail), lines)


def unseen_axes(plans: Sequence[CasePlan], grid: Grid, request: Callable[[Question], Any]) -> list[str]:
    """Axes of which nothing is left in what is asked, in any case: swapping them alone changes no request.

    What flips along such an axis is the system's own noise.

    :param request: what a system is asked for a question
    """
    pairs = [swap for swap in swaps(grid) if swap.better < swap.worse]
    left: set[str] = set()
    for case in plans:
        asked = [_said(request(Question(case.case.id, variant.fields))) for variant in case.grid]
        left |= {swap.axis for swap in pairs if asked[swap.better] != asked[swap.worse]}
    return [axis for axis in grid.axes if axis not in left]


def _corrected(arms: Sequence[Arm], tail: float) -> list[Arm]:
    """The p-values of all mitigations of a suite together, by Holm's procedure.

    The bounds come from another exact test; a range never leaves out 0 where the p-value does not, so that the two
    cannot be read against each other.

    :param tail: α
    """
    found = [one.beside.p for one in arms if one.beside is not None]
    holm = iter(adjusted(found))
    return [
        one if one.beside is None else one.model_copy(update={"beside": _beside(one.beside, next(holm), tail)})
        for one in arms
    ]


def _beside(found: Beside, p: float, tail: float) -> Beside:
    lower, upper = found.interval
    shown = (lower, upper) if p <= tail else (min(lower, 0.0), max(upper, 0.0))
    return found.model_copy(update={"p_adjusted": p, "interval": shown})


def _request(system: System, variant: Variant) -> str:
    """What would be asked, as one text; under the case's id, so that ids make no difference."""
    return _said(request_for(system, variant))


def _said(request: Any) -> str:
    return json.dumps(request, sort_keys=True, default=str)
