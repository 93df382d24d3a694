# Everything installs into $(VENV); nothing outside this folder is changed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CC ?= cc
SOURCES := $(shell find rex/native -name "*.c")
CHECKED := build/checked
CHECKED_TESTS = cd $(CHECKED) && $(abspath $(BIN)/python) -m pytest -p no:cacheprovider -m 'not stress' -k native tests/guest_runs/test_guests.py
HEADERS := $(shell find rex/native -name "*.h")
ENGINE := -std=c11 -I rex/native
# A path entry: the other kind of link imports a finder, which costs each start 10 ms.
EDITABLE := --config-settings editable_mode=compat

.PHONY: help demo dist man test test-all campaign lint sanitize valgrind bench bench-workflow papers screenshots docs clean $(CHECKED)

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

$(BIN)/rex: setup.cfg pyproject.toml setup.py $(SOURCES) $(HEADERS)
	$(PYTHON) -m venv $(VENV)
	$(if $(shell command -v $(CC)),REX_BUILD_ENGINE=needed) $(BIN)/python -m pip --quiet --disable-pip-version-check install $(EDITABLE) -e '.[test,notebook,hindsight,versions,workflow,web,remote,formats,pictures,sbom,reprozip]' \
		>$(VENV)/install.log 2>&1; status=$$?; grep -v '^WARNING: Location' $(VENV)/install.log; exit $$status
	$(BIN)/python -m compileall -q rex   # where PYTHONDONTWRITEBYTECODE is set each run would compile anew
	@touch $@

$(BIN)/dask: | $(BIN)/rex   # for tests alone: the demo does not wait for it
	$(BIN)/python -m pip --quiet --disable-pip-version-check install $(EDITABLE) -e '.[dask]'

demo: $(BIN)/rex  ## record a small experiment, hide its inputs, replay it, compare a changed run
	sh examples/demo/demo.sh $(abspath $(BIN)/rex)

test: $(BIN)/rex $(BIN)/dask  ## run the tests (a quarter of an hour on two cores)
	$(BIN)/python -m compileall -q rex    # those that a test starts keep nothing
	$(BIN)/python -m pytest -n 2 --dist loadfile -m 'not stress' tests

test-all: $(BIN)/rex $(BIN)/dask  ## run the tests, the long ones too
	$(BIN)/python -m pytest tests

campaign: $(BIN)/rex  ## kill, fill disks, race, fuzz and flip bits for an hour; prints the figures (docs/security.md)
	REX_CAMPAIGN=1 $(BIN)/python -m pytest -n 0 tests/campaigns

lint: $(BIN)/rex  ## compile strictly, check the rules of the project
	$(CC) $(ENGINE) -O2 -Wall -Wextra -Werror -fsyntax-only $(SOURCES)
	$(BIN)/python -m compileall -q rex tests bench
	$(BIN)/python -m rex.syscalls.generate --check
	$(BIN)/python -m pytest tests/rules

$(CHECKED): $(BIN)/rex
	rm -rf $@
	mkdir -p $@/rex/native/reports
	cp -r rex tests setup.cfg $@

sanitize: $(CHECKED)  ## run the guests by an engine with address and undefined-behaviour sanitizers
	$(CC) $(ENGINE) -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all $(SOURCES) tests/checked/options.c -o $(CHECKED)/rex/native/rex-engine
	$(CHECKED_TESTS)

valgrind: $(CHECKED)  ## run them under valgrind, whose own calls no log has: what it finds counts, not what they say
	$(CC) $(ENGINE) -g -O1 $(SOURCES) -o $(CHECKED)/rex/native/rex-engine.real
	cp tests/checked/valgrind.sh $(CHECKED)/rex/native/rex-engine
	-$(CHECKED_TESTS) --tb=no -rp | tee outcomes | grep -v '^PASSED'
	grep -q '^PASSED' $(CHECKED)/outcomes   # where none ran, valgrind found nothing
	! grep -h '^==' $(CHECKED)/rex/native/reports/*

bench: $(BIN)/rex  ## measure recording and replaying against plain runs, and beside strace, ReproZip and CARE if installed
	$(BIN)/python bench/run.py
	$(BIN)/python bench/start.py
	$(BIN)/python bench/programs.py --peers

bench-workflow: $(BIN)/rex  ## measure the schedules of workflows, draw docs/figures
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(EDITABLE) -e '.[bench]'
	$(BIN)/python bench/workflow.py --plots docs/figures
	$(BIN)/python bench/kills.py

papers: $(BIN)/rex  ## make the tables and figures of the five papers again, or ONLY="aupy chex" (docs/papers.md)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(EDITABLE) -e '.[bench]'
	$(BIN)/python bench/papers $(ONLY)

screenshots: $(BIN)/rex  ## take the pictures of README and docs, in a headless chromium
	$(BIN)/python -m pip --quiet --disable-pip-version-check install pillow
	$(BIN)/python tests/web/screenshots.py

dist: $(BIN)/rex  ## build sdist and wheels into dist/, install each in fresh environments, run the demo with it
	$(BIN)/python -m pip --quiet --disable-pip-version-check install $(EDITABLE) -e '.[release]'
	.ci/dist $(BIN)/python

man: $(BIN)/rex  ## write man pages of all commands into build/man
	rm -rf build/man
	$(BIN)/python docs/manpages.py build/man

docs: $(BIN)/rex  ## write the generated pages, build the manual into build/site
	$(BIN)/python -m rex.syscalls.generate
	$(BIN)/python docs/generate.py
	$(BIN)/python -m pip --quiet --disable-pip-version-check install $(EDITABLE) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs --quiet build --clean --strict

clean:  ## remove what make has made
	rm -rf $(VENV) build dist .demo *.egg-info rex/native/rex-engine .pytest_cache .hypothesis
