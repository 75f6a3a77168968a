"""How a decision is read out of an answer: by a pattern, a path, a score; refusals; and what is read nowhere."""

from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
import yaml
from pydantic import ValidationError

from fairgate.config.outcome import ColumnOutcome, Outcome
from fairgate.swap.outcomes import Unreadable
from fairgate.swap.reading import MOST_READ, Decision, OutcomeError, reader

WORDS: dict[str, Any] = {"positive": ["DUYỆT", "approve", "true", "1"], "negative": ["XEM LẠI", "reject", "false"]}


def read(answer: str, **outcome: Any) -> str:
    """The kind of a decision, with its score where it has one, or the reason why there is none."""
    found = reader(Outcome.model_validate(outcome)).read(answer)
    if isinstance(found, Unreadable):
        return found.reason
    return found.kind if found.score is None else f"{found.kind} {found.score:g}"


# --- patterns --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "answer", "expected"),
    [
        (r"Decision:\s*(\w+)", "Long story.\nDecision: approve.", "positive"),
        (r"Decision:\s*(\w+)", "Decision: REJECT", "negative"),
        (r"Quyết định:\s*(\w+)", "Quyết định: Duyệt", "positive"),
        (normalize("NFD", r"Quyết định:\s*(\w+)"), normalize("NFD", "Quyết định: Duyệt"), "positive"),
        (r"Quyết định: ([\w ]+)", "Quyết định: Xem lại.", "negative"),
        (r"决定：(\w+)", "决定：approve。", "positive"),
        (r"(?<=Decision: )\w+", "Decision: approve", "positive"),
        (r"(?P<outcome>\w+) is the (decision|outcome)", "approve is the decision", "positive"),
        (r"(?:is|was) (\w+)$", "it was reject", "negative"),
        (r"Decision:\s*(\w+)", "Decision: approve … Decision: Approve!", "positive"),
        (r"Decision:\s*(\w+)", "Decision: DUYỆT, in English Decision: approve", "positive"),
        (r"Decision:\s*(\w+)", "Decision: approve. No, decision: Decision: reject", "ambiguous_outcome"),
        (r"Decision:\s*(\w+)", "Decision: approve. Decision: pending", "ambiguous_outcome"),
        (r"Decision:\s*(\w+)?", "Decision: approve. Decision: …", "ambiguous_outcome"),
        (r"Decision:\s*(\w+)?", "Decision: …", "unreadable_outcome"),
        (r"Decision:\s*(\w+)", "Decision: pending", "unreadable_outcome"),
        (r"Decision:\s*(\w+)", "approve", "no_match"),
        (r'\{"decision": "(\w+)"}', '{"decision": "approve"}', "positive"),
        (r"[[(](\w+)[])]", "[approve]", "positive"),
        (r"\w{99}|d{2,3}|(approve) \{d\}", "approve {d}", "positive"),
        (r"Decision:\s*(\w+)", "\n ", "empty_answer"),
        (r"Decision:\s*(\w+)", "<think>Decision: approve?</think>Decision: reject", "negative"),
        (r"Decision:\s*(\w+)", "<think>Decision: approve", "unreadable_outcome"),
        (r"Decision:\s*(\w+)", "Decision: \ud800approve", "no_match"),
        (r"Decision:\s*(\w+)", "x" * MOST_READ + "Decision: approve", "answer_too_long"),
        (r"Decision:\s*(\w+)", "Decision: approve" + " " * (MOST_READ - 17), "positive"),
    ],
)  # fmt: skip
def test_a_pattern_finds_the_decision_or_nothing(pattern: str, answer: str, expected: str) -> None:
    assert read(answer, pattern=pattern, **WORDS) == expected


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        (r"^(\w+\s?)+$", "word " * 20_000 + "!"),
        (r"(x+x+)+y", "x" * 100_000),
        (r"(a|aa)+$", "a" * 60 + "b"),
        (r"\s+$", " x" + " " * 100_000 + "x"),
    ],
)
def test_no_answer_is_searched_for_ever(pattern: str, answer: str) -> None:
    assert read(answer, pattern=pattern, **WORDS) in ("pattern_timeout", "no_match")


