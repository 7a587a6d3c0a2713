# Everything happens in a virtual environment that these targets make.
#
#   make demo     the algorithms on real data: a table and a plot
#   make serve    the labelling service with a stream to try
#   make test     the whole gate: lint, suite, coverage, docs, examples, smoke
#
#   make lint, suite, coverage, docs, examples, smoke    its parts
#   make slow     the long checks that `make test` leaves out
#   make mutants  put known faults into a copy of the package: the suite must notice each
#   make bench    timings
#   make build    the sdist and the wheel, in dist/
#   make format   let ruff format the code
#   make clean    remove everything that these targets made
#
# Another Python: make PYTHON=python3.12 demo

PYTHON ?= python3
VENV ?= .venv

BIN := $(VENV)/bin
MADE := $(VENV)/.made
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.installed-dev
# The service is tested on PostgreSQL too, which Debian can install where we are root.
INSTALL = test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y
POSTGRES = ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null

PYTEST := $(BIN)/python -m pytest --numprocesses=auto -m "not slow and not network"

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo serve chromium test lint suite postgres coverage docs examples smoke slow mutants bench build format clean

help:
	@sed -n 's/^#   //p' Makefile

# --- the environment -------------------------------------------------------------------------

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "askance needs Python 3.11 or newer, found $$($(PYTHON) --version 2>&1) as '$(PYTHON)';" \
		"name another one: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments: install its venv module" \
		"(Debian, Ubuntu: apt-get install python3-venv) and try again" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(INSTALLED): pyproject.toml $(MADE)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(READY): pyproject.toml $(MADE)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(INSTALLED) $@

# --- for everybody ---------------------------------------------------------------------------

demo: $(INSTALLED)
	$(BIN)/askance demo
	$(BIN)/askance study run studies/smoke.toml --store demo/study
	$(BIN)/askance study report demo/study --output demo/report
	$(BIN)/python examples/hard_instance.py

serve: pyproject.toml $(MADE)
	$(BIN)/python -m pip install --quiet --editable '.[service]'
	@mkdir -p demo
	$(BIN)/askance serve --demo --db sqlite:///demo/askance.db

# --- the gate --------------------------------------------------------------------------------

# One after the other even under `make -j`: each part may use all cores.
test: $(READY)
	$(MAKE) --no-print-directory lint
	$(MAKE) --no-print-directory suite
	$(MAKE) --no-print-directory coverage
	$(MAKE) --no-print-directory docs
	$(MAKE) --no-print-directory examples
	$(MAKE) --no-print-directory smoke

# System packages for the tests: installed where this user may, else it says what is skipped.
chromium:
	@command -v chromium >/dev/null || { $(INSTALL) chromium >/dev/null; } || \
		echo "SKIPPED: all tests in a browser, for want of Chromium (Debian: apt-get install chromium)" >&2

postgres:
	@$(POSTGRES) || { $(INSTALL) postgresql >/dev/null; } || \
		echo "SKIPPED: the service on PostgreSQL, for want of a server (Debian: apt-get install postgresql)" >&2

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

suite: $(READY) chromium postgres
	$(PYTEST)

# Interpreted, so that lines inside compiled functions count. What takes long over HTTP or over many
# runs, what starts processes, and what runs blocks of the docs and benchmarks, adds none.
coverage: $(READY)
	NUMBA_DISABLE_JIT=1 $(PYTEST) --ignore=tests/browser --ignore=tests/test_benchmarks.py \
		--ignore=tests/test_docs_run.py --ignore=tests/cli/test_serve.py \
		--ignore=tests/kernels/test_jit.py --ignore=tests/learners/test_classes_contract.py \
		--deselect tests/service/test_killed.py \
		--deselect tests/service/test_annotators.py --deselect tests/service/api/test_schema_fuzz.py \
		--deselect tests/evaluation/test_verdict.py::test_over_many_runs_estimates_are_right_and_intervals_seldom_wrong \
		--cov=askance --cov-report=term

docs: $(READY)
	$(BIN)/sphinx-build -q -W -n --keep-going -b html docs docs/_build/html

examples: $(READY)
	@for script in examples/*.py; do echo "$$script"; $(BIN)/python -W error "$$script" || exit 1; done

# What a user gets: the wheel, in a new environment, far from this folder.
smoke: build
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && wheel="$$PWD/$$(ls dist/*.whl)" && studies="$$PWD/studies" && set -e && \
	$(BIN)/python -m venv "$$folder/venv" && cd "$$folder" && \
	venv/bin/python -m pip install --quiet "$$wheel" && \
	venv/bin/askance --version && \
	venv/bin/askance demo --quick --output plots && \
	venv/bin/askance study run "$$studies/smoke.toml" --store study && \
	venv/bin/askance study report study --output report && \
	test -s report/index.html && \
	test -s plots/demo.png && test -s plots/demo.svg

build: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

# --- more ------------------------------------------------------------------------------------

slow: $(READY) chromium postgres
	$(BIN)/python -m pytest -m slow

mutants: $(READY)
	$(BIN)/python tools/mutants.py

bench: $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python -m benchmarks

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) dist demo docs/_build .coverage .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache .hypothesis
	find src tests examples docs -name __pycache__ -type d -prune -exec rm -rf {} +
