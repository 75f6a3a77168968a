"""What embeddings say: how near the questions asked back are to the question, and how near unrelated questions are."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from math import ceil

from fairgate.golden.rag import Sample
from fairgate.models.embeddings import Embedder
from fairgate.models.protocol import CallFailed, Missing
from fairgate.triad.evidence import Evidence

Pair = tuple[str, str]
"""A case and a judge."""

PERCENTILE = 0.95
"""The floor is this quantile of the cosines between different questions of a suite."""

MOST_QUESTIONS = 2000
"""Questions that the floor is measured on, spread evenly over the suite: two million pairs say enough."""

GIVE_UP = 3
"""Cases in a row whose texts could not be embedded; the others are not tried."""


def measure(
    embedder: Embedder, evidence: Evidence, asked: Iterable[tuple[Sample, str]]
) -> dict[Pair, tuple[float, ...] | Missing]:
    """(case, judge) to the cosines between its question and those the judge asked back, or why there are none."""
    wanted: dict[Pair, list[str]] = {}
    found: dict[Pair, tuple[float, ...] | Missing] = {}
    for sample, judge in asked:
        questions = evidence.questions(sample, judge)
        if isinstance(questions, Missing):
            found[sample.id, judge] = questions
        else:
            wanted[sample.id, judge] = [sample.query, *questions]
    for key, embedded in embed_each(embedder, wanted).items():
        found[key] = embedded if isinstance(embedded, Missing) else _cosines(embedded)
    return found


def embed_each(embedder: Embedder, texts: Mapping[Pair, Sequence[str]]) -> dict[Pair, list[list[float]] | Missing]:
    """The vectors of several lists of texts, in as few calls as they take; one that fails does not cost the others."""
    # What came is kept by the embedder; which cases lack something is found out below.
    with suppress(CallFailed):
        embedder.embed([text for group in texts.values() for text in group])
    found: dict[Pair, list[list[float]] | Missing] = {}
    lost: list[Missing] = []
    for key, group in texts.items():
        if len(lost) >= GIVE_UP:
            found[key] = lost[-1]
            continue
        try:
            found[key] = embedder.embed(group)
            lost.clear()
        except CallFailed as failure:
            lost.append(Missing(failure.reason, failure.detail, asked=failure.asked))
            found[key] = lost[-1]
    return found


def _cosines(vectors: Sequence[Sequence[float]]) -> tuple[float, ...]:
    query, *others = vectors
    return tuple(sum(a * b for a, b in zip(query, other, strict=True)) for other in others)


def floor(embedder: Embedder, samples: Sequence[Sample]) -> float | None:
    """What an answer to another question of the suite would score: the 95th percentile of the cosines between its
    different questions, clipped to [0, 1].

    :returns: None when fewer than two different questions could be embedded
    """
    questions = list(dict.fromkeys(sample.query for sample in samples))
    questions = questions[:: max(1, ceil(len(questions) / MOST_QUESTIONS))]
    if len(questions) < 2:
        return None
    try:
        vectors = embedder.embed(questions)
    except CallFailed:
        return None
    import numpy as np  # noqa: PLC0415 - only where a suite asks for it

    matrix = np.array(vectors)
    pairs = (matrix @ matrix.T)[np.triu_indices(len(questions), k=1)]
    return float(np.clip(np.quantile(pairs, PERCENTILE, method="higher"), 0.0, 1.0))
