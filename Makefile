PYTHON ?= python3
BIN := .venv/bin
# Twice quiet drops pip's notices about indexes and upgrades; its errors still show.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two targets must not install into one environment at the same time.
.NOTPARALLEL:
.PHONY: help demo test check test-all bench clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: .venv/.core ## see datakin at work on data it makes itself
	@$(BIN)/datakin demo

test: .venv/.dev ## run the tests and the doctests
	$(BIN)/python -m pytest -n 2

check: .venv/.dev ## lint, formatting, types and import rules
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test-all: ## run every test there is
	@$(MAKE) --no-print-directory test

bench: .venv/.dev ## time datakin against its peers (about 40 minutes); writes benchmarks/RESULTS.md
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/run.py

clean: ## remove the environment, caches and build products
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -type d -name __pycache__ -prune -exec rm -rf {} +

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
