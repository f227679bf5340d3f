# The few commands that one needs: `make` lists them.

.DEFAULT_GOAL := help
# Tests start many processes: each would compile the platform anew.
export PYTHONDONTWRITEBYTECODE :=
FAST := -n 3 --dist worksteal -m "not live and not slow" \
	--ignore=tests/browser --ignore=tests/live --ignore=tests/slow
# Rules of the business and pages, which are the same on each system, and checks of the sources.
RULES := tests/console tests/erp tests/test_house.py
# PrusaLink shows the end of a print for ten seconds: nothing else may hold up who watches it.
ALONE := tests/live/test_prusalink.py
.PHONY: help setup demo up test test-system test-slow slow test-long chain test-browser load-attack test-hosts scale fault-injection drill fuzz-api error-codes record-errors examples screenshots docs data-model schema presets orca-presets printers debian12 debian13 python314 bench lint cad image arm64

help:  ## list these commands
	@sed -n 's/^\([a-z0-9-]*\):.*##/  make \1 \t/p' Makefile

setup:  ## install what is missing: Python packages in .venv, Debian's slicers, definitions
	@bin/setup

demo:  ## set up, start the platform and run one job end to end
	@bin/setup
	@.venv/bin/python bin/demo

up:  ## start the whole platform (Ctrl-C stops it)
	@bin/setup
	@exec .venv/bin/python manage.py up

test:  ## run the fast tests, or one file or test: make test NAME=tests/pricing or NAME=test_name
	@bin/setup --lenient $(if $(filter tests/live% tests/slow% tests/browser%,$(NAME)),--tests)
ifdef NAME
	@.venv/bin/pytest $(if $(findstring /,$(NAME))$(filter %.py,$(NAME)),$(NAME),-k "$(NAME)")
else
	@.venv/bin/pytest $(FAST)
endif

test-system:  ## run the fast tests of what a system brings: engines, kernels, PostgreSQL, files, processes
	@bin/setup --lenient
	@.venv/bin/pytest $(FAST) $(RULES:%=--ignore=%)

test-slow:  ## run the slow tests: real processes, a real browser, pasted shell blocks
	@bin/setup --tests
	@.venv/bin/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "(live or slow) and not long" --ignore=$(ALONE)
	@.venv/bin/pytest $(ALONE) -m "not long"

slow: test-slow  # its former name

test-long:  ## run the longest tests: the whole chain, faults, kills, upgrades, generated calls
	@bin/setup --tests
	@.venv/bin/pytest -m long

chain:  ## order, pay, print, ship and trace parts on a new installation, and print when what happened
	@bin/setup --tests
	@CHAIN_SECONDS=60 .venv/bin/pytest tests/live/test_chain.py -q -rP --show-capture=stdout

load-attack:  ## run abuse scenarios beside a normal user: NAME=drips is one of them
	@bin/setup
	@PYTHONPATH=.:platform .venv/bin/python -m tests.attacks $(NAME)

test-browser:  ## test the console and the admin pages in a real browser
	@bin/setup --tests
	@.venv/bin/pytest tests/browser

test-hosts:  ## print on real host programs while agent, host, platform and network are killed
	@bin/setup --tests
	@MACHINE_KILLS=100 HOST_PLATES=50 .venv/bin/pytest tests/live/test_machines.py tests/live/test_host_kills.py -rP

scale:  ## measure a fleet on this machine into docs/scale.md, and run the live tests against it
	@bin/setup --tests
	@PYTHONPATH=.:platform .venv/bin/python -m tests.scale --write --tests $(SCALE)

fault-injection:  ## inject network, storage, connection and machine faults: ROUNDS=20 of each
	@bin/setup --tests
	@NEMESIS_ROUNDS=$(or $(ROUNDS),20) .venv/bin/pytest tests/live/test_faults.py -rP

drill:  ## disaster-recovery drill, results into docs
	@bin/setup --tests
	@PYTHONPATH=.:platform .venv/bin/python -m tests.drill --write $(DRILL)

fuzz-api:  ## send 10,000 generated requests to each host of a real platform
	@bin/setup
	@FUZZ_CALLS=10000 .venv/bin/pytest tests/live/test_fuzz.py -n 2 -rP

error-codes:  ## rewrite docs/errors.md from the error codes of the source
	@bin/setup
	@.venv/bin/python bin/error-codes

record-errors:  ## re-record error responses per operation
	@bin/setup
	@rm -rf .cache/seen && mkdir -p .cache/seen
	@SEEN=.cache/seen .venv/bin/pytest $(FAST)
	@PYTHONPATH=.:platform DJANGO_SETTINGS_MODULE=project.settings .venv/bin/python -c \
		"from pathlib import Path; from tests.schema_checks import write; write(Path('.cache/seen'))"

examples:  ## re-record the examples of the API documents
	@bin/setup
	@EXAMPLES=1 .venv/bin/pytest tests/flows/test_documents.py

screenshots:  ## redraw the screenshots of docs/pages
	@bin/setup --tests
	@.venv/bin/python bin/screenshots

data-model:  ## draw the tables of all models anew, in docs/data-model.md
	@bin/setup
	@.venv/bin/python bin/list-tables

schema:  ## write the stored schema of new installations anew, from all migrations
	@bin/setup --tests
	@.venv/bin/python bin/dump-schema

docs:  ## build the documentation site in .cache/docs/site; a dead link fails
	@bin/build-docs

presets:  ## slice a cube for every printer that the installed PrusaSlicer has presets for
	@bin/setup
	@.venv/bin/python manage.py presets --check

orca-presets:  ## install the presets of OrcaSlicer and Bambu Studio (AGPL) beside the platform
	@bin/setup
	@.venv/bin/python bin/install-orca-presets "$${ORCA_PRESETS:-.cache/orca-presets}"

printers:  ## rewrite docs/printers.md from the lists in docs/printers
	@.venv/bin/python bin/list-printers

debian13:  ## run README's two commands on a fresh Debian 13, in a chroot (as root)
	@bin/fresh-system trixie

debian12:  ## run README's two commands on a fresh Debian 12, in a chroot (as root)
	@bin/fresh-system bookworm

python314:  ## run README's two commands on Debian unstable with Python 3.14, in a chroot (as root)
	@bin/fresh-system sid

bench:  ## run the benchmarks, or one of them: make bench NAME=mesh
	@bin/setup
	@PYTHONPATH=.:platform .venv/bin/python -m benchmarks $(NAME)

lint:  ## check style, types and the import contracts
	@bin/setup --lenient
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy platform apps
	@.venv/bin/mypy --strict client
	@# Tests are not typed in full, but name what is there: the slow ones would say so after an hour.
	@! .venv/bin/mypy tests | grep 'error: Module .*has no attribute'
	@PYTHONPATH=.:platform .venv/bin/lint-imports

cad:  ## install the CAD kernel, so that STEP and IGES are converted too (380 MB)
	@bin/setup
	@.venv/bin/python -m pip install --disable-pip-version-check -q -r requirements-cad.txt

image:  ## build the image with Docker or Podman, start it and test it: BUILD= and RUN= options
	@bin/build-image $(BUILD)
	@bin/test-image $(RUN)

arm64:  ## test import, kernels and rendering on an emulated arm64 Debian
	@bin/setup --lenient
	@bin/test-arm64
