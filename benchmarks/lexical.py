"""How far the lexical judge agrees with people, by threshold. Needs the published data in ../shared.

    python benchmarks/lexical.py [FOLDER with begin_wow_dev.jsonl and refchecker_claims_accurate.jsonl]

BEGIN (google/BEGIN-dataset, CC BY 4.0): 430 answers of four models to one passage each, labelled by people as fully
attributable to it or not. Nearly every passage is one sentence, so it says nothing of the window. RefChecker
(amazon-science/RefChecker, CC BY 4.0) comes without contexts here: it only tells from how many answers nobody drew a
claim, most of them lists that the extraction gave up on.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fairgate.judges.lexical import RELEVANT, SUPPORTED, check_claim, is_relevant, list_claims

HERE = Path(__file__).resolve()
FOLDER = Path(os.environ.get("FAIRGATE_SHARED", HERE.parents[1].parent / "shared")) / "data" / "rag"
THRESHOLDS = (0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0)

Row = dict[str, Any]
Pair = tuple[bool, bool]
"""What people say, what the judge says."""


def read(path: Path) -> list[Row]:
    """The rows of a JSONL file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def faithful(row: Row, threshold: float) -> bool | None:
    """Whether every claim of an answer is supported; None for an answer without claims."""
    claims = list_claims(row["generated_answer"])
    if not claims:
        return None
    return all(check_claim(claim, row["retrieved_context"], threshold).supported for claim in claims)


def table(pairs: list[Pair]) -> str:
    """Agreement, chance-corrected agreement, and the share found of each kind."""
    n = len(pairs)
    yes = [judged for human, judged in pairs if human]
    no = [judged for human, judged in pairs if not human]
    agree = sum(human == judged for human, judged in pairs) / n
    said_yes = sum(judged for _, judged in pairs) / n
    chance = said_yes * len(yes) / n + (1 - said_yes) * len(no) / n
    kappa = (agree - chance) / (1 - chance)
    return f"{agree:9.3f} {kappa:7.3f} {sum(yes) / len(yes):12.3f} {1 - sum(no) / len(no):14.3f}"


def support(rows: list[Row]) -> None:
    """Agreement on whole answers.

    The halves show how far the numbers move by chance. Both were in view when the threshold was chosen, so neither is a
    held-out test, and the agreement at the threshold is somewhat flattered.
    """
    halves = {"first half": rows[0::2], "second half": rows[1::2]}
    print("begin_wow_dev: every claim supported, against 'Fully attributable'")
    print("threshold   half          n  agreement  kappa   attributable  not attributable")
    for threshold in THRESHOLDS:
        for name, half in halves.items():
            judged = [(bool(row["human_faithful"]), faithful(row, threshold)) for row in half]
            pairs = [(human, verdict) for human, verdict in judged if verdict is not None]
            used = " <" if threshold == SUPPORTED else ""
            print(f"{threshold:9.2f}   {name:11s} {len(pairs):4d} {table(pairs)}{used}")
    silent = [row for row in rows if not list_claims(row["generated_answer"])]
    kept = sum(not row["human_faithful"] for row in silent)
    print(f"no claims found in {len(silent)} of {len(rows)} answers ({kept} of them not attributable)\n")


def relevance(rows: list[Row]) -> None:
    """A stand-in, for want of labels: answers that people call attributable, against their own passage and others'."""
    rows = [row for row in rows if row["human_faithful"]]
    print(f"own passage against another's, {len(rows)} attributable answers: a stand-in, nobody labelled relevance")
    print("threshold  agreement  kappa   own passage  another's")
    for threshold in THRESHOLDS:
        pairs: list[Pair] = []
        for index, row in enumerate(rows):
            other = rows[(index + 7) % len(rows)]
            for own, context in ((True, row["retrieved_context"][0]), (False, other["retrieved_context"][0])):
                if own or context != row["retrieved_context"][0]:
                    pairs.append((own, is_relevant(context, row["generated_answer"], row["user_query"], threshold)))
        print(f"{threshold:9.2f} {table(pairs)}{' <' if threshold == RELEVANT else ''}")
    print()


def silence(rows: list[Row]) -> None:
    """Answers without a claim."""
    pairs = [(row["no_claims"], not list_claims(row["generated_answer"] or "")) for row in rows]
    both, human, judge = (sum(map(test, pairs)) for test in (all, lambda pair: pair[0], lambda pair: pair[1]))
    print(f"refchecker: no claim in {human} of {len(rows)} answers by its labels, in {judge} by ours, {both} in common")


def main() -> None:
    """Print everything, or say that the data is not there."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not folder.is_dir():
        print(f"skipped: the published data is not in {folder.name}/ beside the checkout")
        return
    begin = read(folder / "begin_wow_dev.jsonl")
    support(begin)
    relevance(begin)
    silence(read(folder / "refchecker_claims_accurate.jsonl"))


if __name__ == "__main__":
    main()
