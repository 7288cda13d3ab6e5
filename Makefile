# What one types here. Each target installs what it needs from Debian, and nothing more.
.DEFAULT_GOAL := help
.PHONY: help live chaos powercuts build release run test lint format docs bench truth rooms-check trials mutations vm-programs vm-test ha-test deb packages \
	arm64-test install-test units-test clean

# SwiftPM lets an undeclared import through unless told: the arrows between modules are part of the design.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
RELEASE_FLAGS := -c release --static-swift-stdlib

help:
	@echo "make run                 a simulated house, live: a broker, three gateways, the aggregator; Ctrl-C ends it all"
	@echo "make run CAPTURE=FILE    the same with one gateway on a recording (btsnoop)"
	@echo "make test                every test, with a real broker and a virtual machine; installs what the tests need"
	@echo "make test FORGETMENOT_VM=skip   without the virtual machine, which takes five minutes"
	@echo "make release             both programs, optimised, the Swift library inside: .build/release"
	@echo "make bench               adverts per CPU-second: decoding, and the whole pipeline"
	@echo "make truth               how true it is: exits, distances, rooms, beside what others do"
	@echo "make rooms-check         a few generated houses: are items found in them as well as before?"
	@echo "make live                recorded walks through real gateways, a broker and the aggregator, beside replay (twenty minutes)"
	@echo "make trials              whole fleets in virtual time, 5000 seeds; SEEDS=1...300 for fewer"
	@echo "make mutations           mistakes made in the real code, one for each rule: does a fleet find them? (half an hour)"
	@echo "make vm-test             the BlueZ side on Debian's own kernel, in a virtual machine, with virtual adapters"
	@echo "make chaos               real programs and a broker, killed, stopped and cut off at random for ten minutes: is anything lost?"
	@echo "make powercuts           200 power cuts: the disk is copied at random moments, and both programs start from it (root)"
	@echo "make ha-test             the whole story with two releases of the real Home Assistant; HA_VERSION=2026.11.0 for one of them"
	@echo "make deb                 Debian packages of both programs, for this machine: .build/deb"
	@echo "make deb ARCH=arm64      the same for Raspberry Pi OS trixie, cross-built on amd64: .build/deb-arm64"
	@echo "make arm64-test          those of arm64, run by an emulator: a recording, a real broker"
	@echo "make install-test        installs, upgrades, removes and purges them in a Debian of its own (root)"
	@echo "make units-test          installs and runs them under systemd, in a virtual machine with virtual adapters"
	@echo "make docs                the reference as a web site: .build/docs; a warning is an error"
	@echo "make lint, make format   the formatter, asking and acting; the Containerfile's linter; old words"

build:
	@deploy/dependencies.sh build
	swift build $(SWIFT_FLAGS)

release:
	@deploy/dependencies.sh build
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product forgetmenot-gateway
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product forgetmenot

run:
	@deploy/demo/run.sh $(CAPTURE)

test:
	@deploy/dependencies.sh build test
	@Tests/run.sh $(SWIFT_FLAGS)

lint:
	swift format lint --strict -r Sources Tests Package.swift
	@Tests/container/lint
	@Tests/words/lint

docs:
	@Documentation/build

format:
	swift format -i -r Sources Tests Package.swift

bench:
	@deploy/dependencies.sh build
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product Benchmarks
	.build/release/Benchmarks

truth:
	@deploy/dependencies.sh build
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product Truth
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product LocatingTruth
	.build/release/Truth
	.build/release/LocatingTruth
	$(MAKE) trials SEEDS=1...300

# At the speed at which they were recorded, two at a time. DATA: where the recordings are.
DATA ?= ../shared/data
live:
	@deploy/dependencies.sh build test
	swift build $(SWIFT_FLAGS) --product forgetmenot-gateway
	swift build $(SWIFT_FLAGS) --product forgetmenot
	Tests/livepath/run .build/debug $(DATA)

# A few generated houses, and whether items are found in them as well as before (a minute, most of it to build).
rooms-check:
	@deploy/dependencies.sh build
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product LocatingTruth
	.build/release/LocatingTruth houses check

trials:
	@deploy/dependencies.sh build
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product Trials
	.build/release/Trials --seeds $(or $(SEEDS),1...5000)

# MUTATION="NAME..." for some of them.
mutations:
	@deploy/dependencies.sh build
	Tests/mutations/run $(MUTATION)

# Built before, and by Swift alone: the virtual machine shall have both processors.
vm-programs:
	@deploy/dependencies.sh build
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product forgetmenot-gateway
	swift build $(SWIFT_FLAGS) $(RELEASE_FLAGS) --product BlueZProbe

vm-test: vm-programs
	Tests/vm/run

# CHAOS: seconds, and a seed, to repeat what was seen; or another word of it: kills, clocks, slow, full, powercuts, herd.
chaos:
	@deploy/dependencies.sh build chaos
	swift build $(SWIFT_FLAGS)
	.build/debug/Chaos $(CHAOS)

# POWERCUTS: how many, and a seed.
powercuts:
	@deploy/dependencies.sh build chaos
	swift build $(SWIFT_FLAGS)
	.build/debug/Chaos powercuts $(POWERCUTS)

# Heavy (several GB and minutes the first time, and root), so no part of `make test`.
HA_VERSION ?= 2025.4.4 2026.11.0
ha-test:
	@deploy/dependencies.sh build run
	swift build $(SWIFT_FLAGS) --product forgetmenot-gateway
	swift build $(SWIFT_FLAGS) --product forgetmenot
	Tests/homeassistant/run $(HA_VERSION)

# For this machine, or with ARCH=arm64 on amd64 for a Raspberry Pi: a quarter of an hour, and 3.4 GB, the first time.
# Nice: it shall not slow down whatever else this machine does.
CROSS := $(filter arm64/amd64,$(ARCH)/$(shell dpkg --print-architecture 2>/dev/null))
deb:
ifeq ($(CROSS),)
	@deploy/dependencies.sh build package
	nice $(MAKE) --no-print-directory release
	@rm -rf .build/deb
	@deploy/packages/build.sh .build/release .build/deb
else
	@deploy/dependencies.sh build package cross
	nice deploy/packages/cross.sh .build/arm64
	@rm -rf .build/deb-arm64
	@SYSROOT=.build/arm64/sysroot deploy/packages/build.sh .build/arm64/release .build/deb-arm64
endif

# The packages for arm64, run by an emulator.
arm64-test:
	$(MAKE) --no-print-directory ARCH=arm64 deb
	@deploy/dependencies.sh run test
	Tests/arm64/run .build/deb-arm64 .build/arm64/sysroot

# Those of this machine, and newer ones to upgrade to: these differ by their version and configuration, as a later release may.
packages: deb
	@deploy/dependencies.sh install-test
	@rm -rf .build/deb-newer
	@REVISION=+newer deploy/packages/build.sh .build/release .build/deb-newer >/dev/null

install-test: packages
	Tests/install/run .build/deb .build/deb-newer

units-test: deb
	Tests/vm/run units.sh

clean:
	swift package clean