def test_a_slow_answer_takes_nothing_from_the_next() -> None:
    words = reader(Outcome.model_validate({"pattern": r"^(\w+\s?)+$|Decision: (?P<outcome>\w+)", **WORDS}))
    assert words.read("word " * 20_000 + "!") == Unreadable("pattern_timeout", "word " * 16 + "…")
    assert words.read("Decision: approve") == Decision("positive")


@pytest.mark.parametrize(
    ("outcome", "where", "about"),
    [
        ({"pattern": "(", **WORDS}, ("pattern",), "is no regular expression"),
        ({"pattern": r"(\w+) (\w+)", **WORDS}, ("pattern",), r"has 2 groups, expected one: name .* \(\?P<outcome>…\)"),
        ({"pattern": r"\w*", **WORDS}, ("pattern",), "matches an empty answer"),
        ({"pattern": "a" + "?" * 5000, **WORDS}, ("pattern",), "is no regular expression"),
        *(
            ({"pattern": huge, **WORDS}, ("pattern",), "is too large for a regular expression")
            for huge in (
                "a{9999999}",
                "(?:a{999}){999}",
                "(?:(?:a{,99}b){9,99}c){99}",
                "(" * 5000 + "a" + ")" * 5000,
                "a{" + "9" * 5000 + "}",
                "x" * 10_001,
                "(" * 3000 + "a" + ")" * 3000,
            )
        ),
        *(
            ({"pattern": recursive, **WORDS}, ("pattern",), "is no regular expression")
            for recursive in (r"(?<n>(?&n))", r"Y(?<n>(?&n))|YES", r"(?P<n>a(?P>n)?)", r"a(?R)?b", r"(a(?1)?)")
        ),
        *(
            ({"pattern": more, **WORDS}, ("pattern",), "is no regular expression")
            for more in (r"\p{L}+", r"(?<=a+)b", r"a\K(b)", r"(?V1)a", r"(?|(a)|(b))", r"(?<outcome>\w+)")
        ),
        ({"pattern": r"(?<outcome>\w+)", **WORDS}, ("pattern",), r"a group is named as in \(\?P<name>"),
        ({"pattern": r"(?:approve){e<=1}", **WORDS}, ("pattern",), r"holds '\{e<=1\}'"),
        ({"pattern": r"(?:approve){1<=e<=3}x", **WORDS}, ("pattern",), r"holds '\{1<=e<=3\}'"),
        ({"pattern": r"[[:alpha:]]+", **WORDS}, ("pattern",), r"holds '\[:alpha:\]'"),
        ({"path": "(" * 3000 + "a" + ")" * 3000, **WORDS}, ("path",), "is nested too deeply"),
        ({"path": "!" * 3000 + "a", **WORDS}, ("path",), "is nested too deeply"),
        ({"score": {"path": "[" * 3000, "positive_from": 1}}, ("score", "path"), "JMESPath expression"),
        ({"path": "decision[", **WORDS}, ("path",), "is no JMESPath expression"),
        ({"score": {"path": "a..b", "positive_from": 1}}, ("score", "path"), "is no JMESPath expression"),
        ({"score": {"pattern": "[", "positive_from": 1}}, ("score", "pattern"), "is no regular expression"),
        ({"refusal": {"pattern": "x*"}, **WORDS}, ("refusal", "pattern"), "matches an empty answer"),
        ({"refusal": ["Approve!"], **WORDS}, (), "positive word 'approve' and refusal word 'Approve!' cannot be told"),
        ({"refusal": ["..."], **WORDS}, (), "refusal word '...' is only punctuation"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(outcome: Any, where: tuple[str, ...], about: str) -> None:
    with pytest.raises(OutcomeError, match=about) as error:
        reader(Outcome.model_validate(outcome))
    assert error.value.where == where


@pytest.mark.parametrize(
    ("outcome", "where"),
    [
        ({"positive": ["yes"]}, ("negative",)),
        ({"pattern": r"(\w+)"}, ("positive",)),
        ({"pattern": "a", "path": "b", **WORDS}, ("pattern",)),
        ({"score": {"positive_from": 1}, **WORDS}, ("positive",)),
        ({"score": {"positive_from": 1}, "path": "a"}, ("path",)),
        ({"score": {}}, ("score",)),
        ({"score": {"positive_from": 1, "positive_up_to": 2}}, ("score",)),
        ({"score": {"positive_from": "1"}}, ("score", "positive_from")),
        ({"score": {"positive_from": 70, "range": [100, 0]}}, ("score", "range")),
        ({"score": {"positive_from": 70, "range": [0]}}, ("score", "range")),
        ({"score": {"positive_from": 0, "range": [0, 100]}}, ("score", "positive_from")),
        ({"score": {"positive_up_to": 100, "range": [0, 100]}}, ("score", "positive_up_to")),
        ({"score": {"positive_from": 1, "decimal": "dot"}}, ("score", "decimal")),
        ({"refusal": {}, **WORDS}, ("refusal",)),
        ({"refusal": [], **WORDS}, ("refusal", "words")),
        ({"refusal": {"regex": "x"}, **WORDS}, ("refusal", "regex")),
    ],
)
def test_a_declaration_that_says_too_little_or_two_things(outcome: Any, where: tuple[str, ...]) -> None:
    with pytest.raises(ValidationError) as error:
        Outcome.model_validate(outcome)
    assert where in [found["loc"] for found in error.value.errors()]


def test_no_model_refuses_in_a_file() -> None:
    with pytest.raises(ValidationError, match="no model is asked here"):
        ColumnOutcome.model_validate({"column": "d", "refusal": {"by_model": True}, **WORDS})


# --- JSON ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"decision": {"status": "Approve"}}', "positive"),
        ('```json\n{"decision": {"status": "REJECT"}}\n```', "negative"),
        ('I thought about it. {"decision": {"status": "DUYỆT"}} Done.', "positive"),
        ('{"decision": {"status": true}}', "positive"),
        ('{"decision": {"status": false}}', "negative"),
        ('{"decision": {"status": 1}}', "positive"),
        ('{"decision": {"status": 1.0}}', "positive"),
        ('{"decision": {"status": 0}}', "unreadable_outcome"),
        ('{"decision": {"status": 1e400}}', "unreadable_outcome"),
        ('{"decision": {"status": NaN}}', "no_json"),
        ('{"decision": {"status": "approve\\ud800"}}', "unreadable_outcome"),
        ('{"decision": {"status": "pending"}}', "unreadable_outcome"),
        ('{"decision": {"status": null}}', "no_value"),
        ('{"decision": "approve"}', "no_value"),
        ("{}", "no_value"),
        ("[]", "no_value"),
        ("72", "no_value"),
        ('{"decision": {"status": ["approve"]}}', "not_a_scalar"),
        ('{"decision": {"status": {}}}', "not_a_scalar"),
        ("approve", "no_json"),
        ('{"decision": {"status": "approve"}', "no_value"),
        ('{"decision": {"status": "approve"', "no_json"),
        ('{"decision": {"status": "approve", "status": "reject"}}', "no_json"),
        ('{"input": {"decision": "reject"}} gives {"decision": {"status": "approve"}}', "positive"),
        ('{"decision": {"status": "approve"}} {"decision": {"status": "APPROVE"}}', "positive"),
        ('{"decision": {"status": "approve"}} {"decision": {"status": "reject"}}', "ambiguous_outcome"),
        ('{"decision": {"status": "approve"}} {"decision": {"status": "later"}}', "ambiguous_outcome"),
        ('{"decision": {"status": "approve"}} {"decision": {"status": null}}', "ambiguous_outcome"),
        ('{"decision": {"status": null}} {"decision": {"status": "approve"}}', "ambiguous_outcome"),
        ('{"decision": {"status": null}} {"decision": {"status": null}}', "no_value"),
        ('{"decision": {"status": "approve"}} {"decision": {}}', "positive"),
        ('{"decision": {"status": "approve"}} {"decision": null}', "positive"),
        ('{"decision": {"status": "approve", "why": null}}', "positive"),
        ('{"decision": {"status": "approve"}}' + "{}" * 300, "no_json"),
        ('{"decision":' * 5000, "no_json"),
        ('{"decision": {"status": "approve"}, "why": "' + "x" * MOST_READ + '"}', "answer_too_long"),
    ],
)  # fmt: skip
def test_a_path_finds_the_decision_or_nothing(answer: str, expected: str) -> None:
    assert read(answer, path="decision.status", **WORDS) == expected


@pytest.mark.parametrize(("path", "expected"), [("d[0].x", "ambiguous_outcome"), ("d[1].x", "no_value")])
def test_a_null_is_found_by_any_expression(path: str, expected: str) -> None:
    assert read('{"d": [{"x": "approve"}]} {"d": [{"x": null}]}', path=path, **WORDS) == expected


def test_an_expression_that_does_not_fit_an_answer_finds_nothing() -> None:
    assert read('{"decision": 5}', path="join(', ', decision)", **WORDS) == "no_value"


# --- scores ----------------------------------------------------------------------------------------------------------

HUNDRED = {"positive_from": 70, "range": [0, 100]}


@pytest.mark.parametrize(
    ("score", "answer", "expected"),
    [
        ({"positive_from": 70}, "70", "positive 70"),
        ({"positive_from": 70}, "69.999", "negative 69.999"),
        ({"positive_from": 70}, " “70.” ", "positive 70"),
        ({"positive_from": 70}, "+70", "positive 70"),
        ({"positive_from": 70}, "-70", "negative -70"),
        ({"positive_from": 70}, "−70", "negative -70"),
        ({"positive_from": 70}, "７０", "positive 70"),
        ({"positive_from": 70}, "６９．５", "negative 69.5"),
        ({"positive_from": 70}, "٧٠", "not_a_number"),
        ({"positive_from": 70}, "७०", "not_a_number"),
        ({"positive_from": 70}, "七十", "not_a_number"),
        ({"positive_from": 70}, "70,5", "not_a_number"),
        ({"positive_from": 70}, "1,000", "not_a_number"),
        ({"positive_from": 70}, "7e1", "not_a_number"),
        ({"positive_from": 70}, "nan", "not_a_number"),
        ({"positive_from": 70}, "inf", "not_a_number"),
        ({"positive_from": 70}, "1e400", "not_a_number"),
        ({"positive_from": 70}, "9" * 16, "not_a_number"),
        ({"positive_from": 70}, "9" * 100_000, "not_a_number"),
        ({"positive_from": 70}, "70 %", "not_a_number"),
        ({"positive_from": 70}, "Score: 70", "not_a_number"),
        ({"positive_from": 70}, "70/100", "not_a_number"),
        ({"positive_from": 70}, "", "empty_answer"),
        ({"positive_up_to": 30}, "30", "positive 30"),
        ({"positive_up_to": 30}, "30.01", "negative 30.01"),
        ({"positive_from": 0.7}, "0.7", "positive 0.7"),
        ({"positive_from": 0.3}, "0.30000000000000001", "positive 0.3"),
        ({"positive_from": 0.3}, "0.29999999999999999999", "negative 0.3"),
        ({"positive_from": 0.7, "decimal": "comma"}, "0,75", "positive 0.75"),
        ({"positive_from": 0.7, "decimal": "comma"}, "0.75", "not_a_number"),
        (HUNDRED, "70%", "positive 70"),
        (HUNDRED, "70 ％", "positive 70"),
        (HUNDRED, "101", "out_of_range"),
        (HUNDRED, "-1", "out_of_range"),
        (HUNDRED, "100", "positive 100"),
        ({"positive_from": 0.7, "range": [0, 1]}, "75%", "not_a_number"),
    ],
)  # fmt: skip
def test_the_whole_answer_as_a_score(score: dict[str, Any], answer: str, expected: str) -> None:
    assert read(answer, score=score) == expected


@pytest.mark.parametrize(
    ("pattern", "answer", "expected"),
    [
        (r"Score:\s*([\d.]+)", "Because.\nScore: 72", "positive 72"),
        (r"Score:\s*(\d+)", "Score: 72. Score: 72", "positive 72"),
        (r"Score:\s*(\d+)", "Score: 72. Score: 71", "ambiguous_outcome"),
        (r"Score:\s*(\d+)", "Score: 72.", "positive 72"),
        (r"Score:\s*(\d+)", "Score: 7.25", "not_a_number"),
        (r"Score:\s*(\d+)", "Score: 7,25", "not_a_number"),
        (r"Score:\s*(\d+)", "Score: 7/10", "not_a_number"),
        (r"Score:\s*(\d+)", "Score: 7e1", "not_a_number"),
        (r"Score:\s*(\d+)/100", "Score: 72/100", "positive 72"),
        (r"Score:\s*(\d+)", "Score: 72 %", "positive 72"),
        (r"\d+", "-72", "not_a_number"),
        (r"\d+", "0.72", "not_a_number"),
        (r"(\d+)分", "评分：８５分", "positive 85"),
        (r"Điểm:\s*([\d,.]+)", "Điểm: 0,75", "not_a_number"),
        (r"Score:\s*(\S+)", "Score: NaN", "not_a_number"),
    ],
)
def test_a_score_by_a_pattern_is_never_half_a_number(pattern: str, answer: str, expected: str) -> None:
    assert read(answer, score={**HUNDRED, "pattern": pattern}) == expected


LONGER = (
    "7-9", "7 - 9", "7–9", "7 — 9", "7~9", "7～9", "7..9", "7 … 9", "7 to 9", "from 7 to 9", "between 7 and 9",
    "minus 7", "âm 7", "7 vs 4",
    "7 out of 10", "7 (out of 10)", "7 of 10", "7 in 10", "7 or 8", "7 points out of 10", "7/10", "7 / 10", "7⁄10",
    "7∕10", "7×10", "7 x 10", "7*10", "7^2", "10^7", "7½", "7 ½", "7²", "7,5", "7:30", "7+", "±7", "≈7", "~7", "≤ 7",
    "7 and a half", "7 thousand", "7k", "7 000", "7 250", "7%-9%", "7% to 9%",
    "7 đến 9", "từ 7 đến 9", "7 điểm đến 9 điểm", "7 tới 9", "7 hoặc 8", "7 trên 10", "7 điểm trên 10",
    "7 triệu", "7 rưỡi", "7到9", "7至9", "7 至 9", "7分到9分", "7或8", "7－9", "7／10", "10分之7", "7分之1", "7点5",
    "7万", "7成", "7半",
)  # fmt: skip


@pytest.mark.parametrize("answer", LONGER)
@pytest.mark.parametrize("pattern", [r"(\d+)\b", r"\d+", r"(\d+)", r"(?<![\d])\d+"])
def test_no_number_is_cut_out_of_something_longer(pattern: str, answer: str) -> None:
    assert not read(f"{answer}.", score={**HUNDRED, "pattern": pattern}).startswith(("positive", "negative"))
    assert not read(answer, score=HUNDRED).startswith(("positive", "negative"))


@pytest.mark.parametrize(
    "answer",
    [
        "Score: **72**", "Score: 72 (strong)", "72 - strong", "72 – strong", "72: strong", "Score — 72", "- 72", "72x",
        "72 points", "72 to be exact", "(72)", "72, of course", "72… well", "<score>72</score>", "72%", "`72`",
        "72 in all", "#72", "72.\n1. Income", "72\n\n- 1 late payment", "72\n3 words", "Score=72;", "72 / good",
        "72 điểm", "Điểm: 72 trên thang điểm", "72分", "评分：72，很好",
    ],
)  # fmt: skip
def test_a_number_beside_words_is_one(answer: str) -> None:
    assert read(answer, score={**HUNDRED, "pattern": r"\d\d"}) == "positive 72"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('{"score": 72}', "positive 72"),
        ('{"score": 69.9}', "negative 69.9"),
        ('{"score": "72"}', "positive 72"),
        ('{"score": 7e1}', "positive 70"),
        ('{"score": true}', "not_a_number"),
        ('{"score": 1e400}', "not_a_number"),
        ('{"score": "high"}', "not_a_number"),
        ('{"score": "\\ud800"}', "not_a_number"),
        ('{"score": [72]}', "not_a_scalar"),
        ('{"score": null}', "no_value"),
        ('{"score": ' + "9" * 5000 + "}", "no_json"),
        ('{"score": 72} {"score": 72.0}', "positive 72"),
        ('{"score": 72} {"score": 73}', "ambiguous_outcome"),
    ],
)
def test_a_score_by_a_path(answer: str, expected: str) -> None:
    assert read(answer, score={**HUNDRED, "path": "score"}) == expected


