"""What a file is, whatever its name says; how much of it is read; which encoding it is in that is not UTF-8."""

import gzip
import zipfile
from pathlib import Path
from unicodedata import normalize

import pytest

from fairgate.errors import InputError
from fairgate.golden import source
from fairgate.golden.encodings import looks_like
from fairgate.golden.problems import Problems
from fairgate.golden.table import read_table


def refusal(folder: Path, content: bytes, name: str = "cases.csv") -> str:
    (folder / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_table(folder / name, needed=["id", "sex"], only_needed=True)
    return str(refused.value)


def cp1258(text: str) -> bytes:
    """Vietnamese as Windows writes it: tones stand behind their letters."""
    tones = "\u0300\u0301\u0303\u0309\u0323"
    written = ""
    for letter in text:
        parts = normalize("NFD", letter)
        tone = next((mark for mark in tones if mark in parts), "")
        written += normalize("NFC", parts.replace(tone, "")) + tone if tone else letter
    return written.encode("cp1258")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"PK\x03\x04\x14\x00", "is an Excel workbook or another zip archive, whatever its name says"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "is an old Excel or Word document"),
        (b"%PDF-1.7\n", "is a PDF document"),
        (b"PAR1\x15\x04", "is a Parquet file"),
        (b"SQLite format 3\0", "is an SQLite database"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html><html>", "is a web page or XML"),
        (b"<table><tr><td>id", "is a web page or XML"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "is a Git LFS pointer"),
        ("id,sex\na,f\n".encode("utf-16-le"), "is UTF-16 without a byte order mark"),
        ("id,sex\na,f\n".encode("utf-16-be"), "is UTF-16 without a byte order mark"),
        ("id,sex\na,f\n".encode("utf-32"), "is UTF-32; save it as UTF-8"),
        (b'[{"id": "a", "sex": "f"}]\n', "it looks like JSON: write one object per line"),
        (
            b"# made by hand\nid,sex\na,f\n",
            "'# made by hand' (cells between commas); it looks like a comment",
        ),
        (b"id^sex\na^f\n", "the names stand there between other signs: put commas, semicolons, tabs, pipes"),
        (b"sep=^\nid^sex\n", "names '^' as the sign between cells"),
        (
            b"id, sex\na, f\n",
            "the columns are id, ' sex' (cells between commas); did you mean ' sex'?",
        ),
        ("id,se\u200bx\na,f\n".encode(), "did you mean 'se\\u200bx'?"),
        ("id,ｓｅｘ\na,f\n".encode(), "did you mean 'ｓｅｘ'?"),
        (b"id,sex\n", "no rows were found"),
        (b"", "the file is empty"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, content: bytes, expected: str) -> None:
    message = refusal(tmp_path, content)
    assert expected in message
    assert message.startswith(str(tmp_path / "cases.csv"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.xlsx", "export the sheet as CSV in UTF-8"),
        ("a.json", "write one object per line"),
        ("a.zip", "unpack it"),
        ("a.txt", "its name has to end in .csv"),
    ],
)
def test_names_that_are_not_read(tmp_path: Path, name: str, expected: str) -> None:
    assert expected in refusal(tmp_path, b"id,sex\na,f\n", name)


def test_a_workbook_as_it_is_saved(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "cases.csv", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert "Excel workbook" in refusal(tmp_path, (tmp_path / "cases.csv").read_bytes())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (cp1258("c1,nữ\nc2,Nguyễn Thị Lan"), "Windows-1258"),
        ("男,女,中国".encode("gbk"), "GBK"),
        ("男,女,臺北市".encode("big5"), "Big5"),
        ("女性,おとこ".encode("cp932"), "Shift JIS"),
        ("여자,남자".encode("cp949"), "EUC-KR"),
        ("Müller,Zoë".encode("cp1252"), "Windows-1252"),
        ("Łódź,Żółć".encode("cp1250"), "Windows-1250"),
        ("женский".encode("cp1251"), "Windows-1251"),
    ],
)
def test_encodings_are_named(tmp_path: Path, text: bytes, name: str) -> None:
    assert any(found.startswith(name) for found in looks_like(text))
    message = refusal(tmp_path, b"id,sex\nc0,f\n" + text.replace(b"\n", b"\n") + b",f\n")
    assert "line 3: is not UTF-8" in message
    assert name in message


