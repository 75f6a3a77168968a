"""One repository whose ``fairgate.yaml`` has all three kinds of suite: the three examples put together."""

import shutil
from pathlib import Path
from typing import Any

import yaml

PARTS = (
    ("loan-screen", ("golden/loan.jsonl", "loan_screen.py")),
    ("decided-cases", ("decided.csv",)),
    ("support-rag", ("golden/support.jsonl",)),
)
KINDS = {"swap": "loan-screen", "fairness": "job-screening", "rag": "support"}


def lay(examples: Path, target: Path, name: str = "three-kinds.yaml") -> Path:
    """Copy what the examples read into ``target`` and write one configuration over it; returns its path."""
    whole: dict[str, Any] = {"version": 1, "name": "three-kinds"}
    for example, files in PARTS:
        for file in files:
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(examples / example / file, target / file)
        part = yaml.safe_load((examples / example / "fairgate.yaml").read_text(encoding="utf-8"))
        whole |= {key: value for key, value in part.items() if key in {"systems", "judges", *KINDS}}
    config = target / name
    config.write_text(yaml.safe_dump(whole, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return config
