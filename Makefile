# One word each; the commands themselves stand in CONTRIBUTING.md and .ci/run.
PYTHON ?= .venv/bin/python

.PHONY: test check format ci

test:
	$(PYTHON) -m pytest

check:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

format:
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

ci:
	.ci/run
