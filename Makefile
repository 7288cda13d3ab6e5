# Each target installs the Debian packages that it needs.
.DEFAULT_GOAL := help
.PHONY: help live load-test limits-test import-test cluster-test rabbitmq-test standby-test postgresql-test instructions demo chaos powercuts build release test-programs run test lint format docs bench truth rooms-check families-check fleets mutations vm-programs vm-test page-test ha-test deb packages \
	arm64-test pi-test install-test units-test repo repo-test home-assistant-apps apps-test compose-test clean

# By default SwiftPM accepts an import without a declared dependency. The dependencies between modules are part of the design.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
# RELEASE_BUILD=: where the programs have been built, as in .ci/run: two builds of one folder wait for each other.
RELEASE_BUILD := swift build $(SWIFT_FLAGS) -c release --static-swift-stdlib --product
DEBUG_BUILD := swift build $(SWIFT_FLAGS) --product

define HELP
make TARGET

Run
  run                       run a simulated house: a broker, five gateways, the aggregator; Ctrl-C ends it
  run CAPTURE=FILE          the same with one gateway that plays a recording (btsnoop)
  build                     build everything for debugging
  release                   build both programs, optimised, with the Swift library inside: .build/release
  demo                      record a simulated day in 12 minutes, as static files that replay it: .build/demo; HOURS=1 for less
  docs                      build the reference as a web site: .build/docs

Test
  test                      run all tests, with a real broker and a virtual machine; Tests/run.sh lists the parts
  test FORGETMENOT_VM=skip  the same without the virtual machine
  lint, format              check format, Containerfile, JavaScript, vocabulary, list of mutations; format the code
  page-test                 the web page in a headless Chromium, with simulated gateways; pictures: .build/page
  vm-test                   the Bluetooth code on Debian's kernel, in a virtual machine with virtual adapters
  ha-test                   two releases of the real Home Assistant; HA_VERSION=2026.11.0 for one (root)
  fleets                    the fleet simulator in virtual time, 5000 seeds; SEEDS=1...300 for fewer
  mutations                 plant mistakes in the code, one for each rule; the fleet simulator must find them

Test that no event gets lost
  chaos                     kill, stop and disconnect real programs and a broker for ten minutes
  powercuts                 copy the disk at 200 random moments, and start both programs from each copy (root)
  standby-test              restart, kill and stop both of two aggregators under load; STANDBY: rounds and a seed
  cluster-test              three NATS servers, of which one after the other is killed
  rabbitmq-test             the same on one RabbitMQ server, and on three
  postgresql-test           1,000 events a second through a broker and the aggregator into PostgreSQL, with an outage

Measure
  bench                     what advertisements, messages, items and history cost, beside programs in C
  truth                     the accuracy of exits, distances and rooms, beside other methods
  rooms-check               the accuracy of rooms in a few generated houses, compared with before
  families-check            what simulated families forget, compared with before
  live                      recorded walks through both programs and a broker, compared with replay (20 minutes)
  instructions              the instructions of the hot paths, compared with the last counts
  load-test                 the aggregator with 50 simulated gateways and 5,000 items, compared with limits
  limits-test               the largest site, run by systemd from the units as they ship (root)
  import-test               100,000 items through a real broker and a gateway, compared with limits

Package
  deb                       Debian packages of both programs for this machine: .build/deb
  deb ARCH=arm64            the same for Raspberry Pi OS, on amd64: .build/deb-arm64
  repo KEY=ADDRESS          a signed apt repository of these packages, as static files: .build/repository
  release VERSION=1.2.3 KEY=ADDRESS    a tag, and all that a publisher uploads: deploy/docs/publishing.md;
                            compose.yaml is among it only with IMAGE=NAME
  install-test              install, upgrade, remove and purge the packages in a separate Debian folder (root)
  repo-test                 the same from a repository that somebody may have changed (root)
  home-assistant-apps       what Home Assistant builds its apps of: .build/home-assistant-apps
  apps-test                 build the images of the apps, and run them beside a supervisor of the test's own (root)
  compose-test              the image and compose.yaml, with podman and Docker's compose (root)
  units-test                install the packages and run them under systemd, in a virtual machine
  arm64-test                run the arm64 packages in an emulator, with a recording and a real broker
  pi-test                   whole arm64 machines in an emulator: install, join, power cuts (root)
endef
help:
	@$(info $(HELP)):

build:
	@deploy/dependencies.sh build
	swift build $(SWIFT_FLAGS)

