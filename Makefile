# Common commands. `make build` is enough to use Rumba from .venv/bin/python.
#
#   make build          install what is missing, build in release mode into .venv
#   make extension      the same without the library image, in half the time: for work on the compiler
#   make demo           build, then run examples/mandelbrot.py
#   make test           every test: cargo, tidy, pytest, the wheel, pytest under the other Pythons
#   make bench          benchmarks; ARGS="..." is passed on, here and below
#   make clients        public packages that say `import numba`, installed into .venv-clients; writes docs/clients.md
#   make suites         the own tests of public libraries, with Numba and with Rumba, in .venv-suites; an hour; into docs/clients.md
#   make conformance    the reference implementation's own tests, where the runner is at hand; writes docs/conformance.md
#   make fuzz           random programs of all kinds beside CPython and the interpreter
#   make valgrind       lists, dicts, sets and the border under valgrind, which must be there (apt-get install valgrind)
#   make stress         threads that call, recompile and delete; ARGS="--minutes 60"
#   make test-pages     opens the pages of `rumba explain` in Chromium, which must be there (apt-get install chromium)
#   make build-3.12     the same build for another Python, into .venv-3.12 (also 3.13)
#   make docs           the documentation as a site, in build/docs
#   make wheel          a wheel for .venv's Python in dist/, for glibc 2.28 and newer
#   make test-wheel     installs that wheel into empty environments and tries it
#   make clean          remove everything that was built
#
# PYTHON=/path/to/python3.11 chooses the interpreter that .venv is made from.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory

VENV := .venv
PY := $(VENV)/bin/python
TARGET := $(or $(CARGO_TARGET_DIR),target)
CONFORMANCE := ../shared/conformance/run.py
ARGS ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# PYO3_PYTHON comes from .cargo/config.toml, so that cargo run by hand and cargo run from here agree
# and nothing is compiled twice.
.PHONY: build extension
build: extension
	@$(PY) -m rumba image build

# Without the library image, which takes longer than the rest: library functions are compiled when they are first used.
extension:
	@scripts/bootstrap.sh 3.11 $(VENV)
	@cargo build --release -p python -p module_rt --features python/extension-module,module_rt/extension-module
	@$(PY) scripts/install_extension.py $(TARGET)/release

.PHONY: build-3.12 build-3.13
build-3.12 build-3.13: build-%:
	@PYTHON= scripts/bootstrap.sh $* .venv-$*
	@PYO3_PYTHON=$(CURDIR)/.venv-$*/bin/python cargo build --release -p python -p module_rt \
	  --features python/extension-module,module_rt/extension-module
	@.venv-$*/bin/python scripts/install_extension.py $(TARGET)/release
	@.venv-$*/bin/python -m rumba image build $(IMAGE)

# The page of `rumba explain` in a browser, which must be there (apt-get install chromium).
.PHONY: test-pages
test-pages: build
	@RUMBA_TEST_PAGES=1 $(PY) -m pytest -q tests/python/test_explain.py $(ARGS)

.PHONY: demo
demo: build
	@$(PY) examples/mandelbrot.py $(ARGS)

# Library functions that tests compile are compiled once for all runs of pytest.
.PHONY: test
test: export RUMBA_TEST_CACHE_DIR := $(CURDIR)/build/test-cache
test: build
	@rm -rf $(RUMBA_TEST_CACHE_DIR) && mkdir -p $(RUMBA_TEST_CACHE_DIR)
	@echo "==> cargo test"
	@cargo test --quiet --workspace
	@echo "==> cargo xtask tidy"
	@cargo xtask tidy
	@echo "==> cargo xtask walk"
	@WALK_EVERY=4 cargo xtask walk
	@echo "==> pytest"
	@$(PY) -m pytest -q -n 2 --dist worksteal tests/python --ignore tests/python/test_differential.py \
	  --ignore tests/python/test_object_programs.py $(ARGS)
	@echo "==> random programs"
	@$(PY) -m pytest -q tests/python/test_differential.py tests/python/test_object_programs.py $(ARGS)
	@echo "==> the reference implementation's tests that passed before"
	@RUMBA_CACHE_DIR=$(RUMBA_TEST_CACHE_DIR) $(MAKE) conformance-check
	@echo "==> programs that say import numba"
	@$(PY) clients/run.py --offline
	@echo "==> the wheel"
	@$(MAKE) test-wheel
	@$(MAKE) test-3.12 test-3.13

