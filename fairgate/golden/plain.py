"""Plain CSV, read in blocks of bytes: the cells of a whole block are found, checked and coded at once.

Plain is what programs write: UTF-8, LF or CRLF, every row as long as the header, quotes only around whole cells. It is
checked, not assumed: the signs between the cells, taken ``width`` at a time, have to be delimiters and one end of line.
Where a block is anything else, ``NotPlain`` says where it begins, and the exact reader goes on from there, which reads
every other form and words every error.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

BLOCK = 1 << 20
"""Bytes read at a time; a block of a few times the processor's cache is quick, a larger one is not."""
LONGEST_CELL = 64
"""Bytes of a needed cell; a longer one is left to the exact reader."""
LONGEST_ROW = 1 << 23

_NEWLINE, _RETURN, _QUOTE = 0x0A, 0x0D, 0x22
_WORD = 8
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_MOST_WORDS = LONGEST_CELL // _WORD
_FEW = 8
"""Spellings up to which comparing with each of them is quicker than searching."""
_HIGH_BITS = np.uint64(0x8080808080808080)


class NotPlain(Exception):
    """A block that the exact reader has to read.

    :param offset: bytes before it
    :param line: physical lines before it
    """

    def __init__(self, offset: int, line: int) -> None:
        super().__init__(offset, line)
        self.offset = offset
        self.line = line


class Irregular(Exception):
    """Something that the exact reader has to look at."""


@dataclass(frozen=True)
class Block:
    """Some whole rows: the cells of the columns asked for, and where the rows begin in the file."""

    cells: "list[Cells]"
    offset: int
    line: int


@dataclass(frozen=True)
class Cells:
    """The cells of one column in a block: where each lies in the bytes, and its bytes in words of eight.

    :param words: shape (number of words of the longest cell, cells); little-endian, padded with zeros
    :param lengths: in bytes
    """

    block: bytes
    starts: Positions
    lengths: Positions
    words: Sequence[Keys]

    def text(self, index: int) -> str:
        """One cell as text, without the quotes around it."""
        start = int(self.starts[index])
        return self.block[start : start + int(self.lengths[index])].decode()

    def keys(self) -> Keys:
        """One number per cell: equal cells have equal ones, and cells of up to eight bytes no other.

        Of longer cells two may share a number by chance, once in 2^64; who needs to be certain compares ``words``.
        """
        keys = self.words[0]
        for place, word in enumerate(self.words[1:], start=1):
            mixed = (keys ^ (keys >> _SHIFT)) * _MIX ^ word
            keys = np.where(self.lengths > _WORD * place, mixed, keys)
        return keys

    def unlike_ascii_words(self) -> npt.NDArray[np.bool_]:
        """Which cells hold letters beyond ASCII, or a blank at an end: their text is not yet in its one form."""
        odd = np.zeros(len(self.starts), np.bool_)
        for word in self.words:
            odd |= (word & _HIGH_BITS) != 0
        edges = np.frombuffer(self.block, np.uint8)
        filled = self.lengths > 0
        last = np.maximum(self.starts + self.lengths - 1, 0)
        odd |= filled & ((edges[self.starts] <= 0x20) | (edges[last] <= 0x20))
        return odd


def read_plain(
    binary: BinaryIO, delimiter: str, width: int, columns: Sequence[int], begin: tuple[int, int]
) -> Iterator[Block]:
    """The cells of some columns, block by block, from the first row below the header on.

    :param binary: stands at that row
    :param begin: the bytes and the lines before it
    :param width: columns of the header; two or more
    :raises NotPlain: a block is not plain; what was yielded before it stays right
    """
    offset, line = begin
    rest = b""
    while True:
        more = binary.read(BLOCK)
        block = rest + more
        if not block:
            return
        if not more and not block.endswith(b"\n"):
            block += b"\n"
        try:
            ends, cut = _ends(block, ord(delimiter), width)
            looked_at = range(width) if b'"' in block else columns  # a quote anywhere may be one too many
            starts = {at: _starts(ends, at) for at in looked_at}
            _without_returns(block, cut, ends)
            _without_quotes(block, cut, starts, ends)
            if not block.isascii():
                block[:cut].decode()
            windows = _windows(block)
            cells = [_cells(block, windows, starts[at], ends[:, at]) for at in columns] if cut else []
        except (Irregular, UnicodeDecodeError):
            raise NotPlain(offset, line) from None
        if len(block) - cut > LONGEST_ROW or (not more and cut < len(block)):
            raise NotPlain(offset, line)
        if cut:
            yield Block(cells, offset, line)
        offset += cut
        # Without quotes every row is a line; counting the ends of lines of each block takes as long as finding them.
        line += block.count(b"\n", 0, cut) if b'"' in block else len(ends)
        rest = block[cut:]
        if not more:
            return


def _ends(block: bytes, delimiter: int, width: int) -> tuple[Positions, int]:
    """Where the cells of every whole row end, shape (rows, width), and where the last whole row ends."""
    if b"\0" in block:
        raise Irregular
    data = np.frombuffer(block, np.uint8)
    newline = data == _NEWLINE
    between = newline | (data == delimiter)
    if b'"' in block:
        # Within quotes the number of quotes so far is odd; the sum may wrap at 256, which keeps that.
        outside = (np.cumsum(data == _QUOTE, dtype=np.uint8) & 1) == 0
        newline &= outside
        between &= outside
    if not newline.any():
        return np.empty((0, width), np.int64), 0
    cut = len(newline) - int(np.argmax(newline[::-1]))
    ends = np.flatnonzero(between[:cut])
    if len(ends) % width:
        raise Irregular
    rows: Positions = ends.reshape(-1, width)
    # As many ends of line as rows, one of them behind each row: none is left to stand within a row.
    if np.count_nonzero(newline[:cut]) != len(rows) or not newline[rows[:, -1]].all():
        raise Irregular
    return rows, cut


