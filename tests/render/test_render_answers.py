"""What a person reads of answers that were judged: which are wrong, why, who says so, and what nobody could judge."""

import io

import pytest
from rag_samples import (
    PANEL,
    RAG_REPORTS,
    WORDS,
    case,
    claim,
    lexical_suite,
    mean_suite,
    rag_suite,
    score,
    unjudged_suite,
)
from report_samples import report, swap_suite
from rich.console import Console
from test_escape import shown, text_of

from fairgate.render import answer_phrases, answers, markdown, phrases
from fairgate.render.answers import Fault
from fairgate.render.terminal import print_report
from fairgate.results import CaseScore, Claim, JudgeScore, SuiteResult
from fairgate.verdict import Verdict


def read(page: str) -> str:
    """A page as text."""
    return text_of(shown(page))


def terminal(name: str, width: int = 200) -> str:
    """A sample as a log has it."""
    console = Console(file=io.StringIO(), width=width)
    print_report(RAG_REPORTS[name](), console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


# --- first sentence --------------------------------------------------------------------------------------------------

EMBEDDED = "words (lexical, embedded: compares words, understands nothing)"


@pytest.mark.parametrize(
    ("suite", "line"),
    [
        (
            rag_suite(),
            "❌ Stopped: 2 of 7 answers say something their sources do not, 1 of them more than the limit allows; "
            "the limit is .85 of the claims in each answer (1 could not be judged). 2 more rules failed too.",
        ),
        (
            lexical_suite(),
            "👤 Needs a person: none of 2 answers says something its sources do not; the limit is .85 of the claims in "
            f"each answer; judged by {EMBEDDED}. A person has to look before this can pass.",
        ),
        (
            mean_suite(),
            "🟡 Not enough evidence: the mean faithfulness was .62, on 4 answers; the limit is .85. The evidence is "
            "too little to tell whether the limit holds, and so for 1 more rule.",
        ),
        (
            unjudged_suite(),
            "🟡 Not enough evidence: none of 1 expected score came, so nothing could be judged. The evidence is too "
            "little to tell whether the limit holds.",
        ),
    ],
)
def test_the_first_sentence_says_how_many_answers_are_wrong_and_by_which_limit(suite: SuiteResult, line: str) -> None:
    assert read(markdown.comment(report(suite)).splitlines()[0]) == line


@pytest.mark.parametrize(
    ("rule", "finding"),
    [
        (
            0,
            "2 of 7 answers say something their sources do not, 1 of them more than the limit allows; the limit is .85",
        ),
        (1, "1 of 7 answers had useless contexts ranked above useful ones, or no useful one; the limit is a context"),
        (2, "1 of 7 answers strays from its question; the limit is a relevance of .90 in each"),
    ],
)
def test_each_metric_is_found_in_its_own_words(rule: int, finding: str) -> None:
    assert phrases.finding(rag_suite(), rag_suite().rules[rule]).startswith(finding)


def test_a_share_that_has_to_pass_says_both_limits() -> None:
    suite = mean_suite()
    assert (
        phrases.finding(suite, suite.rules[1])
        == "2 of 4 answers reach a context precision of .80; the limit is 90 % of them"
    )
    assert phrases.limit(suite.rules[1]) == "90 % at least .80"


# --- counts ----------------------------------------------------------------------------------------------------------


def test_every_answer_is_counted_where_it_belongs() -> None:
    suite = rag_suite()
    assert answers.tally(suite, suite.rules[0]) == answers.Tally(
        scoreable=7, passed=4, failed=1, unjudged=1, review=1, unsupported=2, arbitrated=1
    )
    assert answers.tally(suite, suite.rules[1]).scoreable == 7  # the one that rightly abstained is set aside
    assert answers.not_scoreable(suite) == {"no_claims": ["s-07"]}


def test_what_was_not_scored_stands_before_the_table_with_its_reason() -> None:
    page = read(markdown.comment(report(rag_suite())))
    head = page[: page.index("Verdict")]
    assert "8 cases, 21 scores expected, 19 scored, 2 missing (2 without a usable judgement)" in head
    assert "1 answer not scoreable (1 without a claim)" in head


# --- answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "s-02: Thời gian bảo hành là bao lâu? ❌ 2 of 3 claims not supported by the sources → .33, limit .85 "
        "“Bảo hành gồm cả rơi vỡ.”: nearest in the sources: “Bảo hành không gồm rơi vỡ.” "
        "“Có thể gia hạn miễn phí.”: the judge quotes “Gia hạn miễn phí 12 tháng”, which is not in the sources",
        "s-03: How do I return a lamp? ❌ contexts, in their order ✗ ✓ ✓ → .58, limit .80",
        "s-04: 保修期多长? ❌ off the question → .71, limit .90 answered: “我们的门店周一至周日营业。” "
        "which would answer: “门店几点营业?”",
        "not settled by 3 judges: 1 says pass, 1 fail, 1 did not answer (a .86, b .84, c timed out)",
        "“Up to 5,000.”: no source quoted [fast: not supported, a: supported, b: not supported, c: no answer]",
        "faithfulness not scored: no usable judgement came",
        "contexts, in their order ✓ ✗ ? → .83 to 1, limit .80",
    ],
)
def test_a_person_can_read_what_is_wrong_with_an_answer(text: str) -> None:
    assert text in read(markdown.comment(report(rag_suite())))
    assert text in read(markdown.document(report(rag_suite())))


