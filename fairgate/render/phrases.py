"""Plain sentences about a report, the same in every form; each form escapes them at its own boundary."""

from fairgate.render import answers, bar, facts
from fairgate.report import Report
from fairgate.results import Control, RuleResult, SuiteResult
from fairgate.verdict import Verdict
from fairgate.wording import sentence

SIGNS = {
    Verdict.PASS: "✅",
    Verdict.FAIL: "❌",
    Verdict.INSUFFICIENT_EVIDENCE: "🟡",
    Verdict.MANUAL_REVIEW: "👤",
}
"""Never the only carrier: the word stands beside it."""


def sign(verdict: Verdict) -> str:
    """One character for a verdict."""
    return SIGNS[verdict]


def word(verdict: Verdict, of: str = "rule") -> str:
    """A verdict in words, ``of`` a rule or of the whole ``run``."""
    return sentence("verdict_word", verdict=verdict, of=of)


def headline(report: Report) -> str:
    """What was found, on how many, against which limit: the sentence that is read first."""
    lowered = bar.headline(report)
    if lowered:
        return lowered
    lead = facts.leading(report)
    found = finding(lead.suite, lead.rule) if lead else sentence("finding", rule=None)
    waiting = facts.waiting(report)
    if waiting and report.verdict is Verdict.MANUAL_REVIEW and not facts.how_many(report, Verdict.MANUAL_REVIEW):
        suites = dict.fromkeys(item.suite.name for item in waiting)
        return f"{found.rstrip('.')}. {sentence('review_headline', suites=list(suites))}"
    rules = sum(len(suite.rules) for suite in report.suites)
    same = facts.how_many(report, report.verdict) - 1
    tail = sentence("headline_tail", verdict=report.verdict, rules=rules, same=same)
    return f"{found.rstrip('.')}. {tail}".rstrip()


def finding(suite: SuiteResult, rule: RuleResult) -> str:
    """What one rule found, without its verdict; begins in lower case, as after a colon."""
    return sentence(
        "finding",
        rule=rule,
        flips=suite.flips,
        suite=suite,
        rate=rate_name(rule),
        worst=_worst(rule),
        basis=basis(suite, rule),
        tally=_tally(suite, rule),
        embedded=answers.all_embedded(suite),
        judges=judges(suite),
    )


def _worst(rule: RuleResult) -> dict[str, str] | None:
    """The group that a floor or ceiling is about; None for other rules, and where all groups are equal."""
    worst = facts.worst_group(rule) if rule.metric == "worst_group" and not facts.all_equal(rule) else None
    return worst.group if worst else None


def rate_name(rule: RuleResult) -> str:
    """The rate of a rule in words."""
    return sentence("rate_name", rate=rule.rate)


def _tally(suite: SuiteResult, rule: RuleResult) -> answers.Tally | None:
    """How the answers of a rag suite stand for a rule; None for the other kinds."""
    return answers.tally(suite, rule) if suite.kind == "rag" and rule.metric in answers.METRICS else None


def measured(suite: SuiteResult, rule: RuleResult) -> str:
    """What a rule looks at, and between or in which groups."""
    return sentence("measured", rule=rule, rate=rate_name(rule), worst=_worst(rule), tally=_tally(suite, rule))


def basis(suite: SuiteResult, rule: RuleResult) -> str:
    """On how many a rule rests."""
    panel = [judge.name for judge in answers.of_role(suite, "panel")]
    facts_of_rag = {"tally": _tally(suite, rule), "judges": judges(suite, panel=False), "panel": panel}
    return sentence("basis", rule=rule, groups=rule.groups or [], cases=suite.counts.cases, **facts_of_rag)


def result(suite: SuiteResult, rule: RuleResult) -> str:
    """What came out, as one number; of answers, how many pass."""
    return sentence("result", rule=rule, tally=_tally(suite, rule))


def spread(rule: RuleResult) -> str:
    """The interval in which the truth is, by the rule's confidence; empty where the suite is all there is to know."""
    return sentence("spread", rule=rule)


def limit(rule: RuleResult) -> str:
    """What the result is held against: a limit, a floor or a ceiling."""
    return sentence("limit", rule=rule)


def counted(suite: SuiteResult) -> str:
    """What a suite was about: cases, answers, missing ones with their reasons, cases left out."""
    reasons = [missing_reason(reason, number) for reason, number in suite.counts.missing_reasons.items()]
    controls = sum(control.asked for control in suite.flips.responds) if suite.flips else 0
    idle = answers.not_scoreable(suite)
    return sentence(
        "counted",
        suite=suite,
        reasons=reasons,
        left_out=facts.left_out(suite),
        controls=controls,
        again=suite.flips.control.asked if suite.flips and suite.flips.control else 0,
        idle=sum(map(len, idle.values())),
        idle_reasons=[missing_reason(reason, len(ids)) for reason, ids in idle.items()],
        judges=judges(suite),
    )


def missing_reason(reason: str, number: int) -> str:
    """How many observations are missing for one reason."""
    return sentence("missing_reason", reason=reason, number=number)


def noise(report: Report) -> list[str]:
    """For each suite with changed decisions whose system differs by itself: how often, to be read before any flip."""
    found = {suite.name: suite.flips for suite in report.suites if suite.flips and suite.flips.flipped}
    return [
        f"{name}: {control(flips.control)}" for name, flips in found.items() if flips.control and flips.control.differed
    ]


def control(found: Control) -> str:
    """What the same call asked again gave, and the flips beyond it."""
    return sentence("swap_control", control=found)


def judges(suite: SuiteResult, *, panel: bool = True) -> str:
    """Who judged the answers of a suite, each with its model; an embedded judge says what it is. Empty for none.

    :param panel: whether to name the panel too
    """
    named = [sentence("triad_judge", judge=judge) for judge in answers.of_role(suite, "judge")]
    settling = [sentence("triad_judge", judge=judge) for judge in answers.of_role(suite, "panel") if panel]
    return sentence("triad_judges", judges=named, panel=settling) if named else ""