def _starts(ends: Positions, column: int) -> Positions:
    if column:
        return ends[:, column - 1] + 1
    starts = np.zeros(len(ends), np.int64)
    starts[1:] = ends[:-1, -1] + 1
    return starts


def _without_returns(block: bytes, cut: int, ends: Positions) -> None:
    """CRLF ends a row as LF does; a CR anywhere else is for the exact reader."""
    if b"\r" in block:
        data = np.frombuffer(block, np.uint8)[:cut]
        before = data[ends[:, -1] - 1] == _RETURN
        if int(before.sum()) != int(np.count_nonzero(data == _RETURN)):
            raise Irregular
        ends[:, -1] -= before


def _without_quotes(block: bytes, cut: int, starts: Mapping[int, Positions], ends: Positions) -> None:
    """Quotes around whole cells are taken off; a quote anywhere else is for the exact reader."""
    if b'"' in block:
        data = np.frombuffer(block, np.uint8)[:cut]
        whole = 0
        for at in starts:
            start, end = starts[at], ends[:, at]
            quoted = (end - start >= 2) & (data[start] == _QUOTE) & (data[end - 1] == _QUOTE)
            whole += int(np.count_nonzero(quoted))
            start += quoted
            end -= quoted
        if 2 * whole != int(np.count_nonzero(data == _QUOTE)):
            raise Irregular


def _windows(block: bytes) -> Keys:
    """The eight bytes from every position on, as one number each, without a copy for each."""
    return np.ndarray((len(block) + 1,), "<u8", block + bytes(_WORD), strides=(1,))


def _cells(block: bytes, windows: Keys, starts: Positions, ends: Positions) -> Cells:
    lengths = ends - starts
    longest = int(lengths.max())
    if longest > LONGEST_CELL:
        raise Irregular
    return _in_words(block, windows, starts, lengths, longest)


def _in_words(block: bytes, windows: Keys, starts: Positions, lengths: Positions, longest: int) -> Cells:
    even = bool((lengths == longest).all())  # as identifiers and numbers often are: one mask serves the whole column
    words = []
    for place in range(0, max(longest, 1), _WORD):
        mask = _MASKS[min(longest - place, _WORD)] if even else _MASKS[np.clip(lengths - place, 0, _WORD)]
        words.append(windows[np.minimum(starts + place, len(block)) if place else starts] & mask)
    return Cells(block, starts, lengths, words)


def text_cells(texts: Sequence[str]) -> Cells:
    """Texts as cells, so that the exact reader's rows have the same keys."""
    encoded = [text.encode() for text in texts]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    starts = np.zeros(len(encoded), np.int64)
    np.cumsum(lengths[:-1], out=starts[1:])
    block = b"".join(encoded)
    return _in_words(block, _windows(block), starts, lengths, int(lengths.max(initial=0)))


class Vocabulary:
    """The spellings of one column, numbered in the order in which they were met, over many blocks.

    A column in which nearly every cell is new (a probability) starts anew with every block, so that memory stays small.
    """

    MOST = 1 << 12

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.spellings: list[str] = []
        self._keys: Keys = np.empty(0, np.uint64)
        self._codes: Positions = np.empty(0, np.int64)
        self._words: Keys = np.empty((_MOST_WORDS, 0), np.uint64)
        self._most_words = 1

    def encode(self, cells: Cells) -> tuple[Positions, list[str]]:
        """The number of each cell's spelling, and all spellings by their number.

        :raises Irregular: two spellings have one key and cannot be told apart by it
        """
        if len(self.spellings) > self.MOST:
            self._reset()
        keys = cells.keys()
        places = self._find(keys)
        unknown = self._keys[places] != keys if len(self._keys) else np.ones(len(keys), np.bool_)
        if unknown.any():
            self._learn(cells, keys, np.flatnonzero(unknown))
            places = self._find(keys)
        codes = self._codes[places]
        self._verify(cells, codes)
        return codes, self.spellings

    def _find(self, keys: Keys) -> Positions:
        if len(self._keys) <= _FEW:
            places = np.zeros(len(keys), np.int64)
            for known in self._keys[:-1]:
                places += keys > known
            return places
        return np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))

    def _learn(self, cells: Cells, keys: Keys, unknown: Positions) -> None:
        fresh, first = np.unique(keys[unknown], return_index=True)
        at = unknown[first]
        words = np.zeros((_MOST_WORDS, len(at)), np.uint64)
        for place, word in enumerate(cells.words):
            words[place] = word[at]
        known = len(self.spellings)
        keys = np.concatenate([self._keys, fresh])
        order = np.argsort(keys)
        self._keys = keys[order]
        self._codes = np.concatenate([self._codes, known + np.arange(len(at))])[order]
        self._words = np.concatenate([self._words, words], axis=1)
        self._most_words = max(self._most_words, len(cells.words))
        self.spellings = [*self.spellings, *(cells.text(int(index)) for index in at)]

    def _verify(self, cells: Cells, codes: Positions) -> None:
        """Keys of up to one word are the cells themselves; of longer ones each word is compared."""
        if self._most_words == 1:
            return
        for place in range(self._most_words):
            word = cells.words[place] if place < len(cells.words) else np.uint64(0)
            if (self._words[place][codes] != word).any():
                raise Irregular
