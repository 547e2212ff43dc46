# Thin front door to the build. `make run` and `make test` need nothing but make and apt: they install what is
# missing first. Where packages come from elsewhere, SETUP=true leaves that out.
SETUP  ?= scripts/setup
BUILD  ?= build
PREFIX ?= /usr/local
RUN    ?= sample bimodal --seed 1 --out $(BUILD)/run --overwrite
JOBS   := $(shell nproc)
FUZZ_SECONDS ?= 60

configure = cmake -S . -B $(BUILD)
compile   = env -u MAKELEVEL cmake --build $(BUILD) -j $(JOBS)
ctest     = ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(JOBS)

.DEFAULT_GOAL := help
.NOTPARALLEL:
unexport MAKEFLAGS
.PHONY: help run test test-core test-anywhere bench benchmarks check sanitize valgrind coverage fuzz soak mutants page install uninstall clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

run: ## set up, build, draw from a density with two modes, and make its report (RUN='...' for other arguments of ckam)
	@$(SETUP) build
	@$(configure)
	@$(compile) --target ckam_command
	$(BUILD)/ckam $(RUN)
ifeq ($(origin RUN),file)
	@echo; echo 'The report, for a browser:'
	@$(BUILD)/ckam report $(BUILD)/run
endif

# CKAM_NODE=ON: without Node the tests of the page would be skipped.
test: ## set up, build, and run every test
	@$(SETUP) test
	@$(configure) -DCKAM_BUILD_TESTS=ON -DCKAM_NODE=ON
	@$(compile)
	@$(ctest)

test-core: ## the same for the tests that need only what ckam itself needs
	@$(SETUP) test-core
	@$(configure) -DCKAM_BUILD_TESTS=ON -DCKAM_NODE=AUTO
	@$(compile)
	@$(ctest) -L '^core$$'

test-anywhere: ## every test from a build directory with a long path outside the tree, beside stress-ng
	@$(SETUP) anywhere
	@scripts/anywhere

# A program that fails, or misses a bar, does not stop the others.
bench: ## set up, build, and run every benchmark
	@$(SETUP) bench
	@$(configure) -DCKAM_BUILD_BENCH=ON
	@$(compile)
	@failed=; for source in bench/*.c bench/*/main.c; do \
	    name=$$(basename $${source%/main.c} .c); program=$(BUILD)/bench/$$name; \
	    case $$name in \
	        instructions) continue;; \
	        speed|peers) program="$$program --json $(BUILD)/$$name.json";; \
	    esac; \
	    echo "== $$program"; $$program || failed="$$failed $$name"; done; \
	echo "== scripts/instructions"; scripts/instructions $(BUILD) || failed="$$failed instructions"; \
	[ -z "$$failed" ] || { echo "make bench: missed a bar, or failed:$$failed" >&2; exit 1; }

benchmarks: ## the standard suite beside its peers: writes docs/benchmarks.md (BENCHMARKS='--ckam-only' and other options)
	@$(SETUP) bench
	@$(configure) -DCKAM_BUILD_BENCH=ON
	@$(compile)
	BUILD=$(BUILD) scripts/benchmarks $(BENCHMARKS)

check: ## format, warnings of two compilers, static analysis
	@$(SETUP) check
	@scripts/check

sanitize: ## the tests under the address, undefined-behaviour and thread sanitizers
	@$(SETUP) sanitize
	@scripts/sanitize

valgrind: ## tests and commands under valgrind's memcheck
	@$(SETUP) valgrind
	@scripts/valgrind

coverage: ## which lines of src/ the tests run; below 95 % it fails
	@$(SETUP) test
	@scripts/coverage

soak: ## what takes too long for every change: every call failed once, 1000 chains, 300 kills, long calibration
	@$(SETUP) test
	@$(configure) -DCKAM_BUILD_TESTS=ON
	@$(compile)
	@scripts/soak $(BUILD)

fuzz: ## bytes of any kind to every reader, FUZZ_SECONDS (60) each, under sanitizers
	@$(SETUP) check
	@scripts/fuzz $(FUZZ_SECONDS)

mutants: ## break a copy of the tree in named ways, one at a time: the tests must notice each
	@$(SETUP) test
	@scripts/mutants

page: ## remake report/page.html, the page of a report that the library carries, from report/src
	@$(SETUP) page
	node report/build.mjs report/page.html

install: ## build and install into PREFIX (/usr/local), below DESTDIR if set; installs no packages
	@$(configure) -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	@$(compile)
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)

uninstall: ## remove what `make install` with the same PREFIX and DESTDIR puts there
	@$(configure) -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	@$(compile)
	@DESTDIR="$(DESTDIR)" cmake --build $(BUILD) --target uninstall

clean: ## remove everything that was built
	rm -rf build build-check-* build-sanitize-* build-fuzz build-coverage build-valgrind build-venv
