// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 mode comes with the tools version, and a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "forgetmenot",
    products: [
        .executable(name: "forgetmenot-gateway", targets: ["Gateway"]),
        .executable(name: "forgetmenot", targets: ["Aggregator"]),
        // For tests alone: it has to be a file of its own, which programs under test are made to load.
        .library(name: "SteeredKernel", type: .dynamic, targets: ["SteeredKernel"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // C: Debian's libraries, and a shim for what Swift cannot import from the kernel's headers.
        .systemLibrary(name: "CBlueZ", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        // Without pkgConfig: its file carries a flag that SwiftPM warns of, and the header stands where every header does.
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),

        // Pure: no socket, no clock, no log.
        .target(name: "Beacons", swiftSettings: strict),
        .target(name: "HCI", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "Ranging", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "Text", dependencies: ["Beacons", "CUTF8Proc", "CCrypto"], swiftSettings: strict),
        .target(name: "Messages", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "HomeAssistant", dependencies: ["Beacons", "Messages"], swiftSettings: strict),
        .target(name: "Journal", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "Locating", dependencies: ["Beacons"], swiftSettings: strict),
        // From a service's decisions to the disk and the broker.
        .target(
            name: "Delivery", dependencies: ["Beacons", "HomeAssistant", "Journal", "Messages"], swiftSettings: strict),
        .target(name: "Simulation", dependencies: ["Beacons", "HCI"], swiftSettings: strict),

        // Adapters: the kernel, the adapter's socket, the broker's connection, the configuration's file.
        .target(name: "Linux", dependencies: ["Beacons", "CLinux"], swiftSettings: strict),
        .target(name: "BlueZ", dependencies: ["Beacons", "HCI", "Linux", "CBlueZ", "CLinux"], swiftSettings: strict),
        .target(name: "Mosquitto", dependencies: ["Beacons", "Linux", "CMosquitto"], swiftSettings: strict),
        .target(name: "Settings", dependencies: ["Beacons", "Text", "Linux"], swiftSettings: strict),

        // The event log on disk.
        .target(name: "Archive", dependencies: ["Beacons", "Journal", "Linux"], swiftSettings: strict),

        // The broker as both services see it: messages and settings put to the connection.
        .target(
            name: "Broker",
            dependencies: [
                "Beacons", "Delivery", "HomeAssistant", "Journal", "Linux", "Messages", "Mosquitto", "Settings",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // What `doctor` finds of what both programs need.
        .target(
            name: "Doctor", dependencies: ["Beacons", "Broker", "Linux", "Messages", "Mosquitto"],
            swiftSettings: strict),

        // How both programs read their command lines, and end.
        .target(
            name: "Console",
            dependencies: ["Linux", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),

        // The two services, and their thin programs.
        .target(
            name: "GatewayService",
            dependencies: [
                "Archive", "Beacons", "Delivery", "HCI", "Ranging", "Text", "Messages", "HomeAssistant", "Journal",
                "Simulation",
                "Linux", "BlueZ", "Mosquitto", "Settings", "Broker", "Doctor",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "AggregatorService",
            dependencies: [
                "Archive", "Beacons", "Delivery", "Text", "Messages", "HomeAssistant", "Journal", "Locating", "Linux",
                "Mosquitto",
                "Settings", "Broker", "Doctor",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "Gateway",
            dependencies: [
                "GatewayService", "Broker", "Console", "Linux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // Says line by line what an adapter does: what the jobs of the virtual machine hold against what they caused. Not installed.
        .executableTarget(
            name: "BlueZProbe", dependencies: ["Beacons", "BlueZ", "Linux"], path: "Tests/Rigs/BlueZProbe",
            swiftSettings: strict),
        .executableTarget(
            name: "Aggregator",
            dependencies: [
                "AggregatorService", "Broker", "Console", "Linux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // Whole fleets in virtual time, above both services, and what tells of thousands of them: no product.
        .target(
            name: "Fleet",
            dependencies: [
                "Beacons", "Delivery", "Messages", "Journal", "Ranging", "Simulation", "Settings", "GatewayService",
                "AggregatorService",
            ],
            path: "Tests/Rigs/Fleet", swiftSettings: strict),
        .executableTarget(
            name: "Trials", dependencies: ["Beacons", "Fleet", "Linux"], path: "Tests/Rigs/Trials",
            swiftSettings: strict),

        // make bench: adverts per CPU-second.
        .executableTarget(
            name: "Benchmarks", dependencies: ["Beacons", "HCI", "GatewayService", "Linux", "Locating", "Settings"],
            path: "Tests/Rigs/Benchmarks", swiftSettings: strict),
        // What `make truth` prints of the belief.
        .executableTarget(
            name: "LocatingTruth", dependencies: ["Beacons", "Locating", "Ranging", "Simulation"],
            path: "Tests/Rigs/LocatingTruth", swiftSettings: strict),
        // Figures of ranging and monitoring, printed: no product.
        .executableTarget(
            name: "Truth", dependencies: ["Beacons", "Ranging"], path: "Tests/Rigs/Truth", swiftSettings: strict),

        .testTarget(name: "BeaconsTests", dependencies: ["Beacons"], swiftSettings: strict),
        .testTarget(name: "HCITests", dependencies: ["Beacons", "HCI"], swiftSettings: strict),
        .testTarget(name: "RangingTests", dependencies: ["Beacons", "Ranging"], swiftSettings: strict),
        // Chance that repeats itself, for tests.
        .target(name: "Seeds", path: "Tests/Seeds", swiftSettings: strict),
        .testTarget(name: "TextTests", dependencies: ["Beacons", "Text"], swiftSettings: strict),
        .testTarget(name: "MessagesTests", dependencies: ["Beacons", "Messages", "Seeds"], swiftSettings: strict),
        .testTarget(
            name: "HomeAssistantTests", dependencies: ["Beacons", "HomeAssistant", "Messages"], swiftSettings: strict),
        .testTarget(name: "JournalTests", dependencies: ["Beacons", "Journal", "Seeds"], swiftSettings: strict),
        .testTarget(
            name: "ArchiveTests", dependencies: ["Archive", "Beacons", "Journal", "Linux"], swiftSettings: strict),
        .testTarget(name: "LocatingTests", dependencies: ["Beacons", "Locating", "Seeds"], swiftSettings: strict),
        .testTarget(name: "SimulationTests", dependencies: ["Beacons", "HCI", "Simulation"], swiftSettings: strict),
        .testTarget(name: "LinuxTests", dependencies: ["Beacons", "Linux"], swiftSettings: strict),
        .testTarget(name: "BlueZTests", dependencies: ["Beacons", "HCI", "BlueZ"], swiftSettings: strict),
        .testTarget(
            name: "MosquittoTests", dependencies: ["Beacons", "Linux", "Mosquitto", "TestBroker"], swiftSettings: strict
        ),
        // What tests need that want a broker: a real mosquitto, a scripted one, and certificates.
        .target(
            name: "TestBroker", dependencies: ["Beacons", "Linux"], path: "Tests/TestBroker", swiftSettings: strict),
        // Another clock and another disk for a program under test.
        .target(name: "SteeredKernel", path: "Tests/Rigs/SteeredKernel"),
        // make chaos: real programs and a real broker, and everything goes wrong.
        .executableTarget(
            name: "Chaos",
            dependencies: [
                "Beacons", "HCI", "Journal", "Linux", "Messages", "Mosquitto", "Seeds", "TestBroker", "Gateway",
                "Aggregator",
            ],
            path: "Tests/Rigs/Chaos", swiftSettings: strict),
        .testTarget(
            name: "BrokerTests",
            dependencies: [
                "Beacons", "Broker", "Delivery", "Journal", "Linux", "Mosquitto", "Settings", "TestBroker",
            ],
            swiftSettings: strict),
        .testTarget(name: "SettingsTests", dependencies: ["Beacons", "Settings"], swiftSettings: strict),
        .testTarget(
            name: "GatewayServiceTests",
            dependencies: [
                "Archive", "Beacons", "BlueZ", "Delivery", "Doctor", "HomeAssistant", "Journal", "Linux", "Messages",
                "Ranging",
                "GatewayService", "Settings",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AggregatorServiceTests",
            dependencies: [
                "Archive", "Beacons", "Broker", "Doctor", "HomeAssistant", "Journal", "Linux", "Locating", "Messages",
                "AggregatorService", "Seeds", "Settings", "TestBroker",
            ],
            swiftSettings: strict),
        // Both services' pipelines in one house, in virtual time: how much they say.
        .testTarget(
            name: "FloodTests",
            dependencies: [
                "Beacons", "HCI", "Messages", "Settings", "Simulation", "GatewayService", "AggregatorService",
            ],
            swiftSettings: strict),
        // Both programs as people run them, with a real broker between them. The executables are named so that they are built.
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "Beacons", "HCI", "Messages", "Simulation", "Linux", "Mosquitto", "TestBroker", "Gateway", "Aggregator",
                "Chaos",
            ],
            swiftSettings: strict),
        .testTarget(name: "FleetTests", dependencies: ["Fleet"], swiftSettings: strict),
        // The configuration files that are shipped, read by the programs they are for.
        .testTarget(
            name: "ConfigurationTests",
            dependencies: ["GatewayService", "AggregatorService", "Linux", "Settings", "Simulation"],
            swiftSettings: strict),
    ]
)
