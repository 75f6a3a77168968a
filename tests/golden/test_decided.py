"""Decided cases: what is read, what refuses the file, who is absent."""

from pathlib import Path

import pytest

from fairgate.config import load
from fairgate.errors import FairgateError
from fairgate.golden.decided import Decided, read_decided
from fairgate.golden.reading import Needs
from fairgate.golden.tally import PROBABILITY_UNIT, Kind

HEADER = "id,label,prediction,sex\n"
GOOD = HEADER + "a,1,0,female\nb,0,1,male\nc,1,,male\n"


def read(
    folder: Path,
    content: str,
    *,
    more: str = "",
    name: str = "decided.csv",
    labels: bool = True,
    denominators: bool = True,
) -> Decided:
    (folder / name).write_text(content)
    (folder / "fairness.yaml").write_text(
        f"fairness:\n  name: s\n  cases: {name}\n  label: label\n  prediction: prediction\n"
        f"  attributes: {{sex: [female, male]}}\n{more}"
        "  rules: [{id: r, rate: error, attribute: sex, max_group_gap: 0.1}]\n"
    )
    project = load(folder / "fairness.yaml")
    return read_decided(project.config.fairness[0], project, ("fairness",), Needs(labels, denominators))


def refusal(folder: Path, content: str, **options: str) -> str:
    with pytest.raises(FairgateError) as refused:
        read(folder, content, **options)
    return str(refused.value)


def kinds(decided: Decided) -> list[tuple[object, ...]]:
    """Group, label, prediction and presence of every kind of case, as often as there are cases of it."""
    return [
        (kind.groups[0], kind.label, kind.prediction, kind.present)
        for kind, cases in decided.kinds.items()
        for _ in range(cases)
    ]


def test_values(tmp_path: Path) -> None:
    decided = read(tmp_path, HEADER + "a,1,0.0,female\nb,0.0,1,\nc,1.0,,x\nd,1,0,female\n")
    assert decided.kinds == {
        Kind(("female",), 1, 0): 2,
        Kind((None,), 0, 1): 1,
        Kind(("x",), 1, None): 1,
    }
    assert not decided.completeness_declared


def test_labels_are_not_looked_at_unless_a_rule_reads_them(tmp_path: Path) -> None:
    content = HEADER + "a,?,0,female\n"
    assert kinds(read(tmp_path, content, labels=False)) == [("female", None, 0, True)]
    assert "line 2: label '?' is not 0 or 1" in refusal(tmp_path, content)
    no_label = "id,prediction,sex\na,0,female\n"
    assert read(tmp_path, no_label, labels=False).kinds.total() == 1
    assert "'label' was not found" in refusal(tmp_path, no_label)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("a,1,0,female\n,0,1,male\n", ["line 3: id is blank"]),
        ("a,1,0,female\n,,,\n,,,\n", ["line 3: id is blank; every row needs one (and 1 more like this: 4)"]),
        ("a,1,0,female\n ,0,1,male\n", ["line 3: id is blank"]),
        ("a,1,0,female\nb,1,0,male\na,0,1,male\n", ["line 4: duplicate id 'a' (also on line 2)"]),
        ("a,,0,female\n", ["line 2: label '' is not 0 or 1"]),
        ("a,2,0,female\n", ["line 2: label '2' is not 0 or 1"]),
        ("a,1,nan,female\n", ["line 2: prediction 'nan' is not 0, 1 or blank", "holds 'nan' (once)"]),
        ("a,1, 1,female\nb,1,yes,male\n", ["prediction ' 1'", "'yes' (once)", "column 'prediction' holds"]),
        ("a,１,1,female\n", ["line 2: label '１'"]),
        ("a,1,1e0,female\n", ["prediction '1e0'"]),
    ],
)
def test_what_refuses_a_file(tmp_path: Path, rows: str, expected: list[str]) -> None:
    message = refusal(tmp_path, HEADER + rows)
    assert all(part in message for part in expected), message


def test_json_booleans_are_refused_with_what_was_seen(tmp_path: Path) -> None:
    content = '{"id": 1, "label": true, "prediction": 1, "sex": "male"}\n'
    message = refusal(tmp_path, content, name="decided.jsonl")
    assert "line 1: label 'true' is not 0 or 1" in message
    assert "column 'label' holds 'true' (once)" in message


def test_one_row_per_person(tmp_path: Path) -> None:
    header = "id,label,prediction,sex,person\n"
    unit = "  unit: person\n"
    assert read(tmp_path, header + "a,1,0,female,p\nb,1,0,female,q\n", more=unit).kinds.total() == 2
    repeated = refusal(tmp_path, header + "a,1,0,female,p\nb,1,0,female,p\n", more=unit)
    assert "line 3: duplicate person 'p' (also on line 2); cases of one person are not independent" in repeated
    assert "line 2: person is blank" in refusal(tmp_path, header + "a,1,0,female,\n", more=unit)


