# The targets people and continuous integration use. CMake and ninja do the building.
BUILD  := build
PYTHON := .venv/bin/python
JOBS   ?= $(shell nproc)

.PHONY: all setup build demo test test-long bench peers clean

all: build

setup:
	@tools/setup.sh

build: setup
	@cmake --preset release -B $(BUILD) >$(BUILD)/cmake.log || { cat $(BUILD)/cmake.log; exit 1; }
	@ninja -C $(BUILD) -j $(JOBS) --quiet
	@cmake --install $(BUILD) --component python >$(BUILD)/install.log || { cat $(BUILD)/install.log; exit 1; }

# The heterogeneous example on real photographs; prints where model and report are.
demo: build
	@$(PYTHON) examples/heterogeneous/run.py --evener $(BUILD)/evener --output $(BUILD)/demo

test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -LE long

# What takes an hour: all tests under sanitizers, whose findings in any process fail it, and the
# long forms of tests.
test-long: build
	@cmake --preset asan-ubsan >/dev/null && ninja -C build/asan-ubsan -j $(JOBS) --quiet
	@ctest --test-dir build/asan-ubsan --output-on-failure -LE "long|house"
	@cmake --preset tsan >/dev/null && ninja -C build/tsan -j $(JOBS) --quiet
	@ctest --test-dir build/tsan --output-on-failure -LE "long|house"
	@ctest --test-dir $(BUILD) --output-on-failure -L long

bench: build
	@$(PYTHON) benchmarks/run.py --evener $(BUILD)/evener

# Benchmarks that run other programs beside this one; those that are not installed are named.
peers: build
	@benchmarks/peers/setup.sh
	@$(PYTHON) benchmarks/run.py --evener $(BUILD)/evener --peers

clean:
	@rm -rf build .venv .venv-*
