# The few commands that one needs: `make` lists them.

.DEFAULT_GOAL := help
# Tests start many processes: each would compile the platform anew.
export PYTHONDONTWRITEBYTECODE :=
.PHONY: help setup demo up test slow browser attack machines scale faults drill fuzz-api errors refusals examples pages presets printers debian12 debian13 python314 bench lint cad image arm64

help:  ## list these commands
	@sed -n 's/^\([a-z0-9-]*\):.*##/  make \1 \t/p' Makefile

setup:  ## install what is missing: Python packages in .venv, Debian's slicers, definitions
	@bin/setup

demo:  ## set up, start the platform and walk through it once
	@bin/setup
	@.venv/bin/python bin/demo

up:  ## set up, then run the whole platform until Ctrl-C
	@bin/setup
	@exec .venv/bin/python manage.py up

test:  ## run the tests, but for the slow ones
	@bin/setup --lenient
	@.venv/bin/pytest -n 3 --dist worksteal -m "not live and not slow" \
		--ignore=tests/browser --ignore=tests/live --ignore=tests/slow

slow:  ## run the slow tests: real processes, a real browser, pasted shells
	@bin/setup --tests
	@.venv/bin/pytest -n 2 --dist loadfile -m "live or slow"

attack:  ## attack the platform that runs here beside an ordinary user: a line for each attack
	@bin/setup
	@PYTHONPATH=.:platform .venv/bin/python -m tests.attacks $(NAME)

browser:  ## walk through the console and the operators' pages in a real browser
	@bin/setup --tests
	@.venv/bin/pytest tests/browser

machines:  ## print on a real OctoPrint while agent, host, platform and line are killed
	@bin/setup --tests
	@MACHINE_KILLS=100 .venv/bin/pytest tests/live/test_machines.py -rP

scale:  ## a fleet on this machine: measured into docs/scale.md, and the live tests against it
	@bin/setup --tests
	@PYTHONPATH=.:platform .venv/bin/python -m tests.scale --write --tests $(SCALE)

faults:  ## cut lines, bad storage, no connections, lost machines, old dumps: ROUNDS=20 of each
	@bin/setup --tests
	@NEMESIS_ROUNDS=$(or $(ROUNDS),20) .venv/bin/pytest tests/live/test_nemeses.py -rP

drill:  ## lose a platform with everything it has, bring it back from a backup, write what it took
	@bin/setup --tests
	@PYTHONPATH=.:platform .venv/bin/python -m tests.drill --write $(DRILL)

fuzz-api:  ## send 10,000 generated calls to each host of a real platform
	@bin/setup
	@FUZZ_CALLS=10000 .venv/bin/pytest tests/live/test_fuzz.py -n 2 -rP

errors:  ## list the codes of all errors anew, in docs/errors.md
	@bin/setup
	@.venv/bin/python bin/list-errors

refusals:  ## run the tests and write anew what each operation was seen to refuse
	@bin/setup
	@rm -rf .cache/seen && mkdir -p .cache/seen
	@SEEN=.cache/seen .venv/bin/pytest -n 3 --dist worksteal -m "not live and not slow" \
		--ignore=tests/browser --ignore=tests/live --ignore=tests/slow
	@PYTHONPATH=.:platform DJANGO_SETTINGS_MODULE=project.settings .venv/bin/python -c \
		"from pathlib import Path; from tests.documented import write; write(Path('.cache/seen'))"

examples:  ## record the examples of the documents anew
	@bin/setup
	@EXAMPLES=1 .venv/bin/pytest tests/flows/test_documents.py

pages:  ## draw the pages of the documentation anew
	@bin/setup --tests
	@.venv/bin/python bin/draw-pages

presets:  ## slice a cube for every printer that the installed PrusaSlicer has presets for
	@bin/setup
	@.venv/bin/python manage.py presets --check

printers:  ## write the page of printer models anew, of the lists in docs/printers
	@.venv/bin/python bin/list-printers

debian13:  ## README's two commands on a fresh Debian 13, in a chroot (as root)
	@bin/fresh-system trixie

debian12:  ## README's two commands on a fresh Debian 12, in a chroot (as root)
	@bin/fresh-system bookworm

python314:  ## README's two commands on Debian unstable with Python 3.14, in a chroot (as root)
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
	@PYTHONPATH=.:platform .venv/bin/lint-imports

cad:  ## install the CAD kernel, so that STEP and IGES are converted too (380 MB)
	@bin/setup
	@.venv/bin/python -m pip install --disable-pip-version-check -q -r requirements-cad.txt

image:  ## build the image with Docker or Podman, start it and walk through it: BUILD= and RUN= options
	@bin/build-image $(BUILD)
	@bin/test-image $(RUN)

arm64:  ## run the import, the kernels' tests and a picture on an emulated arm64 Debian
	@bin/setup --lenient
	@bin/test-arm64
