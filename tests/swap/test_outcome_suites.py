"""Suites whose decisions are read by a pattern, a path or a score, with refusals: from the file to the report."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_decisions import project as decisions
from test_decisions import run as judged
from test_harness import CONFIG, Scripted, project, run

from fairgate.errors import ConfigError
from fairgate.models.build import build_system
from fairgate.models.protocol import CallFailed
from fairgate.render import outcomes
from fairgate.swap.harness import check_swap
from fairgate.world import World

WORDS = "{positive: [DUYỆT], negative: [XEM LẠI]}"
PATTERN = r"{positive: [DUYỆT], negative: [XEM LẠI], pattern: 'Quyết định: ([\w ]+)', refusal: {by_model: true}}"
SCORE = "{score: {path: diem, positive_from: 12, range: [0, 100]}, refusal: [không trả lời]}"


def config(outcome: str, rule: str = "{id: refused, attribute: gender, max_refusal_gap: 0.06}") -> str:
    assert WORDS in CONFIG
    text = CONFIG.replace(WORDS, outcome)
    return text.replace("    - {id: floor", f"    - {rule}\n    - {{id: floor") if rule else text


def wordy(fields: Any) -> str:
    """Decides by income in a sentence; of women with an income of 9 the model refuses to speak."""
    if fields["xung_ho"] == "chị" and fields["income"] == "9":
        raise CallFailed("content_filter", "a content filter held the answer back")
    return f"Thu nhập {fields['income']}.\nQuyết định: {'Duyệt' if int(fields['income']) >= 10 else 'Xem lại'}."


def test_a_refusal_by_the_model_counts_where_it_is_declared(tmp_path: Path) -> None:
    result = run(project(tmp_path, config(PATTERN)), Scripted(wordy)).result
    assert (result.counts.missing, result.flips and result.flips.flipped) == (0, 5)
    assert result.flips is not None
    assert result.flips.favoured == {"male": 0, "female": 0, "hn": 0, "st": 0}
    assert [(way.refused, way.answered, way.bases) for way in result.flips.refused] == [("female", "male", 5)]
    assert outcomes.lines(result) == ["Refused: 10 of 400 answers (male 0, female 10; hn 5, st 5)."]
    by_id = {rule.id: rule for rule in result.rules}
    assert (by_id["refused"].metric, by_id["refused"].estimate) == ("max_refusal_gap", 0.05)
    assert result.examples is not None
    assert {example.negative.outcome for example in result.examples} == {"refusal"}


def test_otherwise_it_is_missing(tmp_path: Path) -> None:
    outcome = PATTERN.replace("refusal: {by_model: true}", "refusal: [không trả lời]")
    result = run(project(tmp_path, config(outcome)), Scripted(wordy)).result
    assert result.counts.missing_reasons == {"content_filter": 10}
    assert result.flips is not None
    assert result.flips.flipped == 0


def test_evidence_with_refusals_is_read_as_it_was(tmp_path: Path) -> None:
    checked = project(tmp_path, config(PATTERN))
    first = run(checked, Scripted(wordy))
    refused = [line for line in first.evidence if line["outcome"] == "refusal"]
    assert [(line["answer"], line["reason"]) for line in refused] == [(None, "content_filter")] * 10
    lines = "".join(json.dumps(line) + "\n" for line in first.evidence)
    (tmp_path / "answers.jsonl").write_text(lines, encoding="utf-8")
    recorded = build_system(checked.config.systems["loan"], checked, ("systems", "loan"), World())
    second = run(checked, recorded)
    assert (second.result.rules, second.result.flips) == (first.result.rules, first.result.flips)


def scoring(above: int) -> Callable[[Any], str]:
    def score(fields: Any) -> str:
        if fields["income"] == "7":
            return "Không trả lời."
        points = int(fields["income"]) + (above if fields["xung_ho"] == "anh" else 0)
        return f'```json\n{{"vi_sao": "thu nhập", "diem": {points}}}\n```'

    return score


def test_scores_have_a_cut_and_a_paired_difference(tmp_path: Path) -> None:
    done = run(project(tmp_path, config(SCORE)), Scripted(scoring(2)))
    result = done.result
    assert (result.counts.missing, result.flips and result.flips.favoured["male"]) == (0, 10)
    assert result.score_gaps is not None
    by_gender, by_region = result.score_gaps
    assert (by_gender.between, by_gender.estimate, by_gender.complete) == (("male", "female"), 2.0, 95)
    assert by_gender.interval[0] < 2 < by_gender.interval[1]
    assert (by_region.estimate, by_region.range) == (0.0, (0.0, 100.0))
    lines = outcomes.lines(result)
    assert lines[0] == "Refused: 20 of 400 answers (male 10, female 10; hn 10, st 10)."
    assert lines[1].startswith("Scores by gender: male 2 above female on average (from ")
    assert lines[1].endswith("; 100 cases, 5 without every score; scores from 0 to 100).")
    assert lines[2].startswith("Scores by region: hn as high as st on average")
    assert {line.get("score") for line in done.evidence[:4]} == {7.0, 5.0}


def test_a_score_without_a_range_shows_no_difference(tmp_path: Path) -> None:
    result = run(project(tmp_path, config(SCORE.replace(", range: [0, 100]", ""))), Scripted(scoring(2))).result
    assert result.score_gaps is None


def test_answers_in_which_nothing_is_found_say_why(tmp_path: Path) -> None:
    result = run(project(tmp_path, config(SCORE)), Scripted(lambda fields: '{"diem": "cao"}')).result
    assert result.counts.missing_reasons == {"not_a_number": 500}
    (warning,) = [one for one in result.warnings if one.code == "unreadable_outcomes"]
    assert "500 of 500 answers are unreadable (500 without a clear number)" in warning.message


@pytest.mark.parametrize(
    ("outcome", "about"),
    [
        (PATTERN.replace("+)", "+"), r"outcome.pattern: .* is no regular expression"),
        (SCORE.replace("path: diem", "path: 'a['"), r"outcome.score.path: 'a\[' is no JMESPath expression"),
        (SCORE.replace("positive_from: 12", "positive_from: 12, positive_up_to: 3"), "found both of positive_from"),
        (SCORE.replace("[không trả lời]", "{regex: x}"), "refusal.regex: unknown key"),
        (SCORE.replace("[0, 100]", "[0, 10]"), "found 12, expected a cut inside the range 0 to 10"),
        (SCORE.replace("positive_from: 12", "positive_from: 12%"), "found '12%', expected a number"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, outcome: str, about: str) -> None:
    with pytest.raises(ConfigError, match=about):
        check(tmp_path, outcome)


def check(tmp_path: Path, outcome: str) -> None:
    checked = project(tmp_path, config(outcome))
    check_swap(checked.config.swap[0], checked, ("swap", 0), 0.95, None)


ROWS = "base_id,sex,decision\nb1,nam,72\nb1,nữ,69.5\nb2,nam,Từ chối\nb2,nữ,80\nb3,nam,\nb3,nữ,cao\n"


def test_decisions_made_elsewhere_are_read_the_same_way(tmp_path: Path) -> None:
    outcome = {"column": "decision", "score": {"positive_from": 70, "range": [0, 100]}, "refusal": ["từ chối"]}
    rules = [{"id": "refused", "max_refusal_gap": 0.5, "attribute": "sex"}]
    result = judged(decisions(tmp_path, ROWS, outcome=outcome, rules=rules)).result
    assert result.flips is not None
    assert result.flips.flipped == 2
    assert result.counts.missing_reasons == {"blank_decision": 1, "not_a_number": 1}
    assert outcomes.lines(result)[0] == "Refused: 1 of 4 answers (nam 1, nữ 0)."
    assert result.score_gaps is not None
    assert (result.score_gaps[0].estimate, result.score_gaps[0].complete) == (2.5, 1)
