"""Rag suites to render: answers judged by models with a panel, by words alone, on average, and by nobody."""

from typing import Any

from report_samples import fairness_suite, report, rule, swap_suite

from fairgate.results import CaseResult, CaseScore, Claim, Counts, JudgeInfo, JudgeScore, SuiteResult
from fairgate.verdict import Verdict, worst

FAST = JudgeInfo(
    name="fast",
    type="openai",
    model="llama-3.1-8b",
    reported=["llama-3.1-8b-instruct-q8"],
    family="llama",
    dropped=["seed", "temperature"],
    role="judge",
)
PANEL = [
    JudgeInfo(name=name, type=kind, model=model, family=family, role="panel")
    for name, kind, model, family in (
        ("a", "openai", "gpt-x", "gpt"),
        ("b", "anthropic", "claude-x", "claude"),
        ("c", "openai", "qwen-x", "qwen"),
    )
]
WORDS = JudgeInfo(name="words", type="lexical", model=None, embedded=True, role="judge")

BY_FAILURE = {Verdict.PASS: "all_cases_pass", Verdict.FAIL: "cases_fail"}


def score(value: float | None, verdict: Verdict | None, **fields: Any) -> CaseScore:
    """A score that is exactly known, unless an interval says otherwise."""
    interval = None if value is None else (value, value)
    return CaseScore(**({"score": value, "interval": interval, "verdict": verdict} | fields))


def claim(
    text: str, supported: bool | None, quote: str | None = None, found: bool = True, **votes: bool | None
) -> Claim:
    """A claim with what the judge quoted."""
    return Claim(
        claim=text, supported=supported, evidence_quote=quote, quote_found=found and quote is not None, votes=votes
    )


def case(name: str, question: str, answer: str = "…", **scores: CaseScore) -> CaseResult:
    """A case with the worst verdict of its scores."""
    verdicts = [each.verdict for each in scores.values() if each.verdict]
    return CaseResult(
        id=name, verdict=worst(verdicts) if verdicts else None, question=question, answer=answer, scores=scores
    )


def cases() -> list[CaseResult]:
    """One answer of every kind."""
    fine = score(1.0, Verdict.PASS)
    votes = [
        JudgeScore(name="a", model="gpt-x", score=0.86, interval=(0.86, 0.86)),
        JudgeScore(name="b", model="claude-x", score=0.84, interval=(0.84, 0.84)),
        JudgeScore(name="c", model="qwen-x", score=None, interval=None, reason="timeout"),
    ]
    return [
        case("s-01", "Phí giao hàng là bao nhiêu?", faithfulness=fine, context_precision=fine, answer_relevance=fine),
        case(
            "s-02",
            "Thời gian bảo hành là bao lâu?",
            faithfulness=score(
                1 / 3,
                Verdict.FAIL,
                claims=[
                    claim("Bảo hành 24 tháng.", True, "Sản phẩm được bảo hành 24 tháng."),
                    claim("Bảo hành gồm cả rơi vỡ.", False, "Bảo hành không gồm rơi vỡ."),
                    claim("Có thể gia hạn miễn phí.", False, "Gia hạn miễn phí 12 tháng", found=False),
                ],
            ),
            context_precision=fine,
            answer_relevance=fine,
        ),
        case(
            "s-03",
            "How do I return a lamp?",
            faithfulness=fine,
            context_precision=score(7 / 12, Verdict.FAIL, relevance=[False, True, True]),
            answer_relevance=fine,
        ),
        case(
            "s-04",
            "保修期多长?",
            "我们的门店周一至周日营业。",
            faithfulness=fine,
            context_precision=fine,
            answer_relevance=score(0.712, Verdict.FAIL, questions=["门店几点营业?", "哪几天营业?", "周日营业吗?"]),
        ),
        case(
            "s-05",
            "Does the policy cover a flood?",
            faithfulness=score(
                0.86,
                Verdict.MANUAL_REVIEW,
                arbitrated=True,
                majority={"pass": 1, "fail": 1, "missing": 1},
                judges=votes,
                reason="panel_split",
                claims=[
                    claim("Floods are covered.", True, "Floods are covered.", fast=True, a=True, b=True, c=None),
                    claim("Up to 5,000.", False, None, fast=False, a=True, b=False, c=None),
                ],
            ),
            context_precision=fine,
            answer_relevance=fine,
        ),
        case(
            "s-06",
            "Who pays the assessor?",
            faithfulness=score(None, Verdict.INSUFFICIENT_EVIDENCE, reason="bad_judgement"),
            context_precision=score(
                None, Verdict.INSUFFICIENT_EVIDENCE, interval=(5 / 6, 1.0), relevance=[True, False, None]
            ),
            answer_relevance=fine,
        ),
        case(
            "s-07",
            "Xin chào?",
            "Xin chào!",
            faithfulness=score(None, None, reason="no_claims"),
            context_precision=fine,
            answer_relevance=score(None, None, reason="no_claims"),
        ),
        case(
            "s-08",
            "What does it cost in 2031?",
            "I do not know.",
            faithfulness=score(1.0, Verdict.PASS, reason="abstained"),
            context_precision=score(None, None, reason="abstained"),
            answer_relevance=score(1.0, Verdict.PASS, reason="abstained"),
        ),
    ]