# With a VERSION from the command line alone: an environment may have a variable of that name.
release:
ifneq ($(and $(filter command,$(origin VERSION)),$(VERSION)),)
	@deploy/dependencies.sh repo
	@deploy/packages/release.sh $(VERSION) "$(KEY)" $(REPOSITORY_URL) $(IMAGE)
else
	@deploy/dependencies.sh build
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) forgetmenot
endif

# The optimised programs that tests and measurements use.
test-programs: vm-programs
	$(RELEASE_BUILD) FleetSimulator
	$(RELEASE_BUILD) LoadGenerator
	$(RELEASE_BUILD) LocatingTruth
	$(RELEASE_BUILD) Families
	$(RELEASE_BUILD) Benchmarks

run:
	@deploy/demo/run.sh $(CAPTURE)

# HOURS: of the day that is recorded; each takes a minute.
HOURS ?= 12
demo:
	@deploy/dependencies.sh build run demo
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) forgetmenot
	@FORGETMENOT_PROGRAMS=.build/release deploy/demo/record.sh .build/demo $(HOURS)

test:
	@deploy/dependencies.sh build test
	@Tests/run.sh $(SWIFT_FLAGS)

lint:
	swift format lint --strict -r Sources Tests Package.swift
	@Tests/container/lint
	@Tests/install/lint
	@Tests/page/lint
	@Tests/words/lint
	@Tests/mutations/lint

docs:
	@Documentation/build

format:
	swift format -i -r Sources Tests Package.swift

bench:
	@deploy/dependencies.sh build
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) forgetmenot
	$(RELEASE_BUILD) Benchmarks
	@[ -d .build/peers ] || python3 -m pip install -q --target .build/peers TheengsDecoder==2.5.0 ibeacon-ble==1.2.0 \
		|| echo "The decoders of PyPI are not measured, because they cannot be installed" >&2
	.build/release/Benchmarks

truth:
	@deploy/dependencies.sh build
	$(RELEASE_BUILD) Truth
	$(RELEASE_BUILD) LocatingTruth
	.build/release/Truth
	.build/release/LocatingTruth
	nice .build/release/Families
	$(MAKE) fleets SEEDS=1...300

# Plays the recordings at their own speed, two at a time. DATA: the folder of the recordings.
DATA ?= ../shared/data
live:
	@deploy/dependencies.sh build test
	$(DEBUG_BUILD) forgetmenot-gateway
	$(DEBUG_BUILD) forgetmenot
	Tests/livepath/run .build/debug $(DATA)

# A few generated houses, and whether items are found in them as well as before (a minute, most of it to build).
rooms-check:
	@deploy/dependencies.sh build
	$(RELEASE_BUILD) LocatingTruth
	.build/release/LocatingTruth houses check

# A few simulated families, and whether what they forget is found as well as before (half a minute behind the build).
families-check:
	@deploy/dependencies.sh build
	$(RELEASE_BUILD) Families
	.build/release/Families check

fleets:
	@deploy/dependencies.sh build
	$(RELEASE_BUILD) FleetSimulator
	.build/release/FleetSimulator --seeds $(or $(SEEDS),1...5000)

# MUTATION="NAME..." runs only these.
mutations:
	@deploy/dependencies.sh build
	Tests/mutations/run $(MUTATION)

# The programs are built before the virtual machine starts, because the virtual machine uses both processors.
vm-programs:
	@deploy/dependencies.sh build
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) BlueZProbe

vm-test: vm-programs
	Tests/vm/run

page-test:
	@deploy/dependencies.sh build run page-test
	$(DEBUG_BUILD) forgetmenot-gateway
	$(DEBUG_BUILD) forgetmenot
	Tests/page/run

# CHAOS: seconds and a seed, to repeat a run; or another mode: kills, clocks, slow, full, powercuts, herd, messages.
chaos:
	@deploy/dependencies.sh build chaos
	swift build $(SWIFT_FLAGS)
	.build/debug/Chaos $(CHAOS)

# Three NATS servers with JetStream, of which one after the other is killed.
cluster-test:
	@deploy/dependencies.sh build cluster
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) forgetmenot
	Tests/cluster/run .build/release
	Tests/cluster/shares .build/release nats

# LOAD: the numbers of gateways, items and minutes.
LOAD ?= 50 5000 1.2
load-test:
	@deploy/dependencies.sh build load
	$(RELEASE_BUILD) forgetmenot
	$(RELEASE_BUILD) LoadGenerator
	Tests/load/run .build/release $(LOAD)

# LARGEST: the numbers of items and of the history's megabytes.
LARGEST ?= 9900 256
limits-test:
	@deploy/dependencies.sh build load
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) forgetmenot
	Tests/load/systemd .build/release Tests/load/largest $(LARGEST)

