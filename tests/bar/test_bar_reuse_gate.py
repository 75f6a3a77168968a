"""A verdict that is taken over: nothing is asked, and it is said; not where something may have changed."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fairgate import gate
from fairgate.config import load
from fairgate.render import markdown
from fairgate.report import Report
from fairgate.world import World
from tests.models.fault_server import FaultServer, faulty

CONFIG = """\
reuse: true
max_age: 7d
baseline: last.json
systems:
  loan: {SYSTEM}
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes: {gender: {male: {ten: Hùng}, female: {ten: Lan}}}
  outcome: {positive: [APPROVE], negative: [REVIEW]}
  rules: [{id: flips, max_flip_rate: 0.5}]
"""
MODEL = 'type: chat, model: {type: openai, model: m, base_url: "URL/v1"}, messages: [{role: user, file: prompt.j2}]'
SERVICE = 'type: http, url: "URL/ask", body: {q: "{{ ten }}: {{ income }}"}, answer: "choices[0].message.content"'


class Repository:
    """A repository with a suite of ten cases, and a server that answers."""

    def __init__(self, folder: Path, server: FaultServer) -> None:
        self.folder, self.server = folder, server
        (folder / ".git").mkdir()
        (folder / "prompt.j2").write_text("{{ ten }}: {{ income }}", encoding="utf-8")
        self.golden(10)
        self.system(MODEL)

    def golden(self, cases: int) -> None:
        rows = "".join(f"c{number},{number}\n" for number in range(cases))
        (self.folder / "golden.csv").write_text(f"id,income\n{rows}", encoding="utf-8")

    def system(self, text: str) -> None:
        written = CONFIG.replace("SYSTEM", text).replace("URL", self.server.url)
        (self.folder / "fairgate.yaml").write_text(written, encoding="utf-8")

    def run(self, later: timedelta = timedelta(0)) -> Report:
        self.server.asked.clear()
        world = World(environ={"NO_PROXY": "*"}, now=lambda: datetime.now(UTC) + later)
        return gate.run(load(self.folder / "fairgate.yaml"), world).report

    def keep(self, report: Report) -> None:
        (self.folder / "last.json").write_text(report.to_json(), encoding="utf-8")


def decision(body: str) -> str:
    return "REVIEW" if ": 9" in body else "APPROVE"


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    with faulty(text=decision) as server:
        yield Repository(tmp_path, server)


def test_nothing_changed_nothing_asked(repository: Repository) -> None:
    first = repository.run()
    repository.keep(first)
    again = repository.run(timedelta(hours=1))
    assert repository.server.asked.total() == 0
    assert (again.verdict, again.fingerprint, again.evidence.calls) == (first.verdict, first.fingerprint, 0)
    assert again.reused is not None
    assert "Nothing was asked: nothing that this verdict rests on" in markdown.comment(again, limit=65_536)
    assert again.when != first.when


@pytest.mark.parametrize("change", ["golden", "prompt", "limit"])
def test_whatever_the_verdict_rests_on_is_asked_about_again(repository: Repository, change: str) -> None:
    repository.keep(repository.run())
    if change == "golden":
        repository.golden(11)
    elif change == "prompt":
        (repository.folder / "prompt.j2").write_text("Decide. {{ ten }}: {{ income }}", encoding="utf-8")
    else:
        config = repository.folder / "fairgate.yaml"
        config.write_text(config.read_text(encoding="utf-8").replace("0.5", "0.6"), encoding="utf-8")
    again = repository.run()
    assert repository.server.asked.total() == again.evidence.calls > 0
    assert again.reused is None
    assert again.not_reused is not None
    assert "has changed since" in again.not_reused


def test_a_verdict_ages(repository: Repository) -> None:
    repository.keep(repository.run())
    again = repository.run(timedelta(days=7, minutes=1))
    assert repository.server.asked.total() == 20
    assert again.not_reused is not None
    assert "7 days ago" in again.not_reused


def test_code_under_test_is_asked_every_time(repository: Repository) -> None:
    repository.system(SERVICE)
    repository.keep(repository.run())
    again = repository.run()
    assert repository.server.asked.total() == 20
    assert again.not_reused is not None
    assert "loan is code" in again.not_reused


def test_another_model_behind_the_same_name_is_said(repository: Repository) -> None:
    first = repository.run()
    accounts = [account.model_copy(update={"models": ["m-0"]}) for account in first.evidence.models]
    repository.keep(first.model_copy(update={"evidence": first.evidence.model_copy(update={"models": accounts})}))
    again = repository.run(timedelta(days=8))
    (remark,) = [one for one in again.evidence.remarks if one.code == "other_model"]
    assert "m-0 then, m-1 now" in remark.message
