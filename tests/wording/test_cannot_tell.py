"""Each sentence stands exactly where a suite gives cause for it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "render"))

from rag_samples import lexical_suite, mean_suite, rag_suite
from report_samples import fairness_suite, swap_suite

from fairgate.results import SuiteResult
from fairgate.wording.cannot_tell import cannot_tell

ALWAYS = ["ought to be equal", "declared were compared", "equality law"]
OF_ANSWERS = ["good enough", "No groups of people", "equality law"]
OF_DECIDED = ["different person", "labels", "beyond chance", "completeness"]


def changed(**fields: object) -> SuiteResult:
    """The decided suite, with other fields."""
    return fairness_suite().model_copy(update=fields)


DECLARED = fairness_suite().counts.model_copy(update={"completeness": "declared"})
SELECTION_ONLY = [rule for rule in fairness_suite().rules if rule.rate == "selection"]


@pytest.mark.parametrize(
    ("suites", "told"),
    [
        ([], ALWAYS),
        ([swap_suite()], [*ALWAYS, "criteria are reasonable"]),
        ([fairness_suite()], [*ALWAYS, *OF_DECIDED]),
        ([changed(assumption=None)], [*ALWAYS, *OF_DECIDED[1:]]),
        ([changed(rules=SELECTION_ONLY)], [*ALWAYS, "different person", "beyond chance", "completeness"]),
        ([changed(calibration=None)], [*ALWAYS, "different person", "labels", "completeness"]),
        ([changed(counts=DECLARED)], [*ALWAYS, *OF_DECIDED[:3]]),
        ([rag_suite()], [*OF_ANSWERS, "a model errs", "sources are right"]),
        ([mean_suite()], [*OF_ANSWERS, "a model errs", "no ground truth", "sources are right"]),
        ([lexical_suite()], [*OF_ANSWERS, "only sees words", "sources are right"]),
        ([swap_suite(), lexical_suite()], [*ALWAYS, "criteria are", "only sees words", "sources are right"]),
    ],
)
def test_each_sentence_where_it_applies(suites: list[SuiteResult], told: list[str]) -> None:
    sentences = cannot_tell(suites)
    assert len(sentences) == len(told)
    for words in told:
        assert sum(words in sentence for sentence in sentences) == 1, words


def test_the_law_closes_and_attributes_are_named() -> None:
    sentences = cannot_tell([swap_suite(), fairness_suite()])
    assert "equality law" in sentences[-1]
    assert "region, gender, sex, age_band" in sentences[1]
