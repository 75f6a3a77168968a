"""The page as a person meets it: its first sentence, its structure under any text, its budget."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import nodes
from rag_samples import rag_suite
from report_samples import REPORTS, fairness_suite, passing_suite, refused_suite, report, rule, swap_suite
from test_escape import HOSTILE, LINKED, shown, text_of

from fairgate.render import escape, markdown, phrases
from fairgate.render import flips as changed
from fairgate.render.answers import METRICS
from fairgate.report import Report
from fairgate.results import Counts, Flips, SuiteResult
from fairgate.verdict import Verdict


def roomy(of: Report) -> str:
    """A comment that need not be shortened."""
    return markdown.comment(of, limit=10**7)


FORMS = [roomy, markdown.document]
CODES = {
    "schema",
    "verdict",
    "underlying",
    "kind",
    "completeness",
    "bound",
    "outcome",
    "metric",
    "rate",
    "method",
    "require",
    "role",
    "reason",
}


def dressed(value: Any, before: str, after: str) -> Any:
    """A report's plain values with every free text put between two others; equal texts stay equal."""
    if isinstance(value, str) and not isinstance(value, Verdict):
        return before + value + after
    if isinstance(value, dict):
        return {
            key
            if key in Report.model_fields or (isinstance(key, str) and key in _KEYS)
            else dressed(key, before, after): (item if key in CODES else dressed(item, before, after))
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [dressed(item, before, after) for item in value]
    return value


def _keys(schema: dict[str, Any]) -> set[str]:
    parts = [schema, *schema.get("$defs", {}).values()]
    return {name for part in parts for name in part.get("properties", {})}


_KEYS = _keys(Report.model_json_schema(by_alias=True)) | {*METRICS, "pass", "fail", "missing"}


def hostile(before: str, after: str) -> Report:
    """The report with a suite of each kind, every text of it dressed up."""
    values = report(swap_suite(), fairness_suite(), rag_suite()).model_dump(by_alias=True)
    return Report.model_validate(dressed(values, before, after))


# --- structure -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_change_nothing_but_themselves(form: Callable[[Report], str], text: str) -> None:
    plain, seen = shown(form(hostile("w", "w"))), shown(form(hostile(text, text)))
    assert seen.tags == plain.tags
    assert not LINKED.search(seen.linkable)


@given(st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=25, deadline=None)
def test_any_text_changes_nothing_but_itself(before: str, after: str) -> None:
    seen = shown(markdown.document(hostile(before, after)))
    assert seen.tags == shown(markdown.document(hostile("w", "w"))).tags


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("form", FORMS)
def test_every_sample_is_a_whole_page(name: str, form: Callable[[Report], str]) -> None:
    page = form(REPORTS[name]())
    assert page.startswith("### ")
    assert page.endswith("\n")
    assert "None" not in page.replace("None of", "")
    assert "\n\n\n\n" not in page
    assert page.count("<details>") == page.count("</details>")


def test_templates_have_no_way_around_escaping() -> None:
    environment = markdown._environment(escape.finalize)
    assert not {"safe", "join", "format", "replace", "forceescape"} & set(environment.filters)
    gluing = (nodes.Concat, nodes.Add, nodes.Mod, nodes.MarkSafe, nodes.MarkSafeIfAutoescape)
    for name in environment.list_templates(extensions=["j2"]):
        source, _, _ = environment.loader.get_source(environment, name)  # type: ignore[union-attr]
        assert not list(environment.parse(source).find_all(gluing)), name


# --- what it says ----------------------------------------------------------------------------------------------------


def first_line(*suites: SuiteResult) -> str:
    """The headline as text."""
    return text_of(shown(markdown.comment(report(*suites)).splitlines()[0]))


def test_the_first_sentence_says_what_was_found_on_how_many_against_which_limit() -> None:
    assert first_line(swap_suite()) == (
        "❌ Stopped: 31 of 200 cases got a different decision when only the person changed (3 are incomplete); "
        "the limit is 5 %."
    )
    assert first_line(passing_suite()) == (
        "✅ Passed: none of 200 cases got a different decision when only the person changed; the limit is 5 %."
    )
    assert first_line(fairness_suite()) == (
        "❌ Stopped: the false-negative rate of female and male differed by 16.8 points, on 730 cases with "
        "label 1 in 2 groups; the limit is 5 points."
    )
    assert first_line(refused_suite()) == (
        "🟡 Not enough evidence: none of 320 expected decisions came, so nothing could be judged. "
        "The evidence is too little to tell whether the limit holds."
    )
    assert first_line() == "🟡 Not enough evidence: nothing was judged."


@pytest.mark.parametrize(
    ("verdicts", "headline"),
    [
        (["FAIL", "FAIL", "PASS"], "❌ Stopped: m. 1 more rule failed too."),
        (["FAIL", "FAIL", "FAIL"], "❌ Stopped: m. 2 more rules failed too."),
        (["PASS", "PASS"], "✅ Passed: m. All 2 rules hold."),
        (["MANUAL_REVIEW", "PASS"], "👤 Needs a person: m. A person has to look before this can pass."),
        (
            ["INSUFFICIENT_EVIDENCE", "INSUFFICIENT_EVIDENCE"],
            "🟡 Not enough evidence: m. The evidence is too little to tell whether the limit holds, "
            "and so for 1 more rule.",
        ),
    ],
)
def test_the_headline_counts_the_other_rules(verdicts: list[str], headline: str) -> None:
    rules = [rule(f"r{number}", Verdict(verdict), "later", 0.1, "m.") for number, verdict in enumerate(verdicts)]
    counts = Counts(cases=1, expected=1, observed=1, missing=0)
    verdict = max((each.verdict for each in rules), key=lambda each: each.severity)
    assert first_line(SuiteResult(name="s", kind="swap", verdict=verdict, counts=counts, rules=rules)) == headline


def test_flips_are_sentences_and_both_directions_are_counted() -> None:
    text = text_of(shown(markdown.comment(report(swap_suite()))))
    assert (
        "loan-017 (soc_trang), loan-102 (soc_trang): Nguyễn Văn Hùng (male) got the positive decision, DUYỆT; "
        "Nguyễn Thị Lan (female) the negative one, XEM LẠI."
    ) in text
    assert text.count("Different below, by gender: ten, gioi_tinh, xung_ho.") == 1
    assert "gender: male got “DUYỆT” where female did not in 24 cases, the reverse in 2: p < .0001" in text
    assert "region: ha_noi got “DUYỆT” where soc_trang did not in 7 cases, the reverse in none: p = .0156" in text
    assert ", corrected for 2 comparisons .0156." in text
    assert "24 of 31: “XEM LẠI” for female, “DUYỆT” for male." in text
    assert "1 of 31: “XEM LẠI” for female × ha_noi, male × ha_noi, “DUYỆT” for male × soc_trang" in text


def test_counts_stand_before_the_table_and_the_limits_of_it_all_at_the_end() -> None:
    page = markdown.comment(report(swap_suite(), fairness_suite()))
    counted = "800 answers expected (200 of them to a change that ought to matter), 795 read, 5 missing (3 unreadable"
    assert page.index(counted) < page.index("| Verdict |")
    assert page.rstrip().endswith("</details>")
    assert "What this report cannot tell" in page[page.rindex("<details>") :]


def test_a_failed_server_is_named_where_nobody_has_to_unfold_it() -> None:
    page = markdown.comment(report(refused_suite()))
    assert "the key in VLLM&#95;KEY was not accepted" in page[: page.index("<details>")]


def test_flips_without_fields_or_directions_still_read() -> None:
    suite = swap_suite()
    bare = suite.examples[0].model_copy(update={"differs": []})  # type: ignore[index]
    (line,) = changed.gathered([bare])
    told = "loan-017 (soc_trang): male got the positive decision (DUYỆT); female the negative one (XEM LẠI)."
    assert changed.flip(line) == told
    assert changed.told_once([bare]) == []
    flips = Flips(bases=3, complete=3, flipped=1, rate=1 / 3, interval=(0.0, 1.0), favoured={})
    page = markdown.comment(report(suite.model_copy(update={"flips": flips, "examples": None})))
    assert "#### Changed decisions in loan-screen: 1 of 3 cases" in page


# --- budget ----------------------------------------------------------------------------------------------------------


def monstrous(rules: int, text: str = "x") -> Report:
    """More rules than a comment can hold, each with more to say than it should."""
    many = [
        rule(f"rule-{number}", Verdict.FAIL, "max_group_gap", 0.1, text * 500, rate="error", attribute=[text * 50])
        for number in range(rules)
    ]
    return report(swap_suite().model_copy(update={"rules": many}), fairness_suite())


@pytest.mark.parametrize("limit", [65_536, 20_000, 9_000, 5_000, 3_000, 1_500, 700, 400])
@pytest.mark.parametrize("name", ["both", "monstrous", "hostile"])
def test_a_page_keeps_its_budget_whole_parts_at_a_time(limit: int, name: str) -> None:
    sample = {
        "both": REPORTS["both"],
        "monstrous": lambda: monstrous(300),
        "hostile": lambda: monstrous(60, "`|<@\u202e"),
    }
    page = markdown.comment(sample[name](), limit=limit)
    assert len(page.encode()) <= limit
    assert "Stopped" in page.splitlines()[0]
    seen = shown(page)
    assert page.count("<details>") == page.count("</details>") == seen.tags.count("details")
    assert all(len(set(rows)) == 1 for rows in seen.tables)


def test_what_was_given_up_is_said() -> None:
    whole, short = markdown.comment(monstrous(300), limit=10**7), markdown.comment(monstrous(300), limit=20_000)
    assert "Shortened" not in whole
    assert "Shortened to fit." in short
    assert re.search(r"… and \d+ more rules, see <code>report.md</code>", short)


def test_folded_parts_go_first_then_examples_then_rows() -> None:
    full = markdown.comment(REPORTS["both"](), limit=10**6)
    size = len(full.encode())
    pages = [markdown.comment(REPORTS["both"](), limit=limit) for limit in range(size, 1_500, -500)]
    folded = [page.count("<details>") - page.count("To let this stand") for page in pages]
    examples = [page.count(" got the positive decision, ") for page in pages]
    rows = [page.count("<br><sub>loan-") for page in pages]
    for counts in (folded, examples, rows):
        assert counts == sorted(counts, reverse=True)
        assert counts[0] > counts[-1]
    assert all(not some or kept == 4 for some, kept in zip(folded, examples, strict=True))
    assert all(not some or kept == 6 for some, kept in zip(examples, rows, strict=True))


def test_a_long_answer_is_cut_in_a_comment_and_whole_in_the_document() -> None:
    suite = swap_suite()
    long = suite.counts.model_copy(update={"unreadable": {"y" * 5_000: 1}})
    sample = report(suite.model_copy(update={"counts": long}))
    assert "y" * 599 + "…" in markdown.comment(sample)
    assert "y" * 5_000 in markdown.document(sample)


def test_the_summary_has_more_room_than_the_comment() -> None:
    sample = monstrous(400)
    assert len(markdown.comment(sample).encode()) <= 65_536 < len(markdown.summary(sample).encode()) <= 1024 * 1024


# --- failure ---------------------------------------------------------------------------------------------------------


def test_a_failure_shows_its_text_in_a_fence_that_nothing_in_it_closes() -> None:
    page = markdown.failure("fairgate.yaml:3: rules\n```\n</details> @octocat ````\n" + "z" * 20_000)
    seen = shown(page)
    assert seen.tags == ["h3", "p", "pre", "code"]
    assert "Fairgate could not run" in page
    assert "@octocat" in seen.text
    assert len(page) < 10_000


def test_a_suite_that_is_all_there_is_to_know_shows_no_range() -> None:
    rule = swap_suite().rules[0]
    assert phrases.spread(rule.model_copy(update={"interval": (0.1, 0.2)})) == "10 to 20 %"
    assert phrases.spread(rule.model_copy(update={"interval": (0.7, 0.7)})) == ""


def test_what_did_not_pass_has_the_rule_of_the_headline_too() -> None:
    text = markdown.document(report(swap_suite()))
    why = text[text.index("## What did not pass") :].partition("\n## ")[0]
    failed = [one for one in swap_suite().rules if one.verdict is not Verdict.PASS]
    assert [line.partition("</b>")[0] for line in why.splitlines() if line.startswith("- ")] == [
        f"- <b>{one.id}" for one in failed
    ]
