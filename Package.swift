// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 mode comes with the tools version, and a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// For the libraries that a gateway does not need: whoever builds only the gateway does not download them.
let aggregator = TargetDependencyCondition.when(traits: ["Aggregator"])

let package = Package(
    name: "forgetmenot",
    products: [
        .executable(name: "forgetmenot-gateway", targets: ["Gateway"]),
        .executable(name: "forgetmenot", targets: ["Aggregator"]),
        // For tests alone: it has to be a file of its own, which programs under test are made to load.
        .library(name: "SteeredKernel", type: .dynamic, targets: ["SteeredKernel"]),
    ],
    traits: [
        .trait(
            name: "Aggregator",
            description: "The page and the history. Without this trait only the gateway can be built."),
        .default(enabledTraits: ["Aggregator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // The aggregator alone, see the decision "A page in the aggregator".
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // C: Debian's libraries, and a shim for what Swift cannot import from the kernel's headers.
        .systemLibrary(name: "CBlueZ", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        // Without pkgConfig: its file carries a flag that SwiftPM warns of, and the header stands where every header does.
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CLinux"),
        // The files of the page.
        .target(name: "CPage", exclude: ["Assets"]),
        .target(name: "CPostgreSQL"),
        // Takes the place of 34 MB that Foundation links, see the decision "What the aggregator weighs".
        .target(name: "CICUData"),

        // Pure: no socket, no clock, no log.
        .target(name: "Beacons", swiftSettings: strict),
        .target(name: "HCI", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "Ranging", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "Text", dependencies: ["Beacons", "CUTF8Proc", "CCrypto"], swiftSettings: strict),
        .target(name: "Messages", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "HomeAssistant", dependencies: ["Beacons", "Messages", "Text"], swiftSettings: strict),
        .target(name: "EventLogs", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "Locating", dependencies: ["Beacons"], swiftSettings: strict),
        // Configuration files, as texts.
        .target(name: "Settings", dependencies: ["Beacons", "Text"], swiftSettings: strict),
        // Messages to persons.
        .target(
            name: "Channels", dependencies: ["Beacons", "CCrypto", "Messages", "Settings", "Text"],
            swiftSettings: strict),
        // Where people are, and who is told what.
        .target(name: "People", dependencies: ["Beacons", "Channels", "Messages", "Text"], swiftSettings: strict),
        // From a service's decisions to the disk and the broker.
        .target(
            name: "Delivery", dependencies: ["Beacons", "HomeAssistant", "EventLogs", "Messages", "Settings"],
            swiftSettings: strict),
        .target(name: "Simulation", dependencies: ["Beacons", "HCI"], swiftSettings: strict),
        // All decisions of the two services.
        .target(
            name: "GatewayCore",
            dependencies: [
                "Beacons", "CCrypto", "Delivery", "HCI", "HomeAssistant", "EventLogs", "Messages", "Ranging",
                "Settings", "Text",
            ],
            swiftSettings: strict),
        .target(
            name: "SiteCore",
            dependencies: [
                "Beacons", "Channels", "Delivery", "HomeAssistant", "EventLogs", "Locating", "Messages", "People",
                "Settings", "Text",
            ],
            swiftSettings: strict),

        // The whole of aggregator.toml: what the aggregator decides with, the page and the history.
        .target(
            name: "PageConfiguration",
            dependencies: ["Beacons", "CPage", "Channels", "Messages", "Settings", "SiteCore", "Text"],
            swiftSettings: strict),

        // Adapters: the kernel, the adapter's socket, the broker's connection.
        .target(name: "Linux", dependencies: ["Beacons", "CLinux"], swiftSettings: strict),
        .target(name: "BlueZ", dependencies: ["Beacons", "HCI", "Linux", "CBlueZ", "CLinux"], swiftSettings: strict),
        .target(
            name: "Mosquitto", dependencies: ["Beacons", "Linux", "Messages", "CMosquitto"], swiftSettings: strict),

        // The event log on disk.
        .target(name: "Archive", dependencies: ["Beacons", "EventLogs", "Linux"], swiftSettings: strict),

        // The broker as both services see it: messages and settings put to the connection.
        .target(
            name: "Broker",
            dependencies: [
                "Beacons", "Delivery", "HomeAssistant", "EventLogs", "Linux", "Messages", "Mosquitto", "Settings",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),

        // How a new gateway gets its configuration from the hub.
        .target(name: "Joining", dependencies: ["Beacons", "CSSL", "Linux"], swiftSettings: strict),

        // What `doctor` finds of what both programs need.
        .target(
            name: "Doctor", dependencies: ["Beacons", "Broker", "Linux", "Messages", "Mosquitto"],
            swiftSettings: strict),

        // How both programs read their command lines, and end.
        .target(
            name: "Console",
            dependencies: ["Beacons", "Linux", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),

        // The past in SQLite, and the page.
        .target(
            name: "History",
            dependencies: [
                "Beacons", "CICUData", "Messages", "Linux",
                .product(name: "GRDB", package: "GRDB.swift", condition: aggregator),
            ],
            swiftSettings: strict),
        .target(
            name: "PostgreSQL", dependencies: ["Beacons", "CPostgreSQL", "History", "Messages"], swiftSettings: strict),
        .target(
            name: "Page",
            dependencies: [
                "Beacons", "Broker", "CCrypto", "CZlib", "Channels", "History", "Linux", "Locating",
                "Messages", "Mosquitto",
                "PageConfiguration", "PostgreSQL", "Settings", "SiteClient", "SiteCore",
                .product(name: "Hummingbird", package: "hummingbird", condition: aggregator),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: aggregator),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: aggregator),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: aggregator),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: aggregator),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: aggregator),
                .product(name: "NIOPosix", package: "swift-nio", condition: aggregator),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: aggregator),
            ],
            swiftSettings: strict),

        // The two services, and their thin programs.
        .target(
            name: "GatewayService",
            dependencies: [
                "Archive", "Beacons", "BlueZ", "Broker", "Delivery", "Doctor", "EventLogs", "GatewayCore", "HCI",
                "HomeAssistant", "Joining", "Linux", "Messages", "Mosquitto", "Ranging", "Settings", "Simulation",
                "Text",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        // The commands that talk to the aggregator.
        .target(
            name: "SiteClient",
            dependencies: [
                "Beacons", "Broker", "Console", "Delivery", "Doctor", "Linux", "Messages", "Mosquitto", "Settings",
                "Text",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // The files of a site's own broker.
        .target(
            name: "BrokerSetup", dependencies: ["Beacons", "Broker", "Linux", "Messages", "Settings", "Text"],
            swiftSettings: strict),
        .target(
            name: "AggregatorService",
            dependencies: [
                "Archive", "Beacons", "Broker", "BrokerSetup", "Channels", "Delivery", "Doctor", "EventLogs",
                "HomeAssistant", "Joining", "Linux", "Locating", "Messages", "Mosquitto", "PageConfiguration",
                "Settings",
                "SiteClient", "SiteCore", "Text",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "Gateway",
            dependencies: [
                "GatewayCore", "GatewayService", "Console", "Joining", "Linux", "Messages",
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
                "AggregatorService", "Beacons", "BrokerSetup", "Console", "History", "Joining", "Linux", "Messages",
                "Page",
                "PageConfiguration", "Settings", "SiteClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // What only tests and rigs need of simulated houses: days of one tag, recordings, a generator of random numbers.
        .target(
            name: "SimulationTestSupport", dependencies: ["Beacons", "Simulation"],
            path: "Tests/Rigs/SimulationTestSupport", swiftSettings: strict),

        // Whole fleets in virtual time, above both services, and what tells of thousands of them: no product.
        .target(
            name: "Fleet",
            dependencies: [
                "Beacons", "Delivery", "Messages", "EventLogs", "Ranging", "Simulation", "SimulationTestSupport",
                "Settings", "GatewayCore",
                "SiteCore", "SiteTestSupport",
            ],
            path: "Tests/Rigs/Fleet", swiftSettings: strict),
        .executableTarget(
            name: "FleetSimulator", dependencies: ["Beacons", "Fleet", "Linux"], path: "Tests/Rigs/FleetSimulator",
            swiftSettings: strict),

        // Machines with the real drivers on them, which tests and benchmarks drive.
        .target(
            name: "SiteTestSupport",
            dependencies: ["Beacons", "Channels", "Delivery", "EventLogs", "GatewayCore", "Messages", "SiteCore"],
            path: "Tests/Rigs/SiteTestSupport", swiftSettings: strict),

        // The peer of our connection: a client in C that does nothing but call libmosquitto.
        .target(name: "BareClient", dependencies: ["CMosquitto"], path: "Tests/Rigs/BareClient"),
        // make bench: adverts per CPU-second.
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Archive", "BareClient", "Beacons", "Delivery", "GatewayCore", "HCI", "History", "EventLogs", "Linux",
                "Locating", "Messages", "Mosquitto", "PostgreSQL", "Settings", "SiteCore", "SiteTestSupport",
                "TestBroker",
            ],
            path: "Tests/Rigs/Benchmarks", exclude: ["peers.py"], swiftSettings: strict),
        // What `make truth` prints of the belief.
        .executableTarget(
            name: "LocatingTruth",
            dependencies: ["Beacons", "Locating", "Ranging", "Simulation", "SimulationTestSupport"],
            path: "Tests/Rigs/LocatingTruth", swiftSettings: strict),
        // Loads a broker and an aggregator as a large site does, and measures them: no product.
        .executableTarget(
            name: "LoadGenerator",
            dependencies: [
                "Beacons", "Broker", "Console", "Linux", "Messages", "Mosquitto", "Ranging", "Settings", "Simulation",
                "SimulationTestSupport",
                "SiteClient", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Rigs/LoadGenerator", swiftSettings: strict),
        // What simulated families are told, by both services' pipelines: no product.
        .executableTarget(
            name: "Families",
            dependencies: [
                "Beacons", "Delivery", "GatewayCore", "Messages", "Settings", "Simulation", "SimulationTestSupport",
                "SiteCore",
            ],
            path: "Tests/Rigs/Families", swiftSettings: strict),
        // Figures of ranging and monitoring, printed: no product.
        .executableTarget(
            name: "Truth", dependencies: ["Beacons", "Locating", "Messages", "Ranging", "Simulation", "SiteCore"],
            path: "Tests/Rigs/Truth", swiftSettings: strict),

        .testTarget(name: "BeaconsTests", dependencies: ["Beacons"], swiftSettings: strict),
        .testTarget(name: "HCITests", dependencies: ["Beacons", "HCI"], swiftSettings: strict),
        .testTarget(name: "RangingTests", dependencies: ["Beacons", "Ranging"], swiftSettings: strict),
        .testTarget(
            name: "PeopleTests", dependencies: ["Beacons", "Channels", "Messages", "People", "Text"],
            swiftSettings: strict),
        .testTarget(name: "TextTests", dependencies: ["Beacons", "Text"], swiftSettings: strict),
        .testTarget(name: "MessagesTests", dependencies: ["Beacons", "Messages"], swiftSettings: strict),
        .testTarget(
            name: "HomeAssistantTests", dependencies: ["Beacons", "HomeAssistant", "Messages", "Text"],
            swiftSettings: strict),
        .testTarget(name: "EventLogsTests", dependencies: ["Beacons", "EventLogs"], swiftSettings: strict),
        .testTarget(
            name: "ArchiveTests", dependencies: ["Archive", "Beacons", "EventLogs", "Linux"], swiftSettings: strict),
        .testTarget(name: "LocatingTests", dependencies: ["Beacons", "Locating"], swiftSettings: strict),
        .testTarget(
            name: "SimulationTests", dependencies: ["Beacons", "HCI", "Simulation", "SimulationTestSupport"],
            swiftSettings: strict),
        .testTarget(name: "LinuxTests", dependencies: ["Beacons", "Linux"], swiftSettings: strict),
        .testTarget(
            name: "JoiningTests", dependencies: ["Beacons", "Joining", "Linux", "TestBroker"], swiftSettings: strict),
        .testTarget(name: "BlueZTests", dependencies: ["Beacons", "HCI", "BlueZ"], swiftSettings: strict),
        .testTarget(
            name: "MosquittoTests", dependencies: ["Beacons", "Linux", "Messages", "Mosquitto", "TestBroker"],
            swiftSettings: strict
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
                "Beacons", "HCI", "EventLogs", "Linux", "Messages", "Mosquitto", "TestBroker", "Gateway",
                "Aggregator",
            ],
            path: "Tests/Rigs/Chaos", swiftSettings: strict),
        .testTarget(
            name: "BrokerTests",
            dependencies: [
                "Beacons", "Broker", "Delivery", "EventLogs", "Linux", "Messages", "Mosquitto", "Settings",
                "TestBroker",
            ],
            swiftSettings: strict),
        .testTarget(name: "SettingsTests", dependencies: ["Beacons", "Settings"], swiftSettings: strict),
        .testTarget(
            name: "ChannelsTests", dependencies: ["Beacons", "CCrypto", "Channels", "Messages", "Settings", "Text"],
            swiftSettings: strict),
        .testTarget(
            name: "DeliveryTests", dependencies: ["Beacons", "Delivery", "Messages"], swiftSettings: strict),
        .testTarget(
            name: "GatewayCoreTests",
            dependencies: [
                "Archive", "Beacons", "Delivery", "GatewayCore", "HomeAssistant", "EventLogs", "Linux", "Messages",
                "Ranging", "Settings", "SiteTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SiteCoreTests",
            dependencies: [
                "Archive", "Beacons", "Channels", "Delivery", "HomeAssistant", "EventLogs", "Linux", "Locating",
                "Messages",
                "Settings", "Simulation", "SimulationTestSupport", "SiteCore", "SiteTestSupport", "TestBroker", "Text",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "GatewayServiceTests",
            dependencies: [
                "Beacons", "BlueZ", "Doctor", "GatewayCore", "GatewayService", "HCI", "Linux", "Messages",
                "Settings", "TestBroker",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SiteClientTests", dependencies: ["Beacons", "Doctor", "Linux", "Messages", "SiteClient"],
            swiftSettings: strict),
        .testTarget(
            name: "AggregatorServiceTests",
            dependencies: [
                "AggregatorService", "Beacons", "Doctor", "Linux", "Messages", "Settings", "SiteClient", "SiteCore",
                "TestBroker",
            ],
            swiftSettings: strict),
        // Both services' pipelines in one house, in virtual time: how much they say.
        .testTarget(
            name: "FloodTests",
            dependencies: [
                "Beacons", "HCI", "Messages", "Settings", "Simulation", "GatewayCore", "SiteCore",
            ],
            swiftSettings: strict),
        // Both programs as people run them, with a real broker between them. The executables are named so that they are built.
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                "Beacons", "HCI", "Messages", "Page", "Settings", "SiteCore", "Simulation", "SimulationTestSupport",
                "Linux", "Mosquitto",
                "PostgreSQL", "TestBroker", "Gateway", "Aggregator", "Chaos",
            ],
            swiftSettings: strict),
        // The page without a broker and without a socket.
        .testTarget(
            name: "PageTests",
            dependencies: [
                "Beacons", "History", "Linux", "Messages", "Page", "PageConfiguration", "Settings", "SiteCore",
                "TestBroker",
                .product(name: "Hummingbird", package: "hummingbird", condition: aggregator),
                .product(name: "HummingbirdTesting", package: "hummingbird", condition: aggregator),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: aggregator),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio", condition: aggregator),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: aggregator),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PostgreSQLTests",
            dependencies: ["Beacons", "History", "Linux", "Messages", "PostgreSQL", "TestBroker"],
            swiftSettings: strict),
        .testTarget(
            name: "HistoryTests",
            dependencies: [
                "Beacons", .product(name: "GRDB", package: "GRDB.swift", condition: aggregator), "History", "Linux",
                "Messages", "TestBroker",
            ],
            swiftSettings: strict),
        .testTarget(name: "FleetTests", dependencies: ["Fleet"], swiftSettings: strict),
        .testTarget(
            name: "LoadGeneratorTests",
            dependencies: ["Beacons", "LoadGenerator", "Messages", "Simulation"], swiftSettings: strict),
        // The configuration files that are shipped, read by the programs they are for.
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "AggregatorService", "Beacons", "Broker", "GatewayCore", "GatewayService", "Linux",
                "PageConfiguration", "Settings", "Simulation", "SimulationTestSupport", "SiteCore", "Text",
            ],
            swiftSettings: strict),
    ]
)
