# Each target is a command of README.md or CONTRIBUTING.md, by name.
.PHONY: demo test lint types docs figures ci

demo:
	python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/handshift demo

test:
	python3 -m venv .venv && .venv/bin/pip install -c constraints.txt -e ".[dev]" && .venv/bin/pytest

lint:
	.venv/bin/ruff check . && .venv/bin/ruff format --check .

types:
	.venv/bin/mypy

docs:
	.venv/bin/mkdocs build --strict

figures:
	.venv/bin/python docs/figures.py

ci:
	.ci/run
