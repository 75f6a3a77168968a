"""The three scores of the triad, exact, with an interval where verdicts are missing.

A missing verdict is neither a yes nor a no: a score is the lowest and the highest value over every completion of what
is missing, so a decision that holds for the interval holds whatever the missing verdicts would have been.
"""

from collections.abc import Sequence

from fairgate.results import Interval

Votes = Sequence[bool | None]
"""One verdict for each claim or context, in their order; None where it did not come."""


def faithfulness(votes: Votes) -> Interval:
    """Claims supported over claims listed: [s/n, (s + u)/n] with s supported and u missing of n.

    :raises ValueError: for no claims, which have no score
    """
    if not votes:
        raise ValueError("an answer without claims has no faithfulness")
    supported, missing = sum(vote is True for vote in votes), sum(vote is None for vote in votes)
    return supported / len(votes), (supported + missing) / len(votes)


def context_precision(votes: Votes) -> Interval:
    """Average precision of the ranking: Σ_k precision@k · v_k / Σ_k v_k, and 0 when no context is relevant.

    Not monotone in a verdict: (1, ?, 0) is [1, 1], since a relevant second context keeps the order perfect, and
    (1, 0, ?) is [.8333, 1]. For every possible number r of relevant contexts the smallest and the largest sum are
    found context by context, since precision@k depends on the verdicts before k only through their count.

    :raises ValueError: for no contexts, which have no score
    """
    if not votes:
        raise ValueError("without contexts there is no precision")
    lowest: dict[int, float] = {0: 0.0}
    highest: dict[int, float] = {0: 0.0}
    for rank, vote in enumerate(votes, start=1):
        lowest = _extended(lowest, vote, rank, largest=False)
        highest = _extended(highest, vote, rank, largest=True)
    return (
        min(total / count if count else 0.0 for count, total in lowest.items()),
        max(total / count if count else 0.0 for count, total in highest.items()),
    )


def _extended(totals: dict[int, float], vote: bool | None, rank: int, *, largest: bool) -> dict[int, float]:
    """Relevant so far: the extreme sum of precisions, after one more context."""
    found: dict[int, float] = {}
    for relevant, total in totals.items():
        for count, value in ((relevant, total), (relevant + 1, total + (relevant + 1) / rank)):
            if vote is not None and vote != (count > relevant):
                continue
            known = found.get(count, value)
            found[count] = max(known, value) if largest else min(known, value)
    return found


def answer_relevance(cosines: Sequence[float]) -> float:
    """The mean cosine between the question and the questions asked back, clipped to [0, 1].

    :raises ValueError: for no cosine
    """
    if not cosines:
        raise ValueError("without a question asked back there is no relevance")
    return min(1.0, max(0.0, sum(cosines) / len(cosines)))
