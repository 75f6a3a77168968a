"""The decided example is what its script writes, and shows what its README says."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from fairgate.stats.binomial import lower_bound, upper_bound

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "decided-cases"
LIMIT = 0.10

Bounds = dict[tuple[str, ...], tuple[float, float]]


def rows() -> list[dict[str, str]]:
    with (EXAMPLE / "decided.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def bounds(*attributes: str) -> Bounds:
    """Exact bounds of the false negative rate of every group, by statistics of first principles."""
    qualified = [row for row in rows() if row["label"] == "1" and all(row[name] for name in attributes)]
    cells: dict[tuple[str, ...], list[str]] = {}
    for row in qualified:
        cells.setdefault(tuple(row[name] for name in attributes), []).append(row["prediction"])
    tail = 0.05 / (2 * len(cells))
    return {
        group: (
            lower_bound(predictions.count("0"), len(predictions), tail),
            upper_bound(len(predictions) - predictions.count("1"), len(predictions), tail),
        )
        for group, predictions in cells.items()
    }


def gap(found: Bounds) -> tuple[float, float]:
    """Lower and upper end of the widest gap."""
    pairs = [(first, second) for first in found.values() for second in found.values() if first is not second]
    return max(0.0, *(a[0] - b[1] for a, b in pairs)), max(a[1] - b[0] for a, b in pairs)


def test_the_file_is_what_its_script_writes_byte_for_byte() -> None:
    script = subprocess.run(
        [sys.executable, "-X", "utf8", str(EXAMPLE / "make_decided.py")], capture_output=True, check=True
    )
    assert script.stdout.replace(b"\r\n", b"\n") == (EXAMPLE / "decided.csv").read_bytes()


@pytest.mark.parametrize("attribute", ["sex", "age_band"])
def test_each_attribute_alone_passes(attribute: str) -> None:
    assert gap(bounds(attribute))[1] <= LIMIT


def test_the_crossing_fails() -> None:
    found = bounds("sex", "age_band")
    assert len(found) == 6
    assert gap(found)[0] > LIMIT
    assert max(found, key=lambda group: found[group][0]) == ("female", "over_54")


def test_the_small_group_proves_nothing() -> None:
    lower, upper = gap(bounds("disability"))
    assert lower <= LIMIT < upper


def test_the_readme_counts_what_is_missing() -> None:
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    assert sum(row["prediction"] == "" for row in rows()) == 7
    assert sum(row["disability"] == "" for row in rows()) == 70
    assert "Seven answers never came" in text
    assert "70 applicants left the question" in text
