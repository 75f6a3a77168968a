"""Who takes part in a run: the suites with their places, and everybody whom they ask, each built once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairgate import git
from fairgate.config.model import FairnessSuite, HarnessSuite, RagSuite, SwapSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.errors import UsageError
from fairgate.fingerprint import of_file, suite_inputs
from fairgate.models.engine import Engine, Keeping, Limits, Role
from fairgate.models.mask import Mask, secrets_of
from fairgate.models.protocol import Question, System
from fairgate.models.stop import Stop
from fairgate.withheld import Withheld
from fairgate.world import World

if TYPE_CHECKING:
    from fairgate.models.embeddings import Embedder
    from fairgate.swap.shown import ShownBase

# What asks a system is imported where a suite asks for it: judging decided cases takes no longer than reading them.


@dataclass(frozen=True)
class Placed:
    """A suite and the place in the file where it stands."""

    suite: SwapSuite | FairnessSuite | RagSuite
    where: Where


@dataclass(frozen=True)
class Parties:
    """Everybody who may be asked in a run, each built once.

    :param embedder: for suites that measure answer relevance; None where none does
    """

    systems: Mapping[str, System]
    judges: Mapping[str, System]
    embedder: "Embedder | None"

    def withheld(self, unset: Sequence[str]) -> "Parties":
        """The same, none of whom is asked anything.

        :param unset: variables that hold no secret; when there are none, everybody may be asked
        """
        if not unset:
            return self
        systems = {name: Withheld(system, unset) for name, system in self.systems.items()}
        return Parties(systems, {name: Withheld(judge, unset) for name, judge in self.judges.items()}, None)


def chosen(project: Project, only: str | None) -> list[Placed]:
    """The suites of the file with their places, or the one called ``only``.

    :raises UsageError: there is no suite of that name
    """
    placed = [Placed(suite, where) for where, suite in project.config.placed]
    if only is None:
        return placed
    named = [item for item in placed if item.suite.name == only]
    if not named:
        known = ", ".join(item.suite.name for item in placed) or "none"
        raise UsageError(f"--suite {only}: {project.file} has no suite of this name; it has: {known}")
    return named


def questions(project: Project, only: str | None = None) -> list[Question]:
    """Everything that would be asked, in order: what ``fairgate variants`` writes.

    :raises FairgateError: a golden file cannot be used
    """
    return [
        question
        for item in chosen(project, only)
        for asked in asked_by_system(item, project).values()
        for question in asked
    ]


def asked_by_system(item: Placed, project: Project) -> dict[str, list[Question]]:
    """Everything that one suite would ask, in order, by the name of the system: its own, then what it tries besides.

    :returns: nothing for a suite that asks no system
    :raises FairgateError: a golden file cannot be used
    """
    suite = item.suite
    if not isinstance(suite, HarnessSuite | RagSuite) or suite.system is None:
        return {}
    asked = {suite.system: list(questions_of(item, project))}
    if isinstance(suite, HarnessSuite) and suite.tried:
        from fairgate.swap.mitigations import planned  # noqa: PLC0415 - only where a suite asks for it

        for one in planned(suite, project, item.where):
            asked.setdefault(one.system, []).extend(one.questions)
    return asked


def shown_bases(project: Project, only: str | None, case: str | None, world: World) -> "list[ShownBase]":
    """What every swap suite asks its system about one base case: what ``fairgate variants --show`` prints.

    :param case: its id; None for the first of each suite
    :raises UsageError: no suite has it, or none asks a system
    :raises FairgateError: a golden file, or what would be asked, cannot be put together
    """
    from fairgate.swap.shown import shown_base  # noqa: PLC0415 - numpy and scipy are imported only where they are used

    narrowed = replace(project, case=case)
    placed = [item for item in chosen(project, only) if isinstance(item.suite, HarnessSuite)]
    with ExitStack() as stack:
        systems = build_parties(project, placed, world, stack).systems
        found = [
            shown_base(item.suite, narrowed, item.where, systems[item.suite.system])
            for item in placed
            if isinstance(item.suite, HarnessSuite)
        ]
    bases = [base for base in found if base is not None]
    if not bases:
        what = (
            f"--case {case}: no swap suite that asks a system has this case" if case else "no swap suite asks a system"
        )
        raise UsageError(f"{what}: there is nothing to show")
    return bases


def questions_of(item: Placed, project: Project) -> list[Question]:
    """Everything that one suite itself would ask its system, in order.

    :raises FairgateError: a golden file cannot be used
    """
    suite = item.suite
    if isinstance(suite, FairnessSuite):
        return []
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import questions_of  # noqa: PLC0415 - only where a suite asks for it

        return questions_of(suite, project, item.where)
    from fairgate.swap import harness  # noqa: PLC0415

    return [Question(variant.id, variant.fields) for variant in harness.questions(suite, project, item.where)]


def system_names(suite: SwapSuite | FairnessSuite | RagSuite) -> list[str | None]:
    """The systems that a suite asks, its own first, each once; None for a rag suite whose cases have the answers."""
    if isinstance(suite, HarnessSuite):
        return list(dict.fromkeys([suite.system, *(one.system or suite.system for one in suite.tried)]))
    return [suite.system] if isinstance(suite, RagSuite) else []


def build_engine(project: Project, world: World, keeping: Keeping | None = None, stop: Stop | None = None) -> Engine:
    """The engine of a run, with the limits of the configuration.

    :raises UsageError: the folder of the cache cannot be used
    """
    config = project.config
    limits = Limits(config.max_calls, config.max_cost_usd, config.max_seconds)
    kept = replace(keeping or Keeping(), max_age_s=config.cache.max_age)
    # Answers that a change can bring along are no evidence.
    if kept.cache is not None and git.is_tracked(project.root, kept.cache):
        kept = replace(kept, cache=None, passed_over=str(kept.cache))
    if kept.journal is not None and git.is_tracked(project.root, kept.journal):
        kept = replace(kept, resume=False)
    return Engine(world, limits, kept, stop, Mask(secrets_of(config, world.environ)))


def build_parties(
    project: Project, placed: Iterable[Placed], world: World, stack: ExitStack, engine: Engine | None = None
) -> Parties:
    """Whom the suites ask, each built once; ``stack`` closes them.

    :param engine: of the run that asks them; None when nobody is asked
    :raises FairgateError: somebody cannot be built as configured
    """
    config, suites = project.config, [item.suite for item in placed]
    asking = [name for suite in suites for name in system_names(suite)]
    if not asking:
        return Parties({}, {}, None)
    from fairgate.judges.build import build_judge  # noqa: PLC0415
    from fairgate.models.build import build_system  # noqa: PLC0415
    from fairgate.models.embeddings import build_embedder  # noqa: PLC0415

    engine = engine or build_engine(project, world)
    systems: dict[str, System] = {}
    for name in dict.fromkeys(name for name in asking if name is not None):
        system = build_system(config.systems[name], project, ("systems", name), world)
        systems[name] = engine.party(system, "system", name, config.systems[name])
        stack.callback(systems[name].close)
    rags = [suite for suite in suites if isinstance(suite, RagSuite)]
    judges: dict[str, System] = {}
    first = {suite.judge for suite in rags}
    for name in dict.fromkeys(name for suite in rags for name in suite.judge_names):
        judge = build_judge(config.judges[name], project, ("judges", name), world)
        embedded = judge.describe().get("embedded")  # what it says is no call to anybody
        role: Role = "judge" if name in first else "panel"
        judges[name] = judge if embedded else engine.party(judge, role, name, config.judges[name])
        stack.callback(judges[name].close)
    embedder = None
    if config.embeddings is not None and any("answer_relevance" in suite.metrics for suite in rags):
        embedder = build_embedder(config.embeddings, project, ("embeddings",), world, engine)
        stack.callback(embedder.close)
    return Parties(systems, judges, embedder)


def inputs_of(
    item: Placed, project: Project, parties: Parties, hashed: Callable[[Path], str] = of_file
) -> dict[str, str]:
    """What a suite rests on, part by part: see ``fairgate.fingerprint``."""
    suite = item.suite
    asked = {f"systems.{name}": parties.systems[name] for name in system_names(suite) if name is not None}
    if isinstance(suite, RagSuite):
        asked |= {f"judges.{name}": parties.judges[name] for name in suite.judge_names}
    return suite_inputs(project, suite, item.where, asked, hashed)
