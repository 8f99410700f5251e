# Everything here makes its own environment in .venv: Python 3.11 or newer and a package index are enough.
# `make` alone lists the targets.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
RUN := .venv/bin/python -m
INSTALL := install --quiet --disable-pip-version-check --no-compile --no-warn-conflicts
REQUIREMENTS := import sys, tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*project["dependencies"], *(one for extra in sys.argv[1:] for one in project["optional-dependencies"][extra]))
needed = $$($(PYTHON) -c '$(REQUIREMENTS)' $(1))
CORES ?= auto
STAMP := .venv/installed
BYTECODE := $(RUN) compileall -qq -x '/site-packages/(.*/tests|pip|fontTools)/'  # of all that tests import
unexport PYTHONDONTWRITEBYTECODE
PACKAGES := common lsmarkov junctor coarsen mplearn twlearn mnposterior dmscore mntools mixture mnmodel workflow

.PHONY: help demo test test-all test-nojit mutants kills fuzz differential golden matrix bench peers check docs site page-picture dist clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile data/papers/papers.mk | expand -t 12

.venv/program: pyproject.toml
	@test -n "$(PYTHON)" || { echo "no Python of version 3.11 or newer found; try: make PYTHON=/path/to/python3"; exit 1; }
	@echo "installing the program with numba, scipy, HiGHS, SCIP and matplotlib into .venv: up to a minute"
	$(PYTHON) -m venv --without-pip .venv
	@# The pip of that Python, if it has one: another in .venv takes three seconds. Two at once: what the program needs,
	@# and itself, which pip prepares for longer than it installs it.
	@pip="$(PYTHON) -m pip --python .venv"; \
	$$pip --version >/dev/null 2>&1 || { $(PYTHON) -m venv .venv; pip="$(RUN) pip"; }; \
	$$pip $(INSTALL) --no-deps --editable . & \
	$$pip $(INSTALL) $(call needed,plot) pip && wait $$!
	@touch $@

$(STAMP): .venv/program
	@echo "installing what tests need into .venv, pgmpy and pyAgrum among them: up to a minute"
	@# Bytecode of what is there is made beside pip, which uses one core. Templates in some packages are no Python: that
	@# is no failure.
	@$(BYTECODE) .venv $(PACKAGES) tests & $(RUN) pip $(INSTALL) $(call needed,plot baselines test) && { wait $$! || true; }
	@$(BYTECODE) -j 0 .venv || true
	@touch $@

.venv/dev: $(STAMP)
	@echo "installing what checks need into .venv, mypy and ruff: ten seconds"
	@$(RUN) pip $(INSTALL) $(call needed,dev)
	@touch $@

demo: .venv/program  ## learn from a table with numbers and missing cells, and write a report
	.venv/bin/cliquewise learn data/wine_measures.csv --time-limit 10 -o build/demo
	.venv/bin/mntools check -q build/demo/network.cliques build/demo/table.csv
	@ls build/demo
	@echo "Open build/demo/report.html, or run: .venv/bin/cliquewise open build/demo"

test: $(STAMP)  ## all tests but the slow ones
	@# pytest prepares each assertion to show its values, which takes ten seconds: only those that fail, then
	$(RUN) pytest -q -n $(CORES) --dist worksteal --assert plain || { [ $$? -eq 1 ] && $(RUN) pytest -q --last-failed; exit 1; }

test-all: .venv/site  ## all tests, with the handbook built, and pages in a Chromium if there is one
	$(RUN) pytest -q -n $(CORES) --dist worksteal -m ''

test-nojit: $(STAMP)  ## the kernels as plain Python, where an index out of bounds is an error
	NUMBA_DISABLE_JIT=1 $(RUN) pytest -q -m 'nojit and not slow'

mutants: .venv/dev  ## put small errors into a copy of the program, and list those that no test notices (hours)
	$(RUN) tests.mutate

kills: $(STAMP)  ## kill learners at COUNT=200 random moments, and resume them (half an hour); SEED=1
	$(RUN) tests.kills $(or $(COUNT),200) $(or $(SEED),1)

fuzz: $(STAMP)  ## damaged files for every reader, for MINUTES=30; SEED=1
	$(RUN) tests.fuzz $(or $(MINUTES),30) $(or $(SEED),1)

differential: $(STAMP)  ## every learner, and all ways to an optimum, against oracles: COUNT=1000 cases; SEED=1, KIND=all
	$(RUN) tests.differential $(or $(COUNT),1000) $(or $(SEED),1) $(or $(KIND),all)

golden: $(STAMP)  ## rewrite the expected outputs of tests/golden
	$(RUN) pytest -q tests/test_golden.py --update-golden

matrix:  ## tests with the oldest and newest numba and numpy on every Python found; PYTHONS=names, WORDS=--all
	$(PYTHON) -m tests.matrix $(WORDS)

bench: $(STAMP)  ## measure speed and quality, next to the published figures
	$(RUN) tests.bench

peers: $(STAMP)  ## install other programs for `python -m tests.bench peers` into .venv/peers; tells which cannot be had
	$(RUN) tests.bench.install_peers

check: .venv/dev  ## style, types, and whether manual pages and functions are those of the commands
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) tests.readme_sync --check

docs: $(STAMP)  ## write manual pages and Python functions from the options of the commands
	$(RUN) tests.readme_sync

.venv/site: .venv/dev
	@echo "installing what the handbook is built with, and selenium for tests in a Chromium: a minute or so"
	@$(RUN) pip $(INSTALL) $(call needed,docs browser)
	$(RUN) bash_kernel.install --sys-prefix
	@touch $@

site: .venv/site  ## build the handbook into build/site, with its tutorials executed; warnings are errors
	$(RUN) sphinx -W --keep-going -q -b html docs build/site
	@echo "The handbook is build/site/index.html."

page-picture: .venv/site  ## make the picture of a page in the handbook anew; needs a Chromium with its chromedriver
	$(RUN) tests.page_picture docs/pictures/model-page.png

dist: $(STAMP)  ## build sdist and wheel into build/dist, and try both in an empty environment of each Python on the path
	$(RUN) tests.release

include data/papers/papers.mk

clean:  ## remove what these targets made
	rm -rf .venv build *.egg-info .pytest_cache .ruff_cache
	find $(PACKAGES) tests -name __pycache__ -prune -exec rm -rf {} +
