"""Tables are read as the text that people wrote, or refused with the line that cannot be read."""

import gzip
from pathlib import Path

import pytest

from fairgate.errors import InputError
from fairgate.golden.table import Table, read_lines, read_table

NEEDED = ("id", "label")


def write(folder: Path, content: str | bytes, name: str = "cases.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def cells(table: Table) -> list[dict[str, object]]:
    return [row.cells for row in table.rows]


def refusal(folder: Path, content: str | bytes, name: str = "cases.csv", **options: bool) -> str:
    with pytest.raises(InputError) as refused:
        read_table(write(folder, content, name), needed=NEEDED, **options)
    return str(refused.value)


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("id,label\na,1\nb,\n", ","),
        ("id;label\na;1\nb;\n", ";"),
        ("id\tlabel\na\t1\nb\t\n", "\t"),
        ("id,label\r\na,1\r\nb,\r\n", ","),
        ("id,label\ra,1\rb,\r", ","),
        ("\ufeffid,label\na,1\nb,", ","),
        ("\n\nid,label\n\na,1\n\nb,\n\n", ","),
        ("\ufeffid\tlabel\r\na\t1\r\nb\t\r\n".encode("utf-16-le"), "\t"),
        ("id,label\na,1\nb,\n".encode("utf-16"), ","),
    ],
)
def test_csv_in_every_dress_people_bring(tmp_path: Path, content: str | bytes, delimiter: str) -> None:
    table = read_table(write(tmp_path, content), needed=NEEDED)
    assert table.delimiter == delimiter
    assert table.columns == NEEDED
    assert cells(table) == [{"id": "a", "label": "1"}, {"id": "b", "label": ""}]


def test_text_is_kept_as_written(tmp_path: Path) -> None:
    content = 'id,label,x\n9007199254740993,NA, "q"\n010,1.0,null\n'
    assert cells(read_table(write(tmp_path, content))) == [
        {"id": "9007199254740993", "label": "NA", "x": ' "q"'},
        {"id": "010", "label": "1.0", "x": "null"},
    ]


def test_lines_are_physical_lines_of_the_file(tmp_path: Path) -> None:
    content = 'id,label,note\n\na,1,"one\ntwo, ""three"""\nb,0,x\n\nc,1,y\n'
    rows = read_table(write(tmp_path, content)).rows
    assert [row.line for row in rows] == [3, 5, 7]
    assert rows[0].cells["note"] == 'one\ntwo, "three"'


def test_column_names_are_compared_in_nfc(tmp_path: Path) -> None:
    nfd, nfc = "giới_tính", "giới_tính"
    for name, content in (("a.csv", f"id,{nfd}\na,1\n"), ("a.jsonl", f'{{"id": "a", "{nfd}": 1}}')):
        assert read_table(write(tmp_path, content, name), needed=[nfd]).columns == ("id", nfc)


def test_only_needed_columns_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path, "id,label,essay\na,1,long\n")
    assert cells(read_table(path, needed=NEEDED, only_needed=True)) == [{"id": "a", "label": "1"}]
    path = write(tmp_path, '{"id": "a", "label": 1, "essay": ["long"]}', "cases.jsonl")
    assert cells(read_table(path, needed=NEEDED, only_needed=True)) == [{"id": "a", "label": "1"}]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ["the file is empty"]),
        ("id,label\n", ["no rows"]),
        ("id,label\na,1\nb\nc,1, north\n", ["cases.csv: line 3: cells found: 1", "cases.csv: line 4: cells found: 3"]),
        ("id,label\na,1\n\nThat was all.\n", ["line 4", "'That was all.'"]),
        ("id,label,x,label\na,1,2,3\n", ["'label' stands twice, at positions 2 and 4"]),
        ("id,label,\na,1,2\n", ["column 3 has no name"]),
        ("a,1,0.5\nb,0,0.5\n", ["no header row with id, label was found", "line 1 reads 'a,1,0.5'"]),
        ("id;labels\na;1\n", ["'label' was not found", "id, labels", "semicolons", "did you mean 'labels'?"]),
        ("id,label\na,1\nb\0,1\n", ["line 3", "NUL"]),
        ('id,label\na,1\nb,"1\nc,1\n', ["line 3", "double quote"]),
        ('id,label\na,"1"x\n', ["line 2", "CSV"]),
        ('id,"label\n', ["line 1", "header"]),
        (b"id,label\na,1\nn\xfc,1\n", ["line 3", "not UTF-8", r"\xfc"]),
        (b"\xff\xfei\x00d\x00,", ["UTF-16"]),
    ],
)
def test_csv_that_is_refused(tmp_path: Path, content: str | bytes, expected: list[str]) -> None:
    message = refusal(tmp_path, content)
    assert all(part in message for part in expected), message


