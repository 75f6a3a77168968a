"""Reports drawn by hand: a word per base case, a sign per variant (``+`` positive, ``-`` negative, ``r`` refused, ``?``
missing)."""

from collections.abc import Mapping, Sequence
from typing import Any

from fairgate.config.model import SwapComparison, SwapRule
from fairgate.config.swap import Design
from fairgate.report import Evidence as Counted
from fairgate.report import Git, Report
from fairgate.results import CaseResult, CaseScore, Counts, JudgeInfo, RuleResult, SuiteResult
from fairgate.swap.grid import Base, Grid, Group, Observation, cells_of
from fairgate.swap.suite import Evidence, judge
from fairgate.verdict import Verdict, worst

GENDER = {"gender": ("male", "female")}
SIGNS = {"+": True, "-": False, "r": False, "?": None}
FLIPS = SwapRule(id="flips", max_flip_rate=0.5)
WHEN = "2026-11-29T08:00:00Z"


def words(drawing: str) -> list[str]:
    """``"++*3 +-"``: four bases."""
    pairs = [part.partition("*") for part in drawing.split()]
    return [word for word, _, times in pairs for _ in range(int(times or 1))]


def swap_suite(
    drawing: str,
    *,
    axes: Mapping[str, tuple[str, ...]] = GENDER,
    design: Design = "full",
    rules: Sequence[SwapRule] = (FLIPS,),
    text: Mapping[str, str] | None = None,
    people: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
    name: str = "screen",
) -> SuiteResult:
    found = swap_grid(drawing, axes, design, text=text, people=people, names=names)
    return judge(name, rules, Evidence(found), 0.95, system="loan")


def swap_grid(
    drawing: str,
    axes: Mapping[str, tuple[str, ...]] = GENDER,
    design: Design = "full",
    *,
    text: Mapping[str, str] | None = None,
    people: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
) -> Grid:
    """The grid of a drawing, its signs in the order of the cells."""
    drawn, cells = words(drawing), cells_of(axes, design)
    ids = names or [f"c{number}" for number in range(1, len(drawn) + 1)]
    bases = [
        Base(id, _cells(id, word, cells), (text or {}).get(id, "text"), (people or {}).get(id, "people"))
        for id, word in zip(ids, drawn, strict=True)
    ]
    return Grid(axes, tuple(bases), design)


def _cells(id: str, word: str, cells: Sequence[Group]) -> tuple[tuple[Observation, ...], ...]:
    return tuple(
        (
            Observation(
                f"{id}|{number}",
                id,
                group,
                SIGNS[sign],
                answer={"+": "YES", "-": "NO", "r": "No comment."}.get(sign),
                refused=sign == "r",
            ),
        )
        for number, (group, sign) in enumerate(zip(cells, word, strict=True))
    )


def comparison(**keys: Any) -> SwapComparison:
    return SwapComparison(id="change", **keys)


def rag_suite(
    scores: Mapping[str, float | tuple[float, float] | str | None], limit: float = 0.8, **keys: Any
) -> SuiteResult:
    """A suite of answers; a text is the reason for which there is nothing to score, None a score that did not come."""
    found = {id: {"faithfulness": _score(value, limit)} for id, value in scores.items()}
    cases = [
        CaseResult(id=id, verdict=None, text=id, question=id, answer="a", scores=score) for id, score in found.items()
    ]
    verdicts = [score for case in cases if (score := case.scores["faithfulness"].verdict)]
    verdict = worst(verdicts)
    rule = RuleResult(
        id="faithful", verdict=verdict, underlying=verdict, reasons=[], message="m", metric="faithfulness", limit=limit,
        estimate=None, interval=(0, 1), confidence=0.95, require="all",
    )  # fmt: skip
    judge = JudgeInfo(name="fast", type="openai", model="m", role="judge")
    counts = Counts(cases=len(cases), expected=len(cases), observed=len(cases), missing=0)
    suite = SuiteResult(
        name="bot", kind="rag", verdict=verdict, counts=counts, rules=[rule], cases=cases, judges=[judge], band=0.0
    )
    return suite.model_copy(update=keys)


def _score(found: float | tuple[float, float] | str | None, limit: float) -> CaseScore:
    if isinstance(found, str):
        return CaseScore(score=None, interval=None, verdict=None, reason=found)
    if found is None:
        return CaseScore(score=None, interval=None, verdict=Verdict.INSUFFICIENT_EVIDENCE, reason="timeout")
    low, high = found if isinstance(found, tuple) else (found, found)
    verdict = Verdict.FAIL if high < limit else Verdict.PASS if low >= limit else Verdict.INSUFFICIENT_EVIDENCE
    return CaseScore(score=low if low == high else None, interval=(low, high), verdict=verdict)


def report(*suites: SuiteResult, **keys: Any) -> Report:
    verdict = worst(suite.verdict for suite in suites)
    return Report(
        verdict=verdict, exit_code=verdict.exit_code, name="demo", suites=list(suites), cannot_tell=[], when=WHEN,
        evidence=Counted(), fingerprint="f", system={}, git=Git(commit="0123456789abcdef0123456789abcdef01234567"),
        versions={}, **keys,
    )  # fmt: skip
