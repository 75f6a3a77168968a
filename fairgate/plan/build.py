"""The plan of a run, put together from its suites; nothing is asked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack

from fairgate import gate
from fairgate.config.compared import compared_in
from fairgate.config.model import ChatSystem, Config, FairnessSuite, RagSuite
from fairgate.config.project import Project
from fairgate.parties import Parties, Placed, asked_by_system, build_parties, chosen
from fairgate.plan import calls as estimates
from fairgate.plan.compared import compared_plans
from fairgate.plan.forms import Plan, PlannedCalls, Range, RulePlan, Totals
from fairgate.plan.measured import NOTHING, Measured
from fairgate.plan.requests import asked_of_judge, asked_of_system
from fairgate.plan.rules import rag_plans, swap_plans
from fairgate.results import Calls
from fairgate.swap.harness import bases_expected
from fairgate.wording import sentence
from fairgate.world import World


def make_plan(project: Project, world: World, measured: Measured = NOTHING) -> Plan:
    """What a run of the project would take and what it could decide.

    :param measured: what calls took in an earlier run
    :raises FairgateError: a golden file or a prompt cannot be used
    """
    config, placed = project.config, chosen(project, None)
    with ExitStack() as stack:
        parties = build_parties(project, placed, world, stack)
        planned = [
            estimates.planned(calls, config, prompt, measured)
            for item in placed
            for calls, prompt in _calls(item, project, parties)
        ]
    rules = [rule for item in placed for rule in _rules(item, project)]
    totals = total(planned)
    return Plan(
        name=config.name,
        profile=project.scope.profile,
        calls=planned,
        totals=totals,
        rules=rules,
        budget=list(over_budget(config, totals)),
        method=list(_method(planned, measured)),
    )


def _calls(item: Placed, project: Project, parties: Parties) -> Iterator[tuple[Calls, float | None]]:
    """The calls of a suite, each with the tokens of a request where those are the model's that we name."""
    suite = item.suite
    prompts: dict[tuple[str, str], float | None] = {}
    counted = gate.plan_suite(item, project)
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import read  # noqa: PLC0415 - only where a suite asks for it

        judges = {name: parties.judges[name] for name in suite.judge_names}
        asked = asked_of_judge(suite, read(suite, project, item.where), judges)
        prompts = {(kind, name): tokens for name, tokens in asked.items() for kind in ("judge", "panel")}
    for calls in counted:
        if calls.kind == "system":
            yield calls, _prompt_of_system(item, calls.name, project, parties)
        elif calls.kind == "embeddings":
            yield calls, estimates.EMBEDDED_TEXTS
        else:
            yield calls, prompts.get((calls.kind, calls.name))


def _prompt_of_system(item: Placed, name: str, project: Project, parties: Parties) -> float | None:
    if not isinstance(project.config.systems[name], ChatSystem):
        return None
    return asked_of_system(asked_by_system(item, project)[name], parties.systems[name])


def _rules(item: Placed, project: Project) -> Iterator[RulePlan]:
    suite, confidence = item.suite, project.config.confidence
    if isinstance(suite, FairnessSuite):
        from fairgate.plan.parity import parity_plans  # noqa: PLC0415 - only where a suite asks for it

        yield from parity_plans(suite, project, item.where, confidence)
        cases = 0
    elif isinstance(suite, RagSuite):
        from fairgate.triad.suite import read  # noqa: PLC0415 - only where a suite asks for it

        samples = read(suite, project, item.where)
        yield from rag_plans(suite, samples, confidence)
        cases = len(samples)
    else:
        yield from swap_plans(suite, project, item.where, confidence)
        cases = bases_expected(suite, project, item.where) if compared_in(suite.written_rules) else 0
    yield from compared_plans(suite, cases, confidence)


# --- totals and budgets ----------------------------------------------------------------------------------------------


def total(planned: Sequence[PlannedCalls]) -> Totals:
    """Sums over everybody; a sum with an unknown part is unknown. One suite waits for the one before."""
    return Totals(
        calls=(sum(one.least for one in planned), sum(one.most for one in planned)),
        tokens=_sum(planned, lambda one: one.tokens, 0),
        cost_usd=_sum(planned, lambda one: one.cost_usd, 6),
        seconds=_sum(planned, lambda one: one.seconds, 1) or (0.0, 0.0),
    )


def _sum(planned: Iterable[PlannedCalls], of: Callable[[PlannedCalls], Range | None], digits: int) -> Range | None:
    ranges = [of(one) for one in planned]
    known = [found for found in ranges if found is not None]
    if len(known) < len(ranges):
        return None
    return round(sum(low for low, _ in known), digits), round(sum(high for _, high in known), digits)


def over_budget(config: Config, totals: Totals) -> Iterator[str]:
    """What will, or may, not be asked any more because a budget is spent."""
    for key, spent in (("max_calls", totals.calls), ("max_cost_usd", totals.cost_usd), ("max_seconds", totals.seconds)):
        limit = getattr(config, key)
        if limit is None:
            continue
        if spent is None:
            yield sentence("plan_budget", key=key, limit=limit, spent=None, surely=False)
        elif spent[1] > limit:
            yield sentence("plan_budget", key=key, limit=limit, spent=spent, surely=spent[0] > limit)


def _method(planned: Sequence[PlannedCalls], measured: Measured) -> Iterator[str]:
    if not planned:
        return
    facts = {
        "fixed": all(one.least == one.most for one in planned),
        "tokens": any(one.tokens is not None for one in planned),
        "unknown_tokens": sorted({one.name for one in planned if one.tokens is None}),
        "unpriced": sorted({one.name for one in planned if one.cost_usd is None}),
        "measured": measured is not NOTHING,
        "seconds": estimates.SECONDS,
        "command": estimates.SECONDS_OF_COMMAND,
        "completion": estimates.COMPLETION,
    }
    for part in ("calls", "tokens", "cost", "time"):
        if text := sentence("plan_method", part=part, **facts):
            yield text
