// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours: Swift 6 mode comes with the tools version, and a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "forgetmenot",
    products: [
        .executable(name: "forgetmenot-gateway", targets: ["Gateway"]),
        .executable(name: "forgetmenot", targets: ["Aggregator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
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
        .target(name: "Text", dependencies: ["CUTF8Proc", "CCrypto"], swiftSettings: strict),
        .target(name: "Messages", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "Locating", dependencies: ["Beacons"], swiftSettings: strict),
        .target(name: "Simulation", dependencies: ["Beacons", "HCI"], swiftSettings: strict),

        // Adapters: the kernel, the adapter's socket, the broker's connection, the configuration's file.
        .target(name: "Linux", dependencies: ["Beacons", "CLinux"], swiftSettings: strict),
        .target(name: "BlueZ", dependencies: ["Beacons", "HCI", "Linux", "CBlueZ"], swiftSettings: strict),
        .target(name: "Mosquitto", dependencies: ["Beacons", "Linux", "CMosquitto"], swiftSettings: strict),
        .target(name: "Settings", dependencies: ["Beacons", "Text", "TOMLKit"], swiftSettings: strict),

        // The two services, and their thin programs.
        .target(
            name: "GatewayService",
            dependencies: [
                "Beacons", "HCI", "Ranging", "Text", "Messages", "Simulation", "Linux", "BlueZ", "Mosquitto",
                "Settings",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "AggregatorService",
            dependencies: [
                "Beacons", "Text", "Messages", "Locating", "Linux", "Mosquitto", "Settings",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "Gateway",
            dependencies: [
                "GatewayService", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "Aggregator",
            dependencies: [
                "AggregatorService", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // Figures of ranging and monitoring, printed: no product.
        .executableTarget(name: "Truth", dependencies: ["Beacons", "Ranging"], swiftSettings: strict),

        .testTarget(name: "BeaconsTests", dependencies: ["Beacons"], swiftSettings: strict),
        .testTarget(name: "HCITests", dependencies: ["Beacons", "HCI"], swiftSettings: strict),
        .testTarget(name: "RangingTests", dependencies: ["Beacons", "Ranging"], swiftSettings: strict),
        .testTarget(name: "TextTests", dependencies: ["Text"], swiftSettings: strict),
        .testTarget(name: "MessagesTests", dependencies: ["Beacons", "Messages"], swiftSettings: strict),
        .testTarget(name: "LocatingTests", dependencies: ["Beacons", "Locating"], swiftSettings: strict),
        .testTarget(name: "SimulationTests", dependencies: ["Beacons", "HCI", "Simulation"], swiftSettings: strict),
        .testTarget(name: "LinuxTests", dependencies: ["Beacons", "Linux"], swiftSettings: strict),
        .testTarget(name: "BlueZTests", dependencies: ["Beacons", "HCI", "BlueZ"], swiftSettings: strict),
        .testTarget(name: "MosquittoTests", dependencies: ["Beacons", "Linux", "Mosquitto"], swiftSettings: strict),
        .testTarget(name: "SettingsTests", dependencies: ["Beacons", "Settings"], swiftSettings: strict),
        .testTarget(
            name: "GatewayServiceTests", dependencies: ["Beacons", "GatewayService", "Settings"], swiftSettings: strict),
        .testTarget(
            name: "AggregatorServiceTests", dependencies: ["Beacons", "AggregatorService", "Settings"],
            swiftSettings: strict),
    ]
)
