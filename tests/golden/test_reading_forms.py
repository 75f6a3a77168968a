"""The same cases in every form that a file can have are the same cases; the quick reader and the exact one agree."""

import csv
import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgate.config import load
from fairgate.errors import InputError
from fairgate.golden import plain
from fairgate.golden.decided import Decided, read_decided
from fairgate.golden.reading import Needs

Rows = list[dict[str, str]]
GROUPS = ["nữ", "nam", "a much longer name of a group", "NA", "010", "x,y", 'a "b"', "two\nlines", "", " nam"]
NAMES = ("id", "label", "prediction", "score", "sex")


def as_csv(rows: Rows, delimiter: str = ",", end: str = "\n", quoting: int = csv.QUOTE_MINIMAL) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, NAMES, delimiter=delimiter, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_jsonl(rows: Rows) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FORMS: dict[str, Callable[[Rows], bytes]] = {
    "a.csv": lambda rows: as_csv(rows).encode(),
    "b.csv": lambda rows: as_csv(rows, end="\r\n", quoting=csv.QUOTE_ALL).encode("utf-8-sig"),
    "c.csv": lambda rows: as_csv(rows, ";").encode(),
    "d.csv": lambda rows: ("sep=|\n" + as_csv(rows, "|")).encode(),
    "e.csv": lambda rows: as_csv(rows, "\t").encode("utf-16"),
    "f.tsv": lambda rows: as_csv(rows, "\t").encode(),
    "g.csv.gz": lambda rows: gzip.compress(as_csv(rows).encode()),
    "gzip_without_its_name.csv": lambda rows: gzip.compress(as_csv(rows).encode()),
    "h.jsonl": lambda rows: as_jsonl(rows).encode(),
    "i.jsonl.gz": lambda rows: gzip.compress(as_jsonl(rows).encode()),
    "j.csv": lambda rows: as_csv(rows).replace("\n", "\n\n", 1).encode() + b"\n\n",
}


def read(folder: Path, name: str, content: bytes, rows: int = 1 << 14, declared: str = "nữ, nam, NA, 010") -> Decided:
    (folder / name).write_bytes(content)
    (folder / "fairness.yaml").write_text(
        f"fairness:\n  name: s\n  cases: {name}\n  label: label\n  prediction: prediction\n  probability: score\n"
        f"  attributes: {{sex: [{declared}]}}\n"
        "  rules: [{id: r, rate: error, attribute: sex, max_group_gap: 0.1}]\n"
    )
    project = load(folder / "fairness.yaml")
    return read_decided(project.config.fairness[0], project, ("fairness",), Needs(True, True), rows=rows)


def draw(chance: random.Random) -> Rows:
    groups = chance.choice([GROUPS, GROUPS[:5], GROUPS[:2]])
    return [
        {
            "id": chance.choice([f"c{i}", f"ca số {i}", f"a-very-long-id-of-a-case-{i}"]),
            "label": chance.choice(["0", "1", "1.0"]),
            "prediction": chance.choice(["0", "1", ""]),
            "score": chance.choice(["", "0.25", "0.1", "1", "nan", f"{chance.random():.12f}"]),
            "sex": chance.choice(groups),
        }
        for i in range(chance.randrange(1, 60))
    ]


def counted(decided: Decided) -> tuple[object, ...]:
    return decided.kinds, decided.probabilities, decided.odd_probabilities


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32).map(random.Random))
def test_form_order_and_size_of_chunks_do_not_matter(chance: random.Random) -> None:
    rows = draw(chance)
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        wanted = counted(read(folder, "a.csv", FORMS["a.csv"](rows)))
        shuffled = chance.sample(rows, len(rows))
        for form, write in FORMS.items():
            patch.setattr(plain, "BLOCK", chance.choice([1, 40, 300, 1 << 20]))
            found = read(folder, form, write(shuffled), rows=chance.choice([1, 7, 1000]))
            assert counted(found) == wanted, form
        assert counted(read(folder, "a.csv", FORMS["a.csv"](rows), declared="010, NA, nam, nữ")) == wanted


@settings(max_examples=150, deadline=None)
@given(st.text('ab,"\n\r;é\x00 ', max_size=60), st.integers(1, 40))
def test_the_quick_reader_never_says_other_than_the_exact_one(text: str, size: int) -> None:
    """Whatever bytes come: the same rows, or the same error."""
    content = f"id,x\nk,v\n{text}".encode()
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        path = Path(name) / "t.csv"
        path.write_bytes(content)
        patch.setattr(plain, "BLOCK", size)
        assert outcome(path) == outcome(path, quick=False)


def outcome(path: Path, *, quick: bool = True) -> object:
    from fairgate.golden import chunks

    with pytest.MonkeyPatch.context() as patch:
        if not quick:
            patch.setattr(chunks, "_plain_start", lambda *_: None)
        try:
            found = []
            for chunk in chunks.read_chunks(path, ["x"], ["id"]):
                column = chunk.columns["x"]
                cells = [column.spellings[code] for code in column.codes]
                found += list(zip(chunk.keys["id"].tolist(), cells, strict=True))
            return found
        except InputError as error:
            return str(error)


@pytest.mark.parametrize(
    "bad", ["c9,1,0,0.5", "c9,1,0,0.5,nam,x", 'c9,1,0,0.5,"nam', "c1,1,0,0.5,nam", "c9,2,0,0.5,nam"]
)
@pytest.mark.parametrize("size", [1, 64, 1 << 20])
def test_errors_name_the_line_wherever_the_block_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str, size: int
) -> None:
    monkeypatch.setattr(plain, "BLOCK", size)
    rows = [f"c{i},1,0,0.5,nam" for i in range(8)]
    content = "\n".join([",".join(NAMES), *rows, bad, "c10,1,0,0.5,nam"]) + "\n"
    with pytest.raises(InputError, match=r"line 10: "):
        read(tmp_path, "a.csv", content.encode())