def rag_suite() -> SuiteResult:
    """Eight answers: every metric fails somewhere, the panel is split once, a judge fails, two abstain."""
    return SuiteResult(
        name="support-bot",
        kind="rag",
        verdict=Verdict.FAIL,
        system="support",
        counts=Counts(
            cases=8,
            expected=21,
            observed=19,
            missing=2,
            missing_reasons={"bad_judgement": 2},
            details=["fast: no usable judgement, even after one repair: verdicts: id 9 does not exist."],
        ),
        rules=[
            _rule("faithful", Verdict.FAIL, "faithfulness", 0.85, 4 / 7, (4 / 7, 5 / 7)),
            _rule("precise", Verdict.FAIL, "context_precision", 0.80, 5 / 7, (5 / 7, 6 / 7), decided_by="Support lead"),
            _rule("relevant", Verdict.FAIL, "answer_relevance", 0.90, 6 / 7, (6 / 7, 6 / 7)),
        ],
        cases=cases(),
        judges=[FAST, *PANEL],
    )


def lexical_suite() -> SuiteResult:
    """The answers that pass, judged by words alone: never a PASS."""
    kept = [
        case("s-01", "Phí giao hàng là bao nhiêu?", faithfulness=score(1.0, Verdict.PASS)),
        case("s-09", "Where is the shop?", faithfulness=score(1.0, Verdict.PASS)),
    ]
    rules = [_rule("faithful", Verdict.MANUAL_REVIEW, "faithfulness", 0.85, 1.0, (1.0, 1.0))]
    return SuiteResult(
        name="support-bot",
        kind="rag",
        verdict=Verdict.MANUAL_REVIEW,
        counts=Counts(cases=2, expected=2, observed=2, missing=0),
        rules=rules,
        cases=kept,
        judges=[WORDS],
    )


def mean_suite() -> SuiteResult:
    """One rule on the mean and one on the share that passes."""
    values = (1.0, 1.0, 0.5, 0.0)
    return SuiteResult(
        name="support-bot",
        kind="rag",
        verdict=Verdict.INSUFFICIENT_EVIDENCE,
        counts=Counts(cases=4, expected=4, observed=4, missing=0),
        rules=[
            _rule(
                "on-average",
                Verdict.INSUFFICIENT_EVIDENCE,
                "faithfulness",
                0.85,
                0.625,
                (0.1, 0.97),
                require="mean",
            ),
            _rule(
                "most",
                Verdict.INSUFFICIENT_EVIDENCE,
                "context_precision",
                0.80,
                0.5,
                (0.1, 0.9),
                require="pass_rate",
                pass_rate=0.9,
            ),
        ],
        cases=[
            case(
                f"s-{number}",
                "?",
                faithfulness=score(value, None),
                context_precision=score(value, Verdict.PASS if value >= 0.8 else Verdict.FAIL),
            )
            for number, value in enumerate(values)
        ],
        judges=[FAST.model_copy(update={"dropped": []})],
    )


def unjudged_suite() -> SuiteResult:
    """A judge that answered 401 to everything."""
    return SuiteResult(
        name="support-bot",
        kind="rag",
        verdict=Verdict.INSUFFICIENT_EVIDENCE,
        counts=Counts(
            cases=1,
            expected=1,
            observed=0,
            missing=1,
            missing_reasons={"http_401": 1},
            details=["vllm:8001/v1/chat/completions answered 401: the key in JUDGE_KEY was not accepted."],
        ),
        rules=[_rule("faithful", Verdict.INSUFFICIENT_EVIDENCE, "faithfulness", 0.85, None, (0.0, 1.0))],
        cases=[case("s-01", "?", faithfulness=score(None, Verdict.INSUFFICIENT_EVIDENCE, reason="http_401"))],
        judges=[FAST.model_copy(update={"dropped": []})],
    )


def _rule(
    name: str,
    verdict: Verdict,
    metric: str,
    limit: float,
    estimate: float | None,
    interval: tuple[float, float],
    **fields: Any,
) -> Any:
    reasons = [BY_FAILURE.get(verdict, "unvalidated_judge")]
    told = {"require": "all", "estimate": estimate, "interval": interval, "reasons": reasons} | fields
    return rule(name, verdict, metric, limit, f"{name}: as {metric} came out.", **told)


RAG_REPORTS = {
    "rag": lambda: report(rag_suite()),
    "lexical": lambda: report(lexical_suite()),
    "mean": lambda: report(mean_suite()),
    "unjudged": lambda: report(unjudged_suite()),
    "three": lambda: report(swap_suite(), fairness_suite(), rag_suite()),
}
