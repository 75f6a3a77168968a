"""Decisions made elsewhere: the same grid, with public data and its published counts."""

import csv
import json
import os
import random
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from fairgate.config.project import Project, load
from fairgate.errors import InputError
from fairgate.models.watch import Nobody
from fairgate.swap.harness import SwapRun, check_swap, judge_swap, questions
from fairgate.world import World

WHERE = ("swap", 0)
SHARED = Path(os.environ.get("FAIRGATE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")


def project(tmp_path: Path, rows: str, name: str = "runs.csv", **suite: Any) -> Project:
    (tmp_path / name).write_text(rows, encoding="utf-8")
    config = {
        "name": "elsewhere",
        "decisions": name,
        "base": "base_id",
        "axes": {"sex": ["nam", "nữ"]},
        "outcome": {"column": "decision", "positive": ["DUYỆT", "1"], "negative": ["XEM LẠI", "0"]},
        "rules": [{"id": "flips", "max_flip_rate": 0.05}],
    } | suite
    (tmp_path / "fairgate.yaml").write_text(json.dumps({"swap": config}, ensure_ascii=False), encoding="utf-8")
    return load(tmp_path / "fairgate.yaml")


def run(checked: Project) -> SwapRun:
    return judge_swap(checked.config.swap[0], checked, WHERE, 0.95, None, World(), Nobody())


def flipped(done: SwapRun) -> tuple[int, int, int]:
    flips = done.result.flips
    assert flips is not None
    return flips.bases, flips.complete, flips.flipped


HEADER = "base_id,sex,decision\n"


@pytest.mark.parametrize(
    ("rows", "expected", "reasons"),
    [
        ("b1,nam,1\nb1,nữ,1\nb2,nam,1\nb2,nữ,0\n", (2, 2, 1), {}),
        ("b1,nam,1.0\nb1,nữ,1\n", (1, 1, 0), {}),
        ("b1,nam,1\nb1,nữ,\n", (1, 0, 0), {"blank_decision": 1}),
        ("b1,nam,1\nb1,nữ,maybe\n", (1, 0, 0), {"unreadable_outcome": 1}),
        ("b1,nam,1\n", (1, 0, 0), {"row_absent": 1}),
        ("b1,nam,1\nb1,nam,0\nb1,nữ,0\nb2,nam,1\nb2,nữ,1\n", (2, 1, 1), {"row_absent": 1}),
    ],
)
def test_rows_become_a_grid(tmp_path: Path, rows: str, expected: tuple[int, int, int], reasons: dict[str, int]) -> None:
    done = run(project(tmp_path, HEADER + rows))
    assert flipped(done) == expected
    assert done.result.counts.missing_reasons == reasons
    assert done.result.counts.completeness == "not_declared"
    assert (done.result.system, done.answers) == (None, {})


def test_the_base_with_most_decisions_sets_how_many_are_expected_and_is_named(tmp_path: Path) -> None:
    done = run(project(tmp_path, HEADER + "b1,nam,1\nb1,nam,0\nb1,nữ,0\nb2,nam,1\nb2,nữ,1\n"))
    assert done.result.warnings[0].code == "uneven_cells"
    assert "Base b1 has 2 decisions for nam" in done.result.warnings[0].message


def test_levels_written_as_decimals(tmp_path: Path) -> None:
    checked = project(tmp_path, HEADER + "b1,1.0,1\nb1,2.0,0\n", axes={"sex": ["1", "2"]})
    assert flipped(run(checked)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("rows", "about"),
    [
        ("b1,nam,1\nb1,nu,1\n", "line 3: column 'sex': 'nu' is not a declared level; declared: nam, nữ"),
        ("b1,nam,1\nb1,,1\n", "line 3: column 'sex': is blank"),
        ("b1,nam,1\n ,nữ,1\n", "line 3: column 'base_id' is blank"),
    ],
)
def test_rows_that_belong_nowhere_refuse_the_file(tmp_path: Path, rows: str, about: str) -> None:
    with pytest.raises(InputError) as error:
        run(project(tmp_path, HEADER + rows))
    assert about in str(error.value)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'decision' was not found"):
        run(project(tmp_path, "base_id,sex,decisions\nb1,nam,1\n"))


@pytest.mark.parametrize(
    "expected", [{"cases": 3}, {"ids": "ids.txt"}, {"ids": "ids.csv"}]
)  # fmt: skip
def test_expected_bases_that_are_wholly_absent_stay_expected(tmp_path: Path, expected: dict[str, Any]) -> None:
    (tmp_path / "ids.txt").write_text("b1\nb2\nb3\n")
    (tmp_path / "ids.csv").write_text("id,more\nb1,x\nb2,x\nb3,x\n")
    done = run(project(tmp_path, HEADER + "b1,nam,1\nb1,nữ,1\nb3,nam,1\nb3,nữ,0\n", expected=expected))
    assert flipped(done) == (3, 2, 1)
    assert done.result.counts.missing_reasons == {"base_absent": 2}
    assert done.result.counts.completeness == "declared"


@pytest.mark.parametrize(
    ("expected", "about"),
    [
        ({"cases": 1}, "2 bases where `expected` says 1"),
        ({"ids": "ids.txt"}, "base 'b2' is not among the expected ids"),
    ],
)
def test_more_than_expected_is_refused(tmp_path: Path, expected: dict[str, Any], about: str) -> None:
    (tmp_path / "ids.txt").write_text("b1\n")
    with pytest.raises(InputError) as error:
        run(project(tmp_path, HEADER + "b1,nam,1\nb2,nữ,1\n", expected=expected))
    assert about in str(error.value)


def test_checks_and_questions(tmp_path: Path) -> None:
    checked = project(tmp_path, HEADER + "b1,nam,1\nb1,nữ,1\n")
    (finding,) = check_swap(checked.config.swap[0], checked, WHERE, 0.95, None)
    assert "With 1 case a flip limit of 5 % can never pass; 59 are needed." in finding.message
    assert questions(checked.config.swap[0], checked, WHERE) == []


@pytest.mark.parametrize("seed", range(12))
def test_blanked_and_lost_rows_never_improve_a_verdict(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    flip, hide = chance.choice([0, 0.02, 0.2]), chance.choice([0.01, 0.1, 0.9])
    rows = []
    for base in range(70):
        first = chance.choice("10")
        second = first if chance.random() >= flip else "10"[int(first)]
        rows += [[f"b{base}", "nam", first], [f"b{base}", "nữ", second]]
    lost = [row for row in rows if chance.random() >= hide]
    hidden = [[*row[:2], "" if chance.random() < hide else row[2]] for row in lost] or [[*rows[0][:2], ""]]
    rules = [
        {"id": "flips", "max_flip_rate": 0.06},
        {"id": "floor", "rate": "selection", "attribute": "sex", "worst_group": {"min": 0.35}},
    ]
    full, less = (
        run(project(tmp_path, HEADER + "".join(",".join(row) + "\n" for row in table), rules=rules,
                    expected={"cases": 70})).result
        for table in (rows, hidden)
    )  # fmt: skip
    for before, after in zip(full.rules, less.rules, strict=True):
        assert after.verdict == before.verdict or after.verdict in ("INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW")


# --- what others published -------------------------------------------------------------------------------------------

RACE_GENDER = {"race": ["Asian", "Black", "Hispanic", "white"], "gender": ["female", "male"]}


def shared(*parts: str) -> Path:
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip("../shared is not here")
    return path


@pytest.mark.parametrize(
    ("model", "prompt", "count"),
    [("gpt-4.1", "default", 10), ("gpt-4.1", "removed", 0), ("qwen2.5-7b-instruct", "default", 3),
     ("qwen2.5-7b-instruct", "removed", 0)],
)  # fmt: skip
def test_discrim_eval_flips(tmp_path: Path, model: str, prompt: str, count: int) -> None:
    with shared("data", "swap", f"discrim_eval_decisions_{model}.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["prompt_format"] == prompt]
    axes = {axis: sorted({row[axis] for row in rows}) for axis in ("race", "gender")}
    text = "base_id,race,gender,decision\n" + "".join(
        f"{row['base_id']},{row['race']},{row['gender']},{row['decision']}\n" for row in rows
    )
    done = run(project(tmp_path, text, axes=axes, expected={"cases": 65}))
    assert flipped(done) == (65, 65, count)
    assert len(done.evidence) == 65 * 8


def test_incomplete_bases_are_counted_not_dropped(tmp_path: Path) -> None:
    text = shared("data", "swap", "aihiring_gpt-3.5-turbo.csv").read_text(encoding="utf-8")
    axes = {"gender": ["female", "male"], "race": ["AA_US", "White_US"]}
    done = run(project(tmp_path, text, axes=axes))
    assert flipped(done)[:2] == (81, 40)
    assert done.result.counts.expected == 81 * 36
    assert done.result.counts.missing_reasons == {"row_absent": 81 * 36 - 2761}


def test_spellings_of_one_decision_do_not_flip(tmp_path: Path) -> None:
    lines = shared("cases", "field", "68-swap-decision-spelling", "runs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{**row, "sex": row.pop("variant")["sex"]} for row in map(json.loads, lines)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    done = run(project(tmp_path, text, name="runs.jsonl"))
    assert flipped(done) == (6, 4, 0)
    assert done.result.counts.missing_reasons == {"unreadable_outcome": 2}
    assert "KHÔNG DUYỆT" in done.result.counts.unreadable


@pytest.mark.parametrize("expected", [{"cases": 3}, {"ids": "ids.txt"}])
def test_with_expected_a_base_has_one_decision_for_each_level(tmp_path: Path, expected: dict[str, Any]) -> None:
    rows = "base_id,sex,decision\n" + "".join(f"b{n},{sex},1\n" for n in range(3) for sex in ("nam", "nữ"))
    (tmp_path / "ids.txt").write_text("b0\nb1\nb2\n", encoding="utf-8")
    checked = project(tmp_path, rows + "b1,nam,0\n", expected=expected)
    with pytest.raises(InputError, match=r"line 8: base 'b1' has a second decision for nam"):
        judge_swap(checked.config.swap[0], checked, WHERE, 0.95, None, World(), Nobody())


def test_a_base_in_another_unicode_form_is_the_same_base(tmp_path: Path) -> None:
    rows = "base_id,sex,decision\n" + "Hà,nam,1\n" + unicodedata.normalize("NFD", "Hà ,nữ,0\n")
    checked = project(tmp_path, rows, axes={"sex": ["nam", "nữ"]})
    done = judge_swap(checked.config.swap[0], checked, WHERE, 0.95, None, World(), Nobody())
    assert done.result.flips is not None
    assert (done.result.flips.bases, done.result.flips.flipped) == (1, 1)
