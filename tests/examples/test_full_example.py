"""The example with everything that a swap suite can ask for, and the short ones of the page."""

from pathlib import Path

from fairgate import gate
from fairgate.config import load
from fairgate.config.model import HarnessSuite
from fairgate.validation import validate
from fairgate.verdict import Verdict
from fairgate.wording.numbers import percent
from fairgate.world import World


def test_the_full_example_is_sound_and_waits_for_a_person(repository: Path) -> None:
    config = repository / "examples" / "loan-screen" / "fairgate-full.yaml"
    assert validate(load(config), World()) == []
    (suite,) = gate.run(load(config), World()).report.suites
    assert suite.verdict is Verdict.MANUAL_REVIEW
    assert [warning.code for warning in suite.warnings] == []
    assert {rule.verdict for rule in suite.rules} == {Verdict.PASS}
    assert suite.refusals is not None
    page = (config.parent / "README.md").read_text(encoding="utf-8")
    flips, excess, _, floor = suite.rules
    assert flips.interval is not None
    assert excess.interval is not None
    assert floor.interval is not None
    assert f"| `flips` | 0 of {suite.counts.cases}, at most {percent(flips.interval[1])} | PASS |" in page
    assert f"| `beyond-noise` | 0 %, at most {percent(excess.interval[1])} | PASS |" in page
    assert floor.estimate is not None
    assert f"| {percent(floor.estimate)}, at least {percent(floor.interval[0])} | PASS |" in page


def test_it_leaves_out_nothing(repository: Path) -> None:
    """A new key of a suite has its place in the example, or a reason here."""
    elsewhere = {"tags", "mask", "high_stakes", "profiles"}  # mask is short for a mitigation; the others: docs/tiers.md
    (suite,) = load(repository / "examples" / "loan-screen" / "fairgate-full.yaml").config.swap
    assert isinstance(suite, HarnessSuite)
    assert set(HarnessSuite.model_fields) - suite.model_fields_set - elsewhere == set()


def test_the_short_examples_of_the_page_can_be_loaded(repository: Path, tmp_path: Path) -> None:
    page = (repository / "docs" / "swap.md").read_text(encoding="utf-8")
    example = next(block for block in page.split("```yaml\n") if block.startswith("systems:\n  scorer"))
    (tmp_path / "fairgate.yaml").write_text(example.split("```")[0], encoding="utf-8")
    (tmp_path / "golden").mkdir()
    golden = (repository / "examples" / "loan-screen" / "golden" / "loan.jsonl").read_text(encoding="utf-8")
    for name in ("ten", "xung_ho"):
        golden = golden.replace(f"{{{name}}}", "…")
    (tmp_path / "golden" / "loan.jsonl").write_text(golden, encoding="utf-8")
    assert validate(load(tmp_path / "fairgate.yaml"), World()) == []