import-test:
	@deploy/dependencies.sh build load
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) forgetmenot
	Tests/load/import .build/release

# One RabbitMQ server with its MQTT plugin that is killed and started again, then three of which one after the other is killed.
rabbitmq-test:
	@deploy/dependencies.sh build rabbitmq
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) forgetmenot
	Tests/cluster/run .build/release 12 rabbitmq 1
	Tests/cluster/run .build/release 12 rabbitmq 3
	Tests/cluster/shares .build/release rabbitmq

# Two aggregators on a mosquitto, of which each is restarted, killed and stopped. STANDBY: how many rounds, and a seed.
standby-test:
	@deploy/dependencies.sh build run
	$(RELEASE_BUILD) forgetmenot-gateway
	$(RELEASE_BUILD) forgetmenot
	Tests/standby/run .build/release $(STANDBY)

# EVENTS: events a second, and seconds.
postgresql-test:
	@deploy/dependencies.sh build test
	$(RELEASE_BUILD) forgetmenot
	Tests/postgresql/run .build/release $(EVENTS)

# Counts instructions with callgrind, which no other load disturbs. UPDATE=--update accepts the counts as they are.
instructions:
	@deploy/dependencies.sh build instructions
	$(RELEASE_BUILD) Benchmarks
	Tests/instructions/run $(UPDATE)

# POWERCUTS: the number of power cuts, and a seed.
powercuts:
	@deploy/dependencies.sh build chaos
	swift build $(SWIFT_FLAGS)
	.build/debug/Chaos powercuts $(POWERCUTS)

# `make test` does not include this, because it needs root, and several GB and minutes the first time.
HA_VERSION ?= 2025.4.4 2026.11.0
ha-test:
	@deploy/dependencies.sh build run
	$(DEBUG_BUILD) forgetmenot-gateway
	$(DEBUG_BUILD) forgetmenot
	Tests/homeassistant/run $(HA_VERSION)

# For this machine, or with ARCH=arm64 on amd64 for a Raspberry Pi: the first time takes a quarter of an hour and 3.4 GB.
# nice: the build does not slow down the machine's other work.
CROSS := $(filter arm64/amd64,$(ARCH)/$(shell dpkg --print-architecture 2>/dev/null))
deb:
ifeq ($(CROSS),)
	@deploy/dependencies.sh build package
	nice $(MAKE) --no-print-directory release VERSION=
	@rm -rf .build/deb
	@deploy/packages/build.sh .build/release .build/deb
else
	@deploy/dependencies.sh build package cross
	nice deploy/packages/cross.sh .build/arm64
	@rm -rf .build/deb-arm64
	@SYSROOT=.build/arm64/bookworm deploy/packages/build.sh .build/arm64/release .build/deb-arm64
endif

# Runs the arm64 packages in an emulator.
arm64-test:
	$(MAKE) --no-print-directory ARCH=arm64 deb
	@deploy/dependencies.sh run test
	Tests/arm64/run .build/deb-arm64 .build/arm64

# Whole machines in an emulator.
pi-test:
	$(MAKE) --no-print-directory ARCH=arm64 deb
	@deploy/dependencies.sh repo pi-test
	Tests/vm/pi .build/deb-arm64

# Packages for this machine, and a newer version to upgrade to, which differs in version and reference files like a later release.
packages: deb
	@deploy/dependencies.sh install-test
	@rm -rf .build/deb-newer
	@REVISION=+newer deploy/packages/build.sh .build/release .build/deb-newer >/dev/null

# KEY: the publisher's key, as gpg names it. REPOSITORY_URL: where the folder will be published.
REPOSITORY_URL ?= https://forgetmenot.invalid/debian
# IMAGE: the image's name in a registry. Without it, a release has no compose.yaml.
IMAGE ?=
repo:
	@deploy/dependencies.sh repo
	@deploy/packages/repository.sh "$(KEY)" $(REPOSITORY_URL) .build/repository $(or $(wildcard .build/deb .build/deb-arm64),.build/deb)

repo-test: packages
	@deploy/dependencies.sh install-test repo
	Tests/install/repository .build/deb .build/deb-newer

install-test: packages
	Tests/install/run .build/deb .build/deb-newer

home-assistant-apps: deb
	deploy/home-assistant-apps/build $(if $(CROSS),.build/deb-arm64,.build/deb) .build/home-assistant-apps

apps-test: deb
	@deploy/dependencies.sh apps-test
	Tests/home-assistant-apps/run .build/deb

compose-test: deb
	@deploy/dependencies.sh compose-test
	Tests/container/run .build/deb

units-test: deb
	Tests/vm/run units.sh

clean:
	swift package clean