def test_a_cut_is_the_number_that_was_written() -> None:
    assert read('{"p": 0.7}', score={"path": "p", "positive_from": 0.7}) == "positive 0.7"
    assert read("0.1", score={"positive_up_to": 0.1}) == "positive 0.1"


# --- refusals --------------------------------------------------------------------------------------------------------

REFUSAL = {"words": ["I cannot help with that", "TỪ CHỐI"], "pattern": r"(?i)\b(cannot|can't) (decide|help)"}


@pytest.mark.parametrize(
    ("outcome", "answer", "expected"),
    [
        ({}, "I cannot help with that.", "refusal"),
        ({}, "từ chối", "refusal"),
        ({}, "Sorry, I can't decide about people.", "refusal"),
        ({}, "Sorry, no.", "unreadable_outcome"),
        ({}, "approve", "positive"),
        ({"pattern": r"Decision: (\w+)"}, "I can't decide this.", "refusal"),
        ({"pattern": r"Decision: (.+)"}, "Decision: Từ chối", "refusal"),
        ({"pattern": r"Decision: (\w+)"}, "I can't decide this lightly. Decision: approve", "ambiguous_outcome"),
        ({"pattern": r"Decision: (\w+)"}, "I can't decide. Decision: approve. Decision: reject", "ambiguous_outcome"),
        ({"pattern": r"Decision: (\w+)"}, "I can't decide. Decision: pending", "refusal"),
        ({"path": "status"}, '{"status": "từ chối"}', "refusal"),
        ({"path": "status"}, "I cannot help with that.", "refusal"),
        ({"path": "status"}, '{"status": "approve"} {"status": "từ chối"}', "ambiguous_outcome"),
    ],
)
def test_a_refusal_is_a_class_of_its_own(outcome: dict[str, Any], answer: str, expected: str) -> None:
    assert read(answer, refusal=REFUSAL, **outcome, **WORDS) == expected


