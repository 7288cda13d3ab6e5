import Foundation
import Testing

/// The arrows between the modules point down: nothing below the line knows a socket, a clock or a log.
///
/// `Package.swift` has the arrows, and a build refuses an import that it does not declare.
struct ArrowsTests {
    /// The modules that know neither socket nor clock nor log: not even the C library's calls, mathematics excepted.
    static let pure = [
        "Beacons", "HCI", "Ranging", "Messages", "HomeAssistant", "EventLogs", "Settings", "Channels", "Delivery",
        "Locating", "People", "Simulation", "GatewayCore", "SiteCore", "PageConfiguration", "Fleet",
    ]
    /// The pure modules that need the C library's mathematics.
    private static let calculating = ["Ranging", "Locating", "Simulation"]
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The modules of the product in Swift, by the names of their folders. A module in C is `C` with the name of what it gives.
    private static let modules = try! FileManager.default
        .contentsOfDirectory(atPath: root.appending(path: "Sources").path)
        .filter { $0.wholeMatch(of: /C[A-Z].*/) == nil }.sorted()
    /// What stands between `dependencies: [` and `]` in the declaration of each target in `Package.swift`.
    private static let declared: [String: String] = {
        let text = try! String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        var declared: [String: String] = [:]
        for part in text.components(separatedBy: "name: \"").dropFirst() {
            let lists = part.components(separatedBy: "dependencies: [").dropFirst()
            declared[String(part.prefix { $0 != "\"" })] = lists.first.map { String($0.prefix { $0 != "]" }) } ?? ""
        }
        return declared
    }()

    /// The product's modules lie in Sources, what they are tried with in Tests/Rigs.
    static func folder(of module: String) -> URL {
        root.appending(path: module == "Fleet" ? "Tests/Rigs/Fleet" : "Sources/\(module)")
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

    @Test(arguments: pure)
    func `a pure module depends on pure modules, and on C's Unicode, cryptography and files`(module: String) throws {
        let allowed = Set(Self.pure)
            .union(["Text", "CUTF8Proc", "CCrypto", "CPage", "SiteTestSupport", "SimulationTestSupport"])
        let dependencies = try #require(Self.declared[module]).matches(of: /"(\w+)"/).map { String($0.1) }
        for name in dependencies { #expect(allowed.contains(name), "\(module) depends on \(name)") }
    }

    @Test
    func `only the aggregator's programs and tests depend on the page, and only they and PostgreSQL on the history`() {
        for module in Self.modules where !["Aggregator", "Page"].contains(module) {
            let dependencies = Self.declared[module] ?? ""
            #expect(!dependencies.contains("\"Page\""), "\(module) depends on Page")
            #expect(!dependencies.contains("\"History\"") || module == "PostgreSQL", "\(module) depends on History")
        }
    }

    /// They bring Foundation with ICU: four times the size of a program.
    @Test(arguments: modules.filter { !["Page", "History"].contains($0) })
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
    @Test(arguments: modules)
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
