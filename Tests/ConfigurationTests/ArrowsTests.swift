import Foundation
import Testing

/// The arrows between the modules point one way: the words are the ground, the programs the roof.
struct ArrowsTests {
    /// Which modules of ours each module may import.
    private static let allowed: [String: Set<String>] = [
        "Beacons": [],
        "HCI": ["Beacons"],
        "Ranging": ["Beacons"],
        "Text": ["Beacons", "CUTF8Proc", "CCrypto"],
        "Messages": ["Beacons"],
        "HomeAssistant": ["Beacons", "Messages"],
        "EventLogs": ["Beacons"],
        "Locating": ["Beacons"],
        "Settings": ["Beacons", "Text"],
        "Delivery": ["Beacons", "HomeAssistant", "EventLogs", "Messages", "Settings"],
        "Simulation": ["Beacons", "HCI"],
        "GatewayCore": [
            "Beacons", "Delivery", "HCI", "HomeAssistant", "EventLogs", "Messages", "Ranging", "Settings", "Text",
        ],
        "SiteCore": [
            "Beacons", "Delivery", "HomeAssistant", "EventLogs", "Locating", "Messages", "Settings", "Text",
        ],
        "Linux": ["Beacons", "CLinux"],
        "BlueZ": ["Beacons", "HCI", "Linux", "CBlueZ", "CLinux"],
        "Mosquitto": ["Beacons", "Linux", "CMosquitto"],
        "Archive": ["Beacons", "EventLogs", "Linux"],
        "Broker": ["Beacons", "Delivery", "HomeAssistant", "EventLogs", "Linux", "Messages", "Mosquitto", "Settings"],
        "Console": ["Beacons", "Linux"],
        "Doctor": ["Beacons", "Broker", "Linux", "Messages", "Mosquitto"],
        "GatewayService": [
            "Archive", "Beacons", "BlueZ", "Broker", "Delivery", "Doctor", "GatewayCore", "HCI", "HomeAssistant",
            "Linux", "Messages", "Mosquitto", "Ranging", "Settings", "Simulation", "Text",
        ],
        "SiteClient": [
            "Beacons", "Broker", "Delivery", "Doctor", "Linux", "Messages", "Mosquitto", "Settings", "Text",
        ],
        "BrokerSetup": ["Beacons", "Broker", "Linux", "Messages", "Settings", "Text"],
        "AggregatorService": [
            "Archive", "Beacons", "Broker", "Delivery", "Doctor", "HomeAssistant", "Linux", "Locating", "Messages",
            "Mosquitto", "Settings", "SiteClient", "SiteCore", "Text",
        ],
        "Fleet": [
            "Beacons", "Delivery", "Messages", "EventLogs", "Ranging", "Simulation", "Settings", "GatewayCore",
            "SiteCore",
        ],
        "FleetSimulator": ["Beacons", "Fleet", "Linux"],
        "Gateway": ["GatewayCore", "GatewayService", "Console", "Linux", "Messages"],
        "Aggregator": [
            "AggregatorService", "Beacons", "BrokerSetup", "Console", "Linux", "Messages", "Page", "Settings",
            "SiteClient", "SiteCore",
        ],
        "History": ["Beacons", "CICUData", "Linux", "Messages"],
        "PostgreSQL": ["Beacons", "CPostgreSQL", "History", "Messages"],
        "Page": [
            "Beacons", "Broker", "CCrypto", "CPage", "History", "Linux", "Locating", "Messages", "Mosquitto",
            "PostgreSQL", "Settings", "SiteClient", "SiteCore",
        ],
    ]
    /// The modules that know neither socket nor clock nor log: not even the C library's calls, mathematics excepted.
    private static let pure = [
        "Beacons", "HCI", "Ranging", "Messages", "HomeAssistant", "EventLogs", "Settings", "Delivery", "Locating",
        "Simulation", "GatewayCore", "SiteCore", "Fleet",
    ]
    /// The pure modules that need the C library's mathematics.
    private static let calculating = ["Ranging", "Locating", "Simulation"]
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The product's modules lie in Sources, what they are tried with in Tests/Rigs.
    private static func folder(of module: String) -> URL {
        root.appending(
            path: ["Fleet", "FleetSimulator"].contains(module) ? "Tests/Rigs/\(module)" : "Sources/\(module)")
    }

    private func imports(of module: String) throws -> [(file: String, module: String)] {
        let folder = Self.folder(of: module)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: [(String, String)] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "import"), index <= 1, words.count > index + 1 else { continue }
                found.append((file.lastPathComponent, String(words[index + 1])))
            }
        }
        return found
    }

    @Test(arguments: allowed.keys.sorted())
    func `a module imports those below it, and no others`(module: String) throws {
        let ours = Set(Self.allowed.keys).union(Self.allowed.values.joined())
        for (file, imported) in try imports(of: module) where ours.contains(imported) && imported != module {
            #expect(Self.allowed[module]!.contains(imported), "\(module)/\(file) imports \(imported)")
        }
    }

    /// They bring Foundation with ICU: four times the size of a program.
    @Test(arguments: allowed.keys.sorted().filter { !["Page", "History"].contains($0) })
    func `only the page and the history import the libraries for HTTP and SQLite`(module: String) throws {
        for (file, imported) in try imports(of: module) {
            #expect(
                !["Hummingbird", "HummingbirdCore", "NIOCore", "NIOPosix", "GRDB"].contains(imported),
                "\(module)/\(file) imports \(imported)")
        }
    }

    @Test(arguments: pure)
    func `a pure module reads no clock, opens no socket, writes no log`(module: String) throws {
        for (file, imported) in try imports(of: module) {
            #expect(
                !["Foundation", "Logging", "Dispatch", "Linux", "Mosquitto"].contains(imported),
                "\(module)/\(file) imports \(imported)")
            #expect(
                imported != "Glibc" || Self.calculating.contains(module), "\(module)/\(file) imports \(imported)")
        }
        let folder = Self.folder(of: module)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let touching = [
            "clock_gettime(", "socket(", "fopen(", " print(", "(print(", "ContinuousClock",
            "SystemRandomNumberGenerator",
        ]
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for word in touching {
                // `Fingerprint(` is no `print(`.
                let pattern = "\\b" + NSRegularExpression.escapedPattern(for: word)
                let isThere = text.range(of: pattern, options: .regularExpression) != nil
                #expect(!isThere, "\(module)/\(file.lastPathComponent) has \(word)")
            }
        }
    }

    /// The modules of both programs, and what each may touch of the standard streams.
    @Test(arguments: allowed.keys.sorted().filter { !["Fleet", "FleetSimulator"].contains($0) })
    func `only Linux's few files write to the standard streams, where each text passes one filter`(module: String)
        throws
    {
        let folder = Self.root.appending(path: "Sources/\(module)")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        let writers = ["StandardStreams.swift", "Colour.swift", "LiveScreen.swift", "StatusLine.swift"]
        let words = [
            "STDOUT_FILENO", "STDERR_FILENO", " print(", "(print(", "fputs(", " puts(", "fwrite(", "perror(",
            "FileHandle.standard", "\\u{1B}", "exit(withError", "writeRaw(", "writeError(",
        ]
        for case let file as URL in files where file.pathExtension == "swift" {
            if module == "Linux", writers.contains(file.lastPathComponent) { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for word in words { #expect(!text.contains(word), "\(module)/\(file.lastPathComponent) has \(word)") }
        }
    }
}
