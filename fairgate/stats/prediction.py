"""How well the features of a case tell its level: leave-one-out guesses, against guesses for shuffled levels.

Each case is guessed from all the others by naive Bayes: a level is as likely as it is frequent, times, for each feature
of the case, the share of the level that has it, (count + ½) / (cases + 1). The case itself is left out of the count and
of nothing else: leaving it out of the number of cases too would tell its level. Features that no second case has say
nothing.

The share of right guesses is the strength. Whether it is beyond chance is told by doing the same with the levels
shuffled: a permutation test, exact at any size and whatever the features are, since nothing else is assumed than that
the levels could have stood with other cases.

Sources: Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9, 39, for p = (1 + as good)
/ (1 + tried), never 0; Besag & Clifford (1991), Biometrika 78, 301–304, for stopping early where nothing is found.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

_Floats = npt.NDArray[np.float64]
_Whole = npt.NDArray[np.int64]

PERMUTATIONS = 1999
"""Shuffles for a p-value: the smallest that can come out is .0005."""

_BATCH = 100
_ENOUGH = 20
"""After so many shuffles at least as good as the truth, a p-value is large and no more are tried."""
_MOST_FEATURES = 500
_TIE = 1e-9
_SEED = 7


@dataclass(frozen=True)
class Prediction:
    """What features tell of a level.

    :param cases: n
    :param right: share of cases whose level is guessed rightly; a tie counts in part
    :param without: share guessed rightly without any feature: that of the most frequent level
    :param p: of no connection at all, one-sided, by permutation
    """

    cases: int
    right: float
    without: float
    p: float


def predict(features: Sequence[Collection[str]], levels: Sequence[str]) -> Prediction:
    """How well the features of cases tell their levels.

    :param features: of each case
    :param levels: of each case; the same number of them
    :returns: the same on every run: the shuffles are seeded
    :raises ValueError: no case, or not as many levels as cases
    """
    if not levels or len(features) != len(levels):
        raise ValueError(
            f"found {len(features)} cases with features and {len(levels)} levels, expected as many of both"
        )
    names = sorted(set(levels))
    truth = np.array([names.index(level) for level in levels])
    without = float(np.bincount(truth).max() / len(truth))
    matrix = _matrix(features)
    if matrix is None or len(names) < 2:
        return Prediction(len(levels), without, without, 1.0)
    guess = _Guess(matrix, len(names))
    right = float(guess.right(truth[:, None])[0])
    as_good = tried = 0
    for shuffled in _shuffles(truth):
        as_good += int(np.sum(guess.right(shuffled) >= right - _TIE))
        tried += shuffled.shape[1]
        if as_good >= _ENOUGH:
            break
    return Prediction(len(levels), right, without, (1 + as_good) / (1 + tried))


def _matrix(features: Sequence[Collection[str]]) -> csr_array | None:
    """Cases × features that tell cases apart, at most ``_MOST_FEATURES``, the most frequent; None without any."""
    seen = Counter(name for case in features for name in set(case))
    shared = [(name, count) for name, count in seen.items() if 1 < count < len(features)]
    column = {
        name: at for at, (name, _) in enumerate(sorted(shared, key=lambda one: (-one[1], one[0]))[:_MOST_FEATURES])
    }
    if not column:
        return None
    places = [(row, column[name]) for row, case in enumerate(features) for name in set(case) if name in column]
    rows, columns = zip(*places, strict=True)
    return csr_array((np.ones(len(places)), (rows, columns)), shape=(len(features), len(column)))


def _shuffles(truth: _Whole) -> Iterator[_Whole]:
    """Batches of shuffled levels, one column for each; a frozen generator, so that they are the same everywhere."""
    random = np.random.RandomState(_SEED)
    left = PERMUTATIONS
    while left:
        size = min(_BATCH, left)
        order = np.argsort(random.random_sample((len(truth), size)), axis=0, kind="stable")
        yield truth[order]
        left -= size


@dataclass(frozen=True)
class _Guess:
    """Leave-one-out guesses for many ways of giving the levels to the cases at once."""

    matrix: csr_array
    levels: int

    def right(self, truth: _Whole) -> _Floats:
        """The share of right guesses for each column of levels.

        :param truth: cases × ways
        """
        scores = np.stack([self._score(truth, level) for level in range(self.levels)])
        best = scores.max(axis=0)
        tied = scores >= best - _TIE
        own = np.take_along_axis(tied, truth[None], axis=0)[0]
        return np.asarray(np.mean(own / tied.sum(axis=0), axis=0))

    def _score(self, truth: _Whole, level: int) -> _Floats:
        """log of prior times likelihood of one level, cases × ways; a case is not counted where it is guessed."""
        inside = (truth == level).astype(float)
        cases = inside.sum(axis=0)
        counts = self.matrix.T @ inside
        others = self.matrix @ (np.log(counts + 0.5) - np.log(cases + 1))
        itself = self.matrix @ (np.log(np.maximum(counts - 1, 0) + 0.5) - np.log(cases + 1))
        return np.asarray(np.log(np.maximum(cases, 0.5)) + np.where(inside == 1, itself, others))
