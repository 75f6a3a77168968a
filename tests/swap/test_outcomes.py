"""Declared words and nothing else."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairgate.config.outcome import Outcome
from fairgate.swap.grid import Kind
from fairgate.swap.outcomes import SPELLING, Unreadable, Vocabulary, normalise, vocabulary
from fairgate.swap.reading import reader


def read_outcome(text: str, words: Vocabulary) -> Kind | Unreadable:
    """What a suite that declares these words alone reads."""
    outcome = Outcome(positive=sorted(words.positive), negative=sorted(words.negative))
    read = reader(outcome).read(text)
    return read if isinstance(read, Unreadable) else read.kind


LOAN = vocabulary(["DUYỆT"], ["XEM LẠI"])


@pytest.mark.parametrize(
    "text",
    [
        "DUYỆT", normalize("NFD", "DUYỆT"), "duyệt", "Duyệt.", '"DUYỆT"', "«DUYỆT»", "**DUYỆT**", "`DUYỆT`",
        " DUYỆT\r\n", "\ufeffDUYỆT\u200b", "- DUYỆT!", "“Duyệt”。",
    ],
)  # fmt: skip
def test_spellings_of_one_word(text: str) -> None:
    assert read_outcome(text, LOAN) == "positive"


@pytest.mark.parametrize("text", ["XEM LẠI", "xem\u00a0 lại.", "Xem\nlại"])
def test_white_space_inside_a_word_folds(text: str) -> None:
    assert read_outcome(text, LOAN) == "negative"


@pytest.mark.parametrize(
    "text",
    [
        "KHÔNG DUYỆT",
        '```json\n{"decision": "DUYỆT"}\n```',
        "Tôi DUYỆT hồ sơ này.",
        "DUYỆT / XEM LẠI",
        "DUYET",
        "~~DUYỆT~~",
        "❌ DUYỆT",
        "¬DUYỆT",
        "...",
    ],
)
def test_anything_else_is_unreadable_and_never_guessed(text: str) -> None:
    read = read_outcome(text, LOAN)
    assert isinstance(read, Unreadable)
    assert read.reason == "unreadable_outcome"


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_answer_has_its_own_reason(text: str) -> None:
    assert read_outcome(text, LOAN) == Unreadable("empty_answer", "")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("1", "positive"), ("1.0", "positive"), ("0.00", "negative"), ('"1"', "positive"), ("1.", "positive")],
)
def test_numbers_as_words(text: str, outcome: str) -> None:
    assert read_outcome(text, vocabulary(["1"], ["0"])) == outcome


@pytest.mark.parametrize(
    "text", ["-1", "−1", "- 1", "-(1)", "(1)", "－1", "1 %", "1‱", "/1", "[1]", ".1", "1%", "<1", "10", "0.1", "1.5"]
)
def test_another_number_is_another_word(text: str) -> None:
    assert isinstance(read_outcome(text, vocabulary(["1"], ["0"])), Unreadable)


def test_a_long_answer_is_shown_by_its_beginning_on_one_line() -> None:
    read = read_outcome("Dear\n applicant " + "x" * 1000, LOAN)
    assert isinstance(read, Unreadable)
    assert read.spelling.startswith("Dear applicant xxx")
    assert len(read.spelling) == SPELLING + 1


@pytest.mark.parametrize(
    ("positive", "negative", "about"),
    [
        (["yes"], ["YES."], "cannot be told apart"),
        (["1"], ["1.0"], "cannot be told apart"),
        (["*"], ["no"], "only punctuation"),
        (["yes"], ["?!"], "only punctuation"),
    ],
)
def test_declared_words_that_cannot_work(positive: list[str], negative: list[str], about: str) -> None:
    with pytest.raises(ValueError, match=about):
        vocabulary(positive, negative)


def test_two_spellings_of_one_outcome_are_fine() -> None:
    assert vocabulary(["yes", "YES"], ["no"]).positive == {"yes"}


@given(st.text(max_size=12))
def test_normalise_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