def test_answers_that_passed_or_claim_nothing_are_no_items_and_failures_come_first() -> None:
    assert [item.case.id for item in answers.open_cases(rag_suite())] == ["s-02", "s-03", "s-04", "s-05", "s-06"]


def test_an_answer_is_shown_only_where_something_was_found_about_it() -> None:
    lost = score(None, Verdict.INSUFFICIENT_EVIDENCE, reason="unreachable")
    suite = rag_suite().model_copy(update={"cases": [case("s-1", "?", "An answer.", answer_relevance=lost)]})
    page = read(markdown.comment(report(suite)))
    assert "relevance not scored: unreachable" in page
    assert "An answer." not in page


def test_a_log_says_the_same() -> None:
    log = terminal("rag")
    assert (
        "“Có thể gia hạn miễn phí.”: the judge quotes “Gia hạn miễn phí 12 tháng”, which is not in the sources" in log
    )
    assert "contexts, in their order ✗ ✓ ✓ → .58, limit .80" in log
    assert "Judge fast (llama-3.1-8b) was asked without seed, temperature" in log
    assert f"judged by {EMBEDDED}" in terminal("lexical")


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (claim("x", None), "no verdict came"),
        (claim("x", False), "no source quoted"),
        (claim("x", False, "y"), "nearest in the sources: “y”"),
        (claim("x", False, "y", found=False), "the judge quotes “y”, which is not in the sources"),
        (claim("x", False, "", found=False, a=False), "no source quoted"),
    ],
)
def test_why_a_claim_does_not_count(of: Claim, words: str) -> None:
    assert answer_phrases.claim(of) == words


@pytest.mark.parametrize(
    ("verdict", "majority", "words"),
    [
        (Verdict.PASS, {"pass": 2, "fail": 1, "missing": 0}, "settled by 3 judges: 2 say pass, 1 fail ("),
        (Verdict.FAIL, {"pass": 0, "fail": 3, "missing": 0}, "settled by 3 judges: 3 say fail ("),
        (Verdict.FAIL, {"pass": 1, "fail": 2, "missing": 0}, "settled by 3 judges: 1 says pass, 2 fail ("),
        (
            Verdict.INSUFFICIENT_EVIDENCE,
            {"pass": 1, "fail": 0, "missing": 2},
            "not settled: too few votes from 3 judges: 1 says pass, 2 did not answer (",
        ),
    ],
)
def test_how_a_panel_voted(verdict: Verdict, majority: dict[str, int], words: str) -> None:
    votes = [JudgeScore(name=judge.name, model=judge.model, score=0.84, interval=(0.84, 0.84)) for judge in PANEL]
    settled = score(0.84, verdict, arbitrated=True, majority=majority, judges=votes)
    assert answer_phrases.panel(Fault("faithfulness", settled, 0.85)) == words + "a .84, b .84, c .84)"


def test_a_score_near_its_limit_keeps_the_digits_that_tell_them_apart() -> None:
    near = Fault("context_precision", score(0.8496, Verdict.FAIL, relevance=[True]), 0.85)
    assert answer_phrases.fault(near) == "contexts, in their order ✓ → .8496, limit .85"


def test_many_contexts_are_not_all_drawn_and_none_useful_is_said() -> None:
    assert answer_phrases.vector([True, False, None] * 10) == " ".join("✓✗?" * 7)[:39] + " …"
    none = Fault("context_precision", score(0.0, Verdict.FAIL, relevance=[False, False]), 0.8)
    assert answer_phrases.fault(none) == "no useful context ✗ ✗ → 0, limit .80"


@pytest.mark.parametrize("reason", ["http_503", "something_new"])
def test_a_reason_without_a_phrase_is_still_words(reason: str) -> None:
    lost = Fault("faithfulness", CaseScore(score=None, interval=None, verdict=None, reason=reason), None)
    words = reason.replace("http_", "HTTP ").replace("_", " ")
    assert answer_phrases.fault(lost) == f"faithfulness not scored: {words}"


