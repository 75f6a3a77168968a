"""Newly flipped cases are asked once more before they are named: a noisy system flips some by chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairgate.baseline.compare import newly_flipped
from fairgate.baseline.load import Baseline, NoBaseline
from fairgate.config.compared import SwapComparison
from fairgate.config.model import FairnessSuite, HarnessSuite, RagSuite, RecordedSystem, SwapSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.models.protocol import Missing, Reply, System
from fairgate.models.watch import Watch
from fairgate.results import SuiteResult
from fairgate.world import World


@dataclass(frozen=True)
class Repeat:
    """What came of asking again.

    :param outcomes: base case to its outcomes, cell by cell; None when nothing was asked
    :param evidence: one JSON object for every answer expected
    """

    outcomes: Mapping[str, str] | None = None
    evidence: Sequence[Mapping[str, Any]] = ()
    answers: Sequence[Reply | Missing] = ()


def asked_again(  # noqa: PLR0913, PLR0917 - the seam: which suite, what came of it, whom to ask
    suite: SwapSuite | FairnessSuite | RagSuite,
    where: Where,
    result: SuiteResult,
    baseline: Baseline | NoBaseline | None,
    project: Project,
    systems: Mapping[str, System],
    world: World,
    watch: Watch,
) -> Repeat:
    """Ask the newly flipped cases of a suite once more, where a rule is about them and a system can be asked.

    Recorded answers and decisions made elsewhere cannot be asked again: there every new flip counts.
    """
    if not isinstance(suite, HarnessSuite) or not isinstance(baseline, Baseline):
        return Repeat()
    before = baseline.suite(result.name)
    ruled = any(isinstance(rule, SwapComparison) and rule.no_new_flips for rule in suite.written_rules)
    if before is None or not ruled or isinstance(project.config.systems[suite.system], RecordedSystem):
        return Repeat()
    cases = newly_flipped(before, result)
    if not cases:
        return Repeat()
    # Here there is a suite that was asked, so all of this is imported already.
    from fairgate.swap.harness import ask_again  # noqa: PLC0415
    from fairgate.swap.kept import signs  # noqa: PLC0415
    from fairgate.swap.suite import evidence_lines  # noqa: PLC0415

    evidence, answers = ask_again(suite, project, where, systems[suite.system], cases, world, watch)
    outcomes = {base.id: signs(base) for base in evidence.grid.bases}
    return Repeat(outcomes, evidence_lines(evidence), list(answers.values()))