# One x86-64 level of the image is enough for these.
test-3.12 test-3.13: export IMAGE := --level 3
# What depends on the version of Python, where there is another one: bytecode, object layouts, the border,
# the extension's build. A few minutes each; `make full-3.12` runs every test (but the random programs), the reference
# implementation's and the programs of clients/ in twenty.
OF_THE_VERSION := ahead answers arguments border closures controlflow dicts dispatcher_api docs dumps errors events execute generator_expressions globals \
  hashing hook intrinsics keywords lifted_loops list_order locals normalized package pickling profiling rewrites starred tagged_unions threads
# Reductions of arrays are NumPy's under every version; sums of Python's floats are not.
SUMS_OF_THE_VERSION := tests/python/test_reductions.py::test_sums_of_floats_keep_what_python_keeps
.PHONY: test-3.12 test-3.13
test-3.12 test-3.13: test-%:
	@if PYTHON= scripts/bootstrap.sh --find $* >/dev/null; then \
	  $(MAKE) build-$* && echo "==> pytest under Python $*" && \
	  .venv-$*/bin/python -m pytest -q -n 2 --dist worksteal $(OF_THE_VERSION:%=tests/python/test_%.py) \
	  $(SUMS_OF_THE_VERSION) $(ARGS); \
	else \
	  echo "==> no Python $* on this machine (with headers, library and venv): its tests are skipped"; \
	fi

.PHONY: full-3.12 full-3.13
full-3.12 full-3.13: full-%:
	@$(MAKE) build-$*
	@.venv-$*/bin/python -m pytest -q -n 2 --dist worksteal tests/python --ignore tests/python/test_differential.py \
	  --ignore tests/python/test_object_programs.py $(ARGS)
	@echo "==> the reference implementation's tests that passed before, under Python $*"
	@.venv-$*/bin/python -m pip install -q 'scipy>=1.17,<2'
	@CONFORMANCE=$(CONFORMANCE) .venv-$*/bin/python scripts/conformance.py --check
	@echo "==> programs that say import numba, under Python $*"
	@.venv-$*/bin/python clients/run.py

.PHONY: bench
bench: build
	@$(PY) benches/run.py $(ARGS)

.PHONY: fuzz
fuzz: build
	@$(PY) fuzz/run.py $(ARGS)

# Suppressions are of code that is right as it is, each with its reason. Nothing else may be reported, and no block of ours be lost.
# Python fills its blocks when it allocates them: CPython multiplies digits of zero that nobody wrote.
# Machine code is made before and kept: LLVM would take most of the time under valgrind.
.PHONY: valgrind
valgrind: build
	@command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind"; exit 1; }
	@RUMBA_CACHE_DIR=build/valgrind $(PY) tests/python/memory.py --programs 2 $(ARGS) >/dev/null
	@RUMBA_CACHE_DIR=build/valgrind PYTHONMALLOC=malloc_debug valgrind --smc-check=all --error-exitcode=9 --leak-check=no --quiet \
	  --suppressions=tests/valgrind.supp $(PY) tests/python/memory.py --programs 2 $(ARGS)

.PHONY: stress
stress: build
	@$(PY) tests/python/stress.py $(ARGS)

# The reference's tests of linear algebra are skipped where there is no SciPy, which Rumba itself does without.
.PHONY: conformance conformance-check
conformance: build
	@$(PY) -m pip install -q 'scipy>=1.17,<2'
	@CONFORMANCE=$(CONFORMANCE) $(PY) scripts/conformance.py $(ARGS)

# Those tests that passed before, in six minutes on two cores; skipped where the runner is not at hand.
conformance-check:
	@CONFORMANCE=$(CONFORMANCE) $(PY) scripts/conformance.py --check

.PHONY: clients
clients: build
	@$(PY) clients/run.py $(ARGS)

.PHONY: suites
suites: build
	@$(PY) clients/suites.py $(ARGS)

# The API reference comes from docstrings, so the package is imported: by the same version of Python as .venv has.
.PHONY: docs
docs: build
	@cmp -s docs/requirements.txt .venv-docs/.requirements || { \
	  echo "==> installing Sphinx into .venv-docs" && rm -rf .venv-docs && $(PY) -m venv .venv-docs && \
	  .venv-docs/bin/python -m pip install -q -r docs/requirements.txt && \
	  cp docs/requirements.txt .venv-docs/.requirements; }
	@.venv-docs/bin/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "==> build/docs/index.html"

.PHONY: wheel
wheel: build
	@$(PY) scripts/make_wheel.py

# The wheel in empty environments: with the oldest and the newest NumPy, and under mypy.
.PHONY: test-wheel
test-wheel: wheel
	@$(PY) tests/wheel/run.py

.PHONY: clean
clean:
	rm -rf $(TARGET) .venv .venv-3.* .venv-docs dist build examples/out .pytest_cache .hypothesis
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/rumba/_rumba.*.so python/rumba/library/*.image
