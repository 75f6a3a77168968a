"""The embedded judge: what it takes for a claim, for support and for relevance, and what it does not see."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges_desk import BACK, CHECK, LIST, RANK, Judge, ask, fails

from fairgate.judges.lexical import check_claim, is_relevant, list_claims
from fairgate.judges.replies import TASKS, read_judgement

WARRANTY = "Sản phẩm được bảo hành 24 tháng. Pin không được bảo hành. Phí đổi trả là 15%."
WARRANTY_EN = "Every product has a warranty of 24 months. The battery is not covered. Returns cost 1,000,000 dong."
WARRANTY_ZH = "产品保修期为24个月。电池不在保修范围内。退货运费为15%。"


def test_says_what_it_is(judge: Judge) -> None:
    described = judge("lexical").describe()
    assert described["embedded"] is True
    assert (described["type"], described["model"], described["family"], described["dropped"]) == (
        "lexical",
        None,
        None,
        [],
    )


@pytest.mark.parametrize("fields", [LIST, CHECK, RANK], ids=lambda fields: fields["task"])
def test_its_replies_pass_the_check_of_every_judge(judge: Judge, fields: dict[str, Any]) -> None:
    text = json.dumps(ask(judge("lexical"), fields))
    assert read_judgement(text, TASKS[fields["task"]], fields).problems == ()


def test_cannot_ask_back(judge: Judge) -> None:
    failure = fails(judge("lexical"), BACK)
    assert (failure.reason, failure.asked, failure.final) == ("judge_cannot", False, False)


def test_answers_by_id(judge: Judge) -> None:
    verdicts = ask(judge("lexical"), CHECK)["verdicts"]
    assert verdicts == [
        {"id": 1, "quote": "Sản phẩm được bảo hành 24 tháng.", "supported": True},
        {"id": 2, "quote": "", "supported": False},
    ]
    assert [verdict["relevant"] for verdict in ask(judge("lexical"), RANK)["verdicts"]] == [True, False]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Xin lỗi, tôi không có thông tin về câu hỏi này.",
        "Xin chào!",
        "Rất tiếc, tài liệu không có thông tin về thời gian bảo hành.",
        "Hiện tại tôi chưa có thông tin về vấn đề này, vui lòng liên hệ tổng đài.",
        "Tôi không biết.",
        "Không tìm thấy thông tin phù hợp.",
        "I don't know.",
        "I’m not sure.",
        "Sorry, I don't have any information about that. Please contact support.",
        "The context does not mention the warranty period.",
        "I could not find an answer to that question.",
        "We are unable to answer this question.",
        "Hello there! How can I help you today?",
        "抱歉，我没有找到相关信息。",
        "我不知道这个问题的答案。",
        "您好！",
        "抱歉，资料中没有提到保修期的信息。",
        "Thank you for your question. I cannot help with that.",
    ],
)
def test_politeness_and_abstention_claim_nothing(answer: str) -> None:
    assert list_claims(answer) == []


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know, but it is for life.",
        "I don't know. The warranty is for life.",
        "Tôi không biết, nhưng bảo hành trọn đời.",
        "Xin chào, bảo hành trọn đời.",
        "Tôi không có thông tin về pin, bảo hành trọn đời.",
        "Tôi không biết gì ngoài việc bảo hành trọn đời.",
        "抱歉，我不知道，不过保修是终身的。",
        "您好，保修是终身的。",
        "Did you know that the warranty is for life?",
        "Isn't the warranty for life?",
        "I am not sure about 60 months",
        "I do not have pets.",
        "Yes, it is covered.",
        "1809.",
    ],
)
def test_in_doubt_it_is_a_claim(answer: str) -> None:
    assert list_claims(answer) != []


def test_a_claim_is_a_sentence_word_for_word_and_listed_once() -> None:
    answer = "Dạ, xin chào anh! Bảo hành 24 tháng. Bảo hành 24 tháng. Phí là 1.5 triệu. Anh cần gì nữa không ạ?"
    assert list_claims(answer) == ["Bảo hành 24 tháng.", "Phí là 1.5 triệu."]


@pytest.mark.parametrize(
    ("claim", "context", "supported"),
    [
        ("Bảo hành 24 tháng.", WARRANTY, True),
        ("Bảo hành 60 tháng.", WARRANTY, False),
        ("Bảo hành trọn đời.", WARRANTY, False),
        ("Pin không được bảo hành.", WARRANTY, True),
        ("Pin được bảo hành.", WARRANTY, False),
        ("Sản phẩm không được bảo hành 24 tháng.", WARRANTY, False),
        ("Phí đổi trả là 15 phần trăm.", WARRANTY, True),
        ("Phí đổi trả là 15 nghìn.", WARRANTY, False),
        ("The warranty is 24 months.", WARRANTY_EN, True),
        ("The warranty is 36 months.", WARRANTY_EN, False),
        ("The battery isn't covered.", WARRANTY_EN, True),
        ("The battery is covered.", WARRANTY_EN, False),
        ("Returns cost 1.000.000 dong.", WARRANTY_EN, True),
        ("The shop opens at nine.", WARRANTY_EN, False),
        ("保修期为24个月。", WARRANTY_ZH, True),
        ("保修期为２４个月。", WARRANTY_ZH, True),
        ("保修期为36个月。", WARRANTY_ZH, False),
        ("电池在保修范围内。", WARRANTY_ZH, False),
        ("店铺九点开门。", WARRANTY_ZH, False),
        ("Bảo hành 24 tháng.", WARRANTY_ZH, False),
    ],
)
def test_support(claim: str, context: str, supported: bool) -> None:
    found = check_claim(claim, ["Một đoạn khác.", context])
    assert found.supported is supported
    assert found.quote in context
    assert found.quote or not supported


def test_a_claim_may_rest_on_two_neighbouring_sentences_but_not_on_two_contexts() -> None:
    one, other = "The red kettle was made in Hanoi.", "It holds 2 litres."
    claim = "The red kettle made in Hanoi holds 2 litres."
    assert check_claim(claim, [f"{one} {other}"]).supported
    assert not check_claim(claim, [one, other]).supported


@pytest.mark.parametrize("contexts", [[], [""], ["…"]])
def test_nothing_supports_nothing(contexts: list[str]) -> None:
    assert check_claim("Bảo hành 24 tháng.", contexts).supported is False
    assert check_claim("…", ["Bảo hành 24 tháng."]).supported is False


def test_it_does_not_see_who_did_what_to_whom() -> None:
    """Kept as a test so that nobody takes it for understanding: words alone cannot tell these apart."""
    assert check_claim("The buyer pays the seller.", ["The seller pays the buyer."]).supported


@pytest.mark.parametrize(
    ("context", "expected", "relevant"),
    [
        (WARRANTY, "24 tháng", True),
        ("Đổi trả trong 6 tháng.", "24 tháng", False),
        (WARRANTY_EN, "The warranty is 24 months", True),
        ("Our shop opens at 9 every day.", "The warranty is 24 months", False),
        (WARRANTY_ZH, "保修期24个月", True),
        ("店铺每天9点开门。", "保修期24个月", False),
    ],
)
def test_relevance(context: str, expected: str, relevant: bool) -> None:
    assert is_relevant(context, expected, "?") is relevant


def test_an_expected_yes_is_read_with_its_question() -> None:
    question = "Is the battery covered by the warranty?"
    assert is_relevant("The warranty has the battery covered.", "Yes.", question)
    assert not is_relevant("Our shop opens at nine.", "Yes.", question)


@given(st.text(), st.lists(st.text(), max_size=3))
def test_no_text_breaks_it_and_every_quote_stands_in_a_context(answer: str, contexts: list[str]) -> None:
    for claim in list_claims(answer):
        found = check_claim(claim, contexts)
        assert any(found.quote in context for context in contexts) or found.quote == ""
        assert found.quote or not found.supported


def test_field_cases(shared: Path) -> None:
    """72: an instruction in answer or context changes nothing. 70: greetings and refusals claim nothing."""
    folder = shared / "cases" / "field"
    rows = {
        f"{case}/{row['sample_id']}": row
        for case in ("70-rag-no-claims", "72-rag-judge-injection")
        for row in map(json.loads, (folder / case / "golden.jsonl").read_text(encoding="utf-8").splitlines())
    }
    for name in ("s1", "s2", "s3"):
        assert list_claims(rows[f"70-rag-no-claims/{name}"]["generated_answer"]) == []
    for name in ("s1", "s2"):
        row = rows[f"72-rag-judge-injection/{name}"]
        claims = list_claims(row["generated_answer"])
        assert not check_claim(claims[0], row["retrieved_context"]).supported


def test_the_benchmark_agrees_with_people_as_documented(shared: Path) -> None:
    """docs/judges.md states it; 421 of 430 answers have a claim."""
    rows = [json.loads(line) for line in (shared / "data/rag/begin_wow_dev.jsonl").read_text("utf-8").splitlines()]
    claims = [(row, list_claims(row["generated_answer"])) for row in rows]
    judged = [
        (all(check_claim(claim, row["retrieved_context"]).supported for claim in found), bool(row["human_faithful"]))
        for row, found in claims
        if found
    ]
    agree = sum(ours == theirs for ours, theirs in judged) / len(judged)
    passed = sum(ours and not theirs for ours, theirs in judged) / sum(not theirs for _, theirs in judged)
    assert len(judged) == 421
    assert round(agree, 2) == 0.86
    assert round(passed, 2) == 0.13
