# Everything that a newcomer or a build needs; only make and Python 3.11 or newer must be there.
# All the rest is installed into .venv in this folder, once, and again when its list changes.
# Kept to what GNU make 3.81 knows, because that is what macOS brings.

PY    := .venv/bin/python
READY := .venv/sagalang-ready

# `make PYTHON=/path/to/python` takes that one; otherwise the newest that can make an environment.
PYTHON :=

# An environment that was copied or moved, or whose Python is gone, is made again.
ifneq ($(shell $(PY) -c 'import pip' 2>/dev/null && cat $(READY) 2>/dev/null),$(CURDIR))
.PHONY: $(READY)
endif

.PHONY: help
help:
	@echo 'make demo    see it work: a run, a rollback, a crash and its recovery, on a real service'
	@echo 'make test    all tests'
	@echo 'make check   style, types, import order and the fast tests, before each commit'
	@echo 'make bench   measure, side by side: steps, commits, checks (minutes)'
	@echo 'make site    the documentation as a site, in build/site'
	@echo 'make setup   only make .venv and install into it'
	@echo 'make fix     let ruff put style and imports in order'
	@echo 'make clean   remove what was built (not .venv)'

.PHONY: demo
demo: $(READY)
	@$(PY) examples/shop/demo.py

.PHONY: bench
bench: $(READY)
	@$(PY) -m benchmarks

# Where PYTHONDONTWRITEBYTECODE is set, each of the many child processes of the tests would compile
# all that it imports; pytest would rewrite the assertions of all modules each time (7 of 24 seconds).
pytest := PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -q
compiled = @$(PY) -m compileall -q grammar dsl compiler runtime notebooks src/sagalang

.PHONY: site
site: $(READY)
	@$(PY) -m sphinx -b html -W --keep-going -q docs build/site
	@echo 'build/site/index.html'

.PHONY: test
test: $(READY)
	$(compiled)
	@$(pytest)

# Five tools that do not need each other: two at a time, each silent unless it has something to say.
.PHONY: check
check: $(READY)
	$(compiled)
	@$(MAKE) --no-print-directory -j2 -k check-pyright check-mypy check-tests check-imports check-style

quietly = @mkdir -p build; \
	if { $(2); } > build/$(1).txt 2>&1; then echo '$(1): ok'; \
	else echo '$(1): FAILED'; cat build/$(1).txt; exit 1; fi

# The laws, the kernel and the words: seconds. `make test` runs everything.
FAST := tests/kernel tests/histories tests/compiler/test_explain.py \
	tests/test_laws.py tests/test_packaging.py tests/test_language_page.py tests/test_readme.py

.PHONY: check-style check-imports check-mypy check-pyright check-tests
check-style:
	$(call quietly,ruff,$(PY) -m ruff check --output-format concise . && $(PY) -m ruff format --check .)
check-imports:
	$(call quietly,import-linter,.venv/bin/lint-imports --no-logo --cache-dir build/import-linter)
check-mypy:
	$(call quietly,mypy,$(PY) -m mypy)
check-pyright:
	$(call quietly,pyright,$(PY) .ci/pyright_changed.py)
check-tests:
	$(call quietly,fast-tests,$(pytest) -m 'not slow' --hypothesis-profile quick $(FAST))

.PHONY: fix
fix: $(READY)
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

.PHONY: clean
clean:
	rm -rf build dist docs/rules *.egg-info src/*.egg-info .pytest_cache .hypothesis

.PHONY: setup
setup: $(READY)

$(READY): pyproject.toml constraints.txt .ci/setup
	@sh .ci/setup $(PYTHON)