@pytest.mark.parametrize(
    ("score", "answer", "expected"),
    [
        (HUNDRED, "Từ chối", "refusal"),
        ({**HUNDRED, "path": "score"}, '{"score": "từ chối"}', "refusal"),
        ({**HUNDRED, "pattern": r"Score: (.+)"}, "Score: từ chối", "refusal"),
        ({**HUNDRED, "pattern": r"Score: (\d+)"}, "I cannot help. Score: 5", "ambiguous_outcome"),
        (HUNDRED, "101", "out_of_range"),
    ],
)
def test_a_refusal_beside_a_score(score: dict[str, Any], answer: str, expected: str) -> None:
    assert read(answer, score=score, refusal=REFUSAL) == expected


def test_a_list_is_the_words_of_a_refusal() -> None:
    assert read("No comment.", refusal=["no comment"], **WORDS) == "refusal"


@pytest.mark.parametrize(("by_model", "expected"), [(True, [True, True, False]), (False, [False] * 3)])
def test_the_models_own_refusal_counts_where_it_is_declared(by_model: bool, expected: list[bool]) -> None:
    declared = {"words": ["no comment"], "by_model": by_model}
    words = reader(Outcome.model_validate({"refusal": declared, **WORDS}))
    assert [words.is_refusal(reason) for reason in ("refused", "content_filter", "timeout")] == expected


