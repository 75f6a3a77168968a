"""The law of the gate, and symmetries that a verdict must not depend on."""

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from parity_desk import Desk

from fairgate.verdict import Verdict

DECIDED = (Verdict.PASS, Verdict.FAIL)
UNDECIDED = (Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW)
RULES = (
    "{id: gap, rate: false_negative, attribute: sex, max_group_gap: %g, max_left_out: 0.3}",
    "{id: error, rate: error, attribute: [sex, band], max_group_gap: 0.9}",
    "{id: crossed, rate: selection, attribute: [sex, band], max_group_gap: %g, max_left_out: 0.3}",
    "{id: floor, rate: selection, attribute: sex, worst_group: {min: %g}, max_left_out: 0.3}",
    "{id: ceiling, rate: error, attribute: band, worst_group: {max: %g}}",
    "{id: looked-at, rate: error, attribute: band, max_group_gap: %g, requires_manual_review: true}",
)
COLUMNS = "label: label\nprediction: prediction\nattributes: {sex: [female, male], band: [young, old]}\nmin_cell: 4\n"

Case = dict[str, Any]


def draw_cases(chance: random.Random) -> list[Case]:
    """Cases with rates, group sizes and blanks of all kinds, extreme ones included."""
    rates = {group: chance.choice([0, 0.02, 0.5, 0.98, 1]) for group in ("female", "male")}
    blank, odd = chance.choice([0, 0, 0.1]), chance.choice([0, 0, 0.1])
    share = chance.choice([0.5, 0.5, 0.9, 1])
    cases = []
    for i in range(chance.choice([20, 60, 240])):
        sex = "female" if chance.random() < share else "male"
        wrong = chance.random() < rates[sex]
        label = int(chance.random() < 0.6)
        cases.append(
            {
                "id": f"c{i}",
                "label": label,
                "prediction": "" if chance.random() < 0.02 else int(label != wrong),
                "sex": "" if chance.random() < blank else "?" if chance.random() < odd else sex,
                "band": chance.choice(["young", "old"]),
            }
        )
    return cases


def hide(cases: list[Case], chance: random.Random) -> list[Case]:
    """The same cases with some predictions blank and some rows gone; at least one row stays."""
    rows, predictions = chance.choice([0, 0.02, 0.2, 0.6]), chance.choice([0, 0.02, 0.2, 0.9])
    kept = [case for case in cases if chance.random() >= rows] or cases[:1]
    return [{**case, "prediction": ""} if chance.random() < predictions else case for case in kept]


def write_expected(desk: Desk, cases: list[Case], how: str) -> str:
    if how == "number":
        return f"expected: {{cases: {len(cases)}}}"
    columns = {"ids": ("id",), "groups": ("id", "sex", "band"), "all": ("id", "sex", "band", "label")}[how]
    desk.write("ids.csv", [{name: case[name] for name in columns} for case in cases])
    return "expected: {ids: ids.csv}"


def verdicts(desk: Desk, cases: list[Case], rules: list[str], expected: str) -> Iterator[tuple[str, Verdict]]:
    desk.write("decided.csv", cases)
    for rule in desk.judge(*rules, columns=COLUMNS, more=expected).rules:
        yield rule.id, rule.verdict


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32).map(random.Random), st.sampled_from(["number", "ids", "groups", "all"]))
def test_missing_evidence_never_improves_a_verdict(chance: random.Random, how: str) -> None:
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        limit = chance.choice([0.05, 0.2, 0.5, 0.8])
        rules = [rule % limit if "%" in rule else rule for rule in RULES]
        cases = draw_cases(chance)
        expected = write_expected(desk, cases, how)
        before = dict(verdicts(desk, cases, rules, expected))
        hidden = hide(cases, chance)
        hidden_more = hide(hidden, chance)
        for fewer in (hidden, hidden_more):
            after = dict(verdicts(desk, fewer, rules, expected))
            for rule, verdict in before.items():
                assert after[rule] == verdict or after[rule] in UNDECIDED, (rule, verdict, after[rule])
            before = after


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 2**32).map(random.Random))
def test_order_of_rows_and_groups_does_not_matter(chance: random.Random) -> None:
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        rules = [rule % 0.2 if "%" in rule else rule for rule in RULES]
        cases = draw_cases(chance)
        desk.write("decided.csv", cases)
        one = desk.judge(*rules, columns=COLUMNS)
        desk.write("decided.csv", chance.sample(cases, len(cases)))
        turned = COLUMNS.replace("[female, male]", "[male, female]").replace("[young, old]", "[old, young]")
        other = desk.judge(*rules, columns=turned)
        for a, b in zip(one.rules, other.rules, strict=True):
            assert (a.verdict, a.reasons, a.interval, a.left_out) == (b.verdict, b.reasons, b.interval, b.left_out)
            key = lambda group: sorted(group.group.items())  # noqa: E731
            assert sorted(a.groups or [], key=key) == sorted(b.groups or [], key=key)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32).map(random.Random))
def test_a_looser_limit_never_hurts(chance: random.Random) -> None:
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        desk.write("decided.csv", draw_cases(chance))
        steps = (0.0, 0.05, 0.2, 0.5, 0.8, 1.0)
        gaps = [f"{{id: g{x}, rate: error, attribute: sex, max_group_gap: {x}}}" for x in steps]
        floors = [f"{{id: f{x}, rate: error, attribute: sex, worst_group: {{min: {1 - x}}}}}" for x in steps]
        for rules in (gaps, floors):
            order = {Verdict.FAIL: 0, Verdict.INSUFFICIENT_EVIDENCE: 1, Verdict.PASS: 2}
            reached = [order[rule.verdict] for rule in desk.judge(*rules, columns=COLUMNS).rules]
            assert all(tight <= loose for tight, loose in pairwise(reached))