def test_no_encoding_is_named_where_utf8_is_broken() -> None:
    assert looks_like("đồng ý, nữ, Nguyễn".encode()[:-1] + b"\xff") == []


def test_a_gzip_file_that_unpacks_to_far_more_than_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "UNPACKED_FREELY", 1 << 16)
    bomb = gzip.compress(b"id,sex\n" + b"a,f\n" * 200_000)
    assert "unpacks to more than 200 times its size" in refusal(tmp_path, bomb, "cases.csv.gz")


@pytest.mark.parametrize("name", ["cases.csv", "cases.jsonl"])
def test_a_line_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(source, "MAX_LINE", 1000)
    start = b'{"id": "a", "sex": "f"}\n' if name.endswith("l") else b"id,sex\n"
    assert "line 2: is longer than 1,000 characters" in refusal(tmp_path, start + b"x" * 5000, name)


def test_a_header_that_runs_over_lines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,"sex\n(as told)",sex\na,"b",f\n')
    table = read_table(tmp_path / "a.csv", needed=["id", "sex"])
    assert table.columns == ("id", "sex\n(as told)", "sex")
    assert table.rows[0].line == 3


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ('{"id": "a"},', "remove the comma at the end of the line"),
        ('{"id": "a"}{"id": "b"}', "two objects stand on one line"),
        ("{'id': 'a'}", "JSON has double quotes"),
        ("# note", "JSON lines have no comments"),
        ('[{"id": "a"}]', "write one object per line"),
        ("[", "write one object per line"),
        ("{", "write one object per line"),
    ],
)
def test_json_lines_say_what_to_mend(tmp_path: Path, line: str, hint: str) -> None:
    assert hint in refusal(tmp_path, f'{{"id": "z", "sex": "f"}}\n{line}\n'.encode(), "a.jsonl")


def test_parquet_is_read_as_its_text(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"id": [2**60 + 1, 2, 3], "sex": [1.0, None, float("nan")], "vip": [True, None, False], "note": ["x"] * 3}
    parquet.write_table(arrow.table(columns), tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet", needed=["id", "sex", "vip"], only_needed=True)
    assert [tuple(row.cells.values()) for row in table.rows] == [
        (str(2**60 + 1), "1.0", "true"),
        ("2", "", ""),
        ("3", "", "false"),
    ]
    with pytest.raises(InputError, match="column 'age' was not found"):
        read_table(tmp_path / "a.parquet", needed=["id", "age"], only_needed=True)
    assert "cannot be read as Parquet" in refusal(tmp_path, b"id,sex\na,f\n", "b.parquet")


def test_a_file_called_gz_that_is_not_compressed(tmp_path: Path) -> None:
    assert "is called .gz but is not compressed" in refusal(tmp_path, b"id,sex\na,f\n", "a.csv.gz")


@pytest.mark.parametrize("levels", [70, 200_000])
def test_json_beyond_any_depth_is_named_with_its_line(tmp_path: Path, levels: int) -> None:
    line = f'{{"id": "a", "x": {"[" * levels}{"]" * levels}}}\n'
    message = refusal(tmp_path, f'{{"id": "z", "sex": "f"}}\n{line}'.encode(), "a.jsonl")
    assert "line 2: is nested more than 64 levels deep" in message
    assert "recursion" not in message


def test_bytes_that_are_no_utf8_are_shown_as_bytes(tmp_path: Path) -> None:
    message = refusal(tmp_path, b"id,sex\ncaf\xe9,f\n")
    assert r"line 2: is not UTF-8: 'caf\xe9,f'" in message
    assert "udc" not in message


def test_lines_with_the_same_problem_are_told_once(tmp_path: Path) -> None:
    problems = Problems(tmp_path / "a.csv")
    for line in range(4, 14):
        problems.add("id is blank", line)
    problems.add("label '2' is not 0 or 1", 20)
    with pytest.raises(InputError) as caught:
        problems.check()
    first, second = str(caught.value).splitlines()
    assert first.endswith("line 4: id is blank (and 9 more like this: 5, 6, 7, 8, 9, …)")
    assert second.endswith("line 20: label '2' is not 0 or 1")
