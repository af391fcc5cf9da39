# The doors of the repository. `make build` is enough to use Rumba from .venv/bin/python.
#
#   make build          install what is missing, build in release mode into .venv
#   make demo           build, then run examples/mandelbrot.py
#   make test           every test: cargo, tidy, pytest, pytest under the other Pythons
#   make bench          benchmarks; ARGS="..." is passed on, here and below
#   make conformance    the reference implementation's own tests, where the runner is at hand
#   make fuzz           random programs against CPython and the interpreter
#   make build-3.12     the same build for another Python, into .venv-3.12 (also 3.13)
#   make wheel          a wheel for .venv's Python in dist/
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
.PHONY: build
build:
	@scripts/bootstrap.sh 3.11 $(VENV)
	@cargo build --release -p py --features extension-module
	@$(PY) scripts/install_extension.py $(TARGET)/release
	@$(PY) -m rumba image build

.PHONY: build-3.12 build-3.13
build-3.12 build-3.13: build-%:
	@PYTHON= scripts/bootstrap.sh $* .venv-$*
	@PYO3_PYTHON=$(CURDIR)/.venv-$*/bin/python cargo build --release -p py --features extension-module
	@.venv-$*/bin/python scripts/install_extension.py $(TARGET)/release
	@.venv-$*/bin/python -m rumba image build

.PHONY: demo
demo: build
	@$(PY) examples/mandelbrot.py $(ARGS)

.PHONY: test
test: build
	@echo "==> cargo test"
	@cargo test --quiet --workspace
	@echo "==> cargo xtask tidy"
	@cargo xtask tidy
	@echo "==> cargo xtask walk"
	@cargo xtask walk
	@echo "==> pytest"
	@$(PY) -m pytest -q tests/python $(ARGS)
	@$(MAKE) test-3.12 test-3.13

# The same tests of behavior under another Python, where there is one: what depends on its version is
# bytecode, object layouts and the extension's build. (The random programs run under 3.11 alone.)
.PHONY: test-3.12 test-3.13
test-3.12 test-3.13: test-%:
	@if PYTHON= scripts/bootstrap.sh --find $* >/dev/null; then \
	  $(MAKE) build-$* && echo "==> pytest under Python $*" && \
	  .venv-$*/bin/python -m pytest -q tests/python -k "not tiers_agree" $(ARGS); \
	else \
	  echo "==> no Python $* on this machine (with headers, library and venv): its tests are skipped"; \
	fi

.PHONY: bench
bench: build
	@$(PY) benches/run.py $(ARGS)

.PHONY: fuzz
fuzz: build
	@$(PY) fuzz/run.py $(ARGS)

.PHONY: conformance
conformance: build
	@if [ -f $(CONFORMANCE) ]; then \
	  $(PY) $(CONFORMANCE) $(ARGS); \
	else \
	  echo "make conformance: the runner is not at $(CONFORMANCE), so there is nothing to run." >&2; exit 1; \
	fi

.PHONY: wheel
wheel: build
	@$(VENV)/bin/maturin build --release --interpreter $(PY) --out dist

.PHONY: clean
clean:
	rm -rf $(TARGET) .venv .venv-3.* dist build examples/out .pytest_cache .hypothesis
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -f python/rumba/_rumba.*.so python/rumba/stdlib/*.image