def test_many_problems_are_told_in_one_error(tmp_path: Path) -> None:
    message = refusal(tmp_path, "id,label\n" + "".join(f"a{i}\n" for i in range(12)))
    assert message.count("cells found: 1") == 5
    assert message.endswith("and 7 more")


@pytest.mark.parametrize("name", ["cases.csv.gz", "CASES.CSV.GZ"])
def test_gzip_by_name(tmp_path: Path, name: str) -> None:
    content = gzip.compress(b"id,label\na,1\n")
    assert cells(read_table(write(tmp_path, content, name))) == [{"id": "a", "label": "1"}]
    assert "gzip" in refusal(tmp_path, content[:-12], name)
    assert "gzip" in refusal(tmp_path, b"id,label\na,1\n", name)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for path, expected in (
        (tmp_path / "absent.csv", "no such file"),
        (tmp_path / "a.xlsx", ".csv"),
        (tmp_path / "folder.csv", "directory"),
    ):
        if path.name == "folder.csv":
            path.mkdir()
        with pytest.raises(InputError, match=expected):
            read_table(path)


def test_json_lines_as_exact_text(tmp_path: Path) -> None:
    content = '\n{"id": 9007199254740993, "label": 1.0}\n  \n{"id": "b", "label": null, "x": true}\n{"id": "c"}\n'
    table = read_table(write(tmp_path, content, "a.jsonl"), needed=NEEDED)
    assert table.columns == ("id", "label", "x")
    assert [row.line for row in table.rows] == [2, 4, 5]
    assert cells(table) == [
        {"id": "9007199254740993", "label": "1.0", "x": ""},
        {"id": "b", "label": "", "x": "true"},
        {"id": "c", "label": "", "x": ""},
    ]


def test_json_lines_keep_json_values_when_asked(tmp_path: Path) -> None:
    content = '{"id": 1, "label": {"a": [1.5, null]}}\n{"id": 2}\n'
    table = read_table(write(tmp_path, content, "a.jsonl"), needed=NEEDED, nested=True)
    assert cells(table) == [{"id": 1, "label": {"a": [1.5, None]}}, {"id": 2, "label": None}]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"id": "a", "label": 1},', "Extra data"),
        ("// comment " + "x" * 80, "'// comment " + "x" * 49 + "'…"),
        ("{'id': 'a'}", "line 2"),
        ('{"id": "a", "lab', "line 2"),
        ("WARN row skipped\x1b[0m", "\\x1b[0m"),
        ('["a"]', "one JSON object was expected"),
        ('{"id": "a", "id": "b"}', "key 'id' stands twice"),
        ('{"id": "a", "label": [1]}', "column 'label' holds a list"),
        ('{"id": "a", "label": {"x": 1}}', "column 'label' holds an object"),
        ('{"id": "\\ud800"}', "surrogate"),
        ("[" * 100_000, "line 2"),
    ],
)
def test_json_lines_that_are_refused(tmp_path: Path, line: str, expected: str) -> None:
    message = refusal(tmp_path, f'{{"id": "z", "label": 1}}\n{line}\n', "a.jsonl")
    assert "a.jsonl: line 2: " in message
    assert expected in message


def test_json_lines_without_a_needed_column(tmp_path: Path) -> None:
    message = refusal(tmp_path, '{"id": "a", "lable": 1}', "a.jsonl")
    assert "'label' was not found" in message
    assert "did you mean 'lable'?" in message
    assert "no rows" in refusal(tmp_path, "\n\n", "a.jsonl")
    assert "NaN is not JSON" in refusal(tmp_path, '{"id": "a", "label": NaN}', "a.jsonl", nested=True)


def test_plain_lines(tmp_path: Path) -> None:
    assert read_lines(write(tmp_path, " a \r\n\nb", "ids.txt")) == [(1, "a"), (3, "b")]
