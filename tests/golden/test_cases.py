"""Golden cases: every one with an id of its own, fields as the file has them."""

from pathlib import Path

import pytest

from fairgate.errors import InputError
from fairgate.golden.cases import Case, read_cases


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_fields_are_text(tmp_path: Path) -> None:
    path = write(tmp_path, "c.csv", 'id;thu_nhap;ho_so\na1;018;"{ten},\nquê {que}"\n2;NA;\n')
    assert read_cases(path) == [
        Case("a1", {"thu_nhap": "018", "ho_so": "{ten},\nquê {que}"}, 2),
        Case("2", {"thu_nhap": "NA", "ho_so": ""}, 4),
    ]


def test_json_lines_keep_their_values_and_null_is_no_field(tmp_path: Path) -> None:
    text = '{"id": 7, "income": 18, "history": [{"role": "user", "content": "{ten}"}]}\n\n{"id": "b", "income": null}\n'
    first, second = read_cases(write(tmp_path, "c.jsonl", text))
    assert first == Case("7", {"income": 18, "history": [{"role": "user", "content": "{ten}"}]}, 1)
    assert second == Case("b", {}, 3)


@pytest.mark.parametrize(
    ("name", "text", "about"),
    [
        ("c.csv", "id,x\n", "no rows"),
        ("c.csv", "name,x\na,1\n", "id"),
        ("c.csv", "id,x\na,1\n ,2\n", "line 3: a case needs an id"),
        ("c.csv", "id,x\na,1\nb,1\na,1\n", "line 4: duplicate id 'a' (also on line 2)"),
        ("c.jsonl", '{"id": "1"}\n{"id": 1}\n', "line 2: duplicate id '1' (also on line 1)"),
        ("c.jsonl", '{"id": true}\n', "line 1: a case needs an id"),
        ("c.jsonl", '{"id": 1.5}\n', "found '1.5'"),
        ("c.jsonl", '{"id": "a"}\n{"x": 1}\n', "line 2: a case needs an id, a text or a whole number; found nothing"),
    ],
)
def test_refusals_name_the_line(tmp_path: Path, name: str, text: str, about: str) -> None:
    with pytest.raises(InputError) as error:
        read_cases(write(tmp_path, name, text))
    assert about in str(error.value)
    assert name in str(error.value)
