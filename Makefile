# The one door: each target is a command of the README. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= /usr/lib/sysusers.d
TMPFILESDIR ?= /usr/lib/tmpfiles.d

SWIFT ?= swift
RELEASE := -c release --static-swift-stdlib
PROGRAMS := wajubd wajubctl wajub-sandbox
LIVES ?= 2000000

# One build for each program: of several --product, swift build takes the last and says nothing of the rest.
release = set -e; for program in $(1); do $(SWIFT) build $(RELEASE) --product $$program; done

.PHONY: help deps build test soak demo bench docs lint format install

help: ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## installs what is missing of the C libraries and tools, with apt; does nothing when all is there
	@scripts/deps.sh

build: deps ## builds the release programs
	$(call release,$(PROGRAMS))

test: deps ## builds everything, runs every test, and lives 100,000 payments, the same ones each time
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build
	$(call release,wajub-lives)
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/wajub-lives" 100000 0

soak: deps ## lives LIVES payments nobody has lived before, each judged after every step
	$(call release,wajub-lives)
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/wajub-lives" $(LIVES)

demo: deps ## shows the main job against the built-in sandbox: hand off, kill -9, restart, outcome
	@scripts/demo.sh

bench: deps ## measures, as ratios to a baseline of the same run
	$(call release,wajubd wajub-sandbox wajubd-bench)
	@"$$($(SWIFT) build $(RELEASE) --show-bin-path)/wajubd-bench"

docs: deps ## writes docs/contract.md from the definitions that the code runs on
	$(SWIFT) build --product wajubd-docs
	@"$$($(SWIFT) build --show-bin-path)/wajubd-docs" >docs/contract.md

lint: deps ## format, house rules, and the hardening of the units
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests
	@scripts/tidy.sh
	@systemd/check.sh

format: ## formats the sources in place
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests

install: build ## installs programs and units (PREFIX, DESTDIR)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(UNITDIR) $(DESTDIR)$(SYSUSERSDIR) $(DESTDIR)$(TMPFILESDIR)
	bin="$$($(SWIFT) build $(RELEASE) --show-bin-path)" && \
	  for program in $(PROGRAMS); do install -m 0755 "$$bin/$$program" $(DESTDIR)$(PREFIX)/bin/; done
	for unit in systemd/wajubd.service systemd/wajubd.socket; do \
	  sed 's|@PREFIX@|$(PREFIX)|g' $$unit | install -m 0644 /dev/stdin $(DESTDIR)$(UNITDIR)/$${unit##*/}; done
	install -m 0644 systemd/wajubd.sysusers $(DESTDIR)$(SYSUSERSDIR)/wajubd.conf
	install -m 0644 systemd/wajubd.tmpfiles $(DESTDIR)$(TMPFILESDIR)/wajubd.conf
