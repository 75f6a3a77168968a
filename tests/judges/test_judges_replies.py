"""Reading what a judge replied: JSON wherever it stands, ids as they were asked for."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judges_desk import BACK, CHECK, GOOD, LIST, RANK, WHOLE, checked, verdict

from fairgate.judges.replies import TASKS, read_judgement
from fairgate.models.embedded import json_objects

FIELDS = {"list_claims": LIST, "check_claims": CHECK, "judge_contexts": RANK, "ask_back": BACK}


def read(text: str, fields: dict[str, Any] = CHECK) -> tuple[dict[str, Any] | None, str]:
    judgement = read_judgement(text, TASKS[fields["task"]], fields)
    return judgement.value, "; ".join(judgement.problems)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"\n {WHOLE} \n",
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}\n```",
        f"Here is my {{careful}} verdict:\n{WHOLE}\nI hope this helps {{you}}.",
        f"<think>maybe {checked(verdict(1), verdict(2))}?</think>\n{WHOLE}",
        f"{WHOLE}\n{WHOLE}",
        json.dumps({**GOOD, "confidence": 0.9}),
        json.dumps({"verdicts": [{**entry, "reason": "x"} for entry in GOOD["verdicts"]]}),
        json.dumps({"verdicts": GOOD["verdicts"][::-1]}),
        json.dumps({"verdicts": [verdict(1), {"id": 2, "supported": False, "quote": None}]}),
        json.dumps({"verdicts": [verdict(1), {"id": 2, "supported": False}]}),
    ],
)
def test_json_is_found_wherever_it_stands(text: str) -> None:
    assert read(text) == (GOOD, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no whole JSON object"),
        ("I cannot say.", "no whole JSON object"),
        (WHOLE[:-3], "verdicts: Field required"),
        ('{"verdicts": NaN}', "no whole JSON object"),
        (json.dumps(GOOD["verdicts"]), "valid dictionary"),
        ('{"verdicts": [{"id": 1, "quote": "x", "supported": "yes"}]}', "verdicts.0.supported"),
        ('{"verdicts": [{"id": "1", "quote": "x", "supported": true}]}', "verdicts.0.id"),
        ('{"verdicts": [{"id": true, "quote": "x", "supported": true}]}', "verdicts.0.id"),
        ('{"verdicts": [{"id": 1, "quote": "x", "supported": null}]}', "verdicts.0.supported"),
        ('{"verdicts": []}', "no verdict for id 1, 2"),
        (checked(verdict(0), verdict(1)), "there is no id 0; the ids are 1 to 2; no verdict for id 2"),
        (checked(verdict(1), verdict(2), verdict(3)), "there is no id 3"),
        (checked(verdict(1), verdict(1), verdict(2)), "more than one verdict for id 1"),
        (f"{WHOLE} or rather {checked(verdict(1), verdict(2))}", "several different JSON objects"),
    ],
)
def test_what_cannot_be_used_has_a_problem_and_no_value(text: str, problem: str) -> None:
    value, problems = read(text)
    assert value is None
    assert problem in problems


def test_a_missing_id_leaves_the_others_usable() -> None:
    assert read(checked(verdict(2))) == ({"verdicts": [verdict(2)]}, "no verdict for id 1")


def test_claims_are_listed_once_each_and_none_is_blank() -> None:
    assert read('{"claims": [" A  b ", "a b", "c"]}', LIST) == ({"claims": ["A  b", "c"]}, "")
    assert read('{"claims": []}', LIST) == ({"claims": []}, "")
    assert read('{"claims": ["a", " "]}', LIST)[0] is None


@pytest.mark.parametrize(
    ("questions", "kept", "problem"),
    [
        (["a?", "b?", "c?"], ["a?", "b?", "c?"], ""),
        (["a?", "b?", "c?", "d?"], ["a?", "b?", "c?"], ""),
        (["a?", "A?", "b?"], ["a?", "b?"], "expected 3 different questions, found 2"),
        ([], [], "expected 3 different questions, found 0"),
    ],
)
def test_as_many_different_questions_as_were_asked_for(questions: list[str], kept: list[str], problem: str) -> None:
    assert read(json.dumps({"questions": questions}), BACK) == ({"questions": kept}, problem)


def test_relevance_is_read_by_id() -> None:
    found = [{"id": 2, "relevant": False}, {"id": 1, "relevant": True}]
    assert read(json.dumps({"verdicts": found}), RANK) == ({"verdicts": found[::-1]}, "")


@pytest.mark.parametrize(
    ("task", "reply"),
    [
        ("list_claims", {"claims": ["a"]}),
        ("check_claims", GOOD),
        ("judge_contexts", {"verdicts": [{"id": 1, "relevant": True}, {"id": 2, "relevant": False}]}),
        ("ask_back", {"questions": ["a", "b", "c"]}),
    ],
)
def test_the_schema_admits_what_the_check_admits(task: str, reply: dict[str, Any]) -> None:
    schema = TASKS[task].schema
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(reply, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**reply, "more": 1}, schema)
    assert read(json.dumps(reply), FIELDS[task]) == (reply, "")


@given(st.text(st.sampled_from('{}[]":,1ae \n\\')))
def test_no_text_breaks_the_reading(text: str) -> None:
    read(text)


def test_a_long_run_of_braces_is_given_up() -> None:
    assert json_objects("{" * 100_000) == []
    assert json_objects('{"a":' * 20_000) == []
