"""Columns of text, read as what they are meant to be: ids, groups, decisions, probabilities.

A label or a decision that is neither 0 nor 1 refuses the whole file: reading around it would be guessing. Groups are
compared as text, never trimmed, so that an odd spelling is seen and not quietly dropped or merged.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal
from unicodedata import normalize

import pandas as pd

from fairgate.golden.problems import Problems, quoted
from fairgate.golden.table import Table

_BINARY = {"0": 0, "1": 1, "0.0": 0, "1.0": 1}
_WHOLE = re.compile(r"(-?[0-9]+)\.0+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SPELLINGS_SHOWN = 10


def texts(table: Table) -> pd.DataFrame:
    """The cells as text, one column of objects per column read."""
    names = list(table.rows[0].cells)
    return pd.DataFrame({name: pd.Series([row.cells[name] for row in table.rows], dtype=object) for name in names})


def check_unique(table: Table, column: str, problems: Problems, consequence: str = "") -> None:
    """Note every row whose value in a column is blank or stands on an earlier line too.

    Values are compared in NFC and without blanks around them: the same person in another Unicode form is no second one.
    """
    first: dict[str, int] = {}
    for row in table.rows:
        value = normalize("NFC", row.cells[column]).strip()
        if not value:
            problems.add(f"{column} is blank; every row needs one", row.line)
        elif value in first:
            problems.add(
                f"duplicate {column} {quoted(row.cells[column])} (also on line {first[value]}){consequence}", row.line
            )
        else:
            first[value] = row.line


def read_groups(frame: pd.DataFrame, attributes: dict[str, list[str]]) -> pd.DataFrame:
    """Each attribute as a categorical: declared groups first, undeclared spellings after them, blank is NaN."""
    return pd.DataFrame(
        {name: _categorical(frame[normalize("NFC", name)], groups) for name, groups in attributes.items()},
        index=frame.index,
    )


def _categorical(spelled: pd.Series, declared: Sequence[str]) -> pd.Categorical:
    known = {normalize("NFC", group): group for group in declared}
    meant = {spelling: _meant(spelling, known) for spelling in spelled.dropna().unique() if spelling}
    undeclared = [spelling for spelling, group in meant.items() if group is None]
    names = {spelling: spelling if group is None else group for spelling, group in meant.items()}
    return pd.Categorical(spelled.map(names), categories=[*declared, *undeclared])


def _meant(spelling: str, known: dict[str, str]) -> str | None:
    """The declared group of a spelling: equal in NFC, or a whole number that some program wrote as ``1.0``."""
    text = normalize("NFC", spelling)
    whole = _WHOLE.fullmatch(text)
    return known.get(text) or (known.get(whole[1]) if whole else None)


def binary(table: Table, column: str | None, role: Literal["label", "prediction"], problems: Problems) -> pd.Series:
    """0 and 1 as Int8; anything else is a problem, told with the set of values seen.

    :param column: None for a column that is not read: all NA
    :param role: a prediction may be blank, and is NA then; a label may not
    """
    if column is None:
        return pd.Series(pd.NA, index=range(len(table.rows)), dtype="Int8")
    name = normalize("NFC", column)
    spelled = [row.cells[name] for row in table.rows]
    blank, expected = ("", "0, 1 or blank") if role == "prediction" else (None, "0 or 1")
    wrong = [(row.line, text) for row, text in zip(table.rows, spelled, strict=True) if text not in (*_BINARY, blank)]
    for line, text in wrong:
        problems.add(f"{role} {quoted(text)} is not {expected}", line)
    if wrong:
        problems.note(f"column {column!r} holds {seen(Counter(spelled))}")
    return pd.Series([_BINARY.get(text) for text in spelled], dtype="Int8")


def seen(counts: Counter[str]) -> str:
    """Spellings and how often each was seen, the most frequent first: ``'1' (7 times), 'yes' (once)``."""
    common = counts.most_common()
    shown = [f"{quoted(text)} ({'once' if n == 1 else f'{n} times'})" for text, n in common[:_SPELLINGS_SHOWN]]
    more = len(common) - len(shown)
    return ", ".join(shown) + (f" and {more} other values" if more > 0 else "")


def probabilities(frame: pd.DataFrame, column: str | None, delimiter: str | None) -> pd.Series:
    """Numbers in [0, 1]; NaN for what is none. Where commas do not part the cells, a comma may be the decimal sign."""
    if column is None:
        return pd.Series(float("nan"), index=frame.index)
    commas = delimiter in (";", "\t")
    return frame[normalize("NFC", column)].map(lambda text: _probability(text, commas)).astype(float)


def _probability(text: str, commas: bool) -> float:
    if commas and "." not in text:
        text = text.replace(",", ".", 1)
    value = float(text) if _NUMBER.fullmatch(text) else float("nan")
    return value if 0 <= value <= 1 else float("nan")


def odd_probabilities(frame: pd.DataFrame, column: str | None, values: pd.Series) -> Counter[str]:
    """The spellings, blanks apart, that are no number in [0, 1], and how often each was found."""
    if column is None:
        return Counter()
    spelled: Iterable[str] = frame[normalize("NFC", column)][values.isna()]
    return Counter(text for text in spelled if text)
