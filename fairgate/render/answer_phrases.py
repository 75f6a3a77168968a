"""Plain sentences about single answers: what was wrong with one, which claim has no source, how a panel voted."""

from collections.abc import Sequence

from fairgate.render.answers import Fault, dropped, unsettled
from fairgate.results import Claim, SuiteResult
from fairgate.wording import sentence

SIGNS = {True: "✓", False: "✗", None: "?"}
"""A context that a judge calls useful, useless, or did not judge."""

_MOST_CONTEXTS = 20


def fault(of: Fault) -> str:
    """What one metric of an answer came to, against which limit, and how the panel voted where it was asked."""
    return sentence(
        "triad_fault",
        fault=of,
        vector=vector(of.score.relevance or []),
        reason=reason(of.score.reason),
        panel=panel(of),
    )


def panel(of: Fault) -> str:
    """How the judges of a panel voted; empty where no panel was asked."""
    score = of.score
    if not score.arbitrated:
        return ""
    return sentence(
        "triad_panel",
        verdict=score.verdict,
        majority=score.majority or {},
        judges=score.judges,
        reasons=[reason(judge.reason) for judge in score.judges],
        limit=of.limit,
    )


def claim(of: Claim) -> str:
    """What speaks for or against a claim: the quote, and the votes where several judges voted."""
    return sentence("triad_claim", claim=of)


def vector(relevance: Sequence[bool | None]) -> str:
    """The verdicts on the contexts in the order in which they were retrieved: ``✗ ✓ ✓``; at most twenty of them."""
    shown = [SIGNS[verdict] for verdict in relevance[:_MOST_CONTEXTS]]
    return " ".join([*shown, "…"] if len(relevance) > _MOST_CONTEXTS else shown)


def reason(code: str | None) -> str:
    """A reason in words; empty when there is none."""
    return sentence("triad_reason", reason=code) if code else ""


def metric(name: str) -> str:
    """A metric in words."""
    return sentence("triad_metric", metric=name)


def cautions(suite: SuiteResult) -> list[str]:
    """What a reader has to know before the numbers: judges not asked as configured, scores that one judge decided."""
    told = [sentence("triad_dropped", judge=judge) for judge in dropped(suite)]
    near = unsettled(suite)
    return [*told, sentence("triad_unsettled", cases=near, band=suite.band)] if near else told