@pytest.mark.parametrize(
    ("declared", "spelling", "meant"),
    [
        ("[1, 2]", "1.0", "1"),
        ("[1, 1.0]", "1.0", "1.0"),
        ("[nữ, nam]", "nữ", "nữ"),
        ("[Male, male]", "male", "male"),
        ("[NA, ZA]", "NA", "NA"),
        ("[Male, Female]", "Male ", None),
        ("[Male, Female]", "male", None),
        ("[A, B]", "Ａ", None),
        ("[25, 26]", "25.5", None),
        ("[1.0, 2.0]", "1", "1.0"),
        ("[010, 1]", "10", None),
    ],
)
def test_groups_are_compared_as_text(tmp_path: Path, declared: str, spelling: str, meant: str | None) -> None:
    (tmp_path / "decided.csv").write_text(f"id,prediction,g\na,1,{spelling}\n")
    (tmp_path / "fairness.yaml").write_text(
        "fairness:\n  name: s\n  cases: decided.csv\n  prediction: prediction\n"
        f"  attributes: {{g: {declared}}}\n"
        "  rules: [{id: r, rate: selection, attribute: g, max_group_gap: 0.1}]\n"
    )
    project = load(tmp_path / "fairness.yaml")
    decided = read_decided(project.config.fairness[0], project, ("fairness",), Needs(labels=False, denominators=False))
    ((value,),) = (kind.groups for kind in decided.kinds)
    assert value == (spelling if meant is None else meant)
    assert (value in decided.declared["g"]) == (meant is not None)


@pytest.mark.parametrize(
    ("delimiter", "spelling", "value"),
    [
        (",", "0.91", 0.91),
        (",", "1", 1.0),
        (",", ".5", 0.5),
        (",", "5e-1", 0.5),
        (";", "0,91", 0.91),
        ("\t", "0,91", 0.91),
        (",", '"0,91"', None),
        (",", "1.2", None),
        (",", "-0.1", None),
        (",", "nan", None),
        (",", "inf", None),
        (",", "", None),
        (",", "０.5", None),
        (",", "1_0e-2", None),
    ],
)
def test_probabilities(tmp_path: Path, delimiter: str, spelling: str, value: float | None) -> None:
    content = delimiter.join(["id", "label", "prediction", "sex", "p"]) + "\n"
    content += delimiter.join(["a", "1", "1", "male", spelling]) + "\n"
    decided = read(tmp_path, content, more="  probability: p\n")
    ((kind, cases),) = decided.kinds.items()
    assert cases == 1
    assert (kind.bin is None) == (value is None)
    assert decided.probabilities[kind] / PROBABILITY_UNIT == pytest.approx(value or 0, abs=1e-10)
    assert dict(decided.odd_probabilities) == ({spelling.strip('"'): 1} if value is None and spelling else {})


def test_expected_number(tmp_path: Path) -> None:
    decided = read(tmp_path, GOOD, more="  expected: {cases: 5}\n")
    assert (decided.unknown, decided.completeness_declared, decided.kinds.total()) == (2, True, 3)
    assert read(tmp_path, GOOD, more="  expected: {cases: 3}\n").unknown == 0
    assert "3 rows where `expected` says 2 cases" in refusal(tmp_path, GOOD, more="  expected: {cases: 2}\n")


@pytest.mark.parametrize(
    ("name", "content", "unknown", "rows"),
    [
        ("ids.txt", "a\nb\n\nc\nd\n", 1, 3),
        ("ids.csv", "id\na\nb\nc\nd\n", 1, 3),
        ("ids.csv", "id,sex\na,female\nb,male\nc,male\nd,male\n", 1, 3),
        ("ids.csv", "id,sex,label\na,female,1\nb,male,0.0\nc,male,1\nd,male,1\n", 0, 4),
        ("ids.jsonl", '{"id": "a"}\n{"id": "b"}\n{"id": "c"}\n{"id": "d"}\n', 1, 3),
    ],
)
def test_expected_ids(tmp_path: Path, name: str, content: str, unknown: int, rows: int) -> None:
    (tmp_path / name).write_text(content)
    decided = read(tmp_path, GOOD, more=f"  expected: {{ids: {name}}}\n")
    assert (decided.unknown, decided.kinds.total(), decided.completeness_declared) == (unknown, rows, True)
    if rows == 4:
        assert kinds(decided)[3] == ("male", 1, None, False)


def test_groups_alone_are_enough_where_no_denominator_needs_the_label(tmp_path: Path) -> None:
    (tmp_path / "ids.csv").write_text("id,sex\na,female\nb,male\nc,male\nd,x\n")
    decided = read(tmp_path, GOOD, more="  expected: {ids: ids.csv}\n", denominators=False)
    assert decided.unknown == 0
    assert kinds(decided)[3] == ("x", None, None, False)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("id\na\nb\n", "line 4: id 'c' is not among the expected ids"),
        ("id\na\nb\nc\nc\n", "line 5: duplicate id 'c'"),
        ("id,sex,label\na,male,1\nb,male,0\nc,male,1\n", "id 'a' has sex 'male' here and 'female' in"),
        ("id,sex,label\na,female,0\nb,male,0\nc,male,1\n", "id 'a' has label label '0' here and '1' in"),
        ("id,sex,label\na,female,1\nb,male,0\nc,male,\n", "line 4: label '' is not 0 or 1"),
    ],
)
def test_expected_ids_that_are_refused(tmp_path: Path, content: str, expected: str) -> None:
    (tmp_path / "ids.csv").write_text(content)
    assert expected in refusal(tmp_path, GOOD, more="  expected: {ids: ids.csv}\n")


@pytest.mark.parametrize(("expected", "came"), [("100", "100.0"), ("100", "1e2"), ("0.5", "5e-1"), ("007", "7")])
def test_ids_that_are_the_same_number_in_other_words_are_told(tmp_path: Path, expected: str, came: str) -> None:
    (tmp_path / "ids.txt").write_text(f"{expected}\n")
    message = refusal(tmp_path, f"{HEADER}{came},1,0,female\n", more="  expected: {ids: ids.txt}\n")
    assert f"id '{came}' is not among the expected ids of" in message
    assert f"'{expected}' is, but ids are compared as text: write both alike" in message


def test_an_empty_list_of_ids_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("\n")
    assert "no ids were found" in refusal(tmp_path, GOOD, more="  expected: {ids: ids.txt}\n")
