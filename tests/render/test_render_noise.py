"""What is read first where identical calls differ, and what is not suggested then."""

import io

import pytest
from report_samples import report, rule, swap_suite
from rich.console import Console

from fairgate.render import flips, markdown, phrases
from fairgate.render.terminal import print_report
from fairgate.results import Control, Counts, SuiteResult
from fairgate.results.mitigation import Arm, ArmAxis
from fairgate.swap.advice import suggestion
from fairgate.verdict import Verdict
from fairgate.wording import numbers


def control(differed: int = 44, excess: float = -0.055, lower: float = -0.2) -> Control:
    return Control(
        repeats=1, bases=200, asked=200, answered=200, differed=differed, noise=differed / 200,
        noise_interval=(0.1, 0.3), excess=excess, excess_interval=(lower, 0.082), method="mixture_bound",
    )  # fmt: skip


def suite(found: Control) -> SuiteResult:
    sample = swap_suite()
    assert sample.flips is not None
    return sample.model_copy(update={"flips": sample.flips.model_copy(update={"control": found})})


LINE = (
    "Identical calls differed in 44 of 200 cases: so much of what flips is no bias. Of pairs of identical calls 22 % "
    "differ; of pairs of different people 5.5 points less (from -20 to 8.2: nothing is shown beyond noise)."
)


def test_noise_stands_near_the_headline_and_first_beside_the_flips() -> None:
    page = markdown.comment(report(suite(control())))
    headline = page.split("\n", 1)[0]
    assert "when only the person changed (3 are incomplete), and in 44 when nothing changed at all; the" in headline
    first, second = (place for place in range(len(page)) if page.startswith(LINE[:40], place))
    assert first < page.index("| Verdict |") < page.index("#### Changed decisions") < second
    assert second < page.index("gender: male got")
    assert second < page.index("<details>\n<summary>Warnings")
    console = Console(file=io.StringIO(), width=400)
    print_report(report(suite(control())), console)
    assert LINE in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_steady_system_is_no_matter_for_the_headline() -> None:
    found = report(suite(control(differed=0, excess=0.1, lower=0.05)))
    assert phrases.noise(found) == []
    assert "nothing changed at all" not in phrases.headline(found)


@pytest.mark.parametrize(
    ("found", "metric", "suggests"),
    [
        (None, "flip_rate", True),
        (control(lower=0.001), "flip_rate", True),
        (control(), "flip_rate", False),
        (control(lower=0.0), "flip_rate", False),
        (control(), "max_group_gap", True),  # noise favours nobody
    ],
)
def test_a_mask_is_not_suggested_against_noise(found: Control | None, metric: str, suggests: bool) -> None:
    failing = rule("r", Verdict.FAIL, metric, 0.05, "It fails.")
    sample = swap_suite()
    assert sample.flips is not None
    sample = sample.model_copy(update={"rules": [failing], "flips": sample.flips.model_copy(update={"control": found})})
    counts = Counts(cases=200, expected=800, observed=800, missing=0)
    arm = Arm(
        name="as it is", system="loan", counts=counts, complete=200, flipped=31, rate=0.155, interval=(0.1, 0.2),
        selected=400, selection_rate=0.5, axes=[ArmAxis(axis="gender", flipped=26, gap=0.1)],
    )  # fmt: skip
    assert (suggestion(sample, [arm], 0.05) is not None) == suggests


def test_an_excess_is_shown_as_it_was_measured_and_says_of_what() -> None:
    beyond = rule(
        "beyond", Verdict.FAIL, "excess_flip_rate", 0.05, "m", estimate=-0.062, interval=(-0.15, 0.059),
        attribute=["gender"],
    )  # fmt: skip
    assert phrases.result(swap_suite(), beyond) == "-6.2 % of pairs"
    assert phrases.spread(beyond) == "-15 to 5.9 %"
    assert phrases.measured(swap_suite(), beyond) == (
        "pairs of answers to different people (gender) that differ, beyond pairs of answers to the same call"
    )
    assert "differed 6.2 points less often than" in phrases.finding(swap_suite(), beyond)


def test_flips_that_read_the_same_stand_once() -> None:
    examples = swap_suite().examples or []
    hidden = [
        one.model_copy(update={"differs": [field.model_copy(update={"redacted": True}) for field in one.differs]})
        for one in examples
    ]
    lines = flips.gathered(hidden)
    assert [[case.id for case in line.cases] for line in lines] == [
        ["loan-017", "loan-031", "loan-058", "loan-102"],
        ["loan-023"],
    ]
    assert flips.told_once(examples) == ["Different below, by gender: ten, gioi_tinh, xung_ho."]


def test_fields_that_are_not_the_same_for_all_stay_with_their_flip() -> None:
    one, other, *_ = swap_suite().examples or []
    other = other.model_copy(update={"differs": other.differs[:1]})
    assert flips.told_once([one, other]) == []
    assert [line.fields for line in flips.gathered([one, other])] == [["ten", "gioi_tinh", "xung_ho"], ["ten"]]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0625, ".0625"), (0.0703125, ".0703"), (1, "1"), (0.99999, "> .9999"), (0.00004, "< .0001"), (0.25, ".2500")],
)
def test_a_p_value_has_four_digits_everywhere(value: float, text: str) -> None:
    assert numbers.p_value(value) == text


@pytest.mark.parametrize(("value", "text"), [(90.0, "90"), (0.25, "0.25"), (1_250_000.0, "1250000"), (64, "64")])
def test_figures_have_no_needless_digits(value: float, text: str) -> None:
    assert numbers.figure(value) == text


def test_a_difference_that_rounds_to_nothing_has_no_sign() -> None:
    assert (numbers.percent(-0.0001), numbers.percent(-0.062)) == ("0 %", "-6.2 %")