# --- judges ----------------------------------------------------------------------------------------------------------


def test_an_embedded_judge_says_what_it_is_in_every_place() -> None:
    page = read(markdown.comment(report(lexical_suite())))
    assert page.count(EMBEDDED) == 3  # first sentence, counts, beside the number
    assert "embedded: compares words" in page[page.index("Who judged") :]
    assert "The embedded judge of support-bot only sees words" in page


def test_a_judge_is_named_by_what_it_is_called_and_not_twice() -> None:
    same = lexical_suite().model_copy(update={"judges": [WORDS.model_copy(update={"name": "lexical"})]})
    assert phrases.judges(same) == "lexical (embedded: compares words, understands nothing)"
    assert phrases.judges(rag_suite()) == "fast (llama-3.1-8b); panel a (gpt-x), b (claude-x), c (qwen-x)"
    assert phrases.judges(swap_suite()) == ""


def test_a_refused_parameter_is_shown_where_nobody_has_to_unfold_it() -> None:
    page = markdown.comment(report(rag_suite()))
    head = read(page[: page.index("<details>")])
    assert "Judge fast (llama-3.1-8b) was asked without seed, temperature, which its server refuses" in head


@pytest.mark.parametrize(
    ("value", "near"), [(0.82, True), (0.88, True), (0.85 - 0.03, True), (0.8199, False), (0.8801, False), (1.0, False)]
)
def test_a_borderline_score_that_one_judge_decided_is_said(value: float, near: bool) -> None:
    suite = lexical_suite().model_copy(
        update={"band": 0.03, "cases": [case("s-1", "?", faithfulness=score(value, Verdict.PASS))]}
    )
    told = "1 answer has a score within .03 of its limit, and there is no panel to settle it: one judge decided (s-1)."
    assert (told in read(markdown.comment(report(suite)))) == near
    assert answers.unsettled(suite.model_copy(update={"judges": [WORDS, *PANEL]})) == []


# --- the page --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RAG_REPORTS)
@pytest.mark.parametrize("form", [markdown.comment, markdown.document])
def test_every_sample_of_answers_is_a_whole_page(name: str, form: object) -> None:
    page = form(RAG_REPORTS[name]())  # type: ignore[operator]
    assert "None" not in page.replace("None of", "")
    assert "\n\n\n\n" not in page
    seen = shown(page)
    assert page.count("<details>") == page.count("</details>") == seen.tags.count("details")
    assert all(len(set(rows)) == 1 for rows in seen.tables)


@pytest.mark.parametrize("width", [20, 80])
@pytest.mark.parametrize("name", RAG_REPORTS)
def test_a_narrow_terminal_holds_every_line_about_answers(name: str, width: int) -> None:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    print_report(RAG_REPORTS[name](), console)
    assert all(len(line) <= width for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def test_three_kinds_of_suite_share_one_table() -> None:
    page = markdown.comment(RAG_REPORTS["three"]())
    table = page[page.index("| Verdict |") : page.index("<sub>Small below")]
    assert all(f"<b>{name}</b>" in table for name in ("flips", "fnr-by-sex", "faithful", "precise", "relevant"))
    assert page.index("Changed decisions in loan-screen") < page.index("Answers in support-bot")


def many_answers(number: int) -> SuiteResult:
    """So many answers with more claims than anybody wants to read."""
    claims = [claim(f"<b>claim</b> | {index} " + "x" * 900, False, "y`" * 300) for index in range(12)]
    failing = [
        case(f"s-{index}", "q" * 900, faithfulness=score(0.0, Verdict.FAIL, claims=claims)) for index in range(number)
    ]
    return rag_suite().model_copy(update={"cases": failing})


@pytest.mark.parametrize("limit", [65_536, 20_000, 9_000, 5_000, 3_000, 1_500, 400])
def test_a_page_of_answers_keeps_its_budget(limit: int) -> None:
    page = markdown.comment(report(many_answers(150)), limit=limit)
    assert len(page.encode()) <= limit
    assert page.startswith("### ❌ Stopped")
    assert page.count("<details>") == page.count("</details>")


def test_a_comment_shows_ten_answers_and_the_document_all() -> None:
    suite = report(many_answers(30))
    roomy = markdown.comment(suite, limit=10**7)
    assert roomy.count("12 of 12 claims not supported") == 10
    assert "20 more answers: see" in roomy
    assert "… and 7 more claims" in roomy
    assert markdown.document(suite).count("12 of 12 claims not supported") == 30
    assert markdown.document(suite).count("Answers that did not pass") == 1
