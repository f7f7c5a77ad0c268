# Two commands from a bare clone: `make demo` and `make test`. Both make .venv first.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test lint types contracts pytest slow bench clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[models,score,zh,collect,corpus,cluster,retrieve,rerank,llm,dev]'
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/duologue demo --out workspace/demo

test: lint types contracts pytest

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

contracts: $(STAMP)
	$(BIN)/lint-imports

pytest: $(STAMP)
	$(BIN)/pytest -n 2

slow: $(STAMP)
	$(BIN)/pytest -m slow

clean:
	rm -rf $(VENV) workspace build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