def test_an_unreadable_answer_shows_what_was_found() -> None:
    found = reader(Outcome.model_validate({"pattern": r"Decision: (\w+)", **WORDS})).read("Well. Decision: pending")
    assert found == Unreadable("unreadable_outcome", "pending")


def test_a_decision_without_a_score_has_none() -> None:
    assert reader(Outcome.model_validate(WORDS)).read("approve") == Decision("positive")


# --- words cut out of what denies them -------------------------------------------------------------------------------

LOOSE: dict[str, Any] = {
    "pattern": "(?i)DUYỆT|TỪ CHỐI|approve|reject|核准|退件|[01]",
    "positive": ["DUYỆT", "approve", "核准", "1"],
    "negative": ["TỪ CHỐI", "reject", "退件", "0"],
}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Kết luận: DUYỆT", "positive"),
        ("Kết luận: **DUYỆT**", "positive"),
        ("Kết luận: __DUYỆT__.", "positive"),
        ("Kết luận: KHÔNG DUYỆT", "negated_outcome"),
        (normalize("NFD", "Kết luận: không duyệt"), "negated_outcome"),
        ("Kết luận: **KHÔNG** duyệt", "negated_outcome"),
        ("Kết luận: không\u00a0__duyệt__", "negated_outcome"),
        ("Kết luận: <b>không</b> <i>duyệt</i>", "negated_outcome"),
        ("Chưa duyệt", "negated_outcome"),
        ("Chẳng duyệt", "negated_outcome"),
        ("Đừng duyệt", "negated_outcome"),
        ("Hồ sơ không được duyệt.", "negated_outcome"),
        ("Hồ sơ chưa đủ điều kiện để duyệt.", "negated_outcome"),
        ("Không từ chối", "negated_outcome"),
        ("Từ chối duyệt", "ambiguous_outcome"),
        ("Not approve", "negated_outcome"),
        ("NOT-approve", "negated_outcome"),
        ("do not recommend to approve", "negated_outcome"),
        ("I cannot approve", "negated_outcome"),
        ("I can't approve", "negated_outcome"),
        ("I don’t approve", "negated_outcome"),
        ("no approve", "negated_outcome"),
        ("never reject", "negated_outcome"),
        ("non-approve", "negated_outcome"),
        ("Approve: no", "negated_outcome"),
        ("DUYỆT? Không", "negated_outcome"),
        ("unapprove", "part_of_a_word"),
        ("disapprove", "part_of_a_word"),
        ("approved", "part_of_a_word"),
        ("DUYỆTS", "part_of_a_word"),
        ("10", "part_of_a_word"),
        ("12", "part_of_a_word"),
        ("Q1", "positive"),
        ("結論：核准", "positive"),
        ("本行決定核准。", "positive"),
        ("cannot possibly approve", "negated_outcome"),
        ("I don't want to approve", "negated_outcome"),
        ("NOT YET READY TO APPROVE", "negated_outcome"),
        ("hardly approve", "negated_outcome"),
        ("It is not late, approve", "positive"),
        ("KHÔNG THỂ PHÊ DUYỆT", "negated_outcome"),
        ("CHƯA PHÊ DUYỆT", "negated_outcome"),
        ("KHÔNG ĐỦ ĐIỀU KIỆN ĐỂ ĐƯỢC DUYỆT", "negated_outcome"),
        ("Không\nDUYỆT", "negated_outcome"),
        ("Không\n\nDUYỆT", "positive"),
        ("結論：不核准", "negated_outcome"),
        ("結論：**不** 核准", "negated_outcome"),
        ("不予核准", "negated_outcome"),
        ("未獲核准", "negated_outcome"),
        ("拒絕核准", "negated_outcome"),
        ("没有核准", "negated_outcome"),
        ("Nợ xấu: không.\nDUYỆT", "positive"),
        ("Nợ xấu: không; DUYỆT", "positive"),
        ("Hồ sơ không thể được phép duyệt", "negated_outcome"),
        ("DUYỆT: không có vấn đề", "positive"),
        ("DUYỆT, không cần thêm giấy tờ", "positive"),
        ('{"ket_luan": "lý do\\nDUYỆT"}', "positive"),
        ("DUYỆT\nsau: KHÔNG DUYỆT", "ambiguous_outcome"),
    ],
)
def test_a_word_that_is_denied_where_it_stands_is_not_read(answer: str, expected: str) -> None:
    assert read(answer, **LOOSE) == expected


