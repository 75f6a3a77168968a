"""Golden cases of a rag suite: what is read, and what is refused by sample and line."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairgate.errors import InputError
from fairgate.golden.rag import Sample, read_samples

WHOLE = {
    "sample_id": "s1",
    "user_query": "Bảo hành bao lâu?",
    "retrieved_context": ["Bảo hành 24 tháng.", "Mở cửa lúc 9 giờ."],
    "generated_answer": "24 tháng.",
    "expected_ground_truth": "24 tháng",
}


def read(folder: Path, *rows: dict[str, Any], columns: dict[str, str] | None = None, **needs: bool) -> list[Sample]:
    file = folder / "golden.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return read_samples(file, columns or {}, **({"answered": True, "truth": True} | needs))


def test_a_whole_case(tmp_path: Path) -> None:
    (found,) = read(tmp_path, WHOLE | {"tag": 3, "note": None})
    assert found == Sample(
        "s1", "Bảo hành bao lâu?", ("Bảo hành 24 tháng.", "Mở cửa lúc 9 giờ."), "24 tháng.", "24 tháng",
        fields={key: WHOLE[key] for key in ("sample_id", "user_query", "retrieved_context")} | {"tag": 3}, line=1,
    )  # fmt: skip


def test_other_column_names(tmp_path: Path) -> None:
    row = {"id": 7, "q": "?", "ctx": ["c"], "a": "b", "right": "b", "must": "abstain"}
    names = ("sample_id", "user_query", "retrieved_context", "generated_answer", "expected_ground_truth", "expected")
    (found,) = read(tmp_path, row, columns=dict(zip(names, row, strict=True)))
    assert (found.id, found.query, found.contexts, found.answer, found.truth, found.abstain) == (
        "7", "?", ("c",), "b", "b", True,
    )  # fmt: skip
    assert dict(found.fields) == {"id": 7, "q": "?", "ctx": ["c"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"retrieved_context": "one text"}, "is the text 'one text', expected a list of texts"),
        ({"retrieved_context": None}, "is missing or null, expected a list"),
        ({"retrieved_context": []}, "is an empty list"),
        ({"retrieved_context": [""]}, "context 1 of 1 is blank"),
        ({"retrieved_context": ["a", None]}, "context 2 of 2 is missing or null"),
        ({"retrieved_context": ["a", {"text": "b"}]}, "context 2 of 2 is an object"),
        ({"user_query": "  "}, "user_query is blank"),
        ({"user_query": None}, "user_query is missing or null"),
        ({"generated_answer": None}, "generated_answer is missing or null"),
        ({"generated_answer": 3}, "generated_answer is the number 3"),
        ({"expected_ground_truth": " "}, "expected_ground_truth is blank; context_precision needs"),
        ({"expected": "refuse"}, "expected is 'refuse'; the only value is abstain"),
    ],
)
def test_refused_by_sample_and_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, WHOLE, WHOLE | {"sample_id": "s2"} | change)
    assert "line 2: sample 's2': " in str(caught.value)
    assert message in str(caught.value)


def test_ids(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: sample 's1': the id stands twice \(also on line 1\)"):
        read(tmp_path, WHOLE, WHOLE)
    with pytest.raises(InputError, match="line 1: sample_id is blank"):
        read(tmp_path, WHOLE | {"sample_id": ""})


def test_what_may_be_absent(tmp_path: Path) -> None:
    assert read(tmp_path, WHOLE | {"generated_answer": ""})[0].answer == ""
    assert read(tmp_path, WHOLE | {"expected_ground_truth": None}, truth=False)[0].truth is None
    abstaining = WHOLE | {"expected": "abstain", "expected_ground_truth": None, "retrieved_context": []}
    assert read(tmp_path, abstaining)[0].contexts == ()
    (asked,) = read(tmp_path, {"sample_id": "s", "user_query": "?"}, answered=False, truth=False)
    assert (asked.contexts, asked.answer) == (None, None)


def test_missing_columns_and_other_formats(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'user_query' was not found"):
        read(tmp_path, {"sample_id": "s1", "query": "?"}, answered=False, truth=False)
    (tmp_path / "golden.csv").write_text("sample_id\n1\n")
    with pytest.raises(InputError, match="JSON lines"):
        read_samples(tmp_path / "golden.csv", {}, answered=False, truth=False)
