"""A repository of its own for each test: a base, a change, and the run that holds one against the other."""

import json
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fairgate import gate, parties
from fairgate.bar.base import Base
from fairgate.config import load
from fairgate.report import Report
from fairgate.world import World

WHO = ("-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always")

CONFIG = """\
name: loan-assistant
systems: {loan: {type: recorded, answers: answers.jsonl}}
swap:
  name: screen
  system: loan
  cases: golden.jsonl
  axes:
    gender: {male: {ten: Hùng}, female: {ten: Lan}}
  outcome: {positive: ["yes"], negative: ["no"]}
  must_respond_to: [{income: "1"}]
  rules:
    - {id: flips, max_flip_rate: 0.10}
    - {id: floor, rate: selection, attribute: gender, worst_group: {min: 0.10}}
fairness:
  name: decided
  cases: decided.csv
  label: label
  prediction: prediction
  attributes: {sex: [f, m]}
  min_cell: 5
  rules:
    - {id: gap, rate: selection, attribute: sex, max_group_gap: 0.6}
"""
CASES = [{"id": f"loan-{number:03}", "income": str(9 + number), "number": str(number)} for number in range(60)]
DECIDED = [(number, "fm"[number % 2], number // 2 % 2, number // 2 % 2) for number in range(200)]


def lines(cases: list[dict[str, str]]) -> str:
    return "".join(json.dumps(case) + "\n" for case in cases)


def table(rows: list[tuple[object, ...]]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in [("id", "sex", "label", "prediction"), *rows])


@dataclass
class Repository:
    """A checkout with a ``main`` that holds a configuration which passes, and a branch ``change`` begun there."""

    folder: Path

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *WHO, "-C", str(self.folder), *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, old: str, new: str, name: str = "fairgate.yaml") -> None:
        text = (self.folder / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def commit(self, message: str = "work") -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def answer(self) -> None:
        """Answers recorded for whatever is asked now: everybody gets yes but the poorest, and the first ten cases."""
        asked = parties.questions(load(self.folder / "fairgate.yaml"))
        answers = [
            {"id": one.id, "answer": "no" if one.fields["income"] == "1" or int(one.fields["number"]) < 10 else "yes"}
            for one in asked
        ]
        self.write("answers.jsonl", "".join(json.dumps(one) + "\n" for one in answers))

    def run(
        self, base: Base | str | None = "main", *, today: str = "2026-12-01", config: str = "fairgate.yaml"
    ) -> Report:
        world = World(environ={}, now=lambda: datetime.fromisoformat(today).replace(tzinfo=UTC))
        held = Base(base) if isinstance(base, str) else base
        return gate.run(load(self.folder / config), world, base=held).report


def repository(folder: Path) -> Repository:
    """See ``Repository``."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Repository(folder)
    made.git("init", "-q", "-b", "main")
    made.write("fairgate.yaml", CONFIG)
    made.write("golden.jsonl", lines(CASES))
    made.write("decided.csv", table(DECIDED))
    made.write("answers.jsonl", "")
    made.answer()
    made.commit("the base")
    made.git("checkout", "-q", "-b", "change")
    return made