@pytest.mark.parametrize(
    ("pattern", "answer", "expected"),
    [
        ("KHÔNG DUYỆT|DUYỆT", "Kết luận: KHÔNG DUYỆT", "negative"),
        ("(?:KHÔNG )?DUYỆT", "Kết luận: DUYỆT", "positive"),
        (r"Kết luận: (.+)$", "Kết luận: KHÔNG DUYỆT", "negative"),
        (r"Kết luận:.*(DUYỆT)", "Kết luận: KHÔNG DUYỆT", "negated_outcome"),
        (r"\w*(DUYỆT)", "KDUYỆT", "part_of_a_word"),
        (r"(DUYỆT)\w*", "DUYỆTs", "positive"),
    ],
)
def test_a_pattern_declares_a_negation_by_including_it(pattern: str, answer: str, expected: str) -> None:
    assert read(answer, pattern=pattern, positive=["DUYỆT"], negative=["KHÔNG DUYỆT"]) == expected


def test_whole_answers_and_values_at_a_path_are_compared_whole() -> None:
    words: dict[str, Any] = {"positive": ["DUYỆT"], "negative": ["TỪ CHỐI"]}
    assert read("KHÔNG DUYỆT", **words) == "unreadable_outcome"
    assert read('{"a": "KHÔNG DUYỆT"}', path="a", **words) == "unreadable_outcome"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (r'{"diem": null, "ly_do": "Kh\u00f4ng th\u1ec3 ch\u1ea5m"}', "refusal"),
        (r'Đây: {"ly_do": [{"a": "Kh\u00f4ng th\u1ec3 ch\u1ea5m"}]}', "refusal"),
        (r'{"diem": 80, "ly_do": "Kh\u00f4ng th\u1ec3 ch\u1ea5m"}', "ambiguous_outcome"),
        (r'{"diem": 80, "ly_do": "Kh\u00f4ng sao"}', "positive 80"),
    ],
)
def test_a_refusal_is_found_in_the_texts_of_json_however_they_are_written(answer: str, expected: str) -> None:
    score = {"path": "diem", "positive_from": 70}
    assert read(answer, score=score, refusal={"pattern": "^Không thể chấm"}) == expected


def test_what_is_denied_is_shown_with_what_denies_it() -> None:
    found = reader(Outcome.model_validate(LOOSE)).read("Lý do …\nKết luận: KHÔNG DUYỆT")
    assert found == Unreadable("negated_outcome", "Kết luận: KHÔNG DUYỆT")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Lý do: không có.\nKết luận: **DUYỆT**", "positive"),
        ("**Kết luận: KHÔNG DUYỆT.**", "negative"),
        ("Kết luận: HOÃN DUYỆT", "unreadable_outcome"),
    ],
)
def test_the_anchored_pattern_of_the_page(repository: Path, answer: str, expected: str) -> None:
    page = (repository / "docs" / "swap.md").read_text(encoding="utf-8")
    example = next(block for block in page.split("```yaml\n") if block.startswith("outcome:\n  pattern:"))
    assert read(answer, **yaml.safe_load(example.split("```")[0])["outcome"]) == expected
