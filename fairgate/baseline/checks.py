"""What can be said of the rules about a change before anything is asked."""

from collections.abc import Iterator

from fairgate.baseline.rules import demand, size_problem
from fairgate.config.compared import ComparisonRule
from fairgate.config.model import Config, FairnessSuite, RagSuite, SwapSuite
from fairgate.config.section import Where
from fairgate.results import Finding
from fairgate.wording import sentence


def too_small(suite: SwapSuite, cases: int, where: Where, confidence: float) -> Iterator[Finding]:
    """Limits on the rise of a flip rate that no result could keep, even if all cases of the suite were paired.

    :param cases: base cases of the suite
    """
    for position, rule in enumerate(suite.written_rules):
        if isinstance(rule, ComparisonRule) and demand(rule)[0] == "flip_rate":
            problem = size_problem(cases, demand(rule)[1], 1 - confidence)
            if problem is not None:
                message = f"rule {rule.id}: {problem}"
                yield Finding(severity="error", where=(*where, "rules", position), message=message)


def without_baseline(suite: SwapSuite | FairnessSuite | RagSuite, where: Where, config: Config) -> Iterator[Finding]:
    """Says what becomes of the rules over the change where the configuration names nothing to compare with."""
    rules = [place for place, rule in enumerate(suite.written_rules) if isinstance(rule, ComparisonRule)]
    if rules and config.baseline is None:
        message = sentence(
            "validate_no_baseline",
            rules=[suite.written_rules[place].id for place in rules],
            ignored=config.on_missing_baseline == "ignore",
        )
        yield Finding(severity="remark", where=(*where, "rules", rules[0]), message=message)


def as_written(finding: Finding, suite: SwapSuite | FairnessSuite | RagSuite, where: Where) -> Finding:
    """A finding about the n-th rule over this run alone, with that rule's place among all that are written."""
    inside = finding.where[len(where) :]
    if finding.where[: len(where)] != where or len(inside) < 2 or inside[0] != "rules":
        return finding
    own = [place for place, rule in enumerate(suite.written_rules) if not isinstance(rule, ComparisonRule)]
    return finding.model_copy(update={"where": (*where, "rules", own[int(inside[1])], *inside[2:])})
