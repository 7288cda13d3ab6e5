import Foundation
import Testing

/// No type of a pure module is so large that a reader cannot have all of it in mind: it is split into values, each with tests of its own.
struct TypeSizeTests {
    private static let mostProperties = 15
    private static let mostFiles = 3

    /// The stored properties of the types that have more. A number may only fall; a type that has few enough leaves the list.
    private static let properties = [
        "Ranging.Monitor": 24, "HomeAssistant.Announcer": 18, "EventLogs.EventLog": 17, "Locating.Locator": 22,
        "Simulation.House.Channel": 19, "SiteCore.ItemRecord": 29, "SiteCore.ItemLocations": 18,
        "SiteCore.Announcements": 19, "SiteCore.AggregatorConfiguration": 16,
    ]
    /// The files of the types that are in more, with their extensions in the same module.
    private static let files = [
        "Ranging.Monitor": 7, "Messages.Fields": 11, "HomeAssistant.Device": 4, "Simulation.House": 9,
        "SiteCore.SitePipeline": 7, "SiteCore.ItemLocations": 8,
    ]

    @Test(arguments: ArrowsTests.pure.filter { $0 != "Fleet" })
    func `a type of a pure module has few stored properties, and is in few files`(module: String) throws {
        let sizes = try TypeSizes(module, in: ArrowsTests.folder(of: module))
        check(sizes.properties, at: Self.mostProperties, unless: Self.properties, "stored properties", of: module)
        check(sizes.files.mapValues(\.count), at: Self.mostFiles, unless: Self.files, "files", of: module)
    }

    private func check(
        _ counts: [String: Int], at most: Int, unless listed: [String: Int], _ of: String, of module: String
    ) {
        for (type, count) in counts {
            #expect(
                count <= listed[type] ?? most, "\(type) has \(count) \(of): split it into values, or merge its files")
        }
        for type in listed.keys where type.hasPrefix(module + ".") {
            #expect(counts[type] ?? 0 > most, "\(type) has few enough \(of): remove it from the list")
        }
    }

    @Test func `stored properties are counted by type, and computed ones and those of a nested type are not`() {
        let text = """
            package struct Outer: Sendable {
                static let most = 3
                package private(set) var stored: [Int] = []
                private let first: Int
                var computed: Int { stored.count }
                var watched = 1 { didSet { stored = [] } }
                enum Inner {
                    case one
                    var own: Int {
                        let local = 1
                        return local
                    }
                }
                let last: (Int) -> Int
            }
            """
        var sizes = TypeSizes()
        sizes.read(text, named: "Outer.swift", module: "M")
        #expect(sizes.properties == ["M.Outer": 4] && sizes.files.keys.sorted() == ["M.Outer", "M.Outer.Inner"])
    }
}

/// How many stored properties the types of a module have, and in which files they are, read from the sources, whose format is the same everywhere.
private struct TypeSizes {
    private static let types = ["struct", "class", "enum", "actor", "extension"]
    private static let modifiers = [
        "public", "package", "private", "fileprivate", "final", "indirect", "nonisolated", "@",
    ]

    private(set) var properties: [String: Int] = [:]
    private(set) var files: [String: Set<String>] = [:]

    init() {}

    init(_ module: String, in folder: URL) throws {
        let sources = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in sources where file.pathExtension == "swift" {
            read(try String(contentsOf: file, encoding: .utf8), named: file.lastPathComponent, module: module)
        }
    }

    mutating func read(_ text: String, named file: String, module: String) {
        var open: [(indentation: Int, name: String)] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init) {
            let indentation = line.utf8.prefix { $0 == UInt8(ascii: " ") }.count
            guard indentation < line.utf8.count else { continue }
            while let last = open.last, indentation <= last.indentation { open.removeLast() }
            guard indentation <= (open.last?.indentation ?? -4) + 4 else { continue }
            let words = line.split(separator: " ").drop { word in Self.modifiers.contains { word.hasPrefix($0) } }
            guard let keyword = words.first, words.count > 1 else { continue }
            let name = ([module] + open.map(\.name)).joined(separator: ".")
            if Self.types.contains(String(keyword)) {
                let type = words[words.startIndex + 1].prefix { $0.isLetter || $0.isNumber || $0 == "." }
                files["\(name).\(type)", default: []].insert(file)
                open.append((indentation, String(type)))
            } else if keyword == "var" || keyword == "let", !open.isEmpty {
                let brace = words.contains("didSet") ? nil : words.firstIndex(of: "{")
                let isComputed = brace.map { $0 < words.firstIndex(of: "=") ?? words.endIndex } ?? false
                if !isComputed { properties[name, default: 0] += 1 }
            }
        }
    }
}
