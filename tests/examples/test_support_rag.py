"""The support example's own data: languages, planted faults, and what the embedded judge makes of each answer."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from fairgate.judges.lexical import check_claim, is_relevant, list_claims

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "support-rag"
PLANTED = {"vi-warranty", "en-refund", "zh-car", "en-ceo", "vi-return", "zh-warranty"}
ABSTAIN = {"vi-tax", "en-ceo"}
FIELDS = {"sample_id", "user_query", "retrieved_context", "generated_answer", "expected_ground_truth"}

Sample = dict[str, Any]


@pytest.fixture(scope="module")
def samples() -> dict[str, Sample]:
    lines = (EXAMPLE / "golden" / "support.jsonl").read_text(encoding="utf-8").splitlines()
    return {sample["sample_id"]: sample for sample in map(json.loads, lines)}


def readme() -> str:
    return (EXAMPLE / "README.md").read_text(encoding="utf-8")


def unsupported(sample: Sample) -> list[str]:
    claims = list_claims(sample["generated_answer"])
    return [claim for claim in claims if not check_claim(claim, sample["retrieved_context"]).supported]


def relevant(sample: Sample) -> list[bool]:
    expected, question = sample["expected_ground_truth"], sample["user_query"]
    return [is_relevant(context, expected, question) for context in sample["retrieved_context"]]


def test_fourteen_answers_in_three_languages(samples: dict[str, Sample]) -> None:
    assert len(samples) == 14
    assert {name.split("-")[0] for name in samples} == {"vi", "en", "zh"}
    assert {name for name, sample in samples.items() if sample.get("expected") == "abstain"} == ABSTAIN
    assert all(set(sample) - {"expected"} == FIELDS for sample in samples.values())
    assert f"{len(samples)} invented questions" in readme()


def test_the_readme_lists_every_planted_fault_and_no_other() -> None:
    rows = re.findall(r"^\| `([a-z]+-[a-z]+)` \|", readme(), re.MULTILINE)
    assert len(rows) == len(PLANTED)
    assert set(rows) == PLANTED


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("vi-warranty", "Bảo hành áp dụng cho cả đèn bị rơi vỡ."),
        ("en-refund", "Goods can be returned within 30 days in their original box."),
        ("zh-car", "首次事故全额赔付并赠送道路救援。"),
        ("en-ceo", "The chief executive of Hai Dang is Minh Vo."),
    ],
)
def test_a_planted_hallucination_is_the_only_claim_without_a_source(
    samples: dict[str, Sample], name: str, words: str
) -> None:
    assert unsupported(samples[name]) == [words]


def test_every_other_claim_has_a_source(samples: dict[str, Sample]) -> None:
    found = {name for name, sample in samples.items() if unsupported(sample)}
    assert found == {"vi-warranty", "en-refund", "zh-car", "en-ceo"}


def test_the_useful_context_comes_first_except_where_it_was_planted(samples: dict[str, Sample]) -> None:
    vectors = {name: relevant(sample) for name, sample in samples.items()}
    assert vectors.pop("vi-return") == [False, False, True]
    assert not any(any(vectors.pop(name)) for name in ABSTAIN)
    assert all(vector == [True, False] for vector in vectors.values())


def test_to_abstain_claims_nothing(samples: dict[str, Sample]) -> None:
    assert list_claims(samples["vi-tax"]["generated_answer"]) == []


def test_the_same_in_other_words_is_beyond_words(samples: dict[str, Sample]) -> None:
    other = "You have two days to tell us about water damage"
    assert other in " ".join(readme().split())
    assert not check_claim(other + ".", samples["en-damage"]["retrieved_context"]).supported


def test_the_two_configurations_differ_in_who_judges_and_in_relevance_alone() -> None:
    words, model = (
        yaml.safe_load((EXAMPLE / name).read_text(encoding="utf-8"))["rag"]
        for name in ("fairgate.yaml", "fairgate-model.yaml")
    )
    assert (words.pop("judge"), model.pop("judge")) == ("words", "local")
    (relevance,) = [rule for rule in model["rules"] if rule["metric"] == "answer_relevance"]
    model["rules"].remove(relevance)
    assert words == model
